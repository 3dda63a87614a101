//! Chat models.
//!
//! The principal type is the trait [`ChatModel`]. [`HttpChat`] implements it for any OpenAI-compatible endpoint;
//! tests use a scripted model. Wrappers add behaviour to any model and can be combined:
//!
//! | wrapper | purpose |
//! | --- | --- |
//! | [`CachedChat`] | stores replies on disk, so that a rerun does not pay for the same call twice |
//! | [`CountingChat`] | keeps a [`Ledger`] of calls, tokens, cost and time per job and per question |
//! | [`BudgetedChat`] | stops before a [`Budget`] is exceeded |
//! | [`DeadlineChat`] | gives up on a call after a fixed time |
//!
//! Combine them as `CountingChat<CachedChat<BudgetedChat<HttpChat>>>`: all calls are counted, and cache hits cost
//! nothing. [`read`] parses replies, including ones that deviate from the requested format. [`estimate`] estimates
//! the cost of a request before it is sent.

mod model;
mod request;
mod reply;

pub mod read;

pub mod estimate;
mod price;
mod ledger;
mod counting;
mod budget;
mod deadline;

mod cached;

#[cfg(feature = "http")]
mod http;
mod setting;

#[cfg(any(test, feature = "testing"))]
pub(crate) mod scripted;

#[cfg(test)]
mod tests;

pub use budget::{Budget, BudgetedChat};
pub use cached::CachedChat;
pub use counting::CountingChat;
pub use deadline::DeadlineChat;
#[cfg(feature = "http")]
pub use http::{HttpChat, HttpChatOptions, Structure};
pub use ledger::{Ledger, Tally};
pub use model::{ChatModel, OnText};
pub use price::Prices;
pub use reply::{ChatReply, Finish, Usage};
pub use request::{ChatRequest, Format, Message, Purpose, Speaker};
pub use setting::ChatSetting;
