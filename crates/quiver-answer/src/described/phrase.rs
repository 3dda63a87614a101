//! The noun phrases by which a question may describe a thing: "the mortar for the school's outer walls", "the telescope we
//! use for faint galaxies", "the piece that opens the autumn season".

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, may_stand_for, says},
    word::{beginning, is_finite_auxiliary, is_past, is_verb},
};

use super::{is_adverb, is_same};
use crate::{reading::Reading, word::Word};

/// Maximum number of words in a description, with articles and prepositions.
const WORDS_MAX: usize = 14;
/// Minimum number of letters that words derived from each other have in common.
const BEGINNING_LEAST: usize = 4;

/// A definite noun phrase of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words of the question.
    pub(super) span: Range<usize>,
    /// The noun of which the others say more.
    pub(super) head: usize,
    /// The content words that describe, with the head.
    pub(super) words: Vec<usize>,
}

/// Finds the definite noun phrases of the question, each with every end that it may have.
pub(super) fn phrases(reading: &Reading) -> Vec<Phrase> {
    let words = &reading.form.words;
    let starts = (0..words.len()).filter_map(|at| {
        let is_owner = || words[at].is_capital && words[at].is_possessive;
        if is_definite(&words[at]) { Some(at + 1) } else { is_owner().then_some(at) }
    });
    starts.flat_map(|start| from(reading, start)).collect()
}

/// Whether a word is no function word. Within a sentence "May" with a capital is a month.
pub(super) fn is_content(word: &Word, at: usize) -> bool {
    !word.is_function || at > 0 && word.is_capital && word.lower == "may"
}

/// Whether a word makes a noun phrase definite.
pub(super) fn is_definite(word: &Word) -> bool {
    matches!(word.lower.as_str(), "the" | "our" | "my" | "your" | "their" | "its")
}

/// Whether a phrase is a part of what describes another thing: "the doctor who explained *the autumn illness*".
pub(super) fn is_within_another(reading: &Reading, phrase: &Phrase) -> bool {
    let words = &reading.form.words;
    let is_outer = |start: usize| {
        let relative = (start + 1..phrase.span.start).find(|at| words[*at].is_function);
        let is_of_thing = relative.is_some_and(|at| is_relative(&words[at]) && at > start + 1);
        is_of_thing && (start + 1..phrase.span.start).all(|at| !ends_before(reading, at + 1))
    };
    (0..phrase.span.start.saturating_sub(1)).any(|start| is_definite(&words[start]) && is_outer(start))
}

fn from(reading: &Reading, start: usize) -> Vec<Phrase> {
    let words = &reading.form.words;
    let mut found = Vec::new();
    for end in start + 1..=words.len().min(start + WORDS_MAX) {
        let last = &words[end - 1];
        let begins_relative = end - 1 > start && is_deed_of(words, end - 1);
        let is_parted = end - 1 > start && ends_before(reading, end - 1);
        // "The crop on the fields *ploughed* in", but "the crop *recommended* for the fields".
        let is_predicate = end - 1 > start && is_participle(last) && {
            let is_after_noun = !words[end - 2].is_function;
            is_after_noun && !(words.get(end).is_some_and(Word::is_preposition) && end + 1 < words.len())
        };
        if is_predicate && !words[start..end - 1].iter().any(is_relative) {
            break;
        }
        if is_parted || !is_content(last, end - 1) && !may_stand_within(words, end - 1, start) {
            break;
        }
        if is_content(last, end - 1) && !begins_relative && may_end(reading, start, end) {
            found.extend(phrase(words, start..end));
        }
    }
    found
}

/// Whether the question has a break before a word.
fn ends_before(reading: &Reading, at: usize) -> bool {
    let words = &reading.form.words;
    parts(&reading.question, words, at) || reading.question[words[at - 1].end..words[at].start].contains('.')
}

/// Whether punctuation parts a word from the one before it.
pub(super) fn parts(text: &str, words: &[Word], at: usize) -> bool {
    at > 0
        && at < words.len()
        && text[words[at - 1].end..words[at].start]
            .contains([',', ';', ':', '(', ')', '—', '–', '"', '“', '”', '!', '?', '|'])
}

/// Whether a function word may stand within a description: a preposition, an article, "that", "we".
fn may_stand_within(words: &[Word], at: usize, start: usize) -> bool {
    let lower = words[at].lower.as_str();
    if at == start || says(lower, Describing::Parting) {
        return false;
    }
    if is_finite_auxiliary(lower) || lower == "been" || lower == "be" {
        return is_relative(&words[at - 1])
            || lower.starts_with("be") && is_finite_auxiliary(&words[at - 1].lower);
    }
    let is_preposition = words[at].is_preposition() || matches!(lower, "as" | "and");
    let is_pronoun = |word: &Word| matches!(word.lower.as_str(), "we" | "you" | "i" | "they");
    // "For *the* fields", "that opens *the* season", but not "need *a* day".
    let has_verb = || {
        words[start..at].iter().any(|word| is_relative(word) || is_pronoun(word)) || is_deed_of(words, at - 1)
    };
    let follows = || words[at - 1].is_function || has_verb();
    let is_article = is_definite(&words[at]) || matches!(lower, "a" | "an");
    is_preposition || is_relative(&words[at]) || is_pronoun(&words[at]) || is_article && follows()
}

/// Whether a word says what the noun before it does, with its object after it: "the office *issuing* the permits".
fn is_deed_of(words: &[Word], at: usize) -> bool {
    let takes_object =
        words.get(at + 1).is_some_and(|next| is_definite(next) || matches!(next.lower.as_str(), "a" | "an"));
    takes_object && !words[at].is_capital && words[at].lower.ends_with("ing") && is_verb(&words[at].lower)
}

/// Whether a word begins a relative clause.
fn is_relative(word: &Word) -> bool {
    matches!(word.lower.as_str(), "that" | "which" | "who")
}

/// Whether a noun phrase may end before a word: a function word or a verb follows, or nothing.
fn may_end(reading: &Reading, start: usize, end: usize) -> bool {
    let words = &reading.form.words;
    let Some(next) = words.get(end) else { return true };
    let lower = next.lower.as_str();
    // "Does the cover crop *need* …", but "on the night *train* engine".
    let follows_auxiliary = || {
        let before = words[..start].iter().rev().find(|word| !is_definite(word));
        before.is_some_and(|word| is_finite_auxiliary(&word.lower))
    };
    let is_finite = || lower.ends_with('s') || follows_auxiliary() || is_in_subject(words, start);
    let is_verb = || is_participle(next) || !lower.ends_with("ing") && is_verb(lower) && is_finite();
    // "The checkout service's", but not "the paint for the lighthouse's".
    let is_owner = || words[end - 1].is_possessive && words[start..end].iter().all(|word| !word.is_function);
    next.is_function
        || is_owner()
        || ends_before(reading, end)
        || !next.is_capital && !next.is_number() && (is_adverb(next) || is_verb())
}

/// Whether a place is in the subject of a question with "do" or the like, whose verb follows: "Where do boats bound for *the
/// deep berth* take …?"
fn is_in_subject(words: &[Word], start: usize) -> bool {
    let is_do =
        |word: &Word| matches!(word.lower.as_str(), "do" | "does" | "did" | "must" | "should" | "can");
    let Some(auxiliary) = words[..start].iter().position(is_do) else { return false };
    let mut between = words[auxiliary + 1..start].iter();
    !between.any(|word| is_verb(&word.lower) && !word.lower.ends_with("ing") && !word.is_function)
}

fn phrase(words: &[Word], span: Range<usize>) -> Option<Phrase> {
    let is_noun = |at: &usize| !words[*at].is_capital && !is_participle(&words[*at]);
    let head = head(words, span.clone()).filter(is_noun)?;
    let is_idle = |at: usize| {
        // "That *can* take".
        let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
        let before = match at.checked_sub(2) {
            Some(further) if matches!(before, "can" | "could") => words[further].lower.as_str(),
            _ => before,
        };
        let after_pronoun = at > span.start && matches!(before, "we" | "you" | "i" | "they");
        let after_relative = || matches!(before, "is" | "are" | "that" | "who" | "which");
        let serves = || {
            [Describing::Employing, Describing::Serving]
                .into_iter()
                .any(|what| is_verb_of(&words[at].lower, what))
        };
        at > head && serves() && (after_pronoun || after_relative() || words[at].lower.ends_with("ed"))
    };
    let is_described = |at: &usize| is_content(&words[*at], *at) && !is_idle(*at);
    let content: Vec<usize> = span.clone().filter(is_described).collect();
    let is_plain = |at: &&usize| !words[**at].is_capital && !words[**at].is_number();
    // A name is no description, and neither is a noun by itself.
    (content.len() > 1 && content.iter().any(|at| is_plain(&at))).then_some(Phrase {
        span,
        head,
        words: content,
    })
}

/// The head of a noun phrase that begins here: the last content word before its first function word, less the participle
/// before a preposition: "the main *improver* used for rye dough".
pub(super) fn head(words: &[Word], span: Range<usize>) -> Option<usize> {
    let end = span.clone().find(|at| !is_content(&words[*at], *at)).unwrap_or(span.end);
    let is_deed = |at: &usize| is_participle(&words[*at]) || is_deed_of(words, *at);
    let is_followed = end < span.end;
    (span.start..end).rev().find(|at| !(is_followed && *at > span.start && is_deed(at)))
}

/// Whether a word is the past tense or the past participle of a verb.
pub(super) fn is_participle(word: &Word) -> bool {
    !word.is_capital && (is_past(&word.lower) || word.lower.ends_with("ed"))
}

/// Whether a word of a sentence says a word of a description: a form of it, a word derived from it, or the word for a kind of
/// the thing.
pub(super) fn describes(asked: &Word, said: &Word) -> bool {
    is_same(asked, said) || may_stand_for(&asked.lower, &said.lower) || is_derived(asked, said)
}

/// Whether one word is derived from the other: "training" and "trainer", "opening" and "opens".
pub(super) fn is_derived(one: &Word, other: &Word) -> bool {
    if one.is_number() || other.is_number() || one.is_capital && other.is_capital {
        return false;
    }
    let (one, other) = (beginning(&one.lower), beginning(&other.lower));
    one.len() >= BEGINNING_LEAST && one == other
}
