//! Objections to a sentence that denies what is asked, or says the opposite.

use std::sync::LazyLock;

use quiver_language::{opposite::opposites, word::is_verb};
use quiver_models::Lexical;

use super::super::{
    form::{Asks, Role, is_auxiliary},
    reading::{Piece, Reading, Wanted},
    word::{Word, denies, says_any, words},
};

/// Whether a sentence negates what the question asks about: "should not be tested".
pub(super) fn denies_asked(reading: &Reading, piece: &Piece) -> bool {
    let is_relation = |wanted: &&Wanted| {
        matches!(wanted.role, Role::Outer | Role::Inner) && !reading.form.words[wanted.word].is_capital
    };
    piece.words.iter().enumerate().any(|(at, word)| {
        reading.wanted.iter().filter(is_relation).any(|wanted| reading.agreement(wanted, word) >= 1.0)
            && denies(&piece.words[at.saturating_sub(2)..at])
    })
}

/// Whether a sentence of one clause only denies: "It will not go under the bridge" for "Which pump goes under the bridge?"
pub(super) fn only_denies(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_negated = words.iter().position(|word| is_auxiliary(&word.lower)).is_some_and(|verb| {
        words.get(verb + 1).is_some_and(|next| matches!(next.lower.as_str(), "not" | "never"))
    });
    let has_other_clause = piece.unit.text.contains([',', ';', ':', '–', '—']);
    let is_bound = says_any(
        words,
        &[
            "but", "until", "unless", "before", "after", "only", "except", "than", "if", "when", "without",
            "since",
        ],
    );
    matches!(reading.form.asks, Asks::Thing | Asks::Person | Asks::Organisation | Asks::Place)
        && is_negated
        && !has_other_clause
        && !is_bound
}

/// Whether a sentence may tell why something is not done without a negation: "The bay is closed because terns nest there" for
/// "Why can't I go into the bay?" It has none of the question's verbs; "Cats like fish" is no answer to why they don't like
/// water.
pub(super) fn is_ruled_out(reading: &Reading, piece: &Piece) -> bool {
    let is_deed =
        |wanted: &&Wanted| wanted.role != Role::Name && is_verb(&reading.form.words[wanted.word].lower);
    let says = |wanted: &Wanted| piece.words.iter().any(|word| reading.agreement(wanted, word) >= 1.0);
    reading.form.asks == Asks::Reason && !reading.wanted.iter().filter(is_deed).any(says)
}

/// The stems of the opposites.
static OPPOSITE_STEMS: LazyLock<Vec<[u32; 2]>> = LazyLock::new(|| {
    let stem = |word: &str| words(&Lexical::new(), word).first().and_then(|word| word.stems.first().copied());
    let stems = opposites().filter_map(|(one, other)| Some([stem(one)?, stem(other)?]));
    stems.collect()
});

/// Whether a sentence contains the opposite of a question word and not the word itself.
pub(super) fn is_opposite(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    // The parts of a compound count: "the worst-case cost".
    let has = |words: &[Word], stem: u32| words.iter().any(|word| word.stems.contains(&stem));
    // "How old is the new loom?"
    let is_measure = |at: usize| at > 0 && form.words[at - 1].lower == "how";
    let asks =
        |stem: u32| (0..form.words.len()).any(|at| form.words[at].stems.contains(&stem) && !is_measure(at));
    let says = |stem: u32| has(&piece.words, stem);
    let is_turned =
        |asked: u32, opposite: u32| asks(asked) && !asks(opposite) && says(opposite) && !says(asked);
    OPPOSITE_STEMS.iter().any(|&[one, other]| is_turned(one, other) || is_turned(other, one))
        || form.words.iter().any(|asked| {
            let is_negated = |word: &Word| {
                is_negation_of(&asked.lower, &word.lower) || is_negation_of(&word.lower, &asked.lower)
            };
            let said = |words: &[Word], lower: &str| words.iter().any(|word| word.lower == lower);
            piece.words.iter().any(|word| {
                is_negated(word) && !said(&form.words, &word.lower) && !said(&piece.words, &asked.lower)
            })
        })
}

/// Whether a word negates another by its prefix: "unnecessary", "non-official", "inactive".
pub(super) fn is_negation_of(word: &str, other: &str) -> bool {
    let has = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.strip_prefix(prefix) == Some(other));
    let is_adjective = || ADJECTIVE_ENDINGS.iter().any(|ending| other.ends_with(ending));
    other.len() >= 4
        && (has(&["un", "non-", "non"]) || has(&["in", "im", "ir", "il", "dis"]) && is_adjective())
}

/// Endings of adjectives. Before other words "in" and "dis" often do not negate: "income", "display".
const ADJECTIVE_ENDINGS: [&str; 8] = ["able", "ible", "ive", "ete", "ent", "ular", "urate", "similar"];
