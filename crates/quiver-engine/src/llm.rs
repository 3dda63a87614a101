//! The optional language model of the engine: its jobs and its usage ledger.

mod answer;
mod ledger;
mod extract;
mod facts;
mod merge;
mod rerank;

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use quiver_graph::Graph;
use quiver_models::chat::{ChatModel, ChatReply, ChatRequest, DeadlineChat, OnText, Prices, Tally};

use crate::{prompt::ExtractionSchema, trace::Trace};
use ledger::{Booked, UsageLedger};

pub(crate) use answer::word;
pub(crate) use extract::ModelExtractor;
pub(crate) use facts::ModelFactReader;
pub use ledger::Spent;
pub(crate) use ledger::spent;
pub(crate) use rerank::order;

/// A job of a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ChatJob {
    /// Extracts entities and relations from passages.
    Extract,
    /// Orders the candidates for a question.
    Rerank,
    /// Writes the answer.
    Answer,
    /// Rewrites follow-up questions.
    Contextualise,
    /// Writes questions as queries.
    Query,
    /// Reads facts from turns.
    Facts,
}

impl ChatJob {
    /// All jobs.
    pub const ALL: [Self; 6] =
        [Self::Extract, Self::Rerank, Self::Answer, Self::Contextualise, Self::Query, Self::Facts];

    /// Returns the name by which requests and the ledger know the job.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Rerank => "rerank",
            Self::Answer => "answer",
            Self::Contextualise => "contextualise",
            Self::Query => "query",
            Self::Facts => "facts",
        }
    }
}

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
    /// Whether it reads facts from remembered turns, in addition to the rules. Default no.
    pub facts: bool,
    /// The prices of its tokens. Default 0, as for a local model.
    pub prices: Prices,
    /// The entity kinds and predicates that extraction may use. Default any.
    pub schema: ExtractionSchema,
    /// Number of passages per extraction call, and of turns per call that reads facts. Default 4.
    pub passages_per_call: usize,
    /// Maximum number of concurrent calls during an ingest, and while turns are read. Default 4.
    pub calls_at_once: usize,
    /// The maximum duration of a call that reads facts from turns. Whoever remembers a turn waits for it; the turn is
    /// stored before. Default 30 seconds.
    pub facts_wait: Duration,
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
            facts: false,
            prices: Prices::default(),
            schema: ExtractionSchema::default(),
            passages_per_call: 4,
            calls_at_once: 4,
            facts_wait: Duration::from_secs(30),
            candidates_limit: 20,
        }
    }
}

/// The language model of an engine, or its language models if jobs have their own.
#[derive(Clone, Debug)]
pub(crate) struct Llm {
    /// The model of the jobs without one of their own. The calls of all models are recorded in the ledger.
    pub(crate) model: Arc<dyn ChatModel>,
    /// The models of single jobs, by the name of the job.
    own: BTreeMap<&'static str, Arc<dyn ChatModel>>,
    pub(crate) options: Arc<ChatOptions>,
    ledger: Arc<UsageLedger>,
}

impl Llm {
    pub(crate) fn new(
        model: Arc<dyn ChatModel>,
        mut own: BTreeMap<ChatJob, Arc<dyn ChatModel>>,
        options: ChatOptions,
        graph: &Graph,
    ) -> Self {
        let ledger = Arc::new(UsageLedger::new(graph));
        // Inside the ledger, so that it records the calls that were given up.
        let facts = own.remove(&ChatJob::Facts).unwrap_or_else(|| Arc::clone(&model));
        own.insert(ChatJob::Facts, Arc::new(DeadlineChat::new(facts, options.facts_wait)));
        let booked = |model| -> Arc<dyn ChatModel> {
            Arc::new(Booked::new(model, options.prices, Arc::clone(&ledger)))
        };
        let own = own.into_iter().map(|(job, model)| (job.name(), booked(model))).collect();
        Self { model: booked(model), own, options: Arc::new(options), ledger }
    }

    /// Returns the model of a job.
    pub(crate) fn model_for(&self, job: ChatJob) -> &Arc<dyn ChatModel> {
        self.model_named(job.name())
    }

    fn model_named(&self, job: &str) -> &Arc<dyn ChatModel> {
        self.own.get(job).unwrap_or(&self.model)
    }

    /// Makes a call for a question and adds its usage to the trace. With `on_text`, the reply is streamed.
    pub(crate) async fn ask(
        &self,
        request: &ChatRequest,
        on_text: Option<OnText<'_>>,
        trace: &mut Trace,
    ) -> quiver_models::Result<ChatReply> {
        let begun = Instant::now();
        let model = self.model_named(&request.purpose.job);
        let reply = match on_text {
            Some(on_text) => model.stream(request, on_text).await,
            None => model.chat(request).await,
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
