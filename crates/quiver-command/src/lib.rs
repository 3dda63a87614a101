//! The `quiver` command: it ingests documents, answers questions, and shows the path to every answer.
//!
//! [`main`] is the whole program; the engine is the library `quiver`. The command line becomes [`Arguments`]. Together
//! with the environment and `quiver.toml` they become the settings of a command, which prints its result and returns
//! the [exit code](Exit).

mod arguments;
mod settings;
mod chat;
mod database;
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "commands run for this process alone"))]
mod caller;
mod output;
mod progress;
mod visible;
mod interrupt;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod untrusted;
#[cfg(feature = "web")]
mod web;
mod json;
#[cfg(feature = "mcp")]
mod mcp;
mod mend;
mod commands;
mod exit;
pub mod demo;

pub use arguments::Arguments;
pub use exit::Exit;

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Write},
    panic,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use clap::error::ErrorKind;
use tracing_subscriber::{Layer, Registry, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::{
    arguments::Command,
    exit::Failed,
    output::{Output, note},
    settings::{Settings, Sources},
    visible::{Shown, visible},
};

/// The last panic. It is reported only if it ended the command, since the store survives panics caused by a damaged
/// database.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command with the arguments and the environment of this process.
pub fn main() -> ExitCode {
    let typed: Vec<OsString> = env::args_os().collect();
    let arguments = match Arguments::read(&typed) {
        Ok(arguments) => arguments,
        Err(mut error) => return ExitCode::from(unparsed(&mut error, &typed) as u8),
    };
    if let Command::ReadUntrusted { ending } = &arguments.command {
        return untrusted::run(ending);
    }
    panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic.to_string());
    }));
    let exit = panic::catch_unwind(|| run(&arguments, &typed)).unwrap_or(Exit::Other);
    if exit == Exit::Other
        && let Some(panic) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
    {
        let message = format!("this is a bug in quiver; please report it: {panic}");
        Output::new(arguments.shared.json).error(&Failed::bug(message).into());
    }
    ExitCode::from(exit as u8)
}

/// Prints what is wrong with the command line, or the requested help.
fn unparsed(error: &mut clap::Error, typed: &[OsString]) -> Exit {
    let is_help = !error.use_stderr();
    let exit = if is_help { Exit::Done } else { Exit::Usage };
    let json = typed.iter().skip(1).take_while(|typed| *typed != "--").any(|typed| typed == "--json");
    let text = mend::rendered(error);
    // The reader may have closed the streams.
    let _ = match (json, is_help) {
        (true, true) => Output::new(true).document(json::Told { text: text.trim_end() }),
        (true, false) => {
            let message = text.trim_end().strip_prefix("error: ").unwrap_or(text.trim_end());
            Output::new(true).error(&Failed::usage(message).into());
            Ok(())
        }
        // Help contains no untrusted text.
        (false, true) => error.print(),
        (false, false) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.print()
        }
        (false, false) => write!(io::stderr(), "{}", visible(&text)),
    };
    exit
}

/// Fails if fewer files can be open than the asynchronous runtime needs, which would panic.
fn check_open_files() -> Result<(), Failed> {
    const OPEN_FILES_LEAST: usize = 16;
    const TOO_MANY: [Option<i32>; 2] = [Some(23), Some(24)]; // ENFILE, EMFILE
    let files: Vec<_> = (0..OPEN_FILES_LEAST).map(|_| File::open("/dev/null")).collect();
    match files.into_iter().find_map(Result::err) {
        Some(error) if TOO_MANY.contains(&error.raw_os_error()) => {
            Err(Failed::database("the limit on open files is too low; `ulimit -n 1024` raises it"))
        }
        _ => Ok(()),
    }
}

/// Fails if there is less address space than the smallest database needs. A failed allocation can't be caught: it ends
/// the process, or hangs it if it happens while an error is being created.
#[cfg(unix)]
fn check_address_space(settings: &Settings) -> Result<(), Failed> {
    /// What a question needs without a database in a directory: the runtime and its threads.
    const LEAST: u64 = 512 << 20;
    /// The engine maps its files several times, and threads and allocator reserve more than they use.
    const LEAST_OF_DIRECTORY: u64 = 3 << 30;
    let needed = match settings.place {
        settings::Place::Directory(_) => LEAST_OF_DIRECTORY,
        _ => LEAST,
    };
    match rlimit::getrlimit(rlimit::Resource::AS) {
        Ok((allowed, _)) if allowed < needed => Err(Failed::database(format!(
            "the limit on address space is {} MB, but {} MB are needed, regardless of memory; `ulimit -v unlimited` \
             raises it",
            allowed >> 20,
            needed >> 20
        ))),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_address_space(_: &Settings) -> Result<(), Failed> {
    Ok(())
}

/// Runs a command and reports its error, if any.
fn run(arguments: &Arguments, typed: &[OsString]) -> Exit {
    let mut output = Output::new(arguments.shared.json);
    let result = settle(arguments).and_then(|settings| {
        check_open_files()?;
        check_address_space(&settings)?;
        let runtime = tokio::runtime::Runtime::new()?;
        #[cfg(feature = "opentelemetry")]
        let telemetry = telemetry::Telemetry::begin(&settings.telemetry, runtime.handle())?;
        let spans = None;
        #[cfg(feature = "opentelemetry")]
        let spans = telemetry.layer().or(spans);
        start_logging(logs_json(&arguments.command), spans);
        runtime.spawn(interrupt::listen(arguments.shared.json));
        let work = run_here_or_there(arguments, typed, &settings, &mut output);
        #[cfg(feature = "opentelemetry")]
        let work = tracing::Instrument::instrument(work, telemetry::span_of(typed));
        let exit = runtime.block_on(work);
        #[cfg(feature = "opentelemetry")]
        telemetry.end();
        // Abandoned work, such as a read from a terminal, must not delay the end.
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

/// Runs a command, or has the process that holds the database run it.
async fn run_here_or_there(
    arguments: &Arguments,
    typed: &[OsString],
    settings: &Settings,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    if let Command::Watch(watched) = &arguments.command {
        return commands::watch(arguments, watched, settings, output).await;
    }
    #[cfg(feature = "serve")]
    if let Some(reached) = commands::remote::find(arguments, settings).await? {
        return commands::run_over(reached, arguments, typed, settings, output).await;
    }
    let _ = typed;
    commands::run(&arguments.command, settings, output).await
}

fn settle(arguments: &Arguments) -> anyhow::Result<Settings> {
    let sources = Sources::find(arguments, env::vars_os())?;
    for warning in &sources.warnings {
        note(warning);
    }
    Settings::from_sources(arguments, &sources)
}

/// Sends warnings of the libraries to standard error; `RUST_LOG` requests more. `spans` also receives spans.
fn start_logging(json: bool, spans: Option<Recorder>) {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    // Nothing is lost if a subscriber is already installed.
    let writer = || Shown::new(io::stderr());
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    let lines = if json { lines.json().flatten_event(true).boxed() } else { lines.boxed() };
    let recorders: Vec<Recorder> = [lines.with_filter(filter).boxed()].into_iter().chain(spans).collect();
    let _ = tracing_subscriber::registry().with(recorders).try_init();
}

/// Receives spans and events.
type Recorder = Box<dyn Layer<Registry> + Send + Sync>;

/// Whether a command logs lines of JSON.
fn logs_json(command: &Command) -> bool {
    #[cfg(feature = "serve")]
    let server = match command {
        Command::Serve(arguments) => Some(&arguments.server),
        #[cfg(feature = "bolt")]
        Command::Bolt(arguments) => Some(&arguments.server),
        _ => None,
    };
    #[cfg(feature = "serve")]
    if let Some(server) = server {
        return server.log_format == arguments::LogFormat::Json;
    }
    let _ = command;
    false
}
