//! The name next to a description: "Which setting limits the retries?", "`retries`: limits how often …".

use quiver_language::answering::{self, Answering};

use super::{Stated, cell, is_kind, is_same, names_kind};
use crate::{
    candidate::key,
    form::Form,
    reading::{Piece, Reading},
    unit::UnitKind,
    word::{Word, denies},
};

/// The name of the only thing described in the question's words.
pub(super) fn name(reading: &Reading) -> Option<Stated> {
    let asked = asked(&reading.form)?;
    let pieces = reading.pieces.iter().enumerate();
    let mut found = pieces.filter_map(|(at, piece)| {
        let name = name_of(reading, piece)?;
        let is_said = asked.iter().all(|word| piece.words.iter().any(|said| is_same(word, said)));
        let says = is_said && denies(&piece.words) == reading.form.is_negative;
        let is_asked = key(&reading.question).contains(&key(name));
        (says && !is_asked).then_some(Stated::cell(at, name.to_owned()))
    });
    let first = found.next()?;
    found.all(|other| other.cell == first.cell).then_some(first)
}

/// The words that describe what is asked for: "Which setting *limits the retries of a job*?"
fn asked(form: &Form) -> Option<Vec<&Word>> {
    let kind = form.kind.filter(|kind| is_kind(&form.words[*kind]) && !form.is_list)?;
    let question =
        form.question_word.filter(|at| matches!(form.words[*at].lower.as_str(), "which" | "what"))?;
    let is_described = kind == question + 1 && form.words.len() > kind + 1;
    let describes = |word: &&Word| {
        !word.is_function && !is_kind(word) && !answering::says(&word.lower, Answering::Introducing)
    };
    let words: Vec<&Word> = form.words[kind + 1..].iter().filter(describes).collect();
    (is_described && words.len() >= DESCRIBED_LEAST).then_some(words)
}

/// Minimum number of words in the description.
const DESCRIBED_LEAST: usize = 2;

/// The identifier that a piece describes: the name of a list entry or a table row, or the heading above it.
fn name_of<'r>(reading: &'r Reading, piece: &'r Piece) -> Option<&'r str> {
    let name = if let Some((name, _)) = cell::entry_in(&piece.unit) {
        name
    } else if piece.unit.kind == UnitKind::Row {
        &piece.unit.cells.first()?.1
    } else if piece.unit.kind == UnitKind::Prose {
        cell::heading_identifier(reading, piece)?
    } else {
        return None;
    };
    is_identifier(name).then_some(name)
}

/// Whether a text is a program identifier: a single word with punctuation or capitals inside it.
pub(crate) fn is_identifier(name: &str) -> bool {
    let word = name.split_whitespace().find(|word| !names_kind(word)).unwrap_or(name);
    let marks = word.trim_matches(|c: char| matches!(c, '`' | ':' | '.' | ',' | '"'));
    let has_capital_within =
        marks.chars().skip(1).any(char::is_uppercase) && marks.chars().any(char::is_lowercase);
    let is_marked = marks.contains(['_', '-', '.', '$', '/', '=', '!']) || has_capital_within;
    name.split_whitespace().count() <= 3 && marks.len() >= 2 && is_marked
}
