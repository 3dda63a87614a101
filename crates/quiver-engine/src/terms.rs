//! The content words of a question, as weights and as bits.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use quiver_graph::Statistics;
use quiver_language::{question::function_words, request::summary_request};
use quiver_models::{Encoder, Lexical, Term};

/// A content word of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    /// The term that it is searched for by: its own, or that of its stem in the language of the question, whichever
    /// more passages have.
    pub(crate) hash: u32,
    /// The other of the two, if there are two. Passages with either contain the word, and it counts once.
    pub(crate) other: Option<u32>,
    pub(crate) weight: f32,
}

impl QueryTerm {
    /// Returns the term of the word, and of its stem if it has one.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.hash).chain(self.other)
    }

    pub(crate) fn is(&self, term: u32) -> bool {
        self.hash == term || self.other == Some(term)
    }

    /// Returns the word as an entry of a sparse query.
    ///
    /// A passage in a language has the term and the stem of each of its words, so a search for both would count the
    /// word twice.
    pub(crate) fn pair(&self) -> (u32, f32) {
        (self.hash, self.weight)
    }
}

/// Returns the stems of a question's words in the language of the question, by the terms of the words; see
/// [`Lexical::stems_asked`].
pub(crate) fn stems_asked(lexical: &Lexical, statistics: &Statistics, question: &str) -> BTreeMap<u32, u32> {
    let passages_with = |term| u64::from(statistics.passages_with_term(term));
    lexical.stems_asked(question, passages_with, statistics.passages)
}

/// Returns whether a passage has a word of the question, as its term or as its stem.
pub(crate) fn has_passages(statistics: &Statistics, stems: &BTreeMap<u32, u32>, word: u32) -> bool {
    let passages = |term: &u32| statistics.passages_with_term(*term);
    passages(&word) > 0 || stems.get(&word).is_some_and(|stem| passages(stem) > 0)
}

/// Returns the words of a question that no passage contains. A compound counts if a part of it occurs.
pub(crate) fn unknown_words(lexical: &Lexical, statistics: &Statistics, question: &str) -> Vec<u32> {
    let terms = lexical.terms(question);
    let is_part = |part: &Term, whole: &Term| {
        whole.start <= part.start
            && part.end <= whole.end
            && (part.start, part.end) != (whole.start, whole.end)
    };
    let stems = stems_asked(lexical, statistics, question);
    let is_unsaid = |term: &Term| !has_passages(statistics, &stems, term.hash);
    let unsaid = terms.iter().filter(|term| {
        let belongs_to_another = terms.iter().any(|whole| is_part(term, whole));
        is_unsaid(term)
            && !belongs_to_another
            && terms.iter().filter(|part| is_part(part, term)).all(is_unsaid)
    });
    unsaid.map(|term| term.hash).collect()
}

/// Weighs the words of a question. `words` are their terms, each with its weight relative to its rarity. Words with the
/// same stem are one word. Function words are left out if the question is in a language with a stemmer of its own; those
/// of English have no term.
pub(crate) fn weighed(
    lexical: &Lexical,
    statistics: &Statistics,
    question: &str,
    mut words: Vec<(u32, f32)>,
) -> Vec<QueryTerm> {
    let request = summary_request(question).map(|request| terms_outside(lexical, question, &request.asking));
    if let Some(said) = request.filter(|said| words.iter().any(|(word, _)| said.contains(word))) {
        words.retain(|(word, _)| said.contains(word));
    }
    let stems = stems_asked(lexical, statistics, question);
    if !stems.is_empty() {
        let empty = terms_within(lexical, question, &function_words(question));
        let is_content = |(word, _): &(u32, f32)| !empty.contains(word);
        if words.iter().any(is_content) {
            words.retain(is_content);
        }
    }
    let mut terms: Vec<QueryTerm> = Vec::with_capacity(words.len());
    for (word, count) in words {
        let stem = stems.get(&word).copied();
        let passages = |term: u32| statistics.passages_with_term(term);
        let (hash, other) = match stem {
            Some(stem) if passages(stem) > passages(word) => (stem, Some(word)),
            stem => (word, stem),
        };
        let weight = statistics.inverse_document_frequency(hash) * count;
        match terms.iter_mut().find(|known| known.hash == hash) {
            Some(known) => known.weight = known.weight.max(weight),
            None if weight > 0.0 => terms.push(QueryTerm { hash, other, weight }),
            None => {}
        }
    }
    terms
}

/// Returns the terms of the words in these byte ranges of a text.
fn terms_within(lexical: &Lexical, text: &str, ranges: &[Range<usize>]) -> BTreeSet<u32> {
    let is_within =
        |term: &Term| ranges.iter().any(|range| range.start <= term.start && term.end <= range.end);
    lexical.terms(text).into_iter().filter(is_within).map(|term| term.hash).collect()
}

/// Returns the terms of the words outside of these byte ranges of a text.
fn terms_outside(lexical: &Lexical, text: &str, ranges: &[Range<usize>]) -> BTreeSet<u32> {
    let is_outside = |term: &Term| !ranges.iter().any(|range| range.contains(&term.start));
    lexical.terms(text).into_iter().filter(is_outside).map(|term| term.hash).collect()
}

/// The question terms, each with a bit, so that the terms a passage covers fit in one number.
#[derive(Clone, Debug)]
pub(crate) struct TermBits {
    /// Pairs of term hash and bit, sorted by hash. The term and the stem of a word have one bit.
    bits: Vec<(u32, u32)>,
    weights: Vec<f32>,
    /// Total weight of all terms, above 0.
    pub(crate) all: f32,
}

impl TermBits {
    /// Terms beyond this number have no bit.
    const TERMS_MAX: usize = 128;

    pub(crate) fn of(terms: &[QueryTerm]) -> Self {
        let terms = &terms[..terms.len().min(Self::TERMS_MAX)];
        let entries =
            terms.iter().zip(0..).flat_map(|(term, bit)| term.hashes().map(move |hash| (hash, bit)));
        let mut bits: Vec<_> = entries.collect();
        bits.sort_unstable();
        // Of two words with one stem, the first has it.
        bits.dedup_by_key(|entry| entry.0);
        let weights: Vec<f32> = terms.iter().map(|term| term.weight).collect();
        let all = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { bits, weights, all }
    }

    /// Returns the words of a question, and those of them that no passage contains, as a bit set.
    pub(crate) fn of_question(encoder: &Encoder, statistics: &Statistics, question: &str) -> (Self, u128) {
        let lexical = encoder.analysis();
        let encoded = encoder.encode_queries_lexically(&[question]).remove(0);
        let bits = Self::of(&weighed(lexical, statistics, question, encoded.sparse(|_| 1.0)));
        let unknown = bits.covered_by(unknown_words(lexical, statistics, question));
        (bits, unknown)
    }

    /// Returns the bit of a term.
    pub(crate) fn bit(&self, term: u32) -> Option<u32> {
        self.bits.binary_search_by_key(&term, |entry| entry.0).ok().map(|at| self.bits[at].1)
    }

    /// Returns the bits of these terms, in any order.
    pub(crate) fn covered_by(&self, terms: impl IntoIterator<Item = u32>) -> u128 {
        terms.into_iter().filter_map(|term| self.bit(term)).fold(0, |covered, bit| covered | 1 << bit)
    }

    /// Returns the bits of these sorted terms, with one binary search per question term.
    pub(crate) fn covered_by_sorted<T>(&self, terms: &[T], hash: impl Fn(&T) -> u32) -> u128 {
        let has = |term: u32| terms.binary_search_by_key(&term, &hash).is_ok();
        self.bits.iter().filter(|entry| has(entry.0)).fold(0, |covered, entry| covered | 1 << entry.1)
    }

    pub(crate) fn has(&self, term: u32) -> bool {
        self.bit(term).is_some()
    }

    pub(crate) fn is_covered(&self, term: u32, covered: u128) -> bool {
        self.bit(term).is_some_and(|bit| covered >> bit & 1 == 1)
    }

    /// Returns the total weight of the covered terms.
    pub(crate) fn weight(&self, covered: u128) -> f32 {
        (0..self.weights.len()).filter(|bit| covered >> bit & 1 == 1).map(|bit| self.weights[bit]).sum()
    }

    /// Returns the covered share of the weight of some terms, from 0 to 1.
    pub(crate) fn share_of(&self, covered: u128, among: u128) -> f32 {
        let all = self.weight(among);
        if all > 0.0 { self.weight(covered & among) / all } else { 0.0 }
    }

    /// Returns the covered share of the question's weight, from 0 to 1.
    pub(crate) fn share(&self, covered: u128) -> f32 {
        (self.weight(covered) / self.all).min(1.0)
    }
}
