//! What a text mentions: names, quotations, dates, quantities, and key phrases where the writing marks no names.

use std::{collections::HashSet, ops::Range};

use unicode_normalization::UnicodeNormalization;

use crate::{
    keyphrase,
    marked::{self, Mark},
    name::NameReader,
    sentence::sentences,
    title::bare_title,
    token::Tokens,
    value,
};

/// The most mentions taken from one text.
pub const MENTIONS_MAX: usize = 64;

/// Something that a text mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name, as it stands in the text: trimmed, white space folded, in composed form (NFC).
    pub name: String,
    /// What sort of mention it is.
    pub kind: MentionKind,
    /// The sentence it stands in, as an index into the text's sentences.
    pub sentence: u32,
    /// Where it stands in the text, in bytes.
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

/// Finds what a text without a title mentions, in order.
pub fn mentions(text: &str) -> Vec<Mention> {
    find(&Tokens::of(text), &sentences(text), None)
}

/// Finds what the sentences of a text with a title mention, in order, each name once a sentence.
pub fn find(tokens: &Tokens<'_>, sentences: &[Range<usize>], title: Option<&str>) -> Vec<Mention> {
    let names = NameReader::new(tokens, sentences, title);
    let mut used = vec![false; tokens.list.len()];
    let mut found: Vec<(MentionKind, Range<usize>)> = Vec::new();
    let mut naming = 0;
    for sentence in sentences {
        let within = tokens.within(sentence);
        let before = found.len();
        for mark in marked::marked(tokens.text, sentence) {
            used[tokens.within(&mark.outer)].fill(true);
            let kind = match mark.kind {
                Mark::Quotation => MentionKind::Quotation,
                Mark::Name => MentionKind::Name,
            };
            found.push((kind, mark.inner));
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
        let mut dates = value::dates(tokens, within.clone());
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
        for quantity in value::quantities(tokens, within, &used) {
            used[quantity.tokens].fill(true);
            found.push((MentionKind::Quantity, quantity.bytes));
        }
        naming += usize::from(names_found > 0);
    }
    // Where most sentences name nothing, the writing doesn't mark names, and recurring words have to do.
    if naming * 2 < sentences.len() {
        found.extend(
            keyphrase::keyphrases(tokens, sentences, &used)
                .into_iter()
                .map(|bytes| (MentionKind::Term, bytes)),
        );
    }
    found.sort_by_key(|(_, bytes)| (bytes.start, bytes.end));
    name_mentions(tokens.text, sentences, found)
}

/// Where a sentence has the title as it stands, if it has words that capitals alone would not hold together.
fn occurrences(text: &str, sentence: &Range<usize>, title: &str) -> Vec<Range<usize>> {
    let title = bare_title(title);
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

/// Brings a name into composed form (NFC), with white space folded.
pub fn fold(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_ascii() { name } else { name.nfc().collect() }
}

#[cfg(test)]
mod tests;
