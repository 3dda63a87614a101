//! Natural-language analysis: text in, spans out. No I/O, no graph, no model.
//!
//! Documents, turns, questions and answers are read by the same rules. [`read`] splits a text into tokens and sentences;
//! [`Text::mentions`] finds names, dates and quantities in it; [`Text::times`] finds time expressions.
//! [`term::each_term`] produces the search terms, which follow other rules, since an index stores them. [`detect`]
//! decides which language a passage or a question is in, and [`term::each_stem`] adds its word stems.
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
//! Language-specific knowledge is data: the files under `packs/`, loaded by [`pack`].

pub mod character;
pub mod pack;
pub mod detect;
pub mod number;
pub mod token;
pub mod sentence;
pub mod text;

pub mod title;
mod marked;
mod name;
pub mod naming;
mod value;
pub mod time;
mod keyphrase;
pub mod mention;
mod lexicon;
pub mod question;
pub mod shorthand;
pub mod degree;
pub mod opposite;
pub mod dimension;
pub mod measure;
pub mod amount;
pub mod definition;
pub mod description;
pub mod heading;
pub mod role;
pub mod designator;
pub mod country;
pub mod state;
pub mod asking;
pub mod talk;
pub mod statement;
pub mod life;
pub mod relation;
pub mod predicate;
pub mod answering;
pub mod asked_type;
pub mod date_role;
pub mod cause;
pub mod change;
pub mod recall;
pub mod request;
pub mod reference;

pub mod term;
pub mod word;

pub use mention::{Mention, MentionKind, mentions};
pub use pack::{Class, Kind, Language};
pub use sentence::sentences;
pub use text::{Text, read};
