//! Reads documents from files and folders.
//!
//! [`read`] yields one document after the other, and a [`ReadProblem`] in place of what can't be read; it goes on
//! after a problem, and the caller decides whether to. What a file holds is told by the ending of its name, and for
//! `.json` by its content:
//!
//! | ending | documents |
//! | --- | --- |
//! | `.md`, `.markdown` | one, with the first heading as its title |
//! | `.html`, `.htm`, `.xhtml` | one, without scripts, styles and navigation, its headings as in Markdown |
//! | `.pdf` | one, with the feature `pdf` |
//! | `.jsonl`, `.ndjson` | one for each line: `{"title"?, "text", "id"?, "time"?, "metadata"?, "triples"?}` |
//! | `.json` | one such object, a list of them, a map from titles to texts or lists of sentences, or `{"docs": […]}` with `extracted_triples` |
//! | any other | one, if it is text |

mod html;
mod json;
mod pdf;
mod problem;
mod record;
mod text;

pub use problem::{Place, ReadProblem};

use crate::document::{Document, Format};
use ignore::{Walk, WalkBuilder};
use record::{Keys, Record};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Which files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether files and folders whose names begin with a dot are read too. The default is no. A file that is named
    /// itself is always read.
    pub hidden: bool,
    /// Whether files that a `.gitignore` or `.ignore` leaves out are read too. The default is no.
    pub ignored: bool,
    /// Files of more bytes are not read, because a document is held in memory whole; 1 GiB by default. Files of one
    /// document a line are read line by line and may be of any length.
    pub file_bytes_max: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { hidden: false, ignored: false, file_bytes_max: 1 << 30 }
    }
}

/// Reads a file, or all files of a folder and its folders in the order of their paths.
///
/// A file's document has its path as the key, relative to the folder. A record's key is its `id`, else its title,
/// else a hash of its text. Where a title comes with several texts, the later ones have a hash added to the key; the
/// same title and text twice is one document.
pub fn read(
    path: &Path,
    options: &ReadOptions,
) -> impl Iterator<Item = Result<Document, ReadProblem>> + Send + use<> {
    let files = WalkBuilder::new(path)
        .standard_filters(!options.ignored)
        .require_git(false)
        // What is read depends on the folder alone, not on where it lies or who reads it.
        .parents(false)
        .git_global(false)
        .hidden(!options.hidden)
        .sort_by_file_path(Path::cmp)
        .build();
    Documents { root: path.to_owned(), options: options.clone(), files, current: None, keys: Keys::default() }
}

/// The records of one file, in order.
type Records = Box<dyn Iterator<Item = Result<Record, ReadProblem>> + Send>;

struct Documents {
    root: PathBuf,
    options: ReadOptions,
    files: Walk,
    current: Option<Records>,
    keys: Keys,
}

impl Iterator for Documents {
    type Item = Result<Document, ReadProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(record) = self.current.as_mut().and_then(Iterator::next) {
                if let Some(result) = record.and_then(|record| self.keys.identify(record)).transpose() {
                    return Some(result);
                }
            }
            self.current = None;
            match self.files.next()? {
                Ok(entry) if entry.path().is_dir() => {}
                Ok(entry) => match self.open(entry.path()) {
                    Ok(records) => self.current = Some(records),
                    Err(problem) => return Some(Err(problem)),
                },
                Err(error) => return Some(Err(self.walk_problem(&error))),
            }
        }
    }
}

impl Documents {
    fn open(&self, path: &Path) -> Result<Records, ReadProblem> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        if matches!(ending.as_str(), "jsonl" | "ndjson") {
            return json::lines(path);
        }
        let bytes = self.bytes(path)?;
        if ending == "json" {
            return json::records(path, &text::decode(path, bytes)?);
        }
        let mut document = match ending.as_str() {
            "pdf" => Document::new("", pdf::text(path, bytes)?),
            "html" | "htm" | "xhtml" => html::document(&text::decode(path, bytes)?),
            "md" | "markdown" => text::markdown(text::decode(path, bytes)?),
            _ => Document::new("", text::decode(path, bytes)?),
        };
        if !document.text.contains(|c: char| !c.is_whitespace()) {
            return Err(ReadProblem::empty(path, None));
        }
        document.key = self.key(path);
        let record = Record { document, source: path.to_owned(), place: None, named: true };
        Ok(Box::new(std::iter::once(Ok(record))))
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, ReadProblem> {
        let length = fs::metadata(path).map_err(|error| ReadProblem::io(path, &error))?.len();
        if length > self.options.file_bytes_max {
            let what =
                format!("the file has {length} bytes, more than the {} allowed", self.options.file_bytes_max);
            return Err(ReadProblem::new(
                path,
                None,
                what,
                "split it, turn it into .jsonl, or raise the limit",
            ));
        }
        fs::read(path).map_err(|error| ReadProblem::io(path, &error))
    }

    /// The path relative to the folder that is read, with slashes on every system.
    fn key(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).ok().filter(|rest| rest.components().next().is_some());
        let relative = relative.or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/")
    }

    fn walk_problem(&self, error: &ignore::Error) -> ReadProblem {
        let path = walk_path(error).unwrap_or(&self.root);
        match error.io_error() {
            Some(io) => ReadProblem::io(path, io),
            None => ReadProblem::new(path, None, error.to_string(), "mend the folder or leave it out"),
        }
    }
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

#[cfg(test)]
mod tests;
