use std::{fmt, sync::Arc};

use async_trait::async_trait;

use super::{ChatReply, ChatRequest};
use crate::Result;

/// Takes pieces of a reply as they come.
pub type OnText<'a> = &'a mut (dyn FnMut(&str) + Send);

/// Answers conversations.
///
/// # Contract
///
/// - Whatever the model said is a reply, also when it is nothing, a refusal, or cut at the length that was allowed:
///   [`ChatReply::finish`] and [`ChatReply::refusal`] tell. An error says that there is no reply to read.
/// - A reply has the usage that the endpoint tells, or an estimate that is marked as one.
/// - Calls are independent of each other. Any number may be made at once; the implementation makes them wait as its
///   limits demand.
/// - [`stream`](Self::stream) gives the same reply as [`chat`](Self::chat), and the pieces that it gave before make up
///   the reply's text, in order and without gaps. A reply that is known already may come as one piece.
/// - Failures of the moment are repeated by the implementation. Pieces can't be taken back: once the first was given,
///   a stream that breaks off is an error and not repeated, and the pieces stand for what they are.
/// - [`ChatRequest::purpose`] is for the ledger alone; the reply does not depend on it.
///
/// # Errors
///
/// Those of the crate; [`ErrorKind::Limit`](crate::ErrorKind::Limit) for a reply larger than the implementation
/// allows, [`ErrorKind::Budget`](crate::ErrorKind::Budget) for a call that could exceed a budget, which was not made.
///
/// # Cancellation
///
/// Dropping the future drops the request. What the endpoint had done by then may be billed.
#[async_trait]
pub trait ChatModel: fmt::Debug + Send + Sync {
    /// Names the model; replies are kept and priced under this name.
    fn model(&self) -> &str;

    /// Answers a request.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply>;

    /// Answers a request, and gives the reply's text piece by piece as it comes.
    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply>;

    /// Whether the reply to a request is at hand and costs nothing. Nothing is sent to find out.
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
