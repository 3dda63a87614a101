use std::time::Duration;

use crate::endpoint::{EndpointOptions, Key, Retries};

/// How to connect to an embedding endpoint.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The base URL without `/embeddings`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The API key. By default it is read from the environment variable `QUIVER_EMBEDDER_API_KEY`, then from the file
    /// named by `QUIVER_EMBEDDER_API_KEY_FILE`, then, only for OpenAI's own address, from `OPENAI_API_KEY`.
    pub key: Option<Key>,
    /// The dimension of the vectors. By default it is determined with a probe request.
    pub dimension: Option<usize>,
    /// Maximum duration of one request; 30 seconds by default.
    pub timeout: Duration,
    /// Maximum number of attempts per request; 4 by default.
    pub attempts_max: u32,
    /// The first retry delay, if the endpoint does not ask for one; half a second by default.
    pub backoff: Duration,
    /// The longest delay to wait for; one minute by default. If an endpoint asks for more, the request is not
    /// retried.
    pub delay_max: Duration,
    /// Maximum number of texts per request; 64 by default.
    pub batch_texts_max: usize,
    /// Maximum bytes of text per request, unless it has a single text; 256 KiB by default.
    pub batch_bytes_max: usize,
    /// Maximum number of concurrent requests over all calls; 4 by default.
    pub requests_max: usize,
    /// Maximum size of a response; 64 MiB by default.
    pub reply_bytes_max: usize,
    /// The prefix of queries. By default it is the prefix that the model's family was trained with, if the model's
    /// name reveals the family.
    pub query_prefix: Option<String>,
    /// The prefix of documents. By default it is the prefix that the model's family was trained with, if the model's
    /// name reveals the family.
    pub document_prefix: Option<String>,
}

impl HttpOptions {
    /// Creates the default options for a model at an address.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            dimension: None,
            timeout: Duration::from_secs(30),
            attempts_max: 4,
            backoff: Duration::from_millis(500),
            delay_max: Duration::from_mins(1),
            batch_texts_max: 64,
            batch_bytes_max: 256 << 10,
            requests_max: 4,
            reply_bytes_max: 64 << 20,
            query_prefix: None,
            document_prefix: None,
        }
    }

    pub(super) fn endpoint(&self) -> EndpointOptions<'_> {
        EndpointOptions {
            what: "embedder",
            url: &self.url,
            path: "/embeddings",
            model: &self.model,
            key: self.key.as_ref(),
            key_variable: "QUIVER_EMBEDDER_API_KEY",
            timeout: self.timeout,
            duration_max: self.timeout,
            reply_bytes_max: self.reply_bytes_max,
            requests_max: self.requests_max,
        }
    }

    pub(super) fn retries(&self) -> Retries {
        Retries {
            attempts_max: self.attempts_max,
            backoff: self.backoff,
            delay_max: self.delay_max,
            seed: None,
        }
    }
}
