//! Turns of conversations as sources of answers.
//!
//! Somebody says "I" and means themselves, supposes and plans, and says something else weeks later.

use quiver_language::talk::{self, Talk};

use super::{
    form::Role,
    reading::{Piece, Reading, Turn, Wanted, says},
    word::{Word, denies, phrase_at, says_at},
};

/// Minimum coverage of the question by a later turn, relative to an answer's own, for its names and numbers to count as
/// newer ones.
const LATER_LEAST: f32 = 0.5;

/// Whether a sentence is not about what the question names: it names neither that nor, with "I", the speaker, or it has no
/// word of the question at all.
pub(super) fn tells_of_other(reading: &Reading, piece: &Piece, turn: &Turn) -> bool {
    let is_self = says_any(&piece.words, Talk::Speaker);
    let asks_self = says_any(&reading.form.words, Talk::Speaker);
    let speakers = reading.pages.iter().filter_map(|page| page.turn.as_ref());
    let speakers = speakers.fold(0, |all, turn| all | turn.speaker.exact);
    if reading.cover(piece.with_context.and(turn.speaker)) <= 0.0 {
        return true;
    }
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

/// Whether something else may hold: a later turn says as much of what is asked, and something else, or the question
/// implies that, and this turn tells of no change.
pub(super) fn is_outdated(reading: &Reading, piece: &Piece, turn: &Turn) -> bool {
    let asked = &reading.form.words;
    let says = |words: &[&str]| {
        asked.windows(words.len()).any(|run| run.iter().zip(words).all(|(word, say)| word.lower == **say))
    };
    let is_settled = says_any(asked, Talk::Settled) || says(&["in", "the", "end"]) || says(&["by", "now"]);
    if is_settled && !says_any(&piece.words, Talk::Change) {
        return true;
    }
    let own = reading.cover(piece.said.and(turn.speaker));
    // What holds now may be told in other words than before.
    let asks_now = (0..asked.len()).any(|at| phrase_at(asked, at, Talk::Now).is_some());
    !says_any(asked, Talk::Before)
        && later(reading, turn).any(|(other, cover)| {
            let is_over = says_end(&other.words);
            let is_change = is_over || asks_now || says_any(&other.words, Talk::Change);
            let least = if is_change { own * LATER_LEAST } else { own };
            let is_alike = cover > 0.0 && cover >= least || is_over && shares_value(reading, piece, other);
            is_alike && (is_over || has_news(reading, other, &piece.lower))
        })
}

/// Whether two sentences share a word of the question, and one that it does not have.
fn shares_value(reading: &Reading, one: &Piece, other: &Piece) -> bool {
    let is_said = |word: &&Word| !word.is_function && other.words.iter().any(|said| said.is_form_of(word));
    let mut asked = one.words.iter().filter(is_said).map(|word| reading.form.has_form(word));
    let said: Vec<bool> = asked.by_ref().collect();
    said.contains(&true) && said.contains(&false)
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

/// Whether words say that something is over: "no longer", "not any more".
pub(super) fn says_end(words: &[Word]) -> bool {
    let says = |at: usize, list: &[&str]| says_at(words, at, list);
    (0..words.len()).any(|at| {
        let is_ended = says(at, &["anymore"]) || says(at, &["any"]) && says(at + 1, &["more", "longer"]);
        says(at, &["no"]) && says(at + 1, &["longer"]) || is_ended && denies(&words[..at])
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
    says_any(&piece.words, Talk::Supposing) && !says_any(&reading.form.words, Talk::Supposing)
}

fn says_any(words: &[Word], what: Talk) -> bool {
    words.iter().any(|word| talk::says(&word.lower, what))
}
