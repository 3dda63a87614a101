//! Reads documents from files and folders.
//!
//! [`read`] yields one document after the other, and a [`ReadProblem`] in place of what can't be read; it goes on
//! after a problem, and the caller decides whether to. What a file holds is told by the ending of its name, and for
//! `.json` by its content:
//!
//! | ending | documents |
//! | --- | --- |
//! | `.md`, `.markdown`, `.mdx` | one, with the title of its front matter, else its first heading; what else the front matter says is metadata, a date the time |
//! | `.html`, `.htm`, `.xhtml` | one, without scripts, styles and navigation, its headings as in Markdown |
//! | `.pdf` | one, with the feature `pdf`, as [`ReadOptions::untrusted`] says |
//! | `.jsonl`, `.ndjson` | one for each line: `{"title"?, "text", "id"?, "time"?, "metadata"?, "triples"?}` |
//! | `.json` | one such object, a list of them, a map from titles to texts or lists of sentences, or `{"docs": […]}` with `extracted_triples` |
//! | `.csv`, `.tsv` | one, in which each row is a paragraph with the names of its columns |
//! | `.docx`, `.epub` | one, its headings as in Markdown |
//! | `.pptx` | one, each slide a section with its title, text, tables and notes |
//! | `.xlsx`, `.xlsm`, `.ods` | one, each sheet a section in which each row is a paragraph with the names of its columns; with the feature `spreadsheets`, as [`ReadOptions::untrusted`] says |
//! | `.rst`, `.adoc`, `.asciidoc`, `.org` | one, its headings and code as in Markdown |
//! | `.1` to `.9`, also with letters such as `.3p` | one with its headings, if it is a manual page by its content too |
//! | `.ipynb` | one, with the text and the code of its cells, and not what the code put out |
//! | `.eml`, `.mbox` | one for each message, with its subject as title and its date as time |
//! | `.rs`, `.py`, `.go`, `.ts`, `.java`, `.c` and those of other languages | one of source code, with its place as title |
//! | any other | one, if it is text; pictures, sound, archives and programs are left out |

mod archive;
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
mod markup;
mod notebook;
mod pdf;
mod place;
mod problem;
mod program;
mod record;
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
pub use place::SourceName;
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

/// Which files are read, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// What documents are called after in place of where they are: a document's key begins with the name of its source.
    pub source: Option<SourceName>,
    /// Whether files and folders whose names begin with a dot are read too. The default is no. A file that is named
    /// itself is always read.
    pub hidden: bool,
    /// Whether files that a `.gitignore`, `.ignore` or `.quiverignore` leaves out are read too. The default is no.
    pub ignored: bool,
    /// Globs below the folder, in the form of a `.gitignore`: where there are any, only files that match one are read,
    /// hidden, generated and ignored ones too.
    pub include: Vec<String>,
    /// Globs of files and folders that are not read.
    pub exclude: Vec<String>,
    /// Where it is set, only these files of a folder are read, by their absolute paths.
    pub only: Option<BTreeSet<PathBuf>>,
    /// Which fields of JSON records are what. What is not said is one of the names that corpora use, or guessed.
    pub fields: RecordFields,
    /// Files of more bytes are not read, because a document is held in memory whole; 1 GiB by default. Files of one
    /// document a line are read line by line and may be of any length.
    pub file_bytes_max: u64,
    /// How PDF files and workbooks are read.
    pub untrusted: Untrusted,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            source: None,
            hidden: false,
            ignored: false,
            include: Vec::new(),
            exclude: Vec::new(),
            only: None,
            fields: RecordFields::default(),
            file_bytes_max: 1 << 30,
            untrusted: Untrusted::default(),
        }
    }
}

/// Reads a file, or all files of a folder and its folders in the order of their paths.
///
/// A document's key is the absolute path of its file, the same from every working directory; or the name of the
/// [source](ReadOptions::source) and the path within the folder: `docs:guide/start.md`. A record's key is that of its
/// file and its `id`, else its title, else a hash of its text: `/data/towns.jsonl#7`. Where a title comes with several
/// texts, the later ones have a hash added to the key; the same title and text twice is one document.
///
/// Only regular files are read. Symbolic links in a folder are not followed; `path` itself may be one.
pub fn read(path: &Path, options: &ReadOptions) -> Documents {
    let tally = Tally::default();
    let opened = Root::of(path, options.source.clone()).and_then(|root| {
        let chosen = chosen(root.path(), options).map_err(|error| {
            ReadProblem::new(path, None, format!("a glob can't be read: {error}"), "mend it")
        })?;
        Ok((root, chosen))
    });
    match opened {
        Ok((root, chosen)) => {
            let files = walk(root.path(), options, chosen, &tally);
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
    let files = walk(root.path(), options, chosen, &Tally::default());
    files.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).count()
}

/// What tells whether a file has changed, without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    bytes: u64,
    written: Option<SystemTime>,
    /// When anything about it was changed: another file may have taken its place.
    changed: (i64, i64),
}

/// Lists the files that [`read`] would read, by their absolute paths.
pub fn files(path: &Path, options: &ReadOptions) -> BTreeMap<PathBuf, FileState> {
    let Ok(root) = Root::of(path, None) else { return BTreeMap::new() };
    let Ok(chosen) = chosen(root.path(), options) else { return BTreeMap::new() };
    let entries = walk(root.path(), options, chosen, &Tally::default()).flatten();
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

/// The key of the document that [`read`] makes of a file of a folder, whether the file is still there or not. Keys of
/// records begin with it and a `#`. Both paths are absolute.
pub fn key_of_file(folder: &Path, file: &Path, source: Option<&SourceName>) -> String {
    Root::at(folder, source.cloned()).key(file)
}

/// Reads one stream, such as standard input, as a file with this name and ending would be read. Its documents are called
/// after the [source](ReadOptions::source) and the name. Without an ending the content tells JSON, HTML and Markdown
/// apart.
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
                return one(path, key, program.document(path, &ending, bytes, options.file_bytes_max)?);
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

fn walk(root: &Path, options: &ReadOptions, chosen: Override, tally: &Tally) -> Walk {
    let (hidden, tally, only) = (options.hidden, tally.clone(), options.only.clone());
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
            let left_out = left_out::of_entry(entry, hidden, is_chosen);
            if let Some(kind) = left_out {
                tally.add(kind, entry.path());
            }
            left_out.is_none()
        })
        .sort_by_file_path(Path::cmp)
        .build()
}

/// The records of one file, in order.
type Records = Box<dyn Iterator<Item = Result<Record, ReadProblem>> + Send>;

/// Documents as they are read, one after the other; made by [`read`].
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
                if let Some(result) = record.and_then(|record| self.keys.identify(record)).transpose() {
                    return Some(result.map(|document| self.without_embedded_files(document)));
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

    /// What was left out so far and is no problem: hidden files, pictures, symbolic links, embedded files.
    pub fn left_out(&self) -> LeftOut {
        self.tally.get()
    }

    /// How many files were opened so far.
    pub fn files(&self) -> usize {
        self.files
    }

    /// What was taken for the text of records so far, where no field has a name that says so.
    pub fn guesses(&self) -> Guesses {
        self.common.guesses()
    }

    /// The key that the document read last would have had before keys told folders apart: its path below the folder, or
    /// a record's id or title alone.
    pub fn former_key(&self, document: &Document) -> Option<String> {
        let (root, file) = (&self.walked.as_ref()?.root, self.file.as_ref()?);
        match document.key.strip_prefix(&root.key(file))? {
            "" => Some(root.relative(file)),
            record => place::record_of(record).map(str::to_owned),
        }
    }

    fn without_embedded_files(&self, mut document: Document) -> Document {
        let embedded::Stripped { text, files, .. } = embedded::strip(document.text);
        document.text = text;
        if let Some(file) = self.file.as_ref().filter(|_| files > 0) {
            self.tally.add_many(LeftOutKind::Embedded, file, files);
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
            let file = file::open(path)?;
            return one(
                path,
                key,
                program.document(path, &ending, Content::File(file), options.file_bytes_max)?,
            );
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
        if let Ok(below) = problem.path.strip_prefix(self.root.path()) {
            problem.path =
                if below.as_os_str().is_empty() { self.named.clone() } else { self.named.join(below) };
        }
        problem
    }

    fn problem(&self, error: &ignore::Error) -> ReadProblem {
        let path = walk_path(error).unwrap_or(&self.named);
        self.named(match error.io_error() {
            Some(io) => ReadProblem::io(path, io),
            None => ReadProblem::new(path, None, error.to_string(), "mend the folder or leave it out"),
        })
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
        let mend = "set ReadOptions::untrusted to a program that reads them, or convert it to text";
        let what = format!("{ending} files are not read without being asked for");
        return Err(ReadProblem::new(path, None, what, mend));
    }
    if program::is_served(ending) {
        return one(path, key, program::document(path, ending, bytes, options.file_bytes_max)?);
    }
    match ending {
        "eml" => return one(path, key, mail::message(path, &bytes)?),
        "mbox" => return Ok(Box::new(mail::messages(path, &key, &bytes)?.into_iter())),
        _ => {}
    }
    let text = text::decode(path, bytes)?;
    let document = match ending {
        "json" => return json::records(path, key, &text, common.clone()),
        "html" | "htm" | "xhtml" => html::document(&text),
        "csv" | "tsv" => table::document(path, &text, ending)?,
        "md" | "markdown" | "mdx" => text::markdown(text),
        "ipynb" => notebook::document(path, &text)?,
        "rst" => markup::restructured(&text),
        "adoc" | "asciidoc" => markup::asciidoc(&text),
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
