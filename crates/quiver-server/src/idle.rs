//! Tracks idle connections. If another one needs a place, the one that has been idle longest is closed.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// A request may still be on its way over a new connection.
const NEW_LEAST: Duration = Duration::from_millis(20);
/// The end of a reply may still be on its way over a connection that has just become idle.
const IDLE_LEAST: Duration = Duration::from_millis(100);

/// The open connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connections(Arc<Mutex<BTreeMap<u64, Arc<Connection>>>>);

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Until when it is spared, if no request is running.
    idle: Mutex<Option<Instant>>,
    close: Notify,
}

/// Keeps a connection registered as open.
#[derive(Debug)]
pub(crate) struct Open {
    connections: Connections,
    number: u64,
    pub(crate) connection: Arc<Connection>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.connections.table().remove(&self.number);
    }
}

impl Connections {
    fn table(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection, which has not sent anything yet.
    pub(crate) fn add(&self) -> Open {
        let connection =
            Arc::new(Connection { idle: Mutex::new(Some(Instant::now() + NEW_LEAST)), close: Notify::new() });
        let mut table = self.table();
        let number = table.last_key_value().map_or(0, |(last, _)| last + 1);
        table.insert(number, Arc::clone(&connection));
        drop(table);
        Open { connections: self.clone(), number, connection }
    }

    /// Closes the connection that has been idle longest. If all have become idle only just now, returns how long to
    /// wait until one can be closed. Returns `None` if one was closed, or none is idle.
    pub(crate) fn close_oldest(&self) -> Option<Duration> {
        let table = self.table();
        let idle = table.values().filter_map(|connection| Some((connection.spared_until()?, connection)));
        let (until, connection) = idle.min_by_key(|(until, _)| *until)?;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // It is not chosen again.
            connection.set(None);
            connection.close.notify_one();
            return None;
        }
        Some(left)
    }
}

impl Connection {
    fn spared_until(&self) -> Option<Instant> {
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, idle: Option<Instant>) {
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = idle;
    }

    /// Records traffic on a connection without a running request.
    #[cfg(feature = "bolt")]
    pub(crate) fn touch(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.is_some() {
            *idle = Some(Instant::now() + IDLE_LEAST);
        }
    }

    /// Waits until no request is running and there has been no traffic for a moment.
    #[cfg(feature = "bolt")]
    pub(crate) async fn rested(&self) {
        loop {
            let left = self.spared_until().map(|until| until.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) => return,
                Some(left) => tokio::time::sleep(left).await,
                None => tokio::time::sleep(IDLE_LEAST).await,
            }
        }
    }

    /// Waits until the connection must make room for another one.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    /// Marks a request as running until the result is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Busy {
        self.set(None);
        Busy(Arc::clone(self))
    }
}

/// A running request.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Connection>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now() + IDLE_LEAST));
    }
}

/// The body of a reply, which counts as running until it has been sent.
pub(crate) struct BusyBody {
    body: Body,
    _busy: Busy,
}

impl BusyBody {
    pub(crate) fn new(body: Body, busy: Busy) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
