//! Sentences about another thing than the one that the question describes.

use super::{
    Bridge, is_same,
    naming::{Naming, announced},
    phrase::{Phrase, describes, is_within_another, phrases},
    told::mentions,
};
use crate::{
    reading::{Piece, Reading},
    word::Word,
};

/// The pieces about another thing than the described one: those that neither name the thing nor say its description, if a
/// sentence names it; and those that have another word where the description has one, which another sentence says.
pub(super) fn others(reading: &Reading, bridge: Option<&Bridge>) -> Vec<usize> {
    let is_other = |at: &usize| {
        let is_named = bridge.is_some_and(|bridge| bridge.is_clear && names(reading, bridge, *at));
        let asks_of_it = |bridge: &&Bridge| !is_within_another(reading, &bridge.phrase);
        let is_of_other =
            || bridge.filter(asks_of_it).is_some_and(|bridge| is_of_other(reading, bridge, *at));
        !is_named && (is_of_other() || says_sibling(reading, *at))
    };
    (0..reading.pieces.len()).filter(|at| is_untitled(reading, *at)).filter(is_other).collect()
}

/// Whether the passage of a piece has no title and the piece no heading. A sentence under a title need not say what it is about.
pub(super) fn is_untitled(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    reading.pages[piece.source].title.is_empty() && piece.unit.heading.is_empty()
}

/// Whether a piece does not say the description; if nothing is known to have it, whether it speaks of a thing of the kind.
fn is_of_other(reading: &Reading, bridge: &Bridge, at: usize) -> bool {
    let head = &reading.form.words[bridge.phrase.head];
    let says_kind = || says_in(&reading.pieces[at], head);
    let is_of_kind = || !bridge.namings.is_empty() || says_kind();
    let is_of_other = || is_of_kind() || bridge.namings.is_empty() && has_name_beside(reading, bridge, at);
    !is_described(reading, &bridge.phrase, at) && is_of_other() && !goes_on(reading, bridge, at)
}

/// Whether a piece has the name of what another piece announces beside the described thing: "Oriel", where "the tiled roof is
/// protected by a varnish called Oriel".
fn has_name_beside(reading: &Reading, bridge: &Bridge, at: usize) -> bool {
    let words = &reading.pieces[at].words;
    let has = |name: &[Word]| {
        words
            .windows(name.len())
            .any(|said| said.iter().zip(name).all(|(one, other)| one.lower == other.lower))
    };
    (0..reading.pieces.len()).filter(|other| is_described(reading, &bridge.phrase, *other)).any(|other| {
        let piece = &reading.pieces[other];
        announced(piece).into_iter().any(|name| has(&piece.words[name]))
    })
}

/// Whether a piece goes on after one that names the described thing, in the same passage, and has no other name.
fn goes_on(reading: &Reading, bridge: &Bridge, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let is_after = |before: usize| {
        let naming = |naming: &Naming| naming.piece == before;
        let other = &reading.pieces[before];
        other.source == piece.source
            && other.place < piece.place
            && (bridge.namings.iter().any(naming) || names(reading, bridge, before))
    };
    let has_name = piece.words.iter().skip(1).any(|word| word.is_capital && !word.is_function);
    bridge.is_clear && !has_name && (0..reading.pieces.len()).any(is_after)
}

/// Whether a piece names the described thing.
fn names(reading: &Reading, bridge: &Bridge, at: usize) -> bool {
    bridge.namings.iter().any(|naming| {
        let name = &reading.pieces[naming.piece].words[naming.name.clone()];
        let equation = super::equation_of(reading, &bridge.phrase, naming);
        !mentions(reading, name, &equation, at).is_empty()
    })
}

/// Whether a piece, its headings or the sentence before it say all words of a description.
fn is_described(reading: &Reading, phrase: &Phrase, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let asked = &reading.form.words;
    phrase.words.iter().all(|word| says_in(piece, &asked[*word]) || reading.is_around(piece, &asked[*word]))
}

fn says_in(piece: &Piece, asked: &Word) -> bool {
    piece.words.iter().any(|said| !said.is_function && describes(asked, said))
}

/// Whether a piece has another word before a noun than the question, "the *inner* walls" for "the *outer* walls", and another
/// piece has the one of the question.
fn says_sibling(reading: &Reading, at: usize) -> bool {
    let asked = &reading.form.words;
    let piece = &reading.pieces[at];
    let pairs = (1..asked.len()).map(|noun| (noun - 1, noun));
    let is_pair = |(modifier, noun): &(usize, usize)| {
        let gap = &reading.question[asked[*modifier].end..asked[*noun].start];
        let is_content =
            |at: usize| !asked[at].is_function && !asked[at].is_possessive && !asked[at].is_number();
        gap == " " && is_content(*modifier) && is_content(*noun)
    };
    pairs.filter(is_pair).any(|(modifier, noun)| {
        let (modifier, noun) = (&asked[modifier], &asked[noun]);
        let is_in_phrase = phrases(reading).iter().any(|phrase| {
            let has = |word: &Word| phrase.words.iter().any(|at| asked[*at].start == word.start);
            has(modifier) && has(noun)
        });
        let is_said = || {
            reading.pieces.iter().any(|other| {
                other.words.windows(2).any(|pair| describes(modifier, &pair[0]) && describes(noun, &pair[1]))
            })
        };
        is_in_phrase
            && has_other(piece, modifier, noun)
            && !says_in(piece, modifier)
            && !reading.is_around(piece, modifier)
            && is_said()
    })
}

/// Whether a piece has another content word than this one directly before a noun, and never the noun without one.
fn has_other(piece: &Piece, modifier: &Word, noun: &Word) -> bool {
    let words = &piece.words;
    let mut found =
        (0..words.len()).filter(|at| !words[*at].is_function && is_same(noun, &words[*at])).peekable();
    let is_other = |at: usize| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        before.is_some_and(|before| {
            let gap = &piece.unit.text[before.end..words[at].start];
            gap == " "
                && !before.is_function
                && !before.is_possessive
                && !before.is_number()
                && before.is_capital == modifier.is_capital
                && !describes(modifier, before)
                && !quiver_language::word::is_past(&before.lower)
        })
    };
    found.peek().is_some() && found.all(is_other)
}
