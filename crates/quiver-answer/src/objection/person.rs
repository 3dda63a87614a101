//! Objections to a name or a sentence that does not tell who.

use quiver_documents::label::label;
use std::ops::Range;

use quiver_language::word::{irregular_verb, is_verb};

use super::{
    super::{
        candidate::{Candidate, Kind},
        form::{Asks, Form, Role, is_auxiliary},
        reading::{Named, Piece, Reading, Wanted},
        unit::UnitKind,
        word::{Word, words_of},
    },
    kind::is_new_name,
};

/// Whether a name is that of an activity or a department and so of no person: "Operations Engineering".
pub(super) fn names_activity(form: &Form, name: &str) -> bool {
    let is_abstract = |word: &String| {
        ["tion", "tions", "sion", "ness", "ship"].iter().any(|ending| word.ends_with(ending))
            || word.ends_with("ing") && is_verb(word)
    };
    form.asks == Asks::Person && words_of(name).iter().any(is_abstract)
}

/// Whether the name of somebody has a word of the question that is no name: "the Wool Hour" for "Who presents the wool show?"
pub(super) fn names_asked(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let mut within = piece.words.iter().filter(|word| candidate.range.contains(&word.start));
    reading.form.asks == Asks::Person
        && matches!(candidate.kind, Kind::Name | Kind::Subject | Kind::Quotation)
        && within.any(|word| word.is_capital && is_asked_no_name(reading, word))
}

/// Whether a word is one of the question's that is in none of its names.
fn is_asked_no_name(reading: &Reading, word: &Word) -> bool {
    let mut wanted = reading.wanted.iter().filter(|wanted| wanted.role != Role::Name);
    wanted.any(|wanted| reading.agreement(wanted, word) >= 1.0)
}

/// Whether a name is of what somebody works with, and not of who does: "done *on Weblate*".
pub(super) fn is_worked_with(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let before = first.checked_sub(1).map_or("", |before| piece.words[before].lower.as_str());
    reading.form.asks == Asks::Person && matches!(before, "on" | "in" | "at" | "via" | "through" | "using")
}

/// Whether the question asks who has or does something, and a line only says more of that: "Red key: shed and cellar" for
/// "Who has a red key?"
pub(super) fn labels_object(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let may_have = |verb: &str| !is_auxiliary(verb) || matches!(verb, "has" | "have" | "had");
    let is_who = form.question_word.is_some_and(|at| {
        form.words[at].lower == "who" && form.words.get(at + 1).is_some_and(|verb| may_have(&verb.lower))
    });
    let Some((label, _)) = label(&piece.unit.text).filter(|_| is_who) else { return false };
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let mut of_label =
        piece.words.iter().filter(|word| word.end <= label.len() && !word.is_function).peekable();
    let is_label = of_label.peek().is_some() && of_label.all(is_asked);
    let mut value = piece.words.iter().filter(|word| word.start > label.len());
    is_label && !value.any(|word| word.is_capital || names_person(&word.lower))
}

/// Whether a word may be for somebody: "weaver", "operators".
fn names_person(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    ["er", "or", "ist", "man", "men"].iter().any(|end| singular.ends_with(end))
}

/// Whether a sentence says something of those whose names are asked for, and not who they are: "The wardens are asked to
/// meet" for "Who are the wardens?"
pub(super) fn tells_of_holders(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be");
    let asks_names = form.asks == Asks::Person
        && form.question_word.and_then(|at| form.words.get(at + 1)).is_some_and(is_be);
    let words = &piece.words;
    let starts = words.iter().position(|word| !word.is_function);
    let is_new_name = |word: &Word| word.is_capital && !word.is_function && !form.has(word);
    let verb = words.iter().position(is_be).unwrap_or(words.len());
    // "The buyer was a cooperative" tells who it was.
    let is_passive = words.get(verb + 1..).is_none_or(|after| {
        let next = after.iter().find(|word| !is_adverb(&word.lower));
        next.is_some_and(|next| is_participle(&next.lower))
    });
    let names = |at: usize| {
        (at == verb || breaks_after(piece, at))
            && words[at + 1..(at + 4).min(words.len())].iter().any(is_new_name)
    };
    asks_names
        && piece.unit.kind == UnitKind::Prose
        && starts.is_some_and(|at| is_asked_no_name(reading, &words[at]))
        && is_passive
        && !(0..words.len().min(verb + 1)).any(names)
}

/// Whether the question asks who is something to somebody or comes before them, and a sentence names nobody but them and does
/// not say that: "The head of sales is Mia Strand" for "Who is the successor of Mia Strand?"
pub(super) fn names_only_asked(reading: &Reading, piece: &Piece) -> bool {
    let mut names = piece.names().peekable();
    let is_open = |(bit, wanted): (usize, &Wanted)| {
        matches!(wanted.role, Role::Outer | Role::Inner) && !piece.own.has(bit)
    };
    let words = &reading.form.words;
    let is_after_another = |name: &Range<usize>| {
        name.start > 0 && matches!(words[name.start - 1].lower.as_str(), "before" | "after")
    };
    reading.form.asks == Asks::Person
        && names.peek().is_some()
        && !names.any(|named| is_new_name(reading, named))
        && (reading.wanted.iter().enumerate().any(is_open) || reading.form.names.iter().any(is_after_another))
}

/// Whether the question asks who has a role, and every new name of a sentence is that of another role, an activity or a
/// thing: "The buyer, the Head Weaver and the Dyer meet" for "Who is the head weaver?"
pub(super) fn names_roles_only(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let after = |ahead: usize| form.question_word.and_then(|at| form.words.get(at + ahead));
    let asks_holder = form.asks == Asks::Person && after(2).is_some_and(|word| word.lower == "the");
    // "The payments team owns the service": who does it need not have a name.
    let is_deed = |word: &Word| after(1).is_some_and(|verb| verb.is_form_of(word));
    let does = |at: usize| {
        let subject = &piece.words[at - 1];
        is_deed(&piece.words[at]) && !subject.is_function && !subject.is_numeric()
    };
    let is_told = || (1..piece.words.len().min(SUBJECT_MAX)).any(does);
    let is_holder = |named: &Named| {
        let before = piece.words.iter().rfind(|word| word.end <= named.range.start);
        let is_determined =
            before.is_some_and(|word| matches!(word.lower.as_str(), "the" | "a" | "an" | "our" | "your"));
        let last = piece.unit.text[named.range.clone()].rsplit(' ').next().unwrap_or_default();
        let is_role = last.len() <= ABBREVIATION_MAX && last.chars().all(char::is_uppercase)
            || matches!(last, "Lead" | "Head" | "Chief" | "Chair")
            || ["er", "or"].iter().any(|end| last.ends_with(end)) && named.key.contains(' ');
        is_new_name(reading, named) && !is_determined && !is_role && !names_activity(form, &named.key)
    };
    asks_holder
        && reading.is_in_section(piece)
        && piece.unit.kind == UnitKind::Prose
        && !piece.unit.text.contains('@')
        && !piece.names().any(is_holder)
        && !is_told()
}

/// Maximum number of words before the verb of a sentence whose subject does what is asked.
const SUBJECT_MAX: usize = 6;

/// Maximum number of letters of an abbreviation for a role: "CFO".
const ABBREVIATION_MAX: usize = 4;

fn is_adverb(word: &str) -> bool {
    word.ends_with("ly") || matches!(word, "not" | "also" | "now" | "still" | "always" | "often")
}

fn is_participle(word: &str) -> bool {
    word.ends_with("ed") || irregular_verb(word).is_some()
}

/// Whether a comma, a colon, a dash or a bracket follows a word.
fn breaks_after(piece: &Piece, at: usize) -> bool {
    let rest = piece.unit.text[piece.words[at].end..].trim_start();
    rest.starts_with([',', ':', '–', '—', '(', '-'])
}
