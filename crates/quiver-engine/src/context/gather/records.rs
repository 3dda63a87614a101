//! The records of a context: those that answer a question as a query, what they rest on, and how they are related.

use std::collections::BTreeSet;

use quiver_cypher::Value;

use super::{ContextKind, Found, Measure};
use crate::query::{QueryAnswer, named};

/// Maximum number of rows that become items.
const ROWS_MAX: usize = 50;

/// Returns the rows of an answer with their details, the other records they rest on, and their relationships.
pub(super) fn records(measure: &Measure<'_>, answer: &QueryAnswer) -> Vec<Found> {
    let QueryAnswer { reading, rows, .. } = answer;
    // What the answer rests on counts half as much as the answer itself.
    let beside = |kind, text| Found { relevance: 0.5, proximity: 0.5, ..measure.found(kind, text) };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows.rows.iter().take(ROWS_MAX) {
        let Some(text) = answer.row_text(row) else { continue };
        if let Some(name) = row.first().and_then(Value::as_str) {
            seen.insert(name.to_owned());
            let lines = related(name, &reading.details, &rows.columns, row).into_iter();
            found.extend(lines.map(|line| beside(ContextKind::Relationship, line)));
        }
        found.push(Found {
            label: reading.label.clone(),
            relevance: 1.0,
            proximity: 1.0,
            ..measure.found(ContextKind::Record, text)
        });
    }
    let proof = rows.proofs.iter().take(ROWS_MAX).flatten();
    let (mut nodes, mut relationships) = (BTreeSet::new(), BTreeSet::new());
    for item in proof {
        match item {
            Value::Node(id) => drop(nodes.insert(*id)),
            Value::Relationship(id) => drop(relationships.insert(*id)),
            _ => {}
        }
    }
    for id in nodes {
        let name = rows.node_name(id);
        if seen.insert(name.clone()) {
            let label = rows.nodes.get(&id).and_then(|node| node.labels.first().cloned());
            found.push(Found { label, ..beside(ContextKind::Record, name) });
        }
    }
    for relationship in relationships.iter().filter_map(|id| rows.relationships.get(id)) {
        let (start, end) = (rows.node_name(relationship.start), rows.node_name(relationship.end));
        found.push(beside(ContextKind::Relationship, format!("{start} {} {end}.", relationship.kind)));
    }
    found
}

/// Returns lines about what a record is related to, from its details.
fn related(name: &str, details: &[String], columns: &[String], row: &[Value]) -> Vec<String> {
    let lists = columns.iter().zip(row).filter(|(column, _)| details.contains(column));
    lists
        .filter_map(|(column, value)| match value {
            Value::List(items) => Some((column, items)),
            _ => None,
        })
        .flat_map(|(column, items)| {
            items.iter().filter_map(move |item| {
                let Value::Map(map) = item else { return None };
                let (_, other) = named(map)?;
                Some(format!("{name} {column} {other}."))
            })
        })
        .collect()
}
