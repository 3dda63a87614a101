//! The output of `quiver chat --json`: one line per question.

use quiver::{
    memory::Fact,
    session::{Reply, RewrittenBy},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::Answered;

/// A reply.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Replied {
    turn: u64,
    question: String,
    standalone: String,
    /// `rules`, `model` or `caller`.
    #[schemars(with = "String")]
    rewritten_by: RewrittenBy,
    rewrites: Vec<Rewritten>,
    /// The topics of the question.
    about: Vec<String>,
    /// The clarifying question, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    asks: Option<AskedBack>,
    /// What was noted, if the turn is a statement and the session remembers.
    #[serde(skip_serializing_if = "Option::is_none")]
    noted: Option<Noted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<Answered>,
    degraded: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Rewritten {
    said: String,
    stands_for: String,
    because: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Noted {
    /// The same in words.
    text: String,
    facts: Vec<NotedFact>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NotedFact {
    subject: String,
    predicate: String,
    object: String,
    denied: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AskedBack {
    said: String,
    options: Vec<String>,
}

impl NotedFact {
    fn of(fact: &Fact) -> Self {
        Self {
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            denied: fact.denied,
        }
    }
}

impl Replied {
    /// Makes the form.
    pub fn of(reply: &Reply, trace: bool) -> Self {
        let read = &reply.read;
        Self {
            turn: reply.number,
            question: read.question.clone(),
            standalone: read.standalone.clone(),
            rewritten_by: read.by,
            rewrites: read
                .rewrites
                .iter()
                .map(|rewrite| Rewritten {
                    said: rewrite.said.clone(),
                    stands_for: rewrite.stands_for.clone(),
                    because: rewrite.because.clone(),
                })
                .collect(),
            about: read.asked.iter().map(|referent| referent.name.clone()).collect(),
            asks: read.asks.as_ref().map(|asks| AskedBack {
                said: asks.said.clone(),
                options: asks.options.iter().map(|option| option.name.clone()).collect(),
            }),
            noted: reply.noted.as_ref().map(|noted| Noted {
                text: noted.to_string(),
                facts: noted.facts.iter().map(NotedFact::of).collect(),
            }),
            answered: reply.answer.as_ref().map(|answer| Answered::of(answer, trace)),
            degraded: read.degraded.clone(),
        }
    }
}
