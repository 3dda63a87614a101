//! The usage ledger of a database.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use quiver_graph::Graph;
use quiver_models::{
    Result,
    chat::{ChatModel, ChatReply, ChatRequest, OnText, Prices, Tally},
};
use quiver_store::StoreKind;
use serde::{Deserialize, Serialize};
use tracing::{Span, instrument};

/// The account of the database in which language model usage is recorded.
const ACCOUNT: &str = "chat";
/// The writer's name if only one process at a time can open the database.
const ONLY_WRITER: &str = "local";

/// The language model usage of a database since its creation, per job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The total.
    pub total: Tally,
    /// Usage per job: the names of [`ChatJob`](super::ChatJob).
    pub jobs: BTreeMap<String, Tally>,
}

impl Spent {
    fn add(&mut self, job: &str, tally: &Tally) {
        self.total.add(tally);
        self.jobs.entry(job.to_owned()).or_default().add(tally);
    }
}

/// Reads the usage of a database. Usage that a killed process had not written is missing.
pub(crate) async fn spent(graph: &Graph) -> quiver_graph::Result<Spent> {
    let mut all = Spent::default();
    for (_, sums) in graph.read_account(ACCOUNT).await? {
        // Ignore entries of another version: nothing depends on them.
        let sums: Spent = serde_json::from_value(sums).unwrap_or_default();
        sums.jobs.iter().for_each(|(job, tally)| all.add(job, tally));
    }
    Ok(all)
}

/// Collects usage and writes it to the database.
#[derive(Debug)]
pub(super) struct UsageLedger {
    graph: Graph,
    writer: String,
    /// Usage that has not been written yet.
    open: Mutex<Spent>,
    /// Held while the account is read and written.
    writing: tokio::sync::Mutex<()>,
}

impl UsageLedger {
    pub(super) fn new(graph: &Graph) -> Self {
        let writer = match graph.store().kind() {
            StoreKind::Server => format!("{:016x}", RandomState::new().build_hasher().finish()),
            _ => ONLY_WRITER.to_owned(),
        };
        Self { graph: graph.clone(), writer, open: Mutex::default(), writing: tokio::sync::Mutex::default() }
    }

    /// Records a call and writes it to the database before returning. Cached extraction calls are written at the end
    /// of the ingest, because there may be thousands of them and they cost nothing.
    async fn add(&self, job: &str, tally: &Tally) {
        self.open().add(job, tally);
        if tally.calls_cached == 0 || job != "extract" {
            self.write().await;
        }
    }

    pub(super) async fn write(&self) {
        let _writing = self.writing.lock().await;
        let open = std::mem::take(&mut *self.open());
        if open == Spent::default() {
            return;
        }
        if let Err(error) = self.try_write(&open).await {
            tracing::warn!(%error, "the usage of the language model can't be stored");
            open.jobs.iter().for_each(|(job, tally)| self.open().add(job, tally));
        }
    }

    async fn try_write(&self, open: &Spent) -> quiver_graph::Result<()> {
        let entries = self.graph.read_account(ACCOUNT).await?;
        let known = entries.into_iter().find(|(writer, _)| *writer == self.writer);
        let mut sums: Spent =
            known.and_then(|(_, sums)| serde_json::from_value(sums).ok()).unwrap_or_default();
        open.jobs.iter().for_each(|(job, tally)| sums.add(job, tally));
        let sums = serde_json::to_value(&sums).expect("sums are numbers");
        self.graph.write_account(ACCOUNT, &self.writer, sums).await
    }

    fn open(&self) -> MutexGuard<'_, Spent> {
        // No statement that can panic leaves the sums in an inconsistent state.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A chat model that records its calls.
#[derive(Debug)]
pub(super) struct Booked {
    model: Arc<dyn ChatModel>,
    prices: Prices,
    ledger: Arc<UsageLedger>,
}

impl Booked {
    pub(super) fn new(model: Arc<dyn ChatModel>, prices: Prices, ledger: Arc<UsageLedger>) -> Self {
        Self { model, prices, ledger }
    }

    async fn book(&self, request: &ChatRequest, begun: Instant, reply: &Result<ChatReply>) {
        let tally = Tally::of(reply.as_ref().ok(), &self.prices, begun.elapsed());
        Span::current().record("tokens_in", tally.tokens_in).record("tokens_out", tally.tokens_out);
        self.ledger.add(&request.purpose.job, &tally).await;
    }
}

#[async_trait]
impl ChatModel for Booked {
    fn model(&self) -> &str {
        self.model.model()
    }

    #[instrument(name = "model", target = "quiver::stage", skip_all, fields(job = request.purpose.job.as_str(), tokens_in, tokens_out))]
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        let begun = Instant::now();
        let reply = self.model.chat(request).await;
        self.book(request, begun, &reply).await;
        reply
    }

    #[instrument(name = "model", target = "quiver::stage", skip_all, fields(job = request.purpose.job.as_str(), tokens_in, tokens_out))]
    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        let begun = Instant::now();
        let reply = self.model.stream(request, on_text).await;
        self.book(request, begun, &reply).await;
        reply
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        self.model.has(request).await
    }
}
