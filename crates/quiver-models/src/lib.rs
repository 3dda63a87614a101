//! Embedders for Quiver: text goes in, vectors come out.
//!
//! This crate is Quiver's telephone: the only crate that calls models. It knows no graph and no store. What is
//! always there is [`Lexical`], a pure and deterministic analysis of text into weighted terms:
//!
//! ```
//! use quiver_models::Lexical;
//!
//! let lexical = Lexical::new();
//! let document = lexical.document_vector("Andrzej Żuławski directed Possession.");
//! let query = lexical.query_vector("who directs zulawski", |_term| 1.0);
//! let shared = query.iter().filter(|(term, _)| document.iter().any(|(other, _)| other == term)).count();
//! assert_eq!(shared, 2);
//! ```

mod error;
mod lexical;

pub use error::{Error, ErrorKind, Result};
pub use lexical::{Lexical, Term};
