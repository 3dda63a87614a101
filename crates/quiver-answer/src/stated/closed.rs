//! Sentences that affirm or deny everything in a yes-or-no question: "Can a moth see red?", "Moths cannot see
//! red."

use super::is_same;
use crate::{
    form::{Asks, Form},
    reading::{Piece, Reading},
    unit::UnitKind,
    word::Word,
};

/// Maximum number of content words between the words of the question.
const BETWEEN_MAX: usize = 3;
/// Minimum number of content words in a question for a sentence with all of them to be about the same.
const ASKED_LEAST: usize = 3;

/// The piece with the closest match.
pub(super) fn closed(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form)?;
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let is_told = matches!(piece.unit.kind, UnitKind::Prose | UnitKind::Item);
        let between = between(&asked, piece).filter(|between| is_told && *between <= BETWEEN_MAX)?;
        Some((between, at))
    });
    found.min().map(|(_, at)| at)
}

/// The content words, each with the preposition before it.
fn asked(form: &Form) -> Option<Vec<(&Word, &str)>> {
    let is_closed = form.asks == Asks::YesNo && form.question_word.is_none() && form.either.is_none();
    let content = (1..form.words.len()).filter(|at| !form.words[*at].is_function);
    let words: Vec<_> = content.map(|at| (&form.words[at], leading_to(&form.words, at))).collect();
    (is_closed && words.len() >= ASKED_LEAST).then_some(words)
}

/// The preposition before a word, if it marks an agent, a direction or a time: "is fed *by* the keeper".
pub(super) fn leading_to(words: &[Word], at: usize) -> &str {
    let before = words[..at].iter().rev().take_while(|word| word.is_function).map(|word| word.lower.as_str());
    let is_telling = |word: &&str| {
        matches!(
            *word,
            "by" | "from"
                | "to"
                | "before"
                | "after"
                | "without"
                | "above"
                | "below"
                | "under"
                | "over"
                | "against"
        )
    };
    before.into_iter().find(is_telling).unwrap_or_default()
}

/// The number of content words between the question's words in a sentence that begins with them and keeps
/// their order.
fn between(asked: &[(&Word, &str)], piece: &Piece) -> Option<usize> {
    let text = piece.unit.text.trim_end();
    let first = piece.words.first()?;
    let is_open = matches!(
        first.lower.as_str(),
        "if" | "when" | "whenever" | "unless" | "once" | "to" | "whether" | "see" | "for" | "while"
    );
    if is_open || text.ends_with(['?', ':']) {
        return None;
    }
    let mut said = (0..piece.words.len()).filter(|at| !piece.words[*at].is_function);
    let mut between = 0;
    for (order, (word, preposition)) in asked.iter().enumerate() {
        let mut before = 0;
        let at = said.by_ref().find(|at| {
            let is_it = is_same(word, &piece.words[*at]);
            before += usize::from(!is_it);
            is_it
        })?;
        if order == 0 && before > 0 || leading_to(&piece.words, at) != *preposition {
            return None;
        }
        between += before;
    }
    Some(between)
}
