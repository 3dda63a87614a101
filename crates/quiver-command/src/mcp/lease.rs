//! A database that is open only while it is needed, for directories that can't have a socket.
//!
//! An embedded database belongs to one process at a time, and every client starts a process of its own. It opens the
//! database for a call and closes it when no call has come for a moment; the others wait for it as long as `--wait`
//! says. Whichever process ends, however it ends, the next one opens what was acknowledged.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use async_trait::async_trait;
use quiver::Quiver;
use quiver_tools::Database;
use tokio::{sync::Mutex, time::sleep};

use crate::{
    database,
    output::chain,
    settings::{Place, Settings},
};

/// How long a database stays open after a call: the next of a series finds it open.
const IDLE: Duration = Duration::from_millis(300);
/// How long it stays open at the most while calls keep coming, so that others get their turn.
const HELD_MAX: Duration = Duration::from_secs(2);

/// Opens the database when it is needed and closes it afterwards.
#[derive(Clone)]
pub(super) struct Lease {
    settings: Arc<Settings>,
    held: Arc<Mutex<Option<Held>>>,
}

struct Held {
    quiver: Arc<Quiver>,
    since: Instant,
    used: Instant,
}

impl Lease {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings), held: Arc::default() }
    }

    /// Opens the database to read it; where there is none, an empty one that is not kept.
    async fn opened_or_empty(&self) -> Result<Arc<Quiver>> {
        match &self.settings.place {
            Place::Directory(path) if !path.exists() => {
                Ok(Arc::new(database::open_or_imagine(&self.settings).await?))
            }
            _ => self.opened().await,
        }
    }

    /// Opens the database, and makes it where there is none. It may be closed when all of what is returned is gone.
    async fn opened(&self) -> Result<Arc<Quiver>> {
        let mut held = self.held.lock().await;
        if let Some(open) = held.as_mut() {
            if open.since.elapsed() < HELD_MAX {
                open.used = Instant::now();
                return Ok(Arc::clone(&open.quiver));
            }
            // Calls under way end before the lock is given up.
            while Arc::strong_count(&open.quiver) > 1 {
                sleep(Duration::from_millis(5)).await;
            }
            close(held.take()).await;
            // The others look for the lock every few milliseconds.
            sleep(Duration::from_millis(100)).await;
        }
        let quiver = Arc::new(database::open_or_create(&self.settings).await?);
        let now = Instant::now();
        *held = Some(Held { quiver: Arc::clone(&quiver), since: now, used: now });
        if matches!(self.settings.place, Place::Directory(_)) {
            tokio::spawn(close_when_idle(Arc::clone(&self.held)));
        }
        Ok(quiver)
    }
}

#[async_trait]
impl Database for Lease {
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

/// An error as a client is told it: the message with its causes.
fn said(error: &anyhow::Error) -> String {
    chain(error).join(": ")
}

/// Closes the database when no call has used it for a moment.
async fn close_when_idle(held: Arc<Mutex<Option<Held>>>) {
    loop {
        sleep(IDLE).await;
        let mut held = held.lock().await;
        match held.as_ref() {
            None => return,
            Some(open) if Arc::strong_count(&open.quiver) == 1 && open.used.elapsed() >= IDLE => {
                close(held.take()).await;
                return;
            }
            Some(_) => {}
        }
    }
}

/// Closes a database where that holds up no call: what is not on the disk yet is brought there.
async fn close(held: Option<Held>) {
    // A database that can't be closed well keeps its journal, from which the next opening goes on.
    let _ = tokio::task::spawn_blocking(move || drop(held)).await;
}
