use std::{fmt, ops::Range, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// The role of a text in a search. Many models embed queries and documents differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A question or any other search text.
    Query,
    /// A text to be found.
    Document,
}

/// A text to embed, with the spans that get their own vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input<'a> {
    /// The text.
    pub text: &'a str,
    /// Byte ranges inside the text, for example its sentences. They may touch or overlap and may be in any order.
    pub spans: &'a [Range<usize>],
}

impl<'a> Input<'a> {
    /// Creates an input without spans.
    pub fn new(text: &'a str) -> Self {
        Self { text, spans: &[] }
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

/// The vectors of one input, all of unit length.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The vector of the text.
    pub text: Vec<f32>,
    /// The vectors of the spans, in the order of the spans.
    pub spans: Vec<Vec<f32>>,
}

/// Turns texts into dense vectors.
///
/// # Contract
///
/// - The result has one embedding per input, in input order, and one vector per span, in span order. Inputs may
///   repeat. With no inputs, the result is empty and the model is not called.
/// - Every vector has the fingerprint's dimension, finite values and unit length.
/// - The vectors of an input depend only on the input and the role, not on the content, order or size of the batch.
///   Floating-point differences stay below 1e-5 per value.
/// - Span vectors may be averaged from the token states of one pass over the whole text (late chunking, arXiv
///   2409.04701), or each span may be embedded separately. The fingerprint says which.
/// - An empty text has a vector too. Each implementation documents how it handles a text that exceeds the model's
///   limit. If it rejects the text, it returns [`ErrorKind::Limit`] or [`ErrorKind::Invalid`].
/// - A batch may have any size; the implementation splits it as its model requires.
///
/// # Errors
///
/// A span that is outside its text or not on character boundaries is [`ErrorKind::Invalid`]. A call either succeeds
/// for all inputs or fails as a whole.
///
/// # Cancellation
///
/// Dropping the future of [`embed`](Self::embed) cancels the call, except for work that a model has already started.
#[async_trait]
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Returns a fingerprint of the model and everything else the vectors depend on.
    fn fingerprint(&self) -> &Fingerprint;

    /// Embeds texts and their spans.
    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>>;
}

#[async_trait]
impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn fingerprint(&self) -> &Fingerprint {
        (**self).fingerprint()
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        (**self).embed(role, inputs).await
    }
}

/// Identifies everything the vectors of an embedder depend on. Vectors with different fingerprints are not
/// comparable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The model's name. For a model loaded from files, it includes a digest of them.
    pub model: String,
    /// The dimension of the vectors.
    pub dimension: usize,
    /// How token states are pooled and how the result is normalised.
    pub normalisation: String,
    /// The tokenizer, the window, and the prefixes added to texts.
    pub tokenizer: String,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, dimension, normalisation, tokenizer } = self;
        write!(f, "{model} ({dimension} dimensions, {normalisation}, {tokenizer})")
    }
}

/// Checks that all spans are inside their texts and on character boundaries.
pub(crate) fn check_spans(inputs: &[Input<'_>]) -> Result<()> {
    for input in inputs {
        if let Some(span) = input.spans.iter().find(|span| input.text.get((*span).clone()).is_none()) {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!("the span {span:?} is not within its text of {} bytes", input.text.len()),
            ));
        }
    }
    Ok(())
}

/// Scales a vector to unit length. Returns `false` if its norm is zero or not finite.
#[cfg(any(
    test,
    feature = "testing",
    feature = "fastembed",
    feature = "fastembed-download",
    feature = "http"
))]
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let norm = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !norm.is_finite() || norm < 1e-12 {
        return false;
    }
    for value in vector {
        #[expect(clippy::cast_possible_truncation, reason = "a number of a unit vector")]
        let scaled = (f64::from(*value) / norm) as f32;
        *value = scaled;
    }
    true
}
