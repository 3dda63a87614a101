//! The server, in this process and over sockets.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[cfg(feature = "bolt")]
mod bolt;
mod client;
mod deletes;
mod description;
mod embeddings;
mod endpoints;
mod generated;
mod hostile;
mod jobs;
mod keys;
mod mcp;
mod page;
mod pages;
mod support;
mod things;
mod tls;
mod workspaces;
