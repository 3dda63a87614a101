//! Embedders and chat models for Quiver.
//!
//! This is the only crate that calls models. It does not depend on the graph or the store. Its principal type is
//! [`Encoder`], which gives every text a sparse vector and, if it has an [`Embedder`], a dense one:
//!
//! | type | feature | purpose |
//! | --- | --- | --- |
//! | [`Lexical`] | always available | weighted terms; needs no model and no download |
//! | `FastEmbedder` | `fastembed`, `fastembed-download` | a local ONNX embedding model |
//! | `CrossEncoder` | `fastembed`, `fastembed-download` | a local ONNX model that scores a text against a question |
//! | `HttpEmbedder` | `http` | an OpenAI-compatible endpoint |
//! | [`Cached`], [`Counting`] | always available | wrappers around any embedder |
//! | `testing::HashEmbedder`, `testing::conformance` | `testing` | an offline embedder, and a conformance suite |
//!
//! Chat models are in [`chat`], behind the trait [`ChatModel`](chat::ChatModel).
//!
//! ```
//! use quiver_models::{Encoder, Input};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let encoder = Encoder::lexical();
//! let documents = encoder.encode_documents(&[Input::new("Andrzej Żuławski directed Possession.")]).await?;
//! let queries = encoder.encode_queries(&["who directs zulawski"]).await?;
//! let shared = queries[0].terms.iter().filter(|(term, _)| documents[0].sparse.iter().any(|(other, _)| other == term));
//! assert_eq!(shared.count(), 2);
//! # Ok::<(), quiver_models::Error>(()) }).unwrap();
//! ```

mod encoder;
mod lexical;

mod embedder;

#[cfg(any(feature = "fastembed", feature = "fastembed-download"))]
mod fastembed;

#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod http;
#[cfg(any(feature = "fastembed", feature = "fastembed-download", feature = "http"))]
mod prefixes;

mod setting;
#[cfg(feature = "tokenizer")]
mod tokenizer;

pub mod chat;

mod cached;
mod counting;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

mod error;

#[cfg(test)]
mod tests;

#[cfg(any(feature = "fastembed", feature = "fastembed-download"))]
pub use self::fastembed::{CrossEncoder, CrossEncoderOptions, FastEmbedOptions, FastEmbedder};
pub use cached::Cached;
pub use counting::Counting;
pub use embedder::{Embedder, Embedding, Fingerprint, Input, Role};
pub use encoder::{Encoded, EncodedQuery, Encoder, EncoderFingerprint, SpanEncoded};
#[cfg(feature = "http")]
pub use endpoint::Key;
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "http")]
pub use http::{HttpEmbedder, HttpOptions};
pub use lexical::{Lexical, Term, TermCounts};
pub use setting::EncoderSetting;
#[cfg(feature = "tokenizer")]
pub use tokenizer::Tokenizer;
