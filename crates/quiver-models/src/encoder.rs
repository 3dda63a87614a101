use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Embedder, Error, ErrorKind, Fingerprint, Input, Lexical, Result, Role, embedder::check_spans};

/// Turns text into the vectors of a point: always a sparse vector, and a dense one if there is an embedder.
#[derive(Clone, Debug)]
pub struct Encoder {
    lexical: Lexical,
    dense: Option<Arc<dyn Embedder>>,
}

/// Identifies everything the vectors of an encoder depend on. A store saves it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EncoderFingerprint {
    /// The fingerprint of the lexical analysis, which produces the sparse vectors.
    pub lexical: String,
    /// The fingerprint of the embedder, which produces the dense vectors, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dense: Option<Fingerprint>,
}

/// The vectors of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// Term weights, sorted by term.
    pub sparse: Vec<(u32, f32)>,
    /// The dense vector, of unit length; `None` without an embedder.
    pub dense: Option<Vec<f32>>,
    /// The vectors of the spans, in the order of the spans.
    pub spans: Vec<SpanEncoded>,
}

/// The vectors of a span of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanEncoded {
    /// Term weights, sorted by term, computed as if the span were a document.
    pub sparse: Vec<(u32, f32)>,
    /// The dense vector, of unit length; `None` without an embedder.
    pub dense: Option<Vec<f32>>,
}

/// The vectors of a query, before the IDF of its terms is known.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedQuery {
    /// The content terms of the query, sorted, each weighted by its frequency in the query.
    pub terms: Vec<(u32, f32)>,
    /// The dense vector, of unit length; `None` without an embedder.
    pub dense: Option<Vec<f32>>,
}

impl EncodedQuery {
    /// Multiplies each term weight by the term's IDF and drops terms whose result is not positive.
    pub fn sparse(&self, idf: impl Fn(u32) -> f32) -> Vec<(u32, f32)> {
        self.terms
            .iter()
            .map(|(term, weight)| (*term, weight * idf(*term)))
            .filter(|(_, weight)| *weight > 0.0)
            .collect()
    }
}

impl Encoder {
    /// Creates an encoder that produces only sparse vectors. It needs no model, download or network.
    pub fn lexical() -> Self {
        Self { lexical: Lexical::new(), dense: None }
    }

    /// Creates an encoder that produces sparse and dense vectors.
    pub fn with_embedder(embedder: Arc<dyn Embedder>) -> Self {
        Self { lexical: Lexical::new(), dense: Some(embedder) }
    }

    /// Returns the lexical analysis, which produces the sparse vectors.
    pub fn analysis(&self) -> &Lexical {
        &self.lexical
    }

    /// Returns the embedder, which produces the dense vectors.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.dense.as_ref()
    }

    /// Returns a fingerprint of everything the vectors depend on.
    pub fn fingerprint(&self) -> EncoderFingerprint {
        let dense = self.dense.as_ref().map(|embedder| embedder.fingerprint().clone());
        EncoderFingerprint { lexical: self.lexical.fingerprint(), dense }
    }

    /// Returns the dimension of the dense vectors; `None` without an embedder.
    pub fn dimension(&self) -> Option<usize> {
        self.dense.as_ref().map(|embedder| embedder.fingerprint().dimension)
    }

    /// Encodes documents and their spans, in order, with one call to the embedder.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if a span is outside its text or the embedder returns the wrong number of
    /// vectors, and passes on the errors of the embedder.
    pub async fn encode_documents(&self, inputs: &[Input<'_>]) -> Result<Vec<Encoded>> {
        check_spans(inputs)?;
        let mut encoded: Vec<Encoded> = inputs.iter().map(|input| self.encode_lexically(input)).collect();
        if let Some(embedder) = &self.dense {
            let embeddings = embedder.embed(Role::Document, inputs).await?;
            check_count(&**embedder, inputs.len(), embeddings.len())?;
            for (encoded, embedding) in encoded.iter_mut().zip(embeddings) {
                check_count(&**embedder, encoded.spans.len(), embedding.spans.len())?;
                encoded.dense = Some(embedding.text);
                for (span, dense) in encoded.spans.iter_mut().zip(embedding.spans) {
                    span.dense = Some(dense);
                }
            }
        }
        Ok(encoded)
    }

    /// Encodes queries, in order, with one call to the embedder.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if the embedder returns the wrong number of vectors, and passes on the errors
    /// of the embedder. [`encode_queries_lexically`](Self::encode_queries_lexically) never fails.
    pub async fn encode_queries(&self, texts: &[&str]) -> Result<Vec<EncodedQuery>> {
        let mut encoded = self.encode_queries_lexically(texts);
        if let Some(embedder) = &self.dense {
            let inputs: Vec<Input<'_>> = texts.iter().copied().map(Input::new).collect();
            let embeddings = embedder.embed(Role::Query, &inputs).await?;
            check_count(&**embedder, texts.len(), embeddings.len())?;
            for (query, embedding) in encoded.iter_mut().zip(embeddings) {
                query.dense = Some(embedding.text);
            }
        }
        Ok(encoded)
    }

    /// Encodes queries without the embedder. Use it as a fallback when the embedder fails.
    pub fn encode_queries_lexically(&self, texts: &[&str]) -> Vec<EncodedQuery> {
        let encode =
            |text: &&str| EncodedQuery { terms: self.lexical.query_vector(text, |_| 1.0), dense: None };
        texts.iter().map(encode).collect()
    }

    fn encode_lexically(&self, input: &Input<'_>) -> Encoded {
        let spans = input.spans.iter().map(|span| SpanEncoded {
            sparse: self.lexical.document_vector(&input.text[span.clone()]),
            dense: None,
        });
        Encoded { sparse: self.lexical.document_vector(input.text), dense: None, spans: spans.collect() }
    }
}

impl fmt::Display for EncoderFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lexical)?;
        match &self.dense {
            Some(dense) => write!(f, " with {dense}"),
            None => f.write_str(" without an embedder"),
        }
    }
}

/// Checks the number of vectors. With a wrong number, texts would silently get each other's vectors.
fn check_count(embedder: &dyn Embedder, asked: usize, given: usize) -> Result<()> {
    if asked == given {
        return Ok(());
    }
    let model = &embedder.fingerprint().model;
    Err(Error::new(ErrorKind::Invalid, format!("{model} returned {given} vectors for {asked} texts")))
}
