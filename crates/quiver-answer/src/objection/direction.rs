//! Objections to a sentence that states a relation the other way round.

use std::ops::Range;

use quiver_language::word::verbs;

use super::super::{
    form::{Asks, Form, Role},
    format::Format,
    reading::{Piece, Reading, Wanted, says},
    word::Word,
};
use super::relation::says_kind;

/// Whether a value is the object of a relation for which the question gives another object: in "They enforce *the rules
/// of the guild*" for "Who enforces the oath?"
pub(super) fn is_object_of_relation(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let is_determiner = |word: &&Word| {
        matches!(word.lower.as_str(), "the" | "a" | "an" | "this" | "his" | "her" | "its" | "their" | "our")
    };
    let Some(before) = piece.words[..first].iter().rev().find(|word| !is_determiner(word)) else {
        return false;
    };
    let asked = &reading.form.words;
    let has_object = |wanted: &Wanted| {
        let after = asked[wanted.word + 1..].iter().find(|word| !is_determiner(word));
        after.is_some_and(|after| !after.is_function)
    };
    let is_relation = |wanted: &&Wanted| {
        matches!(wanted.role, Role::Outer | Role::Inner) && reading.agreement(wanted, before) >= 1.0
    };
    reading.form.asks == Asks::Person
        && is_verbal_form(&before.lower)
        && reading.wanted.iter().filter(is_relation).any(has_object)
}

/// Whether a value does something else than what is asked, which a name after it does with the same verb: "*Ann* plays the aunt
/// and Ben the landlady" for "Who plays the landlady?"
pub(super) fn is_before_other_subject(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let words = &piece.words;
    let asked_verb = reading.form.question_word.and_then(|at| reading.form.words.get(at + 1));
    let Some(asked_verb) = asked_verb.filter(|verb| reading.form.asks == Asks::Person && !verb.is_function)
    else {
        return false;
    };
    let is_verb = |at: &usize| words[*at].is_form_of(asked_verb);
    let is_object = |word: &Word| !word.is_function && reading.form.has(word);
    let Some(verb) = (first + 1..words.len()).find(is_verb) else { return false };
    let begins_anew = |and: usize| {
        let other = words.get(and + 1).and_then(|next| {
            piece
                .named
                .iter()
                .find(|named| named.range.start == next.start && !says(&reading.asked, &named.key))
        });
        let mut rest =
            words[and..].iter().skip_while(|word| other.is_some_and(|other| word.start < other.range.end));
        other.is_some() && rest.find(|word| !word.is_function).is_some_and(is_object)
    };
    let joints = (verb + 1..words.len()).filter(|at| words[*at].lower == "and");
    let mut joints = joints.filter(|and| begins_anew(*and));
    joints.next().is_some_and(|and| !words[verb + 1..and].iter().any(is_object))
}

/// Whether a number is told of another name, and one after it of the question's: "The P6 stores *four* programs and the P12
/// stores ten" for the P12.
pub(super) fn is_of_clause_before(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let words = &piece.words;
    let is_named = |word: &Word| {
        let mut names = reading.wanted.iter().filter(|wanted| wanted.role == Role::Name);
        names.any(|wanted| reading.agreement(wanted, word) >= 1.0)
    };
    let is_other = |at: usize| {
        let has_digit = words[at].lower.contains(|c: char| c.is_ascii_digit()) && !words[at].is_numeric();
        (at > 0 && words[at].is_capital || has_digit)
            && !words[at].is_function
            && !reading.form.has(&words[at])
    };
    let joint = (first + 1..words.len()).find(|at| {
        let is_joint = matches!(words[*at].lower.as_str(), "and" | "but" | "while" | "whereas");
        is_joint && words[at + 1..].iter().find(|word| !word.is_function).is_some_and(is_named)
    });
    words[first].is_number()
        && !words[..first].iter().any(is_named)
        && (0..first).any(is_other)
        && joint.is_some_and(|joint| {
            let named = (joint + 1..words.len()).find(|at| is_named(&words[*at]));
            named.is_some_and(|named| words[named + 1..].iter().any(Word::is_number))
        })
}

/// Whether what the question asks about is the agent of the sentence, so that the sentence tells what it does and not who
/// it is: "The mill is run by the weavers' board" for "Who is the head of the weavers' board?"
pub(super) fn is_by_asked(reading: &Reading, piece: &Piece) -> bool {
    let is_asked = |word: &&Word| reading.form.has(word);
    let Some(by) = piece.words.iter().position(|word| word.lower == "by") else { return false };
    let agent: Vec<&Word> = piece.words[by + 1..]
        .iter()
        .skip_while(|word| word.is_function)
        .take_while(|word| !word.is_function)
        .collect();
    let asked = agent.iter().copied().filter(is_asked).count();
    reading.form.asks == Asks::Person && agent.last().is_some_and(is_asked) && 2 * asked >= agent.len()
}

/// Whether the question asks what was done to a thing that is only the other party in the sentence: "The mill was sold *to
/// Norvik*" for "How much was Norvik sold for?"
pub(super) fn is_beside_passive(reading: &Reading, piece: &Piece) -> bool {
    let (asked, words) = (&reading.form.words, &piece.words);
    let is_be = |at: usize| matches!(asked[at].lower.as_str(), "is" | "are" | "was" | "were");
    let is_beside = |name: &Range<usize>| {
        let before = name.start.checked_sub(1).map(|at| at - usize::from(at > 0 && asked[at].lower == "the"));
        let verb = asked.get(name.end).filter(|verb| before.is_some_and(is_be) && !verb.is_function);
        let is_name = |at: usize| asked[name.clone()].iter().any(|part| part.is_form_of(&words[at]));
        let mut said = (0..words.len()).filter(|at| is_name(*at)).peekable();
        let is_after = |at: usize| {
            let from = at - usize::from(at > 0 && words[at - 1].lower == "the");
            let is_joined = from > 1 && matches!(words[from - 1].lower.as_str(), "to" | "from" | "by");
            is_joined && verb.is_some_and(|verb| verb.is_form_of(&words[from - 2]))
        };
        said.peek().is_some() && said.all(is_after)
    };
    reading.form.names.iter().any(is_beside)
}

/// Whether a word is a form of a verb: "enforces", "enforcing".
fn is_verbal_form(word: &str) -> bool {
    word.ends_with("ing") || verbs(word).next().is_some()
}

/// The relation word of a question with two participants, and whether the question asks for the agent.
fn asked_end(form: &Form) -> Option<(usize, bool)> {
    let at = form.question_word?;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    if !matches!(lower(at), "who" | "whom" | "what" | "which") {
        return None;
    }
    let next = form.kind.filter(|kind| *kind > at && *kind < at + 5).map_or(at + 1, |kind| kind + 1);
    let in_name = |at: usize| form.names.iter().any(|name| name.contains(&at));
    let is_verb = |at: usize| form.words.get(at).is_some_and(|word| !word.is_function) && !in_name(at);
    if matches!(lower(next), "do" | "does" | "did") {
        // "Whom does Bob manage?"
        let verb = (next + 1..form.words.len()).rev().find(|at| is_verb(*at))?;
        return Some((verb, false));
    }
    if matches!(lower(next), "is" | "are" | "was" | "were") {
        let by = form.words.iter().rposition(|word| word.lower == "by")?;
        let verb = (next + 1..by).rev().find(|at| is_verb(*at))?;
        // "By whom is it managed?", "who is it managed by?", "what is managed by Bob?"
        let is_last = by + 1 == form.words.len();
        return (verb + 1 == by).then_some((verb, is_last));
    }
    (is_verb(next) && form.words[next].lower.ends_with(|c: char| c.is_alphabetic())).then_some((next, true))
}

/// The noun of the only thing that a question with two participants names beside its verb: "boat" in "Who owns the red boat?"
/// Returns its bit.
fn only_thing(reading: &Reading, verb: usize) -> Option<usize> {
    let form = &reading.form;
    // "What port does the mill use by default?"
    let is_verb = verbs(&form.words[verb].lower).next().is_some();
    if !is_verb || verb.checked_sub(1).is_some_and(|before| form.words[before].is_preposition()) {
        return None;
    }
    let things: Vec<(usize, &Wanted)> = reading
        .wanted
        .iter()
        .enumerate()
        .filter(|(_, wanted)| wanted.word != verb && wanted.role != Role::Kind)
        .collect();
    let ((_, first), (noun, last)) = (things.first()?, things.last()?);
    let is_joined = |at: usize| {
        let word = &form.words[at];
        at != verb && (!word.is_function || matches!(word.lower.as_str(), "the" | "a" | "an"))
    };
    let is_phrase = things.len() <= THING_WORDS_MAX && (first.word..=last.word).all(is_joined);
    is_phrase.then_some(*noun)
}

/// Maximum number of content words of the only thing in a question.
const THING_WORDS_MAX: usize = 3;

/// Whether the question asks only who or what stands in one relation to one thing, and a sentence does not say both: "Colm
/// painted the mill" for "Who painted the boat?" No word of such a question describes a thing on another page.
pub(super) fn lacks_end_or_verb(reading: &Reading, piece: &Piece) -> bool {
    let Some((verb, _)) = asked_end(&reading.form) else { return false };
    let Some(thing) = only_thing(reading, verb) else { return false };
    let says_thing = piece.own.has(thing) || piece.with_context.has(thing);
    // A verb that counts for nothing in a search, as "own", has to be said in some form.
    let says_verb = || match reading.wanted.iter().position(|wanted| wanted.word == verb) {
        Some(bit) => piece.own.has(bit) || piece.above.has(bit),
        None => piece.words.iter().any(|word| word.is_form_of(&reading.form.words[verb])),
    };
    // "It listens on port 8080" says which port it uses.
    let names_kind = || reading.form.kind.is_some() && says_kind(reading, piece);
    piece.is_sentence() && !(says_thing && (says_verb() || names_kind()))
}

/// Whether the given entity and the value are on the sides of the relation word that the question requires.
pub(super) fn agrees_in_direction(reading: &Reading, piece: &Piece, value: Option<usize>) -> bool {
    // "What time does the shop open on Sundays?" asks for neither end.
    let asks_time = reading.form.asks == Asks::Date || reading.format.is_some_and(Format::is_time);
    let Some((relation, asks_agent)) = asked_end(&reading.form).filter(|_| !asks_time) else { return true };
    let asked = &reading.form.words[relation];
    let words = &piece.words;
    let is_said = |word: &Word| asked.is_form_of(word);
    let thing = only_thing(reading, relation);
    let is_given = |(bit, wanted): (usize, &Wanted), word: &Word| {
        (wanted.role == Role::Name || thing == Some(bit)) && reading.agreement(wanted, word) >= 1.0
    };
    let given =
        words.iter().position(|word| reading.wanted.iter().enumerate().any(|wanted| is_given(wanted, word)));
    let mut judged = false;
    for at in (0..words.len()).filter(|at| is_said(&words[*at]) && is_verbal(&words[*at].lower)) {
        let is_be = |word: &Word| {
            matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
        };
        let is_passive = words[at.saturating_sub(3)..at].iter().any(is_be)
            || words.get(at + 1).is_some_and(|next| next.lower == "by");
        let has_agent = words[at + 1..].iter().take(4).any(|word| word.lower == "by");
        if is_passive && !has_agent {
            continue;
        }
        let agent_is_before = !is_passive;
        let value_is_before = asks_agent == agent_is_before;
        let value_fits = value.is_none_or(|value| (value < at) == value_is_before);
        let given_fits = given.is_none_or(|given| (given > at) == value_is_before);
        if value_fits && given_fits {
            return true;
        }
        judged = true;
    }
    !judged
}

/// Whether a word may be a verb: "manager" and "management" may not.
fn is_verbal(word: &str) -> bool {
    !["er", "ers", "or", "ors", "ment", "ments", "tion", "tions", "ship", "ing"]
        .iter()
        .any(|end| word.ends_with(end))
}
