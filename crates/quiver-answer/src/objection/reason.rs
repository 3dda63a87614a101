//! Objections to a sentence that gives no reason for what the question asks about.

use std::ops::Range;

use quiver_language::{Class, Language, cause::Cause};

use super::super::{
    cue::{Connective, connectives},
    form::Asks,
    lexicon::is_condition,
    reading::{Piece, Reading, Said},
    word::{Word, says_any},
};

/// Minimum share of the question that the effect must cover, with the title, the headings and the sentence before.
const EFFECT_LEAST: f32 = 0.5;
/// Minimum share of the question words of the sentence that must be on the effect's side.
const ON_SIDE_LEAST: f32 = 0.6;
/// Minimum number of words in a reason that are not in the question.
const NEW_WORDS_LEAST: usize = 2;
/// Maximum number of words between "for" and "reasons".
const REASON_WORDS_MAX: usize = 3;

/// Whether the question asks for a reason, and neither the sentence nor the text that it is quoted with gives one for what
/// is asked about. "The loom stops because the belt is old" gives none for an old belt.
pub(super) fn lacks_reason(reading: &Reading, at: usize) -> bool {
    let gives_any = |context: Range<usize>| {
        let first = context.start;
        context.into_iter().any(|piece| gives_reason(reading, first, piece))
    };
    reading.form.asks == Asks::Reason
        && says_any(&reading.form.words, &["why", "reason"])
        && !gives_any(reading.context(at))
}

/// Whether the question asks what caused something, and a sentence neither says that nor has a word for a cause: "The walk
/// was short in the fog" for "What caused the delays in the fog?"
pub(super) fn lacks_cause(reading: &Reading, at: usize) -> bool {
    let form = &reading.form;
    let is_cause = |word: &Word| matches!(word.lower.as_str(), "caused" | "causes" | "cause");
    let Some(verb) =
        form.question_word.map(|at| at + 1).filter(|at| form.words.get(*at).is_some_and(is_cause))
    else {
        return false;
    };
    let is_joint = |word: &&Word| Language::English.class(&word.lower) == Some(Class::Preposition);
    let object = form.words[verb + 1..].iter().take_while(|word| !is_joint(word));
    let Some(effect) = object.filter(|word| !word.is_function).last() else { return false };
    let context = reading.context(at);
    let says = |piece: &Piece| {
        let is_effect = |word: &Word| word.is_form_of(effect);
        piece.words.iter().any(|word| is_cause(word) || is_effect(word))
            || !connectives(&piece.unit.text, &piece.words).is_empty()
    };
    !reading.pieces[context].iter().any(says)
}

/// Whether a piece gives a reason for what the question asks about. The piece before it, from `first` on, may contain the
/// effect or the reason that this one refers to: "This is because …", "Therefore, …".
fn gives_reason(reading: &Reading, first: usize, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let words = &piece.words;
    let before = at.checked_sub(1).filter(|before| *before >= first);
    let of_piece = reading.cover(piece.said);
    let is_effect = |side: &[Word], other: &[Word], may_refer: bool| {
        let (said, beyond) = (reading.said(side), reading.said(other));
        let refers = may_refer && refers(side) && reading.cover(said) <= 0.0;
        let earlier = before.filter(|_| refers).map_or(Said::default(), |before| reading.pieces[before].said);
        let own = if refers { 1.0 } else { reading.cover(said) / of_piece.max(f32::MIN_POSITIVE) };
        let around = piece.with_context.without(beyond).and(said).and(earlier).with_synonyms();
        (of_piece <= 0.0 || own >= ON_SIDE_LEAST) && reading.cover(around) >= EFFECT_LEAST
    };
    let is_reason = |side: &[Word]| {
        let is_new = |word: &&Word| {
            !word.is_function && !reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0)
        };
        let own = side.iter().filter(is_new).count();
        let earlier = before.filter(|_| refers(side)).map_or(&[][..], |before| &reading.pieces[before].words);
        own + earlier.iter().filter(is_new).count() >= NEW_WORDS_LEAST
    };
    // "FTP is blocked for security reasons."
    let named = (0..words.len()).find_map(|at| {
        let end = (at + 2..words.len().min(at + 2 + REASON_WORDS_MAX))
            .find(|end| words[*end].lower == "reasons")?;
        (words[at].lower == "for").then_some(at..end)
    });
    if let Some(named) = named {
        let rest = [&words[..named.start], &words[named.end + 1..]].concat();
        return is_effect(&rest, &words[named], false);
    }
    connectives(&piece.unit.text, words).into_iter().any(|Connective { words: joint, cause }| {
        let (left, right) = (&words[..joint.start], &words[joint.end..]);
        // "Since the belt is old, the loom stops."
        let turned = || {
            let comma = piece.word_after_break(joint.end, |gap| gap.contains(','))?;
            Some((&words[comma..], &words[joint.end..comma]))
        };
        let sides: Vec<(&[Word], &[Word])> = match cause {
            Cause::Reason if joint.start <= 1 => turned().into_iter().chain([(left, right)]).collect(),
            Cause::Reason => vec![(left, right)],
            Cause::Effect => vec![(right, left)],
            // "If the belt is old, ask somebody to help.", "Avoid old belts."
            _ if left.is_empty() || words.first().is_some_and(|first| is_condition(&first.lower)) => {
                Vec::new()
            }
            _ => vec![(left, right), (right, left)],
        };
        // "This is because …", but not "… so it stops"
        let may_refer = cause == Cause::Reason;
        sides.into_iter().any(|(effect, reason)| is_effect(effect, reason, may_refer) && is_reason(reason))
    })
}

/// Whether words refer to the sentence before: "this is valuable", or nothing before "therefore".
fn refers(words: &[Word]) -> bool {
    let is_pronoun =
        |word: &Word| matches!(word.lower.as_str(), "this" | "that" | "these" | "those" | "it" | "they");
    words.iter().all(|word| word.is_function) || words.first().is_some_and(is_pronoun)
}
