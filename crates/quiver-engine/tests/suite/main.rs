//! The engine as its users see it. One program, so that the database engine is linked once.

mod common;
#[cfg(feature = "server")]
#[path = "../../../quiver-store/tests/support/mod.rs"]
mod server;

mod answer_examples;
mod answers;
mod architecture;
mod backends;
mod circles;
mod context;
mod conversation;
mod conversation_model;
mod counts;
#[cfg(feature = "fastembed")]
mod cross_encoder;
mod decisions;
mod demo;
mod described;
mod documents;
mod extraction;
mod growth;
mod language;
mod languages;
mod memory;
mod memory_backends;
mod memory_properties;
mod memory_verbs;
mod memory_examples;
mod model_extraction;
mod model_facts;
mod push_down;
mod queries;
mod query_examples;
#[cfg(all(unix, feature = "embedded"))]
mod query_kill;
mod query_model;
mod questions;
mod records;
mod roles;
mod schema;
mod splits;
mod suggestions;
mod talk;
mod tck;
mod transactions;
