//! What language models took, and what they would take.

use std::collections::BTreeMap;

use quiver::{IngestEstimate, models::chat::Tally};
use serde::Serialize;

/// What language models took, altogether and by the kind of work.
#[derive(Debug, Serialize)]
pub(crate) struct Spending {
    total: Sum,
    jobs: BTreeMap<String, Sum>,
}

#[derive(Debug, Default, Serialize)]
struct Sum {
    calls: u64,
    /// Calls that were answered by what was kept, at no cost.
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
    /// `None` where nothing was asked for.
    pub(crate) fn of(jobs: &BTreeMap<String, Tally>) -> Option<Self> {
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

/// What `quiver ingest --dry-run` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Estimated {
    documents: usize,
    /// Passages that would be written.
    passages: usize,
    /// What a language model would take at the most.
    most: Sum,
    skipped: Vec<String>,
}

impl Estimated {
    pub(crate) fn of(estimate: &IngestEstimate, skipped: &[String]) -> Self {
        let IngestEstimate { documents, passages, most } = estimate;
        Self { documents: *documents, passages: *passages, most: Sum::of(most), skipped: skipped.to_vec() }
    }
}
