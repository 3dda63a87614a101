//! Decides whether the words after the verb define the subject of a sentence.

use std::ops::Range;

use super::{DefinitionForm, MEANING, is_function, lower_case};
use crate::{
    lexicon::{is_adjective, is_past_form, lemmas},
    pack::{Class, Language},
    token::spaced_words,
};

/// Minimum number of words after the verb.
const SAID_LEAST: usize = 4;

/// The verb of a sentence, with a space on each side.
#[derive(Clone, Copy)]
pub(super) struct Verb<'t>(pub(super) &'t str);

impl Verb<'_> {
    fn is_past(self) -> bool {
        matches!(self.0, " was " | " were ")
    }

    pub(super) fn is_plural(self) -> bool {
        matches!(self.0, " are " | " were ")
    }

    /// Whether it introduces the meaning of its subject as a name: "refers to".
    pub(super) fn means(self) -> bool {
        MEANING.contains(&self.0)
    }
}

/// Properties of the subject of a sentence.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    /// Whether it begins with "the".
    pub(super) is_definite: bool,
    /// Whether all of its words look like parts of a name.
    pub(super) is_proper: bool,
}

/// The form of the definition given by the words after the verb; `None` if they do not define the subject.
pub(super) fn form(
    text: &str,
    rest: Range<usize>,
    verb: Verb<'_>,
    subject: Subject,
) -> Option<DefinitionForm> {
    // "X is a powerful tool, and it …"
    let clause = [", and ", ", but ", ", so "].iter().filter_map(|and| text[rest.clone()].find(and)).min();
    let clause = rest.start..clause.map_or(rest.end, |length| rest.start + length);
    let ranges = spaced_words(text, clause);
    if ranges.len() < SAID_LEAST {
        return None;
    }
    let lower = lower_case(text, &ranges);
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    // "The error means that …" is about one error.
    if verb.means() {
        return (!subject.is_definite).then_some(DefinitionForm::Meaning);
    }
    match lower.as_slice() {
        // "The operation was a success": a single past occurrence is not a definition.
        _ if verb.is_past() && !subject.is_proper => None,
        // "Bobbins are a way to store yarn", but not "Mail is a way to reach us"
        ["a", "way", "to" | "of", said @ ..] => {
            (!said.iter().any(|word| matches!(*word, "us" | "me" | "you"))).then_some(DefinitionForm::Kind)
        }
        // "one of the most popular tools"
        ["one", "of", "the" | "our" | "your", quality, ..]
        | ["a" | "an" | "the" | "one" | "any", quality, ..] => {
            let is_opinion = lower.iter().take(BEFORE_NOUN_MAX + 1).any(|word| OPINIONS.contains(word));
            (!QUALITIES.contains(quality) && !is_opinion).then_some(DefinitionForm::Kind)
        }
        _ if verb.is_past() => None,
        // "is used for", but not "is used by many", "is designed so that it can be extended", "is designed to be easy"
        ["used" | "designed" | "meant" | "intended" | "responsible", to, next, ..] => {
            let is_use = matches!(*to, "for" | "to" | "as" | "in" | "when" | "where") && *next != "be";
            is_use.then_some(DefinitionForm::Use)
        }
        ["where" | "how" | "when", ..] => Some(DefinitionForm::Kind),
        // "The files are scripts that …" is about particular files.
        _ if verb.is_plural() && subject.is_definite && !subject.is_proper => None,
        _ => {
            let is_kind = is_noun_with_clause(text, &ranges, &lower)
                || verb.is_plural() && is_plural_with_more(text, &ranges, &lower);
            is_kind.then_some(DefinitionForm::Kind)
        }
    }
}

/// Maximum number of words before the defining noun.
const BEFORE_NOUN_MAX: usize = 3;

/// Whether the words start with a noun and a relative clause: "software that moves data".
fn is_noun_with_clause(text: &str, ranges: &[Range<usize>], lower: &[&str]) -> bool {
    if let ["something" | "anything", "that" | "which", ..] = lower {
        return true;
    }
    let Some(at) = lower
        .iter()
        .skip(1)
        .take(BEFORE_NOUN_MAX + 1)
        .position(|word| matches!(*word, "that" | "which" | "who" | "whose"))
    else {
        return false;
    };
    // "is experimental, which means that …"
    let is_joined = !text[ranges[at].end..ranges[at + 1].start].contains([',', ';', '(']);
    // "is reporting that", "is presented suggesting that"
    is_joined
        && !lower[at].ends_with("ing")
        && is_noun(lower[at])
        && (0..at).all(|before| may_describe(lower, before))
}

/// Whether the words start with a plural noun and a modifier: "pointers to commits", "functions used by
/// tests".
fn is_plural_with_more(text: &str, ranges: &[Range<usize>], lower: &[&str]) -> bool {
    let mut described = (0..=BEFORE_NOUN_MAX).take_while(|at| {
        at.checked_sub(1).is_none_or(|before| before < lower.len() && may_describe(lower, before))
    });
    described.any(|at| {
        let (Some(noun), Some(next)) = (lower.get(at), lower.get(at + 1)) else { return false };
        let goes_on = matches!(*next, "that" | "which" | "who" | "whose" | "where" | "used")
            || Language::English.class(next) == Some(Class::Preposition);
        // "are reported (medians with ranges)"
        let is_joined = !text[ranges[0].start..ranges[at + 1].start].contains(['(', ';', ':']);
        is_plural(noun) && !BELONGING.contains(noun) && goes_on && is_joined
    })
}

fn is_plural(word: &str) -> bool {
    let is_regular = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    (is_regular || word == "people") && is_noun(word) && Language::English.class(word).is_none()
}

/// Whether a word before "that" may be a noun; in "is clear that" and "is created that" it is not.
fn is_noun(word: &str) -> bool {
    let is_participle = word.ends_with("ed") || is_past_form(word) && lemmas(word).all(|lemma| lemma != word);
    !is_function(word)
        && Language::English.class(word).is_none()
        && !is_adjective(word)
        && !is_participle
        && !word.ends_with("ly")
        && word.chars().all(char::is_alphanumeric)
}

/// Whether a word may modify the following noun. "are sending data that", "are given names that" and "are
/// stored using keys that" describe actions.
fn may_describe(phrase: &[&str], at: usize) -> bool {
    let word = phrase[at];
    let is_deed = match at.checked_sub(1).map(|before| phrase[before]) {
        None => word.ends_with("ing") || lemmas(word).any(|verb| GIVING.contains(&verb)),
        Some(before) => word.ends_with("ing") && (before.ends_with("ed") || is_past_form(before)),
    };
    !is_deed
        && !word.ends_with("ly")
        && !is_function(word)
        && Language::English.class(word).is_none()
        && !QUALITIES.contains(&word)
        && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Nouns for membership rather than kind: "are members of the group".
const BELONGING: [&str; 8] =
    ["members", "parts", "components", "examples", "exceptions", "targets", "candidates", "sources"];

/// Nouns that judge fitness for a purpose: "is the natural fit".
const OPINIONS: [&str; 6] = ["fit", "choice", "candidate", "match", "bet", "culprit"];

/// Verbs whose passive has an object: "are given names".
const GIVING: [&str; 20] = [
    "give", "assign", "allocate", "send", "tell", "offer", "grant", "pay", "show", "teach", "issue", "hand",
    "award", "ask", "deny", "provide", "call", "name", "allow", "serve",
];

/// Words after the article that describe a quality rather than a kind: "X is the default".
pub const QUALITIES: [&str; 46] = [
    "very",
    "somewhat",
    "rather",
    "quite",
    "fairly",
    "slightly",
    "default",
    "same",
    "only",
    "best",
    "first",
    "last",
    "required",
    "optional",
    "recommended",
    "deprecated",
    "good",
    "bad",
    "great",
    "breaking",
    "new",
    "next",
    "main",
    "most",
    "case",
    "result",
    "following",
    "problem",
    "way",
    "part",
    "crucial",
    "important",
    "key",
    "core",
    "essential",
    "critical",
    "useful",
    "excellent",
    "perfect",
    "better",
    "valid",
    "common",
    "attractive",
    "popular",
    "available",
    "similar",
];
