use serde::{Deserialize, Serialize};

/// A model's reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text; empty if the model returned nothing or refused.
    pub text: String,
    /// Why the reply ended.
    pub finish: Finish,
    /// The text of a refusal, if the endpoint reports refusals separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The token usage.
    pub usage: Usage,
    /// Whether the reply came from a cache and cost nothing.
    #[serde(skip)]
    pub is_cached: bool,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model finished.
    #[default]
    Stop,
    /// The reply reached the token limit and is truncated.
    Length,
    /// The endpoint's content filter cut or withheld the reply.
    Filter,
    /// A reason unknown to the client.
    Other,
}

/// The token usage of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens.
    pub tokens_in: u64,
    /// Output tokens, including hidden reasoning.
    pub tokens_out: u64,
    /// Whether the numbers are estimates because the endpoint reported none.
    #[serde(default)]
    pub is_estimate: bool,
}

impl Usage {
    /// Returns the sum of input and output tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Adds the usage of another call.
    pub fn add(&mut self, other: Self) {
        self.tokens_in = self.tokens_in.saturating_add(other.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(other.tokens_out);
        self.is_estimate |= other.is_estimate;
    }
}
