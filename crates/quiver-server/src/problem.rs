//! Errors as clients see them: problem details (RFC 9457).

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use quiver::{ErrorKind, Stage};
use quiver_forms::request::Wrong;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// What went wrong, where, and how to fix it.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    detail: String,
    place: Option<String>,
    retry_after: Option<u64>,
    /// Whether the client expects the format of the `OpenAI` API.
    is_for_openai: bool,
}

/// A problem, as sent to a client.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct Details<'p> {
    /// Names the kind of problem: `about:blank#` and the code.
    r#type: String,
    /// The kind of problem in words.
    title: &'static str,
    /// The status of the reply.
    status: u16,
    /// One word for the kind of problem, which does not change.
    code: &'static str,
    /// What went wrong, and how to fix it.
    detail: &'p str,
    /// The invalid field, parameter or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'p str>,
    /// The number of seconds after which the same request may succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// The same as clients of the OpenAI API expect it, on the endpoints of that API.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<OpenAiError<'p>>,
}

/// A problem in the format of the `OpenAI` API.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiError")]
struct OpenAiError<'p> {
    /// What went wrong, where, and how to fix it.
    message: String,
    /// The kind of problem.
    r#type: &'static str,
    /// The invalid field, parameter or header.
    param: Option<&'p str>,
    /// The code of the problem.
    code: &'static str,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (status, code, title) = self.code.words();
        let details = Details {
            r#type: format!("about:blank#{code}"),
            title,
            status: status.as_u16(),
            code,
            detail: &self.detail,
            place: self.place.as_deref(),
            retry_after: self.retry_after,
            error: self.is_for_openai.then(|| OpenAiError {
                message: match &self.place {
                    Some(place) => format!("{place}: {}", self.detail),
                    None => self.detail.clone(),
                },
                r#type: match status.as_u16() {
                    401 => "authentication_error",
                    403 => "permission_error",
                    429 => "rate_limit_error",
                    400..500 => "invalid_request_error",
                    _ => "server_error",
                },
                param: self.place.as_deref(),
                code,
            }),
        };
        details.serialize(serializer)
    }
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Invalid,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Timeout,
    TooLarge,
    UnsupportedMediaType,
    Unfetched,
    Unreadable,
    Misdirected,
    TooMany,
    Internal,
    Unavailable,
    Full,
}

impl Code {
    fn words(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Invalid => (StatusCode::BAD_REQUEST, "invalid", "The request is invalid"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized", "A key is needed"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden", "The key does not allow this"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "Not found"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "The method is not allowed")
            }
            Self::Timeout => (StatusCode::REQUEST_TIMEOUT, "timeout", "The request took too long"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "The request is too large"),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "The type of the body is not supported",
            ),
            Self::Unfetched => (StatusCode::UNPROCESSABLE_ENTITY, "unfetched", "The web page can't be read"),
            Self::Unreadable => (StatusCode::UNPROCESSABLE_ENTITY, "unreadable", "The file can't be read"),
            Self::Misdirected => {
                (StatusCode::MISDIRECTED_REQUEST, "misdirected", "The request is for another host")
            }
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "Too many requests"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Something went wrong"),
            Self::Unavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The database can't be used")
            }
            Self::Full => (StatusCode::INSUFFICIENT_STORAGE, "full", "The disk is full"),
        }
    }
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), place: None, retry_after: None, is_for_openai: false }
    }

    /// Creates the problem of an invalid field, parameter or header.
    pub(crate) fn at(place: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Code::Invalid, detail).with_place(place)
    }

    pub(crate) fn with_place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds.max(1));
        self
    }

    /// Adds what clients of the `OpenAI` API show.
    pub(crate) fn for_openai(self) -> Self {
        Self { is_for_openai: true, ..self }
    }

    #[cfg(feature = "bolt")]
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Returns the HTTP status of the reply.
    #[cfg(feature = "bolt")]
    pub(crate) fn status(&self) -> u16 {
        self.code.words().0.as_u16()
    }

    /// Returns the kind in one word.
    pub(crate) fn word(&self) -> &'static str {
        self.code.words().1
    }

    /// Returns what went wrong, and how to fix it.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, ..) = self.code.words();
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Wrong> for Problem {
    fn from(wrong: Wrong) -> Self {
        Self::at(wrong.field, wrong.why)
    }
}

impl From<quiver::Error> for Problem {
    /// Clients learn what they can fix. Everything else, which may name paths and addresses, is logged.
    fn from(error: quiver::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Invalid if error.stage() != Stage::Open => Code::Invalid,
            ErrorKind::NotFound if error.stage() != Stage::Ingest => Code::NotFound,
            ErrorKind::Full => Code::Full,
            ErrorKind::Unavailable | ErrorKind::Locked | ErrorKind::Exhausted | ErrorKind::Conflict => {
                Code::Unavailable
            }
            _ => Code::Internal,
        };
        if matches!(code, Code::Invalid | Code::NotFound) {
            return Self::new(code, error.to_string());
        }
        let causes: Vec<String> =
            std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source())
                .map(ToString::to_string)
                .collect();
        tracing::error!(stage = %error.stage(), "{}", causes.join(": "));
        let detail = format!("{} failed; the server's log says why", error.stage());
        let problem = Self::new(code, detail);
        if code == Code::Unavailable || error.is_retryable() { problem.retry_after(1) } else { problem }
    }
}
