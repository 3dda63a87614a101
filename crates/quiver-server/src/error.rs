//! Errors of clients.

use std::{fmt, time::Duration};

use serde::Deserialize;

/// The result of a request to a server.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request has no result.
///
/// It displays as one sentence, which says what went wrong and how to fix it. If the server replied with a
/// [problem](crate::Problem), its parts are kept.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    status: Option<u16>,
    code: Option<String>,
    place: Option<String>,
    retry_after: Option<Duration>,
    is_unsent: bool,
    /// Why this process could not open the database.
    opening: Option<Box<quiver::Error>>,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is invalid. [`Error::place`] names the field.
    Invalid,
    /// The key is missing or unknown, or does not allow this.
    Forbidden,
    /// What the request names does not exist.
    NotFound,
    /// The server has too much to do, or another process has the directory open. Nothing was done; retry later.
    Busy,
    /// The address is invalid, nothing answers there, or the server is not trusted. Nothing was done.
    Unreachable,
    /// The connection ended before the reply. The request may have been carried out.
    Interrupted,
    /// The database can't be opened, the server failed, or its reply was not understood.
    Failed,
}

/// The parts of a problem that are read.
#[derive(Default, Deserialize)]
struct Replied {
    code: Option<String>,
    detail: Option<String>,
    place: Option<String>,
    retry_after: Option<u64>,
}

impl Error {
    /// Creates an error.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            code: None,
            place: None,
            retry_after: None,
            is_unsent: false,
            opening: None,
        }
    }

    /// Creates the error for a refusal by a server.
    pub(crate) fn refused(host: &str, status: u16, body: &[u8]) -> Self {
        let kind = match status {
            401 | 403 => ErrorKind::Forbidden,
            404 => ErrorKind::NotFound,
            408 | 429 | 503 => ErrorKind::Busy,
            400..500 => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        };
        let Replied { code, detail, place, retry_after } = serde_json::from_slice(body).unwrap_or_default();
        let message = detail.unwrap_or_else(|| format!("{host} returned {status}; is it `quiver serve`?"));
        let retry_after = retry_after.map(Duration::from_secs);
        Self { status: Some(status), code, place, retry_after, ..Self::new(kind, message) }
    }

    /// Returns the kind, to decide by.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns what went wrong and how to fix it, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the status of the server's reply, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the server's word for the kind of problem, such as `invalid` or `too_large`. It does not change between
    /// versions.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Returns the field, parameter or header that is invalid, if one is.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns when the same request may succeed, if the server said so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Marks that the request has not been sent.
    pub(crate) fn unsent_if(self, is_unsent: bool) -> Self {
        Self { is_unsent, ..self }
    }

    /// Whether the connection ended before the request was sent, so that nothing was done.
    pub fn is_unsent(&self) -> bool {
        self.is_unsent
    }

    /// Whether the same request may succeed later. All requests of a [`Client`](crate::Client) can be repeated without
    /// doing anything twice.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Busy | ErrorKind::Interrupted) || self.retry_after.is_some()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message is that of the error itself.
        self.opening.as_ref().and_then(|error| error.source())
    }
}

impl From<quiver::Error> for Error {
    /// A database that this process could not open.
    fn from(error: quiver::Error) -> Self {
        let kind = match error.kind() {
            quiver::ErrorKind::Locked => ErrorKind::Busy,
            quiver::ErrorKind::Invalid => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        };
        let own = Self::new(kind, error.to_string());
        Self { opening: Some(Box::new(error)), ..own }
    }
}
