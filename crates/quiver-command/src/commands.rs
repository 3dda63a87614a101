//! One module for each command that takes more than a few lines.

mod ask;
mod chat;
mod context;
mod demo;
#[cfg(feature = "serve")]
mod hosted;
mod ingest;
mod introduced;
mod lines;
mod load;
mod maintain;
mod memory;
mod query;
mod schema;
#[cfg(all(unix, feature = "serve"))]
mod own;
#[cfg(feature = "serve")]
pub(crate) mod remote;
#[cfg(feature = "serve")]
mod serve;
mod shared;
mod suggest;
mod transfer;
mod verify;
mod watch;

use std::{io::Write, path::Path};

use anyhow::Result;
use clap::CommandFactory;
use quiver::{Quiver, graph::Removed, read::keys_of_path};

#[cfg(feature = "mcp")]
pub(crate) use ask::options as ask_options;
#[cfg(all(unix, feature = "mcp", feature = "serve"))]
pub(crate) use own::directory;

use crate::{
    Arguments, Exit,
    arguments::{Command, DeleteArguments},
    caller, database, json,
    output::{Output, note},
    settings::Settings,
};

/// Runs a command on a running server.
#[cfg(feature = "serve")]
pub(crate) async fn run_over(
    mut reached: remote::Reached,
    arguments: &Arguments,
    typed: &[std::ffi::OsString],
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let ended = match &arguments.command {
        // Files are read on this machine.
        Command::Ingest(ingest) => ingest::run_over(&mut reached, ingest, None, settings, output).await,
        _ => remote::run(&mut reached, arguments, typed, settings, output).await,
    };
    reached.end().await;
    ended
}

pub(crate) use watch::run as watch;

pub(crate) async fn run(command: &Command, settings: &Settings, output: &mut Output) -> Result<Exit> {
    match command {
        #[cfg(feature = "serve")]
        Command::Demo { open: true } => demo::open(settings, output).await,
        Command::Demo { .. } => demo::run(settings, output).await,
        Command::Ingest(arguments) => ingest::run(arguments, None, settings, output).await,
        Command::Ask { arguments, html } => ask::ask(arguments, html.as_deref(), settings, output).await,
        Command::Search(arguments) => ask::search(arguments, settings, output).await,
        Command::Chat(arguments) => chat::run(arguments, settings, output).await,
        Command::Context(arguments) => context::run(arguments, settings, output).await,
        Command::Documents => documents(settings, output).await,
        Command::Delete(arguments) => delete(arguments, settings, output).await,
        Command::Load(arguments) => load::run(arguments, settings, output).await,
        Command::Query(arguments) => query::run(arguments, settings, output).await,
        Command::Schema { command } => schema::run(command, settings, output).await,
        Command::Stats => stats(settings, output).await,
        Command::Verify(arguments) => verify::run(arguments, settings, output).await,
        Command::Compact => maintain::compact(settings, output).await,
        Command::Backup(arguments) => maintain::backup(arguments, settings, output).await,
        Command::Remember(arguments) => memory::remember(arguments, settings, output).await,
        Command::Recall(arguments) => memory::recall(arguments, settings, output).await,
        Command::Facts(arguments) => memory::facts(arguments, settings, output).await,
        Command::Forget(arguments) => memory::forget(arguments, settings, output).await,
        Command::Sessions(arguments) => memory::sessions(arguments, settings, output).await,
        Command::Suggest(arguments) => suggest::run(arguments, settings, output).await,
        Command::Decide { decision } => memory::decide(decision, settings, output).await,
        Command::Export(arguments) => transfer::export(arguments, settings, output).await,
        Command::Import(arguments) => transfer::import(arguments, settings, output).await,
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => crate::mcp::serve(settings, arguments.tools.into()).await,
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::serve(arguments, settings, output).await,
        #[cfg(feature = "bolt")]
        Command::Bolt(arguments) => serve::bolt(arguments, settings, output).await,
        #[cfg(feature = "serve")]
        Command::Keys(arguments) => serve::keys(arguments, settings, output),
        Command::Watch(_) => unreachable!("it checks for each change which process holds the database"),
        Command::ReadUntrusted { .. } => {
            unreachable!("it needs no settings and is done before there are any")
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "quiver", &mut script);
            if output.is_json() {
                output.document(json::Told { text: &String::from_utf8_lossy(&script) })?;
            } else {
                output.writer().write_all(&script)?;
            }
            Ok(Exit::Done)
        }
    }
}

async fn documents(settings: &Settings, output: &mut Output) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let (documents, unfinished) = (quiver.documents().await?, quiver.unfinished_documents().await?);
    if output.is_json() {
        output.document(json::Listed::of(&documents, unfinished))?;
        return Ok(Exit::Done);
    }
    for document in &documents {
        // A line break in a key must not look like the start of another document.
        let key = document.key.replace('\n', "\u{240a}");
        output.line(format_args!("{:>6}  {key}", document.passages))?;
    }
    note(&count(documents.len(), "document"));
    for key in &unfinished {
        note(&format!("{key} is incomplete: its ingest was interrupted; ingest it again to complete it"));
    }
    Ok(Exit::Done)
}

async fn delete(arguments: &DeleteArguments, settings: &Settings, output: &mut Output) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let (mut keys, mut missing) = (Vec::new(), Vec::new());
    for key in &arguments.keys {
        match document(&quiver, key).await? {
            Some(key) => keys.push(key),
            None => {
                note(&no_document(&quiver, key).await?);
                missing.push(key.clone());
            }
        }
    }
    keys.sort();
    keys.dedup();
    let mut removed = Removed::default();
    if !keys.is_empty() {
        let erasure = quiver.begin_erasure().await?;
        for key in &keys {
            removed += quiver.delete(key).await?;
        }
        // No file may contain what was deleted.
        quiver.end_erasure(erasure).await?;
    }
    let documents = keys.len();
    let exit = if missing.is_empty() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::Deleted { documents, missing, removed: removed.into() })?;
    } else {
        output.line(format_args!(
            "deleted {}: {}, {} and {} that nothing else supports",
            count(documents, "document"),
            count(removed.passages, "passage"),
            count(removed.entities, "entity"),
            count(removed.relations, "relation"),
        ))?;
    }
    Ok(exit)
}

/// Returns the key of the document that a key names, or the path of its file.
async fn document(quiver: &Quiver, named: &str) -> Result<Option<String>> {
    // A path below the working directory names the document read from there.
    for key in [Some(named.to_owned()), caller::path(named, place)].into_iter().flatten() {
        if quiver.has_document(&key).await? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Maximum number of documents named instead of one that does not exist.
const MEANT_MAX: usize = 3;

/// Says that no document has this key or path, and how those of named sources with such a path are called.
async fn no_document(quiver: &Quiver, named: &str) -> Result<String> {
    let path = caller::path(named, place).unwrap_or_else(|| named.to_owned());
    let keys: Vec<String> = quiver.documents().await?.into_iter().map(|document| document.key).collect();
    let mut meant = keys_of_path(&path, keys.iter().map(String::as_str));
    if meant.is_empty() {
        meant = keys_of_path(named, keys.iter().map(String::as_str));
    }
    let meant: Vec<String> = meant.into_iter().take(MEANT_MAX).map(|key| format!("{key:?}")).collect();
    Ok(if meant.is_empty() {
        format!("there is no document {named:?}; `quiver documents` lists them")
    } else {
        format!("there is no document {named:?}; did you mean {}?", meant.join(" or "))
    })
}

/// Returns the key of the document at a path, whether the file still exists or not.
fn place(path: &str) -> Option<String> {
    let path = Path::new(path);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(parent.canonicalize().ok()?.join(path.file_name()?).to_str()?.to_owned())
}

async fn stats(settings: &Settings, output: &mut Output) -> Result<Exit> {
    let quiver = database::open_briefly(settings, &[]).await?;
    let turns = quiver.graph().count_turns().await?;
    let stats = quiver.stats().await?;
    let stats = if caller::is_bound() { stats.of_its_workspace() } else { stats };
    if output.is_json() {
        output.document(json::Stats { counted: stats.into(), turns })?;
        return Ok(Exit::Done);
    }
    let disk = stats.disk_bytes.map(|bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    let lines = [
        ("database", format!("{} at {}", stats.backend, stats.location)),
        ("workspace", stats.workspace),
        ("embedder", stats.embedder),
        ("documents", stats.documents.to_string()),
        (
            "passages",
            match turns {
                0 => stats.passages.to_string(),
                turns => format!(
                    "{}, including {} of conversations",
                    stats.passages,
                    count(usize::try_from(turns).unwrap_or(usize::MAX), "turn")
                ),
            },
        ),
        ("entities", stats.entities.to_string()),
        ("relations", stats.relations.to_string()),
        ("points in all workspaces", stats.points.to_string()),
        ("dense vectors in an index", stats.indexed.to_string()),
        (
            "bytes in the journal",
            stats.journal_bytes.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string()),
        ),
        ("on disk", disk.unwrap_or_else(|| "unknown".to_owned())),
    ];
    for (name, value) in lines {
        output.line(format_args!("{name:<26}{value}"))?;
    }
    if stats.spent.total.calls > 0 {
        output.line(format_args!("{:<26}{}", "language models", stats.spent.total))?;
        for (job, tally) in &stats.spent.jobs {
            output.line(format_args!("  {job:<24}{tally}"))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns what is wrong with the JSON of a line, without the position, since its line is that of the file.
fn wrong_in_line(error: &serde_json::Error) -> String {
    let what = error.to_string();
    what.split(" at line ").next().unwrap_or(&what).to_owned()
}

/// Returns a count in words: `1 entity`, `2 entities`, `2 keys`.
fn count(number: usize, thing: &str) -> String {
    let stem = thing.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, stem) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {thing}s"),
    }
}
