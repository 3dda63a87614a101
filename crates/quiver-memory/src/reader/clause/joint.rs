//! Sentences as clauses.

use quiver_language::{
    Class, Language,
    statement::{Statement, says},
};

use crate::{
    calendar::weekday_named,
    reader::word::Word,
    relation::{is_participle, is_third_person, lemma},
};

use super::phrase::TIMES;

/// Splits a sentence at its conjunctions. "Who" after a name refers to it: "Elif, who leads the group"; and so does a
/// pronoun: "Wendel has retired, and he no longer runs the lights".
pub(super) fn clauses<'a>(all: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let mut clauses: Vec<Vec<Word<'a>>> = Vec::new();
    let mut clause: Vec<Word<'a>> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let word = &all[at];
        if splices(all, at) {
            clauses.push(std::mem::take(&mut clause));
        }
        if joins(all, at) {
            let name = clause.iter().rev().take_while(|word| word.is_marked()).count();
            let mut named =
                if word.is(&["who"]) { clause[clause.len() - name..].to_vec() } else { Vec::new() };
            if let Some(last) = named.last_mut() {
                last.parted = false;
            }
            // "Severin, who retired last autumn, was the deputy of Kaspar": the clause goes on after the next comma.
            let is_relative = word.is(&["who", "which"]);
            let end = (at + 1..all.len()).find(|at| all[*at].parted && starts_verb(all, at + 1));
            if let Some(end) = end.filter(|_| is_relative) {
                named.extend(&all[at + 1..=end]);
                clauses.push(named);
                if let Some(last) = clause.last_mut() {
                    last.parted = false;
                }
                at = end + 1;
                continue;
            }
            // "Gino is an apprentice and starts at four": the second verb has the same subject.
            if word.is(&["and"]) && starts_verb(all, at + 1) {
                named = subject(clauses.first().unwrap_or(&clause)).map(<[_]>::to_vec).unwrap_or_default();
            }
            clauses.push(std::mem::replace(&mut clause, named));
        } else if clause.is_empty()
            && word.is(&["he", "she"])
            && let Some(name) =
                clauses.first().and_then(|first| subject(first)).filter(|name| !name[0].is(&["i"]))
        {
            clause.extend(name);
        } else {
            clause.push(*word);
        }
        at += 1;
    }
    clauses.push(clause);
    clauses
}

/// The position of a comment at the end of a statement, after a comma: "…, he's strict", "…, cash in hand", "…, in case
/// anyone wonders". Not of one that takes the statement back: "…, she said", "…, if the court is free".
pub(super) fn comment(words: &[Word<'_>]) -> Option<usize> {
    let comma = (2..words.len().saturating_sub(2)).find(|at| words[*at].parted && !words[*at].announces)?;
    // "…, and he's getting good".
    let and = usize::from(words[comma + 1].is(&["and"]));
    let said = &words[comma + 1 + and..];
    let is_retracted = said[0].is_of(Statement::Supposed)
        || said.iter().any(|word| word.is_of(Statement::Unsure))
        || said.len() < REPORTING_MIN
            && said.iter().any(|word| says(&lemma(&word.lower()), Statement::Inner));
    let opening = said[0].lower();
    let is_request = said[0].is(&["please"]);
    let is_clause = || PERSONS.contains(&opening.split(['\'', '’']).next().unwrap_or_default());
    let is_phrase = || {
        let has_preposition = (comma + 1..words.len()).any(|at| class(words, at) == Some(Class::Preposition));
        let is_plain = |word: &Word<'_>| !word.is_marked() && !word.is(&["and", "or", "but"]);
        let opens = class(words, comma + 1).is_none() || said[0].is(&["just"]);
        opens && said.len() <= COMMENT_MAX && has_preposition && said.iter().all(is_plain)
    };
    // What people say about why they say it.
    let is_in_case = said.len() > 3 && said[0].is(&["in"]) && said[1].is(&["case"]) && said[2].is(ANYBODY);
    let is_comment = is_in_case || is_request || !is_retracted && (is_clause() || and == 0 && is_phrase());
    is_comment.then_some(comma + 1)
}

/// Minimum number of words of a clause that does not only report: "she said".
const REPORTING_MIN: usize = 4;
/// Maximum number of words of a comment without a verb.
const COMMENT_MAX: usize = 5;
/// Pronouns that begin a clause of their own.
const PERSONS: &[&str] = &["he", "she", "it", "they", "we", "i", "you", "that"];
/// The listeners of a statement.
const ANYBODY: &[&str] = &["anyone", "anybody", "someone", "somebody", "you"];

/// Removes what stands before a clause and says when or where, and what stands between commas after its subject: "On the
/// night shift, Imhoff leads the crew", "Ludmila, for her part, assists Rosalind".
pub(super) fn remove_asides(words: &mut Vec<Word<'_>>) {
    words.drain(..fronted(words));
    let part = (0..words.len().min(SUBJECT_MAX)).find(|at| words[*at].parted);
    // What follows a colon belongs to no subject: "Ada: before you leave, run the checks".
    let aside = part.filter(|first| !words[*first].announces).and_then(|first| {
        let opens = class(words, first + 1) == Some(Class::Preposition) && !takes_back(&words[first + 1..]);
        let last = (first + 2..words.len().min(first + FRONTED_MAX)).find(|at| words[*at].parted);
        last.filter(|last| opens && starts_verb(words, last + 1)).map(|last| (first, last))
    });
    if let Some((first, last)) = aside {
        words.drain(first + 1..=last);
        words[first].parted = false;
    }
}

/// Maximum number of words before a comma that say when or where.
const FRONTED_MAX: usize = 9;
/// Maximum number of words of a subject before an aside.
const SUBJECT_MAX: usize = 6;

/// The number of words before a clause that say when or where something certain is so.
fn fronted(words: &[Word<'_>]) -> usize {
    if let Some(end) = fronted_time(words) {
        return end;
    }
    let is_due = words.len() > 2 && words[0].is(&["due", "owing", "thanks"]) && words[1].is(&["to"]);
    let opens = is_due
        || class(words, 0) == Some(Class::Preposition)
            && !words[0].is(&["of", "than", "as", "like", "unlike"]);
    let comma = (1..words.len().min(FRONTED_MAX)).find(|at| words[*at].parted);
    let Some(comma) = comma.filter(|_| opens) else { return 0 };
    let said = &words[1..=comma];
    let is_certain = said.iter().any(|word| {
        word.is_marked()
            || word.is(&["the", "our", "my", "his", "her", "their", "its", "this"])
            || word.is(TIMES)
    });
    let goes_on = words.len() >= comma + 4
        && !words[comma + 1].is_of(Statement::Joint)
        && !words[comma + 1].is(&["and"]);
    if is_certain && goes_on && !takes_back(&words[..=comma]) { comma + 1 } else { 0 }
}

/// The number of words before a clause, without a comma, that say when: "On Wednesdays Hanneke mentors Joost", "Last week
/// the rooms were handed over".
fn fronted_time(words: &[Word<'_>]) -> Option<usize> {
    let opens =
        usize::from(words.first()?.is(&["on", "at", "in", "last", "this", "every", "each", "yesterday"]));
    let is_time =
        |word: &&Word<'_>| word.is(TIMES) || weekday_named(word.lower().trim_end_matches('s')).is_some();
    let times = words[opens..].iter().take_while(is_time).count();
    let end = opens + times;
    let is_time = opens == 1 && (times > 0 || words[0].is(&["yesterday"]));
    let next = words.get(end).filter(|_| is_time && !words[end - 1].parted && words.len() >= end + 3)?;
    (next.is_marked() || next.is(&["the", "our"])).then_some(end)
}

/// Whether words before or within a clause make it a supposition, or one about another world.
fn takes_back(said: &[Word<'_>]) -> bool {
    said.iter().any(|word| word.is_of(Statement::Condition) || word.is_of(Statement::Supposed))
}

fn class(words: &[Word<'_>], at: usize) -> Option<Class> {
    Language::English.class(&words.get(at)?.lower())
}

/// Whether a verb stands at a position: an auxiliary, or a form that no noun has there.
fn starts_verb(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let lower = word.lower();
    let is_plain = class(words, at).is_none() && !word.is_marked();
    class(words, at) == Some(Class::Auxiliary)
        || is_plain && (is_third_person(&lower) || is_participle(&lower))
}

/// The name that a clause begins with, if a verb follows it: not "Born in Brooklyn".
fn subject<'a, 'w>(clause: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let names = clause.iter().take_while(|word| word.is_marked()).count();
    (names > 0 && starts_verb(clause, names)).then(|| &clause[..names])
}

/// Whether a clause begins here after no more than a comma: "Greg has no key, he handed it in", "Prices went up, the loaf now
/// costs 5 francs".
fn splices(all: &[Word<'_>], at: usize) -> bool {
    let is_after = at > 1 && all[at - 1].parted;
    let says_now = || {
        let next = (at + 2..all.len().min(at + 2 + SUBJECT_MAX)).find(|next| all[*next].is(&["now"]));
        all[at].is(&["the", "our"]) && next.is_some_and(|now| starts_verb(all, now + 1))
    };
    let goes_on = || starts_verb(all, at + 1) || all.get(at + 1).is_some_and(|next| next.is(&["no"]));
    let is_person = || at > 2 && all[at].is(&["he", "she"]) && goes_on();
    is_after && (is_person() || says_now())
}

/// Whether a word stands between two clauses.
fn joins(all: &[Word<'_>], at: usize) -> bool {
    let word = &all[at];
    let next = |ahead: usize| all.get(at + ahead);
    let is_after = at > 0 && all[at - 1].parted;
    if is_after && (word.is_of(Statement::Joint) || word.is(&["and"])) {
        // "But only in theory" takes back what is before it.
        return !(word.is(&["but"]) && next(1).is_some_and(|next| next.is(&["only", "not", "never"])));
    }
    // "Gino is an apprentice and starts at four".
    let is_deed = || next(1).is_some_and(|next| !next.is_marked() && is_third_person(&next.lower()));
    let is_done = || {
        next(1).is_some_and(|next| next.is(&["has"]))
            && next(2).is_some_and(|next| is_participle(&next.lower()))
    };
    at > 2 && word.is(&["and"]) && (is_deed() && class(all, at + 2).is_some() || is_done())
}
