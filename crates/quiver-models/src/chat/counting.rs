use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use async_trait::async_trait;

use super::{ChatModel, ChatReply, ChatRequest, Ledger, OnText, Prices};
use crate::Result;

/// A chat model that records its calls in a ledger.
///
/// A call whose future is dropped is not recorded.
#[derive(Debug)]
pub struct CountingChat<M> {
    model: M,
    prices: Prices,
    ledger: Mutex<Ledger>,
}

impl<M: ChatModel> CountingChat<M> {
    /// Wraps a model. `prices` are the prices of its tokens.
    pub fn new(model: M, prices: Prices) -> Self {
        Self { model, prices, ledger: Mutex::default() }
    }

    /// Returns the wrapped model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// Returns a copy of the ledger.
    pub fn ledger(&self) -> Ledger {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        // No statement that can panic leaves the ledger in an inconsistent state.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, request: &ChatRequest, begun: Instant, reply: &Result<ChatReply>) {
        self.lock().add(&request.purpose, reply.as_ref().ok(), &self.prices, begun.elapsed());
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for CountingChat<M> {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        let begun = Instant::now();
        let reply = self.model.chat(request).await;
        self.count(request, begun, &reply);
        reply
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        let begun = Instant::now();
        let reply = self.model.stream(request, on_text).await;
        self.count(request, begun, &reply);
        reply
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        self.model.has(request).await
    }
}
