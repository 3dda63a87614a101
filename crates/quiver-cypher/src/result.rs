//! What a query returns.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use crate::{
    Map, Value,
    graph::{Node, NodeId, Relationship, RelationshipId},
    value::float_text,
};

/// What a query wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Nodes created.
    pub nodes_created: usize,
    /// Nodes deleted.
    pub nodes_deleted: usize,
    /// Relationships created.
    pub relationships_created: usize,
    /// Relationships deleted.
    pub relationships_deleted: usize,
    /// Properties set or removed.
    pub properties_set: usize,
    /// Labels added or removed.
    pub labels_set: usize,
}

impl Written {
    /// Returns whether nothing was written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The rows of a query, with the nodes and relationships that they refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// For each row, the nodes and relationships that support it, if requested.
    pub proofs: Vec<Vec<Value>>,
    /// The nodes in rows and proofs.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The relationships in rows and proofs.
    pub relationships: BTreeMap<RelationshipId, Arc<Relationship>>,
    /// What was written.
    pub written: Written,
    /// How many relationships were read.
    pub relationships_read: usize,
}

fn entries(map: &Map, rows: &Rows) -> String {
    let entries: Vec<String> =
        map.iter().map(|(key, value)| format!("{key}: {}", rows.text(value))).collect();
    format!("{{{}}}", entries.join(", "))
}

impl Rows {
    /// Prints a value as Cypher writes it, with labels and properties of nodes and relationships.
    pub fn text(&self, value: &Value) -> String {
        match value {
            Value::Node(id) => self.node_text(*id),
            Value::Relationship(id) => format!("[{}]", self.relationship_text(*id)),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(", "))
            }
            Value::Map(map) => entries(map, self),
            Value::Path(path) => {
                let mut text = path.nodes.first().map(|node| self.node_text(*node)).unwrap_or_default();
                for (at, id) in path.relationships.iter().enumerate() {
                    let forward = self.relationships.get(id).is_none_or(|one| one.start == path.nodes[at]);
                    let (left, right) = if forward { ("-", "->") } else { ("<-", "-") };
                    let node = path.nodes.get(at + 1).map(|node| self.node_text(*node)).unwrap_or_default();
                    let _ = write!(text, "{left}[{}]{right}{node}", self.relationship_text(*id));
                }
                format!("<{text}>")
            }
            Value::Float(value) => float_text(*value),
            Value::Moment(_) | Value::Duration(_) => format!("'{value}'"),
            other => other.to_string(),
        }
    }

    fn node_text(&self, id: NodeId) -> String {
        let Some(node) = self.nodes.get(&id) else { return "()".to_owned() };
        let labels: String = node.labels.iter().map(|label| format!(":{label}")).collect();
        let properties =
            if node.properties.is_empty() { String::new() } else { entries(&node.properties, self) };
        let space = if labels.is_empty() || properties.is_empty() { "" } else { " " };
        format!("({labels}{space}{properties})")
    }

    fn relationship_text(&self, id: RelationshipId) -> String {
        let Some(one) = self.relationships.get(&id) else { return String::new() };
        let properties = if one.properties.is_empty() {
            String::new()
        } else {
            format!(" {}", entries(&one.properties, self))
        };
        format!(":{}{properties}", one.kind)
    }

    /// Returns a readable name of a node: one of its properties, or its labels.
    pub fn node_name(&self, id: NodeId) -> String {
        let Some(node) = self.nodes.get(&id) else { return "?".to_owned() };
        let keys = ["name", "title", "headline", "heading", "caption", "id", "key", "text"];
        let named = keys.into_iter().find_map(|key| node.properties.get(key));
        let name = named.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        name.unwrap_or_else(|| node.labels.iter().cloned().collect::<Vec<_>>().join(":"))
    }

    /// Prints the proof of a row as paths, one per line: `Team A -OWNS-> payments -CALLS-> billing-v1`. Empty if no
    /// proofs were requested.
    pub fn proof_lines(&self, row: usize) -> Vec<String> {
        let items = self.proofs.get(row).map(Vec::as_slice).unwrap_or_default();
        let mut edges: Vec<&Relationship> = items
            .iter()
            .filter_map(|item| match item {
                Value::Relationship(id) => self.relationships.get(id).map(Arc::as_ref),
                _ => None,
            })
            .collect();
        let mut shown = BTreeSet::new();
        let mut lines = Vec::new();
        while !edges.is_empty() {
            // A path begins at a node from which it can be read forwards.
            let first =
                edges.iter().position(|one| edges.iter().all(|other| other.end != one.start)).unwrap_or(0);
            let mut at = edges[first].start;
            let mut line = self.node_name(at);
            shown.insert(at);
            while let Some(next) = edges
                .iter()
                .position(|one| one.start == at)
                .or_else(|| edges.iter().position(|one| one.end == at))
            {
                let one = edges.remove(next);
                let forward = one.start == at;
                at = if forward { one.end } else { one.start };
                let arrow = if forward { format!("-{}->", one.kind) } else { format!("<-{}-", one.kind) };
                let _ = write!(line, " {arrow} {}", self.node_name(at));
                shown.insert(at);
            }
            lines.push(line);
        }
        for item in items {
            if let Value::Node(id) = item
                && shown.insert(*id)
            {
                lines.push(self.node_name(*id));
            }
        }
        lines
    }

    /// Converts a value to JSON; nodes and relationships become objects, dates and durations texts.
    pub fn json(&self, value: &Value) -> serde_json::Value {
        use serde_json::{Value as Json, json};
        match value {
            Value::Node(id) => match self.nodes.get(id) {
                Some(node) => json!({
                    "id": format!("{:032x}", id.0),
                    "labels": node.labels,
                    "properties": self.json_map(&node.properties),
                }),
                None => json!({ "id": format!("{:032x}", id.0), "deleted": true }),
            },
            Value::Relationship(id) => match self.relationships.get(id) {
                Some(one) => json!({
                    "id": format!("{:032x}", id.0),
                    "type": one.kind,
                    "start": format!("{:032x}", one.start.0),
                    "end": format!("{:032x}", one.end.0),
                    "properties": self.json_map(&one.properties),
                }),
                None => json!({ "id": format!("{:032x}", id.0), "deleted": true }),
            },
            Value::Path(path) => json!({
                "nodes": path.nodes.iter().map(|id| self.json(&Value::Node(*id))).collect::<Vec<_>>(),
                "relationships":
                    path.relationships.iter().map(|id| self.json(&Value::Relationship(*id))).collect::<Vec<_>>(),
            }),
            Value::List(items) => Json::Array(items.iter().map(|item| self.json(item)).collect()),
            Value::Map(map) => self.json_map(map),
            other => crate::json::plain(other),
        }
    }

    fn json_map(&self, map: &Map) -> serde_json::Value {
        serde_json::Value::Object(map.iter().map(|(key, value)| (key.clone(), self.json(value))).collect())
    }
}
