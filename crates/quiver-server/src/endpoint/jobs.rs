//! Jobs: ingests that continue after the reply.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Path, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use quiver::graph::{NESTING_MAX, nesting};
use quiver_forms::{
    Versioned,
    job::{Job, Jobs as List},
    request::{Given, Ingest},
};
use tokio::task::spawn_blocking;

use crate::{
    app::{App, panicked},
    body::{KeptJson, Reply},
    events::{event, stream},
    gate::Caller,
    jobs::{self, Jobs},
    pages::{self, Author},
    problem::{Code, Problem},
};

/// The ID of a job, from the URL.
pub(super) struct Id(String);

impl<S: Sync + Send> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(id)| Self(id)).map_err(|error| Problem::at("id", error.body_text()))
    }
}

impl App {
    fn jobs(&self) -> Result<&Arc<Jobs>, Problem> {
        self.config.jobs.as_ref().ok_or_else(|| {
            let detail = "this server has no jobs; `quiver serve` has, with --jobs if the database is not in a directory";
            Problem::new(Code::NotFound, detail)
        })
    }
}

pub(super) async fn take(
    State(app): State<App>,
    caller: Caller,
    given: KeptJson<Ingest>,
) -> Result<Response, Problem> {
    let jobs = Arc::clone(app.jobs()?);
    let KeptJson { value, body } = given;
    let given = value.read()?;
    for (at, given) in given.iter().enumerate() {
        match given {
            Given::Document(document) if nesting(&document.metadata) > NESTING_MAX => {
                let detail = format!("it is nested more than {NESTING_MAX} levels deep; flatten it");
                return Err(Problem::at(format!("documents[{at}].metadata"), detail));
            }
            Given::Document(_) => {}
            Given::Page { url, field } => {
                pages::address(&app, &Author::of(&caller), url, field)?;
            }
        }
    }
    let count = given.len();
    drop(given);
    let key = caller.key.as_ref().map(|key| key.id.clone()).unwrap_or_default();
    let waiting_max = app.config.jobs_waiting_max;
    let taken = spawn_blocking(move || jobs.take(&caller.workspace, &key, count, &body, waiting_max)).await;
    let job = taken.unwrap_or_else(|error| Err(panicked(&error)))?;
    let address = HeaderValue::try_from(format!("/v1/jobs/{}", job.id()));
    let address = address.map_err(|_| Problem::new(Code::Internal, "the job has no address"))?;
    let reply = Reply(job.form(true));
    jobs::begin(&app);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, address)], reply).into_response())
}

pub(super) async fn list(State(app): State<App>, caller: Caller) -> Result<Reply<List>, Problem> {
    let jobs = app.jobs()?.list(&caller.workspace);
    Ok(Reply(List { jobs: jobs.iter().map(|job| job.form(false)).collect() }))
}

pub(super) async fn get(State(app): State<App>, caller: Caller, Id(id): Id) -> Result<Reply<Job>, Problem> {
    Ok(Reply(app.jobs()?.find(&caller.workspace, &id)?.form(true)))
}

pub(super) async fn events(State(app): State<App>, caller: Caller, Id(id): Id) -> Result<Response, Problem> {
    let jobs = app.jobs()?;
    let job = jobs.find(&caller.workspace, &id)?;
    let mut ending = jobs.ending();
    let open = app.streams.open(caller.names().0, app.config.streams_max)?;
    Ok(stream(|sender| async move {
        let _open = open;
        let mut watched = job.watch();
        loop {
            let (form, has_ended) = watched.form();
            if has_ended {
                return Ok(vec![event("job", &Versioned::new(form))]);
            }
            let progress = event("progress", &Versioned::new(form));
            if *ending.borrow() {
                return Ok(vec![progress]);
            }
            // The client may have disconnected.
            let _ = sender.send(progress);
            tokio::select! {
                () = watched.changed() => {}
                _ = ending.changed() => {}
            }
        }
    }))
}

pub(super) async fn cancel(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id,
) -> Result<Reply<Job>, Problem> {
    let jobs = Arc::clone(app.jobs()?);
    let job = jobs.find(&caller.workspace, &id)?;
    let cancelled = Arc::clone(&job);
    let done = spawn_blocking(move || jobs.cancel(&cancelled)).await;
    done.map_err(|error| panicked(&error))?;
    Ok(Reply(job.form(true)))
}
