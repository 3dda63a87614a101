//! The output of `quiver context --json`.

use quiver::context::{Context, ContextItem, ContextKind, ContextShares};
use schemars::JsonSchema;
use serde::Serialize;

use super::Traced;

/// A context.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Packed {
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

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// `record`, `relationship`, `fact`, `path`, `turn` or `passage`.
    #[schemars(with = "String")]
    kind: ContextKind,
    /// The label of a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    text: String,
    tokens: usize,
    score: f32,
    shares: Shares,
    passages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

/// The components of a score.
#[derive(Debug, Serialize, JsonSchema)]
struct Shares {
    relevance: f32,
    proximity: f32,
    mention: f32,
    recency: f32,
    interaction: f32,
}

impl Shares {
    fn of(shares: ContextShares) -> Self {
        let ContextShares { relevance, proximity, mention, recency, interaction } = shares;
        Self { relevance, proximity, mention, recency, interaction }
    }
}

impl Item {
    fn of(item: &ContextItem) -> Self {
        Self {
            kind: item.kind,
            label: item.label.clone(),
            text: item.text.clone(),
            tokens: item.tokens,
            score: item.score,
            shares: Shares::of(item.shares),
            passages: item.passages.iter().map(ToString::to_string).collect(),
            relation: item.relation.map(|id| id.to_string()),
        }
    }
}

impl Packed {
    /// Makes the form.
    pub fn of(context: &Context, trace: bool) -> Self {
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
