//! Context for an assistant: facts, paths and passages for a question, packed into a budget of tokens.
//!
//! Every item is scored by five things, each with its weight in [`ContextWeights`] and its share of the score in
//! [`ContextItem::shares`]: how relevant it is, how near it is in the graph to what the question names, whether it
//! mentions that, how recent it is, and whether the user spoke of it lately. What does not fit leaves by the lowest
//! score. No language model is needed.
//!
//! ```
//! use quiver::{Document, Quiver, context::ContextOptions};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! quiver.ingest([Document::new("apollo", "Apollo is led by Mara Lind. Its budget is 90,000 euros.")]).await?;
//! let context = quiver.context("Who leads Apollo?", &ContextOptions::default()).await?;
//! assert!(context.text().contains("Apollo is led by Mara Lind."));
//! assert!(context.tokens <= 1024);
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod gather;
mod pack;

use std::{fmt, time::Duration};

use quiver_graph::{PassageId, RelationId};
use serde::Serialize;

use crate::{
    Quiver, Result,
    memory::{CountTokens, count_tokens},
    options::AskOptions,
    trace::Trace,
};

/// How a context is packed: each with its default.
#[derive(Clone)]
pub struct ContextOptions {
    /// How many tokens it may take. Default 1024.
    pub tokens_max: usize,
    /// The session that the question is asked in: it is understood from that, and what was spoken of there lately
    /// counts. Default none.
    pub session: Option<String>,
    /// What an item's score is made of.
    pub weights: ContextWeights,
    /// After this long, something counts as half as recent. Default 30 days.
    pub recency_half_life: Duration,
    /// The present, in milliseconds since 1970; the clock's, where that is not given.
    pub now: Option<i64>,
    /// How many facts are considered at the most. Default 48.
    pub facts_limit: usize,
    /// How passages are found. Default: the usual way, 16 of them.
    pub ask: AskOptions,
    /// Counts tokens; a quarter of the characters where there is none.
    pub count_tokens: Option<CountTokens>,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            tokens_max: 1024,
            session: None,
            weights: ContextWeights::default(),
            recency_half_life: Duration::from_hours(30 * 24),
            now: None,
            facts_limit: 48,
            ask: AskOptions { passages_limit: 16, ..AskOptions::default() },
            count_tokens: None,
        }
    }
}

impl fmt::Debug for ContextOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens_max, session, weights, recency_half_life, now, facts_limit, ask, count_tokens } =
            self;
        f.debug_struct("ContextOptions")
            .field("tokens_max", tokens_max)
            .field("session", session)
            .field("weights", weights)
            .field("recency_half_life", recency_half_life)
            .field("now", now)
            .field("facts_limit", facts_limit)
            .field("ask", ask)
            .field("count_tokens", &count_tokens.is_some())
            .finish()
    }
}

/// What an item's score is made of: each part, from 0 to 1, times its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContextWeights {
    /// How much of the question it says, or how sure the ranking is of it. Default 1.
    pub relevance: f32,
    /// How near it is in the graph to what the question names. Default 0.5.
    pub proximity: f32,
    /// How many of the things that the question names it mentions. Default 0.5.
    pub mention: f32,
    /// How recent it is, where it has a date. Default 0.2.
    pub recency: f32,
    /// How much it speaks of what the user asked about lately. Default 0.3.
    pub interaction: f32,
}

impl Default for ContextWeights {
    fn default() -> Self {
        Self { relevance: 1.0, proximity: 0.5, mention: 0.5, recency: 0.2, interaction: 0.3 }
    }
}

/// What sort of item it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextKind {
    /// A statement that holds.
    Fact,
    /// A way through the graph.
    Path,
    /// A turn of the memory, with its speaker and date.
    Turn,
    /// A passage of a document.
    Passage,
}

impl fmt::Display for ContextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fact => "Facts",
            Self::Path => "Paths",
            Self::Turn => "Turns",
            Self::Passage => "Passages",
        })
    }
}

/// The parts of an item's score: each is its value, from 0 to 1, times its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContextShares {
    /// Of the relevance.
    pub relevance: f32,
    /// Of the nearness in the graph.
    pub proximity: f32,
    /// Of what the question names.
    pub mention: f32,
    /// Of the date.
    pub recency: f32,
    /// Of what the user asked about lately.
    pub interaction: f32,
}

impl ContextShares {
    /// All parts together: the score.
    pub fn sum(&self) -> f32 {
        let Self { relevance, proximity, mention, recency, interaction } = self;
        relevance + proximity + mention + recency + interaction
    }
}

/// Something that an assistant should know for a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContextItem {
    /// What it is.
    pub kind: ContextKind,
    /// Its words.
    pub text: String,
    /// How many tokens they take.
    pub tokens: usize,
    /// Its score: the sum of the shares.
    pub score: f32,
    /// What the score is made of.
    pub shares: ContextShares,
    /// The passages it rests on.
    pub passages: Vec<PassageId>,
    /// The relation that it is, where it is a fact.
    pub relation: Option<RelationId>,
}

/// What an assistant should know for a question, within a budget.
#[derive(Clone, Debug)]
pub struct Context {
    /// The question as it was asked.
    pub question: String,
    /// The question as it was understood.
    pub standalone: String,
    /// What fits: facts, then paths, then turns, then passages, each the best first.
    pub items: Vec<ContextItem>,
    /// What left because it did not fit, the best first.
    pub left: Vec<ContextItem>,
    /// How many tokens the text takes.
    pub tokens: usize,
    /// What happened on the way, and what was missing.
    pub trace: Trace,
}

impl Context {
    /// The text to hand to an assistant.
    pub fn text(&self) -> String {
        pack::text(&self.items)
    }
}

impl Quiver {
    /// Packs what an assistant should know for a question: facts, paths and passages, within a budget of tokens.
    ///
    /// # Errors
    /// Those of [`Quiver::retrieve`]. What else fails is done without, and the trace says so.
    pub async fn context(&self, question: &str, options: &ContextOptions) -> Result<Context> {
        let gathered = gather::gather(self, question, options).await?;
        let count = |text: &str| {
            options.count_tokens.as_ref().map_or_else(|| count_tokens(text), |count| count(text))
        };
        Ok(pack::pack(gathered, options, &count))
    }
}
