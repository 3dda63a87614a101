//! The client of a connection: its identity, its open transaction and its requests.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use boltr::{
    error::BoltError,
    server::{
        AuthCredentials, AuthInfo, AuthValidator, BoltBackend, BoltRecord, ResultMetadata, ResultStream,
        RoutingServer, RoutingTable, SessionConfig, SessionHandle, SessionProperty, TransactionHandle,
    },
    types::{BoltDict, BoltValue},
};
use quiver::{
    cypher::{self, Map, Query, Written},
    graph::Workspace,
    query::{Queried, QueryOptions, Transaction},
};
use tracing::{Instrument as _, Span, field};

use super::{failure::Failure, plan, value};
use crate::{
    app::{App, Place},
    gate::Caller,
    idle,
    keys::{Key, Role},
    problem::{Code, Problem},
    proxy::Sender,
};

/// The client of a connection. Clones share it.
#[derive(Clone)]
pub(super) struct Client(Arc<Inner>);

struct Inner {
    app: App,
    connection: Arc<idle::Connection>,
    sender: Sender,
    known: Known,
    state: Mutex<State>,
}

/// Whether a client has logged in.
#[derive(Clone, Default)]
pub(super) struct Known(Arc<AtomicBool>);

impl Known {
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct State {
    /// The ID of the key with which the client logged in, if it needed one.
    key: Option<String>,
    /// The open transaction, while no query runs in it.
    open: Option<Open>,
}

/// An open transaction.
struct Open {
    workspace: Workspace,
    /// Keeps the workspace open.
    _place: Arc<Place>,
    transaction: Transaction,
    reads_only: bool,
    writes: bool,
    /// The deadline that the client set for it.
    until: Option<Instant>,
}

/// A query with everything needed to run it.
struct Asked {
    text: String,
    writes: bool,
    parameters: Map,
    options: QueryOptions,
}

impl Client {
    pub(super) fn new(app: App, connection: Arc<idle::Connection>, peer: IpAddr) -> Self {
        let sender = Sender { address: Some(peer.to_canonical()), is_https: None };
        Self(Arc::new(Inner { app, connection, sender, known: Known::default(), state: Mutex::default() }))
    }

    pub(super) fn app(&self) -> &App {
        &self.0.app
    }

    pub(super) fn connection(&self) -> &Arc<idle::Connection> {
        &self.0.connection
    }

    pub(super) fn known(&self) -> Known {
        self.0.known.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rolls back the open transaction.
    fn roll_back(&self) {
        self.state().open = None;
    }

    fn log_in(&self, credentials: &AuthCredentials) -> Result<(), Problem> {
        let refused = |detail: &str| Problem::new(Code::Unauthorized, detail);
        let keys = &self.app().keys;
        let mut id = None;
        if keys.are_needed() {
            let secret = match credentials.scheme.as_str() {
                "basic" | "bearer" => credentials.credentials.as_deref(),
                _ => None,
            };
            let secret = secret.ok_or_else(|| {
                refused("log in with a key as the password and any name; `quiver keys create` creates a key")
            })?;
            let key = keys.find(secret.trim()).ok_or_else(|| refused("the key is unknown or revoked"))?;
            id = Some(key.id);
        }
        *self.state() = State { key: id, open: None };
        self.0.known.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the client's key, if one is needed. It may have been revoked meanwhile.
    fn key(&self) -> Result<Option<Key>, Problem> {
        let keys = &self.app().keys;
        if !keys.are_needed() {
            return Ok(None);
        }
        let id = self.state().key.clone();
        let key = id.and_then(|id| keys.with_id(&id));
        let revoked =
            || Problem::new(Code::Unauthorized, "the key was revoked, or the server now requires one");
        key.map(Some).ok_or_else(revoked)
    }

    /// Determines the caller and checks that the request is allowed.
    fn admit(&self, workspace: Option<Workspace>) -> Result<Caller, Problem> {
        if self.app().is_ending() {
            return Err(Problem::new(Code::Unavailable, "the server is shutting down"));
        }
        let caller = self.app().admit_key(self.key()?, workspace, Role::Read, self.0.sender)?;
        Span::current().record("workspace", caller.workspace.as_str());
        Ok(caller)
    }

    /// Handles a message, counts it and logs it.
    async fn answer<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, BoltError> {
        let _busy = self.connection().begin();
        let metrics = &self.app().metrics;
        let _under_way = metrics.begin();
        let began = Instant::now();
        let span = span(name, self.state().key.as_deref().unwrap_or("none"));
        let done = work.instrument(span.clone()).await;
        let status = done.as_ref().map_or_else(|failure| failure.status, |_| 200);
        let took = began.elapsed();
        let duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        tracing::info!(target: "quiver_server::request", parent: &span, status, duration_us, "answered");
        metrics.end("BOLT", name, status, took);
        Ok(done?)
    }

    /// Reads a query and its parameters.
    fn read(&self, text: &str, parameters: &BoltDict, until: Option<Instant>) -> Result<Asked, Failure> {
        let writes = Query::parse(text).map_err(|error| Failure::from(&error))?.writes();
        let mut time_max = self.app().config.time_max;
        if let Some(until) = until {
            time_max = time_max.min(until.saturating_duration_since(Instant::now()));
            if time_max.is_zero() {
                return Err(Failure::timed_out());
            }
        }
        let budget = cypher::Budget { time_max, ..cypher::Budget::default() };
        let cypher = cypher::Options { budget, read_only: !writes, ..cypher::Options::default() };
        let options = QueryOptions { cypher, ..QueryOptions::default() };
        Ok(Asked { text: text.to_owned(), writes, parameters: value::parameters(parameters)?, options })
    }

    /// Runs a query as a transaction of its own.
    async fn run_alone(
        &self,
        text: &str,
        parameters: &BoltDict,
        extra: &BoltDict,
    ) -> Result<ResultStream, Failure> {
        let setting = Setting::of(extra)?;
        let caller = self.admit(setting.workspace)?;
        let asked = self.read(text, parameters, setting.until)?;
        let place = self.app().place(&caller.workspace).await?;
        if !asked.writes {
            let work = async move { Ok(run(&place, asked).await) };
            return self.app().query(work).await?;
        }
        if setting.reads_only {
            return Err(Failure::only_reads());
        }
        caller.check(Role::Write)?;
        let result = self.app().write(async move { Ok(run(&place, asked).await) }).await?;
        audit(&caller, "RUN", result.is_ok());
        result
    }

    /// Runs a query in the open transaction. If it fails, the transaction is over.
    async fn run_within(&self, text: &str, parameters: &BoltDict) -> Result<ResultStream, Failure> {
        let Some(mut open) = self.state().open.take() else { return Err(Failure::no_transaction()) };
        let caller = self.admit(Some(open.workspace.clone()))?;
        let asked = self.read(text, parameters, open.until)?;
        if asked.writes {
            if open.reads_only {
                return Err(Failure::only_reads());
            }
            caller.check(Role::Write)?;
            open.writes = true;
        }
        let work = async move {
            let Asked { text, writes, parameters, options } = asked;
            let queried = open.transaction.query(&text).parameters(parameters).options(options).await;
            let queried = queried.map_err(Failure::of_engine);
            Ok(queried.map(|queried| (stream(&queried, writes, &open.workspace), open)))
        };
        let (result, open) = self.app().query(work).await??;
        self.state().open = Some(open);
        Ok(result)
    }

    async fn begin(&self, extra: &BoltDict) -> Result<(), Failure> {
        let setting = Setting::of(extra)?;
        let caller = self.admit(setting.workspace)?;
        let place = self.app().place(&caller.workspace).await?;
        self.state().open = Some(Open {
            workspace: caller.workspace,
            transaction: place.quiver.begin_transaction(),
            _place: place,
            reads_only: setting.reads_only,
            writes: false,
            until: setting.until,
        });
        Ok(())
    }

    async fn commit(&self) -> Result<(), Failure> {
        let Some(open) = self.state().open.take() else { return Err(Failure::no_transaction()) };
        // What was allowed is written, however many requests came in between.
        let caller =
            Caller { workspace: open.workspace, key: self.key()?.map(Arc::new), sender: self.0.sender };
        if open.until.is_some_and(|until| until <= Instant::now()) {
            return Err(Failure::timed_out());
        }
        if !open.writes {
            return Ok(());
        }
        let work = async move { Ok(open.transaction.commit().await.map_err(Failure::of_engine)) };
        let result = self.app().write(work).await?;
        audit(&caller, "COMMIT", result.is_ok());
        result
    }
}

/// Creates the span of a message.
#[cfg(not(feature = "opentelemetry"))]
fn span(name: &'static str, key: &str) -> Span {
    tracing::info_span!(
        target: "quiver_server::request",
        "request", method = "BOLT", path = name, key, workspace = field::Empty
    )
}

/// Creates the span of a message, named like those of HTTP.
#[cfg(feature = "opentelemetry")]
fn span(name: &'static str, key: &str) -> Span {
    tracing::info_span!(
        target: "quiver_server::request",
        "request", method = "BOLT", path = name, key, workspace = field::Empty,
        otel.name = %format_args!("BOLT {name}"), otel.kind = "server"
    )
}

/// The settings that a client sends with a query or a transaction.
struct Setting {
    workspace: Option<Workspace>,
    reads_only: bool,
    until: Option<Instant>,
}

impl Setting {
    fn of(extra: &BoltDict) -> Result<Self, Failure> {
        let text = |name: &str| extra.get(name).and_then(BoltValue::as_str);
        if text("imp_user").is_some() {
            let message = "impersonation is not supported; log in with a key for the workspaces and the role";
            return Err(Problem::new(Code::Forbidden, message).into());
        }
        let workspace = text("db").filter(|name| !name.is_empty()).map(Workspace::new).transpose();
        let workspace = workspace.map_err(|error| Problem::at("db", error.to_string()))?;
        let milliseconds = extra.get("tx_timeout").and_then(BoltValue::as_int);
        let milliseconds = milliseconds.and_then(|time| u64::try_from(time).ok()).filter(|time| *time > 0);
        let until = milliseconds.and_then(|time| Instant::now().checked_add(Duration::from_millis(time)));
        Ok(Self { workspace, reads_only: text("mode") == Some("r"), until })
    }
}

/// Runs a query over a workspace.
async fn run(place: &Place, asked: Asked) -> Result<ResultStream, Failure> {
    let Asked { text, writes, parameters, options } = asked;
    let queried = place
        .quiver
        .query(&text)
        .parameters(parameters)
        .options(options)
        .await
        .map_err(Failure::of_engine)?;
    Ok(stream(&queried, writes, place.quiver.graph().workspace()))
}

fn audit(caller: &Caller, path: &str, is_done: bool) {
    let (key, workspace) = caller.names();
    let status = if is_done { "written" } else { "failed" };
    tracing::info!(target: "quiver_server::audit", key, workspace, method = "BOLT", path, "{status}");
}

/// Converts the result of a query, with the summary after its last row.
fn stream(queried: &Queried, writes: bool, workspace: &Workspace) -> ResultStream {
    let rows = &queried.rows;
    let kind = match (writes, rows.columns.is_empty()) {
        (false, _) => "r",
        (true, false) => "rw",
        (true, true) => "w",
    };
    let mut summary = BoltDict::from([
        ("type".to_owned(), BoltValue::from(kind)),
        ("db".to_owned(), BoltValue::from(workspace.as_str())),
        ("t_last".to_owned(), BoltValue::Integer(0)),
    ]);
    if !rows.written.is_empty() {
        summary.insert("stats".to_owned(), BoltValue::Dict(counts(&rows.written)));
    }
    summary.extend(plan::of(queried));
    let record = |row: &Vec<cypher::Value>| BoltRecord {
        values: row.iter().map(|value| value::to_bolt(value, rows)).collect(),
    };
    ResultStream {
        metadata: ResultMetadata { columns: rows.columns.clone(), extra: BoltDict::new() },
        records: rows.rows.iter().map(record).collect(),
        summary,
    }
}

fn counts(written: &Written) -> BoltDict {
    let Written {
        nodes_created,
        nodes_deleted,
        relationships_created,
        relationships_deleted,
        properties_set,
        labels_set,
    } = *written;
    let counts = [
        ("nodes-created", nodes_created),
        ("nodes-deleted", nodes_deleted),
        ("relationships-created", relationships_created),
        ("relationships-deleted", relationships_deleted),
        ("properties-set", properties_set),
        ("labels-added", labels_set),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut counts: BoltDict = counts
        .map(|(name, count)| (name.to_owned(), BoltValue::Integer(i64::try_from(count).unwrap_or(i64::MAX))))
        .collect();
    counts.insert("contains-updates".to_owned(), BoltValue::Boolean(true));
    counts
}

#[async_trait]
impl AuthValidator for Client {
    async fn validate(&self, credentials: &AuthCredentials) -> Result<AuthInfo, BoltError> {
        match self.log_in(credentials) {
            Ok(()) => Ok(AuthInfo::default()),
            Err(problem) => {
                tracing::warn!(target: "quiver_server::audit", path = "LOGON", "refused: {}", problem.detail());
                Err(BoltError::Authentication(problem.detail().to_owned()))
            }
        }
    }
}

/// A connection has one session and at most one transaction, so their handles are ignored.
#[async_trait]
impl BoltBackend for Client {
    async fn create_session(&self, _: &SessionConfig) -> Result<SessionHandle, BoltError> {
        Ok(SessionHandle(String::new()))
    }

    async fn close_session(&self, _: &SessionHandle) -> Result<(), BoltError> {
        self.roll_back();
        Ok(())
    }

    /// Each query and each transaction names its workspace, or uses the default one.
    async fn configure_session(&self, _: &SessionHandle, _: SessionProperty) -> Result<(), BoltError> {
        Ok(())
    }

    async fn reset_session(&self, _: &SessionHandle) -> Result<(), BoltError> {
        self.roll_back();
        Ok(())
    }

    async fn execute(
        &self,
        _: &SessionHandle,
        query: &str,
        parameters: &HashMap<String, BoltValue>,
        extra: &BoltDict,
        transaction: Option<&TransactionHandle>,
    ) -> Result<ResultStream, BoltError> {
        match transaction {
            Some(_) => self.answer("RUN", self.run_within(query, parameters)).await,
            None => self.answer("RUN", self.run_alone(query, parameters, extra)).await,
        }
    }

    async fn begin_transaction(
        &self,
        _: &SessionHandle,
        extra: &BoltDict,
    ) -> Result<TransactionHandle, BoltError> {
        self.answer("BEGIN", self.begin(extra)).await?;
        Ok(TransactionHandle(String::new()))
    }

    async fn commit(&self, _: &SessionHandle, _: &TransactionHandle) -> Result<BoltDict, BoltError> {
        self.answer("COMMIT", Client::commit(self)).await?;
        Ok(BoltDict::new())
    }

    async fn rollback(&self, _: &SessionHandle, _: &TransactionHandle) -> Result<(), BoltError> {
        self.roll_back();
        Ok(())
    }

    async fn get_server_info(&self) -> Result<BoltDict, BoltError> {
        let agent = BoltValue::from(self.app().config.bolt_agent.as_str());
        Ok(BoltDict::from([("server".to_owned(), agent)]))
    }

    /// The only server is the one that the client is connected to, at the address it knows.
    async fn route(
        &self,
        context: &BoltDict,
        _: &[String],
        db: Option<&str>,
    ) -> Result<RoutingTable, BoltError> {
        let Some(address) = context.get("address").and_then(BoltValue::as_str) else {
            let message =
                "the driver does not report the address it uses; connect to bolt:// instead of neo4j://";
            return Err(BoltError::Protocol(message.to_owned()));
        };
        let workspace = db.filter(|name| !name.is_empty()).map(Workspace::new).transpose();
        let workspace = workspace.map_err(|error| Failure::from(Problem::at("db", error.to_string())))?;
        let caller = self.admit(workspace).map_err(Failure::from)?;
        let server =
            |role: &str| RoutingServer { addresses: vec![address.to_owned()], role: role.to_owned() };
        let servers = ["ROUTE", "READ", "WRITE"].map(server).to_vec();
        Ok(RoutingTable { ttl: 300, db: caller.workspace.as_str().to_owned(), servers })
    }
}
