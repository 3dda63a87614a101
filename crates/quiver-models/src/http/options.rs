use std::time::Duration;

use crate::endpoint::{EndpointOptions, Key, Retries};

/// How to open an endpoint.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address before `/embeddings`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The key; else that in the environment: `QUIVER_EMBEDDER_API_KEY`, or in the file that
    /// `QUIVER_EMBEDDER_API_KEY_FILE` names, or `OPENAI_API_KEY` for OpenAI's own address.
    pub key: Option<Key>,
    /// How many numbers each vector has; asked for by default.
    pub dimension: Option<usize>,
    /// How long one request may take; 30 seconds by default.
    pub timeout: Duration,
    /// How often a request is made before its failure counts; 4 times by default.
    pub attempts_max: u32,
    /// The first delay before a repetition, when the endpoint asks for none; half a second by default.
    pub backoff: Duration,
    /// The longest delay to wait for; one minute by default. Endpoints that ask for more get no repetition.
    pub delay_max: Duration,
    /// How many texts a request has at most; 64 by default.
    pub batch_texts_max: usize,
    /// How many bytes of text a request has at most, if it has more than one; 256 KiB by default.
    pub batch_bytes_max: usize,
    /// How many requests run at a time, over all calls; 4 by default.
    pub requests_max: usize,
    /// How large an answer may be; 64 MiB by default.
    pub reply_bytes_max: usize,
    /// What stands before a query; else what the model's family was trained with, where the name tells it.
    pub query_prefix: Option<String>,
    /// What stands before a document; else what the model's family was trained with, where the name tells it.
    pub document_prefix: Option<String>,
}

impl HttpOptions {
    /// Makes the default options for a model at an address.
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
