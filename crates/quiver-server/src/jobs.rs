//! Ingests that continue after their requests were answered.
//!
//! A job is stored in files before it is acknowledged, so that a killed server can resume it. Documents that are done
//! are not read again. The jobs of a workspace run one after the other, in order of arrival.

mod files;
mod work;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use quiver::{Receipt, graph::Workspace, read::LeftOut};
use quiver_forms::{
    Ingested,
    job::{Job as Form, JobDocuments, JobError, JobState},
};
use tokio::sync::watch;

pub(crate) use self::work::begin;

use self::files::{Ended, Files, Found, Header, Line};
use crate::problem::{Code, Problem};

/// Number of jobs that run at once, each in another workspace.
const RUNNING_MAX: usize = 2;
/// Number of completed jobs kept per workspace.
const ENDED_MAX: usize = 100;
/// Number of problems kept of a completed job.
const PROBLEMS_MAX: usize = 200;
/// How often a job is retried without progress before the server gives up.
const TRIES_MAX: u32 = 5;

/// The jobs of a server, and the directory that stores them.
#[derive(Debug)]
pub struct Jobs {
    files: Files,
    table: Mutex<Table>,
    /// Held while a job is accepted, so that two do not take the last place of a key.
    taking: Mutex<()>,
    /// Whether the server was told to stop.
    ending: watch::Sender<bool>,
    /// The same flag, in the form that an ingest checks.
    stop: Arc<AtomicBool>,
    /// Number of running jobs.
    running: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Table {
    /// By ID, and so by time.
    jobs: BTreeMap<String, Arc<Job>>,
    running: BTreeSet<Workspace>,
    /// The time of the last ID.
    last: i64,
    /// Number of completed jobs by outcome since the start.
    ended: BTreeMap<&'static str, u64>,
}

#[derive(Debug)]
pub(crate) struct Job {
    id: String,
    header: Header,
    workspace: Workspace,
    /// Whether cancellation was requested.
    is_cancelled: AtomicBool,
    status: watch::Sender<Status>,
}

/// The state of a job.
#[derive(Clone, Debug)]
struct Status {
    state: JobState,
    /// Number of completed documents.
    documents: usize,
    document: Option<String>,
    begun: Option<i64>,
    ended: Option<i64>,
    /// What was done so far.
    receipt: Arc<Receipt>,
    /// The web pages that could not be read.
    skipped: Arc<Vec<String>>,
    error: Option<JobError>,
}

/// The outcome of a run of a job.
enum Outcome {
    /// It resumes when the server starts again.
    Stopped,
    Ended(JobState, Option<JobError>),
}

impl Jobs {
    /// Opens the directory of the jobs, creating it if necessary. Unfinished jobs resume when a server serves them.
    ///
    /// # Errors
    /// Fails if the directory can't be used, or another process uses it.
    pub fn open(directory: impl Into<PathBuf>) -> io::Result<Self> {
        let directory = directory.into();
        let wrong = |error: io::Error| {
            io::Error::new(error.kind(), format!("{} can't keep jobs: {error}", directory.display()))
        };
        let (files, found) = Files::open(directory.clone()).map_err(wrong)?;
        let jobs = Self {
            files,
            table: Mutex::default(),
            taking: Mutex::default(),
            ending: watch::Sender::new(false),
            stop: Arc::default(),
            running: watch::Sender::new(0),
        };
        for found in found {
            let tries = found.tries;
            let Some(job) = Job::of(found) else { continue };
            let job = Arc::new(job);
            let mut table = jobs.table();
            table.last = table.last.max(job.header.created);
            table.jobs.insert(job.id.clone(), Arc::clone(&job));
            drop(table);
            if !job.state().is_final() && tries >= TRIES_MAX {
                let detail = format!("the server stopped {tries} times during this job without progress");
                let error = JobError { code: "interrupted".to_owned(), detail };
                jobs.settle(&job, Outcome::Ended(JobState::Failed, Some(error)));
            }
        }
        Ok(jobs)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a job, unless its key has too many unfinished ones. Then it may be acknowledged.
    pub(crate) fn take(
        &self,
        workspace: &Workspace,
        key: &str,
        documents: usize,
        body: &[u8],
        waiting_max: usize,
    ) -> Result<Arc<Job>, Problem> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, created) = {
            let mut table = self.table();
            let is_waiting = |job: &&Arc<Job>| job.header.key == key && !job.state().is_final();
            let waiting = table.jobs.values().filter(is_waiting).count();
            if waiting >= waiting_max {
                let detail =
                    format!("{waiting} jobs of this key are unfinished; retry when one has finished");
                return Err(Problem::new(Code::TooMany, detail).retry_after(10));
            }
            table.last = now().max(table.last + 1);
            (new_id(table.last)?, table.last)
        };
        let header = Header::new(workspace.as_str(), key, created, documents);
        self.files.create(&id, &header, body).map_err(|error| {
            tracing::error!("a job can't be stored: {error}");
            match error.kind() {
                io::ErrorKind::StorageFull => Problem::new(Code::Full, "the job can't be stored"),
                _ => Problem::new(Code::Internal, "the job can't be stored; the server's log says why"),
            }
        })?;
        let job = Arc::new(Job::new(id, header, workspace.clone()));
        self.table().jobs.insert(job.id.clone(), Arc::clone(&job));
        Ok(job)
    }

    /// Returns the jobs of a workspace, the latest first.
    pub(crate) fn list(&self, workspace: &Workspace) -> Vec<Arc<Job>> {
        let table = self.table();
        table.jobs.values().rev().filter(|job| job.workspace == *workspace).cloned().collect()
    }

    pub(crate) fn find(&self, workspace: &Workspace, id: &str) -> Result<Arc<Job>, Problem> {
        let job = self.table().jobs.get(id).filter(|job| job.workspace == *workspace).cloned();
        job.ok_or_else(|| {
            let detail = format!("there is no job {id:?}; `GET /v1/jobs` lists them");
            Problem::new(Code::NotFound, detail).with_place("id")
        })
    }

    /// Cancels a job; a completed one is deleted. A job may have to be started to end properly.
    pub(crate) fn cancel(&self, job: &Arc<Job>) {
        if job.state().is_final() {
            self.table().jobs.remove(&job.id);
            self.files.remove(&job.id);
            return;
        }
        if job.is_cancelled.swap(true, Ordering::Relaxed) {
            return;
        }
        self.note(job, &Line::Cancelled);
        let was_begun = {
            // No job starts meanwhile.
            let _table = self.table();
            job.status.send_if_modified(|status| {
                let is_late = status.state.is_final();
                if !is_late {
                    status.state = JobState::Cancelling;
                }
                !is_late
            });
            job.status.borrow().begun.is_some()
        };
        if !was_begun {
            self.settle(job, Outcome::Ended(JobState::Cancelled, None));
        }
    }

    /// Writes a line to the journal of a job. Without it, a restarted server repeats a part of the job.
    fn note(&self, job: &Job, line: &Line) {
        if let Err(error) = self.files.append(&job.id, line) {
            tracing::error!("the journal of job {} can't be written: {error}", job.id);
        }
    }

    /// Takes the jobs that may run now out of those that wait.
    fn begin(&self) -> Vec<Arc<Job>> {
        let mut begun = Vec::new();
        let mut table = self.table();
        if *self.ending.borrow() {
            return begun;
        }
        let Table { jobs, running, .. } = &mut *table;
        for job in jobs.values() {
            if running.len() == RUNNING_MAX {
                break;
            }
            let may_begin = match job.state() {
                JobState::Queued => true,
                // It was started before the server was.
                JobState::Cancelling => job.status.borrow().begun.is_some(),
                _ => false,
            };
            if may_begin && running.insert(job.workspace.clone()) {
                begun.push(Arc::clone(job));
                job.status.send_modify(|status| {
                    status.begun.get_or_insert_with(now);
                    if status.state == JobState::Queued {
                        status.state = JobState::Running;
                    }
                });
            }
        }
        self.running.send_replace(running.len());
        begun
    }

    /// Stores the outcome of a job.
    fn settle(&self, job: &Job, outcome: Outcome) {
        let (state, error) = match outcome {
            Outcome::Stopped => {
                self.note(job, &Line::Stopped);
                job.status.send_modify(|status| {
                    status.document = None;
                    if status.state == JobState::Running {
                        status.state = JobState::Queued;
                    }
                });
                return;
            }
            Outcome::Ended(state, error) => (state, error),
        };
        let status = job.status.borrow().clone();
        let mut receipt = Receipt::clone(&status.receipt);
        let untold = receipt.problems.len().saturating_sub(PROBLEMS_MAX);
        receipt.problems.truncate(PROBLEMS_MAX);
        if untold > 0 {
            receipt.problems.push(format!("and {untold} more"));
        }
        let Status { begun, documents, .. } = status;
        let skipped = Vec::clone(&status.skipped);
        let ended = Ended { at: now(), begun, state, documents, receipt, skipped, error };
        if let Err(error) = self.files.end(&job.id, &job.header, &ended) {
            tracing::error!("the result of job {} can't be stored: {error}", job.id);
        }
        // Whoever sees that the job has ended finds it counted.
        *self.table().ended.entry(state.word()).or_default() += 1;
        job.status.send_modify(|status| {
            status.state = state;
            status.document = None;
            status.ended = Some(ended.at);
            status.receipt = Arc::new(ended.receipt);
            status.error = ended.error;
        });
        let mut table = self.table();
        let is_over = |other: &&Arc<Job>| other.workspace == job.workspace && other.state().is_final();
        let over: Vec<String> =
            table.jobs.values().rev().filter(is_over).skip(ENDED_MAX).map(|job| job.id.clone()).collect();
        for id in &over {
            table.jobs.remove(id);
        }
        drop(table);
        over.iter().for_each(|id| self.files.remove(id));
    }

    /// Lets other jobs run in the workspace of a job.
    fn leave(&self, job: &Job) {
        let mut table = self.table();
        table.running.remove(&job.workspace);
        self.running.send_replace(table.running.len());
    }

    /// Stops running jobs after the current passages, and starts no others.
    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.ending.send_replace(true);
    }

    /// Waits until no job runs.
    pub(crate) async fn rest(&self) {
        let mut running = self.running.subscribe();
        // The sender lives as long as this does.
        let _ = running.wait_for(|running| *running == 0).await;
    }

    /// Returns a receiver that learns when the server was told to stop.
    pub(crate) fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }

    /// Returns how many jobs wait, run, and have completed by outcome since the start.
    pub(crate) fn counts(&self) -> (usize, usize, BTreeMap<&'static str, u64>) {
        let table = self.table();
        let unfinished = table.jobs.values().filter(|job| !job.state().is_final()).count();
        let running = table.running.len();
        (unfinished.saturating_sub(running), running, table.ended.clone())
    }
}

impl Job {
    fn new(id: String, header: Header, workspace: Workspace) -> Self {
        let status = Status {
            state: JobState::Queued,
            documents: 0,
            document: None,
            begun: None,
            ended: None,
            receipt: Arc::default(),
            skipped: Arc::default(),
            error: None,
        };
        let status = watch::Sender::new(status);
        Self { id, header, workspace, is_cancelled: AtomicBool::new(false), status }
    }

    /// Restores a job from its journal.
    fn of(found: Found) -> Option<Self> {
        let Found { id, header, begun, is_cancelled, documents, receipt, skipped, ended, .. } = found;
        let Ok(workspace) = Workspace::new(header.workspace.clone()) else {
            tracing::error!("ignored the job {id}: the name of its workspace is invalid");
            return None;
        };
        let job = Self::new(id, header, workspace);
        job.is_cancelled.store(is_cancelled, Ordering::Relaxed);
        job.status.send_modify(|status| match ended {
            Some(ended) => {
                status.state = ended.state;
                status.documents = ended.documents;
                status.begun = ended.begun;
                status.ended = Some(ended.at);
                status.receipt = Arc::new(ended.receipt);
                status.skipped = Arc::new(ended.skipped);
                status.error = ended.error;
            }
            None => {
                status.state = if is_cancelled { JobState::Cancelling } else { JobState::Queued };
                status.documents = documents;
                // A job that was cancelled before it started is started, and ends at once.
                status.begun = begun.or_else(|| is_cancelled.then(now));
                status.receipt = Arc::new(receipt);
                status.skipped = Arc::new(skipped);
            }
        });
        Some(job)
    }

    fn state(&self) -> JobState {
        self.status.borrow().state
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns a watcher for changes.
    pub(crate) fn watch(&self) -> Watched<'_> {
        Watched { job: self, status: self.status.subscribe() }
    }

    /// Returns the form for clients, with the receipt if the job has ended and it is requested.
    pub(crate) fn form(&self, with_receipt: bool) -> Form {
        let status = self.status.borrow().clone();
        let receipt = (with_receipt && status.state.is_final())
            .then(|| Ingested::of(&status.receipt, &status.skipped, &LeftOut::default(), &[]));
        Form {
            id: self.id.clone(),
            state: status.state,
            documents: JobDocuments { done: status.documents, total: self.header.documents },
            document: status.document,
            created: self.header.created,
            begun: status.begun,
            ended: status.ended,
            receipt,
            error: status.error,
        }
    }
}

/// A job that is being watched for changes.
pub(crate) struct Watched<'j> {
    job: &'j Job,
    status: watch::Receiver<Status>,
}

impl Watched<'_> {
    /// Returns the current form for clients, and whether the job has ended.
    pub(crate) fn form(&mut self) -> (Form, bool) {
        let is_final = self.status.borrow_and_update().state.is_final();
        (self.job.form(is_final), is_final)
    }

    /// Waits for a change.
    pub(crate) async fn changed(&mut self) {
        // The sender lives as long as the job does.
        let _ = self.status.changed().await;
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Creates an unguessable ID; IDs are ordered by time.
fn new_id(created: i64) -> Result<String, Problem> {
    let random = getrandom::u64().map_err(|error| {
        tracing::error!("the system has no random numbers: {error}");
        Problem::new(Code::Internal, "the job can't be stored; the server's log says why")
    })?;
    Ok(format!("{created:012x}{random:016x}"))
}
