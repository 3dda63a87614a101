//! Endpoints for monitoring: liveness, readiness and metrics.

use std::time::Duration;

use axum::{
    extract::State,
    http::{HeaderValue, Uri, header},
    response::{IntoResponse, Response},
};
use quiver::store::{CollectionState, StoreReport};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use crate::{
    app::App,
    body::Reply,
    gate::Caller,
    metrics::{of_database, of_models},
    problem::{Code, Problem},
};

/// Maximum time for the database to report its state.
const REPORT_TIME_MAX: Duration = Duration::from_secs(5);

/// The state of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Health {
    /// `ok`.
    status: &'static str,
    /// Whether the server runs `quiver` commands. Those of applications do not.
    runs_commands: bool,
}

/// The state of the server and of its database.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Readiness {
    /// `ok`.
    status: &'static str,
    collections: States,
}

/// The state of each collection: `ready`; `indexing` or `pending` while the Qdrant server builds indexes, and searches
/// work more slowly; `failed` if it could not complete an operation; or `unknown`.
#[derive(Debug, Serialize, JsonSchema)]
struct States {
    entities: &'static str,
    relations: &'static str,
    passages: &'static str,
}

impl States {
    fn of(report: &StoreReport) -> Self {
        // In the order of `Collection::ALL`.
        let [entities, relations, passages] = report.states.map(CollectionState::name);
        Self { entities, relations, passages }
    }
}

pub(super) async fn healthz(State(app): State<App>) -> Reply<Health> {
    Reply(Health { status: "ok", runs_commands: app.commands.0.is_some() })
}

/// Reports that the server is ready if the database can be read. The state of the indexes does not change that.
pub(super) async fn readyz(State(app): State<App>) -> Result<Reply<Readiness>, Problem> {
    if app.is_ending() {
        return Err(Problem::new(Code::Unavailable, "the server is shutting down").retry_after(5));
    }
    let report = timeout(REPORT_TIME_MAX, app.database().graph().store().report()).await;
    match report {
        Ok(Ok(report)) => Ok(Reply(Readiness { status: "ok", collections: States::of(&report) })),
        Ok(Err(error)) => {
            tracing::error!("the database is not ready: {error}");
            Err(Problem::new(Code::Unavailable, "the database can't be read; the server's log says why")
                .retry_after(5))
        }
        Err(_) => Err(Problem::new(Code::Unavailable, "the database does not respond").retry_after(5)),
    }
}

pub(super) async fn metrics(State(app): State<App>, caller: Caller) -> Result<Response, Problem> {
    if caller.is_bound() {
        let detail = "the metrics cover all workspaces, but this key is limited to some; create a key without --workspaces for the scraper";
        return Err(Problem::new(Code::Forbidden, detail).with_place("Authorization"));
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    let mut text = app.metrics.text(app.config.jobs.as_deref());
    // If the database does not report in time, its part is left out.
    let database = app.database();
    let asked = async { tokio::join!(database.graph().store().report(), database.spent()) };
    if let Ok((report, spent)) = timeout(REPORT_TIME_MAX, asked).await {
        let told = report.map(|report| text.push_str(&of_database(&report)));
        if let Err(error) = told {
            tracing::error!("the metrics of the database are missing: {error}");
        }
        match spent {
            Ok(spent) => text.push_str(&of_models(&spent)),
            Err(error) => tracing::error!("the usage of language models is missing: {error}"),
        }
    }
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

pub(super) async fn openapi(State(app): State<App>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], app.description.as_str()).into_response()
}

pub(super) async fn not_found(uri: Uri) -> Problem {
    let detail = format!("there is no {}; `GET /openapi.json` describes the endpoints", uri.path());
    Problem::new(Code::NotFound, detail)
}

pub(super) async fn method_not_allowed(uri: Uri) -> Problem {
    let detail = format!("{} does not support this method; `GET /openapi.json` describes it", uri.path());
    Problem::new(Code::MethodNotAllowed, detail)
}
