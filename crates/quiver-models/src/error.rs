use std::{error::Error as StdError, fmt, time::Duration};

/// The result of a call to a model.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The category of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The endpoint can't be reached, did not answer in time, or is overloaded.
    Unavailable,
    /// The endpoint rejected the credentials.
    Unauthorized,
    /// The model, or the runtime it needs, is missing.
    NotFound,
    /// A setting or an input is invalid, or a response does not follow the protocol.
    Invalid,
    /// A quota is used up, or an input exceeds the model's limit.
    Limit,
    /// The call would have exceeded a budget and was not made.
    Budget,
    /// Any other error; see its source.
    Other,
}

/// An error of a model. The message names what is concerned, and the source is the cause.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    retryable: bool,
    retry_after: Option<Duration>,
}

impl Error {
    /// Creates an error. The message should be lowercase and concise, and name what is concerned.
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

    /// Adds the retry delay that the endpoint asked for. This makes the error retryable.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retryable = true;
        self.retry_after = Some(delay);
        self
    }

    /// Consumes the error and returns its cause, for use as the cause of a replacement error.
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source
    }

    /// Returns the category of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// Returns the retry delay that the endpoint asked for, if any.
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
