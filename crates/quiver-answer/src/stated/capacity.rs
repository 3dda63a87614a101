//! What something is, said with "as", and what it does something with, of a kind: "What kind of lawyer is Ann Lee?", "Ann
//! Lee practises in York as a tax lawyer"; "Which office does Ann Lee run?", "Ann Lee runs the tax office."

use std::ops::Range;

use quiver_language::description::may_stand_for;

use super::is_same;
use crate::{
    form::{Form, is_auxiliary},
    reading::{Piece, Reading},
    word::Word,
};

/// The sentence about the thing that says as what it does something, if there is only one.
pub(super) fn capacity(reading: &Reading) -> Option<usize> {
    let asked = asked(&reading.form).filter(|_| !reading.form.is_negative)?;
    let mut told = (0..reading.pieces.len()).filter(|at| says(&asked, &reading.pieces[*at]));
    let first = told.next()?;
    told.all(|other| reading.pieces[other].unit.text == reading.pieces[first].unit.text).then_some(first)
}

/// The sentence that says of which one of a kind the thing does what the question asks, if there is only one.
pub(super) fn object(reading: &Reading) -> Option<usize> {
    let asked = asked_object(&reading.form).filter(|_| !reading.form.is_negative)?;
    let says = |at: &usize| {
        let piece = &reading.pieces[*at];
        let rest = after_subject(&asked, piece).unwrap_or_default();
        let object = without_article(rest.get(1..).unwrap_or_default());
        let phrase = object.iter().take_while(|word| !word.is_function).count();
        is_done(&asked, rest) && asked.kind.is_some_and(|kind| is_of_kind(&object[..phrase], kind))
    };
    let mut told = (0..reading.pieces.len()).filter(says);
    told.next().filter(|_| told.next().is_none())
}

/// Parses "Which K does T run?" and "Which K is run by T?"
fn asked_object(form: &Form) -> Option<Asked<'_>> {
    let words = &form.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let at = form.question_word.filter(|at| matches!(lower(*at), "what" | "which"))?;
    let verb = (at + 1..words.len()).find(|at| is_auxiliary(lower(*at))).filter(|verb| *verb == at + 2)?;
    let kind = Some(&words[at + 1]).filter(|kind| !kind.is_function);
    let (thing, deed) = if matches!(lower(verb), "does" | "do" | "did") {
        let (deed, thing) = without_article(&words[verb + 1..]).split_last()?;
        (thing, deed)
    } else {
        let is_by = lower(verb + 2) == "by" && matches!(lower(verb), "is" | "are" | "was" | "were");
        (without_article(words.get(verb + 3..).filter(|_| is_by)?), &words[verb + 1])
    };
    is_name(thing).then_some(Asked { thing, kind, deed: Some(deed), beside: &[] })
}

/// A question for what something is.
struct Asked<'w> {
    thing: &'w [Word],
    /// The kind of which one is asked for: "what kind of *lawyer*".
    kind: Option<&'w Word>,
    /// What it does: "as what does she *sail*".
    deed: Option<&'w Word>,
    /// What the question says beside: "what is her job *in York*".
    beside: &'w [Word],
}

/// Parses "What kind of K is T?", "What is T's job?", "In what position does T play?" and "As what does T sail?"
fn asked(form: &Form) -> Option<Asked<'_>> {
    let words = &form.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let at = form.question_word.filter(|at| matches!(lower(*at), "what" | "which"))?;
    let before = at.checked_sub(1).map_or("", lower);
    if matches!(lower(at + 1), "kind" | "sort" | "type") && lower(at + 2) == "of" {
        let verb = (at + 3..words.len()).find(|at| is_auxiliary(lower(*at)))?;
        let kind = words[at + 3..verb].last().filter(|word| !word.is_function)?;
        let is_copula = matches!(lower(verb), "is" | "are" | "was" | "were");
        let thing = without_article(words.get(verb + 1..)?);
        let fits = is_copula && is_name(thing);
        return fits.then_some(Asked { thing, kind: Some(kind), deed: None, beside: &[] });
    }
    if matches!(lower(at + 1), "is" | "was") {
        let owner = (at + 2..words.len()).find(|owner| words[*owner].is_possessive)?;
        let thing = without_article(&words[at + 2..=owner]);
        let beside = words.get(owner + 2..).filter(|_| is_capacity(lower(owner + 1)))?;
        return is_name(thing).then_some(Asked { thing, kind: None, deed: None, beside });
    }
    let is_capacity = is_capacity(lower(at + 1)) && before == "in";
    let verb = at + 1 + usize::from(is_capacity);
    if !is_capacity && before != "as" || !matches!(lower(verb), "does" | "do" | "did") {
        return None;
    }
    let rest = without_article(words.get(verb + 1..)?);
    let end = rest.iter().position(|word| !word.is_capital)?;
    let thing = &rest[..end];
    is_name(thing).then_some(Asked { thing, kind: None, deed: Some(&rest[end]), beside: &[] })
}

/// Whether a noun asks as what somebody acts.
fn is_capacity(word: &str) -> bool {
    matches!(
        word,
        "position"
            | "role"
            | "capacity"
            | "function"
            | "job"
            | "post"
            | "profession"
            | "occupation"
            | "trade"
    )
}

fn without_article(words: &[Word]) -> &[Word] {
    let articles = words.iter().take(1).filter(|word| matches!(word.lower.as_str(), "the" | "a" | "an"));
    &words[articles.count()..]
}

fn is_name(words: &[Word]) -> bool {
    words.iter().any(|word| word.is_capital) && words.iter().all(|word| !word.is_function)
}

/// Whether a sentence has the thing as its subject and says as what it acts.
fn says(asked: &Asked<'_>, piece: &Piece) -> bool {
    let Some(rest) = after_subject(asked, piece) else { return false };
    let said = |phrase: Range<usize>| match asked.kind {
        Some(kind) => is_of_kind(&rest[phrase], kind),
        None => !phrase.is_empty(),
    };
    let is_said = |word: &Word| word.is_function || piece.words.iter().any(|said| is_same(said, word));
    is_done(asked, rest) && asked.beside.iter().all(is_said) && phrases(rest).into_iter().any(said)
}

/// The words after the thing in a sentence that has it as its subject.
fn after_subject<'p>(asked: &Asked<'_>, piece: &'p Piece) -> Option<&'p [Word]> {
    let words = without_article(&piece.words);
    let is_prose = piece.is_sentence();
    let is_subject = is_prose && words.iter().zip(asked.thing).all(|(one, other)| is_same(one, other));
    let rest = words.get(asked.thing.len()..).filter(|_| is_subject)?;
    rest.first().is_some_and(|next| !next.is_capital).then_some(rest)
}

fn is_done(asked: &Asked<'_>, said: &[Word]) -> bool {
    let verb = said.first();
    asked.deed.is_none_or(|deed| verb.is_some_and(|verb| verb.is_form_of(deed)))
}

/// The noun phrases after "as a", and after "is a" at the start of a predicate.
fn phrases(words: &[Word]) -> Vec<Range<usize>> {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let begins = |at: usize| at == 0 || lower(at - 1) == "and";
    let opens =
        |at: &usize| lower(*at) == "as" || begins(*at) && matches!(lower(*at), "is" | "was" | "are" | "were");
    let starts = (0..words.len()).filter(opens).filter(|at| matches!(lower(at + 1), "a" | "an" | "the"));
    let phrase =
        |start: usize| start..start + words[start..].iter().take_while(|word| !word.is_function).count();
    starts.map(|at| phrase(at + 2)).collect()
}

/// Whether a phrase names a kind of this: "tax lawyer", "footbridge", or "church" for a building, but not "lawyer".
fn is_of_kind(phrase: &[Word], kind: &Word) -> bool {
    let Some((head, others)) = phrase.split_last() else { return false };
    let is_compound = head.lower.len() > kind.lower.len() + 2 && head.lower.ends_with(&kind.lower);
    let is_special = !is_same(head, kind) && !may_stand_for(&head.lower, &kind.lower);
    is_same(head, kind) && !others.is_empty()
        || is_compound
        || is_special && may_stand_for(&kind.lower, &head.lower)
}
