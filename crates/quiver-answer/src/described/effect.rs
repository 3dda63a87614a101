//! What becomes of a described thing under circumstances: "What happens if the starter for the rye bread is left too warm?",
//! "Left too warm, Bertha turns sour".

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, says},
    word::{is_finite_auxiliary, is_past, is_verb},
};

use super::{
    asked::remaining_and_kind,
    covered::left,
    equation_of, is_needing,
    naming::Naming,
    phrase::{Phrase, is_definite, parts},
    says_word,
    told::{Told, mentions},
};
use crate::{
    form::Asks,
    objection::of_named,
    reading::{Piece, Reading},
    word::{Word, denies},
};

/// The words of a question that give the circumstances, and those that give the kind of effect: "damage".
pub(super) struct Effect {
    circumstances: Vec<usize>,
    kind: Vec<usize>,
}

/// Parses a question about an effect. It has to give circumstances.
pub(super) fn effect(reading: &Reading, phrase: &Phrase) -> Option<Effect> {
    let words = &reading.form.words;
    let is_open = |at: usize| is_verb_of(&words[at].lower, Describing::Happening);
    let happens = (0..words.len()).any(|at| !phrase.span.contains(&at) && is_open(at));
    let (_, kind) = remaining_and_kind(reading, &phrase.span);
    let kind: Vec<usize> = kind.into_iter().filter(|at| !is_open(*at)).collect();
    let brings = |at: &usize| is_open(*at) || is_verb_of(&words[*at].lower, Describing::Having);
    let circumstances: Vec<usize> = left(reading, phrase).into_iter().filter(|at| !brings(at)).collect();
    let asks = reading.form.asks == Asks::Thing && (happens || does_to(words, phrase) || !kind.is_empty());
    (asks && !circumstances.is_empty()).then_some(Effect { circumstances, kind })
}

/// "What does frost *do to the* starter?"
fn does_to(words: &[Word], phrase: &Phrase) -> bool {
    let start = phrase.span.start;
    let start = start - usize::from(start > 0 && is_definite(&words[start - 1]));
    start > 1 && words[start - 1].lower == "to" && words[start - 2].lower == "do"
}

/// Whether a piece tells the effect.
pub(super) fn told(
    reading: &Reading,
    (effect, phrase, naming): (&Effect, &Phrase, &Naming),
    at: usize,
) -> Option<Told> {
    let piece = &reading.pieces[at];
    let is_told = piece.is_sentence();
    let is_plain = |word: &Word| {
        !says(&word.lower, Describing::Contrasting) && !is_verb_of(&word.lower, Describing::Replacing)
    };
    let may_tell = is_told && !denies(&piece.words) && piece.words.iter().all(is_plain);
    if !may_tell || piece.unit.text.trim_end().ends_with('?') || of_named(reading, at, false).is_some() {
        return None;
    }
    let equation = equation_of(reading, phrase, naming);
    let name = &reading.pieces[naming.piece].words[naming.name.clone()];
    let tells = |mention: &Range<usize>| Sentence { reading, effect, piece }.tells(mention);
    mentions(reading, name, &equation, at).iter().any(tells).then_some(Told { piece: at, near: 0 })
}

struct Sentence<'r> {
    reading: &'r Reading,
    effect: &'r Effect,
    piece: &'r Piece,
}

impl Sentence<'_> {
    fn lower(&self, at: usize) -> &str {
        self.piece.words.get(at).map_or("", |word| word.lower.as_str())
    }

    /// Whether the thing is the subject of a predicate, and a phrase before it or after the predicate says exactly the
    /// circumstances.
    fn tells(&self, mention: &Range<usize>) -> bool {
        let words = &self.piece.words;
        let start = mention.start
            - usize::from(mention.start > 0 && matches!(self.lower(mention.start - 1), "the" | "a" | "an"));
        if words[mention.end - 1].is_possessive {
            return false;
        }
        let ends = |at: &usize| self.piece.gap_before(*at).contains([';', ':']);
        let end = (mention.end..words.len()).find(ends).unwrap_or(words.len());
        let opening = (1..=start).rev().find(ends).unwrap_or(0)..start;
        if self.is_circumstance(&opening) {
            return self.is_effect(&(mention.end..end));
        }
        let opens = |at: &usize| {
            words[*at].is_preposition() || matches!(self.lower(*at), "if" | "when" | "whenever" | "once")
        };
        let mut closings = (mention.end + 1..end).filter(opens);
        opening.is_empty()
            && closings.any(|at| self.is_circumstance(&(at..end)) && self.is_effect(&(mention.end..at)))
    }

    /// Whether a phrase says all circumstances literally and nothing else, after the preposition of the question.
    fn is_circumstance(&self, phrase: &Range<usize>) -> bool {
        let asked = &self.reading.form.words;
        let words = &self.piece.words[phrase.clone()];
        let says = |asked_at: usize, said: &Word| says_word(&asked[asked_at], said) == Some(true);
        let is_whole = self.effect.circumstances.iter().all(|at| words.iter().any(|said| says(*at, said)));
        let is_only = words
            .iter()
            .filter(|word| !word.is_function)
            .all(|said| self.effect.circumstances.iter().any(|at| says(*at, said)));
        let before = self.effect.circumstances[0].checked_sub(1).map(|at| &asked[at]);
        let before = before.filter(|word| word.is_preposition()).map(|word| word.lower.as_str());
        let first = words.first().map_or("", |word| word.lower.as_str());
        let may_open = match words.first() {
            Some(word) if word.is_preposition() => before.map_or_else(
                || matches!(first, "in" | "under" | "at" | "on" | "with" | "by" | "through"),
                |before| before == first,
            ),
            // "If left too warm", "left too warm".
            Some(word) => {
                matches!(first, "if" | "when" | "whenever" | "once")
                    || is_past(&word.lower)
                    || word.lower.ends_with("ed")
            }
            None => false,
        };
        is_whole && is_only && may_open
    }

    /// Whether a predicate tells an effect: one of the kind asked for, or else something that the thing does.
    fn is_effect(&self, predicate: &Range<usize>) -> bool {
        let words = &self.piece.words[predicate.clone()];
        let is_modal =
            |word: &Word| matches!(word.lower.as_str(), "can" | "may" | "might" | "will" | "could");
        let is_small = |word: &Word| {
            is_modal(word) || word.lower.ends_with("ly") || says(&word.lower, Describing::Frequent)
        };
        let Some(at) = words.iter().position(|word| !is_small(word)) else { return false };
        let verb = words[at].lower.as_str();
        let is_finite = words[..at].iter().any(is_modal) || is_verb(verb) || is_finite_auxiliary(verb);
        if !is_finite || parts(&self.piece.unit.text, &self.piece.words, predicate.start) {
            return false;
        }
        if let Some(kind) = self.effect.kind.last() {
            let kind = &self.reading.form.words[*kind];
            return words.iter().any(|said| says_word(kind, said).is_some());
        }
        !is_finite_auxiliary(verb) && verb != "be" && !is_needing(&words[at]) && at + 1 < words.len()
    }
}
