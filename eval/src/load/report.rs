use std::fmt;

use serde::Serialize;

use super::{
    LoadOptions,
    process::Memory,
    tally::{Line, Tally},
};
use crate::metric::percentile;

/// Durations in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// Number of durations.
    pub count: usize,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
}

impl Times {
    pub(super) fn of(mut times: Vec<f64>) -> Self {
        if times.is_empty() {
            return Self::default();
        }
        times.sort_by(f64::total_cmp);
        let at = |share| percentile(&times, share);
        Self { count: times.len(), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
    }
}

/// The results.
#[derive(Clone, Debug)]
pub struct Load {
    pub(super) options: LoadOptions,
    pub(super) passages: u64,
    pub(super) library: Times,
    pub(super) http: Times,
    pub(super) ask: Times,
    pub(super) version: Times,
    pub(super) alone: Times,
    pub(super) tally: Tally,
    pub(super) memory: Memory,
    pub(super) ended: f64,
}

impl Load {
    /// Returns the number of requests of the many clients that got neither a success nor 429.
    pub fn failed(&self) -> usize {
        self.tally.failed()
    }
}

impl Serialize for Load {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form {
            passages: u64,
            clients: usize,
            seconds: u64,
            pause_ms: u64,
            library_ms: Times,
            http_ms: Times,
            ask_ms: Times,
            version_ms: Times,
            one_client_ms: Times,
            requests: Vec<Line>,
            memory_mb: Memory,
            end_ms: f64,
        }
        let form = Form {
            passages: self.passages,
            clients: self.options.clients,
            seconds: self.options.seconds,
            pause_ms: self.options.pause_ms,
            library_ms: self.library,
            http_ms: self.http,
            ask_ms: self.ask,
            version_ms: self.version,
            one_client_ms: self.alone,
            requests: self.tally.lines(),
            memory_mb: self.memory,
            end_ms: self.ended,
        };
        form.serialize(serializer)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, what: &str, times: &Times| {
            writeln!(
                f,
                "| {what} | {} | {:.1} ms | {:.1} ms | {:.1} ms |",
                times.count, times.p50, times.p95, times.p99
            )
        };
        writeln!(f, "{} passages\n", self.passages)?;
        writeln!(f, "| | times | p50 | p95 | p99 |\n| --- | --- | --- | --- | --- |")?;
        row(f, "a search by the library", &self.library)?;
        row(f, "the same over HTTP, by turns", &self.http)?;
        row(f, "`quiver ask`, a process each, through the server", &self.ask)?;
        row(f, "`quiver --version`", &self.version)?;
        row(f, "one client, `POST /v1/search`", &self.alone)?;
        let LoadOptions { clients, seconds, pause_ms, .. } = self.options;
        writeln!(f, "\n{clients} clients for {seconds} s, each resting {pause_ms} ms after a reply\n")?;
        writeln!(
            f,
            "| | 200 | 429 | other | p50 | p95 | p99 |\n| --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for Line { request, statuses, times } in self.tally.lines() {
            let count = |status| statuses.get(&status).copied().unwrap_or_default();
            let (well, later) = (count(200), count(429));
            let other = statuses.values().sum::<usize>() - well - later;
            let Times { p50, p95, p99, .. } = times;
            writeln!(
                f,
                "| `{request}` | {well} | {later} | {other} | {p50:.1} ms | {p95:.1} ms | {p99:.1} ms |"
            )?;
        }
        for (status, why) in &self.tally.whys {
            writeln!(f, "\n{status}: {why}")?;
        }
        let Memory { start, peak, end } = self.memory;
        writeln!(
            f,
            "\nmemory {start:.0} MB before, {peak:.0} at the most, {end:.0} after; ended in {:.0} ms",
            self.ended
        )
    }
}
