//! The page, and the questions it suggests.

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use quiver::Quiver;
use quiver_page::{ASSETS, Asset, POLICY};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{app::App, body::Reply, gate::Caller, problem::Problem};

/// Number of suggested questions.
const EXAMPLES: usize = 4;

/// Questions that the documents may answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Examples {
    questions: Vec<String>,
}

pub(super) async fn examples(State(app): State<App>, caller: Caller) -> Result<Reply<Examples>, Problem> {
    if !app.config.examples.is_empty() {
        return Ok(Reply(Examples { questions: app.config.examples.clone() }));
    }
    let place = app.place(&caller.workspace).await?;
    let questions = app.read(async move { about_documents(&place.quiver).await }).await?;
    Ok(Reply(Examples { questions }))
}

/// Suggests overviews of documents that are far apart in the list.
async fn about_documents(quiver: &Quiver) -> Result<Vec<String>, Problem> {
    let documents = quiver.documents().await?;
    let mut questions = Vec::new();
    for at in 0..EXAMPLES.min(documents.len()) {
        let document = &documents[at * documents.len() / EXAMPLES.min(documents.len())];
        let passages = quiver.passages_of(&document.key).await?;
        let title = passages.iter().find_map(|passage| passage.title.clone());
        questions.extend(title.map(|title| format!("Give an overview of {title}")));
    }
    questions.dedup();
    Ok(questions)
}

/// Serves the files of the page. They reveal nothing that is stored, so they need no key.
pub(super) fn routes() -> Router<App> {
    ASSETS.iter().fold(Router::new(), |router, asset| {
        let tag = format!("\"{}\"", &blake3::hash(asset.bytes).to_hex()[..32]);
        let tag = HeaderValue::from_str(&tag).expect("a digest is a header");
        router.route(asset.path, get(move |headers: HeaderMap| async move { file(asset, &tag, &headers) }))
    })
}

fn file(asset: &'static Asset, tag: &HeaderValue, asked: &HeaderMap) -> Response {
    let headers = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    if asked.get(header::IF_NONE_MATCH) == Some(tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type))];
    (headers, kind, Bytes::from_static(asset.bytes)).into_response()
}
