//! `quiver ingest`.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use quiver::{
    ChatJob, Document, IngestEstimate, IngestOptions, Quiver, Receipt,
    read::{self, Guesses, LeftOut, LeftOutKind, ReadOptions, RecordFields, read, read_stream},
    store,
};
#[cfg(feature = "serve")]
use quiver_forms::command::Run;

#[cfg(feature = "serve")]
use super::remote::Reached;
use super::{count, shared::Shared};
#[cfg(feature = "web")]
use crate::web;
#[cfg(feature = "web")]
use crate::web::is_address;
use crate::{
    Exit,
    arguments::{IngestArguments, OnError},
    database,
    exit::Failed,
    interrupt::{self, interruption},
    json,
    output::{Output, message, note},
    progress::Progress,
    settings::Settings,
    untrusted,
};

/// The name for standard input.
const STANDARD_INPUT: &str = "-";
/// Number of passages per batch if a language model reads them, which takes time.
const BATCH_WITH_MODEL: usize = 64;
/// Bytes of text sent to a server at once, unless a single document is longer.
#[cfg(feature = "serve")]
const SENT_BYTES: usize = 4 << 20;
/// Number of documents sent to a server at once.
#[cfg(feature = "serve")]
const SENT_DOCUMENTS: usize = 250;
/// Number of documents that a server deletes at once.
#[cfg(feature = "serve")]
const PRUNED_AT_ONCE: usize = 500;
/// Default number of links from the named pages to others.
#[cfg(feature = "web")]
const DEPTH: usize = 2;
/// Default number of pages to fetch.
#[cfg(feature = "web")]
const PAGES: u32 = 100;
/// Maximum number of documents named in an error.
const NAMED_MAX: usize = 5;
/// Seconds that reading a file of an untrusted format may take.
const FILE_SECONDS: u64 = 60;

/// Changes in a watched folder.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// New and changed files; `None` if all are read.
    pub(super) files: Option<BTreeSet<PathBuf>>,
    /// Deleted files.
    pub(super) gone: BTreeSet<PathBuf>,
}

pub(super) async fn run(
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    check_paths(&arguments.paths)?;
    check_globs(arguments)?;
    let progress = Arc::new(Progress::new(arguments.quiet));
    if arguments.dry_run {
        return estimate(arguments, settings, progress, output).await;
    }
    let shared = Shared::of(database::open_or_create(settings).await?, settings).await?;
    let exit = ingest(&shared.quiver, arguments, changes, settings, progress, output).await;
    shared.end().await;
    exit
}

/// Rejects an ingest of nothing but missing files before it creates a database.
fn check_paths(paths: &[PathBuf]) -> Result<()> {
    let is_missing = |path: &&PathBuf| {
        let is_file = path.as_os_str() != STANDARD_INPUT && !path.to_str().is_some_and(is_address);
        is_file && !path.exists()
    };
    let missing: Vec<&PathBuf> = paths.iter().filter(is_missing).collect();
    match missing.first() {
        Some(first) if missing.len() == paths.len() => {
            let message = unread_address(first).unwrap_or_else(|| {
                format!("{}: there is no such file or folder; check the path", first.display())
            });
            Err(Failed::input(message).into())
        }
        _ => Ok(()),
    }
}

/// Returns what is wrong with an address that can't be read; `None` for paths.
fn unread_address(path: &Path) -> Option<String> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_address = is_scheme && !scheme.is_empty() && !path.exists();
    let address = path.display();
    is_address.then(|| {
        format!("{address}: only addresses with http:// and https:// are read; download it and name the file")
    })
}

/// Rejects globs that are invalid before anything is read.
fn check_globs(arguments: &IngestArguments) -> Result<()> {
    let given = [("--include", &arguments.include), ("--exclude", &arguments.exclude)];
    for (flag, glob) in given.into_iter().flat_map(|(flag, globs)| globs.iter().map(move |glob| (flag, glob)))
    {
        let usage = |wrong: String| Failed::usage(format!("{flag} {glob}: {wrong}; correct it"));
        read::check_glob(glob).map_err(usage)?;
    }
    Ok(())
}

/// Says so if there was nothing to read.
fn tell_nothing(arguments: &IngestArguments, changes: Option<&Changes>, seen: &Seen) {
    let is_nothing = seen.files == 0 && seen.skipped.is_empty() && seen.left_out.is_empty();
    let folders: Vec<String> =
        arguments.paths.iter().filter(|path| path.is_dir()).map(|path| path.display().to_string()).collect();
    if !is_nothing || changes.is_some() || folders.len() < arguments.paths.len() {
        return;
    }
    let are_chosen = !(arguments.include.is_empty() && arguments.exclude.is_empty());
    let chosen = if are_chosen { " that --include and --exclude choose" } else { "" };
    note(&format!("there is no file to read in {}{chosen}", folders.join(" and ")));
}

async fn ingest(
    quiver: &Quiver,
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    settings: &Settings,
    progress: Arc<Progress>,
    output: &mut Output,
) -> Result<Exit> {
    if risks_source(arguments, changes) {
        check_source(arguments, &stored(quiver).await?)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let indexing = Arc::new(AtomicBool::new(false));
    interrupt::handle();
    let listener = tokio::spawn(listen(stop.clone(), indexing.clone(), progress.clone(), output.is_json()));
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut documents = Documents::of(arguments, settings, &seen, &progress)?;
    documents.options.only = changes.and_then(|changes| changes.files.clone());
    if names_files_of_source(arguments) {
        documents.bases = bases(arguments, &stored(quiver).await?);
    }
    documents.fetch(arguments, Some(quiver)).await?;
    let options = IngestOptions { stop: Some(stop.clone()), ..options(settings) };
    let (began, files_all) = (Instant::now(), documents.count_files());
    let receipt = quiver
        .ingest(&mut documents)
        .options(options)
        .on_progress(&|receipt| {
            let files = seen.lock().unwrap_or_else(PoisonError::into_inner).files;
            progress.tell(&how_far(files, files_all, receipt, began.elapsed()));
        })
        .await;
    let receipt = match receipt {
        Ok(receipt) if !receipt.stopped => {
            indexing.store(true, Ordering::Relaxed);
            build_index(quiver, &progress).await.map(|()| receipt)
        }
        receipt => receipt.map_err(anyhow::Error::from),
    };
    progress.finish();
    listener.abort();
    let mut receipt = receipt?;
    documents.note_left_out();
    let gone_pages = documents.note_pages(&mut receipt);
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let mut there = stored(quiver).await?;
    let pruned = if arguments.prune && !receipt.stopped {
        gone_all(arguments, changes, &documents, &seen, &gone_pages, &there)
    } else {
        Vec::new()
    };
    for key in &pruned {
        quiver.delete(key).await?;
    }
    there.retain(|key| !pruned.contains(key));
    tell_former(&there, &seen);
    tell_nothing(arguments, changes, &seen);
    tell_textless(arguments, changes, &documents, &seen, &there);
    end(arguments, &receipt, &seen, &pruned, changes, settings, output)
}

/// Returns the keys of all documents, including incomplete ones.
async fn stored(quiver: &Quiver) -> Result<Vec<String>> {
    let whole = quiver.documents().await?.into_iter().map(|document| document.key);
    Ok(whole.chain(quiver.unfinished_documents().await?).collect())
}

/// Reports an ingest, and returns the exit code.
fn end(
    arguments: &IngestArguments,
    receipt: &Receipt,
    seen: &Seen,
    pruned: &[String],
    changes: Option<&Changes>,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    report(arguments, receipt, seen, pruned, changes.is_some(), output)?;
    if let Some(why) = &receipt.out_of_budget {
        note(why);
        let keeps_replies = settings.chat.cache.as_ref().is_none_or(|cache| !cache.as_os_str().is_empty());
        let kept = if keeps_replies { ", and so are the replies already paid for" } else { "" };
        note(&format!("the work reported above is kept{kept}; the same command resumes"));
        return Ok(Exit::Budget);
    }
    if receipt.stopped {
        note("stopped; the work reported above is kept, and the same command resumes");
        return Ok(Exit::Interrupted);
    }
    Ok(if seen.skipped.is_empty() { Exit::Done } else { Exit::Input })
}

/// A server's reply to documents.
#[cfg(feature = "serve")]
#[derive(serde::Deserialize)]
struct Replied {
    documents: RepliedDocuments,
    passages: RepliedPassages,
    referenced: quiver::Referenced,
    problems: Vec<String>,
    out_of_budget: Option<String>,
}

#[cfg(feature = "serve")]
#[derive(serde::Deserialize)]
struct RepliedDocuments {
    added: usize,
    replaced: usize,
    unchanged: usize,
}

#[cfg(feature = "serve")]
#[derive(serde::Deserialize)]
struct RepliedPassages {
    written: usize,
    kept: usize,
    removed: usize,
    fallen_back: usize,
}

#[cfg(feature = "serve")]
impl Replied {
    fn add_to(self, receipt: &mut Receipt) {
        receipt.documents_added += self.documents.added;
        receipt.documents_replaced += self.documents.replaced;
        receipt.documents_unchanged += self.documents.unchanged;
        receipt.passages_written += self.passages.written;
        receipt.passages_kept += self.passages.kept;
        receipt.passages_removed += self.passages.removed;
        receipt.passages_fallen_back += self.passages.fallen_back;
        receipt.refer(self.referenced);
        receipt.problems.extend(self.problems);
        receipt.stopped |= self.out_of_budget.is_some();
        receipt.out_of_budget = receipt.out_of_budget.take().or(self.out_of_budget);
    }
}

/// Documents to send to a server.
#[cfg(feature = "serve")]
#[derive(Default, serde::Serialize)]
struct Sent {
    documents: Vec<Document>,
}

/// Reads the files here, and has a server ingest them.
#[cfg(feature = "serve")]
pub(super) async fn run_over(
    reached: &mut Reached,
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    if arguments.budget.is_some() || arguments.batch.is_some() {
        let message = "--budget and --batch can't be used over a server: `quiver serve` has its own";
        return Err(crate::exit::Failed::usage(message).into());
    }
    check_globs(arguments)?;
    if risks_source(arguments, changes) {
        check_source(arguments, &stored_over(reached).await?)?;
    }
    let progress = Arc::new(Progress::new(arguments.quiet));
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut documents = Documents::of(arguments, settings, &seen, &progress)?;
    documents.options.only = changes.and_then(|changes| changes.files.clone());
    if names_files_of_source(arguments) {
        documents.bases = bases(arguments, &stored_over(reached).await?);
    }
    documents.fetch(arguments, None).await?;
    let (began, files_all) = (Instant::now(), documents.count_files());
    let (mut receipt, mut sent, mut bytes) = (Receipt::default(), Sent::default(), 0);
    while !receipt.stopped {
        let next = documents.next();
        let is_last = next.is_none();
        bytes += next.as_ref().map_or(0, |document| document.text.len());
        sent.documents.extend(next);
        let is_full = bytes >= SENT_BYTES || sent.documents.len() >= SENT_DOCUMENTS;
        if (is_last || is_full) && !sent.documents.is_empty() {
            let reply: Replied = reached.post("/v1/documents?ids=true", &sent).await?;
            reply.add_to(&mut receipt);
            (sent, bytes) = (Sent::default(), 0);
            let files = seen.lock().unwrap_or_else(PoisonError::into_inner).files;
            progress.tell(&how_far(files, files_all, &receipt, began.elapsed()));
        }
        if is_last {
            break;
        }
    }
    progress.finish();
    documents.note_left_out();
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let mut there = stored_over(reached).await?;
    let pruned = if arguments.prune && !receipt.stopped {
        gone(arguments, changes, &documents, &seen, &there)
    } else {
        Vec::new()
    };
    for some in pruned.chunks(PRUNED_AT_ONCE) {
        let words = ["delete", "--json", "--"].map(str::to_owned).into_iter().chain(some.iter().cloned());
        reached.send(&Run { arguments: words.collect(), ..Run::default() }).await?;
    }
    there.retain(|key| !pruned.contains(key));
    tell_former(&there, &seen);
    tell_nothing(arguments, changes, &seen);
    tell_textless(arguments, changes, &documents, &seen, &there);
    end(arguments, &receipt, &seen, &pruned, changes, settings, output)
}

/// Returns the keys of all documents on a server, including incomplete ones.
#[cfg(feature = "serve")]
async fn stored_over(reached: &mut Reached) -> Result<Vec<String>> {
    let arguments = ["documents", "--json"].map(str::to_owned).to_vec();
    let listed = reached.send(&Run { arguments, ..Run::default() }).await?;
    let listed: serde_json::Value = serde_json::from_str(&listed.output)?;
    let keys = ["documents", "unfinished"].into_iter().filter_map(|field| listed[field].as_array());
    let keys = keys.flatten().filter_map(|one| one.as_str().or_else(|| one["key"].as_str()));
    Ok(keys.map(str::to_owned).collect())
}

/// Describes the progress of an ingest: the share of the files, what was written, and the time left at this rate.
fn how_far(files: usize, all: usize, receipt: &Receipt, elapsed: Duration) -> String {
    let passages = receipt.passages_written + receipt.passages_kept;
    let rate = passages as f64 / elapsed.as_secs_f64().max(0.001);
    let written = format!("{} written", count(receipt.passages_written, "passage"));
    if files == 0 || files > all {
        return format!("{written}, {rate:.0}/s");
    }
    let left = elapsed.mul_f64((all - files) as f64 / files as f64).as_secs();
    let left = if left < 120 { format!("{left} s") } else { format!("{} min", left.div_ceil(60)) };
    format!(
        "{files} of {} ({} %), {written}, {rate:.0}/s, about {left} left",
        count(all, "file"),
        files * 100 / all
    )
}

/// A path that is ingested.
struct Root {
    path: PathBuf,
    is_file: bool,
    /// What the keys of its documents begin with: those of a folder's files, or of a file's records.
    below: String,
}

/// What is left of a document's file below a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// The file.
    File,
    /// The file that contained the record.
    FileOfRecord,
    Nothing,
}

impl Left {
    /// Returns what is left below a folder of a document, given what follows the prefix in its key.
    fn below(folder: &Path, rest: &str) -> Self {
        let is_there = |rest: &str| folder.join(rest).exists();
        if is_there(rest) {
            Self::File
        } else if rest.match_indices('#').any(|(at, _)| is_there(&rest[..at])) {
            Self::FileOfRecord
        } else {
            Self::Nothing
        }
    }
}

impl Root {
    /// Returns the paths that exist.
    fn all(arguments: &IngestArguments, stored: &[String]) -> Vec<Self> {
        let bases = bases(arguments, stored);
        let root = |named: &PathBuf| {
            let path = named.canonicalize().ok()?;
            let is_file = path.is_file();
            let below = match &arguments.source {
                Some(source) if is_file => {
                    let folder = bases.get(named).map(PathBuf::as_path).or(path.parent())?;
                    format!("{}#", read::key_of_file(folder, &path, Some(source)))
                }
                Some(source) => source.prefix(),
                None if is_file => format!("{}#", path.display()),
                None => format!("{}/", path.display()),
            };
            Some(Self { path, is_file, below })
        };
        arguments.paths.iter().filter_map(root).collect()
    }

    /// Returns what is left of a document's file; `None` if the document is not from below this path.
    fn left(&self, key: &str) -> Option<Left> {
        let rest = key.strip_prefix(&self.below)?;
        Some(if self.is_file { Left::FileOfRecord } else { Left::below(&self.path, rest) })
    }

    /// Returns the other folder that has the files of most documents of the source that are gone from this one, if there
    /// is one: a folder around this one, or for several documents one beside it. Then the source was ingested from
    /// there. A folder that has the files of those still there too is a copy.
    fn elsewhere(&self, gone: &[&String], there: &[&String]) -> Option<PathBuf> {
        let has_most_of = |folder: &Path, keys: &[&String]| {
            let rests = keys.iter().filter_map(|key| key.strip_prefix(&self.below));
            2 * rests.filter(|rest| Left::below(folder, rest) != Left::Nothing).count() > keys.len()
        };
        let has_most = |folder: &Path| has_most_of(folder, gone) && !has_most_of(folder, there);
        let around = self.path.ancestors().skip(1).find(|folder| has_most(folder)).map(Path::to_owned);
        let beside = || {
            let entries = fs::read_dir(self.path.parent()?).ok()?;
            let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            folders.retain(|folder| *folder != self.path && folder.is_dir());
            folders.sort();
            folders.into_iter().find(|folder| has_most(folder))
        };
        around.or_else(|| if gone.len() > 1 { beside() } else { None })
    }
}

/// Whether files are named that a source may already have from a folder.
fn names_files_of_source(arguments: &IngestArguments) -> bool {
    arguments.source.is_some() && arguments.paths.iter().any(|path| path.is_file())
}

/// Returns the folders that keys of the source are relative to, for each named file that the source has from a folder
/// around it: the file keeps its key when it is ingested by itself.
fn bases(arguments: &IngestArguments, stored: &[String]) -> HashMap<PathBuf, PathBuf> {
    let Some(source) = &arguments.source else { return HashMap::new() };
    let base = |named: &PathBuf| {
        let path = named.canonicalize().ok().filter(|path| path.is_file())?;
        let within = read::path_in_source(&path, source, stored.iter().map(String::as_str))?;
        let base = path.ancestors().nth(Path::new(within).components().count())?;
        Some((named.clone(), base.to_owned()))
    };
    arguments.paths.iter().filter_map(base).collect()
}

/// Whether the folder may not be the one that the source was ingested from.
fn risks_source(arguments: &IngestArguments, changes: Option<&Changes>) -> bool {
    let is_all = changes.is_none_or(|changes| changes.files.is_none());
    arguments.source.is_some() && arguments.prune && !arguments.yes && is_all
}

/// Refuses to prune a source if most of its documents have no file in the folders, or if another folder has the files:
/// then the source is probably that of another folder, or of more folders.
fn check_source(arguments: &IngestArguments, stored: &[String]) -> Result<()> {
    let roots = Root::all(arguments, stored);
    let folders: Vec<&Root> = roots.iter().filter(|root| !root.is_file).collect();
    let (Some(folder), Some(source)) = (folders.first(), &arguments.source) else { return Ok(()) };
    let own = stored.iter().filter(|key| key.starts_with(&folder.below));
    let (there, gone): (Vec<&String>, Vec<&String>) =
        own.partition(|key| roots.iter().filter_map(|root| root.left(key)).any(|left| left != Left::Nothing));
    if gone.is_empty() {
        return Ok(());
    }
    let elsewhere = folders
        .iter()
        .filter_map(|root| root.elsewhere(&gone, &there))
        .find(|other| folders.iter().all(|root| root.path != *other));
    if gone.len() <= there.len() && elsewhere.is_none() {
        return Ok(());
    }
    let named: Vec<&str> = gone.iter().take(NAMED_MAX).map(|key| key.as_str()).collect();
    let more = if gone.len() > named.len() { ", …" } else { "" };
    let paths: Vec<String> = folders.iter().map(|root| root.path.display().to_string()).collect();
    let but = elsewhere.map_or_else(String::new, |other| format!(" but in {}", other.display()));
    let message = format!(
        "--prune would delete {} of the {} of the source {source}, since their files are not in {}{but}: {}{more}; \
         nothing was ingested or deleted. If the source is another folder, name that folder or another --source; if \
         the files are gone, `quiver ingest --prune --yes` deletes the documents, and --dry-run lists them",
        gone.len(),
        count(there.len() + gone.len(), "document"),
        paths.join(" and "),
        named.join(", "),
    );
    Err(Failed::usage(message).into())
}

/// Returns the documents whose files or pages are gone.
fn gone_all(
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    documents: &Documents,
    seen: &Seen,
    gone_pages: &[String],
    there: &[String],
) -> Vec<String> {
    let pages = there.iter().filter(|key| is_of_page(key, gone_pages)).cloned();
    gone(arguments, changes, documents, seen, there).into_iter().chain(pages).collect()
}

/// Returns the documents below the given paths whose files are gone. If everything could be read, also returns those of
/// records that are no longer in their files.
fn gone(
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    documents: &Documents,
    seen: &Seen,
    there: &[String],
) -> Vec<String> {
    if let Some(Changes { files: Some(files), gone }) = changes {
        return gone_by_changes(arguments, files, gone, documents, seen, there);
    }
    let roots = Root::all(arguments, there);
    let textless = textless(arguments, &roots, documents, seen, there);
    let is_gone = |key: &&String| {
        if documents.origins.contains_key(&hash(key)) {
            return false;
        }
        if textless.contains(key) {
            return true;
        }
        let left: Vec<Left> = roots.iter().filter_map(|root| root.left(key)).collect();
        // What an unreadable file contains is not gone.
        let is_kept = |left: &Left| match left {
            Left::File => true,
            Left::FileOfRecord => !seen.skipped.is_empty(),
            Left::Nothing => false,
        };
        !left.is_empty() && !left.iter().any(is_kept)
    };
    there.iter().filter(is_gone).cloned().collect()
}

/// Returns the documents whose files are in the given folders and have no text any more.
fn textless<'k>(
    arguments: &IngestArguments,
    roots: &[Root],
    documents: &Documents,
    seen: &Seen,
    there: &'k [String],
) -> HashSet<&'k String> {
    if !seen.left_out.contains_key(&LeftOutKind::Textless) {
        return HashSet::new();
    }
    let unread: HashMap<&str, &String> = there
        .iter()
        .filter(|key| !documents.origins.contains_key(&hash(key)))
        .map(|key| (key.as_str(), key))
        .collect();
    let mut textless = HashSet::new();
    // A file that is named has to have a text, and what is wrong with it is a problem.
    for root in roots.iter().filter(|root| !root.is_file) {
        let files = read::files(&root.path, &documents.options).into_keys().filter_map(|file| {
            let key = read::key_of_file(&root.path, &file, arguments.source.as_ref());
            Some((file, *unread.get(key.as_str())?))
        });
        let mut files: BTreeMap<PathBuf, &String> = files.collect();
        let only = Some(files.keys().cloned().collect());
        for document in read(&root.path, &ReadOptions { only, ..documents.options.clone() }) {
            match document {
                Ok(document) => files.retain(|_, key| **key != document.key),
                Err(problem) => drop(files.remove(&problem.path)),
            }
        }
        textless.extend(files.into_values());
    }
    textless
}

/// Names the documents that keep an earlier text, although their files have none any more.
fn tell_textless(
    arguments: &IngestArguments,
    changes: Option<&Changes>,
    documents: &Documents,
    seen: &Seen,
    there: &[String],
) {
    if changes.is_some() {
        return;
    }
    let roots = Root::all(arguments, there);
    let mut kept: Vec<&String> = textless(arguments, &roots, documents, seen, there).into_iter().collect();
    kept.sort();
    let named: Vec<&str> = kept.iter().take(NAMED_MAX).map(|key| key.as_str()).collect();
    let more = if kept.len() > named.len() { ", …" } else { "" };
    let (keep, files, delete) = match kept.len() {
        0 => return,
        1 => ("keeps its", "its file has", "it"),
        _ => ("keep their", "their files have", "them"),
    };
    note(&format!(
        "{} {keep} earlier text although {files} none any more: {}{more}; --prune deletes {delete}",
        count(kept.len(), "document"),
        named.join(", ")
    ));
}

/// Returns the documents of deleted files, and those that a changed file no longer has.
fn gone_by_changes(
    arguments: &IngestArguments,
    files: &BTreeSet<PathBuf>,
    gone: &BTreeSet<PathBuf>,
    documents: &Documents,
    seen: &Seen,
    there: &[String],
) -> Vec<String> {
    let Some(root) = arguments.paths.first().and_then(|path| path.canonicalize().ok()) else {
        return Vec::new();
    };
    let keys = |files: &BTreeSet<PathBuf>| -> HashSet<String> {
        files.iter().map(|file| read::key_of_file(&root, file, arguments.source.as_ref())).collect()
    };
    let (gone, changed) = (keys(gone), keys(files));
    // A key is that of a file, or begins with it and a separator.
    let is_of = |key: &str, files: &HashSet<String>| {
        files.contains(key) || key.match_indices('#').any(|(at, _)| files.contains(&key[..at]))
    };
    let is_gone = |key: &&String| {
        let was_read = documents.origins.contains_key(&hash(key));
        !was_read && (is_of(key, &gone) || seen.skipped.is_empty() && is_of(key, &changed))
    };
    there.iter().filter(is_gone).cloned().collect()
}

/// Names the documents that are also stored under the key that an earlier version gave them.
fn tell_former(there: &[String], seen: &Seen) {
    let there: HashSet<&String> = there.iter().collect();
    let former: Vec<&String> = seen.former.keys().filter(|key| there.contains(key)).collect();
    let Some(first) = former.first() else { return };
    note(&format!(
        "{} by an earlier version, which did not distinguish folders, and are now duplicated: {first} is also {}. \
         Delete the old ones: quiver delete {}{}",
        match former.len() {
            1 => "1 document was ingested".to_owned(),
            number => format!("{number} documents were ingested"),
        },
        seen.former[*first],
        former.iter().take(8).map(|key| format!("{key:?}")).collect::<Vec<_>>().join(" "),
        if former.len() > 8 { " … (`quiver documents` lists them)" } else { "" },
    ));
}

/// Prints what an ingest would cost with a language model.
async fn estimate(
    arguments: &IngestArguments,
    settings: &Settings,
    progress: Arc<Progress>,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open_or_imagine(settings).await?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut documents = Documents::of(arguments, settings, &seen, &progress)?;
    if names_files_of_source(arguments) {
        documents.bases = bases(arguments, &stored(&quiver).await?);
    }
    documents.fetch(arguments, Some(&quiver)).await?;
    let estimate = quiver.estimate_ingest(&mut documents, &options(settings)).await;
    progress.finish();
    let estimate = estimate?;
    let gone_pages = documents.note_pages(&mut Receipt::default());
    let stored = if arguments.prune { stored(&quiver).await? } else { Vec::new() };
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let gone = gone_all(arguments, None, &documents, &seen, &gone_pages, &stored);
    if risks_source(arguments, None)
        && let Err(refused) = check_source(arguments, &stored)
    {
        note(&message(&refused));
    }
    if output.is_json() {
        output.document(json::Estimated::of(&estimate, &seen.skipped, &gone))?;
    } else {
        let IngestEstimate { documents, passages, most, .. } = estimate;
        output.line(format_args!(
            "{}, {} to write",
            count(documents, "document"),
            count(passages, "passage")
        ))?;
        match quiver.chat_model_for(ChatJob::Extract).filter(|_| settings.chat.extracts()) {
            Some(model) => {
                let asked = most.calls - most.calls_cached;
                output.line(format_args!(
                    "{} would be called at most {} times; {} more calls are answered from the cache",
                    model.model(),
                    asked,
                    most.calls_cached
                ))?;
                output.line(format_args!(
                    "about {} input and at most {} output tokens, for {:.4} in the currency of the prices",
                    most.tokens_in,
                    most.tokens_out,
                    most.cost()
                ))?;
            }
            None => output.line("no language model is used")?,
        }
        if arguments.prune {
            output.line(format_args!("would delete {}", count(gone.len(), "document")))?;
        }
        for key in &gone {
            output.line(format_args!("  {key}"))?;
        }
    }
    Ok(if seen.skipped.is_empty() { Exit::Done } else { Exit::Input })
}

fn options(settings: &Settings) -> IngestOptions {
    let defaults = IngestOptions::default();
    let usual = if settings.chat.extracts() { BATCH_WITH_MODEL } else { defaults.passages_per_batch };
    IngestOptions { passages_per_batch: settings.batch.unwrap_or(usual), ..defaults }
}

/// Builds the index for dense vectors if it pays.
async fn build_index(quiver: &Quiver, progress: &Progress) -> Result<()> {
    quiver
        .build_index(&|share| {
            let what = format!("indexing {}", share.collection);
            progress.tell_share(&what, share.done, share.total);
        })
        .await?;
    Ok(())
}

/// Waits for an interruption. The first one stops once the batches that are prepared are written, the second one at
/// once. Building an index has no batches.
async fn listen(stop: Arc<AtomicBool>, indexing: Arc<AtomicBool>, progress: Arc<Progress>, json: bool) {
    loop {
        interruption().await;
        if stop.swap(true, Ordering::Relaxed) || indexing.load(Ordering::Relaxed) {
            progress.finish();
            interrupt::end(json, "aborted; the same command resumes after the last batch");
        }
        progress.say("stopping once the prepared batches are written; interrupt again to abort");
    }
}

/// Reports what was done, once or as one of several reports.
fn report(
    arguments: &IngestArguments,
    receipt: &Receipt,
    seen: &Seen,
    pruned: &[String],
    is_one_of_several: bool,
    output: &mut Output,
) -> Result<()> {
    let Seen { skipped, left_out, .. } = seen;
    for problem in &receipt.problems {
        note(problem);
    }
    if output.is_json() {
        let ingested = json::Ingested::of(receipt, skipped, left_out, pruned);
        if is_one_of_several {
            return Ok(output.json_line(ingested)?);
        }
        return Ok(output.document(ingested)?);
    }
    if arguments.quiet {
        return Ok(());
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
            "{} extracted by rules only, as reported above",
            count(receipt.passages_fallen_back, "passage")
        ))?;
    }
    if receipt.ledger.total.calls > 0 {
        output.line(format_args!("language model: {}", receipt.ledger.total))?;
    }
    if !pruned.is_empty() {
        output.line(format_args!(
            "deleted {} whose files, pages or records no longer exist or have no text:",
            count(pruned.len(), "document")
        ))?;
        for key in pruned {
            output.line(format_args!("  {key}"))?;
        }
    }
    for (what, (number, path)) in &seen.guesses {
        note(&format!(
            "the text of {} was taken from {what}, because there is no field `text` (first in {}); --text-field selects another",
            count(*number, "record"),
            path.display()
        ));
    }
    for (kind, (count, names)) in left_out {
        let more = if *count > names.len() { ", …" } else { "" };
        output.line(format_args!("{kind} not read ({count}): {}{more}", names.join(", ")))?;
    }
    if !skipped.is_empty() {
        output.line(format_args!("{} skipped, as reported above", skipped.len()))?;
    }
    Ok(())
}

/// What happened to the files.
#[derive(Default)]
struct Seen {
    /// What could not be read.
    skipped: Vec<String>,
    /// What was left out on purpose.
    left_out: LeftOut,
    /// Number of opened files.
    files: usize,
    /// The guessed text fields of records.
    guesses: Guesses,
    /// The keys that an earlier version would have given, with the current keys of the documents.
    former: BTreeMap<String, String>,
}

/// Whether an argument is a web address.
#[cfg(not(feature = "web"))]
fn is_address(argument: &str) -> bool {
    argument.starts_with("http://") || argument.starts_with("https://")
}

/// Whether a document is one of these pages, or a record of one.
fn is_of_page(key: &str, pages: &[String]) -> bool {
    pages.iter().any(|page| {
        key.strip_prefix(page.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    })
}

/// The documents of all paths. What can't be read is reported, and skipped or fatal.
struct Documents {
    paths: std::vec::IntoIter<PathBuf>,
    /// The web addresses among the paths.
    addresses: Vec<String>,
    #[cfg(feature = "web")]
    pages: Option<web::Pages>,
    #[cfg(feature = "web")]
    pages_outcome: Arc<Mutex<web::Outcome>>,
    current: Option<(PathBuf, read::Documents)>,
    options: ReadOptions,
    /// The folders of the source that the named files are in, by the files.
    bases: HashMap<PathBuf, PathBuf>,
    /// The format of standard input.
    stdin_as: Option<String>,
    /// Where each key was first read, by the hash of the key.
    origins: HashMap<u128, PathBuf>,
    on_error: OnError,
    seen: Arc<Mutex<Seen>>,
    progress: Arc<Progress>,
}

impl Documents {
    fn of(
        arguments: &IngestArguments,
        settings: &Settings,
        seen: &Arc<Mutex<Seen>>,
        progress: &Arc<Progress>,
    ) -> Result<Self> {
        let seconds = arguments.file_seconds.unwrap_or(FILE_SECONDS);
        let untrusted = untrusted::reader(Duration::from_secs(seconds))?;
        let address = |path: &PathBuf| path.to_str().filter(|text| is_address(text)).map(str::to_owned);
        let addresses: Vec<String> = arguments.paths.iter().filter_map(address).collect();
        let paths: Vec<PathBuf> =
            arguments.paths.iter().filter(|path| address(path).is_none()).cloned().collect();
        Ok(Self {
            paths: paths.into_iter(),
            addresses,
            #[cfg(feature = "web")]
            pages: None,
            #[cfg(feature = "web")]
            pages_outcome: Arc::default(),
            current: None,
            options: ReadOptions {
                source: arguments.source.clone(),
                include: arguments.include.clone(),
                exclude: arguments.exclude.clone(),
                fields: RecordFields {
                    text: arguments.text_field.clone(),
                    title: arguments.title_field.clone(),
                    id: arguments.id_field.clone(),
                },
                untrusted,
                is_database: store::is_database,
                ..ReadOptions::default()
            },
            bases: HashMap::new(),
            stdin_as: arguments.stdin_as.clone(),
            origins: HashMap::new(),
            on_error: settings.on_error,
            seen: Arc::clone(seen),
            progress: Arc::clone(progress),
        })
    }

    /// Starts to fetch the pages. Those that the database has are requested only if they changed.
    #[cfg(feature = "web")]
    async fn fetch(&mut self, arguments: &IngestArguments, quiver: Option<&Quiver>) -> Result<()> {
        if self.addresses.is_empty() {
            return Ok(());
        }
        let known = match quiver {
            Some(quiver) => web::known(quiver).await?,
            None => HashMap::new(),
        };
        let links = &arguments.links;
        let options = quiver_web::CrawlOptions {
            depth_max: if links.crawl { links.depth.unwrap_or(DEPTH) } else { 0 },
            pages_max: if links.crawl { links.limit.unwrap_or(PAGES) as usize } else { usize::MAX },
            same_host: links.same_host,
            ..quiver_web::CrawlOptions::default()
        };
        let addresses = std::mem::take(&mut self.addresses);
        let outcome = &self.pages_outcome;
        let pages = web::Pages::fetch(&addresses, known, options, &self.options, arguments.prune, outcome);
        self.pages = Some(pages);
        Ok(())
    }

    #[cfg(not(feature = "web"))]
    #[expect(clippy::unused_async, reason = "the same signature as where pages are fetched")]
    async fn fetch(&mut self, _: &IngestArguments, _: Option<&Quiver>) -> Result<()> {
        match self.addresses.first() {
            Some(address) => {
                anyhow::bail!("{address}: this build can't fetch pages; build with the feature `web`")
            }
            None => Ok(()),
        }
    }

    /// Counts the unchanged pages, and returns the addresses of those that are gone.
    #[cfg_attr(
        not(feature = "web"),
        expect(clippy::unused_self, reason = "there are pages with the feature")
    )]
    fn note_pages(&mut self, receipt: &mut Receipt) -> Vec<String> {
        #[cfg(feature = "web")]
        {
            let outcome =
                std::mem::take(&mut *self.pages_outcome.lock().unwrap_or_else(PoisonError::into_inner));
            receipt.documents_unchanged += outcome.unchanged;
            outcome.gone
        }
        #[cfg(not(feature = "web"))]
        {
            let _ = receipt;
            Vec::new()
        }
    }

    /// Returns the next document of a page, or what is wrong with one.
    #[cfg_attr(
        not(feature = "web"),
        expect(clippy::unused_self, reason = "there are pages with the feature")
    )]
    fn next_page(&mut self) -> Option<std::result::Result<Document, String>> {
        #[cfg(feature = "web")]
        {
            let next = self.pages.as_mut()?.next();
            if next.is_none() {
                self.pages = None;
            }
            next
        }
        #[cfg(not(feature = "web"))]
        None
    }

    /// Reports something that can't be read.
    fn skip(&mut self, problem: String) {
        self.progress.say(&problem);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).skipped.push(problem);
        if self.on_error == OnError::Stop {
            self.progress.say("ingest stopped because of --on-error stop; earlier work is kept");
            self.note_left_out();
            self.paths = Vec::new().into_iter();
            #[cfg(feature = "web")]
            {
                self.pages = None;
            }
        }
    }

    /// Returns the number of files to read, as far as it is known in advance.
    fn count_files(&self) -> usize {
        self.paths.as_slice().iter().map(|path| read::count_files(path, &self.options)).sum()
    }

    /// Adds what was left out of the current path.
    fn note_left_out(&mut self) {
        let Some((_, documents)) = self.current.take() else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (what, (count, path)) in documents.guesses() {
            seen.guesses.entry(what).or_insert_with(|| (0, path)).0 += count;
        }
        for (kind, (count, names)) in documents.left_out() {
            let (all, named) = seen.left_out.entry(kind).or_default();
            *all += count;
            if named.is_empty() {
                *named = names;
            }
        }
    }

    /// Returns whether to ingest a document, or what is wrong with it.
    fn take(&mut self, document: &Document) -> Result<bool, String> {
        let Some((path, documents)) = &self.current else { return Ok(true) };
        let first = self.origins.entry(hash(&document.key)).or_insert_with(|| path.clone());
        if first != path {
            // Without a source, the same key is the same file, named twice.
            if self.options.source.is_none() {
                return Ok(false);
            }
            return Err(format!(
                "{}: the document {:?} would replace one from {}; ingest a folder that contains both, or give each its own \
                 --source",
                path.display(),
                document.key,
                first.display()
            ));
        }
        if let Some(former) = documents.former_key(document) {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.former.insert(former, document.key.clone());
        }
        Ok(true)
    }
}

impl Iterator for Documents {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            match self.next_page() {
                Some(Ok(document)) => return Some(document),
                Some(Err(problem)) => {
                    self.skip(problem);
                    continue;
                }
                None => {}
            }
            let Some((_, documents)) = &mut self.current else {
                let path = self.paths.next()?;
                if let Some(problem) = unread_address(&path) {
                    self.skip(problem);
                    continue;
                }
                let documents = if path.as_os_str() == STANDARD_INPUT {
                    read_stream("stdin", self.stdin_as.as_deref(), std::io::stdin(), &self.options)
                } else {
                    let base = self.bases.get(&path).cloned();
                    read(&path, &ReadOptions { base, ..self.options.clone() })
                };
                self.current = Some((path, documents));
                continue;
            };
            let files_before = documents.files();
            let next = documents.next();
            let files = documents.files() - files_before;
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).files += files;
            let problem = match next {
                None => {
                    self.note_left_out();
                    continue;
                }
                Some(Ok(document)) => match self.take(&document) {
                    Ok(true) => return Some(document),
                    Ok(false) => continue,
                    Err(problem) => problem,
                },
                Some(Err(problem)) => problem.to_string(),
            };
            self.skip(problem);
        }
    }
}

/// Hashes a key, so that a million keys need not be kept. A collision within one ingest is practically impossible.
fn hash(key: &str) -> u128 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
