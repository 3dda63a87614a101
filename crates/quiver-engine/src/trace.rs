//! What happened on the way from a question to its answer.

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

use quiver_models::chat::Tally;
use serde::Serialize;

use crate::error::Room;

/// What each room did, in order; to be printed, tested or ignored.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trace {
    /// What each room did.
    pub steps: Vec<TraceStep>,
    /// What failed and was done without.
    pub degraded: Vec<String>,
    /// What a language model was asked for and what it took, by the kind of work: `rerank`, `answer`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, Tally>,
    #[serde(skip)]
    at: Option<Instant>,
}

/// What one room did.
#[derive(Clone, Debug, Serialize)]
pub struct TraceStep {
    /// The room.
    pub room: Room,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What it did, a line each. The lines are the same in every run.
    pub lines: Vec<String>,
}

impl Trace {
    /// Begins a trace now.
    pub(crate) fn begin() -> Self {
        Self { at: Some(Instant::now()), ..Self::default() }
    }

    /// Ends a room's step, which began where the last one ended.
    pub(crate) fn end(&mut self, room: Room, lines: Vec<String>) {
        let now = Instant::now();
        let duration = self.at.map_or(Duration::ZERO, |at| now - at);
        self.at = Some(now);
        let duration_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.steps.push(TraceStep { room, duration_us, lines });
    }

    /// Notes what failed and was done without.
    pub(crate) fn degrade(&mut self, what: String) {
        tracing::warn!("{what}");
        self.degraded.push(what);
    }

    /// Adds what a call to a language model took.
    pub(crate) fn spend(&mut self, job: &str, tally: &Tally) {
        self.calls.entry(job.to_owned()).or_default().add(tally);
    }

    /// What all calls to language models took together.
    pub fn spent(&self) -> Tally {
        let mut sum = Tally::default();
        self.calls.values().for_each(|tally| sum.add(tally));
        sum
    }

    /// How long all rooms took together.
    pub fn duration(&self) -> Duration {
        Duration::from_micros(self.steps.iter().map(|step| step.duration_us).sum())
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "{} ({:.1} ms)", step.room, step.duration_us as f64 / 1000.0)?;
            for line in &step.lines {
                writeln!(f, "  {line}")?;
            }
        }
        for (job, tally) in &self.calls {
            writeln!(f, "language model, {job}: {tally}")?;
        }
        for what in &self.degraded {
            writeln!(f, "done without: {what}")?;
        }
        Ok(())
    }
}
