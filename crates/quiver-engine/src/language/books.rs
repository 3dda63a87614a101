//! What is spent on a database, written into it.

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

/// The account of a database that language models are booked to.
const ACCOUNT: &str = "chat";
/// Who writes to it where one process at a time has the database.
const ONLY_WRITER: &str = "local";

/// What a database's language models were asked for and what it took, by the kind of work, since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Everything.
    pub total: Tally,
    /// By the kind of work: `extract`, `rerank`, `answer`.
    pub jobs: BTreeMap<String, Tally>,
}

impl Spent {
    fn add(&mut self, job: &str, tally: &Tally) {
        self.total.add(tally);
        self.jobs.entry(job.to_owned()).or_default().add(tally);
    }
}

/// Reads what was spent on a database. What a process that was killed had not written down is not in it.
pub(crate) async fn spent(graph: &Graph) -> quiver_graph::Result<Spent> {
    let mut all = Spent::default();
    for (_, sums) in graph.read_account(ACCOUNT).await? {
        // Sums of another version are left out: they decide nothing.
        let sums: Spent = serde_json::from_value(sums).unwrap_or_default();
        sums.jobs.iter().for_each(|(job, tally)| all.add(job, tally));
    }
    Ok(all)
}

/// What is spent, on its way into the database.
#[derive(Debug)]
pub(super) struct Books {
    graph: Graph,
    writer: String,
    /// What the database does not have yet.
    open: Mutex<Spent>,
    /// Held while the account is read and written.
    writing: tokio::sync::Mutex<()>,
}

impl Books {
    pub(super) fn new(graph: &Graph) -> Self {
        let writer = match graph.store().kind() {
            StoreKind::Server => format!("{:016x}", RandomState::new().build_hasher().finish()),
            _ => ONLY_WRITER.to_owned(),
        };
        Self { graph: graph.clone(), writer, open: Mutex::default(), writing: tokio::sync::Mutex::default() }
    }

    /// Books a call, which is in the database when this returns. What a cache answers of an ingest, thousands of calls
    /// at no cost, is written down at its end.
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
            tracing::warn!(%error, "what the language model took can't be written down");
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
        // The sums are whole between any two statements that can panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A chat model whose calls are booked.
#[derive(Debug)]
pub(super) struct Booked {
    model: Arc<dyn ChatModel>,
    prices: Prices,
    books: Arc<Books>,
}

impl Booked {
    pub(super) fn new(model: Arc<dyn ChatModel>, prices: Prices, books: Arc<Books>) -> Self {
        Self { model, prices, books }
    }

    async fn book(&self, request: &ChatRequest, begun: Instant, reply: &Result<ChatReply>) {
        let tally = Tally::of(reply.as_ref().ok(), &self.prices, begun.elapsed());
        self.books.add(&request.purpose.job, &tally).await;
    }
}

#[async_trait]
impl ChatModel for Booked {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        let begun = Instant::now();
        let reply = self.model.chat(request).await;
        self.book(request, begun, &reply).await;
        reply
    }

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
