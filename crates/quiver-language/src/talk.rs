//! Words by which people in a conversation speak of themselves, suppose and change: "I", "maybe", "instead".

use std::{collections::HashSet, sync::LazyLock};

use crate::pack::classed;

/// What a word of a conversation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Talk {
    /// The speaker, alone or with others: "I", "our".
    Speaker,
    /// A guess, a wish, a plan or a condition: "maybe", "could", "if".
    Supposing,
    /// A correction or a change: "actually", "instead".
    Change,
    /// What is not so yet: "plans to", "looking at". Two words are joined by "_".
    Planning,
    /// In a question: what was so earlier. "previous", "originally".
    Before,
    /// In a question: the last of several states. "finally".
    Settled,
    /// In a question: what is so at present. "currently".
    Now,
}

/// Returns whether a lower-case word says this.
pub fn says(word: &str, what: Talk) -> bool {
    WORDS.contains(&(what, word))
}

static WORDS: LazyLock<HashSet<(Talk, &'static str)>> = LazyLock::new(|| {
    let mut all = HashSet::new();
    for (said, word) in classed(include_str!("../packs/en/talk.tsv")) {
        let what = match said {
            "speaker" => Talk::Speaker,
            "supposing" => Talk::Supposing,
            "change" => Talk::Change,
            "planning" => Talk::Planning,
            "before" => Talk::Before,
            "settled" => Talk::Settled,
            "now" => Talk::Now,
            _ => continue,
        };
        all.insert((what, word));
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        assert_eq!(WORDS.len(), classed(include_str!("../packs/en/talk.tsv")).count());
        assert!(says("i'd", Talk::Speaker) && says("i'd", Talk::Supposing));
        assert!(says("instead", Talk::Change) && !says("instead", Talk::Before));
        assert!(says("plans_to", Talk::Planning) && !says("plans", Talk::Planning));
    }
}
