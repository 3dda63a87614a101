//! Runs a job: ingests its documents in batches, and records the progress after each.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use quiver::{Document, IngestOptions, Receipt, Referenced};
use quiver_forms::{
    job::{JobError, JobState},
    request::Ingest,
};
use tokio::{runtime::Handle, task::spawn_blocking};
use tracing::Instrument as _;

use super::{
    Job, Jobs, Outcome,
    files::{Line, Progress},
    now,
};
use crate::{
    app::{App, Place},
    problem::Problem,
};

/// Number of passages per batch if a language model reads them.
const BATCH_WITH_MODEL: usize = 64;

/// Starts the jobs that may run now.
pub(crate) fn begin(app: &App) {
    let Some(jobs) = &app.config.jobs else { return };
    for job in jobs.begin() {
        let (id, workspace) = (job.id.as_str(), job.workspace.as_str());
        // It outlives the request that brought it, if any.
        let span = tracing::info_span!(target: "quiver_server::job", parent: None, "job", id, workspace);
        span.follows_from(tracing::Span::current());
        tokio::spawn(run_and_settle(app.clone(), Arc::clone(jobs), job).instrument(span));
    }
}

/// Runs a job, and then those that waited for it.
async fn run_and_settle(app: App, jobs: Arc<Jobs>, job: Arc<Job>) {
    tracing::info!(target: "quiver_server::job", documents = job.header.documents, "started");
    let outcome = run(&app, &jobs, &job).await;
    let (table, ended) = (Arc::clone(&jobs), Arc::clone(&job));
    let settled = spawn_blocking(move || table.settle(&ended, outcome)).await;
    if let Err(error) = settled {
        tracing::error!("the result of job {} was not stored: {error}", job.id);
    }
    let form = job.form(false);
    let (state, done) = (form.state.word(), form.documents.done);
    tracing::info!(target: "quiver_server::job", state, done, "stopped");
    jobs.leave(&job);
    begin(&app);
}

async fn run(app: &App, jobs: &Arc<Jobs>, job: &Arc<Job>) -> Outcome {
    let place = match app.place(&job.workspace).await {
        Ok(place) => place,
        Err(problem) => return failed(&problem),
    };
    let (work, runtime) = (Work { jobs: Arc::clone(jobs), job: Arc::clone(job), place }, Handle::current());
    let span = tracing::Span::current();
    let done = spawn_blocking(move || runtime.block_on(work.run().instrument(span))).await;
    match done {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(problem)) => failed(&problem),
        Err(error) => failed(&crate::app::panicked(&error)),
    }
}

fn failed(problem: &Problem) -> Outcome {
    let error = JobError { code: problem.word().to_owned(), detail: problem.detail().to_owned() };
    Outcome::Ended(JobState::Failed, Some(error))
}

struct Work {
    jobs: Arc<Jobs>,
    job: Arc<Job>,
    place: Arc<Place>,
}

/// How many documents were taken for ingestion.
#[derive(Default)]
struct Taken {
    /// Number of all taken documents.
    count: AtomicUsize,
    /// Number of documents from the first on that were taken without a gap.
    first: AtomicUsize,
}

impl Work {
    async fn run(self) -> Result<Outcome, Problem> {
        let Self { jobs, job, place } = &self;
        let (before, done_before) = {
            let status = job.status.borrow();
            (Receipt::clone(&status.receipt), status.documents)
        };
        jobs.note(job, &Line::Begun { at: now() });
        let documents = self.documents()?;
        let total = documents.len();
        // A kill may have left documents incomplete. They are ingested to the end, even if the job was cancelled since.
        let unfinished: HashSet<String> = place.quiver.unfinished_documents().await?.into_iter().collect();
        let taken = Taken::default();
        let mut left = documents.into_iter().skip(done_before).filter(|document| {
            let is_cancelled = job.is_cancelled.load(Ordering::Relaxed);
            if is_cancelled && !unfinished.contains(&document.key) {
                return false;
            }
            taken.count.fetch_add(1, Ordering::Relaxed);
            if !is_cancelled {
                taken.first.fetch_add(1, Ordering::Relaxed);
            }
            job.status.send_modify(|status| status.document = Some(document.key.clone()));
            true
        });
        let defaults = IngestOptions::default();
        let usual =
            if place.quiver.chat_model().is_some() { BATCH_WITH_MODEL } else { defaults.passages_per_batch };
        let options =
            IngestOptions { passages_per_batch: usual, stop: Some(Arc::clone(&jobs.stop)), ..defaults };
        let told = Mutex::new((before.clone(), done_before));
        let tell = |receipt: &Receipt, is_end: bool| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            let mut now = before.clone();
            now.add(receipt);
            // Documents in an incomplete batch are not counted.
            let is_whole = (is_end && !receipt.stopped) || documents_of(&now) > documents_of(&told.0);
            let first = done_before + taken.first.load(Ordering::Relaxed);
            let first = if is_whole { first } else { told.1 };
            self.note_progress(&told.0, &now, first);
            job.status.send_modify(|status| {
                status.receipt = Arc::new(Receipt { referenced: Referenced::default(), ..now.clone() });
                if is_whole {
                    status.documents = done_before + taken.count.load(Ordering::Relaxed);
                }
            });
            *told = (now, first);
        };
        let receipt = place
            .quiver
            .ingest(&mut left)
            .options(options)
            .on_progress(&|receipt| tell(receipt, false))
            .await?;
        tell(&receipt, true);
        if let Some(why) = &receipt.out_of_budget {
            let error = JobError { code: "budget".to_owned(), detail: why.clone() };
            return Ok(Outcome::Ended(JobState::Failed, Some(error)));
        }
        if receipt.stopped {
            return Ok(Outcome::Stopped);
        }
        let (written, done) = {
            let status = job.status.borrow();
            (status.receipt.passages_written, status.documents)
        };
        // Building the index does not pay for less; the next larger ingest does it.
        if written >= defaults_passages() {
            place.quiver.build_index(&|_| {}).await?;
        }
        let state = if done < total { JobState::Cancelled } else { JobState::Done };
        Ok(Outcome::Ended(state, None))
    }

    fn documents(&self) -> Result<Vec<Document>, Problem> {
        let unread = |why: String| {
            tracing::error!("the documents of job {} can't be read: {why}", self.job.id);
            Problem::new(crate::problem::Code::Internal, "the documents of the job can no longer be read")
        };
        let body = self.jobs.files.documents(&self.job.id).map_err(|error| unread(error.to_string()))?;
        let given: Ingest = serde_json::from_slice(&body).map_err(|error| unread(error.to_string()))?;
        Ok(given.documents()?)
    }

    /// Records what was done since the last record.
    fn note_progress(&self, before: &Receipt, now: &Receipt, documents: usize) {
        let new = |receipt: &Receipt| Referenced {
            entities: receipt.referenced.entities.difference(&before.referenced.entities).copied().collect(),
            relations: receipt
                .referenced
                .relations
                .difference(&before.referenced.relations)
                .copied()
                .collect(),
        };
        let problems = now.problems[before.problems.len()..].to_vec();
        let receipt = Receipt { problems, referenced: Referenced::default(), ..now.clone() };
        self.jobs.note(&self.job, &Line::Progress(Progress { documents, receipt, referenced: new(now) }));
    }
}

fn documents_of(receipt: &Receipt) -> usize {
    receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged
}

fn defaults_passages() -> usize {
    IngestOptions::default().passages_per_batch
}
