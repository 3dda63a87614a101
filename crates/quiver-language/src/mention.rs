//! Finds the mentions in a text: names, quotations, dates, quantities, and key phrases if the writing does
//! not mark names.

use std::{collections::HashSet, ops::Range};

use unicode_normalization::UnicodeNormalization;

use crate::{
    keyphrase,
    marked::{self, Mark},
    name::NameReader,
    text::{Text, collapse_spaces, is_whole, read},
    title::bare_title,
    value,
};

/// Maximum number of mentions per text.
pub const MENTIONS_MAX: usize = 64;

/// A mention in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name as it occurs in the text, trimmed, with white space collapsed, in Unicode NFC.
    pub name: String,
    /// The kind of mention.
    pub kind: MentionKind,
    /// The sentence, as an index into the text's sentences.
    pub sentence: u32,
    /// The position in the text, in bytes.
    pub range: Range<usize>,
}

/// The kind of a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MentionKind {
    /// A proper name or an identifier.
    Name,
    /// A quoted title or phrase.
    Quotation,
    /// A year or a date.
    Date,
    /// A number with its unit.
    Quantity,
    /// A recurring or characteristic phrase, in text whose writing does not mark names.
    Term,
}

/// Finds the mentions of a text without a title, in order.
pub fn mentions(text: &str) -> Vec<Mention> {
    read(text).mentions(None)
}

impl Text<'_> {
    /// Finds the mentions of the text, in order, with those of its title in it. A name is returned once per sentence.
    pub fn mentions(&self, title: Option<&str>) -> Vec<Mention> {
        let sentences = self.sentences();
        let names = NameReader::new(self, title);
        let mut used = vec![false; self.tokens.len()];
        let mut found: Vec<(MentionKind, Range<usize>)> = Vec::new();
        let mut naming = 0;
        for sentence in sentences {
            let within = self.within(sentence);
            let before = found.len();
            for mark in marked::marked(self.source, sentence) {
                used[self.within(&mark.outer)].fill(true);
                let kind = match mark.kind {
                    Mark::Quotation => MentionKind::Quotation,
                    Mark::Name => MentionKind::Name,
                };
                found.push((kind, mark.inner));
            }
            for bytes in title.map(|title| occurrences(self.source, sentence, title)).unwrap_or_default() {
                let title = self.within(&bytes);
                let whole = self.tokens[title.clone()].last().is_some_and(|last| last.range.end <= bytes.end);
                if whole && !used[title.clone()].contains(&true) {
                    used[title].fill(true);
                    found.push((MentionKind::Name, bytes));
                }
            }
            let mut names_found = found.len() - before;
            let mut dates = value::dates(self, within.clone());
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
            for quantity in value::quantities(self, within, &used) {
                used[quantity.tokens].fill(true);
                found.push((MentionKind::Quantity, quantity.bytes));
            }
            naming += usize::from(names_found > 0);
        }
        // If most sentences contain no name, the writing does not mark names, so fall back to key phrases.
        if naming * 2 < sentences.len() {
            found.extend(
                keyphrase::keyphrases(self, &used).into_iter().map(|bytes| (MentionKind::Term, bytes)),
            );
        }
        found.sort_by_key(|(_, bytes)| (bytes.start, bytes.end));
        name_mentions(self.source, sentences, found)
    }
}

/// Returns the occurrences of the title in a sentence if the title contains lower-case words, which name recognition
/// would not keep together.
fn occurrences(text: &str, sentence: &Range<usize>, title: &str) -> Vec<Range<usize>> {
    let title = bare_title(title);
    if title.split_whitespace().all(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric())) {
        return Vec::new();
    }
    let places = text[sentence.clone()].match_indices(title);
    let ranges = places.map(|(at, _)| sentence.start + at..sentence.start + at + title.len());
    ranges.filter(|range| title.contains(char::is_alphanumeric) && is_whole(text, range)).collect()
}

/// Adds names and sentences to the ranges found, and removes repetitions within a sentence.
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

/// Normalises a name: Unicode NFC, white space collapsed.
pub fn fold(name: &str) -> String {
    let name = collapse_spaces(name);
    if name.is_ascii() { name } else { name.nfc().collect() }
}

#[cfg(test)]
mod tests;
