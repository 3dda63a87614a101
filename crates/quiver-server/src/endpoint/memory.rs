//! Turns and facts.

use axum::extract::State;
use quiver::memory::{FactsOptions, RecallOptions};
use quiver_forms::{
    agent::{FactsParameters, ForgetParameters, Forgotten, RecallParameters},
    memory::{Facts, Recalled, Remembered, Sessions},
    request::{Remember, not_blank, optional_moment},
};

use crate::{
    app::App,
    body::{Asked, Json, LongJson, Reply},
    gate::Caller,
    problem::Problem,
};

pub(super) async fn recall(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<RecallParameters>,
) -> Result<Reply<Recalled>, Problem> {
    not_blank("question", &asked.question)?;
    let options = RecallOptions {
        as_of: optional_moment("as_of", asked.as_of.as_deref())?,
        known_at: optional_moment("known_at", asked.known_at.as_deref())?,
        session: asked.session,
        tokens_max: asked.tokens,
        ..RecallOptions::default()
    };
    let place = app.place(&caller.workspace).await?;
    let work = async move { Ok(place.quiver.recall(&asked.question).options(options).await?) };
    Ok(Reply(Recalled::of(&app.read(work).await?, false)))
}

pub(super) async fn remember(
    State(app): State<App>,
    caller: Caller,
    LongJson(told): LongJson<Remember>,
) -> Result<Reply<Remembered>, Problem> {
    let turns = told.turns()?;
    let place = app.place(&caller.workspace).await?;
    let sessions = turns.iter().map(|turn| turn.session.clone()).collect();
    let entered = place.enter(sessions).await;
    let work = async move {
        let _entered = entered;
        Ok(place.quiver.remember(turns).await?)
    };
    Ok(Reply(Remembered::of(&app.write(work).await?, false)))
}

pub(super) async fn facts(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<FactsParameters>,
) -> Result<Reply<Facts>, Problem> {
    not_blank("about", &asked.about)?;
    let as_of = optional_moment("as_of", asked.as_of.as_deref())?;
    let options = FactsOptions { as_of, history: asked.history, ..FactsOptions::default() };
    let place = app.place(&caller.workspace).await?;
    let about = asked.about.clone();
    let facts = app.read(async move { Ok(place.quiver.facts(&about).options(options).await?) }).await?;
    Ok(Reply(Facts::of(&asked.about, &facts)))
}

pub(super) async fn forget(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<ForgetParameters>,
) -> Result<Reply<Forgotten>, Problem> {
    let place = app.place(&caller.workspace).await?;
    Ok(Reply(app.erase(async move { Ok(quiver_tools::forget(&place.quiver, asked).await?) }).await?))
}

pub(super) async fn sessions(State(app): State<App>, caller: Caller) -> Result<Reply<Sessions>, Problem> {
    let place = app.place(&caller.workspace).await?;
    let sessions = app.read(async move { Ok(place.quiver.sessions().await?) }).await?;
    Ok(Reply(Sessions::of(&sessions)))
}
