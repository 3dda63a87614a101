//! What a passage is about, what it mentions, and how the two belong together.

mod relation;
mod subject;

pub use quiver_language::{
    mention::{MENTIONS_MAX, Mention, MentionKind, mentions},
    sentences,
};

use crate::document::Chunk;
use async_trait::async_trait;
use quiver_language::{mention, token::Tokens};
use std::{borrow::Cow, error::Error as StdError, fmt::Debug};

/// Relations are read from this many sentences of a passage at most. What a passage has to say of its subject stands
/// at its beginning, and a bounded number keeps tables and lists from flooding the graph.
pub const SENTENCES_MAX: usize = 12;

/// What could be read out of one passage, and what went wrong on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// The names of what the passage is about, heaviest first.
    pub subjects: Vec<Subject>,
    /// What the passage mentions, in order of appearance.
    pub mentions: Vec<Mention>,
    /// What the sentences say of subjects and mentions.
    pub relations: Vec<Link>,
    /// What the passage says that things are, and other names of them.
    pub described: Vec<Described>,
    /// What could not be understood. An extraction with problems is still of use.
    pub problems: Vec<String>,
    /// Why this is not all that the extractor reads as a rule, where it is not.
    pub fallback: Option<Fallback>,
}

/// What a passage says that something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// Its name, as it stands in the title or the text.
    pub name: String,
    /// What sort of thing it is: `drug`. No part of its identity, so that all that has one name is one thing.
    pub kind: Option<String>,
    /// A few words on what it is.
    pub description: Option<String>,
    /// The name of the thing that this is another name of.
    pub same_as: Option<String>,
}

/// Why an extractor read less than it does as a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// Why.
    pub why: String,
    /// Whether another try would bring the same. Where it may bring more, the next ingest extracts from the passage
    /// again.
    pub is_final: bool,
}

/// A name of what a passage is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The name, as it stands in the title or the text.
    pub name: String,
    /// How surely it names the passage's subject, from 0 to 1.
    pub weight: f32,
}

/// A statement that joins two names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// What the statement is about.
    pub subject: String,
    /// The words that join the two; never empty.
    pub predicate: String,
    /// The other end.
    pub object: String,
    /// The sentence that says so, as an index into the chunk's sentences; none for a given triple.
    pub sentence: Option<u32>,
    /// When it began to hold, in milliseconds since 1970, where that is said.
    pub valid_from: Option<i64>,
    /// When it ceased to hold, in milliseconds since 1970, where that is said.
    pub valid_to: Option<i64>,
}

/// What an extractor returns when it can't work at all.
pub type ExtractError = Box<dyn StdError + Send + Sync>;

/// Reads subjects, mentions and relations out of passages.
///
/// The contract:
/// - The result has one extraction for each chunk, in the same order.
/// - Sentences and ranges refer to the chunk as it was given.
/// - A chunk that can't be understood yields what could be, with its problems; an error means that
///   nothing could be done, for example because a model can't be reached.
#[async_trait]
pub trait Extractor: Debug + Send + Sync {
    /// Names the extractor and all its settings that change results. Passages remember it, so that a
    /// store can tell what was extracted by something else.
    fn fingerprint(&self) -> String;

    /// Extracts from each of the chunks.
    ///
    /// # Errors
    /// When nothing could be extracted at all.
    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError>;
}

/// The built-in extractor: rules of writing, no model, the same result everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleExtractor;

#[async_trait]
impl Extractor for RuleExtractor {
    fn fingerprint(&self) -> String {
        "rules 2".to_owned()
    }

    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError> {
        Ok(chunks.iter().map(Self::extract_one).collect())
    }
}

impl RuleExtractor {
    /// Extracts from one chunk. The rules can't fail: a text they make nothing of yields nothing.
    pub fn extract_one(chunk: &Chunk) -> Extraction {
        let sentences = if chunk.sentences.is_empty() {
            Cow::Owned(sentences(&chunk.text))
        } else {
            Cow::Borrowed(chunk.sentences.as_slice())
        };
        let tokens = Tokens::of(&chunk.text);
        let title = chunk.title.as_deref();
        let mentions = mention::find(&tokens, &sentences, title);
        let subjects = subject::subjects(title, &tokens, &sentences, &mentions);
        let relations = relation::links(&tokens, &sentences, &subjects, &mentions);
        Extraction { subjects, mentions, relations, ..Extraction::default() }
    }
}

#[cfg(test)]
mod tests;
