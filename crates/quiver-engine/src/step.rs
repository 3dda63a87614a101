//! The steps of a path.

use std::fmt;

use serde::Serialize;

/// Why one passage leads to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
#[non_exhaustive]
pub enum Step {
    /// A sentence of the previous passage mentions what this passage is about.
    Mention {
        /// The name in the sentence.
        entity: String,
        /// The sentence.
        sentence: String,
    },
    /// This passage mentions what the previous one is about.
    MentionedBy {
        /// What the previous passage is about.
        entity: String,
    },
    /// This passage and the previous one both mention something that few passages mention.
    Shared {
        /// The previous passage.
        passage: String,
    },
    /// The question, repeated with a name from the previous passage in place of what that passage answers, finds this
    /// passage.
    Bridge {
        /// The name.
        entity: String,
        /// The sentence that contains it.
        sentence: String,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mention { entity, sentence } => write!(f, "{entity}: “{sentence}”"),
            Self::MentionedBy { entity } => write!(f, "it mentions {entity}"),
            Self::Shared { passage } => write!(f, "it shares a rare mention with {passage}"),
            Self::Bridge { entity, sentence } => write!(f, "searched again with {entity}: “{sentence}”"),
        }
    }
}
