//! The values that [`Quiver::recall`] and [`Quiver::facts`] return.

use std::future::IntoFuture;

use futures::{FutureExt, future::BoxFuture};

use super::{FactsOptions, RecallOptions, RecalledFact, Recollection, Restated, maintenance};
use crate::{Quiver, Result};

/// A question to the memory that has not been asked yet. Its methods set options, and awaiting it asks.
#[derive(Debug)]
#[must_use = "a request does nothing unless it is awaited"]
pub struct RecallRequest<'a> {
    quiver: &'a Quiver,
    question: String,
    options: RecallOptions,
    /// Whether turns are read for an answer if no fact answers.
    reads_turns: bool,
}

impl<'a> RecallRequest<'a> {
    pub(super) fn new(quiver: &'a Quiver, question: String) -> Self {
        Self { quiver, question, options: RecallOptions::default(), reads_turns: true }
    }

    /// Replaces all options.
    pub fn options(mut self, options: RecallOptions) -> Self {
        self.options = options;
        self
    }

    /// Answers from facts alone.
    pub(crate) fn only_facts(mut self) -> Self {
        self.reads_turns = false;
        self
    }

    /// Answers as of this time, in milliseconds since 1970, instead of now.
    pub fn as_of(mut self, moment: i64) -> Self {
        self.options.as_of = Some(moment);
        self
    }

    /// Uses only facts that were recorded by this time, in milliseconds since 1970.
    pub fn known_at(mut self, moment: i64) -> Self {
        self.options.known_at = Some(moment);
        self
    }

    /// Sets the current time, in milliseconds since 1970, instead of the clock's.
    pub fn now(mut self, moment: i64) -> Self {
        self.options.now = Some(moment);
        self
    }

    /// Sets the session in which the question is asked.
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.options.session = Some(session.into());
        self
    }

    /// Uses only facts with this predicate, or one of several if it is called again.
    pub fn predicate(mut self, predicate: impl Into<String>) -> Self {
        self.options.predicates.push(predicate.into());
        self
    }

    /// Sets the effect of a new value on earlier ones of the same subject and predicate.
    pub fn restated(mut self, restated: Restated) -> Self {
        self.options.restated = restated;
        self
    }

    /// Sets the token budget for the lines.
    pub fn tokens(mut self, tokens_max: usize) -> Self {
        self.options.tokens_max = tokens_max;
        self
    }
}

impl<'a> IntoFuture for RecallRequest<'a> {
    type Output = Result<Recollection>;
    type IntoFuture = BoxFuture<'a, Result<Recollection>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, question, options, reads_turns } = self;
        async move { quiver.recall_by(&question, &options, reads_turns).await }.boxed()
    }
}

/// A request for the facts about an entity. Its methods set options, and awaiting it reads the facts.
#[derive(Debug)]
#[must_use = "a request does nothing unless it is awaited"]
pub struct FactsRequest<'a> {
    quiver: &'a Quiver,
    about: String,
    options: FactsOptions,
}

impl<'a> FactsRequest<'a> {
    pub(super) fn new(quiver: &'a Quiver, about: String) -> Self {
        Self { quiver, about, options: FactsOptions::default() }
    }

    /// Replaces all options.
    pub fn options(mut self, options: FactsOptions) -> Self {
        self.options = options;
        self
    }

    /// Lists the facts valid at this time, in milliseconds since 1970, instead of now.
    pub fn as_of(mut self, moment: i64) -> Self {
        self.options.as_of = Some(moment);
        self
    }

    /// Uses only facts that were recorded by this time, in milliseconds since 1970.
    pub fn known_at(mut self, moment: i64) -> Self {
        self.options.known_at = Some(moment);
        self
    }

    /// Includes facts that are not valid: past ones and, if no [`as_of`](Self::as_of) is given, future ones.
    pub fn history(mut self) -> Self {
        self.options.history = true;
        self
    }
}

impl<'a> IntoFuture for FactsRequest<'a> {
    type Output = Result<Vec<RecalledFact>>;
    type IntoFuture = BoxFuture<'a, Result<Vec<RecalledFact>>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, about, options } = self;
        async move { maintenance::facts(&quiver.without_deleted().await?, &about, &options).await }.boxed()
    }
}
