//! Calls into the engine: what it throws becomes an error that names the directory and the mend.

use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use qdrant_edge::{OperationError, OperationResult};

use crate::{Error, ErrorKind, Result};

/// How long files of the engine are waited for that somebody else has claimed.
const PATIENCE: Duration = Duration::from_secs(5);
const MEND: &str = "restore it from an export, or remove it and ingest again";

/// Runs a call into the engine. A panic in there is an error out here.
pub(super) fn engine<T>(directory: &Path, call: impl FnOnce() -> OperationResult<T>) -> Result<T> {
    match catch(call) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(from_engine(directory, &error)),
        Err(message) => Err(from_panic(directory, &message)),
    }
}

/// Runs a call into the engine that opens what is stored: whatever fails there is damage.
///
/// The engine claims files for itself. Nobody else has a right to them, since the whole database is claimed by now; but
/// a child process of this one that has just been started shares those of a database that was closed a moment ago.
pub(super) fn opening<T>(directory: &Path, mut call: impl FnMut() -> OperationResult<T>) -> Result<T> {
    let began = Instant::now();
    loop {
        match engine(directory, &mut call) {
            Err(error) if error.kind() == ErrorKind::Other => {
                let said = error.to_string();
                if !said.contains("WouldBlock") || began.elapsed() > PATIENCE {
                    return Err(corrupt(directory, &said));
                }
                thread::sleep(Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
}

/// An error of the file system, with what it happened to.
pub(super) fn from_io(what: &str, path: &Path, error: io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
        _ => ErrorKind::Other,
    };
    Error::new(kind, format!("{what} {}: {error}", path.display())).with_source(error)
}

/// The error of a directory that can't be read.
pub(super) fn corrupt(directory: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("the database in {} can't be read ({what}); {MEND}", directory.display()),
    )
}

/// Runs a call and gives back the message of its panic, if it panicked.
pub(super) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
    })
}

fn from_engine(directory: &Path, error: &OperationError) -> Error {
    let message = error.to_string();
    let place = directory.display();
    if is_full(&message) {
        return full(directory, &message);
    }
    match error {
        OperationError::InconsistentStorage { .. } => corrupt(directory, &message),
        OperationError::WrongVectorDimension { .. } | OperationError::VectorNameNotExists { .. } => {
            Error::new(
                ErrorKind::Mismatch,
                format!("the database in {place} was made with other vectors: {message}"),
            )
        }
        OperationError::ValidationError { .. } => {
            Error::new(ErrorKind::Invalid, format!("{place}: {message}"))
        }
        _ => Error::new(ErrorKind::Other, format!("{place}: {message}")),
    }
}

fn from_panic(directory: &Path, message: &str) -> Error {
    if is_full(message) { full(directory, message) } else { corrupt(directory, message) }
}

fn full(directory: &Path, message: &str) -> Error {
    Error::new(
        ErrorKind::Full,
        format!("no room is left for the database in {}: {message}", directory.display()),
    )
}

/// The engine passes on what the system said as text only.
fn is_full(message: &str) -> bool {
    ["No space left on device", "os error 28", "Disk quota exceeded", "StorageFull"]
        .iter()
        .any(|sign| message.contains(sign))
}
