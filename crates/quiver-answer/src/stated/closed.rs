//! Sentences that affirm or deny everything in a yes-or-no question: "Can a moth see red?", "Moths cannot see
//! red."

use super::is_same;
use crate::{
    form::{Asks, Form},
    reading::{Piece, Reading},
    word::Word,
};

/// Maximum number of content words between the words of the question.
const BETWEEN_MAX: usize = 3;
/// Maximum number of words of an opening: "Note that moths …".
const OPENING_MAX: usize = 3;
/// Minimum number of content words in a question for a sentence with all of them to be about the same.
const ASKED_LEAST: usize = 3;
/// The same if the sentence addresses the one who asks: "Can I leave my loom?", "You can leave your loom".
const ASKED_OF_ASKER_LEAST: usize = 2;

/// The piece with the closest match.
pub(super) fn closed(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form)?;
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let is_told = piece.is_sentence();
        let is_enough = asked.len() >= ASKED_LEAST || addresses_asker(&reading.form, piece);
        let between = between(&asked, piece).filter(|between| *between <= BETWEEN_MAX)?;
        (is_told && is_enough).then_some((between, at))
    });
    found.min().map(|(_, at)| at)
}

/// The content words, each with the preposition before it.
fn asked(form: &Form) -> Option<Vec<(&Word, &str)>> {
    let is_closed = form.asks == Asks::YesNo && form.question_word.is_none() && form.either.is_none();
    let content = (1..form.words.len()).filter(|at| !form.words[*at].is_function);
    let words: Vec<_> = content.map(|at| (&form.words[at], leading_to(&form.words, at))).collect();
    (is_closed && words.len() >= ASKED_OF_ASKER_LEAST).then_some(words)
}

/// Whether a question begins with what its asker may, can or must do, and a sentence with what "you" may, can or must.
fn addresses_asker(form: &Form, piece: &Piece) -> bool {
    let asked = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let from = beginning(piece);
    let said = |at: usize| piece.words.get(from + at).map_or("", |word| word.lower.as_str());
    let permits = |word: &str| matches!(word, "can" | "could" | "may" | "cannot" | "can't" | "couldn't");
    let obliges = |word: &str| matches!(word, "must" | "should" | "mustn't" | "shouldn't");
    let is_same_mood = if permits(asked(0)) {
        permits(said(1))
    } else if obliges(asked(0)) {
        obliges(said(1))
    } else {
        matches!(asked(0), "do" | "did") && !permits(said(1)) && !obliges(said(1))
    };
    matches!(asked(1), "i" | "we" | "you") && said(0) == "you" && is_same_mood
}

/// The index of the first word of a sentence after an opening: "Note that …", "Yes, …".
fn beginning(piece: &Piece) -> usize {
    let that = piece.words.iter().take(OPENING_MAX).position(|word| word.lower == "that");
    let is_opening =
        |word: &Word| word.lower.ends_with("ly") || matches!(word.lower.as_str(), "yes" | "no" | "sorry");
    that.map_or_else(|| usize::from(piece.words.first().is_some_and(is_opening)), |that| that + 1)
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
    let mut said = (beginning(piece)..piece.words.len()).filter(|at| !piece.words[*at].is_function);
    let (mut between, mut last) = (0, None);
    for (order, (word, preposition)) in asked.iter().enumerate() {
        // "Case-sensitive" for "case sensitive"
        let is_in_last = |last: usize| {
            let stem = word.stems.first();
            piece.words[last].lower.contains('-')
                && stem.is_some_and(|stem| piece.words[last].stems.contains(stem))
        };
        if last.is_some_and(is_in_last) {
            continue;
        }
        let mut before = 0;
        let at = said.by_ref().find(|at| {
            let is_it = is_same(word, &piece.words[*at]) || is_in_last(*at);
            before += usize::from(!is_it);
            is_it
        })?;
        if order == 0 && before > 0 || leading_to(&piece.words, at) != *preposition {
            return None;
        }
        between += before;
        last = Some(at);
    }
    Some(between)
}

#[cfg(test)]
mod tests {
    use super::closed;
    use crate::reading::{Even, Reading};

    #[test]
    fn a_sentence_with_an_opening_or_a_compound_says_whether() {
        let says =
            |question: &str, text: &str| closed(&Reading::of_passage(question, None, text, &Even)).is_some();
        assert!(says("Is the loom allowed in the attic?", "Note that the loom is not allowed in the attic."));
        assert!(says("Are looms moth proof?", "Looms are moth-proof by now."));
        assert!(!says(
            "Is the loom allowed in the attic?",
            "The mill with the loom is allowed in the attic."
        ));
        assert!(!says("Are looms moth proof?", "Looms that moths like are not fire-proof."));
        assert!(says("Can I leave my loom?", "Yes, you can leave your loom in the attic."));
        assert!(says("May we leave our looms?", "You cannot leave your looms overnight."));
        assert!(says("Do I need a key?", "You don't need a key."));
        assert!(!says("Can I leave my loom?", "You must leave your loom at the gate."));
        assert!(!says("Can I leave my loom?", "Wardens can leave their loom in the attic."));
    }
}
