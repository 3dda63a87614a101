//! Tests of the data model: each fails if its rule is broken.
#![expect(clippy::unwrap_used, reason = "a test ends where it goes wrong")]

mod support;

mod collecting;
mod crashes;
mod documents;
#[cfg(feature = "embedded")]
mod embedded;
mod dumps;
mod expansion;
mod hops;
mod hub;
mod meta;
mod rules;
mod send;
mod statistics;
mod verification;
mod term_search;
mod workspaces;
