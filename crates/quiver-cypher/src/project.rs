//! WITH and RETURN: projection, grouping, order and limits.

use std::collections::BTreeMap;

use crate::{
    Value,
    aggregate::{Aggregate, State, column, cut_out, has_aggregate},
    ast::{Expression, Item, Projection},
    error::{Place, Result, argument},
    evaluate::{Context, Environment, Table},
    value::Key,
};

/// The column with the proof of a row.
pub(crate) const PROOF: &str = " proof";
/// Maximum number of nodes and relationships in the proof of one row.
const PROOF_MAX: usize = 200;

struct Projected {
    values: Vec<Value>,
    sort: Vec<Value>,
    /// The values, then those of the incoming row, for WHERE.
    wide: Vec<Value>,
    proof: Option<Value>,
}

/// Returns the columns that a query can name.
pub(crate) fn visible(columns: &[String]) -> impl Iterator<Item = &String> {
    columns.iter().filter(|column| !column.starts_with(' '))
}

/// Returns the number of rows in SKIP or LIMIT.
pub(crate) fn row_count(context: &Context<'_>, expression: Option<&Expression>) -> Result<Option<usize>> {
    let Some(expression) = expression else { return Ok(None) };
    match context.evaluate(expression, &Environment::new(&[], &[]))? {
        Value::Integer(count) => usize::try_from(count)
            .map(Some)
            .map_err(|_| argument(format!("SKIP and LIMIT can't be negative: {count}"))),
        other => Err(argument(format!("SKIP and LIMIT require an integer, not {}", other.type_name()))),
    }
}

/// Replaces each part that is written like an item with the item's name.
fn replace_items(expression: &mut Expression, items: &[Item]) {
    if let Some(item) = items.iter().find(|item| item.expression == *expression) {
        *expression = Expression::Variable(item.name.clone(), Place::default());
        return;
    }
    for part in expression.parts_mut() {
        replace_items(part, items);
    }
}

/// Projects a table, and keeps the rows that pass a filter, which sees both old and new names.
pub(crate) fn project(
    context: &Context<'_>,
    table: Table,
    projection: &Projection,
    filter: Option<&Expression>,
) -> Result<Table> {
    let mut items: Vec<Item> = Vec::new();
    if projection.everything {
        let names = visible(&table.columns);
        items.extend(names.map(|name| Item {
            expression: Expression::Variable(name.clone(), Place::default()),
            name: name.clone(),
            aliased: false,
        }));
    }
    items.extend(projection.items.iter().cloned());
    let mut aggregates = Vec::new();
    let mut order: Vec<(Expression, bool)> = projection.order.clone();
    for (expression, _) in &mut order {
        replace_items(expression, &items);
        cut_out(expression, &mut aggregates);
    }
    let grouped: Vec<bool> = items.iter().map(|item| !has_aggregate(&item.expression)).collect();
    let mut expressions: Vec<Expression> = items.iter().map(|item| item.expression.clone()).collect();
    for expression in &mut expressions {
        cut_out(expression, &mut aggregates);
    }
    let named = items.iter().map(|item| &item.expression).chain(projection.order.iter().map(|(key, _)| key));
    context.read_ahead(named.chain(filter), &table.columns, &table.rows)?;
    let names: Vec<String> = items.into_iter().map(|item| item.name).collect();
    let has_proof = table.columns.iter().any(|column| column == PROOF);
    let sources = if aggregates.is_empty() {
        Sources { columns: table.columns, rows: table.rows.into_iter().map(|row| (row, None)).collect() }
    } else {
        let keys: Vec<&Expression> =
            expressions.iter().zip(&grouped).filter(|(_, grouped)| **grouped).map(|(key, _)| key).collect();
        group(context, table, &keys, &aggregates)?
    };
    let wide: Vec<String> = names.iter().chain(&sources.columns).cloned().collect();
    let projected = sources.project(context, &names, &expressions, &order, has_proof)?;
    let mut projected = finish(context, projected, projection, &order)?;
    if let Some(filter) = filter {
        let mut kept = Vec::new();
        for one in projected {
            if context.is_true(filter, &Environment::new(&wide, &one.wide))? {
                kept.push(one);
            }
        }
        projected = kept;
    }
    let mut columns = names;
    if has_proof {
        columns.push(PROOF.to_owned());
    }
    let rows = projected.into_iter().map(|one| one.values.into_iter().chain(one.proof).collect()).collect();
    Ok(Table { columns, rows })
}

/// DISTINCT, ORDER BY, SKIP and LIMIT.
fn finish(
    context: &Context<'_>,
    mut rows: Vec<Projected>,
    projection: &Projection,
    order: &[(Expression, bool)],
) -> Result<Vec<Projected>> {
    if projection.distinct {
        let mut seen = std::collections::BTreeSet::new();
        rows.retain(|row| seen.insert(Key(row.values.clone())));
    }
    if !order.is_empty() {
        rows.sort_by(|a, b| {
            let orders = a.sort.iter().zip(&b.sort).zip(order);
            orders
                .map(|((a, b), (_, descending))| if *descending { b.compare(a) } else { a.compare(b) })
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    }
    let skip = row_count(context, projection.skip.as_ref())?.unwrap_or_default();
    let limit = row_count(context, projection.limit.as_ref())?.unwrap_or(usize::MAX);
    Ok(rows.into_iter().skip(skip).take(limit).collect())
}

/// Rows before the projection, each with its own proof if it stands for a group.
struct Sources {
    columns: Vec<String>,
    rows: Vec<(Vec<Value>, Option<Value>)>,
}

impl Sources {
    fn project(
        self,
        context: &Context<'_>,
        names: &[String],
        expressions: &[Expression],
        order: &[(Expression, bool)],
        has_proof: bool,
    ) -> Result<Vec<Projected>> {
        let proof_at = self.columns.iter().position(|column| column == PROOF).filter(|_| has_proof);
        // In ORDER BY the new names take precedence.
        let sort_columns: Vec<String> = names.iter().chain(&self.columns).cloned().collect();
        let mut found = Vec::new();
        for (row, proof) in self.rows {
            let environment = Environment::new(&self.columns, &row);
            let values: Vec<Value> = expressions
                .iter()
                .map(|expression| context.evaluate(expression, &environment))
                .collect::<Result<_>>()?;
            let mut sort = Vec::new();
            let wide: Vec<Value> = values.iter().chain(&row).cloned().collect();
            if !order.is_empty() {
                let environment = Environment::new(&sort_columns, &wide);
                for (expression, _) in order {
                    sort.push(context.evaluate(expression, &environment)?);
                }
            }
            let proof = proof_at.map(|at| proof.unwrap_or_else(|| row.get(at).cloned().unwrap_or_default()));
            found.push(Projected { values, sort, wide, proof });
        }
        Ok(found)
    }
}

struct Group {
    row: Vec<Value>,
    states: Vec<State>,
    proof: Vec<Value>,
}

fn group(
    context: &Context<'_>,
    table: Table,
    keys: &[&Expression],
    aggregates: &[Aggregate],
) -> Result<Sources> {
    let proof_at = table.columns.iter().position(|column| column == PROOF);
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let new = |row: Vec<Value>| Group {
        row,
        states: aggregates.iter().map(|_| State::default()).collect(),
        proof: Vec::new(),
    };
    for row in table.rows {
        let environment = Environment::new(&table.columns, &row);
        let key = keys.iter().map(|key| context.evaluate(key, &environment)).collect::<Result<_>>()?;
        let index = *known.entry(Key(key)).or_insert_with(|| {
            groups.push(new(row.clone()));
            groups.len() - 1
        });
        let group = &mut groups[index];
        for (aggregate, state) in aggregates.iter().zip(&mut group.states) {
            aggregate.add(context, &environment, state)?;
        }
        if let Some(Value::List(items)) = proof_at.map(|at| &row[at]) {
            for item in items.iter() {
                if group.proof.len() < PROOF_MAX && !group.proof.contains(item) {
                    group.proof.push(item.clone());
                }
            }
        }
    }
    // Without keys there is one group, even if there are no rows.
    if groups.is_empty() && keys.is_empty() {
        groups.push(new(vec![Value::Null; table.columns.len()]));
    }
    let mut columns = table.columns;
    columns.extend((0..aggregates.len()).map(column));
    let mut rows = Vec::new();
    for Group { mut row, states, proof } in groups {
        for (aggregate, state) in aggregates.iter().zip(states) {
            row.push(aggregate.result(context, state)?);
        }
        rows.push((row, proof_at.map(|_| Value::list(proof))));
    }
    Ok(Sources { columns, rows })
}
