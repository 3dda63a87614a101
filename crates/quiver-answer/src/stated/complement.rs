//! Sentences whose subject is what the question asks for: "What were the main causes of delay for the Ostra?", "Its main
//! cause of delay was a strike."

use quiver_language::{
    answering::{self, Answering},
    role::is_of_first_rank,
    word::{is_irregular_verb, verbs},
};

use super::{
    is_same,
    role::{is_found, may_contradict},
};
use crate::{
    candidate::key,
    form::Form,
    reading::{Piece, Reading},
    word::Word,
};

/// Minimum number of content words in the phrase asked for.
const ASKED_LEAST: usize = 2;

/// The sentence whose subject says the same as the question, if all such sentences agree.
pub(super) fn complement(reading: &Reading) -> Option<usize> {
    let asked = Phrase::asked(&reading.form).filter(|_| !reading.form.is_negative && !is_found(reading))?;
    let told = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let value = value(&asked, before(reading, at), piece)?;
        Some((at, key(&piece.unit.text[value..])))
    });
    let told: Vec<(usize, String)> = told.collect();
    let (first, value) = told.first()?;
    let is_disputed = reading.pieces.iter().any(|piece| {
        let is_said = |word: &&Word| {
            piece.words.iter().any(|said| is_same(word, said)) || reading.is_around(piece, word)
        };
        asked.content.iter().all(is_said) && may_contradict(&piece.words)
    });
    (!is_disputed && told.iter().all(|(_, other)| other == value)).then_some(*first)
}

/// The sentence before a piece, in its paragraph.
fn before(reading: &Reading, at: usize) -> Option<&Piece> {
    let (piece, before) = (&reading.pieces[at], &reading.pieces[at.checked_sub(1)?]);
    (before.source == piece.source && before.unit.block == piece.unit.block).then_some(before)
}

/// A noun phrase with its content words.
struct Phrase<'w> {
    head: &'w Word,
    content: Vec<&'w Word>,
    is_past: bool,
}

impl<'w> Phrase<'w> {
    /// The phrase of "What were X?", "Which X were Y?" and "What X did Y face?"
    fn asked(form: &'w Form) -> Option<Self> {
        let from = form.question_word.filter(|_| form.either.is_none() && !form.asks_twice)? + 1;
        let words = &form.words;
        if !matches!(words[from - 1].lower.as_str(), "what" | "which") {
            return None;
        }
        let (named, asked, is_past) = match faced(words, from) {
            Some((auxiliary, end)) => (from..auxiliary, from..end, words[auxiliary].lower == "did"),
            None => {
                let verb = (from..words.len()).find(|at| is_copula(&words[*at]))?;
                let named = if verb == from { verb + 1..words.len() } else { from..verb };
                (named, from..words.len(), is_past(&words[verb]))
            }
        };
        let head = head(&words[named])?;
        let content: Vec<&Word> =
            words[asked].iter().filter(|word| !word.is_function && !is_copula(word)).collect();
        (content.len() >= ASKED_LEAST).then_some(Self { head, content, is_past })
    }

    fn has(&self, word: &Word) -> bool {
        self.content.iter().any(|own| is_same(own, word) || are_of_first_rank(own, word))
    }
}

/// The auxiliary and the verb of "did Y face", if the verb only says that a thing has something.
fn faced(words: &[Word], from: usize) -> Option<(usize, usize)> {
    let auxiliary =
        (from + 1..words.len()).find(|at| matches!(words[*at].lower.as_str(), "did" | "do" | "does"))?;
    let last = words.len() - 1;
    let is_facing = verbs(&words[last].lower).any(|verb| answering::says(verb, Answering::Facing));
    (is_facing && last > auxiliary + 1).then_some((auxiliary, last))
}

/// Where the value begins in a sentence with this phrase as its subject.
fn value(asked: &Phrase<'_>, before: Option<&Piece>, piece: &Piece) -> Option<usize> {
    let is_told = piece.is_sentence();
    let words = &piece.words;
    let verb = words.iter().position(is_copula).filter(|_| is_told)?;
    let (subject, said) = (&words[..verb], &words[verb + 1..]);
    let is_whole =
        piece.word_after_break(0, |gap| gap.contains([',', ';', ':', '(', '?'])).is_none_or(|cut| cut > verb);
    if !is_whole || piece.unit.text.trim_end().ends_with('?') || is_past(&words[verb]) != asked.is_past {
        return None;
    }
    let content: Vec<&Word> = subject.iter().filter(|word| !word.is_function).collect();
    let missing: Vec<&&Word> = asked
        .content
        .iter()
        .filter(|word| !content.iter().any(|said| is_same(word, said) || are_of_first_rank(word, said)))
        .collect();
    let is_same_phrase = head(subject).is_some_and(|head| is_same(head, asked.head))
        && content.iter().all(|word| asked.has(word))
        && (missing.is_empty()
            || subject.iter().any(refers) && before.is_some_and(|before| opens_with(before, &missing)));
    let first = said.first().filter(|_| is_same_phrase && !is_described(said))?;
    Some(first.start)
}

/// Whether a sentence begins with a name that has these words.
fn opens_with(piece: &Piece, name: &[&&Word]) -> bool {
    let opening = piece.words.iter().filter(|word| !word.is_function).take(name.len() + 1);
    let opening: Vec<&Word> = opening.collect();
    name.iter().all(|word| opening.iter().any(|said| is_same(word, said)))
}

/// The last word of a phrase before what describes it: "the main *causes* of delay", "the Ostra's main *causes*".
fn head(words: &[Word]) -> Option<&Word> {
    let from = words.iter().rposition(|word| word.is_possessive).map_or(0, |at| at + 1);
    let first = from + words[from..].iter().take_while(|word| word.is_function).count();
    words[first..].iter().take_while(|word| !word.is_function).filter(|word| !is_participle(word)).last()
}

/// Whether what follows the verb only describes the subject or what was done with it: "are discussed first", "were not
/// known".
fn is_described(said: &[Word]) -> bool {
    let lower = |at: usize| said.get(at).map_or("", |word| word.lower.as_str());
    let denies = matches!(
        lower(0),
        "not"
            | "never"
            | "no"
            | "unknown"
            | "unclear"
            | "none"
            | "to"
            | "also"
            | "as"
            | "yet"
            | "still"
            | "being"
    );
    let is_circumstance = said.get(1).is_none_or(|next| {
        next.is_function
            || matches!(next.lower.as_str(), "first" | "last" | "again" | "later")
            || next.is_numeric()
    });
    let is_alone = said.len() == 1 && said[0].is_function;
    denies || is_alone || is_participle(&said[0]) && is_circumstance
}

fn is_participle(word: &Word) -> bool {
    !word.is_capital && (word.lower.ends_with("ed") || is_irregular_verb(&word.lower))
}

fn are_of_first_rank(one: &Word, other: &Word) -> bool {
    is_of_first_rank(&one.lower) && is_of_first_rank(&other.lower)
}

fn is_copula(word: &Word) -> bool {
    matches!(word.lower.as_str(), "is" | "are" | "was" | "were")
}

fn is_past(word: &Word) -> bool {
    matches!(word.lower.as_str(), "was" | "were")
}

/// Whether a word refers to the subject of the sentence before.
fn refers(word: &Word) -> bool {
    matches!(word.lower.as_str(), "its" | "their" | "his" | "her" | "it" | "them" | "him" | "there")
}
