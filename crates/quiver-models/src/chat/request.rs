use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conversation to be continued, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// What was said so far, in order. The last message is the user's.
    pub messages: Vec<Message>,
    /// What the reply is to be. Default text.
    #[serde(default)]
    pub format: Format,
    /// How freely the model chooses its words. Default 0, the likeliest ones; `None` leaves it to the endpoint.
    pub temperature: Option<f32>,
    /// Makes choices repeatable, where the endpoint knows how. Default 0.
    pub seed: Option<u64>,
    /// How long the reply may be, in tokens. Default 2048. A longer one ends there.
    pub tokens_max: u32,
    /// What the call is for. Neither sent nor part of what a cache keeps the reply under.
    #[serde(default, skip_serializing)]
    pub purpose: Purpose,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who said it.
    pub speaker: Speaker,
    /// What was said.
    pub text: String,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Instructions that hold for the whole conversation.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// What a reply is to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Text for people.
    #[default]
    Text,
    /// JSON of a schema. Endpoints that can hold the model to it do; the others get the schema as an instruction, so
    /// what comes may still be something else. Some endpoints demand that every object of the schema lists all its
    /// properties as required and allows no others.
    Json {
        /// A name of letters, digits, `_` and `-`.
        name: String,
        /// A JSON schema.
        schema: Value,
    },
}

/// What a call is for: the ledger adds up by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Purpose {
    /// The kind of work: `extract`, `rerank`, `answer`.
    pub job: String,
    /// The question that the work is for, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

impl ChatRequest {
    /// Makes a request with the default options.
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

    /// Asks for JSON of a schema.
    #[must_use]
    pub fn with_json(mut self, name: impl Into<String>, schema: Value) -> Self {
        self.format = Format::Json { name: name.into(), schema };
        self
    }

    /// Bounds the reply.
    #[must_use]
    pub fn with_tokens_max(mut self, tokens_max: u32) -> Self {
        self.tokens_max = tokens_max;
        self
    }

    /// Says which job the call belongs to.
    #[must_use]
    pub fn for_job(mut self, job: impl Into<String>) -> Self {
        self.purpose.job = job.into();
        self
    }

    /// Says which question the call belongs to.
    #[must_use]
    pub fn for_question(mut self, question: impl Into<String>) -> Self {
        self.purpose.question = Some(question.into());
        self
    }
}

impl Message {
    /// Instructs the model.
    pub fn system(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::System, text: text.into() }
    }

    /// Says something to the model.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::User, text: text.into() }
    }

    /// Repeats what the model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::Assistant, text: text.into() }
    }
}
