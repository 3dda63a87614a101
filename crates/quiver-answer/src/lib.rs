//! Answers from passages without a language model: possible answers to a question, with what supports each and what
//! speaks against it.
//!
//! `form` parses the question, `reading` matches every piece of every passage against it, `candidate` collects
//! candidates with their features, and learned weights pick one and estimate its confidence ([`AnswerWeights`]).
//! `stated`, `described` and `derived` find answers that the passages state in so many words or yield together, `pair`
//! computes the answers to questions that compare two things, and `objection` says why a likely text is no answer.
//! Everything is a pure function. The principal function is [`choose`].
//!
//! ```
//! use quiver_answer::{AnswerWeights, Source, WordWeights, choose};
//! use quiver_models::Lexical;
//!
//! /// Weighs all words alike. The engine weighs them by rarity.
//! struct Alike;
//!
//! impl WordWeights for Alike {
//!     fn weight(&self, _stem: u32) -> f32 {
//!         1.0
//!     }
//!     fn is_unknown(&self, _stem: u32) -> bool {
//!         false
//!     }
//! }
//!
//! let text = "The gateway listens on port 8443. It was written by Ada Byron.";
//! let metadata = serde_json::Map::new();
//! let source = Source { title: Some("Gateway"), text, score: 1.0, steps: 0, metadata: &metadata, said_by: None };
//! let question = "Which port does the gateway listen on?";
//! let choice = choose(&Lexical::new(), question, &Alike, &[source], AnswerWeights::learned());
//! assert!(choice.options[0].text.contains("8443"));
//! assert_eq!(choice.options[0].objection, None);
//! ```

mod form;
mod format;
mod lexicon;
mod word;

mod unit;
mod capital;
mod reading;
mod rival;
mod turn;

mod candidate;
mod cue;
mod sign;
mod model;

mod stated;
mod equation;
mod described;
mod derived;
mod nested;
mod pair;

mod objection;
mod choose;
mod excerpt;

pub use choose::{
    AnswerOption, Choice, Observed, ObservedCandidate, Spot, choose, observe, stated_or_derived,
};
pub use excerpt::{Excerpt, excerpt};
pub use format::has_format;
pub use model::{AnswerForm, AnswerWeights};
pub use objection::Objection;
pub use reading::{SaidBy, Source, WordWeights};
