//! Expansions of abbreviations: "What does GKU stand for?", "the Geese Keepers' Union (GKU)".

use std::ops::Range;

use quiver_language::title::TITLE_SEPARATOR;
use quiver_models::Lexical;

use super::Stated;
use crate::{
    form::Form,
    reading::Reading,
    word::{Word, words},
};

/// The expansion of the abbreviation asked about, if all passages that give one agree.
pub(super) fn expansion(reading: &Reading) -> Option<Stated> {
    let short = asked(&reading.form, &reading.question)?;
    let said = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let text = &piece.unit.text;
        Some(Stated::cell(at, text[expanded(text, &piece.words, short)?].to_owned()))
    });
    let titles = reading.pages.iter().enumerate().filter_map(|(page, read)| {
        let title = read.title.split(TITLE_SEPARATOR).next()?;
        let long = title[expanded(title, &words(&Lexical::new(), title), short)?].to_owned();
        let at = reading.pieces.iter().position(|piece| piece.source == page)?;
        Some(Stated { field: Some(title.to_owned()), ..Stated::cell(at, long) })
    });
    let mut found = said.chain(titles);
    let first = found.next()?;
    let key = |stated: &Stated| stated.cell.as_ref().map(|long| long.to_lowercase());
    found.all(|other| key(&other) == key(&first)).then_some(first)
}

/// Parses "What does X stand for?", "What does X mean?", "What is X short for?" and "What is the full form of
/// X?".
fn asked<'q>(form: &Form, question: &'q str) -> Option<&'q str> {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let from_end = |back: usize| form.words.len().checked_sub(back);
    let last = |back: usize| from_end(back).map_or("", lower);
    let at = match (lower(0), lower(1)) {
        ("what", "does" | "do") if matches!(last(2), "stand" | "stands") && last(1) == "for" => from_end(3)?,
        ("what", "does" | "do") if last(1) == "mean" => from_end(2)?,
        ("what", "is") if last(2) == "short" && last(1) == "for" => from_end(3)?,
        ("what", "is") if last(4) == "full" && matches!(last(3), "form" | "name") && last(2) == "of" => {
            from_end(1)?
        }
        _ => return None,
    };
    let word = form.words.get(at)?;
    let short = &question[word.start..word.end];
    (letters(short).len() >= LETTERS_LEAST).then_some(short)
}

/// Minimum number of letters in an abbreviation.
const LETTERS_LEAST: usize = 2;

/// The letters of an abbreviation in lower case; empty if it contains lower-case letters.
fn letters(short: &str) -> Vec<char> {
    let is_short =
        short.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '.' | '&' | '-'));
    short.chars().filter(|c| is_short && c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// The byte range of an abbreviation's expansion: before the bracketed abbreviation, or in brackets after it.
fn expanded(text: &str, words: &[Word], short: &str) -> Option<Range<usize>> {
    let at = words.iter().position(|word| &text[word.start..word.end] == short)?;
    let is_bracketed = text[..words[at].start].ends_with('(') && text[words[at].end..].starts_with(')');
    let letters = letters(short);
    if is_bracketed {
        return in_full(&words[..at], &letters);
    }
    let rest = text[words[at].end..].strip_prefix(" (")?;
    let from = text.len() - rest.len();
    let end = from + rest.find(')')?;
    let within: Vec<Word> =
        words.iter().filter(|word| from <= word.start && word.end <= end).cloned().collect();
    in_full(&within, &letters).filter(|full| full.start == from)
}

/// Function words inside names.
fn is_small(word: &str) -> bool {
    matches!(
        word,
        "of" | "and" | "the" | "for" | "on" | "in" | "to" | "a" | "an" | "by" | "with" | "at" | "from"
    )
}

/// The byte range of the last words whose initials are these letters. Function words may come between.
fn in_full(words: &[Word], letters: &[char]) -> Option<Range<usize>> {
    let mut open = letters.iter().rev().peekable();
    let mut start = None;
    for word in words.iter().rev() {
        let Some(letter) = open.peek() else { break };
        if word.lower.starts_with(**letter) {
            open.next();
            start = Some(word.start);
        } else if start.is_none() || !is_small(&word.lower) {
            return None;
        }
    }
    let is_whole = open.peek().is_none();
    start.zip(words.last()).filter(|_| is_whole).map(|(start, last)| start..last.end)
}
