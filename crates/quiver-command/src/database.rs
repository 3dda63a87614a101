//! Settings become an open database.

use std::{fs, path::Path};

use anyhow::Result;
use quiver::{Builder, Quiver, models::Encoder};

use crate::{
    chat::chat_model,
    exit::Failed,
    settings::{Place, Server, Settings},
};

/// Opens the database, which has to be there already if it is in a directory.
pub(crate) async fn open(settings: &Settings) -> Result<Quiver> {
    if let Place::Directory(path) = &settings.place
        && !path.exists()
    {
        let path = path.display();
        let message = format!(
            "there is no database in {path}; `quiver ingest` makes one, --path names another directory"
        );
        return Err(Failed::database(message).into());
    }
    open_or_create(settings).await
}

/// Opens the database, or an empty one in memory where there is none.
pub(crate) async fn open_or_imagine(settings: &Settings) -> Result<Quiver> {
    let mut settings = settings.clone();
    match &settings.place {
        Place::Directory(path) if !path.exists() => settings.place = Place::Memory,
        _ => {}
    }
    open_or_create(&settings).await
}

/// Opens the database, or makes it where there is none.
pub(crate) async fn open_or_create(settings: &Settings) -> Result<Quiver> {
    let builder = Quiver::builder()
        .prefix(&settings.prefix)
        .workspace(settings.workspace.clone())
        .encoder(encoder(settings).await?);
    let builder = match chat_model(settings)? {
        Some(model) => builder.chat_model(model).chat_options(settings.chat.options.clone()),
        None => builder,
    };
    let builder = match settings.rerank.setting.open(settings.rerank.options).await? {
        Some(reranker) => builder.reranker(reranker),
        None => builder,
    };
    let builder = match &settings.place {
        Place::Directory(path) => directory(builder, path)?,
        Place::Server(options) => server(builder, options, &settings.prefix)?,
        Place::Memory => builder.memory(),
    };
    let quiver = builder.open().await?;
    if let Place::Directory(path) = &settings.place {
        keep_out(path);
    }
    Ok(quiver)
}

/// Keeps the database's own files out of what `quiver ingest .` reads and of what git records.
fn keep_out(database: &Path) {
    let path = database.join(".gitignore");
    if !path.exists() {
        // A database works without it.
        let _ = fs::write(path, "*\n");
    }
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
    let message = "url is set, and this `quiver` was built without the feature `server`".to_owned();
    let _ = server;
    Err(Failed::usage(message).into())
}

/// Makes what texts are encoded with.
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
