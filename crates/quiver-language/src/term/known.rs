//! A per-thread cache of words, so that common words are not stemmed repeatedly.
//!
//! Stemming takes most of the time, and a few thousand words make up most of any text. A cached value depends only on
//! the word and the language it is stemmed in, so the cache never changes a result.

use std::cell::RefCell;

use crate::pack::Language;

const SLOTS_BITS: u32 = 12;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::new(Known { slots: vec![(0, (0, false)); 1 << SLOTS_BITS] });
}

/// A direct-mapped cache: each word has one possible slot.
pub(super) struct Known {
    /// The word and its language encoded as a number, with the cached value.
    slots: Vec<(u128, (u32, bool))>,
}

/// Runs `work` with the thread's cache, or with an empty one if the cache is already borrowed.
pub(super) fn with(work: impl FnOnce(&mut Known)) {
    KNOWN.with(|known| match known.try_borrow_mut() {
        Ok(mut known) => work(&mut known),
        Err(_) => work(&mut Known { slots: Vec::new() }),
    });
}

impl Known {
    /// Returns the hash of a word in a language and whether it is a stop word, computing and caching them if needed.
    pub(super) fn get_or_make(
        &mut self,
        language: Language,
        word: &str,
        make: impl FnOnce() -> (u32, bool),
    ) -> (u32, bool) {
        let Some(key) = key(language, word) else { return make() };
        #[expect(clippy::cast_possible_truncation, reason = "both halves are meant")]
        let halves = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
        let slot = halves.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS_BITS);
        let Some(slot) = usize::try_from(slot).ok().and_then(|slot| self.slots.get_mut(slot)) else {
            return make();
        };
        if slot.0 != key {
            *slot = (key, make());
        }
        slot.1
    }
}

/// Encodes a short word and its language as a unique non-zero number.
fn key(language: Language, word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(1..=word.len())?.copy_from_slice(word.as_bytes());
    // At most 15 bytes, so that four bits are left for the language.
    bytes[0] = u8::try_from(word.len()).ok()? | (language as u8) << 4;
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Known {
        Known { slots: vec![(0, (0, false)); 1 << SLOTS_BITS] }
    }

    #[test]
    fn words_are_made_once_and_never_mixed_up() {
        let mut known = empty();
        let english = Language::English;
        assert_eq!(known.get_or_make(english, "word", || (1, false)), (1, false));
        assert_eq!(known.get_or_make(english, "word", || (2, false)), (1, false));
        assert_eq!(known.get_or_make(english, "a word that is too long to be kept", || (3, true)), (3, true));
        let words: Vec<String> = (0..50_000).map(|number| format!("w{number}")).collect();
        for (word, number) in words.iter().chain(&words).zip((0..50_000).chain(0..50_000)) {
            assert_eq!(known.get_or_make(english, word, || (number, false)), (number, false));
        }
        assert_ne!(key(english, "a"), key(english, "a\0"));
    }

    #[test]
    fn a_word_of_two_languages_is_kept_for_each() {
        let mut known = empty();
        for _ in 0..2 {
            for (language, number) in Language::ALL.into_iter().zip(1..) {
                assert_eq!(known.get_or_make(language, "die", || (number, false)), (number, false));
                // The other languages must not be answered from this one's slot.
                assert_eq!(known.get_or_make(language, "die", || (0, true)), (number, false));
            }
        }
    }
}
