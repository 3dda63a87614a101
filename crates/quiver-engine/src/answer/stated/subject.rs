//! Sentences that say of the very thing asked about what it is or does.

use super::{Topic, is_kind, is_same, names_kind, says_all};
use crate::answer::{
    objection::denies,
    reading::{Piece, Reading},
    unit::UnitKind,
    word::{Word, words_of},
};

/// The first sentence that says this of the thing: it is the sentence's subject, or that of the heading above it.
pub(super) fn sentence(reading: &Reading, topic: &Topic, wanted: Says) -> Option<usize> {
    let name = &reading.form.words[topic.name.clone()];
    let is_place = |word: usize| topic.place.contains(&word);
    let found = reading.pieces.iter().enumerate().filter(|(at, piece)| {
        let may_answer = piece.unit.kind == UnitKind::Prose
            && !piece.unit.text.trim_end().ends_with(['?', ':'])
            && says_all(reading, piece, is_place);
        may_answer
            && match wanted {
                Says::Being => says_of(name, piece) == Some(Says::Being),
                // What it is tells what it does; a single deed does so where the text begins with it.
                Says::Deed => {
                    let is_told = says_of(name, piece).is_some() || is_deed_of_heading(reading, name, piece);
                    topic.is_deed && is_told && is_first(reading, *at)
                }
            }
    });
    // Under a heading that names it, it is told of first.
    let is_under = |piece: &Piece| name.iter().all(|word| reading.is_above(piece, word));
    found.min_by_key(|(at, piece)| (!is_under(piece), *at)).map(|(at, _)| at)
}

/// Whether no other sentence stands before one under its heading.
fn is_first(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let mut before = reading.pieces[..at].iter().rev().take_while(|before| before.source == piece.source);
    !before.any(|before| before.unit.kind == UnitKind::Prose && before.unit.heading == piece.unit.heading)
}

/// Whether a sentence goes on from the heading that names the thing: "# describe", "Returns the type of a value".
fn is_deed_of_heading(reading: &Reading, name: &[Word], piece: &Piece) -> bool {
    let named = name.iter().filter(|word| !is_kind(word)).flat_map(|word| words_of(&word.lower));
    let is_named = words_of(reading.heading_of(piece)).into_iter().filter(|word| !names_kind(word)).eq(named);
    let (Some(verb), Some(next)) = (piece.words.first(), piece.words.get(1)) else { return false };
    is_named
        && verb.is_capital
        && is_deed(verb, next)
        && piece.words.len() > SAID_LEAST
        && !denies(&piece.words[..SAID_LEAST])
}

/// What a sentence says of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    /// What it is, or is there for.
    Being,
    /// What it does.
    Deed,
}

/// Verbs that tell how a thing is, and not what it does.
const STATES: [&str; 23] = [
    "requires", "needs", "has", "defaults", "depends", "takes", "accepts", "expects", "comes", "exists",
    "contains", "consists", "looks", "remains", "stays", "seems", "appears", "means", "belongs", "lacks",
    "was", "does", "supports",
];

/// How many words have to follow the verb.
const SAID_LEAST: usize = 4;

/// Where the name ends that words begin with, also if it is joined or split there: `ServiceProfile`, "service profile".
fn name_end(words: &[Word], name: &[Word]) -> Option<usize> {
    let same = words
        .get(..name.len())
        .filter(|words| words.iter().zip(name).all(|(one, other)| is_same(one, other)));
    if let Some(same) = same {
        return Some(same.len());
    }
    let joined = |words: &[Word]| -> String {
        words.iter().flat_map(|word| word.lower.chars()).filter(|c| c.is_alphanumeric()).collect()
    };
    let name = joined(name);
    (1..=words.len().min(NAME_WORDS_MAX)).find(|end| joined(&words[..*end]) == name)
}

/// How many words a name has at the most.
const NAME_WORDS_MAX: usize = 6;

/// What a sentence says of the thing, if that is its subject.
fn says_of(name: &[Word], piece: &Piece) -> Option<Says> {
    let (words, text) = (&piece.words, &piece.unit.text);
    let from = words.iter().take(1).filter(|word| matches!(word.lower.as_str(), "the" | "a" | "an")).count();
    let named = |name: &[Word]| name_end(&words[from..], name).map(|end| from + end);
    let mut end = named(name).or_else(|| match name.split_last() {
        Some((last, rest)) if is_kind(last) && !rest.is_empty() => named(rest),
        _ => None,
    })?;
    end += usize::from(words.get(end).is_some_and(is_kind));
    let verb = words.get(end)?;
    let subject = &words[end - 1];
    let gap = &text[subject.end..verb.start];
    // "The Message Bus (MB) is a …"
    let is_near = gap == " " || gap.starts_with(" (") && gap.ends_with(") ");
    if subject.is_possessive || !is_near || words.len() < end + 1 + SAID_LEAST || denies(&words[end..end + 3])
    {
        return None;
    }
    let next = |at: usize| words[end + at].lower.as_str();
    if matches!(verb.lower.as_str(), "is" | "are") {
        let is_thing = matches!(next(1), "a" | "an" | "the" | "one") && !QUALITIES.contains(&next(2));
        let is_for = matches!(next(1), "used" | "responsible" | "designed" | "meant" | "intended");
        return (is_thing || is_for).then_some(Says::Being);
    }
    (!verb.is_capital && is_deed(verb, &words[end + 1])).then_some(Says::Deed)
}

/// Whether a word is a verb that tells what something does, by its ending and by the word after it.
fn is_deed(verb: &Word, next: &Word) -> bool {
    verb.lower.len() >= 4
        && verb.lower.ends_with('s')
        && !verb.lower.ends_with("ss")
        && !STATES.contains(&verb.lower.as_str())
        && !matches!(
            next.lower.as_str(),
            "is" | "are" | "was" | "were" | "can" | "must" | "may" | "have" | "has" | "will"
        )
}

/// Words after the article that make a sentence tell a quality of a thing and not what it is: "X is the default".
const QUALITIES: [&str; 36] = [
    "default",
    "same",
    "only",
    "best",
    "first",
    "last",
    "required",
    "optional",
    "recommended",
    "deprecated",
    "good",
    "bad",
    "great",
    "breaking",
    "new",
    "next",
    "main",
    "most",
    "case",
    "result",
    "following",
    "problem",
    "way",
    "part",
    "crucial",
    "important",
    "key",
    "core",
    "essential",
    "critical",
    "useful",
    "excellent",
    "perfect",
    "better",
    "valid",
    "common",
];
