//! Something that is open only while it is needed, for directories that can't have a socket.
//!
//! An embedded database belongs to one process at a time. So a process opens it for a call and closes it when there
//! have been no calls for a moment; the others wait. However a process ends, the next one opens everything that was
//! acknowledged.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use tokio::{sync::Mutex, time::sleep};

/// How long it stays open after a call, so that the next of a series finds it open.
const IDLE: Duration = Duration::from_millis(300);
/// How long it stays open at most while calls keep coming, so that others get their turn.
const HELD_MAX: Duration = Duration::from_secs(2);

/// Opens what belongs to one process at a time.
#[async_trait]
pub trait Opener: Send + Sync + 'static {
    /// What is opened.
    type Opened: Send + Sync + 'static;
    /// Why it can't be opened.
    type Error: Send;

    /// Opens it.
    ///
    /// # Errors
    /// Fails if it can't be opened, or another process has it open for too long.
    async fn open(&self) -> Result<Self::Opened, Self::Error>;
}

/// Opens something when it is needed and closes it afterwards. Clones share it.
pub struct Lease<O: Opener> {
    opener: Arc<O>,
    held: Arc<Mutex<Option<Held<O::Opened>>>>,
}

struct Held<T> {
    opened: Arc<T>,
    since: Instant,
    used: Instant,
}

impl<O: Opener> Clone for Lease<O> {
    fn clone(&self) -> Self {
        Self { opener: Arc::clone(&self.opener), held: Arc::clone(&self.held) }
    }
}

impl<O: Opener> Lease<O> {
    /// Creates a lease of what is not open yet.
    pub fn new(opener: O) -> Self {
        Self { opener: Arc::new(opener), held: Arc::default() }
    }

    /// Returns how it is opened.
    pub fn opener(&self) -> &O {
        &self.opener
    }

    /// Opens it, unless it is open. It may be closed once all returned references are dropped.
    ///
    /// # Errors
    /// Fails if it can't be opened.
    pub async fn opened(&self) -> Result<Arc<O::Opened>, O::Error> {
        let mut held = self.held.lock().await;
        if let Some(open) = held.as_mut() {
            if open.since.elapsed() < HELD_MAX {
                open.used = Instant::now();
                return Ok(Arc::clone(&open.opened));
            }
            // Current calls end before the lock is released.
            while Arc::strong_count(&open.opened) > 1 {
                sleep(Duration::from_millis(5)).await;
            }
            close(held.take()).await;
            // The others check for the lock every few milliseconds.
            sleep(Duration::from_millis(100)).await;
        }
        let opened = Arc::new(self.opener.open().await?);
        let now = Instant::now();
        *held = Some(Held { opened: Arc::clone(&opened), since: now, used: now });
        tokio::spawn(close_when_idle(Arc::clone(&self.held)));
        Ok(opened)
    }

    /// Closes it once current calls have ended.
    pub async fn close(&self) {
        let mut held = self.held.lock().await;
        while held.as_ref().is_some_and(|open| Arc::strong_count(&open.opened) > 1) {
            sleep(Duration::from_millis(5)).await;
        }
        close(held.take()).await;
    }
}

/// Closes it when no call has used it for a moment.
async fn close_when_idle<T: Send + Sync + 'static>(held: Arc<Mutex<Option<Held<T>>>>) {
    loop {
        sleep(IDLE).await;
        let mut held = held.lock().await;
        match held.as_ref() {
            None => return,
            Some(open) if Arc::strong_count(&open.opened) == 1 && open.used.elapsed() >= IDLE => {
                close(held.take()).await;
                return;
            }
            Some(_) => {}
        }
    }
}

/// Closes it without delaying calls. Pending data is synced to disk.
async fn close<T: Send + Sync + 'static>(held: Option<Held<T>>) {
    // If closing fails, the journal is kept, and the next opening replays it.
    let _ = tokio::task::spawn_blocking(move || drop(held)).await;
}
