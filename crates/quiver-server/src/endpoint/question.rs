//! Questions, contexts and conversations.

use std::collections::BTreeSet;

use axum::{extract::State, response::Response};
use quiver::{
    AskOptions, ErrorKind, Progress, Stage,
    context::ContextOptions,
    session::{FollowUp, Reply as Answer, SessionOptions},
};
use quiver_forms::{
    Answered, Said, Searched, TracedHop, TracedStage, Versioned,
    agent::ContextParameters,
    chat::Replied,
    context::Packed,
    request::{Ask, Chat, Wrong, not_blank, passage_to_continue_from},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    app::App,
    body::{Asked, Json, Reply},
    events::{Sender, event, stream},
    gate::Caller,
    problem::Problem,
};

/// Maximum length of a session name in bytes.
const SESSION_BYTES_MAX: usize = 256;

pub(super) async fn ask(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Ask>,
) -> Result<Reply<Answered>, Problem> {
    let question = asked.question(&app.config.ask)?;
    let place = app.place(&caller.workspace).await?;
    let answer = app.read(async move { Ok(place.quiver.ask(question).await?) }).await?;
    app.metrics.trace(answer.trace());
    Ok(Reply(Answered::of(&answer, asked.trace)))
}

/// Sends progress events of a question. The client may have disconnected.
fn tell(sender: &Sender) -> impl FnMut(Progress<'_>) + Send + use<> {
    let sender = sender.clone();
    move |progress| {
        let _ = match progress {
            Progress::Step(step) => sender.send(event("step", &TracedStage::of(step))),
            Progress::Hop(hop) => sender.send(event("hop", &TracedHop::of(hop))),
            Progress::Sentence(sentence) => sender.send(event("sentence", &Said::of(sentence))),
            _ => Ok(()),
        };
    }
}

pub(super) async fn ask_stream(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Ask>,
) -> Result<Response, Problem> {
    let question = asked.question(&app.config.ask)?;
    let place = app.place(&caller.workspace).await?;
    Ok(stream(|sender| async move {
        let tell = tell(&sender);
        let work = async move { Ok(place.quiver.ask(question).on_progress(tell).await?) };
        let answer = app.read(work).await?;
        app.metrics.trace(answer.trace());
        Ok(vec![event("answer", &Versioned::new(Answered::of(&answer, asked.trace)))])
    }))
}

/// The part of the results to return.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchQuery {
    /// The passage to start from: `next` of the previous reply, with the same body.
    #[serde(default)]
    from: Option<String>,
}

pub(super) async fn search(
    State(app): State<App>,
    caller: Caller,
    Asked(part): Asked<SearchQuery>,
    Json(asked): Json<Ask>,
) -> Result<Reply<Searched>, Problem> {
    let mut question = asked.question(&app.config.ask)?;
    question.options.from = passage_to_continue_from(part.from.as_deref())?;
    let place = app.place(&caller.workspace).await?;
    let not_there = |error: quiver::Error| match (error.kind(), error.stage()) {
        (ErrorKind::Invalid, Stage::Rerank) => Problem::at("from", error.to_string()),
        _ => error.into(),
    };
    let work = async move { place.quiver.retrieve(question).await.map_err(not_there) };
    let evidence = app.read(work).await?;
    app.metrics.trace(&evidence.trace);
    Ok(Reply(Searched::of(&evidence, asked.trace)))
}

pub(super) async fn context(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<ContextParameters>,
) -> Result<Reply<Packed>, Problem> {
    not_blank("question", &asked.question)?;
    let defaults = ContextOptions::default();
    let options = ContextOptions {
        tokens_max: asked.tokens,
        session: asked.session,
        ask: AskOptions {
            passages_limit: defaults.ask.passages_limit,
            asker: asked.asker,
            ..app.config.ask.clone()
        },
        ..defaults
    };
    let place = app.place(&caller.workspace).await?;
    let work = async move { Ok(place.quiver.context(&asked.question).options(options).await?) };
    Ok(Reply(Packed::of(&Box::pin(app.read(work)).await?, false)))
}

pub(super) async fn chat(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Chat>,
) -> Result<Reply<Replied>, Problem> {
    let trace = asked.trace;
    let reply = Box::pin(converse(app, caller, asked, |_: Progress<'_>| {})).await?;
    Ok(Reply(Replied::of(&reply, trace)))
}

pub(super) async fn chat_stream(
    State(app): State<App>,
    caller: Caller,
    Json(asked): Json<Chat>,
) -> Result<Response, Problem> {
    check(&asked)?;
    let trace = asked.trace;
    Ok(stream(|sender| async move {
        let reply = Box::pin(converse(app, caller, asked, tell(&sender))).await?;
        Ok(vec![event("reply", &Versioned::new(Replied::of(&reply, trace)))])
    }))
}

/// Checks the names and texts of a question in a conversation.
fn check(asked: &Chat) -> Result<(), Problem> {
    not_blank("question", &asked.question)?;
    not_blank("session", &asked.session)?;
    if asked.session.len() > SESSION_BYTES_MAX {
        return Err(Wrong::new("session", format!("must have at most {SESSION_BYTES_MAX} bytes")).into());
    }
    Ok(())
}

/// Asks in a conversation, once no other request uses it.
async fn converse(
    app: App,
    caller: Caller,
    asked: Chat,
    on_progress: impl FnMut(Progress<'_>) + Send + 'static,
) -> Result<Answer, Problem> {
    check(&asked)?;
    let place = app.place(&caller.workspace).await?;
    let session = BTreeSet::from([asked.session.clone()]);
    let entered = place.enter(session).await;
    let ask = AskOptions { explain: asked.trace, ..app.config.ask.clone() };
    let reply = app
        .read(async move {
            let _entered = entered;
            // A turn that is being written is completed even if the client disconnects.
            let options = SessionOptions { ask, background: true, ..SessionOptions::default() };
            let mut session = place.quiver.session(asked.session).with_options(options);
            let mut question = FollowUp::new(asked.question);
            if let Some(standalone) = asked.standalone {
                question = question.standing_for(standalone);
            }
            let mut reply = session.ask(question).on_progress(on_progress).await?;
            if let Err(error) = session.close().await {
                tracing::error!("a turn was not stored: {error}");
                reply.read.degraded.push("the turn was not stored; the server's log says why".to_owned());
            }
            Ok(reply)
        })
        .await?;
    if let Some(answer) = &reply.answer {
        app.metrics.trace(answer.trace());
    }
    Ok(reply)
}
