//! Turns and facts.

use axum::extract::{Path, State};
use quiver::{
    memory::{FactsOptions, RecallOptions},
    session::SessionOptions,
};
use quiver_forms::{
    agent::{ForgetParameters, Forgotten, RecallParameters, part_of_facts},
    memory::{Facts, Recalled, Remembered, Sessions, Turns},
    request::{Remember, not_blank, optional_moment},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    app::App,
    body::{Asked, Json, LongJson, Reply, limit_of},
    gate::Caller,
    problem::{Code, Problem},
};

/// Default number of turns listed.
const TURNS: usize = 50;

/// The options of a list of turns.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnsQuery {
    /// The maximum number of turns, from 1 to 1000. Default: 50.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// The facts to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FactsQuery {
    /// The name of the entity.
    about: String,
    /// Lists the facts as of this moment. Default: now.
    #[serde(default)]
    as_of: Option<String>,
    /// Also lists facts that have ended.
    #[serde(default)]
    history: bool,
    /// The fact to start from: `next` of the previous reply.
    #[serde(default)]
    from: Option<String>,
    /// The maximum number of tokens of the facts. The first one is returned even if it is longer. Default: no limit.
    #[serde(default)]
    tokens: Option<usize>,
}

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
    let quiver = place.quiver.clone();
    let work = async move {
        let _entered = entered;
        Ok(place.quiver.store_turns(turns).await?)
    };
    let mut remembered = app.write(work).await?;
    // A language model may take its time. Only this request waits for it, and the turns are stored.
    quiver.read_facts(&mut remembered).await?;
    Ok(Reply(Remembered::of(&remembered, false)))
}

pub(super) async fn facts(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<FactsQuery>,
) -> Result<Reply<Facts>, Problem> {
    not_blank("about", &asked.about)?;
    let as_of = optional_moment("as_of", asked.as_of.as_deref())?;
    let options = FactsOptions { as_of, history: asked.history, ..FactsOptions::default() };
    let place = app.place(&caller.workspace).await?;
    let about = asked.about.clone();
    let facts = app.read(async move { Ok(place.quiver.facts(&about).options(options).await?) }).await?;
    let (part, next) = part_of_facts(&facts, asked.from.as_deref(), asked.tokens.unwrap_or(usize::MAX))?;
    Ok(Reply(Facts::part(&asked.about, part, &facts, next)))
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

pub(super) async fn turns(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Asked(asked): Asked<TurnsQuery>,
) -> Result<Reply<Turns>, Problem> {
    let turns_limit = limit_of(asked.limit, TURNS, 1000)?;
    let place = app.place(&caller.workspace).await?;
    let read = async move {
        let options = SessionOptions { turns_limit, ..SessionOptions::default() };
        let mut session = place.quiver.session(&name).with_options(options);
        let turns = session.turns().await?;
        if turns.is_empty() {
            return Err(Problem::new(
                Code::NotFound,
                "there is no session with this name, or it has no turns",
            ));
        }
        Ok(Turns::of(&name, turns))
    };
    Ok(Reply(app.read(read).await?))
}
