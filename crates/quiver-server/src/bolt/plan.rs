//! The plan of a query in the form that Neo4j drivers read: each operator has the previous one as its child.

use boltr::types::{BoltDict, BoltValue};
use quiver::{cypher::PlanStep, query::Queried};

/// Returns the plan in the summary of a result; `None` if it was not requested.
pub(super) fn of(queried: &Queried) -> Option<(String, BoltValue)> {
    let (name, plan) = if queried.steps.is_empty() {
        let operator = |line: &String| operator(line.trim(), BoltDict::new());
        ("plan", chain(queried.plan.iter().map(operator)))
    } else {
        let rows = queried.rows.rows.len() as u64;
        // The last one is the sum of all.
        let steps = queried.steps.split_last().map(|(_, steps)| steps).unwrap_or_default();
        ("profile", chain(steps.iter().map(|step| profiled(step, rows))))
    };
    plan.map(|plan| (name.to_owned(), BoltValue::Dict(plan)))
}

fn integer(number: u64) -> BoltValue {
    BoltValue::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Creates an operator: its type is the verb of its description, and its details are the whole description.
fn operator(text: &str, mut arguments: BoltDict) -> BoltDict {
    let verb = text.split_whitespace().next().unwrap_or_default();
    let (first, rest) = verb.split_at(verb.chars().next().map_or(0, char::len_utf8));
    let kind = format!("{}{}", first.to_uppercase(), rest.to_lowercase());
    arguments.insert("Details".to_owned(), BoltValue::from(text));
    BoltDict::from([
        ("operatorType".to_owned(), BoltValue::from(kind.as_str())),
        ("args".to_owned(), BoltValue::Dict(arguments)),
        ("identifiers".to_owned(), BoltValue::List(Vec::new())),
    ])
}

/// Creates the operator of a step, with its rows, the points it read as hits, and its store calls. What was read
/// outside of the steps belongs to the operator that yields the rows of the query.
fn profiled(step: &PlanStep, rows: u64) -> BoltDict {
    let calls = BoltDict::from([("StoreCalls".to_owned(), integer(step.reads.calls))]);
    let mut made = match step.rows {
        Some(_) => operator(&step.text, calls),
        None => operator("result and plan", calls),
    };
    made.insert("rows".to_owned(), integer(step.rows.unwrap_or(rows)));
    made.insert("dbHits".to_owned(), integer(step.reads.points));
    made
}

/// Makes each operator the parent of the previous one.
fn chain(operators: impl Iterator<Item = BoltDict>) -> Option<BoltDict> {
    operators.fold(None, |before, mut operator| {
        let children = before.map(BoltValue::Dict).into_iter().collect();
        operator.insert("children".to_owned(), BoltValue::List(children));
        Some(operator)
    })
}
