//! Reads natural language: text in, spans out. No I/O, no graph, no model.
//!
//! This is the only crate that cuts or reads text, so that documents, turns, questions and answers are all read by
//! the same rules. [`token::Tokens`] and [`sentences`] cut a text; [`mentions`] finds names, dates and quantities,
//! [`time::times`] says which days are meant, [`clause::clauses`] reads plain English statements, and
//! [`term::each_term`] makes the terms that search compares.
//!
//! ```
//! use quiver_language::{MentionKind, mentions};
//!
//! let found = mentions("Ada Lovelace wrote to Charles Babbage on 5 June 1833.");
//! let found: Vec<_> = found.iter().map(|mention| (mention.kind, mention.name.as_str())).collect();
//! assert_eq!(
//!     found,
//!     [
//!         (MentionKind::Name, "Ada Lovelace"),
//!         (MentionKind::Name, "Charles Babbage"),
//!         (MentionKind::Date, "5 June 1833"),
//!     ]
//! );
//! ```
//!
//! What is known of a language is data: the files under `packs/`, read by [`pack`].

pub mod character;
pub mod pack;
pub mod token;
pub mod sentence;

pub mod title;
mod marked;
mod name;
pub mod value;
pub mod time;
mod keyphrase;
pub mod mention;
pub mod clause;

pub mod term;

pub use mention::{Mention, MentionKind, mentions};
pub use pack::{Class, Kind, Language};
pub use sentence::sentences;
