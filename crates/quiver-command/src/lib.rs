//! The `quiver` command: documents go in, questions are answered, and the path to every answer is shown.
//!
//! This crate is Quiver's side door. [`main`] is all of the program; the engine is the library `quiver`. What was
//! typed becomes [`Arguments`]; these, the environment and `quiver.toml` become the settings that a command runs
//! with; a command prints its result and says how the process is to [exit](Exit).

mod arguments;
mod settings;
mod chat;
mod database;
mod output;
mod progress;
mod json;
mod moment;
mod commands;
mod exit;
pub mod demo;

pub use arguments::Arguments;
pub use exit::Exit;

use std::{
    env, panic,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use clap::Parser;

use crate::{
    output::{Output, note},
    settings::{Settings, Sources},
};

/// The last panic. It is told if it was what ended the command: the store survives those of a damaged database.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_logging();
    panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic.to_string());
    }));
    let exit = panic::catch_unwind(|| run(&arguments)).unwrap_or(Exit::Other);
    if exit == Exit::Other
        && let Some(panic) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
    {
        note(&format!("this is a bug in quiver, please report it: {panic}"));
    }
    ExitCode::from(exit as u8)
}

/// Runs a command and reports its error, if it has one.
fn run(arguments: &Arguments) -> Exit {
    let mut output = Output::new(arguments.shared.json);
    let result = settle(arguments).and_then(|settings| {
        let runtime = tokio::runtime::Runtime::new()?;
        let exit = runtime.block_on(commands::run(&arguments.command, &settings, &mut output));
        // Work that was left behind, such as a read that waits for a terminal, must not hold up the end.
        runtime.shutdown_background();
        exit
    });
    let result = result.and_then(|exit| output.finish().map(|()| exit).map_err(anyhow::Error::from));
    result.unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        if exit != Exit::Done {
            output.error(&error);
        }
        exit
    })
}

fn settle(arguments: &Arguments) -> anyhow::Result<Settings> {
    let sources = Sources::find(arguments, env::vars_os())?;
    for warning in &sources.warnings {
        note(warning);
    }
    Settings::from_sources(arguments, &sources)
}

/// Sends warnings of the libraries to standard error; `RUST_LOG` asks for more.
fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    // Nothing is lost if a subscriber is there already.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}
