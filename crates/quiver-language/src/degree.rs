//! Superlatives and comparatives: "highest", "older than".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// The meaning of a word of degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Degree {
    /// Whether it refers to the higher end: "most", "newest", "above".
    pub is_high: bool,
    /// Whether it refers to a time: "newest", "oldest".
    pub is_time: bool,
}

/// Reads a lower-case superlative: "oldest", "most".
pub fn superlative(word: &str) -> Option<Degree> {
    DEGREES.get(&("superlative", word)).copied()
}

/// Reads a lower-case comparative: "more", "below".
pub fn comparative(word: &str) -> Option<Degree> {
    DEGREES.get(&("comparative", word)).copied()
}

/// Reads a lower-case word that compares two things in a question: "sooner", "tallest".
pub fn compared(word: &str) -> Option<Degree> {
    DEGREES.get(&("compared", word)).copied()
}

static DEGREES: LazyLock<HashMap<(&'static str, &'static str), Degree>> = LazyLock::new(|| {
    let mut degrees = HashMap::new();
    for fields in rows(include_str!("../packs/en/degrees.tsv")) {
        let [form, direction, said_of, words] = fields[..] else { continue };
        let degree = Degree { is_high: direction == "high", is_time: said_of == "time" };
        degrees.extend(words.split(' ').map(|word| ((form, word), degree)));
    }
    degrees
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_degree_tells_its_direction() {
        assert_eq!(superlative("oldest"), Some(Degree { is_high: false, is_time: true }));
        assert_eq!(superlative("most"), Some(Degree { is_high: true, is_time: false }));
        assert_eq!(comparative("below"), Some(Degree { is_high: false, is_time: false }));
        assert_eq!(compared("sooner"), Some(Degree { is_high: false, is_time: true }));
        assert_eq!((superlative("higher"), comparative("old")), (None, None));
    }

    #[test]
    fn every_row_has_four_fields_and_no_word_of_a_form_stands_twice() {
        let mut seen = Vec::new();
        for fields in rows(include_str!("../packs/en/degrees.tsv")) {
            let [form, direction, said_of, words] = fields[..] else { panic!("{fields:?}") };
            assert!(["superlative", "comparative", "compared"].contains(&form), "{fields:?}");
            assert!(["high", "low"].contains(&direction) && ["any", "time"].contains(&said_of), "{fields:?}");
            for word in words.split(' ') {
                assert!(!seen.contains(&(form, word)), "{word}");
                seen.push((form, word));
            }
        }
    }
}
