//! The records of a context: those that answer a question by a query, what these rest on, and how they are related.

use std::collections::BTreeSet;

use quiver_cypher::Value;

use super::{ContextKind, Found, Measure};
use crate::query::QueryAnswer;

/// How many of the rows become items.
const ROWS_MAX: usize = 50;

/// The rows of an answer with their details, the other records that they rest on, and their relationships.
pub(super) fn records(measure: &Measure<'_>, answer: &QueryAnswer) -> Vec<Found> {
    let QueryAnswer { reading, rows } = answer;
    let mut found = Vec::new();
    let mut named = BTreeSet::new();
    for row in rows.rows.iter().take(ROWS_MAX) {
        let Some(text) = answer.row_text(row) else { continue };
        if let Some(name) = row.first().and_then(Value::as_str) {
            named.insert(name.to_owned());
            found.extend(related(name, &reading.details, &rows.columns, row).into_iter().map(|line| Found {
                relevance: 0.5,
                proximity: 0.5,
                ..measure.found(ContextKind::Relationship, line)
            }));
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
        if named.insert(name.clone()) {
            let label = rows.nodes.get(&id).and_then(|node| node.labels.first().cloned());
            let record = measure.found(ContextKind::Record, name);
            found.push(Found { label, relevance: 0.5, proximity: 0.5, ..record });
        }
    }
    for relationship in relationships.iter().filter_map(|id| rows.relationships.get(id)) {
        let (start, end) = (rows.node_name(relationship.start), rows.node_name(relationship.end));
        let line = measure.found(ContextKind::Relationship, format!("{start} {} {end}.", relationship.kind));
        found.push(Found { relevance: 0.5, proximity: 0.5, ..line });
    }
    found
}

/// The lines on what a record is related to, by its details.
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
                let other =
                    ["name", "title", "id", "key"].into_iter().find_map(|key| map.get(key)?.as_str())?;
                Some(format!("{name} {column} {other}."))
            })
        })
        .collect()
}
