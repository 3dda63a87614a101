//! `quiver ingest`.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Result;
use quiver::{
    Document, IngestEstimate, IngestOptions, Quiver, Receipt,
    read::{ReadOptions, ReadProblem, read},
};

use super::count;
use crate::{
    Exit,
    arguments::{IngestArguments, OnError},
    database, json,
    output::{Output, note},
    progress::Progress,
    settings::Settings,
};

/// How many passages are written at once where a language model reads them, which takes its time.
const BATCH_WITH_MODEL: usize = 64;

pub(super) async fn run(
    arguments: &IngestArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let progress = Arc::new(Progress::new());
    if arguments.dry_run {
        return estimate(arguments, settings, progress, output).await;
    }
    let quiver = database::open_or_create(settings).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let indexing = Arc::new(AtomicBool::new(false));
    let listener = tokio::spawn(listen(stop.clone(), indexing.clone(), progress.clone()));
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let mut documents = Documents::of(arguments, settings, &skipped, &progress);
    let options = IngestOptions { stop: Some(stop.clone()), ..options(settings) };
    let receipt = quiver
        .ingest_with(&mut documents, &options, &|receipt| {
            let documents =
                receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged;
            progress.tell(format!(
                "{}, {} written",
                count(documents, "document"),
                count(receipt.passages_written, "passage")
            ));
        })
        .await;
    let receipt = match receipt {
        Ok(receipt) if !receipt.stopped => {
            indexing.store(true, Ordering::Relaxed);
            build_index(&quiver, &progress).await.map(|()| receipt)
        }
        receipt => receipt.map_err(anyhow::Error::from),
    };
    progress.finish();
    listener.abort();
    let receipt = receipt?;
    let skipped = skipped.lock().expect("nobody panics while holding it");
    report(&receipt, &skipped, output)?;
    if let Some(why) = &receipt.out_of_budget {
        note(why);
        let keeps_replies = settings.chat.cache.as_ref().is_none_or(|cache| !cache.as_os_str().is_empty());
        let kept = if keeps_replies { ", and so do the replies that were paid for" } else { "" };
        note(&format!("what is told above stays{kept}; the same command continues"));
        return Ok(Exit::Budget);
    }
    if receipt.stopped {
        note("stopped as asked; what is told above stays, and the same command continues");
        return Ok(Exit::Interrupted);
    }
    Ok(if skipped.is_empty() { Exit::Done } else { Exit::Input })
}

/// Tells what a language model would take for an ingest.
async fn estimate(
    arguments: &IngestArguments,
    settings: &Settings,
    progress: Arc<Progress>,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open_or_imagine(settings).await?;
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let mut documents = Documents::of(arguments, settings, &skipped, &progress);
    let estimate = quiver.estimate_ingest(&mut documents, &options(settings)).await;
    progress.finish();
    let estimate = estimate?;
    let skipped = skipped.lock().expect("nobody panics while holding it");
    if output.is_json() {
        output.document(json::Estimated::of(&estimate, &skipped))?;
    } else {
        let IngestEstimate { documents, passages, most } = estimate;
        output.line(format_args!(
            "{}, {} to write",
            count(documents, "document"),
            count(passages, "passage")
        ))?;
        match quiver.chat_model().filter(|_| settings.chat.extracts()) {
            Some(model) => {
                let asked = most.calls - most.calls_cached;
                output.line(format_args!(
                    "{} would be asked {} times at the most, {} more are answered by what was kept",
                    model.model(),
                    asked,
                    most.calls_cached
                ))?;
                output.line(format_args!(
                    "about {} tokens in and at the most {} out, for {:.4} in the currency of the prices",
                    most.tokens_in,
                    most.tokens_out,
                    most.cost()
                ))?;
            }
            None => output.line("no language model reads them")?,
        }
    }
    Ok(if skipped.is_empty() { Exit::Done } else { Exit::Input })
}

/// How documents are ingested.
fn options(settings: &Settings) -> IngestOptions {
    let defaults = IngestOptions::default();
    let usual = if settings.chat.extracts() { BATCH_WITH_MODEL } else { defaults.passages_per_batch };
    IngestOptions { passages_per_batch: settings.batch.unwrap_or(usual), ..defaults }
}

/// Builds the index for dense vectors where it pays.
async fn build_index(quiver: &Quiver, progress: &Progress) -> Result<()> {
    quiver
        .build_index(&|share| {
            let what = format!("indexing {}", share.collection);
            progress.tell_share(&what, share.done, share.total);
        })
        .await?;
    Ok(())
}

/// Waits for the user to ask for an end: at first after the batch under way, then at once. An index has no batches.
async fn listen(stop: Arc<AtomicBool>, indexing: Arc<AtomicBool>, progress: Arc<Progress>) {
    loop {
        interruption().await;
        if stop.swap(true, Ordering::Relaxed) || indexing.load(Ordering::Relaxed) {
            progress.finish();
            note("ended at once; the same command continues from the last batch");
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
        progress.say("stopping after the batch under way; once more ends it at once");
    }
}

/// Ends with Ctrl-C, or with the signal by which a supervisor asks for an end.
pub(super) async fn interruption() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await; // no signal will ever come
    }
}

fn report(receipt: &Receipt, skipped: &[String], output: &mut Output) -> Result<()> {
    for problem in &receipt.problems {
        note(problem);
    }
    if output.is_json() {
        return Ok(output.document(json::Ingested::of(receipt, skipped))?);
    }
    output.line(format_args!(
        "{} added, {} replaced, {} unchanged",
        count(receipt.documents_added, "document"),
        receipt.documents_replaced,
        receipt.documents_unchanged
    ))?;
    output.line(format_args!(
        "{} written, {} kept, {} removed; they refer to {} and {}",
        count(receipt.passages_written, "passage"),
        receipt.passages_kept,
        receipt.passages_removed,
        count(receipt.entities, "entity"),
        count(receipt.relations, "relation"),
    ))?;
    if receipt.passages_fallen_back > 0 {
        output.line(format_args!(
            "{} left to the rules, as told above",
            count(receipt.passages_fallen_back, "passage")
        ))?;
    }
    if receipt.ledger.total.calls > 0 {
        output.line(format_args!("language model: {}", receipt.ledger.total))?;
    }
    if !skipped.is_empty() {
        output.line(format_args!("{} left out:", skipped.len()))?;
        for problem in skipped {
            output.line(format_args!("  {problem}"))?;
        }
    }
    Ok(())
}

/// The documents of all paths. What can't be read is reported, and left out or the end.
struct Documents {
    paths: std::vec::IntoIter<PathBuf>,
    current: Option<(PathBuf, Reader)>,
    /// Where each key was read first, by the hash of the key.
    origins: HashMap<u128, PathBuf>,
    on_error: OnError,
    skipped: Arc<Mutex<Vec<String>>>,
    progress: Arc<Progress>,
}

impl Documents {
    fn of(
        arguments: &IngestArguments,
        settings: &Settings,
        skipped: &Arc<Mutex<Vec<String>>>,
        progress: &Arc<Progress>,
    ) -> Self {
        Self {
            paths: arguments.paths.clone().into_iter(),
            current: None,
            origins: HashMap::new(),
            on_error: settings.on_error,
            skipped: Arc::clone(skipped),
            progress: Arc::clone(progress),
        }
    }
}

type Reader = Box<dyn Iterator<Item = Result<Document, ReadProblem>> + Send>;

impl Iterator for Documents {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            let Some((path, reader)) = &mut self.current else {
                let path = self.paths.next()?;
                let reader = read(&path, &ReadOptions::default());
                self.current = Some((path, Box::new(reader)));
                continue;
            };
            let problem = match reader.next() {
                None => {
                    self.current = None;
                    continue;
                }
                Some(Ok(document)) => match taken(&mut self.origins, &document.key, path) {
                    None => return Some(document),
                    Some(problem) => problem,
                },
                Some(Err(problem)) => problem.to_string(),
            };
            self.progress.say(&problem);
            self.skipped.lock().expect("nobody panics while holding it").push(problem);
            if self.on_error == OnError::Stop {
                self.progress.say("that ends the ingest, as --on-error stop asks; what came before it stays");
                self.current = None;
                self.paths = Vec::new().into_iter();
            }
        }
    }
}

/// Notes where a key was read, and says what is wrong if another path had it: the later document would silently
/// take the place of the earlier one.
fn taken(origins: &mut HashMap<u128, PathBuf>, key: &str, path: &PathBuf) -> Option<String> {
    let first = origins.entry(hash(key)).or_insert_with(|| path.clone());
    (first != path).then(|| {
        format!(
            "{}: the document {key:?} has the key of one in {}; ingest a folder that holds both, \
             so that their paths differ, or give them ids",
            path.display(),
            first.display()
        )
    })
}

/// A hash that no two keys of one ingest share but by a miracle, so that a million keys need not be kept.
fn hash(key: &str) -> u128 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
