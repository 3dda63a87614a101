//! Opens the database from the settings.

#[cfg(feature = "embedded")]
use std::sync::Arc;
use std::{fs, path::Path};

use anyhow::Result;
use quiver::{Builder, Quiver, models::Encoder};
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
    open_for(settings, false).await
}

/// Opens the database for a command that reads a little and ends. If it is a directory, it must exist.
pub(crate) async fn open_briefly(settings: &Settings) -> Result<Quiver> {
    open_for(settings, true).await
}

async fn open_for(settings: &Settings, is_brief: bool) -> Result<Quiver> {
    if let Some(quiver) = &settings.opened {
        return Ok(quiver.clone());
    }
    if let Place::Directory(path) = &settings.place
        && !path.exists()
    {
        let path = path.display();
        let message = format!(
            "there is no database in {path}; `quiver ingest` creates one, --path selects another directory"
        );
        return Err(Failed::database(message).into());
    }
    if let Place::Directory(path) = &settings.place {
        check_prefix(path, &settings.prefix)?;
    }
    open_or_create_for(settings, is_brief).await
}

/// Rejects a prefix that does not occur in a directory with other databases, since opening it would create an empty
/// one.
fn check_prefix(directory: &Path, prefix: &str) -> Result<()> {
    let names = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    // The name of a database's manifest is its prefix.
    let mut there: Vec<String> =
        names.filter_map(|name| Some(name.to_str()?.strip_suffix(".json")?.to_owned())).collect();
    there.sort();
    if there.is_empty() || there.iter().any(|known| known == prefix) {
        return Ok(());
    }
    let message = format!(
        "there is no database {prefix:?} in {}, only {}; --prefix selects one",
        directory.display(),
        there.join(", ")
    );
    Err(Failed::database(message).into())
}

/// Opens the database, or an empty one in memory if the directory does not exist.
pub(crate) async fn open_or_imagine(settings: &Settings) -> Result<Quiver> {
    let mut settings = settings.clone();
    match &settings.place {
        Place::Directory(path) if !path.exists() => settings.place = Place::Memory,
        _ => {}
    }
    open_or_create(&settings).await
}

/// Opens the database, and creates it if it does not exist.
pub(crate) async fn open_or_create(settings: &Settings) -> Result<Quiver> {
    open_or_create_for(settings, false).await
}

async fn open_or_create_for(settings: &Settings, is_brief: bool) -> Result<Quiver> {
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
        Place::Directory(path) => directory(embedded(builder, settings, is_brief), path)?,
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
fn embedded(builder: Builder, settings: &Settings, is_brief: bool) -> Builder {
    builder.embedded(EmbeddedOptions { is_brief, ..embedded_options(settings) })
}

#[cfg(not(feature = "embedded"))]
fn embedded(builder: Builder, _: &Settings, _: bool) -> Builder {
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
