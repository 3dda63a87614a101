//! The records of a session: questions, their answers, and the entities in them.

use quiver_graph::EntityId;
use serde::{Deserialize, Serialize};

/// Reason for the option that a reply to a clarifying question chose.
pub(super) const CHOSEN: &str = "chosen from the options";

/// An entity mentioned in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Referent {
    /// Its name, as in the graph.
    pub name: String,
    /// The entity's id, if the graph has the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityId>,
}

/// A part of a question that was rewritten to make the question standalone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rewrite {
    /// The original words.
    pub said: String,
    /// The replacement.
    pub stands_for: String,
    /// The reason.
    pub because: String,
}

/// A clarifying question, asked because a reference is ambiguous and the session does not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionBack {
    /// The ambiguous words.
    pub said: String,
    /// The options, in the order that ordinals refer to.
    pub options: Vec<Referent>,
    /// The question that was asked, with its other references rewritten.
    pub question: String,
    /// The byte range in it that the chosen option replaces.
    pub place: (usize, usize),
}

impl std::fmt::Display for QuestionBack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "“{}” could be ", self.said)?;
        for (at, option) in self.options.iter().enumerate() {
            let joint = match at {
                0 => "",
                at if at + 1 == self.options.len() => " or ",
                _ => ", ",
            };
            write!(f, "{joint}{}", option.name)?;
        }
        f.write_str(": which one is meant?")
    }
}

/// A turn of a session: a question with its reading and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exchange {
    /// When it was asked, in milliseconds since 1970.
    #[serde(skip)]
    pub time: i64,
    /// Its number in the session, from 1; 0 for a remembered statement.
    pub number: u64,
    /// Who said it, for a remembered statement.
    #[serde(skip)]
    pub speaker: Option<String>,
    /// The question as asked.
    pub question: String,
    /// The standalone question.
    pub standalone: String,
    /// What was rewritten, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<Rewrite>,
    /// The answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The entities asked about, most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Referent>,
    /// The entities named in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<Referent>,
    /// Other entities in the passage that the answer came from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearby: Vec<Referent>,
    /// The entities listed, in order; "the second one" refers to these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Referent>,
    /// The clarifying question, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<QuestionBack>,
}

impl Exchange {
    /// All entities of the turn, each once.
    pub fn spoken_of(&self) -> Vec<&Referent> {
        let mut all: Vec<&Referent> = Vec::new();
        for referent in self.asked.iter().chain(&self.answered).chain(&self.listed).chain(&self.nearby) {
            if !all.contains(&referent) {
                all.push(referent);
            }
        }
        all
    }
}
