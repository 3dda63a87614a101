//! A per-thread cache of words, so that common words are not stemmed repeatedly.
//!
//! Stemming takes most of the time, and a few thousand words make up most of any text. A cached value depends only on
//! the word, so the cache never changes a result.

use std::cell::RefCell;

const SLOTS_BITS: u32 = 12;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::new(Known { slots: vec![(0, (0, false)); 1 << SLOTS_BITS] });
}

/// A direct-mapped cache: each word has one possible slot.
pub(super) struct Known {
    /// The word encoded as a number, with its cached value.
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
    /// Returns the hash of a folded word and whether it is a stop word, computing and caching them if needed.
    pub(super) fn get_or_make(&mut self, word: &str, make: impl FnOnce() -> (u32, bool)) -> (u32, bool) {
        let Some(key) = key(word) else { return make() };
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

/// Encodes a short word as a unique non-zero number.
fn key(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(1..=word.len())?.copy_from_slice(word.as_bytes());
    bytes[0] = u8::try_from(word.len()).ok()?;
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_made_once_and_never_mixed_up() {
        let mut known = Known { slots: vec![(0, (0, false)); 1 << SLOTS_BITS] };
        assert_eq!(known.get_or_make("word", || (1, false)), (1, false));
        assert_eq!(known.get_or_make("word", || (2, false)), (1, false));
        assert_eq!(known.get_or_make("a word that is too long to be kept", || (3, true)), (3, true));
        let words: Vec<String> = (0..50_000).map(|number| format!("w{number}")).collect();
        for (word, number) in words.iter().chain(&words).zip((0..50_000).chain(0..50_000)) {
            assert_eq!(known.get_or_make(word, || (number, false)), (number, false));
        }
        assert_ne!(key("a"), key("a\0"));
    }
}
