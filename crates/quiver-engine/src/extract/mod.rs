//! What a passage is about, what it mentions, and how the two belong together.

mod marked;
mod name;
mod number;
mod relation;
mod subject;
mod term;
mod token;
pub(crate) mod words;

pub use crate::chunk::sentences;
pub(crate) use subject::bare_title;

use crate::document::Chunk;
use async_trait::async_trait;
use name::NameReader;
use std::{borrow::Cow, collections::HashSet, error::Error as StdError, fmt::Debug, ops::Range};
use token::Tokens;
use unicode_normalization::UnicodeNormalization;

/// Relations are read from this many sentences of a passage at most. What a passage has to say of its subject stands
/// at its beginning, and a bounded number keeps tables and lists from flooding the graph.
pub const SENTENCES_MAX: usize = 12;

/// The most mentions taken from one passage.
pub const MENTIONS_MAX: usize = 64;

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
        let mentions = find_mentions(&tokens, &sentences, title);
        let subjects = subject::subjects(title, &tokens, &sentences, &mentions);
        let relations = relation::links(&tokens, &sentences, &subjects, &mentions);
        Extraction { subjects, mentions, relations, ..Extraction::default() }
    }
}

/// Finds what a text mentions, in order: what the built-in extractor would find in a passage without a title.
pub fn mentions(text: &str) -> Vec<Mention> {
    find_mentions(&Tokens::of(text), &sentences(text), None)
}

/// Finds what the sentences mention, in order, each name once a sentence.
fn find_mentions(tokens: &Tokens<'_>, sentences: &[Range<usize>], title: Option<&str>) -> Vec<Mention> {
    let names = NameReader::new(tokens, sentences, title);
    let mut used = vec![false; tokens.list.len()];
    let mut found: Vec<(MentionKind, Range<usize>)> = Vec::new();
    let mut naming = 0;
    for sentence in sentences {
        let within = tokens.within(sentence);
        let before = found.len();
        for mark in marked::marked(tokens.text, sentence) {
            used[tokens.within(&mark.outer)].fill(true);
            found.push((mark.kind, mark.inner));
        }
        for bytes in title.map(|title| occurrences(tokens.text, sentence, title)).unwrap_or_default() {
            let title = tokens.within(&bytes);
            let whole = tokens.list[title.clone()].last().is_some_and(|last| last.range.end <= bytes.end);
            if whole && !used[title.clone()].contains(&true) {
                used[title].fill(true);
                found.push((MentionKind::Name, bytes));
            }
        }
        let mut names_found = found.len() - before;
        let mut dates = number::dates(tokens, within.clone());
        dates.retain(|date| !used[date.tokens.start]);
        for date in dates {
            used[date.tokens].fill(true);
            found.push((MentionKind::Date, date.bytes));
        }
        for name in names.names(within.clone(), &used) {
            used[name.tokens].fill(true);
            found.push((MentionKind::Name, name.bytes));
            names_found += 1;
        }
        for quantity in number::quantities(tokens, within, &used) {
            used[quantity.tokens].fill(true);
            found.push((MentionKind::Quantity, quantity.bytes));
        }
        naming += usize::from(names_found > 0);
    }
    // Where most sentences name nothing, the writing doesn't mark names, and recurring words have to do.
    if naming * 2 < sentences.len() {
        found.extend(
            term::terms(tokens, sentences, &used).into_iter().map(|bytes| (MentionKind::Term, bytes)),
        );
    }
    found.sort_by_key(|(_, bytes)| (bytes.start, bytes.end));
    name_mentions(tokens.text, sentences, found)
}

/// Where a sentence has the title as it stands, if it has words that capitals alone would not hold together.
fn occurrences(text: &str, sentence: &Range<usize>, title: &str) -> Vec<Range<usize>> {
    let title = subject::bare_title(title);
    if title.split_whitespace().all(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric())) {
        return Vec::new();
    }
    let places =
        text[sentence.clone()].match_indices(title).filter(|(_, name)| name.contains(char::is_alphanumeric));
    let ranges = places.map(|(at, name)| sentence.start + at..sentence.start + at + name.len());
    let parted = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    ranges
        .filter(|bytes| {
            parted(text[..bytes.start].chars().next_back()) && parted(text[bytes.end..].chars().next())
        })
        .collect()
}

/// Gives the places found their names and sentences, and drops what a sentence mentions twice.
fn name_mentions(
    text: &str,
    sentences: &[Range<usize>],
    found: Vec<(MentionKind, Range<usize>)>,
) -> Vec<Mention> {
    let mut mentions = Vec::with_capacity(found.len());
    let mut seen = HashSet::new();
    for (kind, range) in found {
        let name = fold(
            text[range.clone()].trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')),
        );
        let sentence = sentences.partition_point(|sentence| sentence.end <= range.start);
        let sentence = u32::try_from(sentence).unwrap_or(u32::MAX);
        if name.contains(char::is_alphanumeric) && seen.insert((sentence, name.clone())) {
            mentions.push(Mention { name, kind, sentence, range });
        }
    }
    mentions.truncate(MENTIONS_MAX);
    mentions
}

/// Brings a name into composed form, with white space folded.
fn fold(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_ascii() { name } else { name.nfc().collect() }
}

#[cfg(test)]
mod tests;
