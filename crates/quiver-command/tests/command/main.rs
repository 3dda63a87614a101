//! The command as its users meet it: a process with arguments, files and exit codes.
#![cfg(feature = "embedded")]

mod support;

mod bad_database;
mod bad_input;
mod everyday;
mod interrupted;
#[cfg(feature = "server")]
mod server;
mod settings;
