//! Text as weighted terms: the sparse half of every vector, without any model.

#[cfg(test)]
mod tests;

use std::fmt;

pub use quiver_language::term::Term;
use quiver_language::term::each_term;

/// How quickly repetitions of a term stop counting.
const K1: f32 = 1.2;
/// How strongly long texts are weighted down.
const B: f32 = 0.75;
/// The text length, in terms that are not stop words, at which a term that occurs once weighs 1.
///
/// BM25 uses the mean length of the corpus here. A fixed length keeps a point's vector a function of its own text,
/// so nothing has to be rewritten when other points come and go. The constant is about a paragraph of a hundred
/// words.
const REFERENCE_LENGTH: f32 = 64.0;

/// Turns text into terms, and terms into sparse vectors.
///
/// What a term is, and how it is found, says [`each_term`].
///
/// English stop words are part of document vectors, where they cost little, and of query vectors only when a query
/// has nothing else: "The Who" can be found, and "who is the director" is about a director.
#[derive(Clone, Copy, Default)]
pub struct Lexical {
    _private: (),
}

/// How often each term occurs in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermCounts {
    /// Each term with its count, ordered by hash.
    pub counts: Vec<(u32, f32)>,
    /// The number of terms that are not stop words, or of all terms when there are only stop words.
    pub length: usize,
}

impl TermCounts {
    /// Weighs the terms: the document's half of BM25, in the order of the counts.
    pub fn weights(&self) -> Vec<(u32, f32)> {
        let saturation = K1 * (1.0 - B + B * self.length as f32 / REFERENCE_LENGTH);
        let weigh = |&(hash, count): &(u32, f32)| (hash, count * (K1 + 1.0) / (count + saturation));
        self.counts.iter().map(weigh).collect()
    }
}

impl Lexical {
    /// Makes the analysis. There is nothing to configure: the fingerprint would differ.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the analysis with all that its vectors depend on. Vectors of different fingerprints don't compare.
    pub fn fingerprint(&self) -> String {
        format!("lexical-1(snowball-en, agents, bm25 k1={K1} b={B} length={REFERENCE_LENGTH})")
    }

    /// Finds the terms of a text, ordered by where they begin, a compound before its parts.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        let mut terms = Vec::with_capacity(text.len() / 5);
        each_term(text, |term| terms.push(term));
        terms
    }

    /// Weighs the terms of a document: the document's half of BM25, ordered by hash, one entry for each term.
    ///
    /// The score of a document for a query is the dot product with the query's vector.
    pub fn document_vector(&self, text: &str) -> Vec<(u32, f32)> {
        self.document_counts(text).weights()
    }

    /// Counts the terms of a document: what [`Lexical::document_vector`] weighs.
    pub fn document_counts(&self, text: &str) -> TermCounts {
        let mut hashes = Vec::with_capacity(text.len() / 5);
        let mut length = 0usize;
        each_term(text, |term| {
            hashes.push(term.hash);
            length += usize::from(!term.is_stop);
        });
        let length = if length == 0 { hashes.len() } else { length };
        TermCounts { counts: count(hashes).collect(), length }
    }

    /// Weighs the terms of a query by their rarity, ordered by hash, one entry for each term.
    ///
    /// `idf` tells the weight of a term in the corpus; terms that it gives no positive weight are left out. A
    /// repeated term counts with the logarithm of its repetitions.
    pub fn query_vector(&self, text: &str, idf: impl Fn(u32) -> f32) -> Vec<(u32, f32)> {
        count(self.query_terms(text))
            .map(|(hash, count)| (hash, idf(hash) * (1.0 + count.ln())))
            .filter(|(_, weight)| *weight > 0.0)
            .collect()
    }

    /// Finds the terms that a query is about: all but stop words, or all when there are only stop words.
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

/// Counts equal hashes; ordered by hash.
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
