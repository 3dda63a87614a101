//! What the wording of a clause says beside its words: roles, changes, what is turned down.

use super::{clause::Clause, lexicon, token::tokens};

/// Whether an object only points at something.
pub(super) fn is_pronoun(object: &str) -> bool {
    matches!(object, "it" | "them" | "him" | "this" | "that" | "these" | "those")
}

/// Whether a clause says what a value is or has become.
pub(super) fn sets(clause: &Clause, preposition: &str) -> bool {
    let verb = clause.verb.as_str();
    let last = verb.rsplit(' ').next().unwrap_or_default();
    match preposition {
        "" => verb == "is" || matches!(last, "remains" | "stays" | "became" | "becomes"),
        "to" | "at" => matches!(last, "set" | "assigned" | "given") || lexicon::is_change(last),
        _ => false,
    }
}

/// Who or what has a value, and the role that it has: "the owner of the mast" and "the mast's owner" are of the mast.
pub(super) fn role(subject: &str) -> Option<(String, String)> {
    let (subject, _) = renewed(subject);
    let (role, holder) = match subject.split_once(" of ").or_else(|| subject.split_once(" for ")) {
        Some(parts) => parts,
        None => subject
            .split_once("'s ")
            .or_else(|| subject.split_once("’s "))
            .map(|(holder, role)| (role, holder))?,
    };
    let words = tokens(role);
    let is_role = !words.is_empty()
        && words.len() <= 3
        && words.iter().all(|token| token.class.is_none() && (token.is_ordinary() || is_acronym(token.text)));
    let holder = ["the ", "a ", "an ", "our "]
        .iter()
        .find_map(|article| holder.strip_prefix(article))
        .unwrap_or(holder);
    let is_holder = tokens(holder).iter().any(|token| token.class.is_none())
        && ![" of ", " for "].iter().any(|joint| holder.contains(joint));
    (is_role && is_holder).then(|| (holder.to_owned(), role.to_lowercase()))
}

/// Whether a word is one of initials: "SLA".
pub(super) fn is_acronym(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// A subject without the word that says that it is not what it was, and that word.
pub(super) fn renewed(subject: &str) -> (&str, Option<&'static str>) {
    for word in ["new", "updated", "revised", "latest"] {
        let rest = subject.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        if let Some(rest) = rest.and_then(|_| subject[word.len()..].strip_prefix(' ')) {
            return (rest, Some(word));
        }
    }
    (subject, None)
}

/// Whether a subject is whoever speaks, so that the sentence is about something else.
pub(super) fn is_nobody(subject: &str) -> bool {
    matches!(
        subject.to_lowercase().split(['\'', '’']).next().unwrap_or_default(),
        "i" | "we" | "you" | "they" | "someone" | "somebody" | "let"
    )
}

/// Whether a phrase has a word that is written like a name.
pub(super) fn is_named(phrase: &str) -> bool {
    tokens(phrase).iter().any(|token| token.class.is_none() && token.is_capital())
}

/// The words that lead to an object.
pub(super) fn predicate(clause: &Clause, at: usize) -> String {
    let (preposition, _) = &clause.objects[at];
    if preposition.is_empty() { clause.verb.clone() } else { format!("{} {preposition}", clause.verb) }
}

/// Verbs of looking at something without taking it.
pub(super) fn weighs(predicate: &str) -> bool {
    let first = predicate.split(' ').find(|word| *word != "is").unwrap_or_default();
    matches!(
        first,
        "looked"
            | "considered"
            | "evaluated"
            | "tried"
            | "tested"
            | "discussed"
            | "compared"
            | "thought"
            | "weighed"
            | "wanted"
            | "planned"
            | "proposed"
    )
}

/// Whether something is turned down: "we dropped the cache", "the cache was dropped", but not "sales dropped by half".
pub(super) fn rejects(clause: &Clause) -> bool {
    clause.objects.iter().any(|(preposition, _)| preposition.is_empty()) && is_rejection(&clause.verb)
}

/// Whether a clause says that something is in the state of having been turned down.
pub(super) fn is_rejected(clause: &Clause) -> bool {
    clause.verb.strip_prefix("is ").is_some_and(is_rejection)
}

fn is_rejection(verb: &str) -> bool {
    matches!(
        verb,
        "rejected" | "dropped" | "abandoned" | "discarded" | "declined" | "refused" | "scrapped" | "avoided"
    )
}

/// `PostgreSQL instead of MySQL` asserts the one and denies the other.
pub(super) fn without_rejected(object: &str) -> (&str, Option<&str>) {
    for joint in [" instead of ", " rather than ", " and not ", ", not "] {
        if let Some((taken, left)) = object.split_once(joint) {
            return (taken, Some(left));
        }
    }
    (object, None)
}
