//! Metrics in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use quiver::{
    Spent, Trace,
    store::{CallReport, Collection, JournalReport, StoreReport},
};

use crate::jobs::Jobs;

/// The upper bounds of the duration buckets, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Counts since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    under_way: AtomicU64,
    connections: AtomicU64,
    disconnected: Disconnected,
    requests: Mutex<BTreeMap<(&'static str, &'static str, u16), u64>>,
    durations: Mutex<BTreeMap<(&'static str, &'static str), Durations>>,
    stages: Mutex<BTreeMap<String, (u64, u64)>>,
}

#[derive(Debug, Default)]
struct Durations {
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

/// When the last connection ended; at first, when the server was created.
#[derive(Debug)]
struct Disconnected(Mutex<Instant>);

impl Default for Disconnected {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

/// Counts a connection while it is open.
pub(crate) struct Connected<'a> {
    metrics: &'a Metrics,
    _counted: UnderWay<'a>,
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        *self.metrics.disconnected.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Counts something while it exists.
pub(crate) struct UnderWay<'a>(&'a AtomicU64);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request as running.
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(&self.under_way)
    }

    /// Counts a connection as open.
    pub(crate) fn connected(&self) -> Connected<'_> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected { metrics: self, _counted: UnderWay(&self.connections) }
    }

    /// Returns how long there has been no connection.
    pub(crate) fn idle_time(&self) -> Duration {
        if self.connections.load(Ordering::Relaxed) > 0 {
            return Duration::ZERO;
        }
        self.disconnected.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    pub(crate) fn end(&self, method: &'static str, path: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((method, path, status)).or_default() += 1;
        drop(requests);
        let seconds = took.as_secs_f64();
        let mut durations = self.durations.lock().unwrap_or_else(PoisonError::into_inner);
        let durations = durations.entry((method, path)).or_default();
        for (count, bound) in durations.counts.iter_mut().zip(BOUNDS) {
            *count += u64::from(seconds <= bound);
        }
        durations.count += 1;
        durations.sum += seconds;
    }

    /// Counts the stages of a question.
    pub(crate) fn trace(&self, trace: &Trace) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        for step in &trace.steps {
            let stage = serde_json::to_value(step.stage).ok();
            let name = stage.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
            let (count, sum) = stages.entry(name).or_default();
            *count += 1;
            *sum += step.duration_us;
        }
    }

    /// Returns the counts as text.
    pub(crate) fn text(&self, jobs: Option<&Jobs>) -> String {
        let mut out = Exposition::default();
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        out.family("quiver_requests_under_way", "gauge", "Requests in progress.");
        out.put(format_args!("quiver_requests_under_way {}", load(&self.under_way)));
        out.family("quiver_connections", "gauge", "Open connections.");
        out.put(format_args!("quiver_connections {}", load(&self.connections)));
        if let Some(jobs) = jobs {
            let (waiting, running, ended) = jobs.counts();
            out.family("quiver_jobs", "gauge", "Unfinished jobs, by state.");
            out.put(format_args!("quiver_jobs{{state=\"queued\"}} {waiting}"));
            out.put(format_args!("quiver_jobs{{state=\"running\"}} {running}"));
            out.family("quiver_jobs_ended_total", "counter", "Finished jobs, by state.");
            for state in ["done", "cancelled", "failed"] {
                let count = ended.get(state).copied().unwrap_or_default();
                out.put(format_args!("quiver_jobs_ended_total{{state=\"{state}\"}} {count}"));
            }
        }
        out.family("quiver_requests_total", "counter", "Completed requests, by status.");
        for ((method, path, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            out.put(format_args!(
                "quiver_requests_total{{method=\"{method}\",path=\"{path}\",status=\"{status}\"}} {count}"
            ));
        }
        out.family("quiver_request_duration_seconds", "histogram", "Duration of requests.");
        for ((method, path), durations) in &*self.durations.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("method=\"{method}\",path=\"{path}\"");
            for (count, bound) in durations.counts.iter().zip(BOUNDS) {
                out.put(format_args!(
                    "quiver_request_duration_seconds_bucket{{{labels},le=\"{bound}\"}} {count}"
                ));
            }
            let Durations { count, sum, .. } = durations;
            out.put(format_args!("quiver_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} {count}"));
            out.put(format_args!("quiver_request_duration_seconds_sum{{{labels}}} {sum}"));
            out.put(format_args!("quiver_request_duration_seconds_count{{{labels}}} {count}"));
        }
        out.family("quiver_stage_duration_seconds", "summary", "Duration of the stages of questions.");
        for (stage, (count, sum)) in &*self.stages.lock().unwrap_or_else(PoisonError::into_inner) {
            let seconds = *sum as f64 / 1e6;
            out.put(format_args!("quiver_stage_duration_seconds_sum{{stage=\"{stage}\"}} {seconds}"));
            out.put(format_args!("quiver_stage_duration_seconds_count{{stage=\"{stage}\"}} {count}"));
        }
        out.0
    }
}

/// A text in the Prometheus format.
#[derive(Debug, Default)]
struct Exposition(String);

impl Exposition {
    /// Begins the metrics of a name.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.put(format_args!("# HELP {name} {help}"));
        self.put(format_args!("# TYPE {name} {kind}"));
    }

    fn put(&mut self, line: fmt::Arguments<'_>) {
        let _ = self.0.write_fmt(line);
        self.0.push('\n');
    }
}

/// Returns the metrics of a database as text.
pub(crate) fn of_database(report: &StoreReport) -> String {
    let mut out = Exposition::default();
    out.family("quiver_points", "gauge", "Points in the database, by collection.");
    for (collection, points) in Collection::ALL.iter().zip(report.points) {
        out.put(format_args!("quiver_points{{collection=\"{collection}\"}} {points}"));
    }
    out.family("quiver_indexed_vectors", "gauge", "Indexed dense vectors, by collection.");
    for (collection, indexed) in Collection::ALL.iter().zip(report.indexed) {
        out.put(format_args!("quiver_indexed_vectors{{collection=\"{collection}\"}} {indexed}"));
    }
    if let Some(bytes) = report.disk_bytes {
        out.family("quiver_disk_bytes", "gauge", "Size of the database on disk, including its journals.");
        out.put(format_args!("quiver_disk_bytes {bytes}"));
    }
    if let Some(journals) = report.journals {
        let of = |out: &mut Exposition, name: &str, count: fn(JournalReport) -> u64| {
            for (collection, journal) in Collection::ALL.iter().zip(journals) {
                out.put(format_args!("{name}{{collection=\"{collection}\"}} {}", count(journal)));
            }
        };
        let help = "Bytes of writes to replay after a crash, by collection.";
        out.family("quiver_journal_bytes", "gauge", help);
        of(&mut out, "quiver_journal_bytes", |journal| journal.bytes);
        let help = "Number of syncs of writes to disk, by collection.";
        out.family("quiver_journal_syncs_total", "counter", help);
        of(&mut out, "quiver_journal_syncs_total", |journal| journal.syncs);
    }
    of_calls(&mut out, &report.calls);
    out.0
}

/// Adds the calls of the store.
fn of_calls(out: &mut Exposition, calls: &[CallReport]) {
    let labels = |call: &CallReport| {
        let collection = call.collection.map_or_else(|| "several".to_owned(), |one| one.to_string());
        format!("operation=\"{}\",collection=\"{collection}\"", call.operation)
    };
    let help = "Duration of store calls, by operation and collection.";
    out.family("quiver_store_call_duration_seconds", "summary", help);
    for call in calls {
        let (labels, seconds) = (labels(call), call.time.as_secs_f64());
        out.put(format_args!("quiver_store_call_duration_seconds_sum{{{labels}}} {seconds}"));
        out.put(format_args!("quiver_store_call_duration_seconds_count{{{labels}}} {}", call.calls));
    }
    let help = "Failed store calls, by operation and collection.";
    out.family("quiver_store_calls_failed_total", "counter", help);
    for call in calls {
        out.put(format_args!("quiver_store_calls_failed_total{{{}}} {}", labels(call), call.failed));
    }
}

/// Returns what language models have cost since the database was created, as text.
pub(crate) fn of_models(spent: &Spent) -> String {
    let mut out = Exposition::default();
    out.family("quiver_model_calls_total", "counter", "Language model calls, by job and outcome.");
    for (job, tally) in &spent.jobs {
        let made = tally.calls.saturating_sub(tally.calls_cached + tally.calls_failed);
        let outcomes = [("answered", made), ("cached", tally.calls_cached), ("failed", tally.calls_failed)];
        for (outcome, calls) in outcomes {
            out.put(format_args!("quiver_model_calls_total{{job=\"{job}\",outcome=\"{outcome}\"}} {calls}"));
        }
    }
    out.family("quiver_model_tokens_total", "counter", "Language model tokens, by job and direction.");
    for (job, tally) in &spent.jobs {
        out.put(format_args!(
            "quiver_model_tokens_total{{job=\"{job}\",direction=\"in\"}} {}",
            tally.tokens_in
        ));
        out.put(format_args!(
            "quiver_model_tokens_total{{job=\"{job}\",direction=\"out\"}} {}",
            tally.tokens_out
        ));
    }
    out.family(
        "quiver_model_cost_total",
        "counter",
        "Cost of language models, in the currency of the prices.",
    );
    for (job, tally) in &spent.jobs {
        out.put(format_args!("quiver_model_cost_total{{job=\"{job}\"}} {}", tally.cost()));
    }
    out.0
}

#[cfg(test)]
mod tests {
    use quiver::{Spent, models::chat::Tally};

    use super::of_models;

    #[test]
    fn what_models_took_is_counted_by_job() {
        let tally = Tally {
            calls: 7,
            calls_cached: 2,
            calls_failed: 1,
            tokens_in: 300,
            tokens_out: 40,
            cost_nano: 2_500_000_000,
            ..Tally::default()
        };
        let spent = Spent { jobs: [("answer".to_owned(), tally)].into(), ..Spent::default() };
        let text = of_models(&spent);
        for line in [
            "quiver_model_calls_total{job=\"answer\",outcome=\"answered\"} 4",
            "quiver_model_calls_total{job=\"answer\",outcome=\"cached\"} 2",
            "quiver_model_calls_total{job=\"answer\",outcome=\"failed\"} 1",
            "quiver_model_tokens_total{job=\"answer\",direction=\"in\"} 300",
            "quiver_model_cost_total{job=\"answer\"} 2.5",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in {text}");
        }
    }
}
