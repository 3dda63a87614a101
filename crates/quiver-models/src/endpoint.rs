//! Code shared by the clients of OpenAI-compatible endpoints: addresses, keys, timeouts, retries and error responses.

mod key;
mod refusal;
mod retries;

#[cfg(test)]
pub(crate) mod stand_in;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use serde::Serialize;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{Error, ErrorKind, Result};

pub use key::Key;
pub(crate) use refusal::message;
pub(crate) use retries::Retries;

/// Maximum length, in bytes, of the part of an endpoint's error message that an error quotes.
const SAID_LENGTH_MAX: usize = 300;

/// An endpoint with its client and limits.
pub(crate) struct Endpoint {
    url: Url,
    model: String,
    key: Option<Key>,
    key_variable: &'static str,
    client: Client,
    timeout: Duration,
    duration_max: Duration,
    reply_bytes_max: usize,
    requests: Semaphore,
}

/// How to connect to an endpoint.
pub(crate) struct EndpointOptions<'a> {
    /// The kind of client for messages, such as `embedder`.
    pub(crate) what: &'static str,
    pub(crate) url: &'a str,
    /// The path appended to the base URL, such as `/embeddings`.
    pub(crate) path: &'static str,
    pub(crate) model: &'a str,
    pub(crate) key: Option<&'a Key>,
    /// The environment variable that holds the key if none is given.
    pub(crate) key_variable: &'static str,
    /// Maximum time without data from the endpoint.
    pub(crate) timeout: Duration,
    /// Maximum duration of a whole request.
    pub(crate) duration_max: Duration,
    pub(crate) reply_bytes_max: usize,
    pub(crate) requests_max: usize,
}

/// A request that did not succeed.
pub(crate) enum Failure {
    /// The endpoint answered with an error status.
    Refused(Refusal),
    /// The connection failed, or the response was incomplete.
    Broken(Error),
}

/// A response with an error status.
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

impl Endpoint {
    /// Checks the options and creates a client. Sends nothing.
    pub(crate) fn open(options: &EndpointOptions<'_>) -> Result<Self> {
        let EndpointOptions { what, url, path, model, key, key_variable, timeout, duration_max, .. } =
            *options;
        let url = address(what, url, path)?;
        let key = key::find(key, key_variable, &url, &|variable| std::env::var(variable).ok())?;
        let mut headers = header::HeaderMap::new();
        if let Some(key) = &key {
            headers.insert(header::AUTHORIZATION, key.authorization(what)?);
        }
        let client = Client::builder()
            .default_headers(headers)
            .read_timeout(timeout)
            .timeout(duration_max)
            // A redirect could send the key to another host.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| {
                Error::new(ErrorKind::Other, "an HTTP client can't be created").with_source(error)
            })?;
        Ok(Self {
            url,
            model: model.to_owned(),
            key,
            key_variable,
            client,
            timeout,
            duration_max,
            reply_bytes_max: options.reply_bytes_max,
            requests: Semaphore::new(options.requests_max.max(1)),
        })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Waits until another request may be sent.
    pub(crate) async fn permit(&self) -> SemaphorePermit<'_> {
        self.requests.acquire().await.expect("the semaphore is never closed")
    }

    /// Sends a request and returns once the header of a successful response has arrived.
    pub(crate) async fn send(&self, body: &impl Serialize) -> Result<Response, Failure> {
        let sent = self.client.post(self.url.clone()).json(body).send().await;
        let response = sent.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let retry_after = refusal::retry_after(response.headers());
        let body = self.body(response).await?;
        Err(Failure::Refused(Refusal { status, body, retry_after }))
    }

    /// Reads the whole body of a response.
    pub(crate) async fn body(&self, mut response: Response) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            body.extend_from_slice(&chunk);
            if body.len() > self.reply_bytes_max {
                return Err(self.too_large());
            }
        }
        Ok(body)
    }

    /// Waits for the next chunk of a response.
    pub(crate) async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>> {
        let chunk = response.chunk().await.map_err(|error| self.unreachable(error))?;
        Ok(chunk.map(Into::into))
    }

    /// Converts a failure into an error.
    pub(crate) fn failed(&self, failure: Failure) -> Error {
        let Refusal { status, body, retry_after } = match failure {
            Failure::Refused(refusal) => refusal,
            Failure::Broken(error) => return error,
        };
        // Endpoints may quote parts of a rejected key, so don't include their message in that case.
        let said = if matches!(status.as_u16(), 401 | 403) { String::new() } else { self.said(&body) };
        let is_spent = said.contains("insufficient_quota");
        let asks_for_key = format!("requires a key (set {})", self.key_variable);
        let (kind, problem) = match status.as_u16() {
            401 | 403 if self.key.is_some() => (ErrorKind::Unauthorized, "rejected the key"),
            401 | 403 => (ErrorKind::Unauthorized, asks_for_key.as_str()),
            404 => (ErrorKind::NotFound, "does not know the model or the address"),
            413 => (ErrorKind::Limit, "says that the request is too large"),
            400 | 500 if is_too_long(&body) => (ErrorKind::Limit, "says that the request is too large"),
            429 if is_spent => (ErrorKind::Limit, "says that the quota is used up"),
            429 => (ErrorKind::Unavailable, "asks for fewer requests"),
            408 | 425 | 500.. => (ErrorKind::Unavailable, "failed"),
            _ => (ErrorKind::Invalid, "rejected the request"),
        };
        let error = self.error(kind, &format!("{problem} with status {}{said}", status.as_u16()));
        match retry_after {
            Some(delay) if error.is_retryable() => error.with_retry_after(delay),
            _ => error,
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> Error {
        // Leave the URL out; the error message adds the address.
        let error = error.without_url();
        let problem = if error.is_timeout() {
            self.late()
        } else if error.is_connect() {
            "can't be reached".to_owned()
        } else {
            "closed the connection".to_owned()
        };
        self.error(ErrorKind::Unavailable, &problem).with_source(error)
    }

    fn late(&self) -> String {
        let Self { timeout, duration_max, .. } = self;
        if timeout == duration_max {
            return format!("did not respond within {timeout:?}");
        }
        format!("did not respond within {timeout:?}, or complete the response within {duration_max:?}")
    }

    pub(crate) fn too_large(&self) -> Error {
        self.error(ErrorKind::Limit, "returned more bytes than the options allow")
    }

    /// Returns the endpoint's error message, shortened and with the key redacted.
    pub(crate) fn said(&self, body: &[u8]) -> String {
        let said = message(body);
        let said = self.key.as_ref().map_or_else(|| said.clone(), |key| key.blotted(&said));
        if said.is_empty() {
            return String::new();
        }
        format!(": {}", &said[..said.floor_char_boundary(SAID_LENGTH_MAX)])
    }

    /// Creates an error that names the model and the address.
    pub(crate) fn error(&self, kind: ErrorKind, problem: &str) -> Error {
        Error::new(kind, format!("{} at {} {problem}", self.model, self.url))
    }
}

/// Returns whether a response says that the request exceeds the model's context window. It recognises OpenAI's code
/// and message, which vLLM reuses, and llama.cpp's.
pub(crate) fn is_too_long(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    [
        "context_length_exceeded",
        "maximum context length",
        "exceed_context_size",
        "exceeds the available context",
    ]
    .iter()
    .any(|words| body.contains(words))
}

/// Builds the full URL.
pub(crate) fn address(what: &str, url: &str, path: &str) -> Result<Url> {
    let invalid = |problem: &str| Error::new(ErrorKind::Invalid, format!("the {what}'s address {problem}"));
    let mut url = Url::parse(url).map_err(|error| invalid("is not an address").with_source(error))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        // The URL appears in errors and logs.
        return Err(invalid("must not contain credentials or a query: the key is a separate option"));
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("must begin with http:// or https://"));
    }
    let given = url.path().trim_end_matches('/').to_owned();
    if !given.ends_with(path) {
        url.set_path(&format!("{given}{path}"));
    }
    url.set_fragment(None);
    Ok(url)
}
