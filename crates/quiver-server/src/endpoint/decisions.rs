//! Decisions about entities, each of which can be undone.

use axum::extract::{Path, State};
use quiver::graph::RelationId;
use quiver_forms::{
    memory::{Decision, Merged},
    request::{Merge, not_blank},
};

use crate::{
    app::App,
    body::{Json, Reply},
    gate::Caller,
    problem::{Code, Problem},
};

/// What a merge rests on if nobody says so.
const EVIDENCE: &str = "decided by hand";

pub(super) async fn merge(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Merge>,
) -> Result<Reply<Merged>, Problem> {
    not_blank("one", &asked.one)?;
    not_blank("other", &asked.other)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let evidence = asked.evidence.as_deref().unwrap_or(EVIDENCE);
        let id = place.quiver.merge(&asked.one, &asked.other, evidence).await?;
        Ok(Merged { decision: id.to_string(), one: asked.one, other: asked.other })
    };
    Ok(Reply(app.write(work).await?))
}

pub(super) async fn undo(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Reply<Decision>, Problem> {
    mark(app, caller, id, true).await
}

pub(super) async fn redo(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Reply<Decision>, Problem> {
    mark(app, caller, id, false).await
}

async fn mark(app: App, caller: Caller, id: String, is_undone: bool) -> Result<Reply<Decision>, Problem> {
    let decision: RelationId = id.parse().map_err(|_| {
        Problem::new(Code::NotFound, "there is no such decision; facts and merges have their ids")
            .with_place("id")
    })?;
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        if is_undone {
            place.quiver.undo(decision).await?;
        } else {
            place.quiver.redo(decision).await?;
        }
        Ok(Decision { decision: id, is_undone })
    };
    Ok(Reply(app.write(work).await?))
}
