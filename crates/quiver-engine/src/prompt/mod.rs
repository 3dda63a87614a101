//! What a language model is asked, and what its replies are worth.
//!
//! Pure functions from values to values: each job has one that makes a request and one that reads the reply. Nothing
//! here calls a model.
//!
//! - **Evidence is data.** Passages stand between marks that they can't contain, since what could be one is escaped;
//!   the instructions say that nothing in them is to be followed.
//! - **Replies are read, not believed.** Names have to stand in their passage, labels have to be those that were given,
//!   and a sentence has to be supported by a passage that it cites. What is not is dropped and listed.

mod answer;
mod contextualise;
mod evidence;
mod extract;
mod grounds;
mod marks;
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
pub use rerank::{Reranked, read_rerank, rerank_request};
pub use support::Unsupported;

/// Names the prompts and the reading of replies: what was made with others may differ.
pub const PROMPTS: &str = "prompts 1";
