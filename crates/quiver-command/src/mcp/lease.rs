//! A database that is open only while it is needed, for directories that can't have a socket.
//!
//! An embedded database belongs to one process at a time, and every client starts its own process. It opens the
//! database for a call and closes it when there have been no calls for a moment; the others wait as long as `--wait`
//! says. However a process ends, the next one opens everything that was acknowledged.

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
    exit::causes,
    settings::{Place, Settings},
};

/// How long a database stays open after a call, so that the next of a series finds it open.
const IDLE: Duration = Duration::from_millis(300);
/// How long it stays open at most while calls keep coming, so that others get their turn.
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

    /// Opens the database to read it. If it does not exist, returns an empty one that is not kept.
    async fn opened_or_empty(&self) -> Result<Arc<Quiver>> {
        match &self.settings.place {
            Place::Directory(path) if !path.exists() => {
                Ok(Arc::new(database::open_or_imagine(&self.settings).await?))
            }
            _ => self.opened().await,
        }
    }

    /// Opens the database, creating it if necessary. It may be closed once all returned references are dropped.
    async fn opened(&self) -> Result<Arc<Quiver>> {
        let mut held = self.held.lock().await;
        if let Some(open) = held.as_mut() {
            if open.since.elapsed() < HELD_MAX {
                open.used = Instant::now();
                return Ok(Arc::clone(&open.quiver));
            }
            // Current calls end before the lock is released.
            while Arc::strong_count(&open.quiver) > 1 {
                sleep(Duration::from_millis(5)).await;
            }
            close(held.take()).await;
            // The others check for the lock every few milliseconds.
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

/// Returns an error as a client sees it: the message with its causes.
fn said(error: &anyhow::Error) -> String {
    causes(error).join(": ")
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

/// Closes a database without delaying calls. Pending data is synced to disk.
async fn close(held: Option<Held>) {
    // If closing fails, the journal is kept, and the next opening replays it.
    let _ = tokio::task::spawn_blocking(move || drop(held)).await;
}
