//! Evaluation of Quiver on public question sets and on your own.
//!
//! This is the only crate that knows data sets. It asks every question of a set by several methods on one index,
//! judges what was found by the gold passages, and writes a [`Record`](record::Record) with the provenance of every
//! number. The principal function is [`retrieval`](retrieval::retrieval). [`train`](train::train) fits the weights of
//! the built-in ranking, and [`ablate`](ablate::ablate) measures the contribution of each feature. The binary
//! `quiver-eval` only parses arguments and calls these functions.

pub mod retrieval;

pub mod dataset;
pub mod turns;
pub mod store;
pub mod index;
pub mod tfidf;
pub mod arms;
pub mod run;

pub mod answers;
pub mod memory;
pub mod locomo;
pub mod facts;
pub mod constraints;
pub mod conversation;

pub mod metric;
pub mod bootstrap;
pub mod summary;

pub mod record;
pub mod print;
pub mod report;

pub mod speed;
pub mod train;
pub mod ablate;
pub mod compare;
pub mod rank;
pub mod pool;

#[cfg(all(unix, feature = "serve"))]
pub mod load;
#[cfg(all(unix, feature = "server"))]
pub mod cluster;
#[cfg(unix)]
pub mod torture;
