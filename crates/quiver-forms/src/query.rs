//! The rows of a Cypher query.

use quiver::{
    cypher::{Rows, Written},
    query,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The output of `quiver query`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Queried {
    columns: Vec<String>,
    /// The rows, each with its values by column name.
    rows: Vec<Map<String, Value>>,
    /// The relations that prove each row, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<Vec<String>>,
    /// Why there are no rows, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_empty: Option<String>,
    /// The query plan, if it was requested instead of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plan: Vec<String>,
    written: Changes,
    /// The readings of the question, if the input was a question in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Read>,
}

/// A question in words, read as a query.
#[derive(Debug, Serialize, JsonSchema)]
struct Read {
    /// True if every word was understood and all readings give the same rows.
    is_answered: bool,
    readings: Vec<Reading>,
    /// If there is no reading, the words that match nothing in the graph.
    unknown: Vec<String>,
}

/// A reading of a question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reading {
    /// The query.
    cypher: String,
    /// The meaning of each word.
    words: Vec<Word>,
    /// The names in the question that several nodes share.
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
    /// The rows, each with its values by column name.
    rows: Vec<Map<String, Value>>,
    /// The relations that prove each row.
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

/// The numbers of changes that a query made.
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
