//! Calls into the engine: errors and panics become errors that name the directory and the remedy.

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

/// How long to wait for engine files that another process has locked.
const PATIENCE: Duration = Duration::from_secs(5);
/// What to do with an unreadable database. A copy is made before anything is removed.
pub(super) const MEND: &str = "copy it with `quiver backup`, write what can still be read with `quiver export --salvage`, \
                               and import that into a new directory, or restore an earlier backup or export";

/// Calls the engine. A panic becomes an error.
pub(super) fn engine<T>(directory: &Path, call: impl FnOnce() -> OperationResult<T>) -> Result<T> {
    match catch(call) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(from_engine(directory, &error)),
        Err(message) => Err(shortage(directory, &message).unwrap_or_else(|| corrupt(directory, &message))),
    }
}

/// Calls the engine to open stored data. A failure counts as corruption, unless the system reports a shortage.
///
/// The engine locks its own files. No other process should hold them, since the whole database is locked by now; but
/// a child process that was just started may still share the files of a database that was closed a moment ago.
pub(super) fn opening<T>(directory: &Path, mut call: impl FnMut() -> OperationResult<T>) -> Result<T> {
    let began = Instant::now();
    loop {
        match engine(directory, &mut call) {
            Err(error) if error.kind() == ErrorKind::Other => {
                let said = error.to_string();
                if !said.contains("WouldBlock") {
                    return Err(corrupt(directory, &said));
                }
                if began.elapsed() > PATIENCE {
                    return Err(Error::new(
                        ErrorKind::Locked,
                        format!(
                            "another process holds files of the database in {}: {said}",
                            directory.display()
                        ),
                    ));
                }
                thread::sleep(Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
}

/// Converts a file system error, adding the path.
pub(super) fn from_io(what: &str, path: &Path, error: io::Error) -> Error {
    let message = format!("{what} {}: {error}", path.display());
    match Shortage::of_io(&error) {
        Some(shortage) => Error::new(shortage.kind(), format!("{message}; {}", shortage.mend())),
        None => Error::new(ErrorKind::Other, message),
    }
    .with_source(error)
}

/// Creates the error for a database that can't be read.
pub(super) fn corrupt(directory: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("the database in {} can't be read ({what}); {MEND}", directory.display()),
    )
}

/// Runs a call and returns the panic message if it panics.
pub(super) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
    })
}

fn from_engine(directory: &Path, error: &OperationError) -> Error {
    let message = error.to_string();
    let place = directory.display();
    if let Some(error) = shortage(directory, &message) {
        return error;
    }
    match error {
        OperationError::InconsistentStorage { .. } => corrupt(directory, &message),
        // An engine file ends before its stated length.
        OperationError::ServiceError { .. } if message.contains("out of bounds") => {
            corrupt(directory, &message)
        }
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

/// A resource that the system lacks or refuses. None of these means that stored data is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shortage {
    Room,
    /// A file may not grow that large.
    Length,
    Files,
    Memory,
    Access,
    Device,
}

impl Shortage {
    const ALL: [Self; 6] = [Self::Room, Self::Length, Self::Files, Self::Memory, Self::Access, Self::Device];

    fn kind(self) -> ErrorKind {
        match self {
            Self::Room | Self::Length => ErrorKind::Full,
            Self::Files | Self::Memory => ErrorKind::Exhausted,
            Self::Access => ErrorKind::Denied,
            Self::Device => ErrorKind::Device,
        }
    }

    fn mend(self) -> &'static str {
        match self {
            Self::Room => "make room on that device and try again",
            Self::Length => {
                "a file may not grow that large here: raise the limit (`ulimit -f`) and try again"
            }
            Self::Files => "the process may open too few files: raise the limit (`ulimit -n`) and try again",
            Self::Memory => "there is too little memory: free some, or raise the limit, and try again",
            Self::Access => "this user may not read or write there: change the owner or the permissions",
            Self::Device => {
                "the device reports an error: look at the system's log, and make a copy with `quiver backup`"
            }
        }
    }

    /// Returns substrings of the system's error messages. The engine passes on system errors only as text.
    fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Room => &[
                "No space left on device",
                "(os error 28)",
                "Disk quota exceeded",
                "StorageFull",
                "Not enough space available",
            ],
            Self::Length => &["File too large", "(os error 27)", "code: 27,"],
            Self::Files => {
                &["Too many open files", "(os error 24)", "(os error 23)", "code: 24,", "code: 23,"]
            }
            Self::Memory => {
                &["Cannot allocate memory", "Out of memory", "OutOfMemory", "(os error 12)", "code: 12,"]
            }
            Self::Access => &[
                "Permission denied",
                "Operation not permitted",
                "Read-only file system",
                "(os error 13)",
                "(os error 30)",
                "code: 13,",
            ],
            Self::Device => &["Input/output error", "(os error 5)", "code: 5,"],
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shortage| shortage.signs().iter().any(|sign| text.contains(sign)))
    }

    fn of_io(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::Room),
            io::ErrorKind::OutOfMemory => Some(Self::Memory),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Some(Self::Access),
            _ => Self::of_text(&error.to_string()),
        }
    }
}

fn shortage(directory: &Path, message: &str) -> Option<Error> {
    let shortage = Shortage::of_text(message)?;
    let place = directory.display();
    let text = format!("the database in {place} can't be used now: {message}; {}", shortage.mend());
    Some(Error::new(shortage.kind(), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shortage_says_what_it_is_and_none_is_called_damage() {
        let directory = Path::new("/somewhere/data");
        for (number, kind, word) in [
            (12, ErrorKind::Exhausted, "memory"),
            (24, ErrorKind::Exhausted, "ulimit -n"),
            (23, ErrorKind::Exhausted, "ulimit -n"),
            (13, ErrorKind::Denied, "permissions"),
            (1, ErrorKind::Denied, "permissions"),
            (30, ErrorKind::Denied, "permissions"),
            (5, ErrorKind::Device, "quiver backup"),
            (28, ErrorKind::Full, "make room"),
            (122, ErrorKind::Full, "make room"),
            (27, ErrorKind::Full, "ulimit -f"),
        ] {
            let system = || io::Error::from_raw_os_error(number);
            let told = || OperationError::service_error(format!("failed to load segment 7: {}", system()));
            let in_panic = format!("called `Result::unwrap()` on an `Err` value: {:?}", system());
            let errors = [
                from_io("manifest", directory, system()),
                opening::<()>(directory, || Err(told())).unwrap_err(),
                engine::<()>(directory, || Err(told())).unwrap_err(),
                engine::<()>(directory, || panic!("{in_panic}")).unwrap_err(),
            ];
            for error in errors {
                assert_eq!(error.kind(), kind, "{number}: {error}");
                let text = error.to_string();
                assert!(text.contains("/somewhere/data") && text.contains(word), "{number}: {text}");
                assert!(!text.contains("remove") && !text.contains("salvage"), "{number}: {text}");
            }
        }
        let cut = || OperationError::service_error("elements range 4..9 is out of bounds, file contains 2");
        assert_eq!(engine::<()>(directory, || Err(cut())).unwrap_err().kind(), ErrorKind::Corrupt);
        let error =
            opening::<()>(directory, || Err(OperationError::service_error("bad header"))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(
            error.to_string().contains("quiver backup") && error.to_string().contains("--salvage"),
            "{error}"
        );
    }
}
