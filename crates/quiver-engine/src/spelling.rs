//! Words of a question that no passage says, and words that differ by one edit and that some passage says.
//!
//! Only hashes of terms are known, so the edits of a word are made and looked up. This is bounded: a few words, a few
//! hundred edits each, and only for words that find nothing as they are.

use std::{collections::BTreeMap, ops::Range};

use quiver_graph::Statistics;
use quiver_models::{Lexical, Term};

use crate::analysis::whole_terms;

/// Shorter words have too many neighbours.
const LETTERS_MIN: usize = 5;
/// From this length on a single neighbour of a word without a capital is surely meant.
const SURE_LETTERS_MIN: usize = 7;
/// Longer words are data.
const LETTERS_MAX: usize = 24;
/// How long an ending may be that makes another form of a word.
const ENDING_MAX: usize = 3;
/// How many words of a question are looked at.
const WORDS_MAX: usize = 4;

/// A word that stands for one that no passage says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    /// The word as it was written, in bytes of the question.
    pub(crate) range: Range<usize>,
    /// What is searched for instead.
    pub(crate) word: String,
    /// Whether it is surely meant: letters in the wrong order, a letter once or twice, or a long word that is no name
    /// and has one neighbour only. What is not is searched for, and still counts as said by no passage.
    pub(crate) is_sure: bool,
}

/// The words of a question that no passage says, with what is searched for instead where there is something.
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

/// The question with the corrections in place.
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

/// A word of plain letters, of some length, with no capital but the first.
fn is_correctable(word: &str) -> bool {
    (LETTERS_MIN..=LETTERS_MAX).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

fn correct(lexical: &Lexical, statistics: &Statistics, text: &str, term: &Term) -> Option<Correction> {
    let written = &text[term.start..term.end];
    let word = written.to_ascii_lowercase().into_bytes();
    // What begins the word is another form of it and no other word: "taller" is not a mistake for "tall".
    let forms: Vec<u32> = (1..=ENDING_MAX)
        .filter_map(|ending| written.get(..written.len().checked_sub(ending)?))
        .flat_map(|form| lexical.terms(form))
        .map(|term| term.hash)
        .collect();
    let found = |edits: Vec<Vec<u8>>| {
        // By term, so that forms of one word are one; of these the first edit.
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

/// Two neighbouring letters in the other order, a letter twice that stands once, a letter once that stands twice.
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

/// A letter left out, put in or replaced, after the first.
fn other_edits(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = Vec::new();
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
            if at < word.len() && word[at] != letter {
                let mut replaced = word.to_vec();
                replaced[at] = letter;
                edits.push(replaced);
            }
        }
    }
    edits
}
