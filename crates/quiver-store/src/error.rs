use std::{error::Error as StdError, fmt, time::Duration};

/// The result of a store call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The database can't be reached or did not answer in time.
    Unavailable,
    /// The server rejected the credentials.
    Unauthorized,
    /// Another process holds the database directory.
    Locked,
    /// The database does not match the options: another vector dimension, another index, another format.
    Mismatch,
    /// Stored data can't be read.
    Corrupt,
    /// The device is full, or a quota is used up.
    Full,
    /// The operating system denies access to the files, or the file system is read-only.
    Denied,
    /// The process ran out of memory or file descriptors.
    Exhausted,
    /// The device reports an I/O error.
    Device,
    /// The request is invalid.
    Invalid,
    /// Any other error; see its source.
    Other,
}

/// A store error. The message names the thing concerned; the cause is its source.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    retry_after: Option<Duration>,
    #[expect(clippy::option_option, reason = "no such error, no vectors, and vectors are three things")]
    dense_stored: Option<Option<usize>>,
}

impl Error {
    /// Creates an error of a kind. The message is lowercase and concise, and names the thing concerned.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, retry_after: None, dense_stored: None }
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the delay that the server requested.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Records the dimension of the database's dense vectors in an error about a dimension mismatch.
    #[must_use]
    pub fn with_dense_stored(mut self, dimension: Option<usize>) -> Self {
        self.dense_stored = Some(dimension);
        self
    }

    /// Returns the dimension of the database's dense vectors, if the error is that they differ from the requested
    /// ones. The inner value is `None` if the database has no dense vectors. It can be opened with this dimension.
    pub fn dense_stored(&self) -> Option<Option<usize>> {
        self.dense_stored
    }

    /// Returns the cause, for an error that replaces this one.
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.kind == ErrorKind::Unavailable
    }

    /// Returns the delay that the server requested before a retry, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
