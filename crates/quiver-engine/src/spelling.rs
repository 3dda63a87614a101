//! Spelling correction: replaces question words that occur in no passage with words at edit distance one that do.
//!
//! The index knows only term hashes, so candidate edits are generated and looked up. The work is bounded: a few
//! words, a few hundred edits each, and only for words that occur nowhere as written.

use std::{collections::BTreeMap, ops::Range};

use quiver_graph::Statistics;
use quiver_models::{Lexical, Term};

use crate::analysis::whole_terms;

/// Shorter words have too many neighbours.
const LETTERS_MIN: usize = 5;
/// From this length on, a single correction of a word without a capital is certain.
const SURE_LETTERS_MIN: usize = 7;
/// Longer words are likely data.
const LETTERS_MAX: usize = 24;
/// Minimum length at which a letter may be replaced: shorter words turn into other words, as "broker" into "broken".
const REPLACED_LETTERS_MIN: usize = 8;
/// Minimum length at which a letter may be inserted or deleted.
const INSERTED_LETTERS_MIN: usize = 6;
/// Maximum length of a suffix that makes another form of a word.
const ENDING_MAX: usize = 3;
/// Suffixes that derive a word from another one, longest first.
const DERIVING: [&str; 12] =
    ["ation", "ment", "ness", "able", "less", "ing", "ion", "ful", "er", "or", "ly", "al"];
/// Maximum number of words corrected per question.
const WORDS_MAX: usize = 4;

/// A correction of a word that occurs in no passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    /// Byte range of the misspelt word in the question.
    pub(crate) range: Range<usize>,
    /// The word to search for instead.
    pub(crate) word: String,
    /// Whether the correction is certain: swapped letters, a doubled or undoubled letter, or a long word without a
    /// capital that has a single neighbour. An uncertain correction is searched for, but the word still counts as
    /// unknown.
    pub(crate) is_sure: bool,
}

/// Returns the corrections of question words that occur in no passage.
pub(crate) fn corrections(lexical: &Lexical, statistics: &Statistics, text: &str) -> Vec<Correction> {
    let terms = lexical.terms(text);
    let is_whole = |term: &&Term| {
        let within = |other: &&Term| term.start <= other.start && other.end <= term.end;
        terms.iter().filter(within).count() == 1
    };
    whole_terms(&terms)
        .filter(is_whole)
        .filter(|term| !term.is_stop && statistics.passages_with_term(term.hash) == 0)
        .filter(|term| is_correctable(&text[term.start..term.end]))
        .take(WORDS_MAX)
        .filter_map(|term| correct(lexical, statistics, text, term))
        .collect()
}

/// Applies the corrections to the question.
pub(crate) fn corrected(text: &str, corrections: &[Correction]) -> String {
    let (mut corrected, mut at) = (String::with_capacity(text.len()), 0);
    for Correction { range, word, .. } in corrections {
        corrected.push_str(&text[at..range.start]);
        corrected.push_str(word);
        at = range.end;
    }
    corrected.push_str(&text[at..]);
    corrected
}

/// Whether a word has only ASCII letters, a suitable length, and no capital after the first letter.
fn is_correctable(word: &str) -> bool {
    (LETTERS_MIN..=LETTERS_MAX).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

fn correct(lexical: &Lexical, statistics: &Statistics, text: &str, term: &Term) -> Option<Correction> {
    let written = &text[term.start..term.end];
    let word = written.to_ascii_lowercase().into_bytes();
    // A stem of the word is another form of it, not a correction: "taller" is not a misspelling of "tall".
    let forms: Vec<u32> = (1..=ENDING_MAX)
        .filter_map(|ending| written.get(..written.len().checked_sub(ending)?))
        .flat_map(|form| lexical.terms(form))
        .map(|term| term.hash)
        .collect();
    if is_derived(lexical, statistics, written) {
        return None;
    }
    let found = |edits: Vec<Vec<u8>>| {
        // Keyed by term, so that forms of one word count once; the first edit of each is kept.
        let mut found: BTreeMap<u32, (u32, String)> = BTreeMap::new();
        for edit in edits {
            let edit = String::from_utf8(edit).unwrap_or_default();
            let [term] = lexical.terms(&edit)[..] else { continue };
            let passages = statistics.passages_with_term(term.hash);
            if passages > 0 && !term.is_stop && !forms.contains(&term.hash) {
                found.entry(term.hash).or_insert((passages, edit));
            }
        }
        found
    };
    let swapped = found(swaps_and_doubles(&word));
    let (word, is_sure) = if swapped.is_empty() {
        let others = found(other_edits(&word));
        let is_sure =
            !written.starts_with(|c: char| c.is_ascii_uppercase()) && word.len() >= SURE_LETTERS_MIN;
        let is_alone = others.len() == 1;
        (others.into_values().next().filter(|_| is_alone)?.1, is_sure)
    } else {
        let most = swapped.into_values().max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        (most?.1, true)
    };
    let word = match written.as_bytes()[0] {
        first if first.is_ascii_uppercase() => word[..1].to_ascii_uppercase() + &word[1..],
        _ => word,
    };
    Some(Correction { range: term.start..term.end, word, is_sure })
}

/// Whether passages contain the word that this one is derived from: a "maker" is someone who makes, not a misspelled
/// "marker".
fn is_derived(lexical: &Lexical, statistics: &Statistics, written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    let Some(base) = DERIVING.iter().find_map(|suffix| lower.strip_suffix(suffix)) else { return false };
    // "make" for "maker", "run" for "runner".
    let undoubled = base.char_indices().next_back().map(|(at, _)| &base[..at]);
    let undoubled = undoubled.filter(|short| short.chars().next_back() == base.chars().next_back());
    let bases = [Some(base.to_owned()), Some(format!("{base}e")), undoubled.map(str::to_owned)];
    bases
        .into_iter()
        .flatten()
        .filter(|base| base.len() >= 3)
        .any(|base| lexical.terms(&base).iter().any(|term| statistics.passages_with_term(term.hash) > 0))
}

/// Returns the edits that swap two adjacent letters, double a letter or undouble one.
fn swaps_and_doubles(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = Vec::new();
    for at in 0..word.len() {
        let mut doubled = word.to_vec();
        doubled.insert(at, word[at]);
        edits.push(doubled);
        if at + 1 < word.len() {
            let mut edit = word.to_vec();
            if word[at] == word[at + 1] {
                edit.remove(at);
            } else {
                edit.swap(at, at + 1);
            }
            edits.push(edit);
        }
    }
    edits
}

/// Returns the edits that delete, insert or replace a letter after the first, except those that would turn a short word
/// into another.
fn other_edits(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = Vec::new();
    if word.len() < INSERTED_LETTERS_MIN {
        return edits;
    }
    for at in 1..=word.len() {
        if at < word.len() {
            let mut left_out = word.to_vec();
            left_out.remove(at);
            edits.push(left_out);
        }
        for letter in b'a'..=b'z' {
            let mut put_in = word.to_vec();
            put_in.insert(at, letter);
            edits.push(put_in);
            if word.len() >= REPLACED_LETTERS_MIN && at < word.len() && word[at] != letter {
                let mut replaced = word.to_vec();
                replaced[at] = letter;
                edits.push(replaced);
            }
        }
    }
    edits
}
