use std::{error::Error as StdError, fmt, time::Duration};

/// The result of a call to a model.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The endpoint can't be reached, or did not answer in time, or is overloaded.
    Unavailable,
    /// The endpoint refused the credentials.
    Unauthorized,
    /// The model, or the runtime that it needs, is missing.
    NotFound,
    /// A setting or an input that can't be used, or an answer that is not what the protocol promises.
    Invalid,
    /// A quota is used up, or an input is larger than the model takes.
    Limit,
    /// A budget would be exceeded; the call was not made.
    Budget,
    /// Anything else, with its source.
    Other,
}

/// An error of a model, with the thing concerned in its message and the cause as its source.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    retryable: bool,
    retry_after: Option<Duration>,
}

impl Error {
    /// Makes an error of a kind. The message is lowercase, concise, and names the thing concerned.
    ///
    /// Errors of kind [`ErrorKind::Unavailable`] are retryable.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let retryable = kind == ErrorKind::Unavailable;
        Self { kind, message: message.into(), source: None, retryable, retry_after: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds the delay that the endpoint asked for, which makes the error retryable.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retryable = true;
        self.retry_after = Some(delay);
        self
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
        self.retryable
    }

    /// The delay that the endpoint asked for before a retry, if it did.
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
