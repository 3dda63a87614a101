use std::{cell::Cell, collections::BTreeSet, sync::Arc, time::SystemTime};

use crate::{
    Budget, Map, Moment, NodeId, PropertyGraph, RelationshipId, Result, Rows, Value, ast,
    budget::Meter,
    check::check,
    error::{Error, ErrorKind},
    evaluate::{Context, Table},
    execute::{Inner, Run, explain, why_not},
    parse::{Prefix, parse},
    profile::{PlanStep, Profile},
    project::PROOF,
};

/// Approximate maximum size of a result, and of a value in it, besides its text, in bytes.
const RESULT_BYTES_MAX: usize = 256 << 20;
const RESULT_VALUE_BYTES: usize = 32;

/// A parsed and checked query.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    prefix: Prefix,
    parsed: ast::Query,
}

/// Options for running a query.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits on its cost.
    pub budget: Budget,
    /// Whether each row comes with its proof: the nodes and relationships that support it.
    pub proof: bool,
    /// Whether to reject a query that writes.
    pub read_only: bool,
    /// The moment of `datetime()` and `date()`; the clock by default.
    pub now: Option<Moment>,
    /// Whether conditions on properties are checked only after reading, and never looked up in an index. The rows are
    /// the same; this is for measurements and tests.
    pub compares_late: bool,
}

impl Query {
    /// Parses and checks a query.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if it is not valid Cypher, with line and column.
    pub fn parse(text: &str) -> Result<Self> {
        let parsed = parse(text).and_then(|(prefix, query)| {
            check(&query)?;
            Ok((prefix, query))
        });
        let (prefix, parsed) = parsed.map_err(|error| error.in_text(text))?;
        Ok(Self { text: text.to_owned(), prefix, parsed })
    }

    /// Returns whether running the query writes. One that begins with `EXPLAIN` does not.
    pub fn writes(&self) -> bool {
        !self.asks_for_plan() && self.parsed.writes()
    }

    /// Returns whether the query begins with `EXPLAIN`: [`Query::explain`] answers it.
    pub fn asks_for_plan(&self) -> bool {
        self.prefix == Prefix::Explain
    }

    /// Returns whether the query begins with `PROFILE`: [`Query::profile`] answers it.
    pub fn asks_for_profile(&self) -> bool {
        self.prefix == Prefix::Profile
    }

    /// Runs the query. If it fails, nothing is written. A query that begins with `EXPLAIN` has no rows.
    ///
    /// # Errors
    /// Errors of the values and the graph; [`ErrorKind::Parameter`] if a parameter is missing; [`ErrorKind::Budget`] if
    /// the query exceeds its budget.
    pub fn run(&self, graph: &dyn PropertyGraph, parameters: &Map, options: &Options) -> Result<Rows> {
        self.run_profiled(graph, parameters, options, None)
    }

    /// Runs the query, and describes each step with the rows that came out of it and what it read.
    ///
    /// # Errors
    /// As for [`Query::run`].
    pub fn profile(
        &self,
        graph: &dyn PropertyGraph,
        parameters: &Map,
        options: &Options,
    ) -> Result<(Rows, Vec<PlanStep>)> {
        let profile = Profile::default();
        let before = graph.reads();
        let rows = self.run_profiled(graph, parameters, options, Some(&profile))?;
        Ok((rows, profile.steps(graph.reads() - before)))
    }

    fn run_profiled(
        &self,
        graph: &dyn PropertyGraph,
        parameters: &Map,
        options: &Options,
        profile: Option<&Profile>,
    ) -> Result<Rows> {
        if self.asks_for_plan() {
            return Ok(Rows::default());
        }
        let writes = self.writes();
        if writes && options.read_only {
            return Err(Error::new(
                ErrorKind::Constraint,
                "the query writes, but only reading is allowed here",
            ));
        }
        if writes {
            graph.begin()?;
        }
        let result = self.with_context(graph, parameters, options, profile, |context| {
            let mut run =
                Run { context, written: crate::Written::default(), proof: options.proof, is_inner: false };
            let table = run.query(&self.parsed)?;
            check_result(table.rows.iter().flatten(), &Rows::default())?;
            let mut rows = rows(graph, table, run.written)?;
            check_result(rows.rows.iter().flatten(), &rows)?;
            rows.relationships_read = context.meter.relationships();
            Ok(rows)
        });
        match result {
            Ok(rows) => {
                if writes {
                    graph.commit()?;
                }
                Ok(rows)
            }
            Err(error) => {
                if writes {
                    graph.rollback();
                }
                Err(error)
            }
        }
    }

    /// Describes how the query is run, one step per line.
    ///
    /// # Errors
    /// As for [`Query::run`].
    pub fn explain(
        &self,
        graph: &dyn PropertyGraph,
        parameters: &Map,
        options: &Options,
    ) -> Result<Vec<String>> {
        self.with_context(graph, parameters, options, None, |context| explain(context, &self.parsed))
    }

    /// Explains why a reading query has no rows: the step of the first pattern that leaves no rows, and the nearest
    /// existing value. Returns `None` if the reason is unknown.
    ///
    /// # Errors
    /// As for [`Query::run`].
    pub fn why_not(
        &self,
        graph: &dyn PropertyGraph,
        parameters: &Map,
        options: &Options,
    ) -> Result<Option<String>> {
        self.with_context(graph, parameters, options, None, |context| why_not(context, &self.parsed))
    }

    fn with_context<T>(
        &self,
        graph: &dyn PropertyGraph,
        parameters: &Map,
        options: &Options,
        profile: Option<&Profile>,
        run: impl FnOnce(&Context<'_>) -> Result<T>,
    ) -> Result<T> {
        let meter = Meter::new(options.budget);
        let now = options.now.unwrap_or_else(|| {
            let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Moment::from_unix_nanos(i128::try_from(elapsed.as_nanos()).unwrap_or_default())
        });
        let compares_late = options.compares_late;
        let as_of = Cell::default();
        let subqueries = &Inner;
        let context =
            Context { graph, parameters, meter: &meter, now, subqueries, compares_late, profile, as_of };
        run(&context).map_err(|error| error.in_text(&self.text))
    }
}

/// Checks how large rows are when they are printed or sent, where shared parts are repeated. Nodes and relationships
/// count with their properties once these are known.
fn check_result<'a>(cells: impl Iterator<Item = &'a Value>, known: &'a Rows) -> Result<()> {
    let node = |id: &NodeId| known.nodes.get(id).into_iter().flat_map(|node| node.properties.values());
    let relationship =
        |id: &RelationshipId| known.relationships.get(id).into_iter().flat_map(|one| one.properties.values());
    let mut bytes = 0;
    let mut open: Vec<&Value> = Vec::new();
    for cell in cells {
        open.push(cell);
        while let Some(value) = open.pop() {
            bytes += RESULT_VALUE_BYTES;
            match value {
                Value::String(text) => bytes += text.len(),
                Value::List(items) => open.extend(items.iter()),
                Value::Map(map) => open.extend(map.values()),
                Value::Node(id) => open.extend(node(id)),
                Value::Relationship(id) => open.extend(relationship(id)),
                Value::Path(path) => {
                    bytes += RESULT_VALUE_BYTES * (path.nodes.len() + path.relationships.len());
                    open.extend(path.nodes.iter().flat_map(node));
                    open.extend(path.relationships.iter().flat_map(relationship));
                }
                _ => {}
            }
            if bytes > RESULT_BYTES_MAX {
                let message = "the result is too large; return less, or return it in parts with SKIP and \
                               LIMIT";
                return Err(Error::new(ErrorKind::Budget, message));
            }
        }
    }
    Ok(())
}

/// Reads the nodes and relationships that the rows refer to.
fn rows(graph: &dyn PropertyGraph, table: Table, written: crate::Written) -> Result<Rows> {
    let Table { mut columns, rows } = table;
    let mut found = Rows { written, ..Rows::default() };
    let proof = columns.iter().position(|column| column == PROOF);
    if let Some(at) = proof {
        columns.remove(at);
    }
    found.columns = columns;
    for mut row in rows {
        if let Some(at) = proof {
            found.proofs.push(match row.remove(at) {
                Value::List(items) => (*items).clone(),
                _ => Vec::new(),
            });
        }
        found.rows.push(row);
    }
    let (mut nodes, mut relationships) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<&Value> = found.rows.iter().chain(&found.proofs).flatten().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Node(id) => {
                nodes.insert(*id);
            }
            Value::Relationship(id) => {
                relationships.insert(*id);
            }
            Value::Path(path) => {
                nodes.extend(path.nodes.iter().copied());
                relationships.extend(path.relationships.iter().copied());
            }
            Value::List(items) => open.extend(items.iter()),
            Value::Map(map) => open.extend(map.values()),
            _ => {}
        }
    }
    for id in relationships {
        if let Some(one) = graph.relationship(id)? {
            if !found.proofs.is_empty() {
                nodes.extend([one.start, one.end]);
            }
            found.relationships.insert(id, Arc::clone(&one));
        }
    }
    graph.prefetch(&nodes.iter().copied().collect::<Vec<_>>())?;
    for id in nodes {
        if let Some(node) = graph.node(id)? {
            found.nodes.insert(id, node);
        }
    }
    Ok(found)
}
