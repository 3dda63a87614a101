use std::time::Duration;

use serde_json::{Map, Value};

use crate::endpoint::{EndpointOptions, Key, Retries};

/// How to open an endpoint with a chat model.
#[derive(Clone, Debug)]
pub struct HttpChatOptions {
    /// The address before `/chat/completions`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The key; else that in the environment: `QUIVER_CHAT_API_KEY`, or in the file that `QUIVER_CHAT_API_KEY_FILE`
    /// names, or `OPENAI_API_KEY` for OpenAI's own address.
    pub key: Option<Key>,
    /// How long the endpoint may be silent; 2 minutes by default. Without streaming it is silent until all is said.
    pub timeout: Duration,
    /// How long one request may take altogether; 10 minutes by default.
    pub duration_max: Duration,
    /// How often a request is made before its failure counts; 4 times by default.
    pub attempts_max: u32,
    /// The first delay before a repetition, when the endpoint asks for none; one second by default.
    pub backoff: Duration,
    /// The longest delay to wait for; one minute by default. Endpoints that ask for more get no repetition.
    pub delay_max: Duration,
    /// Makes the delays the same in every run; by default each client has its own.
    pub jitter_seed: Option<u64>,
    /// How many requests are under way at a time, over all calls; 4 by default.
    pub requests_max: usize,
    /// How many requests may begin within any minute; no limit by default.
    pub requests_per_minute: Option<u32>,
    /// How many tokens the requests that began within any minute may take, both ways; no limit by default. What
    /// requests will take is estimated; when they are done, what they took counts.
    pub tokens_per_minute: Option<u64>,
    /// How large a reply may be; 1 MiB by default.
    pub reply_bytes_max: usize,
    /// How the endpoint is asked for JSON.
    pub structure: Structure,
    /// More fields of the request's body, `{"reasoning_effort": "low"}` for one. They win over the client's own.
    pub extra: Map<String, Value>,
}

/// How an endpoint is asked for JSON of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Structure {
    /// With the schema; if the endpoint refuses that, by an instruction, in the mode for JSON if it has one. What was
    /// learned is remembered as long as the client lives.
    #[default]
    Auto,
    /// With the schema alone (`response_format` of type `json_schema`).
    Schema,
    /// By an instruction alone, that holds the schema.
    Instruction,
}

impl HttpChatOptions {
    /// Makes the default options for a model at an address.
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
