//! The page, and the questions it suggests.

use std::{
    io::Write,
    sync::{Arc, OnceLock},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use flate2::{Compression, write::GzEncoder};
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

/// A file of the page as it is sent.
struct Sent {
    asset: &'static Asset,
    tag: HeaderValue,
    /// Compressed for the first client that takes it so.
    zipped: OnceLock<Bytes>,
    zipped_tag: HeaderValue,
}

impl Sent {
    fn new(asset: &'static Asset) -> Self {
        let digest = blake3::hash(asset.bytes).to_hex();
        let tag = |suffix: &str| {
            HeaderValue::from_str(&format!("\"{}{suffix}\"", &digest[..32])).expect("a digest is a header")
        };
        Self { asset, tag: tag(""), zipped: OnceLock::new(), zipped_tag: tag("-gzip") }
    }
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes what is written to it")
}

/// Serves the files of the page. They reveal nothing that is stored, so they need no key.
pub(super) fn routes() -> Router<App> {
    ASSETS.iter().fold(Router::new(), |router, asset| {
        let sent = Arc::new(Sent::new(asset));
        router.route(asset.path, get(move |headers: HeaderMap| async move { file(&sent, &headers) }))
    })
}

fn file(sent: &Sent, asked: &HeaderMap) -> Response {
    let is_zipped = takes_gzip(asked);
    let (bytes, tag) = if is_zipped {
        (sent.zipped.get_or_init(|| zipped(sent.asset.bytes).into()).clone(), &sent.zipped_tag)
    } else {
        (Bytes::from_static(sent.asset.bytes), &sent.tag)
    };
    let headers = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    if asked.get(header::IF_NONE_MATCH) == Some(tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(sent.asset.media_type))];
    let encoding = is_zipped.then_some([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
    (headers, kind, encoding, bytes).into_response()
}

/// Whether a client takes what is compressed with gzip.
fn takes_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = matches!(quality.trim().strip_prefix("q=").map(str::parse::<f32>), Some(Ok(0.0)));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}
