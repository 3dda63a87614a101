use std::{error::Error as StdError, fmt, time::Duration};

/// The result of an engine call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The stage of the engine in which an error occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Opening the database.
    Open,
    /// Resolving a follow-up question from its session.
    Contextualise,
    /// Analysing a question.
    Understand,
    /// Searching for seeds.
    Search,
    /// Expanding the seeds.
    Expand,
    /// Ranking the candidates.
    Rerank,
    /// Generating the answer.
    Answer,
    /// Packing a context for an assistant.
    Context,
    /// Ingesting documents.
    Ingest,
    /// Deleting documents.
    Delete,
    /// Remembering a turn.
    Remember,
    /// Recalling facts.
    Recall,
    /// Deciding which statements hold.
    Resolve,
    /// Forgetting turns.
    Forget,
    /// Running a query in Cypher, or loading records.
    Query,
    /// Listing, verifying, exporting, importing.
    Administer,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "opening the database",
            Self::Contextualise => "reading a follow-up",
            Self::Understand => "understanding the question",
            Self::Search => "searching for seeds",
            Self::Expand => "expanding the seeds",
            Self::Rerank => "ranking the evidence",
            Self::Answer => "answering",
            Self::Context => "packing a context",
            Self::Ingest => "ingesting documents",
            Self::Delete => "deleting a document",
            Self::Remember => "remembering",
            Self::Recall => "recalling",
            Self::Resolve => "deciding what holds",
            Self::Forget => "forgetting",
            Self::Query => "running the query",
            Self::Administer => "reading the database",
        })
    }
}

/// The category of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A database or model can't be reached, or did not answer in time.
    Unavailable,
    /// Credentials were rejected.
    Unauthorized,
    /// Another process holds the database directory.
    Locked,
    /// The database was created with another embedder or another version.
    Mismatch,
    /// Stored data can't be read.
    Corrupt,
    /// The disk is full, or a quota is used up.
    Full,
    /// The operating system denies access to the files.
    Denied,
    /// The process has run out of memory or file descriptors.
    Exhausted,
    /// The device reports an I/O error.
    Device,
    /// Something named does not exist: a document, a model, the ONNX runtime.
    NotFound,
    /// Another client changed the same data meanwhile. Nothing was written, and a retry may succeed.
    Conflict,
    /// The request is invalid.
    Invalid,
    /// Any other error; see its source.
    Other,
}

/// An error of the engine: its category, the stage in which it occurred, and the cause as its source.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    stage: Stage,
    message: String,
    retryable: bool,
    retry_after: Option<Duration>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Creates an error that occurred in a stage.
    pub fn new(kind: ErrorKind, stage: Stage, message: impl Into<String>) -> Self {
        Self { kind, stage, message: message.into(), retryable: false, retry_after: None, source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets whether the same call may succeed later.
    #[must_use]
    pub(crate) fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Returns the category of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the stage in which the error occurred.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// Returns the delay that a model's endpoint asked for, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.stage, self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Adds the stage to an error of another crate.
pub(crate) trait In<T> {
    fn stage(self, stage: Stage) -> Result<T>;
}

impl<T> In<T> for quiver_graph::Result<T> {
    fn stage(self, stage: Stage) -> Result<T> {
        use quiver_graph::ErrorKind as Kind;
        self.map_err(|error| {
            let kind = match error.kind() {
                Kind::Unavailable => ErrorKind::Unavailable,
                Kind::Unauthorized => ErrorKind::Unauthorized,
                Kind::Locked => ErrorKind::Locked,
                Kind::Mismatch => ErrorKind::Mismatch,
                Kind::Corrupt => ErrorKind::Corrupt,
                Kind::Full => ErrorKind::Full,
                Kind::Denied => ErrorKind::Denied,
                Kind::Exhausted => ErrorKind::Exhausted,
                Kind::Device => ErrorKind::Device,
                Kind::Invalid => ErrorKind::Invalid,
                _ => ErrorKind::Other,
            };
            let retryable = error.is_retryable();
            Error {
                kind,
                stage,
                message: error.to_string(),
                retryable,
                retry_after: None,
                source: error.into_source(),
            }
        })
    }
}

impl<T> In<T> for quiver_models::Result<T> {
    fn stage(self, stage: Stage) -> Result<T> {
        use quiver_models::ErrorKind as Kind;
        self.map_err(|error| {
            let kind = match error.kind() {
                Kind::Unavailable | Kind::Limit => ErrorKind::Unavailable,
                Kind::Unauthorized => ErrorKind::Unauthorized,
                Kind::NotFound => ErrorKind::NotFound,
                Kind::Invalid => ErrorKind::Invalid,
                _ => ErrorKind::Other,
            };
            let (retryable, retry_after) = (error.is_retryable(), error.retry_after());
            Error {
                kind,
                stage,
                message: error.to_string(),
                retryable,
                retry_after,
                source: error.into_source(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_that_an_endpoint_asked_for_is_kept() {
        let delay = Duration::from_secs(7);
        let busy = quiver_models::Error::new(quiver_models::ErrorKind::Unavailable, "busy");
        let error = Err::<(), _>(busy.with_retry_after(delay)).stage(Stage::Search).unwrap_err();
        assert_eq!((error.retry_after(), error.is_retryable()), (Some(delay), true));
        assert_eq!(Error::new(ErrorKind::Invalid, Stage::Search, "empty").retry_after(), None);
    }
}
