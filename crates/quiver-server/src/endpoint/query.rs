//! Cypher queries.

use axum::extract::State;
use quiver_forms::{Queried, request::Query};

use crate::{
    app::App,
    body::{Json, Reply},
    gate::Caller,
    problem::Problem,
};

pub(super) async fn query(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Query>,
) -> Result<Reply<Queried>, Problem> {
    let (parameters, options) = asked.options(app.config.time_max)?;
    let place = app.place(&caller.workspace).await?;
    let work =
        async move { Ok(place.quiver.query(&asked.query).parameters(parameters).options(options).await?) };
    Ok(Reply(Queried::of(app.query(work).await?)))
}
