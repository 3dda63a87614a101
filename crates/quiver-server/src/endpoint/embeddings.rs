//! Embeddings of texts, in the format of the `OpenAI` API.

use axum::{extract::State, response::Response};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use quiver::{
    memory::count_tokens,
    models::{Embedder, Error, Input, Role},
};
use quiver_forms::request::not_blank;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::openai::MODEL;
use crate::{
    app::App,
    body::{LongJson, json},
    problem::{Code, Problem},
};

/// Maximum number of texts in a request.
const TEXTS_MAX: usize = 2048;

/// Texts to embed. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Embed {
    /// A text, or a list of 1 to 2048 texts.
    input: Texts,
    /// `quiver`, or the name of the server's embedding model.
    #[serde(default)]
    model: Option<String>,
    /// The encoding of the vectors. Default: `float`.
    #[serde(default)]
    encoding_format: Option<Encoding>,
    /// The number of dimensions. It must be that of the server's embedder.
    #[serde(default)]
    dimensions: Option<usize>,
    /// The role of the texts. Many models embed questions and documents differently. Default: `document`.
    #[serde(default)]
    input_type: Option<InputType>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be a text or a list of texts")]
enum Texts {
    One(#[schemars(length(min = 1))] String),
    Many(#[schemars(length(min = 1, max = 2048))] Vec<String>),
}

/// The encoding of a vector.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    /// A list of numbers.
    #[default]
    Float,
    /// The numbers as 32-bit little-endian floats, in Base64.
    Base64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum InputType {
    Query,
    #[default]
    Document,
}

/// The embeddings of texts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Embeddings {
    object: &'static str,
    /// The embeddings, in the order of the texts.
    data: Vec<Embedded>,
    /// The model that computed them.
    model: String,
    usage: Usage,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Embedded {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Vector {
    Float(Vec<f32>),
    Base64(String),
}

/// The usage. It is an estimate, because models count tokens differently.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmbeddingsUsage")]
struct Usage {
    prompt_tokens: usize,
    total_tokens: usize,
}

impl Vector {
    fn new(numbers: Vec<f32>, encoding: Encoding) -> Self {
        match encoding {
            Encoding::Float => Self::Float(numbers),
            Encoding::Base64 => {
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                Self::Base64(BASE64_STANDARD.encode(bytes))
            }
        }
    }
}

impl Embed {
    fn check(&self, embedder: &dyn Embedder) -> Result<(), Problem> {
        let known = embedder.fingerprint();
        if let Some(model) = &self.model
            && model != MODEL
            && *model != known.model
        {
            let detail = format!("this server embeds with {:?}; give that name or {MODEL:?}", known.model);
            return Err(Problem::at("model", detail));
        }
        if let Some(dimensions) = self.dimensions
            && dimensions != known.dimension
        {
            let detail = format!("the vectors of {:?} have {} numbers", known.model, known.dimension);
            return Err(Problem::at("dimensions", detail));
        }
        match &self.input {
            Texts::One(text) => not_blank("input", text)?,
            Texts::Many(texts) if !(1..=TEXTS_MAX).contains(&texts.len()) => {
                return Err(Problem::at("input", format!("give 1 to {TEXTS_MAX} texts")));
            }
            Texts::Many(texts) => {
                for (at, text) in texts.iter().enumerate() {
                    not_blank(&format!("input[{at}]"), text)?;
                }
            }
        }
        Ok(())
    }
}

pub(super) async fn embed(
    State(app): State<App>,
    LongJson(asked): LongJson<Embed>,
) -> Result<Response, Problem> {
    let Some(embedder) = app.database().encoder().embedder().cloned() else {
        let detail = "this server has no embedder and searches by words alone; set `embedder` in quiver.toml";
        return Err(Problem::new(Code::NotFound, detail));
    };
    asked.check(&*embedder)?;
    let encoding = asked.encoding_format.unwrap_or_default();
    let role = match asked.input_type.unwrap_or_default() {
        InputType::Query => Role::Query,
        InputType::Document => Role::Document,
    };
    let texts = match asked.input {
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    };
    let tokens = texts.iter().map(|text| count_tokens(text)).sum();
    let model = embedder.fingerprint().model.clone();
    let work = async move {
        let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::new(text)).collect();
        embedder.embed(role, &inputs).await.map_err(|error| failed(&error))
    };
    let embedded = app.read(work).await?.into_iter().enumerate();
    let data = embedded.map(|(index, embedded)| {
        let embedding = Vector::new(embedded.text, encoding);
        Embedded { object: "embedding", index, embedding }
    });
    let usage = Usage { prompt_tokens: tokens, total_tokens: tokens };
    Ok(json(&Embeddings { object: "list", data: data.collect(), model, usage }))
}

/// Clients learn what they can fix; everything else is logged.
fn failed(error: &Error) -> Problem {
    if error.kind() == quiver::models::ErrorKind::Limit && !error.is_retryable() {
        return Problem::at("input", error.to_string());
    }
    tracing::error!("texts can't be embedded: {error}");
    let detail = "the embedder failed; the server's log says why";
    if !error.is_retryable() {
        return Problem::new(Code::Internal, detail);
    }
    let wait = error.retry_after().map_or(1, |wait| wait.as_secs());
    Problem::new(Code::Unavailable, detail).retry_after(wait)
}
