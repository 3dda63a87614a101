//! Objections to a sentence that says it of a sibling of the thing asked about, where neither needs to have a name.

use quiver_language::word::{is_adjective, is_verb};

use super::super::{
    form::{Role, is_auxiliary},
    reading::{Piece, Reading, Said, Wanted, has_token, tokens},
    unit::UnitKind,
    word::Word,
};

/// Whether a sentence says it of something else than the question, and another sentence of its passage is about that: "The
/// garage costs 80 euros" for "How much does the flat cost?"
pub(super) fn is_of_other_subject(reading: &Reading, piece: &Piece) -> bool {
    let words = &reading.form.words;
    let is_do = |word: &Word| matches!(word.lower.as_str(), "do" | "does" | "did");
    let Some(auxiliary) = words.iter().position(is_do) else { return false };
    let mut asked: Vec<(usize, &Wanted)> =
        reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.word > auxiliary).collect();
    // The verb comes last.
    asked.pop();
    let is_common = asked.iter().all(|(_, wanted)| wanted.role != Role::Name);
    let subject = asked.iter().fold(0_u64, |bits, (bit, _)| bits | 1 << bit);
    let has = |said: Said| (said.exact | said.near) & subject != 0;
    let first = piece.words.first().map_or("", |word| word.lower.as_str());
    let is_told_apart = || {
        let mut others = reading.pieces.iter().filter(|other| other.source == piece.source);
        others.any(|other| other.said.exact & subject == subject)
    };
    let names_subject = matches!(first, "the" | "a" | "an" | "our" | "your" | "each" | "every");
    subject != 0 && is_common && names_subject && !has(piece.own) && is_told_apart()
}

/// Maximum number of words of a plain subject: "the members of the guild".
const SUBJECT_MAX: usize = 5;

/// The content words of the subject that a sentence begins with, and its verb: "members" and "borrow" of "Members may not
/// borrow looms."
fn subject_and_verb(piece: &Piece) -> Option<(Vec<&Word>, &Word)> {
    let words = &piece.words;
    let auxiliary = words.iter().take(SUBJECT_MAX + 1).position(|word| is_auxiliary(&word.lower))?;
    let verb = words[auxiliary + 1..].iter().find(|word| !word.is_function)?;
    let subject: Vec<&Word> = words[..auxiliary].iter().filter(|word| !word.is_function).collect();
    (piece.is_sentence() && !subject.is_empty()).then_some((subject, verb))
}

/// Whether a sentence says what another thing does, and one under the same heading whether the thing asked about does the same:
/// "Members may borrow two looms" beside "Guests may not borrow looms" for "How many looms may guests borrow?"
pub(super) fn is_beside_parallel(reading: &Reading, piece: &Piece) -> bool {
    let Some((subject, verb)) = subject_and_verb(piece) else { return false };
    let is_open = |word: &&Word| {
        let says =
            |(bit, wanted): (usize, &Wanted)| reading.agreement(wanted, word) >= 1.0 && !piece.own.has(bit);
        reading.wanted.iter().enumerate().any(says)
    };
    let is_of_asked = |other: &Piece| {
        let told = subject_and_verb(other).filter(|(_, same)| same.is_form_of(verb));
        told.is_some_and(|(subject, _)| subject.iter().any(is_open))
    };
    let is_other = !subject.iter().any(|word| reading.form.has_form(word));
    is_other
        && reading.form.has_form(verb)
        && reading.pieces.iter().any(|other| other.shares_heading(piece) && is_of_asked(other))
}

/// Whether a sentence is about what belongs to another thing: "The door code is 9134" for "What is the code of the safe?", "The
/// owner of the Swan is Ann" for "Who bought the mill?"
pub(super) fn is_of_other_owner(reading: &Reading, piece: &Piece) -> bool {
    is_specified_otherwise(reading, piece) || has_other_owner(reading, piece)
}

/// Whether only the sentence before says what is asked about, and this one begins with something else: "The office has a
/// number. *The van* leaves at eight" for "What is the number of the office?"
pub(super) fn says_nothing_asked(_: &Reading, piece: &Piece) -> bool {
    let first = piece.words.first().map_or("", |word| word.lower.as_str());
    let begins_anew = matches!(first, "the" | "a" | "an" | "our" | "your")
        && piece.words.get(1).is_some_and(|noun| !noun.is_function);
    piece.unit.kind == UnitKind::Prose && begins_anew && piece.own.exact | piece.own.near == 0
}

/// Whether a sentence has another name of the same series than the question: "AH-Guest" for "What is the limit of AH-BYOD?"
pub(super) fn is_of_series(reading: &Reading, piece: &Piece) -> bool {
    let series = |token: &str| {
        let (series, rest) = token.split_once(['-', '_'])?;
        let is_name = token.contains(|c: char| c.is_uppercase() || c.is_numeric());
        let is_word = series.len() > 1 && series.starts_with(char::is_alphabetic);
        (is_word && !rest.is_empty() && is_name).then(|| series.to_owned())
    };
    let is_sibling = |asked: &str| {
        let mut said = tokens(&piece.unit.text).filter(|token| !has_token(&reading.question, token));
        said.any(|token| series(token).is_some() && series(token) == series(asked))
    };
    let mut asked = tokens(&reading.question).filter(|token| series(token).is_some());
    asked.any(|asked| !reading.shows_token(piece, asked) && is_sibling(asked))
}

/// Whether each noun that the question specifies with "of" stands after another noun, and the sentence lacks the specification.
fn is_specified_otherwise(reading: &Reading, piece: &Piece) -> bool {
    let (asked, words) = (&reading.form.words, &piece.words);
    let is_specified_otherwise = |of: usize| {
        let noun = of.checked_sub(1).map(|at| &asked[at]).filter(|noun| !noun.is_function);
        let is_specification = |wanted: &Wanted| {
            let between = asked.get(of + 1..wanted.word);
            between.is_some_and(|between| between.len() <= 1 && between.iter().all(|word| word.is_function))
        };
        let bit = reading.wanted.iter().position(is_specification);
        let (Some(noun), Some(bit)) = (noun, bit) else { return false };
        let mut said = (0..words.len()).filter(|at| noun.is_form_of(&words[*at])).peekable();
        let is_other = |at: usize| {
            piece.word_beside(at).is_some_and(|before| {
                !before.is_function && !before.is_numeric() && !reading.form.has_form(before)
            })
        };
        said.peek().is_some() && !piece.own.has(bit) && said.all(is_other)
    };
    (0..asked.len()).filter(|at| asked[*at].lower == "of").any(is_specified_otherwise)
}

/// Whether a sentence is about what belongs to a name that is not in the question, and lacks a word of the question.
fn has_other_owner(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let of = words.iter().take(SUBJECT_MAX).position(|word| word.lower == "of");
    let Some(of) = of.filter(|of| *of > 0 && words[..*of].iter().any(|word| !word.is_function)) else {
        return false;
    };
    let owner = of + 1 + usize::from(matches!(lower(of + 1), "the" | "our"));
    let mut name =
        words.get(owner..).unwrap_or_default().iter().take_while(|word| word.is_capital).peekable();
    let is_other = name.peek().is_some() && !name.any(|word| reading.form.has_form(word));
    let is_open = |(bit, wanted): (usize, &Wanted)| wanted.role != Role::Kind && !piece.said.has(bit);
    is_other && piece.is_sentence() && reading.wanted.iter().enumerate().any(is_open)
}

/// Whether a sentence has another noun before one of the question than the question has, and a passage is about that one: "the
/// design team" for "Who leads the *payments* team?"
pub(super) fn is_of_sibling(reading: &Reading, piece: &Piece) -> bool {
    let is = |bit: usize, word: &Word| reading.agreement(&reading.wanted[bit], word) >= 1.0;
    let is_pair = |words: &[Word], bit: usize| is(bit, &words[0]) && is(bit + 1, &words[1]);
    let is_told =
        |bit: usize| reading.pieces.iter().any(|other| other.words.windows(2).any(|pair| is_pair(pair, bit)));
    replaces_noun(reading, piece, is_told)
}

/// The same for a sentence that answers alone, if a passage only has the noun that it lacks. On a path, another sentence may be
/// about the thing with that noun.
pub(super) fn is_alone_of_sibling(reading: &Reading, piece: &Piece) -> bool {
    replaces_noun(reading, piece, |bit| reading.pieces.iter().any(|other| other.own.has(bit)))
}

/// Whether a sentence has another noun before one of the question than the question has, and `is_told` holds for the one that it
/// lacks.
fn replaces_noun(reading: &Reading, piece: &Piece, is_told: impl Fn(usize) -> bool) -> bool {
    let is_replaced = |bit: usize| {
        let words = &piece.words;
        let is_head = |at: &usize| reading.agreement(&reading.wanted[bit + 1], &words[*at]) > 0.0;
        let heads = || (0..words.len()).filter(is_head);
        let has_other = |at: usize| {
            piece.word_beside(at).is_some_and(|other| {
                let is_noun = !other.is_function && !other.is_number() && !is_adjective(&other.lower);
                // "The *design* team", but not "they design teams".
                let is_verb = is_verb(&other.lower) && !(at > 1 && words[at - 2].is_function);
                is_noun && !is_verb && !reading.form.has(other)
            })
        };
        heads().next().is_some() && heads().all(has_other) && !piece.own.has(bit)
    };
    let is_noun_phrase = |bit: usize| {
        let (one, other) = (&reading.wanted[bit], &reading.wanted[bit + 1]);
        let words = &reading.form.words;
        // "Does the guide of the observatory store lamps?"
        let is_deed = is_verb(&words[other.word].lower)
            && words[..one.word].iter().any(|word| matches!(word.lower.as_str(), "do" | "does" | "did"));
        other.word == one.word + 1 && !is_deed
    };
    let last = reading.wanted.len().saturating_sub(1);
    (0..last).filter(|bit| is_noun_phrase(*bit)).any(|bit| is_replaced(bit) && is_told(bit))
}
