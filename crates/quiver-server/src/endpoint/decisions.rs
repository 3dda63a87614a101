//! Decisions about entities. Each can be undone.

use axum::extract::{Path, State};
use quiver::{
    graph::{PassageId, RelationId},
    memory::SplitTexts,
};
use quiver_forms::{
    memory::{self as forms, Decision, Decisions, Hidden, Merged, Renamed},
    request::{Hide, Merge, Rename, Split, not_blank},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    app::App,
    body::{Asked, Json, Reply, limit_of},
    gate::Caller,
    problem::{Code, Problem},
};

/// The evidence of a decision if none is given.
const EVIDENCE: &str = "decided by hand";
/// Default and maximum number of decisions listed.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1000;
/// Maximum number of texts of one kind in a split.
const TEXTS_MAX: usize = 1000;

/// The options of a list of decisions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionsQuery {
    /// The maximum number of decisions, from 1 to 1000. Default: 100.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<DecisionsQuery>,
) -> Result<Reply<Decisions>, Problem> {
    let limit = limit_of(asked.limit, LIMIT, LIMIT_MAX)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move { Ok(Decisions::of(&place.quiver.decisions().await?, limit)) };
    Ok(Reply(app.read(work).await?))
}

pub(super) async fn rename(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Rename>,
) -> Result<Reply<Renamed>, Problem> {
    not_blank("entity", &asked.entity)?;
    not_blank("name", &asked.name)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let evidence = asked.evidence.as_deref().unwrap_or(EVIDENCE);
        let id = place.quiver.rename_entity(&asked.entity, &asked.name, evidence).await?;
        Ok(Renamed { decision: id.to_string(), name: asked.name.trim().to_owned() })
    };
    Ok(Reply(app.write(work).await?))
}

pub(super) async fn split(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Split>,
) -> Result<Reply<forms::Split>, Problem> {
    not_blank("entity", &asked.entity)?;
    not_blank("name", &asked.name)?;
    let texts = texts(&asked)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let evidence = asked.evidence.as_deref().unwrap_or(EVIDENCE);
        let (id, passages) = place.quiver.split_entity(&asked.entity, &asked.name, texts, evidence).await?;
        Ok(forms::Split { decision: id.to_string(), name: asked.name.trim().to_owned(), passages })
    };
    Ok(Reply(app.write(work).await?))
}

/// Returns the texts named in a split.
fn texts(asked: &Split) -> Result<SplitTexts, Problem> {
    let Split { documents, sessions, passages, .. } = asked;
    for (place, named) in [("documents", documents), ("sessions", sessions), ("passages", passages)] {
        if named.len() > TEXTS_MAX {
            return Err(Problem::at(place, format!("give at most {TEXTS_MAX}")));
        }
    }
    if documents.is_empty() && sessions.is_empty() && passages.is_empty() {
        return Err(Problem::at("documents", "give at least one text that is about the other entity"));
    }
    let id = |id: &String| {
        let wrong = |_| Problem::at("passages", format!("{id:?} is not the ID of a passage"));
        id.parse::<PassageId>().map_err(wrong)
    };
    Ok(SplitTexts {
        documents: documents.iter().cloned().collect(),
        sessions: sessions.iter().cloned().collect(),
        passages: passages.iter().map(id).collect::<Result<_, _>>()?,
    })
}

pub(super) async fn hide(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Hide>,
) -> Result<Reply<Hidden>, Problem> {
    not_blank("entity", &asked.entity)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let evidence = asked.evidence.as_deref().unwrap_or(EVIDENCE);
        let id = place.quiver.delete_entity(&asked.entity, evidence).await?;
        Ok(Hidden { decision: id.to_string() })
    };
    Ok(Reply(app.write(work).await?))
}

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
        let id = place.quiver.merge_known(&asked.one, &asked.other, evidence).await?;
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
        Problem::new(Code::NotFound, "there is no such decision; lists of facts and decisions have the IDs")
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
