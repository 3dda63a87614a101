//! Sentences: what sort they are of, and the clauses that they are made of.

use quiver_language::Class;

use super::{
    apart::starts_clause,
    clause::{self, Clause},
    irregular, lexicon,
    plain::pseudo_cleft,
    shape::scale,
    token::tokens,
    verb,
};

/// A part of a sentence that may be a clause.
#[derive(Clone, Debug)]
pub(super) struct Part<'s> {
    /// The word or sign that joins it to the part before it; empty for the first and after a comma.
    pub(super) joint: &'static str,
    pub(super) text: &'s str,
    pub(super) clause: Option<Clause>,
}

/// Where a new clause may begin, in the order in which a sentence is cut.
const JOINTS: &[&str] = &[
    "; ",
    " — ",
    " – ",
    ", but ",
    " but ",
    ", so ",
    ", and ",
    ", which ",
    ", who ",
    ", because ",
    ", while ",
    ", after ",
    ", before ",
    ", when ",
    ", since ",
    " because ",
    " that ",
    ": ",
    ", ",
    " and ",
];

/// The word that says that something took the place of something else.
pub(super) fn change(sentence: &str) -> Option<String> {
    let all = tokens(sentence);
    // "Push notifications" and "by hand" change nothing.
    let is_noun = |at: usize| {
        let compound =
            at == 0 && all.get(1).is_some_and(|next| next.class.is_none() && next.text.ends_with('s'));
        let led = at > 0 && all[at - 1].lower() == "by";
        lexicon::may_be_noun(&all[at].lower()) && (compound || led)
    };
    let mut words = (0..all.len()).filter(|at| !is_noun(*at)).map(|at| all[at].text.to_lowercase());
    let word = words.find(|word| lexicon::is_change(word));
    // "Taken down to SEV-3" and "raised up to P1" lead along a scale; "up to" alone sets a limit.
    let along = |at: &usize| {
        let to = all.get(at + 1).is_some_and(|next| next.lower() == "to");
        let up = || all.get(at + 2).is_some_and(|value| scale(value.text).is_some());
        to && (all[*at].lower() == "down" || all[*at].lower() == "up" && up())
    };
    word.or_else(|| (0..all.len()).find(along).map(|at| all[at].lower()))
}

/// Whether a sentence asks, in its form or by its sign.
pub(super) fn is_question(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let tags = [", right?", ", isn't it?", ", correct?", ", ok?", ", okay?", ", yes?"];
    if tags.iter().any(|tag| lower.ends_with(tag)) {
        return false;
    }
    let asks =
        ["what ", "which ", "who ", "whom ", "whose ", "how ", "remind me", "tell me", "where is", "when is"];
    lower.ends_with(['?', '？'])
        || asks.iter().any(|word| lower.starts_with(word)) && pseudo_cleft(sentence).is_none()
}

/// How a sentence takes back what was said before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakingBack {
    /// "That was wrong": whenever it was said.
    Said,
    /// "Never mind": if it was said just before.
    IfJustSaid,
}

/// Whether a sentence takes back what was said before it.
pub(super) fn taking_back(sentence: &str) -> Option<TakingBack> {
    let lower = sentence.to_lowercase().replace('’', "'");
    match lower.trim_end_matches(|c: char| !c.is_alphanumeric()) {
        "never mind" | "forget that" | "ignore that" | "disregard that" => Some(TakingBack::IfJustSaid),
        "scratch that"
        | "that was wrong"
        | "that's wrong"
        | "i was wrong"
        | "that is wrong"
        | "strike that"
        | "forget what i said"
        | "ignore what i said"
        | "i take that back"
        | "that was a mistake"
        | "that was my mistake"
        | "that is not true"
        | "that's not true" => Some(TakingBack::Said),
        _ => None,
    }
}

/// Whether a sentence says what could be.
pub(super) fn is_supposed(sentence: &str) -> bool {
    tokens(sentence).iter().any(|token| verb::is_hypothetical(&token.lower()))
}

/// The clauses of a sentence.
pub(super) fn parts(sentence: &str) -> Vec<Part<'_>> {
    // What depends on an "if" is supposed as a whole.
    let first = tokens(sentence).first().map(|token| token.text.to_lowercase()).unwrap_or_default();
    if matches!(&*first, "if" | "suppose" | "imagine" | "unless" | "maybe" | "perhaps" | "assuming") {
        return Vec::new();
    }
    let mut parts = vec![("", sentence)];
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|(before, part)| cut(before, part, joint)).collect();
    }
    parts
        .into_iter()
        .map(|(joint, text)| {
            let own = clause::read(text);
            // "which feeds the mill" is about what was before it.
            let missing = goes_on_about(joint) && own.as_ref().is_none_or(|own| own.subject.is_none());
            let goes_on = if missing { clause::read_of("it", text) } else { None };
            Part { joint, text, clause: goes_on.map(|clause| Clause { subject: None, ..clause }).or(own) }
        })
        .flat_map(|part| {
            let within =
                clause::within(part.text).map(|clause| Part { clause: Some(clause), ..part.clone() });
            [Some(part), within].into_iter().flatten()
        })
        .collect()
}

/// Whether a clause without a subject is about what the clause before it is about.
pub(super) fn goes_on_about(joint: &str) -> bool {
    joint.starts_with(char::is_alphabetic)
}

/// Cuts a part at a joint, wherever what stands on both sides of it are clauses.
fn cut<'s>(before: &'static str, part: &'s str, joint: &'static str) -> Vec<(&'static str, &'s str)> {
    let mut rest = part;
    let mut cut = Vec::new();
    let mut word = before;
    let mut from = 0;
    while let Some(at) = rest[from..].find(joint).map(|at| from + at) {
        let (left, right) = (&rest[..at], &rest[at + joint.len()..]);
        let parts = clause::read(left).is_some_and(|left| match joint {
            // A comma or an "and" parts clauses only where both sides are clauses.
            ": " => starts_clause(right) && (starts_marked_clause(right) || names_subject(right)),
            ", " => starts_clause(right) || goes_on(&left, right) && !left.verb.is_empty() && is_short(right),
            " that " => starts_clause(right),
            ", and " => starts_clause(right) || goes_on(&left, right),
            " because " | ", because " => !right.starts_with("of "),
            " and " => starts_marked_clause(right) || goes_on(&left, right),
            _ => true,
        });
        if parts {
            // "It is old, uses oil" goes on about the same thing as with an "and".
            let goes_on = joint == ", " && !starts_clause(right);
            let next = if goes_on { "and" } else { joint.trim_start_matches(',').trim() };
            cut.push((std::mem::replace(&mut word, next), if joint == " that " { told(left) } else { left }));
            rest = right;
            from = 0;
        } else {
            from = at + joint.len();
        }
    }
    cut.push((word, rest));
    cut
}

/// "Ada has written to say": what is said follows, and the infinitive says nothing.
fn told(left: &str) -> &str {
    let all = tokens(left);
    match all.as_slice() {
        [first, .., to, says] if to.lower() == "to" && says.class.is_none() && first.end < to.start => {
            left[..to.start].trim_end()
        }
        _ => left,
    }
}

/// Whether a part has a subject and a verb that an auxiliary marks as one; "Ito and Mbeki chair it" parts nothing.
fn starts_marked_clause(part: &str) -> bool {
    starts_clause(part) && clause::begins_with_auxiliary(part)
}

/// Whether a part begins with a word that begins what a clause is about: an article, a pronoun, a name.
fn names_subject(part: &str) -> bool {
    tokens(part).first().is_some_and(|first| {
        matches!(first.class, Some(Class::Determiner | Class::Pronoun)) || first.is_capital()
    })
}

fn is_short(part: &str) -> bool {
    tokens(part).len() <= 6
}

/// Whether what follows an "and" is a verb in the form of the one before it: "reads the ledger and writes to the cache".
fn goes_on(left: &Clause, right: &str) -> bool {
    let tokens = tokens(right);
    let Some(first) = tokens
        .first()
        .filter(|first| matches!(first.class, None | Some(Class::Auxiliary)) && !first.is_capital())
    else {
        return false;
    };
    let lower = first.lower();
    let before = left.verb.as_str();
    let auxiliary = before.starts_with("is") || before == "has";
    let alike = first.class == Some(Class::Auxiliary)
        || (auxiliary || verb::is_third_person(before)) && verb::is_third_person(&lower)
        || (auxiliary || verb::is_past(before) || irregular::is_verb_form(before))
            && (verb::is_past(&lower) || irregular::is_verb_form(&lower));
    alike && tokens.len() > 1 && clause::read_of("it", right).is_some_and(|clause| !clause.objects.is_empty())
}
