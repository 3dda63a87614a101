//! Sentences that say, or deny, all that is asked of in a question for yes or no: "Can a moth see red?", "Moths cannot
//! see red."

use super::is_same;
use crate::answer::{
    form::{Asks, Form},
    reading::{Piece, Reading},
    unit::UnitKind,
    word::Word,
};

/// How many content words may stand between those of the question.
const BETWEEN_MAX: usize = 3;
/// How many words a question has to have for a sentence with all of them to be about the same.
const ASKED_LEAST: usize = 3;

/// The piece that says it most closely.
pub(super) fn closed(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form)?;
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let is_told = matches!(piece.unit.kind, UnitKind::Prose | UnitKind::Item);
        let between = between(&asked, piece).filter(|between| is_told && *between <= BETWEEN_MAX)?;
        Some((between, at))
    });
    found.min().map(|(_, at)| at)
}

fn asked(form: &Form) -> Option<Vec<&Word>> {
    let is_closed = form.asks == Asks::YesNo && form.question_word.is_none() && form.either.is_none();
    let words = form.words.iter().skip(1).filter(|word| !word.is_function);
    let words: Vec<&Word> = words.collect();
    (is_closed && words.len() >= ASKED_LEAST).then_some(words)
}

/// How many content words a sentence says between those of the question, which it begins with and has in their order.
fn between(asked: &[&Word], piece: &Piece) -> Option<usize> {
    let text = piece.unit.text.trim_end();
    let first = piece.words.first()?;
    let is_open = matches!(
        first.lower.as_str(),
        "if" | "when" | "whenever" | "unless" | "once" | "to" | "whether" | "see" | "for" | "while"
    );
    if is_open || text.ends_with(['?', ':']) {
        return None;
    }
    let mut said = piece.words.iter().filter(|word| !word.is_function);
    let mut between = 0;
    for (at, word) in asked.iter().enumerate() {
        let before = said.by_ref().position(|said| is_same(word, said))?;
        if at == 0 && before > 0 {
            return None;
        }
        between += before;
    }
    Some(between)
}
