//! Asks every question by every method, sequentially.

use std::time::Instant;

use anyhow::Result;
use quiver::Question;

use crate::{
    arms::{Method, find},
    dataset::Dataset,
    index::{Counts, Index, milliseconds},
    record::FoundRecord,
};

/// Minimum number of passages to retrieve, so that Recall@10 can be computed.
pub const DEPTH: usize = 10;

/// What a method found for a question, and its cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result.
    pub found: FoundRecord,
    /// Counts of store calls.
    pub counts: Counts,
    /// Number of texts embedded.
    pub embeddings: usize,
    /// Its latency.
    pub latency_ms: f64,
}

/// Asks every question by every method. Returns the outcomes of each method in the order of the questions.
///
/// Each method runs over the whole set before the next starts, so that no method benefits from caches that another
/// has just filled for the same question.
pub async fn run(
    index: &Index,
    dataset: &Dataset,
    methods: &[Method],
    answers_from: Option<usize>,
    progress: &(dyn Fn(Method, usize) + Send + Sync),
) -> Vec<Vec<Outcome>> {
    let depth = DEPTH.max(answers_from.unwrap_or_default());
    let mut outcomes = Vec::new();
    for &method in methods {
        let mut of_method = Vec::new();
        for (number, item) in dataset.questions.iter().enumerate() {
            progress(method, number);
            let (store_before, embedded_before) = (index.counts(), index.embedded());
            let started = Instant::now();
            let found = find(index, &dataset.corpus, method, &item.question, depth).await;
            let latency_ms = milliseconds(started);
            let counts = index.counts() - store_before;
            let embeddings = index.embedded() - embedded_before;
            let mut found = match found {
                Ok(found) => FoundRecord {
                    retrieved: found.keys,
                    paths: found.paths,
                    degraded: found.degraded,
                    ..FoundRecord::default()
                },
                Err(error) => FoundRecord { error: Some(format!("{error:#}")), ..FoundRecord::default() },
            };
            if let Some(top) = answers_from
                && found.error.is_none()
            {
                match answer(index, method, &item.question, top).await {
                    Ok(answer) => found.answer = answer,
                    Err(error) => found.error = Some(format!("{error:#}")),
                }
            }
            of_method.push(Outcome { found, counts, embeddings, latency_ms });
        }
        outcomes.push(of_method);
    }
    outcomes
}

/// Returns the extractive answer from the first passages: null if refused, `None` if the method does not answer.
async fn answer(
    index: &Index,
    method: Method,
    question: &str,
    top: usize,
) -> Result<Option<serde_json::Value>> {
    let Some(options) = method.options(top) else { return Ok(None) };
    let answer = index.quiver.ask(Question::new(question).with_options(options)).await?;
    Ok(Some(answer.text.map_or(serde_json::Value::Null, serde_json::Value::String)))
}
