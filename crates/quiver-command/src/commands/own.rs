//! The directory of a database as one of the processes that share it: another one has it open and runs requests, or this
//! one takes it and serves the others.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use quiver::ErrorKind;
use quiver_server::{Config, Directory, Error, Opener, Server};

use super::{ask::options, serve};
use crate::{
    database,
    exit::causes,
    settings::{Place, Settings},
};

/// Default time to wait for another process.
const WAIT: Duration = Duration::from_secs(5);

/// Opens the database of the settings, and creates it if it does not exist.
struct Own {
    settings: Settings,
    /// How long the request of another process waits for its turn.
    wait: Duration,
}

#[async_trait]
impl Opener for Own {
    type Opened = Server;
    type Error = Error;

    async fn open(&self) -> Result<Server, Error> {
        let failed = |kind, error: &anyhow::Error| Error::new(kind, causes(error).join(": "));
        let quiver = database::open_or_create(&self.settings).await.map_err(|error| {
            let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<quiver::Error>());
            let is_locked = causes.any(|error| error.kind() == ErrorKind::Locked);
            failed(
                if is_locked { quiver_server::ErrorKind::Busy } else { quiver_server::ErrorKind::Failed },
                &error,
            )
        })?;
        let keys = serve::open_keys(None, &self.settings)
            .map_err(|error| failed(quiver_server::ErrorKind::Failed, &error))?;
        let config = Config {
            workspace: self.settings.workspace.clone(),
            ask: options(&self.settings),
            queue_time_max: self.wait,
            ..Config::default()
        };
        Ok(Server::with_commands(quiver, keys, config, serve::host(&self.settings)))
    }
}

/// Returns the directory of the database, if it is in one. Nothing is opened yet.
pub(crate) fn directory(settings: &Settings) -> Option<Directory> {
    let Place::Directory(path) = &settings.place else { return None };
    let now = Settings { wait: Some(Duration::ZERO), ..settings.clone() };
    let wait = settings.wait.unwrap_or(WAIT);
    Some(Directory::new(path, &settings.prefix, wait, Arc::new(Own { settings: now, wait })))
}
