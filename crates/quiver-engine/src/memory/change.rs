//! Detects words of change in the text of a given fact, and simple word forms.

use quiver_language::read;

use super::{lexicon, shape::scale};

/// Returns the word that signals that something superseded something else, if there is one.
pub(super) fn change(sentence: &str) -> Option<String> {
    let all = read(sentence).tokens;
    // "Push notifications" and "by hand" are nouns and do not signal a change.
    let is_noun = |at: usize| {
        let compound =
            at == 0 && all.get(1).is_some_and(|next| next.class.is_none() && next.text.ends_with('s'));
        let led = at > 0 && all[at - 1].norm == "by";
        lexicon::may_be_noun(&all[at].norm) && (compound || led)
    };
    let mut words = (0..all.len()).filter(|at| !is_noun(*at)).map(|at| all[at].norm.as_ref());
    let word = words.find(|word| lexicon::is_change(word));
    // "Taken down to SEV-3" and "raised up to P1" move along a scale; "up to" before anything else sets a limit.
    let along = |at: &usize| {
        let to = all.get(at + 1).is_some_and(|next| next.norm == "to");
        let up = || all.get(at + 2).is_some_and(|value| scale(value.text).is_some());
        to && (all[*at].norm == "down" || all[*at].norm == "up" && up())
    };
    word.or_else(|| (0..all.len()).find(along).map(|at| all[at].norm.as_ref())).map(str::to_owned)
}

/// Whether a word has a past-tense ending.
pub(super) fn is_past(lower: &str) -> bool {
    lower.ends_with("ed") && lower.len() > 4
}

/// Whether a word has a third-person ending.
pub(super) fn is_third_person(lower: &str) -> bool {
    lower.ends_with('s') && lower.len() > 3 && !lower.ends_with("ss") && !lower.ends_with("us")
}

/// Whether a word is an acronym, such as "SLA".
pub(super) fn is_acronym(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}
