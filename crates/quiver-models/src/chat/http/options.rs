use std::time::Duration;

use serde_json::{Map, Value};

use crate::endpoint::{EndpointOptions, Key, Retries};

/// How to connect to a chat endpoint.
#[derive(Clone, Debug)]
pub struct HttpChatOptions {
    /// The base URL without `/chat/completions`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The API key. By default it is read from the environment variable `QUIVER_CHAT_API_KEY`, then from the file
    /// named by `QUIVER_CHAT_API_KEY_FILE`, then, only for OpenAI's own address, from `OPENAI_API_KEY`.
    pub key: Option<Key>,
    /// Maximum time without data from the endpoint; 2 minutes by default. Without streaming, no data arrives until
    /// the reply is complete.
    pub timeout: Duration,
    /// Maximum duration of one request; 10 minutes by default.
    pub duration_max: Duration,
    /// Maximum number of attempts per request; 4 by default.
    pub attempts_max: u32,
    /// The first retry delay, if the endpoint does not ask for one; one second by default.
    pub backoff: Duration,
    /// The longest delay to wait for; one minute by default. If an endpoint asks for more, the request is not
    /// retried.
    pub delay_max: Duration,
    /// Seeds the jitter of the retry delays. By default each client has its own.
    pub jitter_seed: Option<u64>,
    /// Maximum number of concurrent requests over all calls; 4 by default.
    pub requests_max: usize,
    /// Maximum number of requests started within any minute; unlimited by default.
    pub requests_per_minute: Option<u32>,
    /// Maximum number of input and output tokens of the requests started within any minute; unlimited by default.
    /// Running requests count with their estimated usage, completed ones with their actual usage.
    pub tokens_per_minute: Option<u64>,
    /// Maximum size of a reply; 1 MiB by default.
    pub reply_bytes_max: usize,
    /// How the endpoint is asked for JSON.
    pub structure: Structure,
    /// Additional fields of the request body, such as `{"reasoning_effort": "low"}`. They override the client's own.
    pub extra: Map<String, Value>,
}

/// How an endpoint is asked for JSON that follows a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Structure {
    /// Send the schema. If the endpoint rejects it, use an instruction, in JSON mode if the endpoint has one. The
    /// client remembers the result as long as it lives.
    #[default]
    Auto,
    /// Send only the schema (`response_format` of type `json_schema`).
    Schema,
    /// Send only an instruction that contains the schema.
    Instruction,
}

impl HttpChatOptions {
    /// Creates the default options for a model at an address.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            timeout: Duration::from_mins(2),
            duration_max: Duration::from_mins(10),
            attempts_max: 4,
            backoff: Duration::from_secs(1),
            delay_max: Duration::from_mins(1),
            jitter_seed: None,
            requests_max: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            reply_bytes_max: 1 << 20,
            structure: Structure::Auto,
            extra: Map::new(),
        }
    }

    pub(super) fn endpoint(&self) -> EndpointOptions<'_> {
        EndpointOptions {
            what: "chat model",
            url: &self.url,
            path: "/chat/completions",
            model: &self.model,
            key: self.key.as_ref(),
            key_variable: "QUIVER_CHAT_API_KEY",
            timeout: self.timeout,
            duration_max: self.duration_max,
            reply_bytes_max: self.reply_bytes_max,
            requests_max: self.requests_max,
        }
    }

    pub(super) fn retries(&self) -> Retries {
        Retries {
            attempts_max: self.attempts_max,
            backoff: self.backoff,
            delay_max: self.delay_max,
            seed: self.jitter_seed,
        }
    }
}
