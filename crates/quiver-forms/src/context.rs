//! The output of `quiver context --json`.

use quiver::context::{Context, ContextItem, ContextShares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Traced, word};

/// A context.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Packed {
    /// The question.
    pub question: String,
    /// The standalone form of the question.
    pub standalone: String,
    /// The number of tokens of the text.
    pub tokens: usize,
    /// The context, ready to use.
    pub text: String,
    /// The items of the context.
    pub items: Vec<Item>,
    /// Items that did not fit.
    pub left: Vec<Item>,
    /// Failures that were worked around.
    pub degraded: Vec<String>,
    /// What each stage did, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
}

/// An item of a context.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Item {
    /// `record`, `relationship`, `fact`, `path`, `turn` or `passage`.
    pub kind: String,
    /// The label of a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The text.
    pub text: String,
    /// The number of tokens of the text.
    pub tokens: usize,
    /// The score.
    pub score: f32,
    /// The components of the score.
    pub shares: Shares,
    /// The IDs of the passages that support it.
    pub passages: Vec<String>,
    /// The ID of the relation, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
}

/// The components of a score.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Shares {
    /// The contribution of relevance.
    pub relevance: f32,
    /// The contribution of proximity in the graph.
    pub proximity: f32,
    /// The contribution of mentioned entities.
    pub mention: f32,
    /// The contribution of recency.
    pub recency: f32,
    /// The contribution of the session's recent topics.
    pub interaction: f32,
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
            kind: word(item.kind),
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
