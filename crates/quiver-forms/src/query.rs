//! The rows of a Cypher query.

use quiver::{
    cypher::{Rows, Written},
    query,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The output of `quiver query`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Queried {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with its values by column name.
    pub rows: Vec<Map<String, Value>>,
    /// The relations that prove each row, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<Vec<String>>,
    /// Why there are no rows, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_empty: Option<String>,
    /// The query plan, if it was requested instead of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// The changes that the query made.
    pub written: Changes,
    /// The readings of the question, if the input was a question in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Read>,
}

/// A question in words, read as a query.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Read {
    /// True if every word was understood and all readings give the same rows.
    pub is_answered: bool,
    /// The readings.
    pub readings: Vec<Reading>,
    /// If there is no reading, the words that match nothing in the graph.
    pub unknown: Vec<String>,
}

/// A reading of a question.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Reading {
    /// The query.
    pub cypher: String,
    /// The meaning of each word.
    pub words: Vec<Word>,
    /// The names in the question that several nodes share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_names: Vec<String>,
}

/// The meaning of words in a question.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Word {
    /// The words.
    pub words: String,
    /// What they mean.
    pub meaning: String,
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AnsweredBy {
    /// The reading of the question.
    #[serde(flatten)]
    pub reading: Reading,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with its values by column name.
    pub rows: Vec<Map<String, Value>>,
    /// The relations that prove each row.
    pub proofs: Vec<Vec<String>>,
    /// The language model that wrote the query; absent if the rules read the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Changes {
    /// The number of created nodes.
    pub nodes_created: usize,
    /// The number of deleted nodes.
    pub nodes_deleted: usize,
    /// The number of created relationships.
    pub relationships_created: usize,
    /// The number of deleted relationships.
    pub relationships_deleted: usize,
    /// The number of properties that were set.
    pub properties_set: usize,
    /// The number of labels that were set.
    pub labels_set: usize,
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
