//! The procedure after which a query reads the graph as of a moment.

use std::collections::BTreeMap;

use crate::{
    Value,
    ast::{Clause, Expression, Query},
    error::{Error, Result, argument, syntax, wrong_type},
    evaluate::{Context, Environment, Table},
};

/// The name of the procedure.
pub(crate) const AS_OF: &str = "quiver.asOf";
const USAGE: &str = "write CALL quiver.asOf(date('2024-03-01')) or CALL quiver.asOf($time)";

/// Rejects a call of the procedure that has no clauses after it, has a YIELD, or belongs to a query that writes.
pub(crate) fn check(query: &Query) -> Result<()> {
    for part in &query.parts {
        for (at, clause) in part.iter().enumerate() {
            let Clause::Call { procedure, arguments, yields, place, .. } = clause else { continue };
            if procedure != AS_OF {
                continue;
            }
            let message = if arguments.as_ref().is_none_or(|arguments| arguments.len() != 1) {
                format!("{AS_OF} takes one moment; {USAGE}")
            } else if yields.is_some() {
                format!("{AS_OF} does not yield anything; remove YIELD")
            } else if at + 1 == part.len() {
                format!("{AS_OF} applies to the clauses after it, but there are none; add MATCH and RETURN")
            } else if query.writes() {
                format!("{AS_OF} reads the past, which can't be changed; write in a query without it")
            } else {
                continue;
            };
            return Err(syntax(message).at(*place));
        }
    }
    Ok(())
}

/// Makes the following clauses read as of the moment named by a call, which is the same for all rows.
pub(crate) fn call(context: &Context<'_>, table: &Table, arguments: &[Expression]) -> Result<()> {
    let mut moments: BTreeMap<i64, Value> = BTreeMap::new();
    for row in &table.rows {
        for expression in arguments {
            let value = context.evaluate(expression, &Environment::new(&table.columns, row))?;
            moments.insert(moment(&value)?, value);
        }
        let mut named = moments.values();
        if let (Some(one), Some(other)) = (named.next(), named.next()) {
            return Err(argument(format!(
                "{AS_OF} takes one moment for all rows, not both {one} and {other}; use a query for each, or call \
                 it inside COUNT {{ }} or EXISTS {{ }}"
            )));
        }
    }
    if let Some(moment) = moments.into_keys().next() {
        context.as_of.set(Some(moment));
    }
    Ok(())
}

/// Milliseconds since 1970.
fn moment(value: &Value) -> Result<i64> {
    value.beginning().ok_or_else(|| -> Error {
        match value {
            Value::String(_) => argument(format!(
                "{AS_OF}: {value} is not a date; write it as '2024-03-01' or '2024-03-01T12:30:00Z'"
            )),
            other => wrong_type(format!("{AS_OF} requires a date, not {}; {USAGE}", other.type_name())),
        }
    })
}
