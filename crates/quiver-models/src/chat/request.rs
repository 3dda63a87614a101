use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conversation to continue, and the options for the reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far, in order. The last message is the user's.
    pub messages: Vec<Message>,
    /// The format of the reply. Default text.
    #[serde(default)]
    pub format: Format,
    /// The sampling temperature. Default 0; `None` leaves it to the endpoint.
    pub temperature: Option<f32>,
    /// The sampling seed, if the endpoint supports one. Default 0.
    pub seed: Option<u64>,
    /// Maximum length of the reply in tokens. Default 2048. A longer reply is truncated.
    pub tokens_max: u32,
    /// What the call is for. It is not sent and not part of the cache key.
    #[serde(default, skip_serializing)]
    pub purpose: Purpose,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
}

/// The speaker of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Instructions for the whole conversation.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The format of a reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Text for people.
    #[default]
    Text,
    /// JSON that follows a schema. Endpoints that support it enforce the schema; others get it as an instruction, so
    /// the reply may deviate from it. Some endpoints require every object of the schema to list all its properties as
    /// required and to allow no others.
    Json {
        /// A name made of letters, digits, `_` and `-`.
        name: String,
        /// A JSON schema.
        schema: Value,
    },
}

/// What a call is for. The ledger groups usage by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Purpose {
    /// The job, such as `extract`, `rerank` or `answer`.
    pub job: String,
    /// The question that the call belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

impl ChatRequest {
    /// Creates a request with the default options.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            format: Format::Text,
            temperature: Some(0.0),
            seed: Some(0),
            tokens_max: 2048,
            purpose: Purpose::default(),
        }
    }

    /// Asks for JSON that follows a schema.
    #[must_use]
    pub fn with_json(mut self, name: impl Into<String>, schema: Value) -> Self {
        self.format = Format::Json { name: name.into(), schema };
        self
    }

    /// Limits the length of the reply.
    #[must_use]
    pub fn with_tokens_max(mut self, tokens_max: u32) -> Self {
        self.tokens_max = tokens_max;
        self
    }

    /// Sets the job that the call belongs to.
    #[must_use]
    pub fn for_job(mut self, job: impl Into<String>) -> Self {
        self.purpose.job = job.into();
        self
    }

    /// Sets the question that the call belongs to.
    #[must_use]
    pub fn for_question(mut self, question: impl Into<String>) -> Self {
        self.purpose.question = Some(question.into());
        self
    }
}

impl Message {
    /// Creates a system message.
    pub fn system(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::System, text: text.into() }
    }

    /// Creates a user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::User, text: text.into() }
    }

    /// Creates an assistant message.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::Assistant, text: text.into() }
    }
}
