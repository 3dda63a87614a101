//! Extracts the subjects of a passage, its mentions, and the relations between them.

mod code;
mod relation;
mod subject;

pub(crate) use self::subject::without_accents;
pub use quiver_language::mention::{Mention, MentionKind, mentions};
pub(crate) use quiver_language::{mention::MENTIONS_MAX, sentences};

use async_trait::async_trait;
use quiver_documents::{Chunk, Format, label::cells};
use quiver_language::read;
use std::{borrow::Cow, error::Error as StdError, fmt::Debug, ops::Range};

/// Maximum number of sentences per passage that relations are extracted from. A passage usually describes its subject
/// at the start, and the limit keeps tables and lists from flooding the graph.
pub(crate) const SENTENCES_MAX: usize = 12;

/// The result of extracting from one passage, and the problems that occurred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// The names of the passage's subject, in descending order of weight.
    pub subjects: Vec<Subject>,
    /// The mentions of the passage, in order of appearance.
    pub mentions: Vec<Mention>,
    /// The relations between subjects and mentions.
    pub relations: Vec<Link>,
    /// Descriptions and aliases of the entities in the passage.
    pub described: Vec<Described>,
    /// The parts that could not be understood. An extraction with problems is still usable.
    pub problems: Vec<String>,
    /// Why the extraction is less than the extractor's usual result, if it is.
    pub fallback: Option<Fallback>,
}

/// A description of an entity in a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// The name, as it occurs in the title or the text.
    pub name: String,
    /// The kind of entity, such as `drug`. It is not part of the identity: entities with the same name are the same
    /// entity.
    pub kind: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// The name of the entity that this name is an alias of.
    pub same_as: Option<String>,
}

/// Why an extractor returned less than its usual result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The reason.
    pub why: String,
    /// Whether another attempt would give the same result. If not, the next ingest extracts from the passage again.
    pub is_final: bool,
}

/// A name of the passage's subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The name, as it occurs in the title or the text.
    pub name: String,
    /// How certainly the name refers to the passage's subject, from 0 to 1.
    pub weight: f32,
}

/// A relation between two names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The subject.
    pub subject: String,
    /// The words that connect subject and object; never empty.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// The sentence that states the relation, as an index into the chunk's sentences; `None` for a supplied triple.
    pub sentence: Option<u32>,
    /// The start of the relation's validity in milliseconds since 1970, if given.
    pub valid_from: Option<i64>,
    /// The end of the relation's validity in milliseconds since 1970, if given.
    pub valid_to: Option<i64>,
}

/// The error of an extractor that could extract nothing at all.
pub type ExtractError = Box<dyn StdError + Send + Sync>;

/// Extracts subjects, mentions and relations from passages.
///
/// The contract:
/// - The result has one extraction per chunk, in the same order.
/// - Sentence indexes and ranges refer to the chunk as given.
/// - A chunk that is only partly understood yields a partial extraction with its problems. An error means that
///   nothing could be extracted, for example because a model can't be reached.
#[async_trait]
pub trait Extractor: Debug + Send + Sync {
    /// Returns a fingerprint of the extractor and all settings that affect its results. Passages store it, so that
    /// the engine can tell which of them another extractor has processed.
    fn fingerprint(&self) -> String;

    /// Extracts from each of the chunks.
    ///
    /// # Errors
    /// Returns an error if nothing could be extracted at all.
    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError>;
}

/// The built-in rule-based extractor. It needs no model and is deterministic.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleExtractor;

#[async_trait]
impl Extractor for RuleExtractor {
    fn fingerprint(&self) -> String {
        "rules 5".to_owned()
    }

    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError> {
        Ok(chunks.iter().map(Self::extract_one).collect())
    }
}

impl RuleExtractor {
    /// Extracts from one chunk. The rules never fail; if they don't apply, the extraction is empty.
    pub fn extract_one(chunk: &Chunk) -> Extraction {
        let sentences = if chunk.sentences.is_empty() {
            Cow::Owned(sentences(&chunk.text))
        } else {
            Cow::Borrowed(chunk.sentences.as_slice())
        };
        if chunk.format == Format::Code {
            return code::extract(chunk, &sentences);
        }
        let text = read(&chunk.text).with_sentences(&sentences);
        let title = chunk.title.as_deref();
        let mut mentions = text.mentions(title);
        let columns = columns(&chunk.text);
        mentions.retain(|mention| !columns.iter().any(|column| column.contains(&mention.range.start)));
        let subjects = subject::subjects(title, &text, &mentions);
        let relations = relation::links(&text, &subjects, &mentions);
        Extraction { subjects, mentions, relations, ..Extraction::default() }
    }
}

/// Returns where the names of columns stand in the rows of tables: they name no entities.
fn columns(text: &str) -> Vec<Range<usize>> {
    let mut columns = Vec::new();
    let mut start = 0;
    for paragraph in text.split("\n\n") {
        let names = cells(paragraph.trim_end()).unwrap_or_default().into_iter().map(|(name, _)| name);
        columns.extend(names.map(|name| {
            let at = start + (name.as_ptr().addr() - paragraph.as_ptr().addr());
            at..at + name.len()
        }));
        start += paragraph.len() + 2;
    }
    columns
}

#[cfg(test)]
mod tests;
