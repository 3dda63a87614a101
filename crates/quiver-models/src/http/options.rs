use std::{env, fmt, time::Duration};

use reqwest::{Url, header::HeaderValue};

use crate::{Error, ErrorKind, Result};

/// A secret that never shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// How to open an endpoint.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address before `/embeddings`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The key; else that in the environment: `QUIVER_EMBEDDER_KEY`, or `OPENAI_API_KEY` for OpenAI's own address.
    pub key: Option<Key>,
    /// How many numbers each vector has; asked for by default.
    pub dimension: Option<usize>,
    /// How long one request may take; 30 seconds by default.
    pub timeout: Duration,
    /// How often a request is made before its failure counts; 4 times by default.
    pub attempts_max: u32,
    /// The first delay before a repetition, when the endpoint asks for none; half a second by default.
    pub backoff: Duration,
    /// The longest delay to wait for; one minute by default. Endpoints that ask for more get no repetition.
    pub delay_max: Duration,
    /// How many texts a request has at most; 64 by default.
    pub batch_texts_max: usize,
    /// How many bytes of text a request has at most, if it has more than one; 256 KiB by default.
    pub batch_bytes_max: usize,
    /// How many requests run at a time, over all calls; 4 by default.
    pub requests_max: usize,
    /// How large an answer may be; 64 MiB by default.
    pub reply_bytes_max: usize,
    /// What stands before a query; else what the model's family was trained with, where the name tells it.
    pub query_prefix: Option<String>,
    /// What stands before a document; else what the model's family was trained with, where the name tells it.
    pub document_prefix: Option<String>,
}

impl HttpOptions {
    /// Makes the default options for a model at an address.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            dimension: None,
            timeout: Duration::from_secs(30),
            attempts_max: 4,
            backoff: Duration::from_millis(500),
            delay_max: Duration::from_mins(1),
            batch_texts_max: 64,
            batch_bytes_max: 256 << 10,
            requests_max: 4,
            reply_bytes_max: 64 << 20,
            query_prefix: None,
            document_prefix: None,
        }
    }

    /// The full address.
    pub(super) fn endpoint(&self) -> Result<Url> {
        let invalid =
            |problem: &str| Error::new(ErrorKind::Invalid, format!("the embedder's address {problem}"));
        let mut url = Url::parse(&self.url).map_err(|error| invalid("is no address").with_source(error))?;
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            // It appears in errors and logs.
            return Err(invalid("must hold no credentials and no query: the key is an option of its own"));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("must begin with http:// or https://"));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        if !path.ends_with("/embeddings") {
            url.set_path(&format!("{path}/embeddings"));
        }
        url.set_fragment(None);
        Ok(url)
    }

    pub(super) fn authorization(&self, endpoint: &Url) -> Result<Option<HeaderValue>> {
        let Some(Key(key)) = self.key(endpoint) else { return Ok(None) };
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            Error::new(ErrorKind::Invalid, "the embedder's key has characters that no header can hold")
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    pub(super) fn has_key(&self, endpoint: &Url) -> bool {
        self.key(endpoint).is_some()
    }

    /// The text with the key blotted out.
    pub(super) fn without_key(&self, endpoint: &Url, text: &str) -> String {
        match self.key(endpoint) {
            Some(Key(key)) if !key.is_empty() => text.replace(&key, "…"),
            _ => text.to_owned(),
        }
    }

    fn key(&self, endpoint: &Url) -> Option<Key> {
        let from = |variable: &str| env::var(variable).ok().filter(|key| !key.trim().is_empty());
        let from_environment = || {
            from("QUIVER_EMBEDDER_KEY").or_else(|| {
                // Nobody else is to see OpenAI's key.
                (endpoint.host_str() == Some("api.openai.com")).then(|| from("OPENAI_API_KEY")).flatten()
            })
        };
        let key = self.key.clone().or_else(|| from_environment().map(Key));
        key.map(|Key(key)| Key(key.trim().to_owned())).filter(|Key(key)| !key.is_empty())
    }
}
