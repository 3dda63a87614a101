//! Sentences that state a method or an outcome: "To reset it, hold the key", "If it is empty, nothing is
//! sent".
//!
//! The clause of the question and the clause of the sentence have to match: the same verb, everything that
//! the question names, and nothing else that narrows it. The rest of the sentence is the answer.

use std::ops::Range;

use quiver_language::answering::Answering;
use quiver_models::Lexical;

use super::{cell, is_identifier, is_kind_of_named, is_same};
use crate::{
    form::Form,
    lexicon::is_condition,
    reading::{Piece, Reading, says},
    unit::UnitKind,
    word::{Word, denies, is_base_form, says_class, words},
};

/// What the question gives: a goal or a condition.
#[derive(Debug)]
pub(super) enum Given {
    /// "How do I *reset the counter*?"
    Goal,
    /// "What happens if *the list is empty*?"
    Condition,
    /// "What should I do if *the list is empty*?"
    Trouble,
}

/// The clause of a question.
#[derive(Debug)]
pub(super) struct Asked<'f> {
    pub(super) given: Given,
    pub(super) words: &'f [Word],
    /// How many of the words the sentence's own clause must contain; the others may be in the headings.
    pub(super) core: usize,
}

/// The piece that states the method or the outcome asked for.
pub(super) fn clause(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form)?;
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let fit = fit(reading, &asked, at, piece)?;
        Some((fit, at))
    });
    found.min().map(|(_, at)| at)
}

/// Parses "How do I …?", "How can X be …?", "How to …?", "What happens if …?" and "What if …?".
pub(super) fn asked(form: &Form) -> Option<Asked<'_>> {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let at = form.question_word?;
    let (given, from) = match lower(at) {
        "how" if lower(at + 1) == "to" => (Given::Goal, at + 2),
        "how"
            if matches!(
                lower(at + 1),
                "do" | "does" | "can" | "could" | "should" | "would" | "must" | "may"
            ) && matches!(lower(at + 2), "i" | "we" | "you" | "one" | "they" | "people" | "users") =>
        {
            (Given::Goal, at + 3)
        }
        "how" if matches!(lower(at + 1), "can" | "should" | "must" | "is" | "are") => (Given::Goal, at + 2),
        "what" => {
            let happens = matches!(
                lower(at + 1),
                "happens" | "will" | "would" | "if" | "does" | "do" | "should" | "can" | "must"
            );
            let from = (at + 1..at + 8).find(|at| is_condition(lower(*at))).filter(|_| happens)? + 1;
            let is_outcome = lower(at + 1) == "if"
                || (at + 1..from).any(|at| matches!(lower(at), "happens" | "happen" | "occur"));
            let is_trouble = matches!(lower(at + 2), "i" | "we" | "you" | "one") && lower(at + 3) == "do";
            match (is_outcome, is_trouble) {
                (true, _) => (Given::Condition, from),
                (_, true) => (Given::Trouble, from),
                _ => return None,
            }
        }
        _ => return None,
    };
    let words = &form.words[from..];
    let said = words.iter().position(|word| !word.is_function)?;
    let core = (said + 1..words.len()).find(|at| is_preposition(&words[*at])).unwrap_or(words.len());
    Some(Asked { given, words, core })
}

/// Prepositions that introduce a place, an instrument or a source.
pub(super) fn is_preposition(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "in" | "on"
            | "with"
            | "for"
            | "from"
            | "to"
            | "into"
            | "onto"
            | "at"
            | "by"
            | "using"
            | "within"
            | "without"
            | "when"
            | "if"
            | "before"
            | "after"
            | "as"
            | "via"
            | "through"
            | "between"
            | "so"
            | "while"
            | "inside"
            | "outside"
            | "during"
            | "about"
    )
}

/// Function words that change the meaning of a verb: "turn off", "is called by".
fn is_particle(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "off" | "on" | "by" | "out" | "up" | "down" | "over" | "back" | "away" | "without"
    )
}

/// How well a sentence answers, lower is better: the number of words in its clause that are not in the
/// question, then its position.
fn fit(reading: &Reading, asked: &Asked<'_>, at: usize, piece: &Piece) -> Option<(usize, usize)> {
    if piece.unit.text.trim_end().ends_with('?') {
        return None;
    }
    let is_told = piece.is_sentence();
    let clauses = match asked.given {
        _ if !is_told => Vec::new(),
        Given::Goal => goals(piece),
        Given::Condition => conditions(piece),
        Given::Trouble => conditions(piece).into_iter().filter(|clause| advises(piece, clause)).collect(),
    };
    let deed = deed_of_entry(reading, piece).filter(|_| matches!(asked.given, Given::Goal));
    if let Some(0) = deed.and_then(|deed| more(reading, asked, piece, &piece.words[deed])) {
        // A sentence that says how is better.
        return Some((MORE_MAX + 1, at));
    }
    let announces = piece.unit.text.trim_end().ends_with(':')
        && reading.pieces.get(at + 1).is_some_and(|next| {
            next.source == piece.source && matches!(next.unit.kind, UnitKind::Code | UnitKind::Item)
        });
    clauses
        .into_iter()
        .filter_map(|clause| {
            let words = &piece.words[clause.clone()];
            let rest = || piece.words[..clause.start].iter().chain(&piece.words[clause.end..]);
            let is_new = |word: &&Word| {
                !word.is_function
                    && !asked.words.iter().any(|asked| is_same(asked, word))
                    && !is_pointer(word)
            };
            let says = rest().filter(is_new).count() >= NEW_LEAST || announces;
            let is_pointing = rest().any(is_pointer) && !announces;
            // "When it is set to drop, nothing is sent if the buffer is full" applies to one setting only.
            let is_narrower = matches!(asked.given, Given::Condition)
                && piece.words[..clause.start.saturating_sub(1)].iter().any(|word| is_condition(&word.lower));
            if !says || is_pointing || is_narrower || denies(words) != denies(asked.words) {
                return None;
            }
            Some((more(reading, asked, piece, words)?, at))
        })
        .min()
}

/// Minimum number of words in the sentence outside the clause.
const NEW_LEAST: usize = 1;
/// Maximum number of words in the clause that are not in the question.
const MORE_MAX: usize = 2;

/// Words that refer the reader elsewhere.
fn is_pointer(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "see" | "refer" | "read" | "consult" | "visit" | "follow" | "section" | "above" | "below"
    )
}

/// The number of words in the clause that are not in the question; `None` if the clause says something else.
fn more(reading: &Reading, asked: &Asked<'_>, piece: &Piece, clause: &[Word]) -> Option<usize> {
    if let Given::Goal = asked.given
        && !is_same(clause.first()?, &asked.words[verb(asked)])
    {
        return None;
    }
    let particles = |words: &[Word]| {
        words.iter().filter(|word| is_particle(word)).map(|word| word.lower.clone()).collect::<Vec<_>>()
    };
    let end = core_end(clause, asked);
    if particles(&asked.words[..asked.core]) != particles(&clause[..end]) {
        return None;
    }
    let stands_for =
        clause.iter().any(|word| matches!(word.lower.as_str(), "it" | "this" | "them" | "these"));
    let is_bare = clause.iter().filter(|word| !word.is_function).count() == 1;
    let is_asked = |at: usize| !asked.words[at].is_function && !is_kind_of_named(asked.words, at);
    for (at, word) in asked.words.iter().enumerate().filter(|(at, _)| is_asked(*at)) {
        let says = |words: &[Word]| words.iter().any(|said| is_same(word, said));
        let is_outside = at >= asked.core && reading.is_around(piece, word);
        let may_be_above = stands_for || is_bare;
        let is_said = says(clause) || is_outside || may_be_above && is_in_heading(reading, piece, word);
        if !is_said {
            return None;
        }
    }
    // "To safely reset it" resets it, but "once it is fully reset" says nothing of when it is partly.
    let is_manner = |word: &Word| {
        matches!(asked.given, Given::Goal) && word.lower.len() > 4 && word.lower.ends_with("ly")
    };
    let is_more = |word: &&Word| {
        !word.is_function
            && !is_manner(word)
            && !is_any(word)
            && !asked.words.iter().any(|asked| is_same(asked, word))
    };
    // "To delete the hooks of a release" is a different goal from deleting a release.
    let next = clause[end..].iter().find(|word| !is_manner(word));
    if clause[..end].iter().any(|word| is_more(&word)) || next.is_some_and(|word| is_more(&word)) {
        return None;
    }
    let more = clause.iter().filter(is_more).count();
    // "To load it as plain text", "to clear the cache of a single package"
    let is_narrower = stands_for || clause.iter().any(|word| is_more(&word) && singles_out(word));
    (more <= if is_narrower { 0 } else { MORE_MAX }).then_some(more)
}

/// Whether the heading directly above a piece contains a word.
fn is_in_heading(reading: &Reading, piece: &Piece, word: &Word) -> bool {
    let heading = words(&Lexical::new(), reading.heading_of(piece));
    heading.iter().any(|said| is_same(word, said))
}

/// Adjectives that do not single out one of several.
pub(super) fn is_any(word: &Word) -> bool {
    matches!(word.lower.as_str(), "existing" | "current" | "own" | "entire" | "whole" | "new")
}

/// Adjectives that single out one of several.
fn singles_out(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "single"
            | "specific"
            | "certain"
            | "particular"
            | "given"
            | "individual"
            | "multiple"
            | "several"
            | "other"
    )
}

/// Index of the verb of a goal: first, or after "be" in the passive.
pub(super) fn verb(asked: &Asked<'_>) -> usize {
    let be = asked.words.iter().position(|word| word.lower == "be");
    be.map(|at| at + 1).filter(|at| *at < asked.words.len()).unwrap_or(0)
}

/// The index after the last word of the question's core in a clause.
fn core_end(clause: &[Word], asked: &Asked<'_>) -> usize {
    let core = &asked.words[..asked.core];
    let is_core = |word: &Word| !word.is_function && core.iter().any(|asked| is_same(asked, word));
    clause.iter().rposition(is_core).map_or(0, |at| at + 1)
}

/// The goal clauses of a sentence, each starting at its verb: "To V …, …", "Run … to V …", "You can V … by
/// …".
fn goals(piece: &Piece) -> Vec<Range<usize>> {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let mut found = Vec::new();
    let first = match lower(0) {
        "to" => Some(1),
        "in" if lower(1) == "order" && lower(2) == "to" => Some(3),
        "if" if lower(1) == "you"
            && matches!(lower(2), "want" | "need" | "wish" | "would" | "like" | "prefer") =>
        {
            (3..6).find(|at| lower(*at) == "to").map(|at| at + 1)
        }
        _ => None,
    };
    if let Some(first) = first {
        found.extend(comma(piece, first).map(|end| first..end));
        return found;
    }
    let may = matches!(lower(0), "you" | "we") && matches!(lower(1), "can" | "should" | "must" | "may");
    // "-run=NAME filters the cases to run" describes a flag.
    let is_flag = words.first().is_some_and(|word| piece.unit.text[..word.start].ends_with('-'));
    if (is_instruction(lower(0)) || may) && !is_flag {
        // "Select which key to export" describes a choice.
        let is_choice = |at: usize| {
            words[..at]
                .iter()
                .any(|word| matches!(word.lower.as_str(), "which" | "what" | "whether" | "where"))
        };
        let to = (1..words.len()).filter(|at| lower(*at) == "to" && !is_choice(*at));
        found.extend(to.map(|at| at + 1..end(piece, at + 1)));
    }
    if may {
        let by =
            (2..words.len()).find(|at| matches!(lower(*at), "by" | "using" | "with" | "through" | "via"));
        found.extend(by.map(|by| 2..by));
    }
    found
}

/// What an entry or a row says its name does: "`loom wind`: Wind the warp", "| wind | Winds the warp |".
/// Release notes are excluded.
fn deed_of_entry(reading: &Reading, piece: &Piece) -> Option<Range<usize>> {
    let unit = &piece.unit;
    let (name, told) = match unit.kind {
        UnitKind::Row => {
            let is_told = |head: &Vec<Word>| says_class(head, Answering::Describing);
            let at = piece.heads.iter().skip(1).position(is_told)? + 1;
            (unit.cells[0].1.as_str(), unit.cells[at].1.as_str())
        }
        UnitKind::Item | UnitKind::Code => cell::entry_in(unit)?,
        UnitKind::Prose => return None,
    };
    // "S3 bucket: creates an S3 bucket"
    let is_named = (unit.has_code || is_identifier(name)) && !says(&reading.asked, &name.to_lowercase());
    let titles = [&reading.pages[piece.source].title, &unit.heading].map(|title| title.to_lowercase());
    let is_news = titles.iter().any(|title| NEWS.iter().any(|news| title.contains(news)));
    let from = unit.text.rfind(told)?;
    let first = piece.words.iter().position(|word| word.start >= from)?;
    let is_other = piece
        .heads
        .first()
        .into_iter()
        .flatten()
        .chain(&words(&Lexical::new(), &unit.heading))
        .any(is_no_way);
    (is_named && !is_news && !is_other).then(|| first..end(piece, first))
}

/// Nouns for things that do nothing by themselves, although their descriptions say what they allow or report.
fn is_no_way(word: &Word) -> bool {
    matches!(
        word.lower.trim_end_matches('s'),
        "scope"
            | "permission"
            | "privilege"
            | "role"
            | "event"
            | "error"
            | "code"
            | "statu"
            | "metric"
            | "right"
    )
}

/// Headings of release notes.
const NEWS: [&str; 5] = ["changelog", "change log", "release notes", "what's new", "changes in"];

/// The condition clauses of a sentence.
fn conditions(piece: &Piece) -> Vec<Range<usize>> {
    let words = &piece.words;
    let starts = (0..words.len()).filter(|at| is_condition(&words[*at].lower));
    starts
        .filter_map(|at| {
            let end = if at == 0 { comma(piece, 1)? } else { end(piece, at + 1) };
            (end > at + 1).then_some(at + 1..end)
        })
        .collect()
}

/// Whether a sentence gives advice outside a clause: "…, call the keeper", "…, you should call the keeper".
fn advises(piece: &Piece, clause: &Range<usize>) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_imperative = |at: usize| {
        let verb = at + usize::from(matches!(lower(at), "please" | "just" | "simply"));
        !clause.contains(&verb) && is_base_form(lower(verb))
    };
    let is_advice = |at: usize| {
        !clause.contains(&at)
            && (lower(at) == "you'll"
                || matches!(lower(at), "you" | "we")
                    && matches!(lower(at + 1), "should" | "must" | "need" | "can" | "have"))
    };
    is_imperative(0) || is_imperative(clause.end) || (0..words.len()).any(is_advice)
}

/// The word after the first comma from a given word on.
fn comma(piece: &Piece, from: usize) -> Option<usize> {
    piece.word_after_break(from, |gap| gap.starts_with([',', '`', '"']) && gap.contains(','))
}

/// The end of the clause that begins with a word: at a comma, a bracket or a colon, or the end of the
/// sentence.
fn end(piece: &Piece, from: usize) -> usize {
    let is_end = |gap: &str| gap.contains([',', '(', ':', ';', '—']);
    piece.word_after_break(from, is_end).unwrap_or(piece.words.len())
}

/// Verbs that instruct the reader.
pub(super) fn is_instruction(word: &str) -> bool {
    matches!(
        word,
        "use"
            | "run"
            | "set"
            | "add"
            | "call"
            | "pass"
            | "specify"
            | "click"
            | "press"
            | "type"
            | "enter"
            | "open"
            | "execute"
            | "choose"
            | "select"
            | "create"
            | "edit"
            | "enable"
            | "disable"
            | "install"
            | "configure"
            | "define"
            | "change"
            | "put"
            | "send"
            | "ask"
            | "contact"
            | "write"
            | "remove"
    )
}
