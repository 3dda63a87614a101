use std::{fmt, sync::Arc};

use async_trait::async_trait;

use super::{ChatReply, ChatRequest};
use crate::Result;

/// A callback that receives pieces of a reply as they arrive.
pub type OnText<'a> = &'a mut (dyn FnMut(&str) + Send);

/// A chat model.
///
/// # Contract
///
/// - Everything a model returns is a reply, even if it is empty, a refusal, or truncated at the token limit; see
///   [`ChatReply::finish`] and [`ChatReply::refusal`]. An error means that there is no reply.
/// - A reply contains the usage reported by the endpoint, or an estimate that is marked as such.
/// - Calls are independent of each other and may run concurrently. The implementation delays them to respect its
///   limits.
/// - [`stream`](Self::stream) returns the same reply as [`chat`](Self::chat). The pieces it passes on are the reply's
///   text, in order and without gaps. A cached reply may come as one piece.
/// - The implementation retries transient failures. Pieces can't be retracted: if a stream fails after the first
///   piece, it returns an error and is not retried.
/// - [`ChatRequest::purpose`] is only for the ledger and does not affect the reply.
///
/// # Errors
///
/// Returns an error if the call fails. A reply that is larger than the implementation allows is
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit). A call that could exceed a budget is not made and is
/// [`ErrorKind::Budget`](crate::ErrorKind::Budget).
///
/// # Cancellation
///
/// Dropping the future cancels the request. The endpoint may bill what it has done so far.
#[async_trait]
pub trait ChatModel: fmt::Debug + Send + Sync {
    /// Returns the model's name. Caches and prices use it as a key.
    fn model(&self) -> &str;

    /// Answers a request.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply>;

    /// Answers a request and passes on the reply's text as it arrives.
    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply>;

    /// Returns whether the reply to a request is cached and therefore free. Sends nothing.
    async fn has(&self, request: &ChatRequest) -> bool;
}

#[async_trait]
impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn model(&self) -> &str {
        (**self).model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        (**self).chat(request).await
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        (**self).stream(request, on_text).await
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        (**self).has(request).await
    }
}
