//! Quiver over HTTP.
//!
//! A [`Server`] answers requests over one open database: questions, memory, conversations and documents as JSON, for
//! several clients at once. The header `Quiver-Workspace` names the workspace of a request. If there are [keys](Keys),
//! a request needs one; a key can be limited to certain workspaces. [`description`] describes all endpoints in the form
//! of `OpenAPI`; errors are [problem details](Problem). With the feature `bolt`, Neo4j drivers run Cypher queries with
//! the same keys and limits ([`Listeners`]).
//!
//! ```
//! use quiver::Quiver;
//! use quiver_server::{Config, Keys, Server};
//! use tokio::net::TcpListener;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let directory = tempfile::tempdir()?;
//! let keys = Keys::open(directory.path().join("server.keys"))?;
//! let server = Server::new(Quiver::in_memory().await.unwrap(), keys, Config::default());
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! # let told_to_end = async {};
//! server.serve(listener, told_to_end).await;
//! # Ok::<(), std::io::Error>(()) }).unwrap();
//! ```
//!
//! A [`Client`] sends requests to a server, or shares the directory of a database with other processes.
//!
//! A request passes the server's checks (host, origin), those of its endpoint (key, role, workspace, rate), and its
//! limits (body, time, concurrency); then its handler runs.

mod config;
mod commands;
mod problem;
mod limits;
mod metrics;
mod keys;
mod proxy;
mod app;
mod gate;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod query;
mod body;
mod events;
mod forget;
mod pages;
mod files;
mod jobs;
mod endpoint;
mod describe;
mod tls;
mod idle;
mod listen;
#[cfg(feature = "bolt")]
mod bolt;
mod error;
mod connection;
mod directory;
mod client;

use axum::{Router, middleware};
use quiver::Quiver;
use tokio::net::TcpListener;

use crate::app::App;

pub use client::{Client, DirectoryOptions};
pub use commands::{Command, Commands};
pub use config::Config;
pub use connection::Connection;
pub use describe::description;
#[cfg(unix)]
pub use directory::listen_on_socket;
pub use directory::{Attempts, Directory, Holding, socket_of};
pub use error::{Error, ErrorKind, Result};
pub use jobs::Jobs;
pub use keys::{Key, Keys, Role};
pub use listen::Listeners;
pub use problem::Problem;
pub use proxy::Network;
pub use quiver_forms as forms;
pub use quiver_tools::Opener;
pub use tls::{Tls, Trust};

/// A server over an open database.
#[derive(Clone, Debug)]
pub struct Server {
    app: App,
}

impl Server {
    /// Creates a server from a database, the keys of its clients and a configuration.
    pub fn new(quiver: Quiver, keys: Keys, config: Config) -> Self {
        Self { app: App::new(quiver, keys, config, &describe::TEXT, None) }
    }

    /// Creates a server that also runs commands for other processes.
    pub fn with_commands(quiver: Quiver, keys: Keys, config: Config, commands: Box<dyn Commands>) -> Self {
        Self { app: App::new(quiver, keys, config, &describe::TEXT, Some(commands)) }
    }

    /// Returns the database of a workspace, with the locks and caches that requests use.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn database(&self, workspace: &quiver::graph::Workspace) -> Result<Quiver, Problem> {
        Ok(self.app.place(workspace).await?.quiver.clone())
    }

    /// Returns all endpoints, to serve them by other means.
    pub fn router(&self) -> Router {
        endpoint::router(&self.app)
            .layer(middleware::from_fn_with_state(self.app.clone(), gate::check_request))
    }

    /// Answers requests until `end` is ready, and then completes the current ones.
    pub async fn serve(&self, listener: TcpListener, end: impl Future<Output = ()>) {
        self.serve_on(Listeners { network: Some(listener), ..Listeners::default() }, end).await;
    }

    /// Does the same for several listeners.
    pub async fn serve_on(&self, listeners: Listeners, end: impl Future<Output = ()>) {
        listen::listen(&self.app, self.router(), listeners, end).await;
    }

    /// Returns how long nobody has been connected.
    pub fn idle_time(&self) -> std::time::Duration {
        self.app.metrics.idle_time()
    }
}
