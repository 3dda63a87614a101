//! A connection that is given up when its client is silent for too long.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::client::{Client, Known};
use crate::idle;

/// A stream that notes when something passes, and ends with an error when its client has not logged in in time, or has
/// sent nothing for too long.
pub(super) struct Watched<S> {
    stream: S,
    connection: Arc<idle::Connection>,
    known: Known,
    /// Until when the client has to log in.
    login: Instant,
    idle_max: Duration,
    silence: Option<Pin<Box<Sleep>>>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, client: &Client) -> Self {
        let config = &client.app().config;
        Self {
            stream,
            connection: Arc::clone(client.connection()),
            known: client.known(),
            login: Instant::now() + config.head_time_max,
            idle_max: config.bolt_idle_time_max,
            silence: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.silence = None;
            self.connection.touch();
            return read;
        }
        let until = if self.known.is_known() { Instant::now() + self.idle_max } else { self.login };
        let silence = self.silence.get_or_insert_with(|| Box::pin(sleep_until(until)));
        match silence.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.connection.touch();
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
