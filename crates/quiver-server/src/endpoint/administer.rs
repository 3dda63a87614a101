//! Administration of a workspace.

use std::{
    io::{self, Write},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use futures::stream;
use quiver_forms::{Compacted, Counted, Imported, Verified, Workspaces};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{
    runtime::Handle,
    sync::mpsc::{Sender, channel},
    task::spawn_blocking,
};

use crate::{
    app::App,
    body::{Asked, Reply, Text},
    gate::Caller,
    problem::{Code, Problem},
};

/// Size of a piece of an export, in bytes.
const PIECE: usize = 64 << 10;
/// Maximum time for a client to read a piece of an export.
const PIECE_TIME_MAX: Duration = Duration::from_mins(1);

pub(super) async fn stats(State(app): State<App>, caller: Caller) -> Result<Reply<Counted>, Problem> {
    let place = app.place(&caller.workspace).await?;
    let stats = app.read(async move { Ok(place.quiver.stats().await?) }).await?;
    let stats = if caller.is_bound() { stats.of_its_workspace() } else { stats };
    Ok(Reply(Counted::from(stats)))
}

pub(super) async fn workspaces(State(app): State<App>, caller: Caller) -> Result<Reply<Workspaces>, Problem> {
    let quiver = app.database().clone();
    let mut all = app.read(async move { Ok(quiver.workspaces().await?) }).await?;
    all.retain(|workspace| caller.allows(&workspace.name));
    Ok(Reply(Workspaces::of(all)))
}

/// The options of an export.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportQuery {
    /// Also exports the vectors, so that an import need not compute them again.
    #[serde(default)]
    vectors: bool,
}

/// Writes into the body of a reply.
struct Pieces {
    sender: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
    runtime: Handle,
}

impl Pieces {
    fn send(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE)));
        let gone =
            |_| io::Error::new(io::ErrorKind::BrokenPipe, "the client has disconnected or does not read");
        let sender = self.sender.clone();
        // The writer is called on a thread that may block, and from within a future.
        let sent = std::thread::scope(|scope| {
            let send = || self.runtime.block_on(sender.send_timeout(Ok(piece), PIECE_TIME_MAX));
            scope.spawn(send).join()
        });
        sent.map_err(|_| io::Error::other("a piece was not sent"))?.map_err(gone)
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}

pub(super) async fn export(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<ExportQuery>,
) -> Result<Response, Problem> {
    let place = app.place(&caller.workspace).await?;
    let (sender, receiver) = channel(4);
    let runtime = Handle::current();
    let failed = sender.clone();
    spawn_blocking(move || {
        let mut pieces = Pieces { sender, piece: Vec::with_capacity(PIECE), runtime: runtime.clone() };
        let export = place.quiver.export();
        let export = if asked.vectors { export.vectors() } else { export };
        let exported = runtime.block_on(export.write_to(&mut pieces));
        let why = match exported {
            Ok(unreadable) if unreadable.is_empty() => return,
            Ok(unreadable) => format!("{} records can't be read", unreadable.len()),
            Err(error) => error.to_string(),
        };
        // The reply has begun, so all the client can see is that it was cut short.
        tracing::error!("an export was interrupted: {why}");
        let _ = runtime.block_on(failed.send(Err(io::Error::other(why))));
    });
    let pieces = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(pieces)).into_response())
}

pub(super) async fn import(
    State(app): State<App>,
    caller: Caller,
    Text { text, kind }: Text,
) -> Result<Reply<Imported>, Problem> {
    if kind != "application/x-ndjson" {
        let detail = "send the output of `/v1/export`, with `Content-Type: application/x-ndjson`";
        return Err(Problem::new(Code::UnsupportedMediaType, detail).with_place("Content-Type"));
    }
    let place = app.place(&caller.workspace).await?;
    let work = async move { Ok(place.quiver.import(text.as_bytes()).await?) };
    Ok(Reply(Imported::of(app.write(work).await?, Vec::new())))
}

pub(super) async fn verify(State(app): State<App>, caller: Caller) -> Result<Reply<Verified>, Problem> {
    let place = app.place(&caller.workspace).await?;
    let violations = app.read(async move { Ok(place.quiver.verify().await?) }).await?;
    Ok(Reply(Verified::of(&violations, None)))
}

pub(super) async fn compact(State(app): State<App>, caller: Caller) -> Result<Reply<Compacted>, Problem> {
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let before = place.quiver.stats().await?.disk_bytes;
        place.quiver.compact().await?;
        Ok(Compacted { disk_bytes_before: before, disk_bytes: place.quiver.stats().await?.disk_bytes })
    };
    Ok(Reply(app.erase(work).await?))
}
