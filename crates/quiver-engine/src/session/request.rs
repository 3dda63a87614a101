//! The value that [`Session::ask`] returns.

use std::{fmt, future::IntoFuture};

use futures::{FutureExt, Stream, future::BoxFuture};

use super::{FollowUp, Reply, Session};
use crate::{
    Event, Progress, Result,
    request::{Listening, events, tell},
};

/// A question to a session that has not been asked yet. Awaiting it asks.
#[must_use = "a request does nothing unless it is awaited"]
pub struct SessionRequest<'a> {
    session: &'a mut Session,
    question: FollowUp,
    on_progress: Listening<'a>,
}

impl<'a> SessionRequest<'a> {
    pub(super) fn new(session: &'a mut Session, question: FollowUp) -> Self {
        Self { session, question, on_progress: Box::new(|_| {}) }
    }

    /// Calls a function for each finished stage and each final sentence of the answer.
    pub fn on_progress(mut self, on_progress: impl FnMut(Progress<'_>) + Send + 'a) -> Self {
        self.on_progress = Box::new(on_progress);
        self
    }

    /// Asks the question and streams its progress, like [`Request::stream`](crate::Request::stream).
    pub fn stream(self) -> impl Stream<Item = Result<Event<Reply>>> + Send + Unpin + 'a {
        let Self { session, question, .. } = self;
        events(move |told| {
            async move { session.ask_watching(question, &mut |progress| tell(&told, progress)).await }.boxed()
        })
    }
}

impl<'a> IntoFuture for SessionRequest<'a> {
    type Output = Result<Reply>;
    type IntoFuture = BoxFuture<'a, Result<Reply>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { session, question, mut on_progress } = self;
        async move { session.ask_watching(question, &mut on_progress).await }.boxed()
    }
}

impl fmt::Debug for SessionRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRequest").field("question", &self.question).finish_non_exhaustive()
    }
}
