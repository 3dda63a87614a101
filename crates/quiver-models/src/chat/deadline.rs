use std::time::Duration;

use async_trait::async_trait;
use tokio::time::timeout;

use super::{ChatModel, ChatReply, ChatRequest, OnText};
use crate::{Error, ErrorKind, Result};

/// A chat model that gives up on a call after a fixed time, whatever the model is doing: waiting for its turn, for the
/// endpoint, or for another attempt.
///
/// The error is [`ErrorKind::Unavailable`]. The endpoint may bill what it has done so far.
#[derive(Debug)]
pub struct DeadlineChat<M> {
    model: M,
    duration_max: Duration,
}

impl<M: ChatModel> DeadlineChat<M> {
    /// Wraps a model.
    pub fn new(model: M, duration_max: Duration) -> Self {
        Self { model, duration_max }
    }

    /// Returns the wrapped model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    async fn within(&self, reply: impl Future<Output = Result<ChatReply>> + Send) -> Result<ChatReply> {
        timeout(self.duration_max, reply).await.unwrap_or_else(|_| {
            let seconds = self.duration_max.as_secs_f64();
            let message = format!("{} did not answer within {seconds} s", self.model.model());
            Err(Error::new(ErrorKind::Unavailable, message))
        })
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for DeadlineChat<M> {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        self.within(self.model.chat(request)).await
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        self.within(self.model.stream(request, on_text)).await
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        self.model.has(request).await
    }
}
