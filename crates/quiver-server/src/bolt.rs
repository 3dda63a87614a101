//! Cypher queries over Bolt, for Neo4j drivers.
//!
//! The `boltr` crate handles the messages. A connection passes the same checks as over HTTP: connection limit,
//! certificate, key, workspaces, rates and places for work. Each connection has its own [`Client`].

mod client;
mod failure;
mod plan;
mod stream;
mod value;

use std::{net::SocketAddr, sync::Arc};

use boltr::{
    error::BoltError,
    server::{SessionManager, connection::Connection, handshake::server_handshake},
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, split};

use self::{client::Client, stream::Watched};
use crate::{app::App, idle};

/// Answers the messages of a connection until it ends.
pub(crate) async fn converse(
    app: App,
    connection: Arc<idle::Connection>,
    peer: SocketAddr,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) {
    let message_bytes_max = app.config.bolt_message_bytes_max;
    let stream_of = |client: &Client| Watched::new(stream, client);
    let client = Client::new(app, connection, peer.ip());
    let mut stream = stream_of(&client);
    let ended = async {
        if let Err(error) = server_handshake(&mut stream).await {
            // The client learns that there is no common version.
            let _ = stream.shutdown().await;
            return Err(error);
        }
        let (reader, writer) = split(stream);
        // One connection is one session, so this counts nothing; `listen` counts connections.
        let sessions = Arc::new(SessionManager::new(None));
        let validator = Arc::new(client.clone());
        let mut connection = Connection::new(
            reader,
            writer,
            Arc::new(client),
            sessions,
            Some(validator),
            peer,
            Some(message_bytes_max),
        );
        connection.run().await
    };
    let ended: Result<(), BoltError> = ended.await;
    // Connection errors are the client's concern.
    if let Err(error) = ended {
        tracing::debug!("a connection in Bolt ended: {error}");
    }
}
