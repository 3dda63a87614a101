//! Actual and estimated usage of language models.

use std::collections::BTreeMap;

use quiver::{IngestEstimate, models::chat::Tally};
use schemars::JsonSchema;
use serde::Serialize;

/// The usage of language models, in total and by job.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Spending {
    total: Sum,
    jobs: BTreeMap<String, Sum>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Sum {
    calls: u64,
    /// The calls answered from the cache, at no cost.
    calls_cached: u64,
    calls_failed: u64,
    tokens_in: u64,
    tokens_out: u64,
    tokens_saved: u64,
    is_estimate: bool,
    /// In the currency of the prices.
    cost: f64,
    duration_us: u64,
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
