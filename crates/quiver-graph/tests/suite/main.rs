//! The rules of the data model: each has a test that fails when the rule is broken.

mod support;

mod collecting;
mod crashes;
mod documents;
mod dumps;
mod expansion;
mod hops;
mod hub;
mod meta;
mod rules;
mod send;
mod statistics;
mod verification;
mod workspaces;
