//! Words that decide what a follow-up refers to: parts of times, and verbs of saying and judging.

use crate::{pack::classes_of_words, word::verbs};

classes_of_words! {
    /// What a word does for a reference.
    pub enum Reference in "../packs/en/references.tsv" {
        /// A part of a time: "the *end* of March".
        Part = "part",
        /// A period: "the second *week*".
        Period = "period",
        /// A verb, in base form, for what somebody says of a thing: "make".
        Judging = "judging",
        /// Stands between such a verb and the thing: "about".
        Posing = "posing",
    }
}

/// Returns whether a lower-case word is a form of a verb for what somebody says of a thing: "wrote".
pub fn is_judging(word: &str) -> bool {
    says(word, Reference::Judging) || verbs(word).any(|verb| says(verb, Reference::Judging))
}

#[cfg(test)]
mod reference_tests {
    use super::is_judging;

    #[test]
    fn a_verb_judges_in_each_of_its_forms() {
        assert!(["make", "made", "says", "wrote", "thinking", "reported"].into_iter().all(is_judging));
        assert!(!["open", "built", "of"].into_iter().any(is_judging));
    }
}
