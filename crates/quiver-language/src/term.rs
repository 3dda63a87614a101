//! The search terms of a text: words folded, stemmed and hashed.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use unicode_normalization::UnicodeNormalization;

use crate::pack::{self, Language};

mod fold;
mod known;
mod segment;

use segment::Piece;

/// A term of a text and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The hash of the folded and stemmed word.
    pub hash: u32,
    /// The start of the word, in bytes.
    pub start: usize,
    /// The end of the word, in bytes, exclusive.
    pub end: usize,
    /// Whether the word is an English stop word.
    pub is_stop: bool,
}

impl Term {
    /// Returns whether another term lies within this one, as the parts of a compound do.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.start <= other.start
            && other.end <= self.end
            && (self.start, self.end) != (other.start, other.end)
    }
}

/// Returns the terms of whole words: those that are not a part of the term before them.
pub fn whole_terms(terms: &[Term]) -> impl Iterator<Item = &Term> {
    let mut last = 0..0;
    terms.iter().filter(move |term| {
        let is_part = term.start < last.end && term.end <= last.end;
        if !is_part {
            last = term.start..term.end;
        }
        !is_part
    })
}

/// Returns whether the term at an index is a compound: its parts follow it.
pub fn has_parts(terms: &[Term], at: usize) -> bool {
    let term = &terms[at];
    terms[at + 1..].iter().take_while(|part| part.start < term.end).any(|part| term.contains(part))
}

/// Emits the terms of a text, sorted by start position, with a compound before its parts.
///
/// This is a pure function of the text with the same result on every platform. Its steps:
///
/// 1. Split the text at Unicode word boundaries (UAX 29).
/// 2. For compounds and identifiers (`kebab-case`, `snake_case`, `AuthModule`, `ticket4471`, `example.com`), emit the
///    whole without its separators, and each part.
/// 3. For scripts without spaces, emit overlapping pairs of characters, and single Han ideographs.
/// 4. Fold compatibility forms, case, and the diacritics of Latin and Greek ("Żuławski" becomes "zulawski"). Drop the
///    vowel points of Hebrew and Arabic. Other scripts keep their marks.
/// 5. Stem words of unaccented Latin letters with Snowball's English stemmer, then drop a final "er" or "or", so that
///    "director" matches "directed".
/// 6. Hash the result with 64-bit FNV-1a and mix it down to 32 bits.
///
/// Stored vectors contain these hashes, so any change requires a new fingerprint.
///
/// Words of every language get these terms, so names and code match in all of them. [`each_stem`] adds to them the
/// forms of a word in its own language.
pub fn each_term(text: &str, mut emit: impl FnMut(Term)) {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut folded = String::new();
    known::with(|known| {
        segment::pieces(text, |piece| {
            folded.clear();
            fold::fold(text, &piece, &mut folded);
            if folded.is_empty() {
                return true;
            }
            let make = || (hash(&stem(&stemmer, &folded)), pack::is_stop(&folded));
            let (hash, is_stop) = known.get_or_make(Language::English, &folded, make);
            let is_stop = is_stop && !piece.is_acronym;
            let Piece { start, end, .. } = piece;
            emit(Term { hash, start, end, is_stop });
            // The parts of a contraction such as "don't" add nothing to the whole.
            !is_stop
        });
    });
}

/// Emits the terms for the stems that the words of a text have in a language, each where [`each_term`] has the word.
///
/// A stem is made with the language's Snowball stemmer before diacritics are folded, since endings depend on them. Its
/// hash differs from those of all other languages and of [`each_term`]. Function words and data have none, and so have
/// the words of a language without a stemmer.
pub fn each_stem(text: &str, language: Language, mut emit: impl FnMut(Term)) {
    let Some(algorithm) = algorithm(language) else { return };
    let stemmer = Stemmer::create(algorithm);
    known::with(|known| {
        segment::pieces(text, |piece| {
            let word = text[piece.start..piece.end].to_lowercase();
            let make = || stem_in(language, &stemmer, &word).map_or((0, true), |stem| (hash(&stem), false));
            let (hash, is_stop) =
                if piece.is_unspaced { (0, true) } else { known.get_or_make(language, &word, make) };
            if !is_stop {
                emit(Term { hash, start: piece.start, end: piece.end, is_stop });
            }
            true
        });
    });
}

/// Returns the term that every passage in a language has, so that such passages can be counted.
pub fn of_language(language: Language) -> u32 {
    hash(&marked(language, ""))
}

/// The Snowball stemmer of a language other than English.
fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language {
        Language::German => Algorithm::German,
        Language::French => Algorithm::French,
        Language::Spanish => Algorithm::Spanish,
        Language::Italian => Algorithm::Italian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Dutch => Algorithm::Dutch,
        Language::Russian => Algorithm::Russian,
        Language::English | Language::Arabic | Language::Hebrew | Language::Hindi => return None,
    })
}

/// Returns the folded stem of a lower-case word, marked with its language; `None` for function words and data.
fn stem_in(language: Language, stemmer: &Stemmer, word: &str) -> Option<String> {
    /// Maximum length of a word, in bytes. German compounds and Cyrillic letters are long.
    const LENGTH_MAX: usize = 96;
    let word: String = word.nfc().collect();
    let is_word = word.len() <= LENGTH_MAX && word.chars().all(char::is_alphabetic);
    if !is_word || language.class(&word).is_some() {
        return None;
    }
    let stem = stemmer.stem(&word);
    let mut folded = String::new();
    fold::fold_word(&stem, &mut folded);
    Some(marked(language, &folded))
}

/// A spelling that no folded word has, since those have only letters and digits.
fn marked(language: Language, stem: &str) -> String {
    format!("{language:?}:{stem}")
}

/// Returns the stem of a lower-case English word, shared by all its forms: "migrat" for "migration".
pub(crate) fn beginning(word: &str) -> String {
    stem(&Stemmer::create(Algorithm::English), word).trim_end_matches('i').to_owned()
}

fn stem<'a>(stemmer: &Stemmer, word: &'a str) -> Cow<'a, str> {
    /// Maximum length of an English word. Longer strings are data.
    const LENGTH_MAX: usize = 48;
    if word.len() > 2 && word.len() <= LENGTH_MAX && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        without_agent(stemmer.stem(word))
    } else {
        word.into()
    }
}

/// Strips the agent suffix from a stem, so that "director" and "directed" match.
fn without_agent(stem: Cow<'_, str>) -> Cow<'_, str> {
    /// Minimum number of letters that must remain.
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
    // FNV's last bytes affect only the low bits. One multiplication spreads them before the upper half is taken.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(mixed >> 32).expect("half of 64 bits is 32 bits")
}

#[cfg(test)]
mod tests;
