//! Runs a job: ingests its documents in batches, and records the progress after each.

use std::{
    collections::{HashSet, VecDeque},
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    vec,
};

use quiver::{Document, IngestOptions, Receipt, Referenced};
use quiver_forms::{
    job::{JobError, JobState},
    request::{Given, Ingest},
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
    pages::{Author, Feed, Yield},
    problem::{Code, Problem},
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
    let work = Work { app: app.clone(), jobs: Arc::clone(jobs), job: Arc::clone(job), place };
    let runtime = Handle::current();
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
    app: App,
    jobs: Arc<Jobs>,
    job: Arc<Job>,
    place: Arc<Place>,
}

/// What was taken for ingestion. A page counts as one document, however many it contains.
#[derive(Default)]
struct Taken {
    /// Whether the server was told to stop while a page was fetched.
    is_cut: AtomicBool,
    so_far: Mutex<SoFar>,
    /// What was taken up to each document that the ingest has read and not yet written: it reads ahead.
    ahead: Mutex<VecDeque<SoFar>>,
    /// The pages that could not be read, those of earlier runs included.
    skipped: Mutex<Vec<String>>,
}

/// What was taken up to some moment.
#[derive(Clone, Copy, Debug, Default)]
struct SoFar {
    /// Number of all taken documents.
    count: usize,
    /// Number of documents from the first on that were taken without a gap.
    first: usize,
    /// Number of pages that have not changed since they were last fetched.
    unchanged: usize,
    /// Number of pages that could not be read, those of earlier runs included.
    skipped: usize,
}

/// What was recorded last, earlier runs included.
struct Told {
    receipt: Receipt,
    /// Number of documents that the ingest had written, in this run.
    written: usize,
    /// What was taken up to the last of them.
    so_far: SoFar,
}

impl Taken {
    fn so_far(&self) -> SoFar {
        let skipped = lock(&self.skipped).len();
        SoFar { skipped, ..*lock(&self.so_far) }
    }

    /// Returns what was taken up to the last of the next written documents.
    fn up_to(&self, written: usize) -> Option<SoFar> {
        let mut ahead = lock(&self.ahead);
        let written = written.min(ahead.len());
        ahead.drain(..written).next_back()
    }

    fn skipped(&self, range: Range<usize>) -> Vec<String> {
        lock(&self.skipped)[range].to_vec()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The documents of a job that are left, with those of its pages as they are fetched.
struct Left<'w> {
    work: &'w Work,
    taken: &'w Taken,
    given: vec::IntoIter<Given>,
    /// The other documents of a page, and whether the job was cancelled before it was fetched.
    waiting: VecDeque<Document>,
    is_late: bool,
    /// The keys of the documents of pages so far.
    keys: HashSet<String>,
    feed: Option<Feed>,
    /// A kill may have left these documents incomplete. They are ingested to the end, even if the job was cancelled
    /// since.
    unfinished: HashSet<String>,
}

impl Iterator for Left<'_> {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            if let Some(document) = self.waiting.pop_front() {
                if self.waiting.is_empty() {
                    self.note_taken();
                }
                lock(&self.taken.ahead).push_back(self.taken.so_far());
                self.tell(&document.key);
                return Some(document);
            }
            let given = self.given.next()?;
            self.is_late = self.work.is_cancelled();
            match given {
                Given::Document(document) => {
                    if !self.is_late || self.unfinished.contains(&document.key) {
                        self.waiting.push_back(*document);
                    }
                }
                // The key of a page is that of its last redirect.
                Given::Page { .. } if self.is_late && !self.unfinished.iter().any(|key| is_address(key)) => {}
                Given::Page { url, .. } => self.take_page(&url)?,
            }
        }
    }
}

impl Left<'_> {
    /// Counts the current document as taken.
    fn note_taken(&self) {
        let mut so_far = lock(&self.taken.so_far);
        so_far.count += 1;
        so_far.first += usize::from(!self.is_late);
    }

    fn tell(&self, key: &str) {
        self.work.job.status.send_modify(|status| status.document = Some(key.to_owned()));
    }

    /// Fetches a page. Returns `None` if the server was told to stop.
    fn take_page(&mut self, url: &str) -> Option<()> {
        self.tell(url);
        let (work, is_late) = (self.work, self.is_late);
        let feed = match &self.feed {
            Some(feed) => Ok(feed),
            None => Feed::start(&work.app, work.author(), &work.place).map(|feed| &*self.feed.insert(feed)),
        };
        // A job that is cancelled meanwhile needs no other page.
        let goes_on = || !work.is_stopping() && (is_late || !work.is_cancelled());
        let fetched = match feed {
            Ok(feed) => feed.fetch(url, goes_on),
            Err(problem) => Some(Yield::problem(format!("{url}: {}", problem.detail()))),
        };
        let Some(fetched) = fetched else {
            self.feed = None;
            if work.is_stopping() {
                self.taken.is_cut.store(true, Ordering::Relaxed);
                return None;
            }
            return Some(());
        };
        let mut skipped = lock(&self.taken.skipped);
        let twice = |key: &str| format!("{url}: {key:?} was fetched before; omit one of them");
        let documents = match fetched {
            Yield::Documents(documents) => documents,
            Yield::Unchanged(key) => {
                if self.keys.insert(key.clone()) {
                    lock(&self.taken.so_far).unchanged += 1;
                } else {
                    skipped.push(twice(&key));
                }
                Vec::new()
            }
        };
        for document in documents {
            match document {
                Ok(document) if is_late && !self.unfinished.contains(&document.key) => {}
                Ok(document) if self.keys.insert(document.key.clone()) => self.waiting.push_back(document),
                Ok(document) => skipped.push(twice(&document.key)),
                Err(problem) => skipped.push(problem),
            }
        }
        drop(skipped);
        if self.waiting.is_empty() {
            self.note_taken();
        }
        Some(())
    }
}

fn is_address(key: &str) -> bool {
    key.starts_with("http://") || key.starts_with("https://")
}

impl Work {
    fn is_cancelled(&self) -> bool {
        self.job.is_cancelled.load(Ordering::Relaxed)
    }

    fn is_stopping(&self) -> bool {
        self.jobs.stop.load(Ordering::Relaxed)
    }

    /// Returns who posted the job, for the audit log.
    fn author(&self) -> Author {
        let workspace = self.job.header.workspace.clone();
        Author { client: format!("job {}", self.job.id), key: self.job.header.key.clone(), workspace }
    }

    async fn run(self) -> Result<Outcome, Problem> {
        let Self { jobs, job, place, .. } = &self;
        let (before, done_before, skipped_before) = {
            let status = job.status.borrow();
            (Receipt::clone(&status.receipt), status.documents, Vec::clone(&status.skipped))
        };
        jobs.note(job, &Line::Begun { at: now() });
        let mut given = self.given()?;
        let total = given.len();
        let keys = given.iter().filter_map(|given| match given {
            Given::Document(document) => Some(document.key.clone()),
            Given::Page { .. } => None,
        });
        let taken = Taken { skipped: Mutex::new(skipped_before), ..Taken::default() };
        let mut left = Left {
            work: &self,
            taken: &taken,
            keys: keys.collect(),
            given: given.split_off(done_before.min(total)).into_iter(),
            waiting: VecDeque::new(),
            is_late: false,
            feed: None,
            unfinished: place.quiver.unfinished_documents().await?.into_iter().collect(),
        };
        let defaults = IngestOptions::default();
        let usual =
            if place.quiver.chat_model().is_some() { BATCH_WITH_MODEL } else { defaults.passages_per_batch };
        let options =
            IngestOptions { passages_per_batch: usual, stop: Some(Arc::clone(&jobs.stop)), ..defaults };
        let earlier = lock(&taken.skipped).len();
        let told = Mutex::new(Told {
            receipt: before.clone(),
            written: 0,
            so_far: SoFar { skipped: earlier, ..SoFar::default() },
        });
        let tell = |receipt: &Receipt, is_end: bool| {
            let mut told = lock(&told);
            let mut now = before.clone();
            now.add(receipt);
            // Documents and pages in an incomplete batch are not counted.
            let up_to = taken.up_to(receipt.documents_read - told.written);
            let so_far = if is_end && !receipt.stopped { Some(taken.so_far()) } else { up_to };
            let is_whole = so_far.is_some();
            let so_far = so_far.unwrap_or(told.so_far);
            now.documents_unchanged += so_far.unchanged;
            let skipped = taken.skipped(told.so_far.skipped..so_far.skipped);
            self.note_progress(&told.receipt, &now, done_before + so_far.first, &skipped);
            job.status.send_modify(|status| {
                status.receipt = Arc::new(Receipt { referenced: Referenced::default(), ..now.clone() });
                status.skipped = Arc::new(taken.skipped(0..so_far.skipped));
                if is_whole {
                    status.documents = done_before + so_far.count;
                }
            });
            *told = Told { receipt: now, written: receipt.documents_read, so_far };
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
        if receipt.stopped || taken.is_cut.load(Ordering::Relaxed) {
            return Ok(Outcome::Stopped);
        }
        let (written, done, is_empty, skipped) = {
            let status = job.status.borrow();
            let is_empty = documents_of(&status.receipt) == 0;
            (status.receipt.passages_written, status.documents, is_empty, Arc::clone(&status.skipped))
        };
        // Building the index does not pay for less; the next larger ingest does it.
        if written >= defaults_passages() {
            place.quiver.build_index(&|_| {}).await?;
        }
        if done < total {
            return Ok(Outcome::Ended(JobState::Cancelled, None));
        }
        // A job that could read nothing has failed.
        if let Some(first) = skipped.first().filter(|_| is_empty) {
            return Ok(failed(&Problem::new(Code::Unfetched, first.as_str())));
        }
        Ok(Outcome::Ended(JobState::Done, None))
    }

    fn given(&self) -> Result<Vec<Given>, Problem> {
        let unread = |why: String| {
            tracing::error!("the documents of job {} can't be read: {why}", self.job.id);
            Problem::new(Code::Internal, "the documents of the job can no longer be read")
        };
        let body = self.jobs.files.documents(&self.job.id).map_err(|error| unread(error.to_string()))?;
        let given: Ingest = serde_json::from_slice(&body).map_err(|error| unread(error.to_string()))?;
        Ok(given.read()?)
    }

    /// Records what was done since the last record.
    fn note_progress(&self, before: &Receipt, now: &Receipt, documents: usize, skipped: &[String]) {
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
        self.jobs.note(
            &self.job,
            &Line::Progress(Progress { documents, receipt, referenced: new(now), skipped: skipped.to_vec() }),
        );
    }
}

fn documents_of(receipt: &Receipt) -> usize {
    receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged
}

fn defaults_passages() -> usize {
    IngestOptions::default().passages_per_batch
}
