//! Queries whose changes are written together.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use quiver_cypher::{Map, Query, Rows};
use tokio::runtime::Handle;

use super::{Queried, QueryOptions, QueryRequest, failed, graph::StoreGraph, run};
use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, Stage},
};

/// Queries whose changes are written together, or not at all.
///
/// Changes are kept in memory until [`Transaction::commit`] writes them as one unit. Until then only the transaction's
/// own queries see them, and dropping it leaves nothing behind. A query sees what others committed before it began. No
/// locks are held: if another client changed a record that the transaction also changes, its commit fails and nothing
/// is written. Records that it only read may have changed by then; and two transactions that each look for a node and
/// create it if it is missing create two, unless the schema of the workspace declares it unique.
///
/// ```
/// use quiver::Quiver;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let quiver = Quiver::in_memory().await?;
/// let mut transaction = quiver.begin_transaction();
/// transaction.query("CREATE (:Team {name: 'Team A'})").await?;
/// transaction.query("MATCH (t:Team) CREATE (t)-[:OWNS]->(:Service {name: 'checkout'})").await?;
/// transaction.commit().await?;
/// let found = quiver.query("MATCH (:Team)-[:OWNS]->(s) RETURN s.name").await?;
/// assert_eq!(found.rows, [["checkout".into()]]);
/// # Ok::<(), quiver::Error>(()) }).unwrap();
/// ```
pub struct Transaction {
    graph: Arc<Mutex<StoreGraph>>,
    /// Whether a query failed or was cancelled: some of its changes may be present.
    has_failed: bool,
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("has_failed", &self.has_failed).finish_non_exhaustive()
    }
}

impl Quiver {
    /// Begins a transaction.
    ///
    /// # Panics
    /// If called outside a Tokio runtime.
    pub fn begin_transaction(&self) -> Transaction {
        let graph = StoreGraph::held(self.clone(), Handle::current());
        Transaction { graph: Arc::new(Mutex::new(graph)), has_failed: false }
    }
}

impl Transaction {
    /// Runs a query. Await the returned request; its methods set parameters and options first.
    ///
    /// # Errors
    /// As for [`Quiver::query`]. After a failed query, the transaction can't continue.
    ///
    /// # Cancellation
    /// After a cancelled query, the transaction can't continue.
    pub fn query(&mut self, query: impl Into<String>) -> QueryRequest<'_, Rows> {
        QueryRequest::in_transaction(self, query.into())
    }

    pub(super) async fn run_query(
        &mut self,
        query: &str,
        parameters: Map,
        options: QueryOptions,
    ) -> Result<Queried> {
        self.check()?;
        self.has_failed = true;
        let query = Query::parse(query).map_err(failed)?;
        let queried = self.on_graph(move |graph| {
            graph.hide_deleted()?;
            let queried = run(&query, graph, &parameters, &options)?;
            graph.forget_reads()?;
            Ok(queried)
        });
        let queried = queried.await?;
        self.has_failed = false;
        Ok(queried)
    }

    /// Writes the changes of the queries as one unit.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] if another client changed the same data meanwhile; [`ErrorKind::Invalid`] if a query
    /// failed, or the changes break the schema of the workspace; errors of the database. Nothing is written then.
    pub async fn commit(self) -> Result<()> {
        self.check()?;
        self.on_graph(StoreGraph::write_held).await
    }

    fn check(&self) -> Result<()> {
        if self.has_failed {
            let message = "a query of the transaction failed, so nothing is written; begin another one";
            return Err(Error::new(ErrorKind::Invalid, Stage::Query, message));
        }
        Ok(())
    }

    /// Runs work with the graph on a blocking thread.
    async fn on_graph<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut StoreGraph) -> quiver_cypher::Result<T> + Send + 'static,
    ) -> Result<T> {
        let graph = Arc::clone(&self.graph);
        let task = tokio::task::spawn_blocking(move || {
            work(&mut graph.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let joined = task.await.map_err(|source| {
            Error::new(ErrorKind::Other, Stage::Query, "the query was interrupted").with_source(source)
        })?;
        joined.map_err(failed)
    }
}
