//! The steps of a path.

use std::fmt;

use serde::Serialize;

/// Why one passage leads to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum Step {
    /// A sentence of the passage before mentions what this passage is about.
    Mention {
        /// The name in the sentence.
        entity: String,
        /// The sentence.
        sentence: String,
    },
    /// This passage mentions what the passage before is about.
    MentionedBy {
        /// What the passage before is about.
        entity: String,
    },
    /// This passage and the one before mention something that few passages mention.
    Shared {
        /// The passage before.
        passage: String,
    },
    /// The question, asked again with a name from the passage before in place of what that passage says, finds this
    /// passage.
    Bridge {
        /// The name.
        entity: String,
        /// The sentence that brings it up.
        sentence: String,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mention { entity, sentence } => write!(f, "{entity}: “{sentence}”"),
            Self::MentionedBy { entity } => write!(f, "it mentions {entity}"),
            Self::Shared { passage } => write!(f, "both it and {passage} mention something rare"),
            Self::Bridge { entity, sentence } => write!(f, "asked again with {entity}: “{sentence}”"),
        }
    }
}
