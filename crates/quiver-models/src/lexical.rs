//! Text as weighted terms: the sparse half of every vector, without any model.

mod fold;
mod known;
mod segment;
mod stop;

#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt};

use rust_stemmers::{Algorithm, Stemmer};

use segment::Piece;

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
/// The analysis is a pure function of the text, the same on every platform. Its steps:
///
/// 1. Words are found at Unicode word boundaries (UAX 29).
/// 2. Compounds and identifiers (`kebab-case`, `snake_case`, `AuthModule`, `ticket4471`, `example.com`) give the
///    whole without its joints, and each part.
/// 3. Scripts written without spaces give overlapping pairs of characters; Han ideographs also single ones.
/// 4. Words are folded: compatibility forms, case, and the diacritics of Latin and Greek ("Żuławski" becomes
///    "zulawski"); vowel points of Hebrew and Arabic are dropped; other scripts keep their marks.
/// 5. Words of plain Latin letters go through Snowball's English stemmer, and what then ends in "er" or "or" loses it:
///    who directs, a director, meets what is directed.
/// 6. What is left is hashed: FNV-1a with 64 bits, its two halves mixed into 32.
///
/// English stop words are part of document vectors, where they cost little, and of query vectors only when a query
/// has nothing else: "The Who" can be found, and "who is the director" is about a director.
#[derive(Clone, Copy, Default)]
pub struct Lexical {
    _private: (),
}

/// One term of a text, and where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The hash of the folded and stemmed word.
    pub hash: u32,
    /// The byte at which the word begins in the text.
    pub start: usize,
    /// The byte after the word's last.
    pub end: usize,
    /// Whether the word is an English stop word.
    pub is_stop: bool,
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
        Self::each_term(text, |term| terms.push(term));
        terms
    }

    /// Weighs the terms of a document: the document's half of BM25, ordered by hash, one entry for each term.
    ///
    /// The score of a document for a query is the dot product with the query's vector.
    pub fn document_vector(&self, text: &str) -> Vec<(u32, f32)> {
        let mut hashes = Vec::with_capacity(text.len() / 5);
        let mut length = 0usize;
        Self::each_term(text, |term| {
            hashes.push(term.hash);
            length += usize::from(!term.is_stop);
        });
        let length = if length == 0 { hashes.len() } else { length };
        let saturation = K1 * (1.0 - B + B * length as f32 / REFERENCE_LENGTH);
        count(hashes).map(|(hash, count)| (hash, count * (K1 + 1.0) / (count + saturation))).collect()
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

    fn each_term(text: &str, mut emit: impl FnMut(Term)) {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut folded = String::new();
        known::with(|known| {
            segment::pieces(text, |piece| {
                folded.clear();
                fold::fold(text, &piece, &mut folded);
                if folded.is_empty() {
                    return true;
                }
                let make = || (hash(&stem(&stemmer, &folded)), stop::is_stop(&folded));
                let (hash, is_stop) = known.get_or_make(&folded, make);
                let is_stop = is_stop && !piece.is_acronym;
                let Piece { start, end, .. } = piece;
                emit(Term { hash, start, end, is_stop });
                // The parts of a contraction ("don't") say nothing that the whole does not.
                !is_stop
            });
        });
    }
}

impl fmt::Debug for Lexical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}

fn stem<'a>(stemmer: &Stemmer, word: &'a str) -> Cow<'a, str> {
    /// No English word is longer; what is longer is data.
    const LENGTH_MAX: usize = 48;
    if word.len() > 2 && word.len() <= LENGTH_MAX && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        without_agent(stemmer.stem(word))
    } else {
        word.into()
    }
}

/// Takes the ending of who or what does it off a stem, so that "director" and "directed" are one.
fn without_agent(stem: Cow<'_, str>) -> Cow<'_, str> {
    /// What is left has at least this many letters.
    const LEFT_MIN: usize = 5;
    let left = stem.strip_suffix("er").or_else(|| stem.strip_suffix("or"));
    match left {
        Some(left) if left.len() >= LEFT_MIN => Cow::Owned(left.to_owned()),
        _ => stem,
    }
}

fn hash(word: &str) -> u32 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = word.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    // FNV leaves its last bytes in the low bits only; one multiplication spreads them before the halves are taken.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(mixed >> 32).expect("half of 64 bits is 32 bits")
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
