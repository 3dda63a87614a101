//! The database of a tool call: open only while it is needed if it is in a directory, which belongs to one process at a
//! time.

use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use quiver::Quiver;
use quiver_tools::{Database, Lease, Opener};
use tokio::sync::OnceCell;

use crate::{
    database,
    exit::causes,
    settings::{Place, Settings},
};

/// Opens the database of the settings, and creates it if it does not exist.
struct Own(Arc<Settings>);

#[async_trait]
impl Opener for Own {
    type Opened = Quiver;
    type Error = anyhow::Error;

    async fn open(&self) -> Result<Quiver> {
        database::open_or_create(&self.0).await
    }
}

/// The database of the settings.
#[derive(Clone)]
pub(super) struct Leased {
    settings: Arc<Settings>,
    lease: Lease<Own>,
    /// A database that several processes can have open stays so.
    kept: Arc<OnceCell<Arc<Quiver>>>,
}

impl Leased {
    pub(super) fn new(settings: Settings) -> Self {
        let settings = Arc::new(settings);
        Self { lease: Lease::new(Own(Arc::clone(&settings))), settings, kept: Arc::default() }
    }

    /// Opens the database to read it. If it does not exist, returns an empty one that is not kept.
    async fn opened_or_empty(&self) -> Result<Arc<Quiver>> {
        match &self.settings.place {
            Place::Directory(path) if !path.exists() => {
                Ok(Arc::new(database::open_or_imagine(&self.settings).await?))
            }
            _ => self.opened().await,
        }
    }

    /// Opens the database, creating it if necessary.
    async fn opened(&self) -> Result<Arc<Quiver>> {
        if matches!(self.settings.place, Place::Directory(_)) {
            return self.lease.opened().await;
        }
        let open = async || anyhow::Ok(Arc::new(database::open_or_create(&self.settings).await?));
        self.kept.get_or_try_init(open).await.cloned()
    }
}

#[async_trait]
impl Database for Leased {
    async fn read(&self) -> Result<Arc<Quiver>, String> {
        self.opened_or_empty().await.map_err(|error| said(&error))
    }

    async fn write(&self) -> Result<Arc<Quiver>, String> {
        self.opened().await.map_err(|error| said(&error))
    }

    fn tell(&self, error: quiver::Error) -> String {
        said(&error.into())
    }
}

/// Returns an error as a client sees it: the message with its causes.
fn said(error: &anyhow::Error) -> String {
    causes(error).join(": ")
}
