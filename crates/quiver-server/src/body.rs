//! Bodies and query strings of requests, within limits, and replies.

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, HeaderValue, header, request::Parts},
    response::{IntoResponse, Response},
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use quiver_forms::{Versioned, request::Ingest};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::timeout;

use crate::{
    app::App,
    files::{self, File},
    problem::{Code, Problem},
    query,
};

/// Maximum size of a question in bytes.
const QUESTION_BYTES_MAX: usize = 256 << 10;

/// The JSON body of a question.
pub(crate) struct Json<T>(pub(crate) T);

/// The JSON body of a request with documents or turns, which may be long.
pub(crate) struct LongJson<T>(pub(crate) T);

/// The same, with the raw body.
pub(crate) struct KeptJson<T> {
    pub(crate) value: T,
    pub(crate) body: Bytes,
}

/// What a request adds: documents and pages as JSON, or files.
pub(crate) enum Added {
    Given(Ingest),
    Files(Vec<File>),
}

/// The body of a request with a file, which may be long.
pub(crate) struct Whole {
    pub(crate) content: Bytes,
    /// The media type without parameters.
    pub(crate) kind: String,
}

/// The text of a body, which may be long.
pub(crate) struct Text {
    pub(crate) text: String,
    /// The media type without parameters: `text/markdown`.
    pub(crate) kind: String,
}

/// The query string of a URL.
pub(crate) struct Asked<T>(pub(crate) T);

/// A reply, with the version of its form.
pub(crate) struct Reply<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        json(&Versioned::new(self.0))
    }
}

/// Returns a JSON reply without a version.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => {
            ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
        }
        Err(error) => {
            tracing::error!("a reply can't be serialized: {error}");
            Problem::new(Code::Internal, "the reply can't be serialized").into_response()
        }
    }
}

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        check_is_json(request.headers())?;
        let body = read(request, app, QUESTION_BYTES_MAX).await?;
        parse(&body).map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for LongJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        KeptJson::from_request(request, app).await.map(|kept| Self(kept.value))
    }
}

impl<T: DeserializeOwned> FromRequest<App> for KeptJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        check_is_json(request.headers())?;
        let _place = app.bodies.take(app.config.time_max).await?;
        let body = read(request, app, app.config.body_bytes_max).await?;
        Ok(Self { value: parse(&body)?, body })
    }
}

impl FromRequest<App> for Added {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if media_type(request.headers()) != "multipart/form-data" {
            return LongJson::from_request(request, app).await.map(|LongJson(given)| Self::Given(given));
        }
        let header = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = header.and_then(files::boundary).ok_or_else(|| {
            Problem::at("Content-Type", "`multipart/form-data` needs a `boundary` of 1 to 70 characters")
        })?;
        let _place = app.bodies.take(app.config.time_max).await?;
        let body = read(request, app, app.config.body_bytes_max).await?;
        let files = files::parts(body, &boundary).await?;
        if files.is_empty() {
            return Err(Problem::at("body", "there is no file in the form"));
        }
        Ok(Self::Files(files))
    }
}

impl FromRequest<App> for Whole {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let kind = media_type(request.headers());
        let _place = app.bodies.take(app.config.time_max).await?;
        Ok(Self { content: read(request, app, app.config.body_bytes_max).await?, kind })
    }
}

impl FromRequest<App> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let kind = media_type(request.headers());
        let _place = app.bodies.take(app.config.time_max).await?;
        let body = read(request, app, app.config.body_bytes_max).await?;
        Ok(Self { text: text(body)?, kind })
    }
}

/// Reads a body as text.
pub(crate) fn text(body: Bytes) -> Result<String, Problem> {
    String::from_utf8(body.into()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::at("body", format!("must be UTF-8: byte {at} is not part of a valid character"))
    })
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        query::read(parts.uri.query().unwrap_or_default())
            .map(Self)
            .map_err(|why| Problem::at("query", why.to_string()))
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Pages of other origins can't send JSON without a preflight request.
fn check_is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = media_type(headers);
    if kind == "application/json" {
        return Ok(());
    }
    let detail = "send JSON, with the header `Content-Type: application/json`";
    Err(Problem::new(Code::UnsupportedMediaType, detail).with_place("Content-Type"))
}

/// Reads a body within the limits on size and time.
async fn read(request: Request, app: &App, bytes_max: usize) -> Result<Bytes, Problem> {
    let limit = app.config.body_time_max;
    let body = Limited::new(request.into_body(), bytes_max);
    let collected = timeout(limit, body.collect()).await;
    let collected = collected.map_err(|_| {
        let detail = format!("the body did not arrive within {} s", limit.as_secs());
        Problem::new(Code::Timeout, detail).with_place("body")
    })?;
    match collected {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let detail = format!("the body may have at most {bytes_max} bytes; send it in parts");
            Err(Problem::new(Code::TooLarge, detail).with_place("body"))
        }
        Err(_) => Err(Problem::at("body", "the body is incomplete")),
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "body".to_owned() } else { path };
        Problem::at(place, error.into_inner().to_string())
    })?;
    reader.end().map_err(|error| Problem::at("body", error.to_string()))?;
    Ok(value)
}

/// Returns the number of results that a request asks for, from 1 to `most`.
pub(crate) fn limit_of(given: Option<usize>, default: usize, most: usize) -> Result<usize, Problem> {
    let limit = given.unwrap_or(default);
    if (1..=most).contains(&limit) {
        Ok(limit)
    } else {
        Err(Problem::at("limit", format!("must be from 1 to {most}")))
    }
}
