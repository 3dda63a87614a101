//! Sentences that state a default: "The default speed is 40 rpm", "It defaults to 40 rpm", "`speed`: … (default: 40)".

use quiver_language::word::verbs;

use super::{
    cell::{heading_identifier, is_written_apart},
    is_kind, is_same,
};
use crate::{
    candidate::key,
    form::{Asks, Form},
    reading::{Piece, Reading},
    unit::UnitKind,
    word::Word,
};

/// The piece that states the default asked for; `None` if several do.
pub(super) fn default(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form)?;
    let mut found: Vec<(usize, usize)> = reading
        .pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| piece.unit.kind != UnitKind::Row)
        .filter_map(|(at, piece)| {
            let is_of_heading = states_of_heading(reading, piece, &asked);
            if !is_of_heading && !states(piece, &asked) {
                return None;
            }
            let is_in = |word: &&&Word| piece.words.iter().any(|said| is_same(word, said));
            let itself = asked.iter().filter(is_in).count();
            let is_all = asked.iter().all(|word| is_in(&word) || reading.is_above(piece, word));
            (is_all && (itself > 0 || is_of_heading)).then_some((itself, at))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let (itself, first) = *found.first()?;
    let text = |at: usize| key(&reading.pieces[at].unit.text);
    let is_rival = |(other, at): &&(usize, usize)| *other == itself && text(*at) != text(first);
    found.iter().all(|other| !is_rival(&other)).then_some(first)
}

/// Whether the question asks for a default, and a piece says nothing of one: "a default applied" does not say which.
pub(crate) fn lacks_default(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    if form.question_word.is_none() || matches!(form.asks, Asks::Way | Asks::Reason | Asks::YesNo) {
        return false;
    }
    let asked = form.words.iter().find(|word| is_default(word));
    if asked.is_none() && !is_left_unchanged(&form.words) {
        return false;
    }
    let is_said = |at: usize| {
        let before = at.checked_sub(1).map_or("", |at| piece.words[at].lower.as_str());
        piece.words[at].lower.starts_with("default") && !matches!(before, "a" | "an" | "no" | "any")
    };
    let is_above = asked.is_some_and(|asked| reading.is_above(piece, asked));
    let is_in_column = || piece.heads.iter().flatten().any(is_default);
    !(0..piece.words.len()).any(is_said) && !is_above && !is_in_column() && !is_left_unchanged(&piece.words)
}

/// Whether words ask for what applies as long as nobody changes it: "unless I change it".
fn is_left_unchanged(words: &[Word]) -> bool {
    let changes = |word: &Word| {
        verbs(&word.lower).any(|base| matches!(base, "change" | "configure" | "set" | "specify" | "override"))
    };
    let unless = words.iter().position(|word| word.lower == "unless");
    unless.is_some_and(|at| words[at..].iter().take(CHANGE_WITHIN).any(changes))
}

/// Maximum number of words from "unless" to the verb after it, both included.
const CHANGE_WITHIN: usize = 5;

fn is_default(word: &Word) -> bool {
    matches!(word.lower.as_str(), "default" | "defaults")
}

/// The words that name the thing whose default is asked for.
fn asked(form: &Form) -> Option<Vec<&Word>> {
    form.question_word?;
    form.words.iter().find(|word| is_default(word))?;
    let names = form.content.iter().map(|content| &form.words[content.word]);
    let names: Vec<&Word> = names.filter(|word| !is_default(word) && !is_kind(word)).collect();
    (!names.is_empty()).then_some(names)
}

/// Whether a piece begins with the default of the setting that is the heading above it: "### `retries_max`", "Defaults
/// to 3."
fn states_of_heading(reading: &Reading, piece: &Piece, asked: &[&Word]) -> bool {
    let lower = |at: usize| piece.words.get(at).map_or("", |word| word.lower.as_str());
    let is_asked = || {
        let names: Vec<&str> = asked.iter().map(|word| word.lower.as_str()).collect();
        heading_identifier(reading, piece).is_some_and(|name| match names.as_slice() {
            [asked] => name.to_lowercase() == *asked,
            asked => is_written_apart(asked, name),
        })
    };
    lower(0) == "defaults" && lower(1) == "to" && is_asked()
}

/// Whether a piece states a default of what is asked about, not of something else that it names.
fn states(piece: &Piece, asked: &[&Word]) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_asked =
        |word: &Word| word.is_function || is_kind(word) || asked.iter().any(|asked| is_same(asked, word));
    let begins_with_it = words.iter().find(|word| !word.is_function).is_some_and(&is_asked);
    (0..words.len().saturating_sub(1)).any(|at| match lower(at) {
        "defaults" | "defaulting" if lower(at + 1) == "to" => {
            let is_joined =
                |word: &&Word| !word.is_function || matches!(word.lower.as_str(), "of" | "the" | "a" | "an");
            let mut subject = words[..at].iter().rev().take_while(is_joined).peekable();
            subject.peek().is_some() && subject.all(&is_asked)
        }
        "default" | "defaults" => {
            let gap = &piece.unit.text[words[at].end..words[at + 1].start];
            let opens = piece.unit.text[..words[at].start].trim_end_matches(['*', '_', '`']).ends_with('(');
            // "`default` store" closes a quotation.
            let is_given = gap.contains([':', '=']) || gap.ends_with(['`', '"']) || opens;
            // "json (default) or text" has the default before the word.
            let is_given = is_given && !gap.starts_with(')');
            let copula = (at + 1..(at + 5).min(words.len())).find(|at| matches!(lower(*at), "is" | "are"));
            let is_said = copula.is_some_and(|copula| words[at + 1..copula].iter().all(&is_asked));
            is_given && begins_with_it || is_said && words[..at].iter().all(&is_asked)
        }
        _ => false,
    })
}
