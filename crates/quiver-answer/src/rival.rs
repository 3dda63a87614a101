//! Detects when the passage differs from the question in a number or name: a question about Article 20 is not
//! answered by Article 12, nor one about the Northern Line by the Southern Line.

use quiver_language::number::as_year;

use super::word::Word;

/// Whether the words describe a different thing of the same kind. `is_said` tells whether a question word
/// occurs there or nearby.
pub(super) fn tells_of_another(
    question: &str,
    asked: &[Word],
    text: &str,
    words: &[Word],
    is_said: impl Fn(&Word) -> bool,
) -> bool {
    let pairs = |text: &str, words: &[Word]| -> Vec<usize> {
        let is_beside = |at: &usize| is_joined(&text[words[at - 1].end..words[*at].start]);
        (1..words.len()).filter(is_beside).collect()
    };
    let asked_pairs = pairs(question, asked);
    let said_pairs = pairs(text, words);
    let is_asked = |word: &Word| asked.iter().any(|asked| is_same(asked, word));
    asked.iter().enumerate().filter(|(_, word)| tells(word) && !is_said(word)).any(|(at, telling)| {
        let is_rival = |word: &Word| is_of_same_sort(telling, word) && !is_asked(word);
        let before = asked_pairs.contains(&at).then(|| &asked[at - 1]).filter(|word| names_kind(word));
        let after = asked_pairs.contains(&(at + 1)).then(|| &asked[at + 1]).filter(|word| names_kind(word));
        let is_other_year = is_year(telling) && words.iter().any(|word| is_year(word) && !is_asked(word));
        let is_other_compound = counted(telling).is_some_and(|(_, kind)| {
            words
                .iter()
                .filter_map(counted)
                .any(|(number, other)| other == kind && !telling.lower.starts_with(&format!("{number}-")))
        });
        let is_other_identifier = telling.is_identifier()
            && words.iter().any(|word| {
                let is_named = asked.iter().any(|asked| asked.lower == word.lower);
                word.is_identifier() && first_part(word) == first_part(telling) && !is_named
            });
        is_other_year
            || is_other_compound
            || is_other_identifier
            || said_pairs.iter().any(|said| {
                let (first, second) = (&words[said - 1], &words[*said]);
                before.is_some_and(|kind| is_same(kind, first) && is_rival(second))
                    // Any first word of a sentence is capitalised.
                    || after.is_some_and(|kind| is_same(kind, second) && is_rival(first) && *said > 1)
            })
    })
}

/// Whether nothing separates two words but a single space, or the colon between a row's head and its cell.
fn is_joined(gap: &str) -> bool {
    matches!(gap, " " | ": ")
}

/// Whether a word distinguishes one thing from others of its kind.
fn tells(word: &Word) -> bool {
    let is_marked = word.is_numeric() || word.is_capital || counted(word).is_some() || word.is_identifier();
    !word.is_function && is_marked
}

/// The first part of an identifier: "web" of "web-eu-2".
fn first_part(word: &Word) -> Option<&str> {
    word.lower.split(['-', '_']).next()
}

/// Whether a word can be the noun for a kind.
fn names_kind(word: &Word) -> bool {
    !word.is_function && !word.is_numeric()
}

fn is_of_same_sort(one: &Word, other: &Word) -> bool {
    !other.is_function && one.is_numeric() == other.is_numeric() && (one.is_numeric() || other.is_capital)
}

fn is_year(word: &Word) -> bool {
    as_year(&word.lower).is_some()
}

/// The number and the noun of a compound: "six-day".
fn counted(word: &Word) -> Option<(&str, &str)> {
    let (number, kind) = word.lower.split_once('-')?;
    let is_number = super::lexicon::number(number).is_some() || number.parse::<u32>().is_ok();
    (is_number && kind.starts_with(char::is_alphabetic)).then_some((number, kind))
}

fn is_same(one: &Word, other: &Word) -> bool {
    one.lower == other.lower || one.is_form_of(other)
}
