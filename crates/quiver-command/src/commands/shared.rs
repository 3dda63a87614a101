//! A database that a command keeps open for a long time and shares: processes that would open its directory meanwhile
//! are served over a socket there, as `quiver serve` does.

use anyhow::Result;
use quiver::Quiver;

use crate::settings::Settings;

/// A database that others can use while it is open.
pub(super) struct Shared {
    pub(super) quiver: Quiver,
    #[cfg(all(unix, feature = "serve"))]
    served: Option<served::Served>,
}

impl Shared {
    /// Starts to serve others, if the database is in a directory that can have a socket.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) async fn of(quiver: Quiver, settings: &Settings) -> Result<Self> {
        match served::begin(&quiver, settings).await? {
            // Both use the same locks.
            Some((quiver, served)) => Ok(Self { quiver, served: Some(served) }),
            None => Ok(Self { quiver, served: None }),
        }
    }

    #[cfg(not(all(unix, feature = "serve")))]
    #[expect(clippy::unused_async, reason = "the same signature as with the feature")]
    pub(super) async fn of(quiver: Quiver, _: &Settings) -> Result<Self> {
        Ok(Self { quiver })
    }

    /// Releases the directory once current requests are answered.
    #[cfg(all(unix, feature = "serve"))]
    pub(super) async fn end(self) {
        if let Some(served) = self.served {
            served.end().await;
        }
    }

    #[cfg(not(all(unix, feature = "serve")))]
    #[expect(clippy::unused_async, reason = "the same signature as with the feature")]
    pub(super) async fn end(self) {}
}

#[cfg(all(unix, feature = "serve"))]
mod served {
    use std::path::PathBuf;

    use anyhow::Result;
    use quiver::Quiver;
    use quiver_server::{Config, Listeners, Server};
    use tokio::{sync::oneshot, task::JoinHandle};

    use crate::{
        commands::{ask::options, serve},
        exit::Failed,
        settings::{Place, Settings},
    };

    /// Serves others.
    pub(super) struct Served {
        socket: Socket,
        end: oneshot::Sender<()>,
        task: JoinHandle<()>,
    }

    /// A file that is deleted when this is dropped.
    struct Socket(PathBuf);

    impl Drop for Socket {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    pub(super) async fn begin(quiver: &Quiver, settings: &Settings) -> Result<Option<(Quiver, Served)>> {
        let Place::Directory(directory) = &settings.place else { return Ok(None) };
        if settings.opened.is_some() {
            return Ok(None);
        }
        let path = quiver_server::socket_of(directory, &settings.prefix);
        let listener = match quiver_server::listen_on_socket(&path) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::info!("other processes have to wait for the directory: {}: {error}", path.display());
                return Ok(None);
            }
        };
        let socket = Socket(path);
        let keys = serve::open_keys(None, settings)?;
        let config =
            Config { workspace: settings.workspace.clone(), ask: options(settings), ..Config::default() };
        let server = Server::with_commands(quiver.clone(), keys, config, serve::host(settings));
        let shared = server.database(&settings.workspace).await;
        let shared = shared.map_err(|problem| Failed::database(problem.detail()))?;
        let (end, told) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let told = async {
                let _ = told.await;
            };
            server.serve_on(Listeners { socket: Some(listener), ..Listeners::default() }, told).await;
        });
        Ok(Some((shared, Served { socket, end, task })))
    }

    impl Served {
        pub(super) async fn end(self) {
            // Nobody connects any more, and the next process opens the directory itself.
            drop(self.socket);
            let _ = self.end.send(());
            let _ = self.task.await;
        }
    }
}
