use std::{error::Error as StdError, fmt, time::Duration};

/// The result of a store call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The database can't be reached, or did not answer in time.
    Unavailable,
    /// The server refused the credentials.
    Unauthorized,
    /// Another process holds the database directory.
    Locked,
    /// What is stored does not fit what was asked for: another vector dimension, another index, another format.
    Mismatch,
    /// What is stored can't be read.
    Corrupt,
    /// No room is left on the device, or a quota is used up.
    Full,
    /// The system refuses access to the files, or has them on a device that can only be read.
    Denied,
    /// The process has too little memory, or too few file descriptors.
    Exhausted,
    /// The device reports an I/O error.
    Device,
    /// A call that can't be answered as it was made.
    Invalid,
    /// Anything else, with its source.
    Other,
}

/// An error of a store, with the thing concerned in its message and the cause as its source.
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
    /// Makes an error of a kind. The message is lowercase, concise, and names the thing concerned.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, retry_after: None, dense_stored: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds the delay that the server asked for.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Adds which dense vectors the database has, to an error that says they are others than asked for.
    #[must_use]
    pub fn with_dense_stored(mut self, dimension: Option<usize>) -> Self {
        self.dense_stored = Some(dimension);
        self
    }

    /// The length of the dense vectors that the database has (`None` inside where it has none), if the error is that
    /// they are others than asked for: it can be opened with these.
    pub fn dense_stored(&self) -> Option<Option<usize>> {
        self.dense_stored
    }

    /// The cause, for an error that stands in this one's place.
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.kind == ErrorKind::Unavailable
    }

    /// The delay that the server asked for before a retry, if it did.
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
