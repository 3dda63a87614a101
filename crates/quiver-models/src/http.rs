//! OpenAI-compatible endpoints.

mod options;
mod reply;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, fmt, time::Duration};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::{Client, Url, header, redirect};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::{
    Embedder, Embedding, Error, ErrorKind, Fingerprint, Input, Result, Role,
    embedder::{check_spans, normalise},
    prefixes::Prefixes,
};

pub use options::{HttpOptions, Key};

/// A model behind an OpenAI-compatible `/embeddings` endpoint.
///
/// Spans are embedded on their own, each distinct text of a batch once. A batch is divided into requests, of which
/// so many run at a time as the options say. Requests that failed for the moment are repeated, after the delay that
/// the endpoint asked for or after growing ones of our own. What becomes of texts longer than the model takes is the
/// endpoint's choice; a refusal is [`ErrorKind::Invalid`] or [`ErrorKind::Limit`]. An empty text is sent as one
/// space, because endpoints refuse it.
///
/// Dropping a call's future drops its requests.
pub struct HttpEmbedder {
    fingerprint: Fingerprint,
    prefixes: Prefixes,
    options: HttpOptions,
    endpoint: Url,
    client: Client,
    requests: Semaphore,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

impl HttpEmbedder {
    /// Opens an endpoint. Without a dimension in the options, one word is embedded to learn it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for options that can't be used, else those of the first request.
    pub async fn open(options: HttpOptions) -> Result<Self> {
        let endpoint = options.endpoint()?;
        let mut headers = header::HeaderMap::new();
        if let Some(authorization) = options.authorization(&endpoint)? {
            headers.insert(header::AUTHORIZATION, authorization);
        }
        let client = Client::builder()
            .default_headers(headers)
            .timeout(options.timeout)
            // A redirected key could reach a stranger.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| Error::new(ErrorKind::Other, "no HTTP client can be made").with_source(error))?;
        let prefixes = Prefixes::known(&options.model)
            .or_given(options.query_prefix.clone(), options.document_prefix.clone());
        let fingerprint = Fingerprint {
            model: options.model.clone(),
            dimension: options.dimension.unwrap_or_default(),
            normalisation: "pooled by the endpoint, spans apart, unit length".to_owned(),
            tokenizer: format!("tokenizer of the endpoint, {prefixes}"),
        };
        let requests = Semaphore::new(options.requests_max.max(1));
        let mut embedder = Self { fingerprint, prefixes, options, endpoint, client, requests };
        if embedder.options.dimension.is_none() {
            let probe = embedder.request_with_retries(&["probe"]).await?;
            embedder.fingerprint.dimension = probe.first().map(Vec::len).unwrap_or_default();
        }
        if embedder.fingerprint.dimension == 0 {
            return Err(embedder.error(ErrorKind::Invalid, "gives vectors without dimensions"));
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
        // Futures do nothing until they are asked, so as many requests are on their way as are buffered.
        let requests: Vec<_> = batches.into_iter().map(|batch| self.request_with_retries(batch)).collect();
        let answers: Vec<Vec<Vec<f32>>> =
            stream::iter(requests).buffered(self.options.requests_max.max(1)).try_collect().await?;
        let mut vectors: Vec<Vec<f32>> = answers.into_iter().flatten().collect();
        for vector in &mut vectors {
            self.check_dimension(vector)?;
            if !normalise(vector) {
                return Err(self.error(ErrorKind::Invalid, "gave a vector without a direction"));
            }
        }
        let embedding = |(text, spans): (usize, Vec<usize>)| Embedding {
            text: vectors[text].clone(),
            spans: spans.into_iter().map(|span| vectors[span].clone()).collect(),
        };
        Ok(positions.into_iter().map(embedding).collect())
    }
}

/// Texts with their prefix, each once.
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

/// Divides texts into requests within both limits; a text that is too large goes alone.
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
        let mut attempt = 1;
        loop {
            let error = match self.request(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            let delay = error.retry_after().unwrap_or_else(|| self.backoff(attempt));
            // Longer delays are the caller's to decide; the error tells them.
            if !error.is_retryable() || attempt >= self.options.attempts_max || delay > self.options.delay_max
            {
                return Err(error);
            }
            tracing::debug!(attempt, ?delay, %error, "trying again");
            tokio::time::sleep(delay).await;
            attempt += 1;
        }
    }

    /// Doubles the delay with each attempt, and spreads it so that clients don't return in step.
    fn backoff(&self, attempt: u32) -> Duration {
        let doubled = self.options.backoff.saturating_mul(1 << (attempt - 1).min(16));
        doubled.mul_f64(0.5 + fastrand::f64() / 2.0).min(self.options.delay_max)
    }

    async fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let _permit = self.requests.acquire().await.expect("the semaphore is never closed");
        let request = Request { model: &self.options.model, input: texts };
        let sent = self.client.post(self.endpoint.clone()).json(&request).send().await;
        let mut response = sent.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        let retry_after = reply::retry_after(response.headers());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            body.extend_from_slice(&chunk);
            if body.len() > self.options.reply_bytes_max {
                return Err(self.error(ErrorKind::Limit, "answered with more bytes than the options allow"));
            }
        }
        if !status.is_success() {
            return Err(self.refused(status, &body, retry_after));
        }
        reply::vectors(&body, texts.len()).map_err(|problem| self.error(ErrorKind::Invalid, &problem))
    }

    fn check_dimension(&self, vector: &[f32]) -> Result<()> {
        let expected = self.fingerprint.dimension;
        if vector.len() == expected {
            return Ok(());
        }
        let problem = format!("gave a vector of {} dimensions where {expected} were expected", vector.len());
        Err(self.error(ErrorKind::Invalid, &problem))
    }

    fn unreachable(&self, error: reqwest::Error) -> Error {
        // The address is told without its query.
        let error = error.without_url();
        let problem = if error.is_timeout() {
            format!("did not answer within {:?}", self.options.timeout)
        } else if error.is_connect() {
            "can't be reached".to_owned()
        } else {
            "broke off".to_owned()
        };
        self.error(ErrorKind::Unavailable, &problem).with_source(error)
    }

    fn refused(&self, status: reqwest::StatusCode, body: &[u8], retry_after: Option<Duration>) -> Error {
        // Endpoints repeat parts of a refused key: what they say of one is not passed on.
        let said = if matches!(status.as_u16(), 401 | 403) { String::new() } else { self.said(body) };
        let is_spent = said.contains("insufficient_quota");
        let (kind, problem) = match status.as_u16() {
            401 | 403 if self.options.has_key(&self.endpoint) => (ErrorKind::Unauthorized, "refused the key"),
            401 | 403 => (ErrorKind::Unauthorized, "asks for a key (set QUIVER_EMBEDDER_KEY)"),
            404 => (ErrorKind::NotFound, "does not know the model or the address"),
            413 => (ErrorKind::Limit, "finds the request too large"),
            429 if is_spent => (ErrorKind::Limit, "says that the quota is used up"),
            429 => (ErrorKind::Unavailable, "asks for fewer requests"),
            408 | 425 | 500.. => (ErrorKind::Unavailable, "failed"),
            _ => (ErrorKind::Invalid, "refused the request"),
        };
        let error = self.error(kind, &format!("{problem} with status {}{said}", status.as_u16()));
        match retry_after {
            Some(delay) if error.is_retryable() => error.with_retry_after(delay),
            _ => error,
        }
    }

    /// What an endpoint says about a failure, in brief and without the key.
    fn said(&self, body: &[u8]) -> String {
        const LENGTH_MAX: usize = 300;
        let said = reply::message(body);
        let said = self.options.without_key(&self.endpoint, &said);
        if said.is_empty() {
            return String::new();
        }
        format!(": {}", &said[..said.floor_char_boundary(LENGTH_MAX)])
    }

    fn error(&self, kind: ErrorKind, problem: &str) -> Error {
        Error::new(kind, format!("{} at {} {problem}", self.options.model, self.endpoint))
    }
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("endpoint", &self.endpoint.as_str())
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}
