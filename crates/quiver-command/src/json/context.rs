//! The output of `quiver context --json`.

use quiver::context::{Context, ContextItem, ContextKind, ContextShares};
use serde::Serialize;

use super::Traced;

/// A context.
#[derive(Debug, Serialize)]
pub(crate) struct Packed {
    question: String,
    standalone: String,
    tokens: usize,
    text: String,
    items: Vec<Item>,
    /// Items that did not fit.
    left: Vec<Item>,
    /// Failures that were worked around.
    degraded: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Traced>,
}

#[derive(Debug, Serialize)]
struct Item {
    kind: ContextKind,
    text: String,
    tokens: usize,
    score: f32,
    shares: ContextShares,
    passages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

impl Item {
    fn of(item: &ContextItem) -> Self {
        Self {
            kind: item.kind,
            text: item.text.clone(),
            tokens: item.tokens,
            score: item.score,
            shares: item.shares,
            passages: item.passages.iter().map(ToString::to_string).collect(),
            relation: item.relation.map(|id| id.to_string()),
        }
    }
}

impl Packed {
    pub(crate) fn of(context: &Context, trace: bool) -> Self {
        Self {
            question: context.question.clone(),
            standalone: context.standalone.clone(),
            tokens: context.tokens,
            text: context.text(),
            items: context.items.iter().map(Item::of).collect(),
            left: context.left.iter().map(Item::of).collect(),
            degraded: context.trace.degraded.clone(),
            trace: trace.then(|| Traced::of(&context.trace)),
        }
    }
}
