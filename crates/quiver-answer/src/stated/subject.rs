//! Sentences that say what exactly the thing asked about is or does.

use std::ops::Range;

use quiver_language::{
    answering::{self, Answering},
    definition::{DefinitionForm, asked_for, defined_in},
};
use quiver_models::Lexical;

use super::{Topic, is_kind, is_same, names_kind, says_all};
use crate::{
    reading::{Piece, Reading},
    unit::UnitKind,
    word::{Word, denies, is_base_form, says_class, words_of},
};

/// The sentence that says what the thing is.
pub(super) fn being(reading: &Reading, topic: &Topic) -> Option<usize> {
    let name = &reading.form.words[topic.name.clone()];
    first(reading, topic, |at, piece| match defines(name, piece) {
        Some(_) if topic.is_deed && !tells_use(piece) => None,
        Some(DefinitionForm::CalledBefore) => is_described_before(reading, at).then_some(0),
        // "The council is responsible for the budget": the purpose comes first; later sentences give details.
        Some(DefinitionForm::Use) => is_first(reading, at).then_some(1),
        Some(DefinitionForm::Meaning) => Some(1),
        Some(_) => Some(0),
        // "# Receivers", "A receiver collects …"
        None => {
            (is_own_heading(reading, name, piece) && does(name, piece) && is_first(reading, at)).then_some(2)
        }
    })
}

/// The sentence that says what the thing does. It has to be the first under its heading, because later ones
/// may describe a detail.
pub(super) fn deed(reading: &Reading, topic: &Topic) -> Option<usize> {
    let name = &reading.form.words[topic.name.clone()];
    let is_told = |piece: &Piece| does(name, piece) || is_deed_of_heading(reading, name, piece);
    first(reading, topic, |at, piece| (topic.is_deed && is_told(piece) && is_first(reading, at)).then_some(0))
}

/// Whether a definition also says what the thing does or is for: "is an app *that* starts the loom", but not "is a single
/// process".
fn tells_use(piece: &Piece) -> bool {
    says_class(&piece.words, Answering::Use)
}

/// Whether the sentence before a "this is called" sentence describes the thing.
fn is_described_before(reading: &Reading, at: usize) -> bool {
    reading.antecedent(at).is_some_and(|before| {
        let piece = &reading.pieces[before];
        piece.unit.text.trim_end().ends_with('.') && piece.words.len() > SAID_LEAST && !reading.refers(before)
    })
}

/// The first sentence among those with the lowest rank from `tells`. Prefers sentences under a heading that
/// names the thing, and most of all under a heading that is exactly its name.
fn first(reading: &Reading, topic: &Topic, tells: impl Fn(usize, &Piece) -> Option<u8>) -> Option<usize> {
    let name = &reading.form.words[topic.name.clone()];
    let is_place = |word: usize| topic.place.contains(&word);
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let text = piece.unit.text.trim_end();
        let is_sentence = match piece.unit.kind {
            UnitKind::Prose => !text.ends_with(['?', ':']),
            UnitKind::Item => text.ends_with('.'),
            UnitKind::Row | UnitKind::Code => false,
        };
        let told = is_sentence && says_all(reading, piece, is_place);
        Some((at, piece, tells(at, piece).filter(|_| told)?))
    });
    let is_under = |piece: &Piece| name.iter().all(|word| reading.is_above(piece, word));
    // A page describes a thing; a comment in code describes its implementation.
    let is_comment = |piece: &Piece| piece.unit.text.starts_with("//");
    let found = found.min_by_key(|(at, piece, rank)| {
        (*rank, is_comment(piece), !is_own_heading(reading, name, piece), !is_under(piece), *at)
    });
    found.map(|(at, ..)| at)
}

/// Whether the heading of a piece is exactly the name of the thing.
fn is_own_heading(reading: &Reading, name: &[Word], piece: &Piece) -> bool {
    let heading = reading.heading_of(piece);
    let named = asked_for(heading).map_or(heading, |name| &heading[name]);
    words_of(named).iter().map(String::as_str).eq(name.iter().map(|word| word.lower.as_str()))
}

/// How a sentence defines the thing, if it does. Either name may end with a word for its kind.
fn defines(name: &[Word], piece: &Piece) -> Option<DefinitionForm> {
    let asked = definitions_of(name);
    let found = defined_in(&piece.unit.text).into_iter().find(|defined| {
        let Range { start, end } = defined.name;
        let is_within = |word: &&Word| start <= word.start && word.end <= end;
        let words: Vec<Word> = piece.words.iter().filter(is_within).cloned().collect();
        !is_joined_by_point(&words, name)
            && !is_other_name(&piece.unit.text, &words, name)
            && definitions_of(&words).iter().any(|defined| asked.contains(defined))
    });
    found.map(|defined| defined.form)
}

/// The definition terms of a name, with and without a trailing word for its kind.
fn definitions_of(name: &[Word]) -> Vec<u32> {
    let bare =
        name.split_last().filter(|(last, rest)| is_kind(last) && !rest.is_empty()).map(|(_, rest)| rest);
    let joined = |words: &[Word]| words.iter().map(|word| word.lower.as_str()).collect::<String>();
    [Some(name), bare].into_iter().flatten().map(|name| Lexical::new().definition_of(&joined(name))).collect()
}

/// Whether a sentence is the first under its heading.
fn is_first(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let mut before = reading.pieces[..at].iter().rev().take_while(|before| before.source == piece.source);
    !before.any(|before| {
        before.unit.kind == UnitKind::Prose
            && before.unit.heading == piece.unit.heading
            && !is_labelled(&before.unit.text)
    })
}

/// Whether a line only labels a value: "Usage: loom wind [OPTIONS]", "Since: 2.1".
fn is_labelled(line: &str) -> bool {
    let label = line.split_once(": ").map(|(label, _)| label.split_whitespace().count());
    label.is_some_and(|words| words <= LABEL_WORDS_MAX) && !line.ends_with('.')
}

/// Maximum number of words in a label.
const LABEL_WORDS_MAX: usize = 2;

/// Whether a sentence continues the heading that names the thing: "# describe", "Returns the type of a
/// value".
fn is_deed_of_heading(reading: &Reading, name: &[Word], piece: &Piece) -> bool {
    let named_words: Vec<String> =
        name.iter().filter(|word| !is_kind(word)).flat_map(|word| words_of(&word.lower)).collect();
    let heading = words_of(reading.heading_of(piece)).into_iter().filter(|word| !names_kind(word));
    let is_named = heading.eq(named_words.iter().cloned());
    let (Some(verb), Some(next)) = (piece.words.first(), piece.words.get(1)) else { return false };
    // "# loom wind", "Wind the warp onto the beam"
    let is_command = named_words.len() > 1 && is_base_form(&verb.lower) && !verb.is_function;
    is_named
        && verb.is_capital
        && (is_deed(verb, next) || is_command)
        && piece.words.len() > SAID_LEAST
        && !denies(&piece.words[..SAID_LEAST])
}

/// Minimum number of words after the verb.
const SAID_LEAST: usize = 4;

/// The end of the name at the start of the words, even if it is joined or split there: `ServiceProfile`,
/// "service profile".
fn name_end(words: &[Word], name: &[Word]) -> Option<usize> {
    if words.get(..name.len()).is_some_and(|words| is_same_name(words, name)) {
        return Some(name.len());
    }
    let joined = |words: &[Word]| -> String {
        words.iter().flat_map(|word| word.lower.chars()).filter(|c| c.is_alphanumeric()).collect()
    };
    let joined_name = joined(name);
    let is_joined =
        |end: &usize| joined(&words[..*end]) == joined_name && !is_joined_by_point(&words[..*end], name);
    (1..=words.len().min(NAME_WORDS_MAX)).find(is_joined)
}

/// Whether a sentence names something whose name only resembles the one asked about: the file `.loom`, or the
/// user "borgs" when Borg is asked about.
fn is_other_name(text: &str, words: &[Word], name: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let is_marked = text[..first.start].ends_with(['.', '-', '$', '@', '/', '_']);
    // "loom-stop is a string …" describes a key, not a loom stop.
    let is_key = name.len() > 1
        && words.len() == 1
        && first.start == 0
        && !first.is_capital
        && first.lower.contains(['-', '_']);
    let [asked] = name else { return is_marked || is_key };
    let is_form = first.lower != asked.lower && words.len() == 1 && asked.is_capital;
    is_marked || is_form && asked.lower.len() < first.lower.len()
}

/// Whether the words have a dot where the name has a space: the file `loom.wind` is not the command `loom
/// wind`.
fn is_joined_by_point(words: &[Word], name: &[Word]) -> bool {
    let has_point = |words: &[Word]| words.iter().any(|word| word.lower.contains('.'));
    name.len() > 1 && has_point(words) && !has_point(name)
}

fn is_same_name(one: &[Word], other: &[Word]) -> bool {
    one.iter().zip(other).all(|(one, other)| is_same(one, other))
}

/// Maximum number of words in a name.
const NAME_WORDS_MAX: usize = 6;

/// Whether a sentence has the thing as its subject and says what it does.
fn does(name: &[Word], piece: &Piece) -> bool {
    let (words, text) = (&piece.words, &piece.unit.text);
    let from = words.iter().take(1).filter(|word| matches!(word.lower.as_str(), "the" | "a" | "an")).count();
    let named = |name: &[Word]| name_end(&words[from..], name).map(|end| from + end);
    let end = named(name).or_else(|| match name.split_last() {
        Some((last, rest)) if is_kind(last) && !rest.is_empty() => named(rest),
        _ => None,
    });
    let Some(mut end) = end else { return false };
    end += usize::from(words.get(end).is_some_and(is_kind));
    let (subject, said) = words.split_at(end);
    let (Some(subject), [verb, next, ..]) = (subject.last(), said) else { return false };
    let gap = &text[subject.end..verb.start];
    // "The Message Bus (MB) carries …"
    let is_near = gap == " " || gap.starts_with(" (") && gap.ends_with(") ");
    is_near
        && !subject.is_possessive
        && said.len() > SAID_LEAST
        && !denies(&said[..3])
        && !verb.is_capital
        && is_deed(verb, next)
}

/// Whether a word is a verb of action, judged by its ending and the word after it.
fn is_deed(verb: &Word, next: &Word) -> bool {
    verb.lower.len() >= 4
        && verb.lower.ends_with('s')
        && !verb.lower.ends_with("ss")
        && !answering::says(&verb.lower, Answering::State)
        && !matches!(
            next.lower.as_str(),
            "is" | "are" | "was" | "were" | "can" | "must" | "may" | "have" | "has" | "will"
        )
}
