//! What a passage is about, what it mentions, and how the two belong together.

use crate::document::Chunk;
use async_trait::async_trait;
use std::{error::Error as StdError, fmt::Debug, ops::Range};

/// What could be read out of one passage, and what went wrong on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// The names of what the passage is about, heaviest first.
    pub subjects: Vec<Subject>,
    /// What the passage mentions, in order of appearance.
    pub mentions: Vec<Mention>,
    /// What the sentences say of subjects and mentions.
    pub relations: Vec<Link>,
    /// What could not be understood. An extraction with problems is still of use.
    pub problems: Vec<String>,
}

/// A name of what a passage is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The name, as it stands in the title or the text.
    pub name: String,
    /// How surely it names the passage's subject, from 0 to 1.
    pub weight: f32,
}

/// Something that a passage mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name, as it stands in the text: trimmed, white space folded, in composed form (NFC).
    pub name: String,
    /// What sort of mention it is.
    pub kind: MentionKind,
    /// The sentence it stands in, as an index into the chunk's sentences.
    pub sentence: u32,
    /// Where it stands in the chunk's text, in bytes.
    pub range: Range<usize>,
}

/// What sort of mention it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MentionKind {
    /// A proper name or an identifier.
    Name,
    /// A title or phrase in quotation marks.
    Quotation,
    /// A year or a date.
    Date,
    /// A number with its unit.
    Quantity,
    /// A recurring or characteristic phrase, in text whose writing does not mark names.
    Term,
}

/// A statement that joins two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What the statement is about.
    pub subject: String,
    /// The words that join the two; never empty.
    pub predicate: String,
    /// The other end.
    pub object: String,
    /// The sentence that says so, as an index into the chunk's sentences; none for a given triple.
    pub sentence: Option<u32>,
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
