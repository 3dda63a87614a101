//! Requests of queries: what [`Quiver::query`] and [`Transaction::query`] return.

use std::{fmt, future::IntoFuture, marker::PhantomData};

use futures::{FutureExt, future::BoxFuture};
use quiver_cypher::{Map, Rows};

use super::{Queried, QueryOptions, Transaction};
use crate::{Quiver, Result};

/// A Cypher query that has not been run yet. Methods set its parameters and options, and awaiting it runs it: `T` is
/// the result, the [`Rows`] or, with [`options`](Self::options), what was [`Queried`].
///
/// ```
/// use quiver::{Quiver, cypher::Map, query::QueryOptions};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # let quiver = Quiver::in_memory().await?;
/// let options = QueryOptions { why_empty: true, ..QueryOptions::default() };
/// let parameters = Map::from([("name".to_owned(), "checkout".into())]);
/// let queried = quiver.query("MATCH (s {name: $name}) RETURN s").parameters(parameters).options(options).await?;
/// assert!(queried.rows.rows.is_empty() && queried.why_empty.is_some());
/// # Ok::<(), quiver::Error>(()) }).unwrap();
/// ```
#[must_use = "a request does nothing unless it is awaited"]
pub struct QueryRequest<'a, T> {
    on: On<'a>,
    query: String,
    parameters: Map,
    options: QueryOptions,
    output: PhantomData<fn() -> T>,
}

enum On<'a> {
    Database(&'a Quiver),
    Transaction(&'a mut Transaction),
}

impl<'a> QueryRequest<'a, Rows> {
    pub(super) fn on_database(quiver: &'a Quiver, query: String) -> Self {
        Self::new(On::Database(quiver), query)
    }

    pub(super) fn in_transaction(transaction: &'a mut Transaction, query: String) -> Self {
        Self::new(On::Transaction(transaction), query)
    }

    fn new(on: On<'a>, query: String) -> Self {
        let (parameters, options) = (Map::new(), QueryOptions::default());
        Self { on, query, parameters, options, output: PhantomData }
    }
}

impl<'a, T> QueryRequest<'a, T> {
    /// Sets the parameters.
    pub fn parameters(mut self, parameters: Map) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets the options. The result then has what they ask for beside the rows.
    pub fn options(self, options: QueryOptions) -> QueryRequest<'a, Queried> {
        let Self { on, query, parameters, .. } = self;
        QueryRequest { on, query, parameters, options, output: PhantomData }
    }

    async fn run(self) -> Result<Queried> {
        let Self { on, query, parameters, options, .. } = self;
        match on {
            On::Database(quiver) => quiver.run_query(&query, parameters, options).await,
            On::Transaction(transaction) => transaction.run_query(&query, parameters, options).await,
        }
    }
}

impl<'a> IntoFuture for QueryRequest<'a, Rows> {
    type Output = Result<Rows>;
    type IntoFuture = BoxFuture<'a, Result<Rows>>;

    fn into_future(self) -> Self::IntoFuture {
        async move { Ok(self.run().await?.rows) }.boxed()
    }
}

impl<'a> IntoFuture for QueryRequest<'a, Queried> {
    type Output = Result<Queried>;
    type IntoFuture = BoxFuture<'a, Result<Queried>>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl<T> fmt::Debug for QueryRequest<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryRequest").field("query", &self.query).finish_non_exhaustive()
    }
}
