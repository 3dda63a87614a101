//! Requests: tried again where that helps, and their failures in the contract's words.

use std::{future::Future, time::Duration};

use qdrant_client::{Qdrant, QdrantError};

use super::ServerOptions;
use crate::{Error, ErrorKind, Result};

/// The first pause between two tries; each one after is twice as long.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MOST: Duration = Duration::from_secs(10);

/// The numbers that gRPC gives its outcomes.
mod code {
    pub(super) const CANCELLED: i32 = 1;
    pub(super) const UNKNOWN: i32 = 2;
    pub(super) const INVALID_ARGUMENT: i32 = 3;
    pub(super) const DEADLINE_EXCEEDED: i32 = 4;
    pub(super) const PERMISSION_DENIED: i32 = 7;
    pub(super) const RESOURCE_EXHAUSTED: i32 = 8;
    pub(super) const INTERNAL: i32 = 13;
    pub(super) const UNAVAILABLE: i32 = 14;
    pub(super) const UNAUTHENTICATED: i32 = 16;
}

/// The door to the server.
pub(super) struct Door {
    client: Qdrant,
    url: String,
    attempts: u32,
}

impl Door {
    pub(super) fn new(options: &ServerOptions) -> Result<Self> {
        options.check()?;
        let client = Qdrant::from_url(&options.url)
            .api_key(options.api_key.clone())
            .timeout(options.timeout)
            .connect_timeout(options.timeout.min(Duration::from_secs(5)))
            // It asks on a thread of its own and prints what it finds; `version` does better.
            .skip_compatibility_check()
            .build()
            .map_err(|error| convert(&options.url, error))?;
        Ok(Self { client, url: options.url.clone(), attempts: options.attempts.max(1) })
    }

    /// Makes a request, again and again while the server is busy or away. All requests of this crate can be repeated.
    pub(super) async fn call<'a, T, F>(&'a self, request: impl Fn(&'a Qdrant) -> F) -> Result<T>
    where
        F: Future<Output = std::result::Result<T, QdrantError>> + Send,
    {
        let mut pause = PAUSE;
        for attempt in 1.. {
            let error = match request(&self.client).await {
                Ok(answer) => return Ok(answer),
                Err(error) => convert(&self.url, error),
            };
            if !error.is_retryable() || attempt >= self.attempts {
                return Err(error);
            }
            tracing::debug!(attempt, %error, "trying again");
            tokio::time::sleep(error.retry_after().unwrap_or(pause).min(PAUSE_MOST)).await;
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }
}

/// What the client said, as an error of this crate. Only the server's words are passed on: what else the client knows
/// may hold the key.
fn convert(url: &str, error: QdrantError) -> Error {
    let (status, retry_after) = match error {
        QdrantError::ResponseError { status } => (status, None),
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            (status, Some(Duration::from_secs(retry_after_seconds)))
        }
        QdrantError::InvalidUri(source) => {
            let message =
                format!("{url:?} is no address of a server; it should look like http://localhost:6334");
            return Error::new(ErrorKind::Invalid, message).with_source(source);
        }
        other => return Error::new(ErrorKind::Other, format!("server at {url}: {other}")),
    };
    let said = status.message();
    // What a server answers has no cause on this side. The words for a connection that is gone are many: they depend on
    // what the client was about to do with it.
    let failed_here = std::error::Error::source(&status).is_some();
    let error = match i32::from(status.code()) {
        code::UNAUTHENTICATED | code::PERMISSION_DENIED => {
            Error::new(ErrorKind::Unauthorized, format!("the server at {url} refused the API key: {said}"))
        }
        _ if is_out_of_room(said) => {
            Error::new(ErrorKind::Full, format!("no room is left on the server at {url}: {said}"))
        }
        code::RESOURCE_EXHAUSTED => {
            Error::new(ErrorKind::Unavailable, format!("the server at {url} is busy: {said}"))
        }
        code::UNAVAILABLE | code::DEADLINE_EXCEEDED => away(url, said),
        // The client reports a connection that failed or broke, and its own deadline, in these.
        code::CANCELLED | code::UNKNOWN | code::INTERNAL if failed_here || is_of_transport(said) => {
            away(url, said)
        }
        code::INVALID_ARGUMENT => {
            Error::new(ErrorKind::Invalid, format!("the server at {url} refused the request: {said}"))
        }
        _ => Error::new(ErrorKind::Other, format!("the server at {url} failed: {said}")),
    };
    match retry_after {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    }
}

fn away(url: &str, said: &str) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the server at {url} can't be reached: {said}"))
}

fn is_of_transport(said: &str) -> bool {
    ["Failed to connect", "transport error", "Timeout expired", "h2 protocol error", "connection"]
        .iter()
        .any(|sign| said.contains(sign))
}

fn is_out_of_room(said: &str) -> bool {
    ["No space left on device", "not enough space", "No disk space", "disk is full"]
        .iter()
        .any(|sign| said.contains(sign))
}
