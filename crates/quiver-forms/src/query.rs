//! The rows of a query in Cypher.

use quiver::{cypher::Written, query};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What `quiver query` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Queried {
    columns: Vec<String>,
    /// The rows, each with its values by column.
    rows: Vec<Map<String, Value>>,
    /// For each row, what it rests on, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<Vec<String>>,
    /// Why there are no rows, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_empty: Option<String>,
    /// How the query is run, if that was asked for in place of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plan: Vec<String>,
    written: Changes,
}

/// How many things a query wrote.
#[derive(Debug, Serialize, JsonSchema)]
struct Changes {
    nodes_created: usize,
    nodes_deleted: usize,
    relationships_created: usize,
    relationships_deleted: usize,
    properties_set: usize,
    labels_set: usize,
}

impl From<Written> for Changes {
    fn from(written: Written) -> Self {
        Self {
            nodes_created: written.nodes_created,
            nodes_deleted: written.nodes_deleted,
            relationships_created: written.relationships_created,
            relationships_deleted: written.relationships_deleted,
            properties_set: written.properties_set,
            labels_set: written.labels_set,
        }
    }
}

impl Queried {
    /// Makes the form.
    pub fn of(queried: query::Queried) -> Self {
        let query::Queried { rows, why_empty, plan } = queried;
        let objects = rows.rows.iter().map(|row| {
            let values = row.iter().map(|value| rows.json(value));
            rows.columns.iter().cloned().zip(values).collect()
        });
        Self {
            rows: objects.collect(),
            proofs: (0..rows.proofs.len()).map(|row| rows.proof_lines(row)).collect(),
            why_empty,
            plan,
            written: rows.written.into(),
            columns: rows.columns,
        }
    }
}
