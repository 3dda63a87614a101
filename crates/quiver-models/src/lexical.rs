//! Sparse vectors: text as weighted terms, without a model.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Range,
};

pub use quiver_language::term::Term;
use quiver_language::{
    Language,
    definition::{asked_for, defined_in},
    detect, heading,
    term::{each_stem, each_term, of_language},
};

/// BM25's k1: how quickly repetitions of a term saturate.
const K1: f32 = 1.2;
/// BM25's b: how strongly long texts are penalised.
const B: f32 = 0.75;
/// The text length, in terms other than stop words, at which a term that occurs once has weight 1.
///
/// BM25 uses the mean document length of the corpus here. With a fixed length, a point's vector depends only on its
/// own text, so adding or removing other points never requires a rewrite. The value corresponds to a paragraph of
/// about a hundred words.
const REFERENCE_LENGTH: f32 = 64.0;

/// Turns text into terms, and terms into sparse vectors.
///
/// [`each_term`] documents how terms are found.
///
/// Document vectors include English stop words, which cost little there. Query vectors include them only if the query
/// has no other terms. So "The Who" can be found, and "who is the director" searches for a director.
///
/// What a document defines is a term of its own, and so is what a question asks to define: "What is a chart?" finds "A
/// chart is a collection of files" where every document says "chart". So is each heading: "How do I draw a chart?"
/// finds the text under "Drawing charts".
///
/// The words of a text that is clearly in another language have terms for their stems in that language too. They don't
/// count in its length, and a question searches for them only if it is in that language ([`Lexical::stems_asked`]). So
/// English questions and texts are the same with and without them.
#[derive(Clone, Copy, Default)]
pub struct Lexical {
    _private: (),
}

/// The term frequencies of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermCounts {
    /// Each term with its count, sorted by hash.
    pub counts: Vec<(u32, f32)>,
    /// The number of terms that are not stop words, or of all terms if there are only stop words.
    pub length: usize,
    /// What the text defines, as [`Lexical::definitions`] returns it. Each is counted once.
    pub definitions: Vec<(Range<usize>, u32)>,
    /// The headings of the text, as [`Lexical::headings`] returns them. Each is counted once.
    pub headings: Vec<(Range<usize>, u32)>,
    /// The stems of the words in the language of the text, as [`Lexical::stems`] returns them.
    pub stems: Vec<Term>,
}

impl TermCounts {
    /// Weights the terms with the document side of BM25, in the order of the counts.
    pub fn weights(&self) -> Vec<(u32, f32)> {
        let saturation = K1 * (1.0 - B + B * self.length as f32 / REFERENCE_LENGTH);
        let weigh = |&(hash, count): &(u32, f32)| (hash, count * (K1 + 1.0) / (count + saturation));
        self.counts.iter().map(weigh).collect()
    }
}

impl Lexical {
    /// Creates the analysis. It has no options, because each option would change the fingerprint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a fingerprint of everything the vectors depend on. Vectors with different fingerprints are not
    /// comparable.
    pub fn fingerprint(&self) -> String {
        format!(
            "lexical-7(snowball-en, agents, stems, definitions, headings, bm25 k1={K1} b={B} length={REFERENCE_LENGTH})"
        )
    }

    /// Returns the terms of a text, sorted by start position, with a compound before its parts.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        let mut terms = Vec::with_capacity(text.len() / 5);
        each_term(text, |term| terms.push(term));
        terms
    }

    /// Weights the terms of a document with the document side of BM25. The result has one entry per term, sorted by
    /// hash.
    ///
    /// The score of a document for a query is the dot product of their vectors.
    pub fn document_vector(&self, text: &str) -> Vec<(u32, f32)> {
        self.document_counts(text).weights()
    }

    /// Counts the terms of a document. [`Lexical::document_vector`] weights these counts.
    pub fn document_counts(&self, text: &str) -> TermCounts {
        self.document_counts_of(text, &self.terms(text))
    }

    /// Counts the terms of a document as [`Lexical::document_counts`] does, given its [terms](Lexical::terms).
    pub fn document_counts_of(&self, text: &str, terms: &[Term]) -> TermCounts {
        let mut hashes = Vec::with_capacity(terms.len() + 8);
        hashes.extend(terms.iter().map(|term| term.hash));
        let length = terms.iter().filter(|term| !term.is_stop).count();
        let length = if length == 0 { hashes.len() } else { length };
        let definitions = self.definitions(text);
        let headings = self.headings(text);
        let told = definitions.iter().chain(&headings).map(|(_, term)| *term);
        hashes.extend(told.collect::<BTreeSet<u32>>());
        let language = detect::of_passage(text);
        let stems = language.map_or_else(Vec::new, |language| self.stems(text, language));
        hashes.extend(stems.iter().map(|stem| stem.hash));
        hashes.extend(language.map(of_language));
        TermCounts { counts: count(hashes).collect(), length, definitions, headings, stems }
    }

    /// Returns the terms for the stems of a text's words in a language, sorted by start position; see [`each_stem`].
    pub fn stems(&self, text: &str, language: Language) -> Vec<Term> {
        let mut stems = Vec::with_capacity(text.len() / 5);
        each_stem(text, language, |stem| stems.push(stem));
        stems
    }

    /// Returns the stems of a question's words in the language of the question, by the term that
    /// [`terms`](Self::terms) has for the word; none if that language is English. `passages_with` returns the number of
    /// passages with a term, and `all` is the number of all passages.
    ///
    /// A word and its stem are one word of the question: search for either, but count it once.
    pub fn stems_asked(
        &self,
        question: &str,
        passages_with: impl Fn(u32) -> u64,
        all: u64,
    ) -> BTreeMap<u32, u32> {
        let passages_in = |language| passages_with(of_language(language));
        let Some(language) = detect::of_question(question, passages_in, all) else { return BTreeMap::new() };
        let stems = self.stems(question, language);
        let stem_of = |term: &Term| {
            let same = |stem: &&Term| (stem.start, stem.end) == (term.start, term.end);
            stems.iter().find(same).map(|stem| (term.hash, stem.hash))
        };
        self.terms(question).iter().filter_map(stem_of).collect()
    }

    /// Returns the headings of a text as terms, each with its position; see [`heading::headings`].
    pub fn headings(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let found = heading::headings(text).into_iter();
        found.filter_map(|range| Some((range.clone(), Self::heading_of(&text[range])?))).collect()
    }

    /// Returns the terms of the headings that a question may ask for, as [`Lexical::headings`] has them; see
    /// [`heading::asked_for`].
    pub fn headings_asked(&self, question: &str) -> BTreeSet<u32> {
        let asked = heading::asked_for(question).into_iter();
        asked.filter_map(|range| Self::heading_of(&question[range])).collect()
    }

    /// Returns the term for a heading; `None` if it has only stop words. Word order, word forms, stop words and hyphens
    /// do not count: "Clearing the cache" is "clear cache", "EIP-155" is "EIP 155".
    fn heading_of(heading: &str) -> Option<u32> {
        const APART: u32 = 0x85eb_ca6b;
        let mut end = 0;
        let mut terms = BTreeSet::new();
        // Parts of compounds do not count either, so that "GitHub" is "github".
        each_term(&heading.replace(['-', '_'], " "), |term| {
            if term.start >= end {
                end = term.end;
                terms.extend((!term.is_stop).then_some(term.hash));
            }
        });
        let joined = terms.iter().fold(APART, |hash, term| (hash ^ term).wrapping_mul(0x0100_0193));
        (!terms.is_empty()).then_some(joined)
    }

    /// Returns what a text defines, as terms, each with the position of its name; see [`defined_in`].
    pub fn definitions(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let defined = defined_in(text).into_iter();
        defined.map(|found| (found.name.clone(), self.definition_of(&text[found.name]))).collect()
    }

    /// Returns what a question asks to define, as the term that [`Lexical::definitions`] has for it; see [`asked_for`].
    pub fn definition_asked(&self, question: &str) -> Option<u32> {
        Some(self.definition_of(&question[asked_for(question)?]))
    }

    /// Returns the term for the definition of a name. Only the letters of the name count: "service profiles" is
    /// `ServiceProfile`.
    pub fn definition_of(&self, name: &str) -> u32 {
        const APART: u32 = 0x9e37_79b9;
        let joined: String = name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '+' | '#')).collect();
        let term = self.terms(&joined.to_lowercase()).first().map_or(0, |term| term.hash);
        (term ^ APART).wrapping_mul(APART)
    }

    /// Weights the terms of a query by their IDF. The result has one entry per term, sorted by hash.
    ///
    /// What the query asks to define is a term of it as well. `idf` returns the weight of a term in the corpus; terms
    /// whose weight is not positive are dropped. A term that occurs `n` times is weighted by `1 + ln(n)`.
    pub fn query_vector(&self, text: &str, idf: impl Fn(u32) -> f32) -> Vec<(u32, f32)> {
        let mut terms = self.query_terms(text);
        terms.extend(self.definition_asked(text));
        terms.extend(self.headings_asked(text));
        count(terms)
            .map(|(hash, count)| (hash, idf(hash) * (1.0 + count.ln())))
            .filter(|(_, weight)| *weight > 0.0)
            .collect()
    }

    /// Returns the content terms of a query: all terms except stop words, or all terms if there are only stop words.
    pub fn query_terms(&self, text: &str) -> Vec<u32> {
        let terms = self.terms(text);
        let only_stops = terms.iter().all(|term| term.is_stop);
        terms.into_iter().filter(|term| only_stops || !term.is_stop).map(|term| term.hash).collect()
    }
}

impl fmt::Debug for Lexical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}

/// Counts equal hashes and returns them sorted by hash.
fn count(mut hashes: Vec<u32>) -> impl Iterator<Item = (u32, f32)> {
    hashes.sort_unstable();
    let mut counts: Vec<(u32, f32)> = Vec::with_capacity(hashes.len());
    for hash in hashes {
        match counts.last_mut() {
            Some((last, count)) if *last == hash => *count += 1.0,
            _ => counts.push((hash, 1.0)),
        }
    }
    counts.into_iter()
}
