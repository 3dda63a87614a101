//! Cypher queries over the graph in the database, and loading records into it.

mod convert;
mod declare;
mod declared;
mod details;
mod graph;
mod load;
mod model;
mod question;
mod reading;
mod request;
mod vocabulary_cache;
mod similar;
mod table;
mod transaction;

use quiver_cypher::{Map, Options, PlanStep, Query, Rows};
use tracing::{Span, instrument};

pub use self::declare::SchemaReport;
pub use self::declared::{GraphSchema, LabelSchema, PropertySchema, PropertyType, RelationshipSchema};
pub(crate) use self::details::named;
use self::graph::StoreGraph;
pub use self::load::{Loaded, NodeTable, RelationshipTable};
pub(crate) use self::question::TriedQuery;
pub use self::question::{QueriedQuestion, QueryAnswer};
pub use self::reading::{QuestionReading, WordReading};
pub use self::request::QueryRequest;
pub use self::table::{TableFormat, TableRow, read_table};
pub use self::transaction::Transaction;
pub(crate) use self::vocabulary_cache::VocabularyCache;
use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, Stage},
};

/// The result of a query, with the reason if it is empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Queried {
    /// The rows.
    pub rows: Rows,
    /// Why there are no rows, if known and requested.
    pub why_empty: Option<String>,
    /// The query plan, if requested: the steps, and with [`QueryOptions::profile`] also their costs.
    pub plan: Vec<String>,
    /// The costs of the steps as numbers, if requested.
    pub steps: Vec<PlanStep>,
}

/// Options of [`Quiver::query`].
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// Budgets, proofs, and whether writing is allowed.
    pub cypher: Options,
    /// Whether to explain an empty result.
    pub why_empty: bool,
    /// Whether to return the plan instead of the rows, as for a query that begins with `EXPLAIN`.
    pub explain: bool,
    /// Whether to return the plan as well as the rows, with the rows, store calls and points of each step, as for a
    /// query that begins with `PROFILE`.
    pub profile: bool,
    /// The user who asks a question, as in [`AskOptions::asker`](crate::AskOptions::asker). Cypher queries ignore it.
    pub asker: Option<String>,
    /// The current time for a question, in milliseconds since 1970. Default: the clock's.
    pub now: Option<i64>,
}

/// Converts an error of a query.
fn failed(error: quiver_cypher::Error) -> Error {
    let kind = match error.kind() {
        quiver_cypher::ErrorKind::Graph => std::error::Error::source(&error)
            .and_then(|source| source.downcast_ref::<Error>())
            .map_or(ErrorKind::Other, Error::kind),
        quiver_cypher::ErrorKind::Conflict => ErrorKind::Conflict,
        _ => ErrorKind::Invalid,
    };
    let retryable = kind == ErrorKind::Conflict;
    Error::new(kind, Stage::Query, error.to_string()).with_source(error).with_retryable(retryable)
}

/// Runs a query on the graph as queries see it.
fn run(
    query: &Query,
    graph: &StoreGraph,
    parameters: &Map,
    options: &QueryOptions,
) -> quiver_cypher::Result<Queried> {
    let cypher = &options.cypher;
    if options.explain || query.asks_for_plan() {
        let plan = query.explain(graph, parameters, cypher)?;
        return Ok(Queried { plan, ..Queried::default() });
    }
    let (rows, steps) = if options.profile || query.asks_for_profile() {
        query.profile(graph, parameters, cypher)?
    } else {
        (query.run(graph, parameters, cypher)?, Vec::new())
    };
    let why_empty = if options.why_empty && rows.rows.is_empty() && !query.writes() {
        query.why_not(graph, parameters, cypher)?
    } else {
        None
    };
    Ok(Queried { rows, why_empty, plan: steps.iter().map(PlanStep::to_string).collect(), steps })
}

impl Quiver {
    /// Runs a Cypher query. Await the returned request; its methods set parameters and options first.
    ///
    /// ```
    /// use quiver::{Quiver, cypher::Map};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let quiver = Quiver::in_memory().await?;
    /// quiver.query("CREATE (:Team {name: 'Team A'})-[:OWNS]->(:Service {name: 'checkout'})").await?;
    /// let parameters = Map::from([("team".to_owned(), "Team A".into())]);
    /// let found = quiver.query("MATCH (:Team {name: $team})-[:OWNS]->(s) RETURN s.name").parameters(parameters).await?;
    /// assert_eq!(found.rows, [["checkout".into()]]);
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for a query that is invalid, lacks a parameter or reaches a budget; errors of the
    /// database. If a writing query fails, nothing is written.
    pub fn query(&self, query: impl Into<String>) -> QueryRequest<'_, Rows> {
        QueryRequest::on_database(self, query.into())
    }

    #[instrument(name = "cypher", target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), rows))]
    async fn run_query(&self, query: &str, parameters: Map, options: QueryOptions) -> Result<Queried> {
        let query = Query::parse(query).map_err(failed)?;
        let seen = self.without_deleted().await?;
        let queried = seen.with_store_graph(move |graph| run(&query, graph, &parameters, &options));
        let queried = queried.await?;
        Span::current().record("rows", queried.rows.rows.len());
        Ok(queried)
    }

    /// Runs work on the graph as queries see it, on a blocking thread.
    async fn with_store_graph<T: Send + 'static>(
        &self,
        run: impl FnOnce(&StoreGraph) -> quiver_cypher::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (quiver, runtime) = (self.clone(), tokio::runtime::Handle::current());
        let joined = tokio::task::spawn_blocking(move || run(&StoreGraph::new(quiver, runtime))).await;
        joined
            .map_err(|source| {
                Error::new(ErrorKind::Other, Stage::Query, "the query was interrupted").with_source(source)
            })?
            .map_err(failed)
    }
}
