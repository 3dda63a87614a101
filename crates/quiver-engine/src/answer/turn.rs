//! Turns of conversations as sources of answers.
//!
//! Somebody says "I" and means themselves, supposes and plans, and says something else weeks later.

use super::{
    form::Role,
    reading::{Piece, Reading, Turn, Wanted, says},
    word::says_any,
};

/// Minimum coverage of the question by a later turn, relative to an answer's own, for its names and numbers to count as
/// newer ones.
const LATER_LEAST: f32 = 0.5;

const FIRST_PERSON: [&str; 14] =
    ["i", "i'm", "i've", "i'll", "i'd", "im", "my", "me", "mine", "we", "we're", "we've", "our", "us"];

/// Words with which a question asks for what was before.
const BEFORE: [&str; 8] =
    ["before", "first", "initially", "originally", "previous", "previously", "former", "used"];

/// Words with which somebody corrects or changes what was said.
const CHANGE: [&str; 12] = [
    "actually",
    "now",
    "instead",
    "anymore",
    "longer",
    "correction",
    "moved",
    "changed",
    "postponed",
    "cancelled",
    "new",
    "after",
];

/// Whether a sentence is not about what the question names: it names neither that nor, with "I", the speaker.
pub(super) fn tells_of_other(reading: &Reading, piece: &Piece) -> bool {
    let Some(turn) = &reading.pages[piece.source].turn else { return false };
    let is_self = says_any(&piece.words, &FIRST_PERSON);
    let asks_self = says_any(&reading.form.words, &FIRST_PERSON);
    let speakers = reading.pages.iter().filter_map(|page| page.turn.as_ref());
    let speakers = speakers.fold(0, |all, turn| all | turn.speaker.exact);
    let is_other = |(bit, wanted): (usize, &Wanted)| {
        let is_speaker = turn.speaker.exact >> bit & 1 == 1;
        let is_of_conversation = speakers >> bit & 1 == 1;
        if wanted.role != Role::Name && !is_of_conversation || is_self && is_speaker {
            return false;
        }
        // "Hey Nate, my audition is on Friday" is not about Nate.
        is_self && is_of_conversation && !asks_self || !piece.with_context.has(bit)
    };
    reading.wanted.iter().enumerate().any(is_other)
}

/// Words with which a question asks for the last of several states.
const SETTLED: [&str; 4] = ["finally", "actually", "eventually", "ultimately"];

/// Whether something else may hold: a later turn says as much of what is asked, and something else, or the question
/// implies that, and this turn tells of no change.
pub(super) fn is_outdated(reading: &Reading, piece: &Piece) -> bool {
    let Some(turn) = &reading.pages[piece.source].turn else { return false };
    let asked = &reading.form.words;
    let says = |words: &[&str]| {
        asked.windows(words.len()).any(|run| run.iter().zip(words).all(|(word, say)| word.lower == **say))
    };
    let is_settled = says_any(asked, &SETTLED) || says(&["in", "the", "end"]) || says(&["by", "now"]);
    if is_settled && !says_any(&piece.words, &CHANGE) {
        return true;
    }
    let own = reading.cover(piece.said.and(turn.speaker));
    !says_any(&reading.form.words, &BEFORE)
        && later(reading, turn).any(|(other, cover)| {
            let least = if says_any(&other.words, &CHANGE) { own * LATER_LEAST } else { own };
            cover > 0.0 && cover >= least && has_news(reading, other, &piece.lower)
        })
}

/// The statements of later turns, each with the share of the question that it covers.
fn later<'r>(reading: &'r Reading, turn: &Turn) -> impl Iterator<Item = (&'r Piece, f32)> {
    let at = turn.at;
    let statements = reading.pieces.iter().filter(|piece| !piece.unit.text.trim_end().ends_with('?'));
    statements.filter_map(move |piece| {
        let turn = reading.pages[piece.source].turn.as_ref().filter(|turn| turn.at > at)?;
        Some((piece, reading.cover(piece.said.and(turn.speaker))))
    })
}

/// Whether a sentence has a name or a number that neither the question nor another text has.
fn has_news(reading: &Reading, piece: &Piece, other: &str) -> bool {
    let is_new = |text: &str| !says(&reading.asked, text) && !says(other, text);
    piece.named.iter().any(|named| is_new(&named.key))
        || piece.words.iter().any(|word| word.is_number() && is_new(&word.lower))
}

/// Whether a sentence of a turn only supposes, wishes or plans what the question takes as fact.
pub(super) fn only_supposes(reading: &Reading, piece: &Piece) -> bool {
    says_any(&piece.words, &SUPPOSING) && !says_any(&reading.form.words, &SUPPOSING)
}

/// Words with which somebody supposes, wishes or plans.
const SUPPOSING: [&str; 18] = [
    "would",
    "wouldn't",
    "could",
    "couldn't",
    "might",
    "should",
    "shouldn't",
    "if",
    "unless",
    "maybe",
    "perhaps",
    "hope",
    "hoping",
    "think",
    "thinking",
    "wish",
    "i'd",
    "we'd",
];
