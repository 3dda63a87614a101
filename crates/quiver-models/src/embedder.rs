use std::{fmt, ops::Range, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// What a text is to the search: many models embed questions and documents differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A question, or whatever else is searched with.
    Query,
    /// What is searched for.
    Document,
}

/// A text to embed, and the stretches of it that get vectors of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input<'a> {
    /// The text.
    pub text: &'a str,
    /// Byte ranges inside the text, its sentences for one. They may touch, overlap and be in any order.
    pub spans: &'a [Range<usize>],
}

impl<'a> Input<'a> {
    /// Makes an input without spans.
    pub fn new(text: &'a str) -> Self {
        Self { text, spans: &[] }
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

/// The vectors of one input, each of length one.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The vector of the text.
    pub text: Vec<f32>,
    /// The vectors of the spans, in their order.
    pub spans: Vec<Vec<f32>>,
}

/// Turns texts into dense vectors.
///
/// # Contract
///
/// - The answer has one embedding for each input, in the order of the inputs, and one vector for each span, in the
///   order of the spans. Equal inputs may repeat. No inputs give no embeddings, without a call to the model.
/// - Every vector has as many numbers as the fingerprint's dimension, all finite, and the length one.
/// - An input's vectors depend on the input and the role alone: not on what else is in the batch, its order or its
///   size. Differences of floating point arithmetic stay below 1e-5 in each number.
/// - Spans may be averaged from the token states of one pass over the whole text (late chunking, arXiv 2409.04701)
///   or embedded on their own; the fingerprint tells which.
/// - An empty text has a vector too. What becomes of a text longer than the model takes is up to the implementation,
///   and documented there; one that refuses it answers [`ErrorKind::Limit`] or [`ErrorKind::Invalid`].
/// - Batches may be of any size; the implementation divides them as its model likes.
///
/// # Errors
///
/// A span that is not inside its text, or not at character boundaries, is [`ErrorKind::Invalid`]. A call answers
/// for all its inputs or fails as a whole.
///
/// # Cancellation
///
/// Dropping the future of [`embed`](Self::embed) leaves nothing behind but work that a model has already begun.
#[async_trait]
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Names the model and all else that the vectors depend on.
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

/// What the vectors of an embedder depend on. Vectors of different fingerprints don't compare.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The model's name; for files also a digest of them.
    pub model: String,
    /// How many numbers each vector has.
    pub dimension: usize,
    /// How token states become vectors, and what is done to these.
    pub normalisation: String,
    /// The tokenizer, the window, and the prefixes that texts get.
    pub tokenizer: String,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, dimension, normalisation, tokenizer } = self;
        write!(f, "{model} ({dimension} dimensions, {normalisation}, {tokenizer})")
    }
}

/// Checks that all spans lie inside their texts at character boundaries.
pub(crate) fn check_spans(inputs: &[Input<'_>]) -> Result<()> {
    for input in inputs {
        if let Some(span) = input.spans.iter().find(|span| input.text.get((*span).clone()).is_none()) {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!("the span {span:?} is not a stretch of its text of {} bytes", input.text.len()),
            ));
        }
    }
    Ok(())
}

/// Scales a vector to the length one; `false` when it has no direction.
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
