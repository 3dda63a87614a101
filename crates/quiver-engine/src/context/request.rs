//! The request returned by [`Quiver::context`].

use std::future::IntoFuture;

use futures::{FutureExt, future::BoxFuture};

use super::{Context, ContextOptions};
use crate::{Quiver, Result};

/// A request for the context of a question. Methods set its options, and awaiting it builds the context.
#[derive(Debug)]
#[must_use = "a request does nothing unless it is awaited"]
pub struct ContextRequest<'a> {
    quiver: &'a Quiver,
    question: String,
    options: ContextOptions,
}

impl<'a> ContextRequest<'a> {
    pub(super) fn new(quiver: &'a Quiver, question: String) -> Self {
        Self { quiver, question, options: ContextOptions::default() }
    }

    /// Replaces all options.
    pub fn options(mut self, options: ContextOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the token budget.
    pub fn tokens(mut self, tokens_max: usize) -> Self {
        self.options.tokens_max = tokens_max;
        self
    }

    /// Sets the session in which the question is asked.
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.options.session = Some(session.into());
        self
    }

    /// Sets the user who asks: see [`AskOptions::asker`](crate::AskOptions::asker).
    pub fn asker(mut self, user: impl Into<String>) -> Self {
        self.options.ask.asker = Some(user.into());
        self
    }

    /// Builds the context as of this time, in milliseconds since 1970, instead of now.
    pub fn as_of(mut self, moment: i64) -> Self {
        self.options.ask.as_of = Some(moment);
        self
    }

    /// Sets the current time, in milliseconds since 1970, instead of the clock's.
    pub fn now(mut self, moment: i64) -> Self {
        self.options.now = Some(moment);
        self
    }
}

impl<'a> IntoFuture for ContextRequest<'a> {
    type Output = Result<Context>;
    type IntoFuture = BoxFuture<'a, Result<Context>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, question, options } = self;
        async move { quiver.context_by(&question, &options).await }.boxed()
    }
}
