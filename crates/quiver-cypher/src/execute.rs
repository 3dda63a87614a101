//! Runs the clauses of a query over tables of rows.

use crate::{
    Value,
    aggregate::has_aggregate,
    as_of::{self, AS_OF},
    ast::{Binary, Clause, Expression, Pattern, Projection, Query},
    count::Counting,
    error::{Error, ErrorKind, Result, wrong_type},
    evaluate::{Context, Environment, Subqueries, Table},
    matching::Matcher,
    plan::{Ahead, Plan, plan},
    project::{PROOF, project, row_count},
    result::Written,
    scope::free_variables,
    value::Key,
    write::{Writer, widen},
};

/// The column with the number of a row before a MATCH.
const ROW: &str = " row";
/// Maximum number of nodes and relationships that one MATCH adds to a proof.
const PROOF_MAX: usize = 200;

/// Runs the patterns and queries inside expressions.
pub(crate) struct Inner;

impl Subqueries for Inner {
    fn pattern(
        &self,
        context: &Context<'_>,
        patterns: &[Pattern],
        filter: Option<&Expression>,
        environment: &Environment<'_>,
        limit: usize,
    ) -> Result<Table> {
        let (columns, row) = environment.flatten();
        let plan = plan(context, &columns, patterns, filter, Ahead::Pattern)?;
        let rows = Matcher { context, plan: &plan }.run(vec![row], limit)?;
        Ok(Table { columns: plan.columns, rows })
    }

    fn count(&self, context: &Context<'_>, query: &Query, environment: &Environment<'_>) -> Result<usize> {
        let (columns, row) = environment.flatten();
        let mut count = 0;
        let as_of = context.as_of.get();
        for part in &query.parts {
            let table = Table { columns: columns.clone(), rows: vec![row.clone()] };
            let mut run = Run { context, written: Written::default(), proof: false, is_inner: true };
            count += run.clauses(part, table)?.rows.len();
            context.as_of.set(as_of);
        }
        Ok(count)
    }
}

/// One run of a query.
pub(crate) struct Run<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) written: Written,
    /// Whether each row carries its proof.
    pub(crate) proof: bool,
    /// Whether it is a subquery in an expression, which runs for each row.
    pub(crate) is_inner: bool,
}

impl Run<'_> {
    pub(crate) fn query(&mut self, query: &Query) -> Result<Table> {
        let mut whole: Option<Table> = None;
        for part in &query.parts {
            let mut start = Table { columns: Vec::new(), rows: vec![Vec::new()] };
            if self.proof {
                start = Table { columns: vec![PROOF.to_owned()], rows: vec![vec![Value::list(Vec::new())]] };
            }
            // A moment set in one part does not apply to the next one.
            self.context.as_of.set(None);
            let mut table = self.clauses(part, start)?;
            if !part.iter().any(|clause| matches!(clause, Clause::Return(_)))
                && !matches!(part.as_slice(), [Clause::Call { .. }])
            {
                table = Table::default();
            }
            match &mut whole {
                None => whole = Some(table),
                Some(whole) => {
                    // The columns of a union may have another order.
                    let order: Vec<Option<usize>> = whole
                        .columns
                        .iter()
                        .map(|column| table.columns.iter().position(|other| other == column))
                        .collect();
                    let reorder = |row: Vec<Value>| {
                        order
                            .iter()
                            .map(|at| at.and_then(|at| row.get(at).cloned()).unwrap_or_default())
                            .collect()
                    };
                    whole.rows.extend(table.rows.into_iter().map(reorder));
                }
            }
        }
        let mut table = whole.unwrap_or_default();
        if query.parts.len() > 1 && !query.union_all {
            let proof = table.columns.iter().position(|column| column == PROOF);
            let mut seen = std::collections::BTreeSet::new();
            table.rows.retain(|row| {
                let visible = row.iter().enumerate().filter(|(at, _)| Some(*at) != proof);
                seen.insert(Key(visible.map(|(_, value)| value.clone()).collect()))
            });
        }
        Ok(table)
    }

    pub(crate) fn clauses(&mut self, clauses: &[Clause], table: Table) -> Result<Table> {
        let mut table = table;
        let mut rest = clauses;
        while let [clause, after @ ..] = rest {
            if let Some(counted) = self.count(clause, after.first(), &table)? {
                table = counted;
                rest = &after[1..];
                continue;
            }
            let limit = self.early_limit(after.first())?;
            table = match clause {
                Clause::Match { optional: false, patterns, filter, .. } => {
                    let later = later(self.context, after);
                    self.match_patterns(table, patterns, filter.as_ref(), &later, limit)?
                }
                _ => self.clause(clause, table, limit)?,
            };
            self.context.meter.check_rows(table.rows.len())?;
            rest = after;
        }
        Ok(table)
    }

    /// Answers a MATCH and the projection after it with a count of the graph, if they only count.
    fn count(&self, clause: &Clause, next: Option<&Clause>, table: &Table) -> Result<Option<Table>> {
        // If conditions are compared late, the graph answers none of them.
        let is_start = table.rows.len() == 1 && table.columns.iter().all(|column| column == PROOF);
        if !is_start || self.context.compares_late || self.written != Written::default() {
            return Ok(None);
        }
        let Some(counting) = Counting::of(clause, next) else { return Ok(None) };
        let mut rows = vec![Vec::new()];
        if !table.columns.is_empty() {
            // The proof contains the first counted nodes. The first relationships can't be known without reading the
            // others.
            let Some(labels) = counting.labels() else { return Ok(None) };
            let first = self.context.graph.select(&self.context.selection(labels, Vec::new()), PROOF_MAX)?;
            rows = vec![vec![Value::list(first.into_iter().map(Value::Node).collect())]];
        }
        let before = self.context.graph.reads();
        let Some(count) = counting.count(self.context)? else { return Ok(None) };
        if let Some(profile) = self.context.profile {
            profile.add(counting.describe(), 1, self.context.graph.reads() - before);
        }
        let Some(projection) = counting.counted(count) else { return Ok(None) };
        let start = Table { columns: table.columns.clone(), rows };
        project(self.context, start, &projection, counting.filter).map(Some)
    }

    /// Returns how many rows a clause needs if the next one is a plain projection with a limit.
    fn early_limit(&self, next: Option<&Clause>) -> Result<usize> {
        let Some(Clause::Return(projection) | Clause::With { projection, filter: None }) = next else {
            return Ok(usize::MAX);
        };
        let plain = !projection.distinct
            && projection.order.is_empty()
            && !projection.items.iter().any(|item| has_aggregate(&item.expression));
        let limit = row_count(self.context, projection.limit.as_ref().filter(|_| plain))?;
        let skip = row_count(self.context, projection.skip.as_ref().filter(|_| plain))?.unwrap_or_default();
        Ok(limit.map_or(usize::MAX, |limit| limit.saturating_add(skip)))
    }

    fn clause(&mut self, clause: &Clause, mut table: Table, limit: usize) -> Result<Table> {
        match clause {
            Clause::Match { optional: true, patterns, filter, .. } => {
                self.match_optional(table, patterns, filter.as_ref(), limit)
            }
            Clause::Match { patterns, filter, .. } => {
                self.match_patterns(table, patterns, filter.as_ref(), &[], limit)
            }
            Clause::Unwind { list, variable, .. } => self.unwind(table, list, variable),
            Clause::With { projection, filter } => project(self.context, table, projection, filter.as_ref()),
            Clause::Return(projection) => project(self.context, table, projection, None),
            Clause::Create { patterns } => {
                widen(&mut table, patterns);
                let Table { columns, rows } = &mut table;
                let mut writer = Writer { context: self.context, written: &mut self.written };
                for row in rows {
                    for pattern in patterns {
                        writer.create(columns, row, pattern)?;
                    }
                }
                Ok(table)
            }
            Clause::Merge { pattern, on_create, on_match } => {
                let mut found = Table { columns: table.columns.clone(), rows: Vec::new() };
                widen(&mut found, std::slice::from_ref(pattern));
                let plan =
                    plan(self.context, &table.columns, std::slice::from_ref(pattern), None, Ahead::Pattern)?;
                for mut row in table.rows {
                    self.context.meter.step()?;
                    Writer { context: self.context, written: &mut self.written }.check_merge(
                        &table.columns,
                        &row,
                        pattern,
                    )?;
                    let matcher = Matcher { context: self.context, plan: &plan };
                    let matched = matcher.run(vec![row.clone()], usize::MAX)?;
                    let mut writer = Writer { context: self.context, written: &mut self.written };
                    if matched.is_empty() {
                        row.resize(found.columns.len(), Value::Null);
                        writer.create(&found.columns, &mut row, pattern)?;
                        writer.set(&found.columns, &row, on_create)?;
                        found.rows.push(row);
                        continue;
                    }
                    for matched in matched {
                        let row = pick(&found.columns, &plan.columns, &matched);
                        writer.set(&found.columns, &row, on_match)?;
                        found.rows.push(row);
                    }
                }
                Ok(found)
            }
            Clause::Set(items) => {
                let mut writer = Writer { context: self.context, written: &mut self.written };
                table.rows.iter().try_for_each(|row| writer.set(&table.columns, row, items))?;
                Ok(table)
            }
            Clause::Remove(items) => {
                let mut writer = Writer { context: self.context, written: &mut self.written };
                table.rows.iter().try_for_each(|row| writer.remove(&table.columns, row, items))?;
                Ok(table)
            }
            Clause::Delete { detach, expressions } => {
                Writer { context: self.context, written: &mut self.written }.delete(
                    &table,
                    *detach,
                    expressions,
                )?;
                Ok(table)
            }
            Clause::Call { procedure, arguments, place, .. } if procedure == AS_OF => {
                as_of::call(self.context, &table, arguments.as_deref().unwrap_or_default())
                    .map_err(|error| error.at(*place))?;
                Ok(table)
            }
            Clause::Call { procedure, arguments, yields, filter, place } => {
                let table = self
                    .call(table, procedure, arguments.as_deref(), yields.as_deref())
                    .map_err(|error| error.at(*place))?;
                self.filter(table, filter.as_ref())
            }
        }
    }

    fn filter(&self, mut table: Table, filter: Option<&Expression>) -> Result<Table> {
        if let Some(filter) = filter {
            let mut kept = Vec::new();
            for row in table.rows {
                if self.context.is_true(filter, &Environment::new(&table.columns, &row))? {
                    kept.push(row);
                }
            }
            table.rows = kept;
        }
        Ok(table)
    }

    fn ahead<'l>(&self, later: &'l [Expression]) -> Ahead<'l> {
        if self.is_inner { Ahead::Pattern } else { Ahead::Clauses(later) }
    }

    fn match_patterns(
        &self,
        table: Table,
        patterns: &[Pattern],
        filter: Option<&Expression>,
        later: &[Expression],
        limit: usize,
    ) -> Result<Table> {
        let plan = plan(self.context, &table.columns, patterns, filter, self.ahead(later))?;
        let columns = matched_columns(&table.columns, &plan);
        let found = Matcher { context: self.context, plan: &plan }.run(table.rows, limit)?;
        Ok(Table { rows: found.iter().map(|row| self.matched(&columns, &plan, row)).collect(), columns })
    }

    fn match_optional(
        &self,
        table: Table,
        patterns: &[Pattern],
        filter: Option<&Expression>,
        limit: usize,
    ) -> Result<Table> {
        // Rows are numbered, to find those without a match afterwards.
        let mut incoming = table.columns.clone();
        incoming.push(ROW.to_owned());
        let plan = plan(self.context, &incoming, patterns, filter, self.ahead(&[]))?;
        let columns = matched_columns(&table.columns, &plan);
        let number_at = table.columns.len();
        let mut numbered: Vec<Vec<Value>> = table.rows;
        for (number, row) in numbered.iter_mut().enumerate() {
            row.push(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
        }
        // Every row has a result, so more rows than the limit are not needed.
        numbered.truncate(limit);
        let mut found = Matcher { context: self.context, plan: &plan }.run(numbered.clone(), usize::MAX)?;
        found.sort_by(|a, b| a[number_at].compare(&b[number_at]));
        let mut found = found.into_iter().peekable();
        let mut rows = Vec::new();
        for mut row in numbered {
            let mut is_matched = false;
            while let Some(matched) = found.next_if(|matched| matched[number_at] == row[number_at]) {
                rows.push(self.matched(&columns, &plan, &matched));
                is_matched = true;
            }
            if !is_matched {
                row.truncate(number_at);
                row.resize(columns.len(), Value::Null);
                rows.push(row);
            }
        }
        Ok(Table { columns, rows })
    }

    /// Takes the visible columns of a match, and adds its nodes and relationships to the proof.
    fn matched(&self, columns: &[String], plan: &Plan, row: &[Value]) -> Vec<Value> {
        let mut found = pick(columns, &plan.columns, row);
        let slots = plan.relationships.iter().chain(&plan.nodes);
        let values = slots.flat_map(|slot| match &row[*slot] {
            Value::List(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        });
        self.prove(columns, &mut found, values);
        found
    }

    /// Adds nodes and relationships to the proof of a row.
    fn prove<'v>(&self, columns: &[String], row: &mut [Value], values: impl IntoIterator<Item = &'v Value>) {
        let Some(at) = columns.iter().position(|column| column == PROOF).filter(|_| self.proof) else {
            return;
        };
        let mut proof = match &row[at] {
            Value::List(items) => (**items).clone(),
            _ => Vec::new(),
        };
        for value in values {
            let is_part = matches!(value, Value::Node(_) | Value::Relationship(_));
            if is_part && proof.len() < PROOF_MAX && !proof.contains(value) {
                proof.push(value.clone());
            }
        }
        row[at] = Value::list(proof);
    }

    fn unwind(&self, table: Table, list: &Expression, variable: &str) -> Result<Table> {
        let mut columns = table.columns.clone();
        columns.push(variable.to_owned());
        let mut rows = Vec::new();
        for row in table.rows {
            let items = match self.context.evaluate(list, &Environment::new(&table.columns, &row))? {
                Value::Null => continue,
                Value::List(items) => items,
                other => {
                    return Err(wrong_type(format!("UNWIND requires a list, not {}", other.type_name())));
                }
            };
            self.context.meter.check_rows(rows.len() + items.len())?;
            for item in items.iter() {
                self.context.meter.step()?;
                rows.push(row.iter().chain(std::iter::once(item)).cloned().collect());
            }
        }
        Ok(Table { columns, rows })
    }

    fn call(
        &self,
        table: Table,
        procedure: &str,
        arguments: Option<&[Expression]>,
        yields: Option<&[(String, String)]>,
    ) -> Result<Table> {
        let mut columns = table.columns.clone();
        let mut rows = Vec::new();
        let mut is_known = false;
        for row in table.rows {
            let environment = Environment::new(&table.columns, &row);
            let arguments = arguments.unwrap_or_default();
            let arguments: Vec<Value> = arguments
                .iter()
                .map(|one| self.context.evaluate(one, &environment))
                .collect::<Result<_>>()?;
            let called = call_procedure(self.context, procedure, &arguments)?;
            let picked: Vec<(usize, String)> = match yields {
                None => called.columns.iter().cloned().enumerate().collect(),
                Some(yields) => yields
                    .iter()
                    .map(|(name, alias)| {
                        let at = called.columns.iter().position(|column| column == name);
                        at.map(|at| (at, alias.clone())).ok_or_else(|| {
                            let message =
                                format!("{procedure} yields {}, not {name:?}", called.columns.join(", "));
                            Error::new(ErrorKind::Syntax, message)
                        })
                    })
                    .collect::<Result<_>>()?,
            };
            if !is_known {
                columns.extend(picked.iter().map(|(_, alias)| alias.clone()));
                is_known = true;
            }
            for result in called.rows {
                let yielded = picked.iter().map(|(at, _)| result[*at].clone());
                let mut found: Vec<Value> = row.iter().cloned().chain(yielded).collect();
                self.prove(&columns, &mut found, &result);
                rows.push(found);
            }
            self.context.meter.check_rows(rows.len())?;
        }
        if !is_known && let Some(yields) = yields {
            columns.extend(yields.iter().map(|(_, alias)| alias.clone()));
        }
        Ok(Table { columns, rows })
    }
}

/// The procedures that describe the graph, and those of the graph itself.
const PROCEDURES: &[&str] =
    &["db.labels", "db.relationshipTypes", "db.propertyKeys", "dbms.components", AS_OF];

/// Returns the name and version of this server, in the form that Neo4j clients ask for.
fn components() -> crate::graph::Called {
    let versions = Value::list(vec![Value::from(env!("CARGO_PKG_VERSION"))]);
    crate::graph::Called {
        columns: ["name", "versions", "edition"].map(str::to_owned).to_vec(),
        rows: vec![vec![Value::from("Quiver"), versions, Value::from("community")]],
    }
}

fn call_procedure(context: &Context<'_>, name: &str, arguments: &[Value]) -> Result<crate::graph::Called> {
    let one = |column: &str, values: Vec<String>| crate::graph::Called {
        columns: vec![column.to_owned()],
        rows: values.into_iter().map(|value| vec![Value::from(value)]).collect(),
    };
    let names = |counted: Vec<(String, u64)>| counted.into_iter().map(|(name, _)| name).collect();
    match name {
        "db.labels" => return Ok(one("label", names(context.graph.schema()?.labels))),
        "db.relationshipTypes" => return Ok(one("relationshipType", names(context.graph.schema()?.types))),
        "db.propertyKeys" => return Ok(one("propertyKey", context.graph.schema()?.keys)),
        "dbms.components" => return Ok(components()),
        _ => {}
    }
    if let Some(called) = context.graph.call(name, arguments, context.as_of.get())? {
        return Ok(called);
    }
    let known: Vec<&str> =
        PROCEDURES.iter().copied().chain(context.graph.procedures().iter().copied()).collect();
    let hint = crate::nearest(name, known.iter().copied());
    let hint = hint.map_or_else(
        || format!("; the procedures are {}", known.join(", ")),
        |name| format!("; did you mean {name}?"),
    );
    Err(Error::new(ErrorKind::Syntax, format!("there is no procedure {name}{hint}")))
}

/// Returns comparisons from the next clauses that drop rows and depend only on what is known before them, as long as
/// these clauses only match. Comparisons whose values differ between rows, or can't be computed, are left out.
fn later(context: &Context<'_>, clauses: &[Clause]) -> Vec<Expression> {
    fn add(context: &Context<'_>, filter: &Expression, found: &mut Vec<Expression>) {
        match filter {
            Expression::Binary(Binary::And, left, right, _) => {
                add(context, left, found);
                add(context, right, found);
            }
            Expression::Chain(comparisons) => comparisons.iter().for_each(|one| add(context, one, found)),
            Expression::Binary(_, left, right, _) => {
                let is_constant = |side: &Expression| {
                    free_variables(side).is_empty()
                        && context
                            .evaluate(side, &Environment::new(&[], &[]))
                            .is_ok_and(|value| !value.is_null())
                };
                let is_property = |side: &Expression| matches!(side, Expression::Property(..));
                if (is_property(left) && is_constant(right)) || (is_property(right) && is_constant(left)) {
                    found.push(filter.clone());
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for clause in clauses {
        match clause {
            Clause::Match { optional: false, filter, .. } => {
                filter.iter().for_each(|filter| add(context, filter, &mut found));
            }
            Clause::Match { .. } => {}
            _ => break,
        }
    }
    found
}

/// Returns the columns before a MATCH, and those that it binds.
fn matched_columns(before: &[String], plan: &Plan) -> Vec<String> {
    let bound = plan.columns[plan.incoming..].iter().filter(|column| !column.starts_with(' '));
    before.iter().chain(bound).cloned().collect()
}

/// Returns the values of some columns.
fn pick(wanted: &[String], columns: &[String], row: &[Value]) -> Vec<Value> {
    let at = |name: &String| columns.iter().position(|column| column == name);
    wanted.iter().map(|name| at(name).and_then(|at| row.get(at).cloned()).unwrap_or_default()).collect()
}

/// Describes each clause, with the steps of its patterns.
pub(crate) fn explain(context: &Context<'_>, query: &Query) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (index, part) in query.parts.iter().enumerate() {
        if index > 0 {
            lines.push(if query.union_all { "UNION ALL" } else { "UNION" }.to_owned());
        }
        let mut columns: Vec<String> = Vec::new();
        let counts = part.first().and_then(|first| Counting::of(first, part.get(1)));
        for (at, clause) in part.iter().enumerate() {
            match clause {
                Clause::Match { .. }
                    if let Some(counting) = &counts
                        && columns.is_empty() =>
                {
                    lines.push("MATCH".to_owned());
                    lines.push(format!("  {}", counting.describe()));
                }
                Clause::Match { optional, patterns, filter, .. } => {
                    lines.push(if *optional { "OPTIONAL MATCH" } else { "MATCH" }.to_owned());
                    let later = if *optional { Vec::new() } else { later(context, &part[at + 1..]) };
                    let plan = plan(context, &columns, patterns, filter.as_ref(), Ahead::Clauses(&later))?;
                    lines.extend(plan.describe().into_iter().map(|step| format!("  {step}")));
                    columns = plan.columns.into_iter().filter(|column| !column.starts_with(' ')).collect();
                }
                Clause::With { projection, filter } => {
                    lines.push(format!("WITH {}", names(projection, &mut columns)));
                    if let Some(filter) = filter {
                        lines.push(format!("  keep where {}", crate::show::expression(filter)));
                    }
                }
                Clause::Return(projection) => {
                    lines.push(format!("RETURN {}", names(projection, &mut columns)));
                }
                Clause::Unwind { list, variable, .. } => {
                    lines.push(format!("UNWIND {} AS {variable}", crate::show::expression(list)));
                    columns.push(variable.clone());
                }
                Clause::Create { patterns } => {
                    lines.push("CREATE".to_owned());
                    add_variables(&mut columns, patterns);
                }
                Clause::Merge { pattern, .. } => {
                    lines.push("MERGE".to_owned());
                    let plan = plan(context, &columns, std::slice::from_ref(pattern), None, Ahead::Pattern)?;
                    lines.extend(plan.describe().into_iter().map(|step| format!("  {step}")));
                    add_variables(&mut columns, std::slice::from_ref(pattern));
                }
                Clause::Set(_) => lines.push("SET".to_owned()),
                Clause::Remove(_) => lines.push("REMOVE".to_owned()),
                Clause::Delete { .. } => lines.push("DELETE".to_owned()),
                Clause::Call { procedure, yields, .. } => {
                    lines.push(format!("CALL {procedure}"));
                    columns.extend(yields.iter().flatten().map(|(_, alias)| alias.clone()));
                }
            }
        }
    }
    Ok(lines)
}

fn add_variables(columns: &mut Vec<String>, patterns: &[Pattern]) {
    for name in patterns.iter().flat_map(Pattern::variables) {
        if !columns.iter().any(|column| column == name) {
            columns.push(name.to_owned());
        }
    }
}

fn names(projection: &Projection, columns: &mut Vec<String>) -> String {
    let mut found = if projection.everything { columns.clone() } else { Vec::new() };
    found.extend(projection.items.iter().map(|item| item.name.clone()));
    columns.clone_from(&found);
    let mut text = found.join(", ");
    if projection.distinct {
        text = format!("DISTINCT {text}");
    }
    for (index, (expression, descending)) in projection.order.iter().enumerate() {
        let before = if index == 0 { " ORDER BY" } else { "," };
        text = format!(
            "{text}{before} {}{}",
            crate::show::expression(expression),
            if *descending { " DESC" } else { "" }
        );
    }
    for (word, bound) in [("SKIP", &projection.skip), ("LIMIT", &projection.limit)] {
        if let Some(bound) = bound {
            text = format!("{text} {word} {}", crate::show::expression(bound));
        }
    }
    text
}

/// Explains why a query has no rows: for the first MATCH that finds nothing, how far it got.
pub(crate) fn why_not(context: &Context<'_>, query: &Query) -> Result<Option<String>> {
    let Some(part) = query.parts.first() else { return Ok(None) };
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new()] };
    let mut run = Run { context, written: Written::default(), proof: false, is_inner: false };
    for clause in part {
        if let Clause::Match { optional: false, patterns, filter, .. } = clause {
            let plan = plan(context, &table.columns, patterns, filter.as_ref(), Ahead::Nothing)?;
            let counts = Matcher { context, plan: &plan }.counts(table.rows.clone())?;
            if let Some(at) = counts.iter().position(|count| *count == 0) {
                return crate::why::explain(context, &plan, at, &counts).map(Some);
            }
        }
        let is_read = |clause: &Clause| {
            matches!(
                clause,
                Clause::Match { .. } | Clause::With { .. } | Clause::Unwind { .. } | Clause::Call { .. }
            )
        };
        if !is_read(clause) {
            return Ok(None);
        }
        table = run.clause(clause, table, usize::MAX)?;
        if table.rows.is_empty() {
            let what = match clause {
                Clause::With { filter: Some(filter), .. } => {
                    format!("no row passes WHERE {}", crate::show::expression(filter))
                }
                Clause::Unwind { .. } => "the list of UNWIND is empty".to_owned(),
                Clause::Call { procedure, .. } => format!("{procedure} yields no row"),
                _ => return Ok(None),
            };
            return Ok(Some(what));
        }
    }
    Ok(None)
}
