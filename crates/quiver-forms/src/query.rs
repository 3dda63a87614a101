//! The rows of a Cypher query.

use quiver::{
    cypher::{Rows, Written},
    query,
};
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
    /// What the question was read as, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Read>,
}

/// A question in words that was read as a query.
#[derive(Debug, Serialize, JsonSchema)]
struct Read {
    /// Whether the rows are its answer: each word is accounted for, and it does not matter which reading is meant.
    is_answered: bool,
    readings: Vec<Reading>,
    /// The words that are nothing in the graph, if there is no reading.
    unknown: Vec<String>,
}

/// A way to read a question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reading {
    /// The query.
    cypher: String,
    /// What each word became.
    words: Vec<Word>,
    /// Names in it that several nodes have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_names: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Word {
    words: String,
    meaning: String,
}

impl Reading {
    fn of(reading: &query::QuestionReading) -> Self {
        let words = reading.words.iter();
        Self {
            cypher: reading.cypher.clone(),
            words: words.map(|one| Word { words: one.words.clone(), meaning: one.meaning.clone() }).collect(),
            shared_names: reading.shared_names.clone(),
        }
    }
}

/// The query that answered a question, with its rows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AnsweredBy {
    #[serde(flatten)]
    reading: Reading,
    columns: Vec<String>,
    /// The rows, each with its values by column.
    rows: Vec<Map<String, Value>>,
    /// For each row, what it rests on.
    proofs: Vec<Vec<String>>,
    /// The language model that wrote the query; absent if the rules read the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl AnsweredBy {
    pub(crate) fn of(answer: &query::QueryAnswer) -> Self {
        let query::QueryAnswer { reading, rows, model, .. } = answer;
        Self {
            reading: Reading::of(reading),
            columns: rows.columns.clone(),
            rows: objects(rows),
            proofs: (0..rows.rows.len()).map(|row| rows.proof_lines(row)).collect(),
            model: model.clone(),
        }
    }
}

/// Returns the rows as objects with their values by column.
fn objects(rows: &Rows) -> Vec<Map<String, Value>> {
    let object = |row: &Vec<quiver::cypher::Value>| {
        let values = row.iter().map(|value| rows.json(value));
        rows.columns.iter().cloned().zip(values).collect()
    };
    rows.rows.iter().map(object).collect()
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
        let query::Queried { rows, why_empty, plan, .. } = queried;
        Self {
            rows: objects(&rows),
            proofs: (0..rows.proofs.len()).map(|row| rows.proof_lines(row)).collect(),
            why_empty,
            plan,
            written: rows.written.into(),
            columns: rows.columns,
            question: None,
        }
    }

    /// Makes the form of a question in words.
    pub fn of_question(queried: query::QueriedQuestion) -> Self {
        let query::QueriedQuestion { readings, unknown, queried, .. } = queried;
        let is_answered = queried.is_some();
        let readings = readings.iter().map(Reading::of).collect();
        Self {
            question: Some(Read { is_answered, readings, unknown }),
            ..Self::of(queried.unwrap_or_default())
        }
    }
}
