//! A value beside the kind of thing asked for: "Which header carries the signature?", "The signature is sent in the
//! `X-Loom-Signature` header."

use std::ops::Range;

use quiver_language::word::is_verb;

use super::{Stated, is_same, name::is_identifier};
use crate::{
    candidate::key,
    form::{Asks, Role},
    objection::of_sentence,
    reading::{Piece, Reading},
    unit::announces,
    word::Word,
};

/// The only sentence that says all of the question and has a value beside the kind that it asks for; `None` if others have other
/// values.
pub(super) fn attached(reading: &Reading) -> Option<Stated> {
    let kind = asked_kind(reading)?;
    let told = reading.pieces.iter().enumerate().filter(|(_, piece)| is_told(piece));
    let mut found = told.filter(|(_, piece)| says_all_but_verb(reading, piece)).filter_map(|(at, piece)| {
        let value = value_beside(reading, piece, kind)?;
        of_sentence(reading, at, true).is_none().then(|| (at, key(&piece.unit.text[value])))
    });
    let (first, value) = found.next()?;
    let agrees = |other: &str| other.contains(&value) || value.contains(other);
    found.all(|(_, other)| agrees(&other)).then(|| Stated::whole(first))
}

/// The noun after "which" or "what", if one thing of this kind is asked for.
fn asked_kind(reading: &Reading) -> Option<&Word> {
    let form = &reading.form;
    let at = form.question_word?;
    let is_which = matches!(form.words[at].lower.as_str(), "which" | "what");
    let kind = form
        .kind
        .filter(|kind| *kind > at && !form.words[at + 1..=*kind].iter().any(|word| word.is_function));
    // "What set the barn on fire?" has a verb there.
    let has_verb = kind.is_some_and(|at| {
        let next = form.words.get(at + 1).map_or("", |next| next.lower.as_str());
        is_verb(&form.words[at].lower) && matches!(next, "the" | "a" | "an" | "our" | "my" | "your")
    });
    let is_one = is_which && !has_verb && form.asks == Asks::Thing && !form.is_list && !form.is_negative;
    kind.filter(|_| is_one).map(|kind| &form.words[kind])
}

fn is_told(piece: &Piece) -> bool {
    let text = piece.unit.text.trim_end();
    piece.is_sentence() && !text.ends_with('?') && !announces(text)
}

/// Whether a piece, with its headings, says all words of the question but the kind and one verb: "which header *carries* it".
fn says_all_but_verb(reading: &Reading, piece: &Piece) -> bool {
    let others = || reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role != Role::Kind);
    let is_said = |bit: usize| piece.own.has(bit) || piece.above.has(bit);
    let (said, open): (Vec<_>, Vec<_>) = others().partition(|(bit, _)| is_said(*bit));
    let own = said.iter().filter(|(bit, _)| piece.said.has(*bit)).count();
    match open.as_slice() {
        [] => own > 0,
        [(_, wanted)] => {
            let verb = &reading.form.words[wanted.word];
            wanted.role != Role::Name && is_verb(&verb.lower) && own > 0 && said.len() > 1
        }
        _ => false,
    }
}

/// Maximum number of words between a value and its kind: "`Mail.Send` *application* permission".
const BETWEEN_MAX: usize = 1;

/// The value before a kind, or the number or the name after it: "the MIT license", "port 8080".
fn value_beside(reading: &Reading, piece: &Piece, kind: &Word) -> Option<Range<usize>> {
    let words = &piece.words;
    let text = |at: usize| &piece.unit.text[words[at].start..words[at].end];
    let is_beside = |at: usize| piece.gap_before(at).trim_matches(['`', '"', ' ']).is_empty();
    let is_value = |at: usize| {
        let word = &words[at];
        !reading.form.has_form(word)
            && (word.is_numeric()
                || is_identifier(text(at))
                || at > 0 && word.is_capital && !word.is_function)
    };
    let before = |kind: usize| {
        let near = (kind.saturating_sub(BETWEEN_MAX + 1)..kind).rev();
        let mut near = near.take_while(|at| is_beside(at + 1) && !words[*at].is_function);
        let last = near.find(|at| is_value(*at))?;
        let mut first = last;
        while first > 0 && is_beside(first) && is_value(first - 1) {
            first -= 1;
        }
        Some(words[first].start..words[last].end)
    };
    let after = |kind: usize| {
        let next = words.get(kind + 1).filter(|next| next.is_numeric() || is_identifier(text(kind + 1)))?;
        (is_beside(kind + 1) && is_value(kind + 1)).then_some(next.start..next.end)
    };
    let mut kinds = (0..words.len()).filter(|at| is_same(kind, &words[*at]));
    kinds.find_map(|at| before(at).or_else(|| after(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Even;

    fn stated(question: &str, text: &str) -> Option<usize> {
        let text = format!("# Looms\n\n{text}\n");
        let reading = Reading::of_passage(question, Some("Looms"), &text, &Even);
        attached(&reading).map(|stated| stated.pieces.start)
    }

    #[test]
    fn a_value_beside_its_kind_answers_if_all_else_is_said() {
        let header = "The signature of a call is sent in the X-Loom-Signature HTTP header.";
        assert_eq!(stated("Which header carries the signature of a call?", header), Some(0));
        assert_eq!(stated("Which header carries the length of a call?", header), None);
        let port = "By default, the weir listens on port 8080.";
        assert_eq!(stated("What port does the weir use by default?", port), Some(0));
        let plain = "The signature of a call is sent in a header of its own.";
        assert_eq!(stated("Which header carries the signature of a call?", plain), None);
        let two = "Calls of the weir use port 8080. In tests, calls of the weir use port 9090.";
        assert_eq!(stated("Which port do calls of the weir use?", two), None);
    }
}
