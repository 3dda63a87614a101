//! Embedders and chat models for Quiver: text goes in, vectors or words come out.
//!
//! This crate is Quiver's telephone: the only crate that calls models. It knows no graph and no store. The principal
//! type is [`Encoder`], which gives every text a sparse vector and, with an [`Embedder`], a dense one:
//!
//! | part | feature | for |
//! | --- | --- | --- |
//! | [`Lexical`] | always there | weighted terms: no model, no download, the same everywhere |
//! | `FastEmbedder` | `fastembed`, `fastembed-download` | a local ONNX model |
//! | `CrossEncoder` | `fastembed`, `fastembed-download` | a local ONNX model that scores a text against a question |
//! | `HttpEmbedder` | `http` | an OpenAI-compatible endpoint |
//! | [`Cached`], [`Counting`] | always there | wrappers of any embedder |
//! | `testing::HashEmbedder`, `testing::conformance` | `testing` | dense vectors offline; the contract as a suite |
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
