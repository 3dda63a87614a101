//! What could not be read, where, and what to do about it.

use std::{
    error::Error as StdError,
    fmt, io,
    path::{Path, PathBuf},
};

/// What is wrong with a document that has no text.
const NO_TEXT: &str = "the document has no text";

/// Something that could not be read. Reading continues after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// The place in the file; `None` if the problem concerns the whole file.
    pub place: Option<Place>,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub mend: String,
}

/// A place in a file. Everything counts from one, except bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line, and if known the column in it.
    Line(usize, Option<usize>),
    /// The record with this number in a list or map.
    Record(usize),
    /// A byte, counted from zero.
    Byte(usize),
}

impl ReadProblem {
    pub(super) fn new(
        path: &Path,
        place: Option<Place>,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { path: path.to_owned(), place, what: what.into(), mend: mend.into() }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => {
                Self::new(path, None, "there is no such file or folder", "check the path")
            }
            io::ErrorKind::PermissionDenied => {
                Self::new(path, None, "permission denied", "change its permissions, or omit it")
            }
            _ => Self::new(path, None, format!("can't be read: {error}"), "check the file and its disk"),
        }
    }

    pub(super) fn json(path: &Path, line: Option<usize>, error: &serde_json::Error) -> Self {
        let place = Place::Line(line.unwrap_or(error.line()), Some(error.column()));
        let what = error.to_string();
        // The position is told by the place.
        let what = match what.split(" at line ").next().unwrap_or(&what) {
            "expected ident" => "expected true, false, null or a value in quotation marks",
            what if what.starts_with("EOF while parsing") => "it ends before the value is complete",
            what => what,
        };
        Self::new(path, Some(place), format!("not valid JSON: {what}"), "correct the syntax there")
    }

    pub(super) fn encrypted(path: &Path) -> Self {
        Self::new(path, None, "encrypted with a password", "save it without one, or omit it")
    }

    pub(super) fn empty(path: &Path, place: Option<Place>) -> Self {
        Self::new(path, place, NO_TEXT, "add some, or omit the document")
    }

    /// A note on a document that is read nevertheless. The path is added to it with [`about`].
    pub(super) fn note(place: Place, what: impl Into<String>, mend: impl Into<String>) -> String {
        Self::new(Path::new(""), Some(place), what, mend).to_string()
    }

    /// Whether a whole file has no text.
    pub(super) fn is_textless_file(&self) -> bool {
        self.place.is_none() && self.what == NO_TEXT
    }
}

/// Adds the path to a note.
pub(super) fn about(path: &Path, note: &str) -> String {
    format!("{}{note}", path.display())
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match self.place {
            Some(Place::Line(line, Some(column))) => write!(f, ":{line}:{column}")?,
            Some(Place::Line(line, None)) => write!(f, ":{line}")?,
            Some(Place::Record(record)) => write!(f, ", record {record}")?,
            Some(Place::Byte(byte)) => write!(f, ", byte {byte}")?,
            None => {}
        }
        write!(f, ": {}; {}", self.what, self.mend)
    }
}

impl StdError for ReadProblem {}
