//! Sentences as clauses.

use quiver_language::{Class, Language, statement::Statement};

use crate::{
    reader::word::Word,
    relation::{is_participle, is_third_person},
};

/// Splits a sentence at its conjunctions. "Who" after a name refers to it: "Elif, who leads the group"; and so does a
/// pronoun: "Wendel has retired, and he no longer runs the lights".
pub(super) fn clauses<'a>(all: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let mut clauses: Vec<Vec<Word<'a>>> = Vec::new();
    let mut clause: Vec<Word<'a>> = Vec::new();
    for (at, word) in all.iter().enumerate() {
        if joins(all, at) {
            let name = clause.iter().rev().take_while(|word| word.is_marked()).count();
            let named = if word.is(&["who"]) { clause[clause.len() - name..].to_vec() } else { Vec::new() };
            clauses.push(std::mem::replace(&mut clause, named));
            if let Some(last) = clause.last_mut() {
                last.parted = false;
            }
        } else if clause.is_empty()
            && word.is(&["he", "she"])
            && let Some(name) = clauses.first().and_then(|first| subject(first))
        {
            clause.extend(name);
        } else {
            clause.push(*word);
        }
    }
    clauses.push(clause);
    clauses
}

/// The name that a clause begins with, if a verb follows it: not "Born in Brooklyn".
fn subject<'a, 'w>(clause: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let names = clause.iter().take_while(|word| word.is_marked()).count();
    let next = clause.get(names).filter(|_| names > 0)?.lower();
    let is_verb = Language::English.class(&next) == Some(Class::Auxiliary)
        || Language::English.class(&next).is_none() && (is_third_person(&next) || is_participle(&next));
    is_verb.then(|| &clause[..names])
}

/// Whether a word stands between two clauses.
fn joins(all: &[Word<'_>], at: usize) -> bool {
    let word = &all[at];
    let next = |ahead: usize| all.get(at + ahead);
    // "But only in theory" takes back what is before it.
    let takes_back = word.is(&["but"]) && next(1).is_some_and(|next| next.is(&["only", "not", "never"]));
    let is_after = at > 0 && all[at - 1].parted;
    if is_after && (word.is_of(Statement::Joint) || word.is(&["and"])) {
        return !takes_back;
    }
    // "Gino is an apprentice and starts at four".
    let is_deed = next(1).is_some_and(|next| !next.is_marked() && is_third_person(&next.lower()));
    let is_function = next(2).is_some_and(|next| Language::English.class(&next.lower()).is_some());
    at > 2 && word.is(&["and"]) && is_deed && is_function
}
