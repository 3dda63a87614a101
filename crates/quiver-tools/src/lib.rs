//! The tools that agents call over the Model Context Protocol.
//!
//! [`Tools`] serve recall, remembering, questions, search, reading and forgetting over any open database, with
//! resources that clients read directly and prompts that users choose. A [`Database`] opens the database for a call,
//! and words errors for the client. `quiver mcp` serves them over standard input and output. Over HTTP each request
//! stands alone: a [`Message`] is parsed, and a [`Call`] answered.
//!
//! ```
//! use std::sync::Arc;
//! use quiver::{AskOptions, Quiver};
//! use quiver_tools::{Message, Offered, Open, Tools};
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let tools = Tools::new(Arc::new(Open::new(Quiver::in_memory().await?)), AskOptions::default(), Offered::Default);
//! let told = json!({ "name": "remember", "arguments": { "text": "Mara works at Tidewater." } });
//! let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": told });
//! let Message::Call(call) = Message::read(message, None) else { panic!("it asks for a reply") };
//! let reply = tools.answer(*call).await;
//! assert_eq!(reply["result"]["structuredContent"]["facts"][0]["object"], "Tidewater");
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod database;
mod lease;
mod tools;
mod forget;
mod resources;
mod prompts;
mod progress;
mod exchange;

pub use database::{Database, Open};
pub use exchange::{Call, Message};
pub use forget::{Failure, delete, forget};
pub use lease::{Lease, Opener};
pub use tools::{Offered, Tools};
