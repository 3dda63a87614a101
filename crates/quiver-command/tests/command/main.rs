//! The command as users see it: a process with arguments, files and exit codes.
#![cfg(feature = "embedded")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails there")]

mod support;

mod bad_database;
mod bad_input;
#[cfg(feature = "bolt")]
mod bolt;
mod chat;
#[cfg(all(unix, feature = "mcp", feature = "serve"))]
mod clients;
mod cross_encoder;
mod everyday;
#[cfg(unix)]
mod hostile;
mod interrupted;
mod one_document;
mod page;
#[cfg(feature = "http")]
mod language;
#[cfg(feature = "mcp")]
mod mcp;
mod memory;
mod queries;
#[cfg(all(unix, feature = "serve"))]
mod remote;
#[cfg(feature = "server")]
#[path = "../../../quiver-store/tests/support/mod.rs"]
mod qdrant;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "serve")]
mod serve;
mod settings;
#[cfg(all(unix, feature = "serve"))]
mod shared;
mod storage;
#[cfg(feature = "opentelemetry")]
mod telemetry;
#[cfg(unix)]
mod watch;
#[cfg(feature = "web")]
mod web;
#[cfg(feature = "http")]
mod stand_in;
