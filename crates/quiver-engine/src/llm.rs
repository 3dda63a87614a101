//! The optional language model of the engine: its jobs and its usage ledger.

mod answer;
mod ledger;
mod extract;
mod merge;
mod rerank;

use std::{sync::Arc, time::Instant};

use quiver_graph::Graph;
use quiver_models::chat::{ChatModel, ChatReply, ChatRequest, OnText, Prices, Tally};

use crate::{prompt::ExtractionSchema, trace::Trace};
use ledger::{Booked, UsageLedger};

pub(crate) use answer::word;
pub(crate) use extract::ModelExtractor;
pub use ledger::Spent;
pub(crate) use ledger::spent;
pub(crate) use rerank::order;

/// The jobs of a language model, and its limits.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether the model does one kind of work")]
pub struct ChatOptions {
    /// Whether it extracts entities and relations from passages, in addition to the rules. Default yes.
    pub extract: bool,
    /// Whether it reranks the best candidates, in one call, unless there is a [`Reranker`](crate::Reranker). Default
    /// yes.
    pub rerank: bool,
    /// Whether it writes the answer, in one call. Default yes.
    pub answer: bool,
    /// Whether it rewrites follow-up questions of sessions, in one call. Default yes.
    pub contextualise: bool,
    /// Whether it writes questions as queries, in one call or two, if nodes have labels and the rules can't read the
    /// question. Default yes.
    pub query: bool,
    /// The prices of its tokens. Default 0, as for a local model.
    pub prices: Prices,
    /// The entity kinds and predicates that extraction may use. Default any.
    pub schema: ExtractionSchema,
    /// Number of passages per extraction call. Default 4.
    pub passages_per_call: usize,
    /// Maximum number of concurrent calls during an ingest. Default 4.
    pub calls_at_once: usize,
    /// Maximum number of candidates to rerank. Default 20.
    pub candidates_limit: usize,
}

impl Default for ChatOptions {
    fn default() -> Self {
        Self {
            extract: true,
            rerank: true,
            answer: true,
            contextualise: true,
            query: true,
            prices: Prices::default(),
            schema: ExtractionSchema::default(),
            passages_per_call: 4,
            calls_at_once: 4,
            candidates_limit: 20,
        }
    }
}

/// The language model of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Llm {
    /// The model. All of its calls are recorded in the ledger.
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) options: Arc<ChatOptions>,
    ledger: Arc<UsageLedger>,
}

impl Llm {
    pub(crate) fn new(model: Arc<dyn ChatModel>, options: ChatOptions, graph: &Graph) -> Self {
        let ledger = Arc::new(UsageLedger::new(graph));
        let model = Booked::new(model, options.prices, Arc::clone(&ledger));
        Self { model: Arc::new(model), options: Arc::new(options), ledger }
    }

    /// Makes a call for a question and adds its usage to the trace. With `on_text`, the reply is streamed.
    pub(crate) async fn ask(
        &self,
        request: &ChatRequest,
        on_text: Option<OnText<'_>>,
        trace: &mut Trace,
    ) -> quiver_models::Result<ChatReply> {
        let begun = Instant::now();
        let reply = match on_text {
            Some(on_text) => self.model.stream(request, on_text).await,
            None => self.model.chat(request).await,
        };
        let tally = Tally::of(reply.as_ref().ok(), &self.options.prices, begun.elapsed());
        trace.spend(&request.purpose.job, &tally);
        reply
    }

    /// Writes pending usage to the database.
    pub(crate) async fn write_ledger(&self) {
        self.ledger.write().await;
    }
}
