//! An embedder for OpenAI-compatible endpoints.

mod options;
mod reply;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, fmt};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Serialize;

use crate::{
    Embedder, Embedding, Error, ErrorKind, Fingerprint, Input, Result, Role,
    embedder::{check_spans, normalise},
    endpoint::{Endpoint, Retries},
    prefixes::Prefixes,
};

pub use options::HttpOptions;

/// A model behind an OpenAI-compatible `/embeddings` endpoint.
///
/// Each span is embedded as a separate text, and each distinct text of a batch is sent once. A batch is split into
/// requests; the options limit how many run concurrently. Transient failures are retried after the delay that the
/// endpoint asked for, or else with exponential backoff. The endpoint decides how to handle texts that exceed the
/// model's limit; if it rejects them, the error is [`ErrorKind::Invalid`] or [`ErrorKind::Limit`]. An empty text is
/// sent as one space, because endpoints reject empty strings.
///
/// Dropping a call's future cancels its requests.
pub struct HttpEmbedder {
    fingerprint: Fingerprint,
    prefixes: Prefixes,
    options: HttpOptions,
    endpoint: Endpoint,
    retries: Retries,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

impl HttpEmbedder {
    /// Opens an endpoint. If the options don't set the dimension, one word is embedded to determine it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if the options are invalid or the vectors have no dimensions. Passes on the
    /// errors of the probe request.
    pub async fn open(options: HttpOptions) -> Result<Self> {
        let endpoint = Endpoint::open(&options.endpoint())?;
        let prefixes = Prefixes::known(&options.model)
            .or_given(options.query_prefix.clone(), options.document_prefix.clone());
        let fingerprint = Fingerprint {
            model: options.model.clone(),
            dimension: options.dimension.unwrap_or_default(),
            normalisation: "pooled by the endpoint, spans apart, unit length".to_owned(),
            tokenizer: format!("tokenizer of the endpoint, {prefixes}"),
        };
        let retries = options.retries();
        let mut embedder = Self { fingerprint, prefixes, options, endpoint, retries };
        if embedder.options.dimension.is_none() {
            let probe = embedder.request_with_retries(&["probe"]).await?;
            embedder.fingerprint.dimension = probe.first().map(Vec::len).unwrap_or_default();
        }
        if embedder.fingerprint.dimension == 0 {
            return Err(embedder.error(ErrorKind::Invalid, "returns vectors without dimensions"));
        }
        Ok(embedder)
    }
}

#[async_trait]
impl Embedder for HttpEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        check_spans(inputs)?;
        let mut texts = Distinct::new(self.prefixes.of(role));
        let positions: Vec<(usize, Vec<usize>)> = inputs
            .iter()
            .map(|input| {
                let spans =
                    input.spans.iter().map(|span| texts.position(&input.text[span.clone()])).collect();
                (texts.position(input.text), spans)
            })
            .collect();
        let texts: Vec<&str> = texts.texts.iter().map(String::as_str).collect();
        let batches = batches(&texts, self.options.batch_texts_max, self.options.batch_bytes_max);
        // Futures are lazy, so `buffered` limits the number of concurrent requests.
        let requests: Vec<_> = batches.into_iter().map(|batch| self.request_with_retries(batch)).collect();
        let answers: Vec<Vec<Vec<f32>>> =
            stream::iter(requests).buffered(self.options.requests_max.max(1)).try_collect().await?;
        let mut vectors: Vec<Vec<f32>> = answers.into_iter().flatten().collect();
        for vector in &mut vectors {
            self.check_dimension(vector)?;
            if !normalise(vector) {
                return Err(self.error(ErrorKind::Invalid, "returned a zero vector"));
            }
        }
        let embedding = |(text, spans): (usize, Vec<usize>)| Embedding {
            text: vectors[text].clone(),
            spans: spans.into_iter().map(|span| vectors[span].clone()).collect(),
        };
        Ok(positions.into_iter().map(embedding).collect())
    }
}

/// Distinct texts with their prefix.
struct Distinct<'a> {
    prefix: &'a str,
    positions: HashMap<&'a str, usize>,
    texts: Vec<String>,
}

impl<'a> Distinct<'a> {
    fn new(prefix: &'a str) -> Self {
        Self { prefix, positions: HashMap::new(), texts: Vec::new() }
    }

    fn position(&mut self, text: &'a str) -> usize {
        *self.positions.entry(text).or_insert_with(|| {
            let sent = format!("{}{text}", self.prefix);
            self.texts.push(if sent.is_empty() { " ".to_owned() } else { sent });
            self.texts.len() - 1
        })
    }
}

/// Splits texts into requests within both limits. A text that exceeds `bytes_max` gets its own request.
fn batches<'t, 's>(mut texts: &'t [&'s str], texts_max: usize, bytes_max: usize) -> Vec<&'t [&'s str]> {
    let mut batches = Vec::new();
    while !texts.is_empty() {
        let mut bytes = 0;
        let fits = |text: &&&str| {
            bytes += text.len();
            bytes <= bytes_max
        };
        let count = texts.iter().take(texts_max).take_while(fits).count().max(1);
        let (batch, rest) = texts.split_at(count);
        batches.push(batch);
        texts = rest;
    }
    batches
}

impl HttpEmbedder {
    async fn request_with_retries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut attempts = self.retries.begin();
        loop {
            match self.request(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => attempts.wait(error).await?,
            }
        }
    }

    async fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let _permit = self.endpoint.permit().await;
        let request = Request { model: &self.options.model, input: texts };
        let sent = self.endpoint.send(&request).await;
        let response = sent.map_err(|failure| self.endpoint.failed(failure))?;
        let body = self.endpoint.body(response).await?;
        reply::vectors(&body, texts.len()).map_err(|problem| self.error(ErrorKind::Invalid, &problem))
    }

    fn check_dimension(&self, vector: &[f32]) -> Result<()> {
        let expected = self.fingerprint.dimension;
        if vector.len() == expected {
            return Ok(());
        }
        let problem = format!("returned a vector of {} dimensions instead of {expected}", vector.len());
        Err(self.error(ErrorKind::Invalid, &problem))
    }

    fn error(&self, kind: ErrorKind, problem: &str) -> Error {
        self.endpoint.error(kind, problem)
    }
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("endpoint", &self.endpoint.url().as_str())
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}
