//! Reads documents from files and folders.
//!
//! [`read`] yields one document after another, and a [`ReadProblem`] for each part that can't be read. It continues
//! after a problem; the caller may stop. The extension of a file determines its format, and for `.json` also its
//! content:
//!
//! | extension | documents |
//! | --- | --- |
//! | `.md`, `.markdown`, `.mdx` | one, with the title from its front matter, or else from its first heading; a date in the front matter is its time, and other fields are its metadata; HTML in it is read as text |
//! | `.html`, `.htm`, `.xhtml` | one, without scripts, styles and navigation, with headings and front matter as in Markdown |
//! | `.pdf` | one, with the feature `pdf`, depending on [`ReadOptions::untrusted`] |
//! | `.jsonl`, `.ndjson` | one for each line: `{"title"?, "text", "id"?, "time"?, "metadata"?, "triples"?}` |
//! | `.json` | one such object, a list of them, a map from titles to texts or lists of sentences, or `{"docs": […]}` with `extracted_triples` |
//! | `.csv`, `.tsv` | one, in which each row is a paragraph with the names of its columns; a note if rows differ in length |
//! | `.docx`, `.epub` | one, with headings as in Markdown |
//! | `.pptx` | one, each slide a section with its title, text, tables and notes |
//! | `.xlsx`, `.xlsm`, `.ods` | one, each sheet a section in which each row is a paragraph with the names of its columns; with the feature `spreadsheets`, depending on [`ReadOptions::untrusted`] |
//! | `.rst`, `.org` | one, with headings and code as in Markdown |
//! | `.adoc`, `.asciidoc` | one, with headings, links, lists and code as in Markdown; author, revision and description in its header are its time and metadata |
//! | `.1` to `.9`, also with letters such as `.3p` | one with its headings, if the content is a manual page |
//! | `.ipynb` | one, with the text and the code of its cells, without the output |
//! | `.eml`, `.mbox` | one for each message, with its subject as title and its date as time |
//! | `.rs`, `.py`, `.go`, `.ts`, `.java`, `.c` and those of other languages | one of source code, with its path as title |
//! | any other | one, if it is text; pictures, sound, archives and programs are omitted |

mod archive;
mod asciidoc;
mod book;
mod embedded;
mod file;
mod front_matter;
mod head;
mod html;
mod json;
mod left_out;
mod mail;
mod man;
mod markdown_html;
mod markup;
mod notebook;
mod pdf;
mod picture;
mod place;
mod problem;
mod program;
mod record;
mod restructured_line;
mod restructured_table;
mod row;
mod slides;
mod table;
mod text;
mod title;
mod word;
#[cfg(feature = "spreadsheets")]
mod workbook;
mod xml;

pub use left_out::{LeftOut, LeftOutKind};
pub use place::{SourceName, keys_of_path, path_in_source};
pub use problem::{Place, ReadProblem};
pub use program::{ReaderProgram, Untrusted, serve};

use crate::{
    chunk::is_code,
    document::{Document, Format},
};
use ignore::{
    Walk, WalkBuilder,
    overrides::{Override, OverrideBuilder},
};
use left_out::Tally;
use place::Root;
use program::Content;
use record::{Common, Keys, Record};
pub use record::{Guesses, RecordFields};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Options for reading files.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The source name that prefixes document keys, instead of the path.
    pub source: Option<SourceName>,
    /// The absolute path of the folder that keys with a source are relative to, for a file or folder in it that is read by
    /// itself. The default is the path that is read.
    pub base: Option<PathBuf>,
    /// Whether to read files and folders whose names begin with a dot. The default is no. A file that the caller names
    /// is always read.
    pub hidden: bool,
    /// Whether to read files that a `.gitignore`, `.ignore` or `.quiverignore` excludes. The default is no.
    pub ignored: bool,
    /// Globs relative to the folder, with the syntax of `.gitignore`. If there are any, only files that match one of
    /// them are read, including hidden, generated and ignored ones.
    pub include: Vec<String>,
    /// Globs of files and folders to omit.
    pub exclude: Vec<String>,
    /// If set, only these files of a folder are read, by their absolute paths.
    pub only: Option<BTreeSet<PathBuf>>,
    /// The meanings of the fields of JSON records. Without a setting, common names are tried, and then a guess is made.
    pub fields: RecordFields,
    /// Maximum size of a file in bytes, since a whole document is held in memory. Default 1 GiB. Files with one
    /// document per line are read line by line and may be of any size.
    pub file_bytes_max: u64,
    /// How to read PDF files and workbooks.
    pub untrusted: Untrusted,
    /// Whether a folder is a database, which is left out. The store knows its files. The default takes no folder for
    /// one.
    pub is_database: fn(&Path) -> bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            source: None,
            base: None,
            hidden: false,
            ignored: false,
            include: Vec::new(),
            exclude: Vec::new(),
            only: None,
            fields: RecordFields::default(),
            file_bytes_max: 1 << 30,
            untrusted: Untrusted::default(),
            is_database: |_| false,
        }
    }
}

/// Reads a file, or all files of a folder and its subfolders in the order of their paths.
///
/// A document's key is the absolute path of its file, the same from every working directory, or the name of the
/// [source](ReadOptions::source) and the path within the folder: `docs:guide/start.md`. A record's key is that of its
/// file and its `id`, or else its title, or else a hash of its text: `/data/towns.jsonl#7`. If several texts have the
/// same title, the keys of all but the first end with a hash. The same title and text twice is one document.
///
/// Only regular files are read. Symbolic links in a folder are not followed; `path` itself may be one.
pub fn read(path: &Path, options: &ReadOptions) -> Documents {
    let tally = Tally::default();
    let opened = Root::of(path, options.source.clone()).and_then(|root| {
        let chosen = chosen(root.path(), options)
            .map_err(|error| ReadProblem::new(path, None, format!("invalid glob: {error}"), "correct it"))?;
        Ok((root.below(options.base.clone()), chosen))
    });
    match opened {
        Ok((root, chosen)) => {
            // Its own `.gitignore` excludes everything in it.
            let is_excluded = !options.ignored && options.include.is_empty();
            if is_excluded && root.path().join(".gitignore").is_file() && (options.is_database)(root.path()) {
                tally.add(LeftOutKind::Database, path);
            }
            let files = walk(path, root.path(), options, chosen, &tally);
            let walked = Walked { files, named: path.to_owned(), root };
            Documents::new(Some(walked), None, options, tally)
        }
        Err(problem) => Documents::new(None, Some(problem), options, tally),
    }
}

/// Counts the files that [`read`] would read, without opening them.
pub fn count_files(path: &Path, options: &ReadOptions) -> usize {
    let Ok(root) = Root::of(path, None) else { return 0 };
    let Ok(chosen) = chosen(root.path(), options) else { return 0 };
    let files = walk(path, root.path(), options, chosen, &Tally::default());
    files.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).count()
}

/// Metadata that shows whether a file has changed, without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    bytes: u64,
    written: Option<SystemTime>,
    /// When its metadata last changed, since another file may have replaced it.
    changed: (i64, i64),
}

/// Lists the files that [`read`] would read, by their absolute paths.
pub fn files(path: &Path, options: &ReadOptions) -> BTreeMap<PathBuf, FileState> {
    let Ok(root) = Root::of(path, None) else { return BTreeMap::new() };
    let Ok(chosen) = chosen(root.path(), options) else { return BTreeMap::new() };
    let entries = walk(path, root.path(), options, chosen, &Tally::default()).flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files
        .filter_map(|entry| Some((entry.path().to_owned(), FileState::of(&entry.metadata().ok()?))))
        .collect()
}

impl FileState {
    fn of(metadata: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            (metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = (0, 0);
        Self { bytes: metadata.len(), written: metadata.modified().ok(), changed }
    }
}

/// Returns the key that [`read`] gives to the document of a file in a folder, even if the file no longer exists. Keys
/// of records begin with this key and a `#`. Both paths are absolute.
pub fn key_of_file(folder: &Path, file: &Path, source: Option<&SourceName>) -> String {
    Root::at(folder, source.cloned()).key(file)
}

/// Returns the file extension that [`read_stream`] takes for a media type without parameters; `None` for other types.
pub fn extension_of(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "text/plain" => "txt",
        "text/markdown" => "md",
        "text/html" | "application/xhtml+xml" => "html",
        "text/csv" => "csv",
        "application/json" => "json",
        "application/x-ndjson" | "application/jsonl" => "jsonl",
        "application/pdf" => "pdf",
        "application/epub+zip" => "epub",
        "application/vnd.oasis.opendocument.spreadsheet" => "ods",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        _ => return None,
    })
}

/// Reads a stream, such as standard input, like a file with this name and extension. Document keys consist of the
/// [source](ReadOptions::source) and the name. Without an extension, the content distinguishes JSON, HTML and Markdown.
pub fn read_stream(
    name: &str,
    ending: Option<&str>,
    mut stream: impl std::io::Read + Send + 'static,
    options: &ReadOptions,
) -> Documents {
    let path = Path::new(name);
    let key = options
        .source
        .as_ref()
        .map_or_else(|| name.to_owned(), |source| format!("{}{name}", source.prefix()));
    let mut documents = Documents::new(None, None, options, Tally::default());
    let common = documents.common.clone();
    let records = match ending.map(str::to_lowercase).as_deref() {
        Some("jsonl" | "ndjson") => Ok(json::lines(path, key, stream, options, common)),
        ending => file::all(path, &mut stream, options.file_bytes_max).and_then(|bytes| {
            let ending = ending.map_or_else(|| text::kind(&bytes), str::to_owned);
            if let Untrusted::Program(program) = &options.untrusted
                && program::is_served(&ending)
            {
                let bytes = Content::Bytes(bytes);
                let document = program.document(path, &ending, bytes, options.file_bytes_max)?;
                return one(path, key.clone(), title::of_file(document, &key));
            }
            if ending == "jsonl" {
                return Ok(json::lines(path, key, std::io::Cursor::new(bytes), options, common));
            }
            of_bytes(path, key, &ending, bytes, options, &common)
        }),
    };
    match records {
        Ok(records) => documents.current = Some(records),
        Err(problem) => documents.problem = Some(problem),
    }
    documents
}

/// Checks a glob of [`ReadOptions`].
///
/// # Errors
/// Says why it is invalid.
pub fn check_glob(glob: &str) -> Result<(), String> {
    let mut globs = OverrideBuilder::new("");
    globs
        .add(glob)
        .and_then(|globs| globs.build())
        .map(drop)
        .map_err(|error| format!("invalid glob: {error}"))
}

/// What the caller's globs choose.
fn chosen(root: &Path, options: &ReadOptions) -> Result<Override, ignore::Error> {
    let mut globs = OverrideBuilder::new(root);
    for glob in &options.include {
        globs.add(glob)?;
    }
    for glob in &options.exclude {
        globs.add(&format!("!{glob}"))?;
    }
    globs.build()
}

/// The files below the root, which the caller wrote as `named`.
fn walk(named: &Path, root: &Path, options: &ReadOptions, chosen: Override, tally: &Tally) -> Walk {
    let (hidden, tally, only) = (options.hidden, tally.clone(), options.only.clone());
    let is_database = options.is_database;
    let (own_root, own_named) = (root.to_owned(), named.to_owned());
    let overrides = chosen.clone();
    let mut walk = WalkBuilder::new(root);
    if !options.ignored {
        walk.add_custom_ignore_filename(".quiverignore");
    }
    walk.overrides(overrides)
        .standard_filters(!options.ignored)
        .require_git(false)
        // What is read depends on the folder alone, not on where it lies or who reads it.
        .parents(false)
        .git_global(false)
        .hidden(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if !is_folder && only.as_ref().is_some_and(|only| !only.contains(entry.path())) {
                return false;
            }
            let is_chosen = chosen.matched(entry.path(), is_folder).is_whitelist();
            let left_out = left_out::of_entry(entry, hidden, is_chosen, is_database);
            if let Some(kind) = left_out {
                tally.add(kind, &as_named(&own_named, &own_root, entry.path()));
            }
            left_out.is_none()
        })
        .sort_by_file_path(Path::cmp)
        .build()
}

/// The records of one file, in order.
type Records = Box<dyn Iterator<Item = Result<Record, ReadProblem>> + Send>;

/// The documents, read one after another; created by [`read`].
pub struct Documents {
    walked: Option<Walked>,
    /// What is wrong with the path itself.
    problem: Option<ReadProblem>,
    options: ReadOptions,
    tally: Tally,
    current: Option<Records>,
    /// The file at hand, and how many were opened.
    file: Option<PathBuf>,
    files: usize,
    keys: Keys,
    common: Common,
}

/// The files of a folder.
struct Walked {
    files: Walk,
    /// The path as the caller wrote it, for messages.
    named: PathBuf,
    root: Root,
}

impl Iterator for Documents {
    type Item = Result<Document, ReadProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(record) = self.current.as_mut().and_then(Iterator::next) {
                let record = record.map(|record| self.with_paths_in_notes(record));
                if let Some(result) = record.and_then(|record| self.keys.identify(record)).transpose() {
                    let result = result.map(|document| self.without_embedded_files(document));
                    return Some(result.map_err(|problem| match &self.walked {
                        Some(walked) => walked.named(problem),
                        None => problem,
                    }));
                }
            }
            self.current = None;
            if let Some(problem) = self.problem.take() {
                return Some(Err(problem));
            }
            let walked = self.walked.as_mut()?;
            match walked.files.next()? {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
                Ok(entry) => {
                    let path = entry.path();
                    self.file = Some(path.to_owned());
                    self.files += 1;
                    let opened = match entry.file_type().filter(|kind| !kind.is_file()) {
                        Some(kind) => Err(file::not_regular(path, file::kind(kind))),
                        None => walked.open(path, &self.options, &self.common),
                    };
                    match opened {
                        Ok(records) => self.current = Some(records),
                        // Pages of a folder often consist of front matter. What the caller named has to have a text.
                        Err(problem) if entry.depth() > 0 && problem.is_textless_file() => {
                            self.tally.add(LeftOutKind::Textless, &walked.named(problem).path);
                        }
                        Err(problem) => return Some(Err(walked.named(problem))),
                    }
                }
                Err(error) => return Some(Err(walked.problem(&error))),
            }
        }
    }
}

impl Documents {
    fn new(
        walked: Option<Walked>,
        problem: Option<ReadProblem>,
        options: &ReadOptions,
        tally: Tally,
    ) -> Self {
        let common = Common::new(options.fields.clone());
        let (options, keys) = (options.clone(), Keys::default());
        Self { walked, problem, options, tally, current: None, file: None, files: 0, keys, common }
    }

    /// Returns what was omitted so far without being a problem: hidden files, pictures, symbolic links, embedded files.
    pub fn left_out(&self) -> LeftOut {
        self.tally.get()
    }

    /// Returns the number of files opened so far.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Returns the fields guessed to be the text of records so far.
    pub fn guesses(&self) -> Guesses {
        let mut guesses = self.common.guesses();
        if let Some(walked) = &self.walked {
            for (_, path) in guesses.values_mut() {
                *path = as_named(&walked.named, walked.root.path(), path);
            }
        }
        guesses
    }

    /// Returns the key that an earlier version, which did not distinguish folders, would have given to the document
    /// read last: its path within the folder, or only a record's ID or title.
    pub fn former_key(&self, document: &Document) -> Option<String> {
        let (root, file) = (&self.walked.as_ref()?.root, self.file.as_ref()?);
        match document.key.strip_prefix(&root.key(file))? {
            "" => Some(root.relative(file)),
            record => place::record_of(record).map(str::to_owned),
        }
    }

    fn with_paths_in_notes(&self, mut record: Record) -> Record {
        let path = match &self.walked {
            Some(walked) => as_named(&walked.named, walked.root.path(), &record.source),
            None => record.source.clone(),
        };
        for note in &mut record.document.notes {
            *note = problem::about(&path, note);
        }
        record
    }

    fn without_embedded_files(&self, mut document: Document) -> Document {
        let embedded::Stripped { text, files, .. } = embedded::strip(document.text);
        document.text = text;
        if let (Some(file), Some(walked)) = (self.file.as_ref().filter(|_| files > 0), &self.walked) {
            let file = as_named(&walked.named, walked.root.path(), file);
            self.tally.add_many(LeftOutKind::Embedded, &file, files);
        }
        document
    }
}

impl Walked {
    fn open(&self, path: &Path, options: &ReadOptions, common: &Common) -> Result<Records, ReadProblem> {
        let ending = ending(path);
        let key = self.root.key(path);
        if matches!(ending.as_str(), "jsonl" | "ndjson") {
            return Ok(json::lines(path, key, file::open(path)?, options, common.clone()));
        }
        if let Untrusted::Program(program) = &options.untrusted
            && program::is_served(&ending)
        {
            let file = Content::File(file::open(path)?);
            let document = program.document(path, &ending, file, options.file_bytes_max)?;
            return one(path, key.clone(), title::of_file(document, &key));
        }
        let bytes = file::bytes(path, options)?;
        if is_code(&ending) {
            let (title, text) = (Some(self.root.relative(path)), text::decode(path, bytes)?);
            return one(path, key, Document { title, text, format: Format::Code, ..Document::default() });
        }
        of_bytes(path, key, &ending, bytes, options, common)
    }

    /// The problem with its path as the caller would write it.
    fn named(&self, mut problem: ReadProblem) -> ReadProblem {
        problem.path = as_named(&self.named, self.root.path(), &problem.path);
        problem
    }

    fn problem(&self, error: &ignore::Error) -> ReadProblem {
        let path = walk_path(error).unwrap_or(&self.named);
        self.named(match error.io_error() {
            Some(io) => ReadProblem::io(path, io),
            None => ReadProblem::new(path, None, error.to_string(), "correct the folder or omit it"),
        })
    }
}

/// A path below the root as the caller would write it.
fn as_named(named: &Path, root: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => named.to_owned(),
        Ok(below) => named.join(below),
        Err(_) => path.to_owned(),
    }
}

/// The ending of a file's name, in small letters.
fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase()
}

/// The records of what was read whole, as the ending of its name says.
fn of_bytes(
    path: &Path,
    key: String,
    ending: &str,
    bytes: Vec<u8>,
    options: &ReadOptions,
    common: &Common,
) -> Result<Records, ReadProblem> {
    if left_out::is_media(ending) {
        return Err(left_out::media(path));
    }
    if program::is_unbounded(ending) && options.untrusted == Untrusted::Refuse {
        let mend = "set ReadOptions::untrusted to a program that reads such files, or convert it to text";
        let what = format!("{ending} files are not read unless enabled");
        return Err(ReadProblem::new(path, None, what, mend));
    }
    if program::is_served(ending) {
        let document = program::document(path, ending, bytes, options.file_bytes_max)?;
        return one(path, key.clone(), title::of_file(document, &key));
    }
    match ending {
        "eml" => return one(path, key, mail::message(path, &bytes)?),
        "mbox" => return Ok(Box::new(mail::messages(path, &key, &bytes)?.into_iter())),
        _ => {}
    }
    let text = text::decode(path, bytes)?;
    let document = match ending {
        "json" => return json::records(path, key, &text, common.clone()),
        "html" | "htm" | "xhtml" => text::page(&text),
        "csv" | "tsv" => table::document(path, &text, ending)?,
        "md" | "markdown" | "mdx" => text::markdown(text),
        "ipynb" => notebook::document(path, &text)?,
        "rst" => markup::restructured(&text),
        "adoc" | "asciidoc" => asciidoc::document(&text),
        "org" => markup::org(&text),
        _ if man::is_page(ending, &text) => man::document(&text),
        _ => head::apply(&head::take(&text), Document::new("", text)),
    };
    one(path, key.clone(), title::of_file(document, &key))
}

/// A file that is one document.
fn one(path: &Path, key: String, mut document: Document) -> Result<Records, ReadProblem> {
    if !document.text.contains(char::is_alphanumeric) {
        return Err(ReadProblem::empty(path, None));
    }
    document.key = key;
    let record = Record { document, source: path.to_owned(), place: None, named: true };
    Ok(Box::new(std::iter::once(Ok(record))))
}

/// The path that an error of the walk is about.
fn walk_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => walk_path(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// Marks a text that came with headings in the manner of Markdown.
fn with_headings(text: String, title: Option<String>) -> Document {
    Document { title, text, format: Format::Markdown, ..Document::default() }
}

/// A text on one line, with one space between words.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
