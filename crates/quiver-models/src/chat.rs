//! Chat models: a conversation goes in, a reply comes out.
//!
//! The principal type is [`ChatModel`], the door. Behind it stands [`HttpChat`], any OpenAI-compatible endpoint, or in
//! tests a scripted model. Adapters wrap any model and each other:
//!
//! | adapter | for |
//! | --- | --- |
//! | [`CachedChat`] | replies kept on the disk, so that a rerun pays for nothing twice |
//! | [`CountingChat`] | a [`Ledger`] of calls, tokens, money and time, per job and per question |
//! | [`BudgetedChat`] | a [`Budget`] that ends the work before it is exceeded |
//!
//! The order in which they make sense is `CountingChat<CachedChat<BudgetedChat<HttpChat>>>`: all calls are counted,
//! and what the cache knows is free. [`read`] understands what a model replied, also where it is not quite what was
//! asked for. [`estimate`] says what a request will cost before it is made.

mod model;
mod request;
mod reply;

pub mod read;

pub mod estimate;
mod price;
mod ledger;
mod counting;
mod budget;

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
#[cfg(feature = "http")]
pub use http::{HttpChat, HttpChatOptions, Structure};
pub use ledger::{Ledger, Tally};
pub use model::{ChatModel, OnText};
pub use price::Prices;
pub use reply::{ChatReply, Finish, Usage};
pub use request::{ChatRequest, Format, Message, Purpose, Speaker};
pub use setting::ChatSetting;
