//! Actual and estimated usage of language models.

use std::collections::BTreeMap;

use quiver::{IngestEstimate, models::chat::Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The usage of language models, in total and by job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Spending {
    /// The total.
    pub total: Sum,
    /// The usage by job.
    pub jobs: BTreeMap<String, Sum>,
}

/// Usage of language models.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Sum {
    /// The number of calls.
    pub calls: u64,
    /// The calls answered from the cache, at no cost.
    pub calls_cached: u64,
    /// The number of calls that failed.
    pub calls_failed: u64,
    /// The number of tokens in requests.
    pub tokens_in: u64,
    /// The number of tokens in replies.
    pub tokens_out: u64,
    /// The number of tokens that the cache saved.
    pub tokens_saved: u64,
    /// Whether some of the numbers are estimates.
    pub is_estimate: bool,
    /// In the currency of the prices.
    pub cost: f64,
    /// The duration in microseconds.
    pub duration_us: u64,
}

impl Spending {
    /// Returns `None` if there were no calls.
    pub fn of(jobs: &BTreeMap<String, Tally>) -> Option<Self> {
        let mut total = Tally::default();
        jobs.values().for_each(|tally| total.add(tally));
        let jobs = jobs.iter().map(|(job, tally)| (job.clone(), Sum::of(tally))).collect();
        (total.calls > 0).then(|| Self { total: Sum::of(&total), jobs })
    }
}

impl Sum {
    fn of(tally: &Tally) -> Self {
        let Tally { calls, calls_cached, calls_failed, tokens_in, tokens_out, .. } = *tally;
        let Tally { tokens_saved, is_estimate, duration_us, .. } = *tally;
        let cost = tally.cost();
        Self {
            calls,
            calls_cached,
            calls_failed,
            tokens_in,
            tokens_out,
            tokens_saved,
            is_estimate,
            cost,
            duration_us,
        }
    }
}

/// The output of `quiver ingest --dry-run`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Estimated {
    documents: usize,
    /// The number of passages that would be written.
    passages: usize,
    /// An upper bound on the language model's usage.
    most: Sum,
    skipped: Vec<String>,
    /// The documents that would be deleted because their files are gone.
    would_prune: Vec<String>,
}

impl Estimated {
    /// Makes the form.
    pub fn of(estimate: &IngestEstimate, skipped: &[String], would_prune: &[String]) -> Self {
        let IngestEstimate { documents, passages, most, .. } = estimate;
        Self {
            documents: *documents,
            passages: *passages,
            most: Sum::of(most),
            skipped: skipped.to_vec(),
            would_prune: would_prune.to_vec(),
        }
    }
}
