//! Opens the database from the settings.

#[cfg(feature = "embedded")]
use std::sync::Arc;
use std::{fs, path::Path};

use anyhow::Result;
use quiver::{Builder, Quiver, models::Encoder, store::Collection};
#[cfg(feature = "embedded")]
use quiver::{
    Location,
    graph::Graph,
    store::{EmbeddedOptions, EmbeddedStore, Notify},
};
use tempfile::TempDir;

#[cfg(feature = "embedded")]
use crate::output::note;
use crate::{
    chat::{chat_model, chat_models},
    exit::Failed,
    json::BackedUp,
    settings::{Place, Server, Settings},
};

/// Opens the database. If it is a directory, it must exist.
pub(crate) async fn open(settings: &Settings) -> Result<Quiver> {
    open_for(settings, None).await
}

/// Opens the database for a command that reads a little, mostly of these collections, and ends. If it is a directory,
/// it must exist.
pub(crate) async fn open_briefly(settings: &Settings, needed: &[Collection]) -> Result<Quiver> {
    open_for(settings, Some(needed)).await
}

async fn open_for(settings: &Settings, needed: Option<&[Collection]>) -> Result<Quiver> {
    if let Some(quiver) = &settings.opened {
        return Ok(quiver.clone());
    }
    if let Place::Directory(path) = &settings.place
        && is_missing(settings)?
    {
        let names = names(path).unwrap_or_default();
        let others = others(&names);
        let prefix = &settings.prefix;
        let message = if others.is_empty() {
            format!(
                "there is no database in {}; `quiver ingest` creates one, --path selects another directory",
                path.display()
            )
        } else {
            format!(
                "there is no database {prefix:?} in {}, only {}; --prefix selects one",
                path.display(),
                others.join(", ")
            )
        };
        return Err(Failed::database(message).into());
    }
    open_at(settings, needed).await
}

/// Maximum number of files named in an error.
const NAMED_MAX: usize = 3;
/// What commands, servers and file systems keep in the directory beside the database.
const BESIDE: [&str; 5] = ["server.keys", "chat-history", "query-history", "replies", "lost+found"];

/// Returns the names of the entries of a directory, without those that begin with a dot.
fn names(directory: &Path) -> std::io::Result<Vec<String>> {
    let names = fs::read_dir(directory)?.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    Ok(names)
}

/// Returns the prefixes of the databases whose files these are.
fn others(names: &[String]) -> Vec<&str> {
    let prefixes = names.iter().filter_map(|name| name.strip_suffix(".json"));
    let has_passages = |prefix: &&str| {
        let passages = format!("{prefix}_{}", Collection::Passages);
        names.iter().any(|name| name.starts_with(&passages))
    };
    prefixes.filter(has_passages).collect()
}

/// Whether a directory has the database, or the beginning of it.
///
/// # Errors
/// Fails if the directory contains other files instead, so that nobody gets a database between their documents.
fn is_there(directory: &Path, prefix: &str) -> Result<bool> {
    if !directory.exists() {
        return Ok(false);
    }
    // What can't be listed is reported when it is opened.
    let Ok(mut names) = names(directory) else { return Ok(true) };
    let collections = Collection::ALL.map(|collection| format!("{prefix}_{collection}"));
    let is_own = |name: &String| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| [".json", ".lock"].contains(&rest))
            || collections.iter().any(|collection| name.starts_with(collection))
    };
    if names.iter().any(is_own) {
        return Ok(true);
    }
    if !others(&names).is_empty() {
        return Ok(false);
    }
    let is_beside = |name: &String| {
        let rest = name.strip_prefix(prefix);
        BESIDE.contains(&name.as_str()) || rest.is_some_and(|rest| [".sock", ".jobs"].contains(&rest))
    };
    names.retain(|name| !is_beside(name));
    if names.is_empty() {
        return Ok(false);
    }
    let more = if names.len() > NAMED_MAX { ", …" } else { "" };
    names.truncate(NAMED_MAX);
    let message = format!(
        "{} is not a database: it contains {}{more}; with --path, name the directory of a database, or an empty or new \
         directory",
        directory.display(),
        names.join(", ")
    );
    Err(Failed::database(message).into())
}

/// Fails if no database can be created in a directory because it contains other files.
pub(crate) fn check_directory(directory: &Path, prefix: &str) -> Result<()> {
    is_there(directory, prefix).map(drop)
}

/// Whether the database is a directory without one.
pub(crate) fn is_missing(settings: &Settings) -> Result<bool> {
    match &settings.place {
        Place::Directory(path) if settings.opened.is_none() => Ok(!is_there(path, &settings.prefix)?),
        _ => Ok(false),
    }
}

/// Opens the database, or an empty one in memory if it does not exist.
pub(crate) async fn open_or_imagine(settings: &Settings) -> Result<Quiver> {
    let mut settings = settings.clone();
    if is_missing(&settings)? {
        settings.place = Place::Memory;
    }
    open_at(&settings, None).await
}

/// Opens the database, and creates it if it does not exist.
pub(crate) async fn open_or_create(settings: &Settings) -> Result<Quiver> {
    if let (None, Place::Directory(path)) = (&settings.opened, &settings.place) {
        check_directory(path, &settings.prefix)?;
    }
    open_at(settings, None).await
}

/// Opens or creates the database, briefly if the collections are given that it is opened for. The caller has checked
/// the directory.
async fn open_at(settings: &Settings, needed: Option<&[Collection]>) -> Result<Quiver> {
    if let Some(quiver) = &settings.opened {
        return Ok(quiver.clone());
    }
    let builder = Quiver::builder()
        .prefix(&settings.prefix)
        .workspace(settings.workspace.clone())
        .encoder(encoder(settings).await?);
    let builder = match chat_model(settings)? {
        Some(model) => {
            let builder = builder.chat_model(model).chat_options(settings.chat.options.clone());
            let own = chat_models(settings)?.into_iter();
            own.fold(builder, |builder, (job, model)| builder.chat_model_for(job, model))
        }
        None => builder,
    };
    let builder = match settings.rerank.setting.open(settings.rerank.options).await? {
        Some(reranker) => builder.reranker(reranker),
        None => builder,
    };
    let builder = match &settings.place {
        Place::Directory(path) => directory(embedded(builder, settings, needed), path)?,
        Place::Server(options) => server(builder, options, &settings.prefix)?,
        Place::Memory => builder.memory(),
        Place::Remote(_) => return Err(not_over_a_server().into()),
    };
    let quiver = builder.open().await?;
    if let Place::Directory(path) = &settings.place {
        keep_out(path);
    }
    Ok(quiver)
}

/// Returns the error for a command that a server can't run.
pub(crate) fn not_over_a_server() -> Failed {
    Failed::usage(
        "this command opens the database itself and can't run over --server; give --path or --url instead, or run it on \
         the server's machine",
    )
}

/// Adds a `.gitignore`, so that `quiver ingest .` and git skip the database's files.
fn keep_out(database: &Path) {
    let path = database.join(".gitignore");
    if !path.exists() {
        // The database works without it.
        let _ = fs::write(path, "*\n");
    }
}

#[cfg(feature = "embedded")]
fn embedded(builder: Builder, settings: &Settings, needed: Option<&[Collection]>) -> Builder {
    let is_brief = needed.is_some();
    let needed = needed.unwrap_or_default().to_vec();
    builder.embedded(EmbeddedOptions { is_brief, needed, ..embedded_options(settings) })
}

#[cfg(not(feature = "embedded"))]
fn embedded(builder: Builder, _: &Settings, _: Option<&[Collection]>) -> Builder {
    builder
}

/// Options for opening a directory; messages for the user go to standard error.
#[cfg(feature = "embedded")]
fn embedded_options(settings: &Settings) -> EmbeddedOptions {
    let default = EmbeddedOptions::default();
    EmbeddedOptions { wait: settings.wait.unwrap_or(default.wait), notify: Notify::new(note), ..default }
}

/// Copies the files of the database to another directory, and prints which of them can't be read.
#[cfg(feature = "embedded")]
pub(crate) async fn back_up(settings: &Settings, target: &Path) -> Result<BackedUp> {
    let Place::Directory(path) = &settings.place else {
        let message =
            "`quiver backup` copies a directory; take a snapshot of a server, or use `quiver export`";
        return Err(Failed::usage(message).into());
    };
    if !path.exists() {
        return Err(Failed::database(format!("there is no database in {}", path.display())).into());
    }
    check_directory(path, &settings.prefix)?;
    check_directory(target, &settings.prefix)?;
    let options = embedded_options(settings);
    let done = EmbeddedStore::back_up(path, &settings.prefix, target, options).await?;
    for unreadable in &done.unreadable {
        note(&format!("omitted: {unreadable}"));
    }
    Ok(BackedUp { files: done.files, bytes: done.bytes, unreadable: done.unreadable })
}

#[cfg(not(feature = "embedded"))]
#[expect(clippy::unused_async, reason = "the same signature as with the feature")]
pub(crate) async fn back_up(_: &Settings, _: &Path) -> Result<BackedUp> {
    Err(Failed::usage("this `quiver` was built without the feature `embedded`").into())
}

/// Opens the readable parts of a damaged database, from a temporary copy that is deleted with the returned value.
#[cfg(feature = "embedded")]
pub(crate) async fn salvage(settings: &Settings) -> Result<(Quiver, TempDir)> {
    let copy = tempfile::tempdir()?;
    back_up(settings, copy.path()).await?;
    let encoder = encoder(settings).await?;
    let schema = Graph::schema(encoder.dimension());
    let options = embedded_options(settings);
    let store = EmbeddedStore::salvage(copy.path(), &settings.prefix, schema, options).await?;
    let builder = Quiver::builder().workspace(settings.workspace.clone()).encoder(encoder);
    Ok((builder.location(Location::Store(Arc::new(store))).open().await?, copy))
}

#[cfg(not(feature = "embedded"))]
#[expect(clippy::unused_async, reason = "the same signature as with the feature")]
pub(crate) async fn salvage(_: &Settings) -> Result<(Quiver, TempDir)> {
    Err(Failed::usage("this `quiver` was built without the feature `embedded`").into())
}

fn directory(builder: Builder, path: &Path) -> Result<Builder> {
    if path.exists() && !path.is_dir() {
        let message = format!("{} is a file; a database is a directory", path.display());
        return Err(Failed::database(message).into());
    }
    Ok(builder.directory(path))
}

#[cfg(feature = "server")]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as without the feature")]
fn server(builder: Builder, server: &Server, prefix: &str) -> Result<Builder> {
    use quiver::{Location, store::ServerOptions};
    let Server {
        url,
        api_key,
        timeout,
        shard_number,
        replication_factor,
        write_consistency_factor,
        read_consistency,
        freshness,
    } = server;
    let mut options = ServerOptions::new(url);
    options.api_key = api_key.as_ref().map(|key| key.reveal().to_owned());
    prefix.clone_into(&mut options.prefix);
    options.timeout = timeout.unwrap_or(options.timeout);
    options.shard_number = *shard_number;
    options.replication_factor = *replication_factor;
    options.write_consistency_factor = *write_consistency_factor;
    options.read_consistency = read_consistency.map_or(options.read_consistency, Into::into);
    options.freshness = freshness.map_or(options.freshness, Into::into);
    Ok(builder.location(Location::Server(options)))
}

#[cfg(not(feature = "server"))]
fn server(_: Builder, server: &Server, _: &str) -> Result<Builder> {
    let message = "url is set, but this `quiver` was built without the feature `server`".to_owned();
    let _ = server;
    Err(Failed::usage(message).into())
}

/// Opens the encoder of the settings.
async fn encoder(settings: &Settings) -> Result<Encoder> {
    #[cfg(feature = "http")]
    if let quiver::models::EncoderSetting::Http { url, model } = &settings.embedder {
        use quiver::models::{HttpEmbedder, HttpOptions};
        let key =
            crate::chat::key(settings.embedder_api_key.as_ref(), settings.embedder_api_key_file.as_deref())?;
        let options = HttpOptions { key, ..HttpOptions::new(url, model) };
        let embedder = HttpEmbedder::open(options).await?;
        return Ok(Encoder::with_embedder(std::sync::Arc::new(embedder)));
    }
    Ok(settings.embedder.open().await?)
}
