//! Prompts for language models, and the parsing and checking of their replies.
//!
//! Unstable: these functions and types may change in any version. They are public so that prompts can be read and
//! tried.
//!
//! Each job has a pure function that creates a request and one that reads the reply. Nothing in this module calls a
//! model.
//!
//! - **Evidence is data.** Passages are enclosed in delimiters and escaped, so that they can't contain a delimiter.
//!   The instructions tell the model not to follow anything in them.
//! - **Replies are checked.** Names must occur in their passage, labels must be among those given, a sentence must be
//!   supported by a passage it cites, and a fact must be stated by the clause of the turn that it quotes. Everything else
//!   is dropped and listed.

mod answer;
mod contextualise;
mod evidence;
mod extract;
mod facts;
mod grounds;
mod marks;
mod parts;
mod query;
mod rerank;
mod support;

#[cfg(test)]
mod tests;

pub use answer::{AnswerReader, Answered, Dropped, answer_request, read_answer};
pub use contextualise::{PromptTurn, Rewritten, contextualise_request, read_contextualised};
pub use evidence::PromptPassage;
pub use extract::{
    Extracted, ExtractedEntity, ExtractedPassage, ExtractedRelation, ExtractionSchema, extract_request,
    read_extraction,
};
pub use facts::{ReadFacts, facts_request, read_facts};
pub use query::{FailedQuery, WrittenQuery, query_request, read_query};
pub use rerank::{Reranked, read_rerank, rerank_request};
pub use support::Unsupported;

/// The version of the prompts and of the reply parsing. Results of different versions may differ.
pub const PROMPTS: &str = "prompts 1";
