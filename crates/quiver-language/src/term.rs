//! The terms of a text, as search compares them: words folded, stemmed and hashed.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use crate::pack;

mod fold;
mod known;
mod segment;

use segment::Piece;

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

/// Finds the terms of a text, ordered by where they begin, a compound before its parts.
///
/// This is a pure function of the text, the same on every platform. Its steps:
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
/// Stored vectors hold these numbers, so a change here needs a new fingerprint.
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
            let (hash, is_stop) = known.get_or_make(&folded, make);
            let is_stop = is_stop && !piece.is_acronym;
            let Piece { start, end, .. } = piece;
            emit(Term { hash, start, end, is_stop });
            // The parts of a contraction ("don't") say nothing that the whole does not.
            !is_stop
        });
    });
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
