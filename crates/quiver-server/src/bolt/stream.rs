//! A connection that closes when its client is silent for too long, and that sends replies together.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::client::{Client, Known};
use crate::idle;

/// Number of reply bytes that are buffered before sending.
const GATHERED_MAX: usize = 64 << 10;

/// A stream that records activity, and fails if its client has not logged in in time or has sent nothing for too long.
///
/// `boltr` sends each row separately, in several pieces. They are buffered here, and sent when there are many or before
/// waiting for the next message.
pub(super) struct Watched<S> {
    stream: S,
    connection: Arc<idle::Connection>,
    known: Known,
    /// The deadline for the client to log in.
    login: Instant,
    idle_max: Duration,
    silence: Option<Pin<Box<Sleep>>>,
    /// Buffered replies, and how much of them was sent.
    gathered: Vec<u8>,
    sent: usize,
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
            gathered: Vec::new(),
            sent: 0,
        }
    }
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    /// Sends the buffered replies.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.gathered.is_empty() {
            return Poll::Ready(Ok(()));
        }
        while let Some(rest) = self.gathered.get(self.sent..).filter(|rest| !rest.is_empty()) {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.connection.touch();
            self.sent += sent;
        }
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.gathered.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
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
        if self.gathered.len() >= GATHERED_MAX {
            ready!(self.poll_send(context))?;
        }
        self.gathered.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    /// Sends nothing, since `boltr` flushes after each row.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
