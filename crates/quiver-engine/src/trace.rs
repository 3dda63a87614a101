//! Records what happened between a question and its answer.

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

use quiver_models::chat::Tally;
use serde::Serialize;

use crate::{error::Stage, explanation::Explanation};

/// The steps of all stages in order, for printing, testing or ignoring.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Trace {
    /// The steps of the stages.
    pub steps: Vec<TraceStep>,
    /// Failures that the engine worked around.
    pub degraded: Vec<String>,
    /// The language model usage per job: `rerank`, `answer`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, Tally>,
    /// Explains the ranking of the candidates, if [`AskOptions::explain`](crate::AskOptions::explain) requests it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    #[serde(skip)]
    at: Option<Instant>,
}

/// The step of one stage.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TraceStep {
    /// The stage.
    pub stage: Stage,
    /// Its duration in microseconds.
    pub duration_us: u64,
    /// What it did, one item per line. The lines are deterministic.
    pub lines: Vec<String>,
}

/// A hop through the graph, reported as soon as it is made. The step of the expand stage follows the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HopStep {
    /// The hop, from 1.
    pub hop: usize,
    /// Number of passages that it started from.
    pub started_from: usize,
    /// Number of passages that it reached first.
    pub reached: usize,
    /// Number of links that it followed.
    pub links: usize,
    /// Number of candidates so far, with those of the search.
    pub candidates: usize,
    /// Its duration in microseconds.
    pub duration_us: u64,
}

impl Trace {
    /// Starts a trace.
    pub(crate) fn begin() -> Self {
        Self { at: Some(Instant::now()), ..Self::default() }
    }

    /// Ends the step of a stage. The step started when the previous one ended.
    pub(crate) fn end(&mut self, stage: Stage, lines: Vec<String>) {
        let now = Instant::now();
        let duration = self.at.map_or(Duration::ZERO, |at| now - at);
        self.at = Some(now);
        self.steps.push(TraceStep { stage, duration_us: microseconds(duration), lines });
    }

    /// Records a failure that the engine worked around.
    pub(crate) fn degrade(&mut self, what: String) {
        tracing::warn!("{what}");
        self.degraded.push(what);
    }

    /// Adds the usage of a call to a language model.
    pub(crate) fn spend(&mut self, job: &str, tally: &Tally) {
        self.calls.entry(job.to_owned()).or_default().add(tally);
    }

    /// Adds the calls and worked-around failures of another trace.
    pub(crate) fn absorb(&mut self, other: &Self) {
        other.calls.iter().for_each(|(job, tally)| self.spend(job, tally));
        self.degraded.extend(other.degraded.iter().cloned());
    }

    /// Returns the sum of the usage of all language model calls.
    pub fn spent(&self) -> Tally {
        let mut sum = Tally::default();
        self.calls.values().for_each(|tally| sum.add(tally));
        sum
    }

    /// Returns the total duration of all stages.
    pub fn duration(&self) -> Duration {
        Duration::from_micros(self.steps.iter().map(|step| step.duration_us).sum())
    }
}

pub(crate) fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "{} ({:.1} ms)", step.stage, step.duration_us as f64 / 1000.0)?;
            for line in &step.lines {
                writeln!(f, "  {line}")?;
            }
        }
        for (job, tally) in &self.calls {
            writeln!(f, "language model, {job}: {tally}")?;
        }
        for what in &self.degraded {
            writeln!(f, "degraded: {what}")?;
        }
        Ok(())
    }
}
