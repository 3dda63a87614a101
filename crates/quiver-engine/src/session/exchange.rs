//! What a session keeps: questions with their answers, and what they spoke of.

use quiver_graph::EntityId;
use serde::{Deserialize, Serialize};

/// Something that a session spoke of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referent {
    /// Its name, as the graph has it.
    pub name: String,
    /// The entity, where the graph knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityId>,
}

/// A part of a question that was given another form, so that the question can be understood by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrite {
    /// The words as they were said.
    pub said: String,
    /// What took their place.
    pub stands_for: String,
    /// Why.
    pub because: String,
}

/// A question asked back, because several things fit and the session does not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionBack {
    /// The words that several things fit.
    pub said: String,
    /// What fits, in the order in which ordinals count them.
    pub options: Vec<Referent>,
    /// The question that was asked, with the rest of it rewritten.
    pub question: String,
    /// Where in it the words stand that the choice takes the place of, in bytes.
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

/// A question of a session with what became of it: a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// When it was asked, in milliseconds since 1970.
    #[serde(skip)]
    pub time: i64,
    /// Its number in the session, from 1.
    pub number: u64,
    /// The question as it was asked.
    pub question: String,
    /// The question as it can be understood by itself.
    pub standalone: String,
    /// What was rewritten, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<Rewrite>,
    /// The answer, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What it asked about, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Referent>,
    /// What the answer named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<Referent>,
    /// What stood beside the answer in the passage it was taken from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearby: Vec<Referent>,
    /// What it listed, in order: what "the second one" counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Referent>,
    /// The question that was asked back, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<QuestionBack>,
}

impl Exchange {
    /// Everything that the turn spoke of, each once.
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
