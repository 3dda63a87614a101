//! Words of descriptions, by which a text or a question speaks of a thing without its name: "the preferred solvent".

use std::{collections::HashMap, sync::LazyLock};

use crate::{
    pack::{classes_of_words, rows},
    word::{irregular_verb, stems, verbs},
};

classes_of_words! {
    /// What a word does in a sentence or a question about a described thing.
    pub enum Describing in "../packs/en/descriptions.tsv" {
        /// Stands between a thing and its description, which holds now: "is".
        Equating = "equating",
        /// The same of a description that may hold no longer: "was".
        Ended = "ended",
        /// May stand between such a verb and the description: "still the".
        Between = "between",
        /// A finite verb before "as" and the description: "serves".
        Serving = "serving",
        /// A verb, in base form, with which somebody makes a thing what "as" says: "choose".
        Choosing = "choosing",
        /// Puts the description of a thing in the past, in the future or in doubt: "until".
        Limiting = "limiting",
        /// Says that something else has the first place: "backup".
        Second = "second",
        /// Stands in a question after "should I" and says nothing of what is asked: "expect".
        Asking = "asking",
        /// Only says that somebody has to do with the thing, in base form: "use".
        Using = "using",
        /// Says of what is asked for no more than that it is there: "reported".
        Existing = "existing",
        /// A verb, in base form, that needs something: "require".
        Needing = "needing",
        /// The same of other words: "mandatory".
        Needed = "needed",
        /// A verb, in base form, that says what a thing has about it or brings about: "cause".
        Having = "having",
        /// A verb, in base form, between a kind of thing and a list of them: "include".
        Listing = "listing",
        /// Says how often or how widely something holds: "typical".
        Frequent = "frequent",
        /// Sets a thing apart from what is said: "unlike".
        Contrasting = "contrasting",
        /// A verb, in base form, that takes one thing from what is said, or puts another in its place: "replace".
        Replacing = "replacing",
        /// May stand between a word and the thing of which it is said: "of".
        Joining = "joining",
        /// A verb, in base form, by which "we" say only that a thing serves for something: "book".
        Employing = "employing",
        /// A verb, in base form, that says no more than the words beside it: "need" in "needs mowing".
        Light = "light",
        /// Stands between a description and a name: "called".
        Naming = "naming",
        /// May stand before the thing that serves for what a sentence tells of: "with".
        ServingBy = "serving_by",
        /// Says that a thing does not, or did not, do what is described: "too weak".
        Failing = "failing",
        /// A quantity of a substance, for which the substance itself may be named: "bags of lime".
        Portion = "portion",
        /// Begins a clause that says something of other things or circumstances: "while".
        Parting = "parting",
        /// The use of a thing: "application".
        Use = "use_of",
        /// A verb, in base form, by which a question asks what becomes of a thing: "happen".
        Happening = "happening",
    }
}

/// Returns whether a lower-case word is a form of a verb of this class.
pub fn is_verb_of(word: &str, what: Describing) -> bool {
    verbs(word).chain(irregular_verb(word)).any(|base| says(base, what))
}

/// Returns whether a thing that one lower-case word describes may be described by another: "medication" or "antibiotic"
/// where `asked` is "drug".
pub fn may_stand_for(asked: &str, said: &str) -> bool {
    let rows = |word: &str| stems(word).into_iter().filter_map(|stem| KINDS.get(&stem)).flatten();
    rows(asked).any(|(row, is_general)| *is_general && rows(said).any(|(other, _)| other == row))
}

/// Returns whether the object of a verb is always a thing of a kind, so that a sentence need not say the kind: "fuel"
/// for "burns".
pub fn takes(verb: &str, kind: &str) -> bool {
    let of = |base: &str| OBJECTS.get(base).into_iter().flatten().any(|noun| is_form(noun, kind));
    verbs(verb).any(of)
}

fn is_form(noun: &str, word: &str) -> bool {
    let known = stems(word);
    stems(noun).iter().any(|stem| known.contains(stem))
}

/// The rows of the nouns of a kind by stem, each with whether the word stands for all things of the row.
static KINDS: LazyLock<HashMap<u32, Vec<(usize, bool)>>> = LazyLock::new(|| {
    let mut kinds: HashMap<u32, Vec<(usize, bool)>> = HashMap::new();
    for (row, fields) in rows(include_str!("../packs/en/kinds.tsv")).enumerate() {
        for (column, words) in fields.iter().enumerate() {
            for stem in words.split(' ').flat_map(stems) {
                kinds.entry(stem).or_default().push((row, column == 0));
            }
        }
    }
    kinds
});

static OBJECTS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = rows(include_str!("../packs/en/objects.tsv"));
    lines.filter_map(|fields| Some((*fields.first()?, fields.get(1)?.split(' ').collect()))).collect()
});

#[cfg(test)]
mod kinds {
    use super::{may_stand_for, takes};

    #[test]
    fn a_general_word_stands_for_a_special_one_and_not_the_other_way_round() {
        for (asked, said, is_same) in [
            ("drug", "medication", true),
            ("drugs", "antibiotic", true),
            ("antibiotic", "drug", false),
            ("antibiotic", "vaccine", false),
            ("engine", "locomotive", true),
            ("main", "principal", true),
            ("main", "second", false),
        ] {
            assert_eq!(may_stand_for(asked, said), is_same, "{asked} {said}");
        }
        assert!(takes("burns", "fuel") && !takes("burns", "language"));
    }
}
