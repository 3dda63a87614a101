//! Builds a context for an assistant: facts, paths and passages for a question, within a token budget.
//!
//! The score of an item has five parts: its relevance, its proximity in the graph to the entities that the question
//! names, whether it mentions them, how recent it is, and whether the user asked about it lately. [`ContextWeights`]
//! holds the weight of each part, and [`ContextItem::shares`] its contribution to the score. If the items exceed the
//! budget, those with the lowest score are dropped. If the best does not fit alone, its first sentences are kept, or those
//! of the best item of which a sentence fits. No language model is needed.
//!
//! ```
//! use quiver::{Document, Quiver};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! quiver.ingest([Document::new("apollo", "Apollo is led by Mara Lind. Its budget is 90,000 euros.")]).await?;
//! let context = quiver.context("Who leads Apollo?").tokens(200).await?;
//! assert!(context.text().contains("Apollo is led by Mara Lind."));
//! assert!(context.tokens <= 200);
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod gather;
mod pack;
mod request;

pub use request::ContextRequest;

use std::{fmt, time::Duration};

use quiver_graph::{PassageId, RelationId};
use serde::Serialize;
use tracing::{Span, instrument};

use crate::{
    Quiver, Result,
    error::Stage,
    memory::{CountTokens, count_tokens},
    options::AskOptions,
    trace::Trace,
    understand::check_length,
};

/// Options for a context.
#[derive(Clone)]
pub struct ContextOptions {
    /// The token budget. Default: 1024.
    pub tokens_max: usize,
    /// The session in which the question is asked. It resolves references in the question, and items about its recent
    /// topics score higher. Default: none.
    pub session: Option<String>,
    /// The weights of the parts of a score.
    pub weights: ContextWeights,
    /// The age at which recency is halved. Default: 30 days.
    pub recency_half_life: Duration,
    /// The current time, in milliseconds since 1970. Defaults to the clock's.
    pub now: Option<i64>,
    /// The maximum number of facts considered. Default: 48.
    pub facts_limit: usize,
    /// The options for retrieving passages. With [`AskOptions::as_of`], facts and turns are those of that moment too.
    /// Default: the usual ones, with 16 passages.
    pub ask: AskOptions,
    /// The token counter. Default: [`count_tokens`].
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

/// The weights of the parts of a score. Each part is between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContextWeights {
    /// The share of the question that the item covers, or the confidence of the ranking. Default: 1.
    pub relevance: f32,
    /// The proximity in the graph to the entities that the question names. Default: 0.5.
    pub proximity: f32,
    /// The share of the entities named in the question that the item mentions. Default: 0.5.
    pub mention: f32,
    /// How recent the item is, if it has a date. Default: 0.2.
    pub recency: f32,
    /// How salient the recent topics of the session are that the item mentions. Default: 0.3.
    pub interaction: f32,
}

impl Default for ContextWeights {
    fn default() -> Self {
        Self { relevance: 1.0, proximity: 0.5, mention: 0.5, recency: 0.2, interaction: 0.3 }
    }
}

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextKind {
    /// A record that answers the question as a query, or that such an answer rests on.
    Record,
    /// A relationship between such records.
    Relationship,
    /// A currently valid fact.
    Fact,
    /// A path through the graph.
    Path,
    /// A turn of the memory, with its speaker and date.
    Turn,
    /// A passage of a document.
    Passage,
}

impl fmt::Display for ContextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Record => "Records",
            Self::Relationship => "Relationships",
            Self::Fact => "Facts",
            Self::Path => "Paths",
            Self::Turn => "Turns",
            Self::Passage => "Passages",
        })
    }
}

/// The contributions to an item's score: each is a value from 0 to 1, times its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContextShares {
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

impl ContextShares {
    /// Returns the sum of the contributions: the score.
    pub fn sum(&self) -> f32 {
        let Self { relevance, proximity, mention, recency, interaction } = self;
        relevance + proximity + mention + recency + interaction
    }
}

/// An item of a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContextItem {
    /// The kind of the item.
    pub kind: ContextKind,
    /// The label, if the item is a record. Records are grouped by it.
    pub label: Option<String>,
    /// The text.
    pub text: String,
    /// The number of tokens in the text.
    pub tokens: usize,
    /// The score: the sum of the shares.
    pub score: f32,
    /// The contributions to the score.
    pub shares: ContextShares,
    /// The passages that support the item.
    pub passages: Vec<PassageId>,
    /// The relation, if the item is a fact.
    pub relation: Option<RelationId>,
}

/// A context for a question, within a token budget.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Context {
    /// The question as asked.
    pub question: String,
    /// The standalone question.
    pub standalone: String,
    /// The items that fit: records by label, relationships, facts, then paths, turns and passages, each kind best first.
    pub items: Vec<ContextItem>,
    /// The items that did not fit, best first.
    pub left: Vec<ContextItem>,
    /// The number of tokens in the text.
    pub tokens: usize,
    /// The trace, including what failed and was skipped.
    pub trace: Trace,
}

impl Context {
    /// Returns the text for an assistant.
    pub fn text(&self) -> String {
        pack::text(&self.items)
    }
}

impl Quiver {
    /// Builds a context for a question: facts, paths, turns and passages, within a token budget. If the question can be
    /// read as a query over records, as in [`Quiver::query_question`], the records that answer it come first. Await the
    /// returned request; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("apollo", "Apollo is led by Mara Lind.")]).await?;
    /// let context = quiver.context("Who leads Apollo?").tokens(200).await?;
    /// assert!(context.text().contains("Apollo is led by Mara Lind.") && context.tokens <= 200);
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`Quiver::retrieve`]. Other failures only degrade the result and are recorded in
    /// the trace.
    pub fn context(&self, question: impl Into<String>) -> ContextRequest<'_> {
        ContextRequest::new(self, question.into())
    }

    #[instrument(target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), items, tokens))]
    async fn context_by(&self, question: &str, options: &ContextOptions) -> Result<Context> {
        check_length(question.trim(), Stage::Understand)?;
        let (seen, missing) = self.without_deleted_if_known().await;
        let mut gathered = Box::pin(gather::gather(&seen, question, options)).await?;
        missing.into_iter().for_each(|what| gathered.trace.degrade(what));
        let count = |text: &str| {
            options.count_tokens.as_ref().map_or_else(|| count_tokens(text), |count| count(text))
        };
        let packed = pack::pack(gathered, options, &count);
        Span::current().record("items", packed.items.len()).record("tokens", packed.tokens);
        Ok(packed)
    }
}
