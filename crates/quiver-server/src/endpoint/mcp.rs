//! The Model Context Protocol over HTTP: the tools of `quiver mcp`, one request at a time.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use quiver::Quiver;
use quiver_tools::{Database, Message, Offered, Tools};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    app::App,
    body::{Asked, LongJson, json},
    events::{event, stream},
    gate::{Caller, single},
    keys::Role,
    problem::Problem,
};

/// Which tools are offered.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct McpQuery {
    /// `all` adds the tools `documents`, `facts`, `ingest` and `stats`.
    #[serde(default)]
    tools: Option<ToolsOffered>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ToolsOffered {
    Default,
    All,
}

/// The database of a workspace. Clients learn what they can fix; everything else is logged.
struct OfWorkspace(Arc<Quiver>);

#[async_trait]
impl Database for OfWorkspace {
    async fn read(&self) -> Result<Arc<Quiver>, String> {
        Ok(Arc::clone(&self.0))
    }

    async fn write(&self) -> Result<Arc<Quiver>, String> {
        Ok(Arc::clone(&self.0))
    }

    fn tell(&self, error: quiver::Error) -> String {
        Problem::from(error).detail().to_owned()
    }
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Asked(asked): Asked<McpQuery>,
    LongJson(message): LongJson<Value>,
) -> Result<Response, Problem> {
    let version = single(&headers, "mcp-protocol-version")?.map(Message::version).transpose();
    let version = version.map_err(|why| Problem::at("MCP-Protocol-Version", why))?;
    let call = match Message::read(message, version) {
        Message::Call(call) => call,
        Message::Notice => return Ok(StatusCode::ACCEPTED.into_response()),
        Message::Unreadable(reply) => return Ok((StatusCode::BAD_REQUEST, json(&reply)).into_response()),
    };
    let refusal = call.refusal();
    let writes = call.tool().is_some_and(Tools::writes);
    let rebuilds = call.tool().is_some_and(Tools::rebuilds);
    if writes && let Err(problem) = caller.check_write(call.tool(), None) {
        // An agent reads the result of a tool, not the status of a reply.
        return Ok(json(&refusal(problem.detail())));
    }
    let offered = match asked.tools {
        Some(ToolsOffered::All) => Offered::All,
        _ => Offered::Default,
    };
    let place = app.place(&caller.workspace).await?;
    let database = Arc::new(OfWorkspace(Arc::new(place.quiver.clone())));
    let mut tools = Tools::new(database, app.config.ask.clone(), offered);
    if !caller.may(Role::Write) {
        tools = tools.reading_only();
    }
    let tells = call.wants_progress() && takes_events(&headers);
    let answer = async move |tell: Tell| {
        let done = if writes {
            let entered = place.enter(BTreeSet::from([call.session().unwrap_or_default().to_owned()])).await;
            let work = async move {
                let _entered = entered;
                Ok(tools.answer_telling(*call, tell).await)
            };
            if rebuilds { app.erase(work).await } else { app.write(work).await }
        } else {
            app.read(async move { Ok(tools.answer_telling(*call, tell).await) }).await
        };
        done.unwrap_or_else(|problem| refusal(problem.detail()))
    };
    if !tells {
        return Ok(json(&answer(Box::new(|_| {})).await));
    }
    Ok(stream(|sender| async move {
        let tell = move |notice: Value| {
            // The client may have disconnected.
            let _ = sender.send(event("message", &notice));
        };
        Ok(vec![event("message", &answer(Box::new(tell)).await)])
    }))
}

/// Receives notifications for the client before the reply.
type Tell = Box<dyn Fn(Value) + Send + Sync>;

/// Whether a client accepts a stream of messages.
fn takes_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|accepted| accepted.to_str().ok());
    accepted.into_iter().any(|accepted| accepted.to_ascii_lowercase().contains("text/event-stream"))
}
