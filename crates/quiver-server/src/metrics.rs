//! What is counted, in the text form of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use quiver::{
    Spent, Trace,
    store::{Collection, StoreReport},
};

use crate::jobs::Jobs;

/// The upper bounds of the classes of durations, in seconds.
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

/// When the last connection ended; at first, when the server was made.
#[derive(Debug)]
struct Disconnected(Mutex<Instant>);

impl Default for Disconnected {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

/// Counts a connection for as long as it lasts.
pub(crate) struct Connected<'a> {
    metrics: &'a Metrics,
    _counted: UnderWay<'a>,
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        *self.metrics.disconnected.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Counts something for as long as it lives.
pub(crate) struct UnderWay<'a>(&'a AtomicU64);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request as under way.
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(&self.under_way)
    }

    /// Counts a connection as open.
    pub(crate) fn connected(&self) -> Connected<'_> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected { metrics: self, _counted: UnderWay(&self.connections) }
    }

    /// How long there has been no connection.
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

    /// The counts as text.
    pub(crate) fn text(&self, jobs: Option<&Jobs>) -> String {
        let mut text = String::new();
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut put = |line: std::fmt::Arguments<'_>| {
            let _ = text.write_fmt(line);
            text.push('\n');
        };
        put(format_args!("# HELP quiver_requests_under_way Requests that are being answered."));
        put(format_args!("# TYPE quiver_requests_under_way gauge"));
        put(format_args!("quiver_requests_under_way {}", load(&self.under_way)));
        put(format_args!("# HELP quiver_connections Open connections."));
        put(format_args!("# TYPE quiver_connections gauge"));
        put(format_args!("quiver_connections {}", load(&self.connections)));
        if let Some(jobs) = jobs {
            let (waiting, running, ended) = jobs.counts();
            put(format_args!("# HELP quiver_jobs Jobs that have not ended, by state."));
            put(format_args!("# TYPE quiver_jobs gauge"));
            put(format_args!("quiver_jobs{{state=\"queued\"}} {waiting}"));
            put(format_args!("quiver_jobs{{state=\"running\"}} {running}"));
            put(format_args!("# HELP quiver_jobs_ended_total Jobs that have ended, by state."));
            put(format_args!("# TYPE quiver_jobs_ended_total counter"));
            for state in ["done", "cancelled", "failed"] {
                let count = ended.get(state).copied().unwrap_or_default();
                put(format_args!("quiver_jobs_ended_total{{state=\"{state}\"}} {count}"));
            }
        }
        put(format_args!("# HELP quiver_requests_total Requests that were answered, by status."));
        put(format_args!("# TYPE quiver_requests_total counter"));
        for ((method, path, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            put(format_args!(
                "quiver_requests_total{{method=\"{method}\",path=\"{path}\",status=\"{status}\"}} {count}"
            ));
        }
        put(format_args!("# HELP quiver_request_duration_seconds How long requests took."));
        put(format_args!("# TYPE quiver_request_duration_seconds histogram"));
        for ((method, path), durations) in &*self.durations.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("method=\"{method}\",path=\"{path}\"");
            for (count, bound) in durations.counts.iter().zip(BOUNDS) {
                put(format_args!(
                    "quiver_request_duration_seconds_bucket{{{labels},le=\"{bound}\"}} {count}"
                ));
            }
            let Durations { count, sum, .. } = durations;
            put(format_args!("quiver_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} {count}"));
            put(format_args!("quiver_request_duration_seconds_sum{{{labels}}} {sum}"));
            put(format_args!("quiver_request_duration_seconds_count{{{labels}}} {count}"));
        }
        put(format_args!("# HELP quiver_stage_duration_seconds How long the stages of questions took."));
        put(format_args!("# TYPE quiver_stage_duration_seconds summary"));
        for (stage, (count, sum)) in &*self.stages.lock().unwrap_or_else(PoisonError::into_inner) {
            let seconds = *sum as f64 / 1e6;
            put(format_args!("quiver_stage_duration_seconds_sum{{stage=\"{stage}\"}} {seconds}"));
            put(format_args!("quiver_stage_duration_seconds_count{{stage=\"{stage}\"}} {count}"));
        }
        text
    }
}

/// Counts of a database, as text.
pub(crate) fn of_database(report: &StoreReport) -> String {
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(line);
        text.push('\n');
    };
    put(format_args!("# HELP quiver_points Points in the database, by collection."));
    put(format_args!("# TYPE quiver_points gauge"));
    for (collection, points) in Collection::ALL.iter().zip(report.points) {
        put(format_args!("quiver_points{{collection=\"{collection}\"}} {points}"));
    }
    put(format_args!("# HELP quiver_indexed_vectors Dense vectors that an index covers, by collection."));
    put(format_args!("# TYPE quiver_indexed_vectors gauge"));
    for (collection, indexed) in Collection::ALL.iter().zip(report.indexed) {
        put(format_args!("quiver_indexed_vectors{{collection=\"{collection}\"}} {indexed}"));
    }
    if let Some(bytes) = report.disk_bytes {
        put(format_args!(
            "# HELP quiver_disk_bytes What the database takes on the disk, its journals included."
        ));
        put(format_args!("# TYPE quiver_disk_bytes gauge"));
        put(format_args!("quiver_disk_bytes {bytes}"));
    }
    text
}

/// What language models took since the database was made, as text.
pub(crate) fn of_models(spent: &Spent) -> String {
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(line);
        text.push('\n');
    };
    put(format_args!("# HELP quiver_model_calls_total Calls of language models, by job and outcome."));
    put(format_args!("# TYPE quiver_model_calls_total counter"));
    for (job, tally) in &spent.jobs {
        let made = tally.calls.saturating_sub(tally.calls_cached + tally.calls_failed);
        let outcomes = [("answered", made), ("cached", tally.calls_cached), ("failed", tally.calls_failed)];
        for (outcome, calls) in outcomes {
            put(format_args!("quiver_model_calls_total{{job=\"{job}\",outcome=\"{outcome}\"}} {calls}"));
        }
    }
    put(format_args!("# HELP quiver_model_tokens_total Tokens of language models, by job and direction."));
    put(format_args!("# TYPE quiver_model_tokens_total counter"));
    for (job, tally) in &spent.jobs {
        put(format_args!("quiver_model_tokens_total{{job=\"{job}\",direction=\"in\"}} {}", tally.tokens_in));
        put(format_args!(
            "quiver_model_tokens_total{{job=\"{job}\",direction=\"out\"}} {}",
            tally.tokens_out
        ));
    }
    put(format_args!(
        "# HELP quiver_model_cost_total What language models cost, in the currency of the prices."
    ));
    put(format_args!("# TYPE quiver_model_cost_total counter"));
    for (job, tally) in &spent.jobs {
        put(format_args!("quiver_model_cost_total{{job=\"{job}\"}} {}", tally.cost()));
    }
    text
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
