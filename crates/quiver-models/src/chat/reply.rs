use serde::{Deserialize, Serialize};

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The words; none when the model said nothing or refused.
    pub text: String,
    /// Why it ends there.
    pub finish: Finish,
    /// The words of a refusal, where the endpoint tells refusals from answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// What it took.
    pub usage: Usage,
    /// Whether it came from a cache, at no cost.
    #[serde(skip)]
    pub is_cached: bool,
}

/// Why a reply ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// All was said.
    #[default]
    Stop,
    /// It is as long as was allowed; what comes last is cut.
    Length,
    /// A filter of the endpoint cut or withheld it.
    Filter,
    /// Something that the client does not know.
    Other,
}

/// How many tokens a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub tokens_in: u64,
    /// Tokens of the reply, those of hidden reasoning among them.
    pub tokens_out: u64,
    /// Whether the numbers are estimates, because the endpoint told none.
    #[serde(default)]
    pub is_estimate: bool,
}

impl Usage {
    /// Tokens of both ways together.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Adds what another call took.
    pub fn add(&mut self, other: Self) {
        self.tokens_in = self.tokens_in.saturating_add(other.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(other.tokens_out);
        self.is_estimate |= other.is_estimate;
    }
}
