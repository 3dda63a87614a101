//! Loads tables of nodes and of relationships.

use std::collections::{BTreeMap, HashMap};

use quiver_cypher::{
    Constraint, Error as CypherError, ErrorKind as CypherKind, Map, Node, NodeId, PropertyGraph,
    Relationship, Selection, Value,
};

use super::{
    convert::{PASSAGE, loaded_key, relationship_key},
    graph::{Changed, StoreGraph, nearest_value},
    table::TableRow,
};
use crate::{Quiver, Result};

/// Number of rows written at once.
const BATCH: usize = 500;

/// Rows to load as nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeTable {
    /// The source of the rows, for errors.
    pub source: String,
    /// The label of the nodes.
    pub label: String,
    /// The property that identifies them.
    pub key: String,
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// Rows to load as relationships. The columns `from` and `to` name their ends; the others are properties.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipTable {
    /// The source of the rows, for errors.
    pub source: String,
    /// The type of the relationships.
    pub kind: String,
    /// The label and the key of the nodes where they start.
    pub from: (String, String),
    /// The label and the key of the nodes where they end.
    pub to: (String, String),
    /// The property that distinguishes relationships between the same two nodes. Without one, their order in the table
    /// distinguishes them, and rows with the same properties are one relationship.
    pub key: Option<String>,
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// The number of loaded records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// New records.
    pub created: usize,
    /// Existing records, which now have the values of the table.
    pub updated: usize,
}

fn at(source: &str, line: u64, what: &str) -> CypherError {
    CypherError::new(CypherKind::Argument, format!("{source}:{line}: {what}"))
}

impl Quiver {
    /// Loads nodes. A node with the same label and key gets the values of the table and keeps its other properties, so
    /// loading twice changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a row has no key or a key occurs twice, with its line; then
    /// nothing is written. Errors of the database: what was already written stays, and the same call again completes
    /// it.
    pub async fn load_nodes(&self, table: NodeTable) -> Result<Loaded> {
        self.with_store_graph(move |graph| load_nodes(graph, &table)).await
    }

    /// Loads relationships. One that joins the same nodes with the same type and key gets the properties of the table,
    /// so loading twice changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the ends of a row are missing or do not exist, with its
    /// line and the nearest value; the rows of earlier batches are then written. Errors of the database.
    pub async fn load_relationships(&self, table: RelationshipTable) -> Result<Loaded> {
        self.with_store_graph(move |graph| load_relationships(graph, &table)).await
    }
}

/// Returns the existing nodes with a label by the value of their key, for the requested values.
fn existing(
    graph: &StoreGraph,
    label: &str,
    key: &str,
    values: Vec<Value>,
) -> quiver_cypher::Result<HashMap<String, NodeId>> {
    let selection = Selection {
        labels: vec![label.to_owned()],
        constraints: vec![Constraint::In(key.to_owned(), values)],
        as_of: None,
    };
    let mut found = HashMap::new();
    for id in graph.select(&selection, usize::MAX)? {
        if let Some(value) = graph.node(id)?.and_then(|node| node.properties.get(key).cloned()) {
            // If several nodes have the same key, the first one counts.
            found.entry(value.to_string()).or_insert(id);
        }
    }
    Ok(found)
}

fn load_nodes(graph: &StoreGraph, table: &NodeTable) -> quiver_cypher::Result<Loaded> {
    let NodeTable { source, label, key, rows } = table;
    if label == PASSAGE {
        return Err(at(source, 1, "passages come from documents; `quiver ingest` adds them"));
    }
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let Some(value) = row.values.get(key) else {
            return Err(at(source, row.line, &format!("the key {key:?} is missing")));
        };
        if let Some(before) = lines.insert(value.to_string(), row.line) {
            return Err(at(source, row.line, &format!("the {key} {value} already occurs in line {before}")));
        }
    }
    // With a schema, all rows are checked before any is written.
    if graph.declared()?.is_some() {
        write_nodes(graph, table, false)?;
    }
    write_nodes(graph, table, true)
}

/// Writes the rows in batches, or only checks them against the declared schema.
fn write_nodes(graph: &StoreGraph, table: &NodeTable, is_kept: bool) -> quiver_cypher::Result<Loaded> {
    let NodeTable { source, label, key, rows } = table;
    let mut loaded = Loaded::default();
    for batch in rows.chunks(BATCH) {
        let values = batch.iter().filter_map(|row| row.values.get(key).cloned()).collect();
        let known = existing(graph, label, key, values)?;
        let mut lines = HashMap::new();
        graph.begin()?;
        for row in batch {
            let value = row.values.get(key).cloned().unwrap_or_default();
            let id = if let Some(id) = known.get(&value.to_string()) {
                let mut node = graph.node(*id)?.map(|node| (*node).clone()).unwrap_or_default();
                node.properties.extend(row.values.clone());
                node.labels.insert(label.clone());
                graph.update_node(*id, node)?;
                loaded.updated += 1;
                *id
            } else {
                let node = Node { labels: [label.clone()].into(), properties: row.values.clone() };
                loaded.created += 1;
                graph.put_node(loaded_key(label, key, &value), node)
            };
            lines.insert(Changed::Node(id), row.line);
        }
        finish_batch(graph, source, &lines, is_kept)?;
    }
    Ok(loaded)
}

/// Writes a batch, if it does not break the declared schema and `is_kept` is set.
fn finish_batch(
    graph: &StoreGraph,
    source: &str,
    lines: &HashMap<Changed, u64>,
    is_kept: bool,
) -> quiver_cypher::Result<()> {
    if let Some((changed, message)) = graph.violation()? {
        let line = changed.iter().filter_map(|one| lines.get(one)).max();
        return Err(at(source, line.copied().unwrap_or(1), &message));
    }
    if is_kept {
        return graph.commit_batch();
    }
    graph.rollback();
    Ok(())
}

/// Returns the keys of the relationships made from the rows. Without a key column, the first one between two nodes has
/// none.
fn relationship_keys(table: &RelationshipTable) -> quiver_cypher::Result<Vec<Option<String>>> {
    let RelationshipTable { source, key, rows, .. } = table;
    let mut keys = Vec::new();
    let mut lines: HashMap<String, u64> = HashMap::new();
    let mut known: HashMap<String, Vec<&Map>> = HashMap::new();
    for row in rows {
        let ends: Vec<_> = ["from", "to"].into_iter().filter_map(|end| row.values.get(end)).collect();
        let ends = Value::list(ends.into_iter().cloned().collect()).to_string();
        if let Some(column) = key {
            let Some(value) = row.values.get(column) else {
                return Err(at(source, row.line, &format!("the key {column:?} is missing")));
            };
            if let Some(before) = lines.insert(format!("{ends}{value}"), row.line) {
                let message =
                    format!("the {column} {value} already occurs between these nodes in line {before}");
                return Err(at(source, row.line, &message));
            }
            keys.push(Some(relationship_key(column, value)));
            continue;
        }
        let others = known.entry(ends).or_default();
        let number = others.iter().position(|other| **other == row.values).unwrap_or_else(|| {
            others.push(&row.values);
            others.len() - 1
        });
        keys.push((number > 0).then(|| relationship_key("", &Value::from((number + 1).to_string()))));
    }
    Ok(keys)
}

fn load_relationships(graph: &StoreGraph, table: &RelationshipTable) -> quiver_cypher::Result<Loaded> {
    let RelationshipTable { source, kind, from, to, key: _, rows } = table;
    let mut keys = relationship_keys(table)?.into_iter();
    let mut loaded = Loaded::default();
    for batch in rows.chunks(BATCH) {
        let mut ends = Vec::new();
        for (column, (label, key)) in [("from", from), ("to", to)] {
            let mut values = Vec::new();
            for row in batch {
                match row.values.get(column) {
                    Some(value) => values.push(value.clone()),
                    None => {
                        let message = format!(
                            "the column {column:?} is missing or empty; it identifies the {label} by its {key}"
                        );
                        return Err(at(source, row.line, &message));
                    }
                }
            }
            ends.push(existing(graph, label, key, values)?);
        }
        let find = |side: usize, row: &TableRow| {
            let (column, (label, key)) = [("from", from), ("to", to)][side];
            let value = row.values.get(column).cloned().unwrap_or_default();
            if let Some(id) = ends[side].get(&value.to_string()) {
                return Ok(*id);
            }
            let hint =
                value.as_str().map(|wanted| nearest_value(graph, label, key, wanted)).transpose()?.flatten();
            let hint = hint.map(|name| format!("; there is '{name}'")).unwrap_or_default();
            Err(at(source, row.line, &format!("no {label} has {key} {value}{hint}")))
        };
        let mut found = Vec::new();
        for row in batch {
            let mut properties = row.values.clone();
            properties.remove("from");
            properties.remove("to");
            let one =
                Relationship { kind: kind.clone(), start: find(0, row)?, end: find(1, row)?, properties };
            found.push((one, keys.next().flatten()));
        }
        graph.begin()?;
        graph.prefetch_relationships(&found)?;
        let mut lines = HashMap::new();
        for ((one, key), row) in found.into_iter().zip(batch) {
            let (id, is_new) = graph.put_relationship(one, key)?;
            loaded.created += usize::from(is_new);
            loaded.updated += usize::from(!is_new);
            lines.insert(Changed::Relationship(id), row.line);
        }
        finish_batch(graph, source, &lines, true)?;
    }
    Ok(loaded)
}
