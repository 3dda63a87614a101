//! The output of `quiver chat --json`: one line per question.

use quiver::session::{Reply, RewrittenBy};
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
struct AskedBack {
    said: String,
    options: Vec<String>,
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
            answered: reply.answer.as_ref().map(|answer| Answered::of(answer, trace)),
            degraded: read.degraded.clone(),
        }
    }
}
