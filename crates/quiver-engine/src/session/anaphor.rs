//! Finds the referring expressions of a question: pronouns, demonstratives and ordinals.

use std::ops::Range;

use quiver_language::word::{is_irregular_verb, is_past};

use super::{
    lexicon::{
        Owner, Place, Sort, is_article, is_auxiliary, is_be, is_closed, is_demonstrative, is_first_or_second,
        is_modal, is_preposition, is_weather, number, place, pronoun,
    },
    link::Named,
    said::Said,
};

/// Maximum number of words after a demonstrative or article.
const NOUN_WORDS_MAX: usize = 3;

/// A referring expression.
#[derive(Clone, Debug)]
pub(crate) struct Anaphor {
    pub(crate) tokens: Range<usize>,
    pub(crate) kind: AnaphorKind,
}

/// The kind of a referring expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnaphorKind {
    /// A pronoun.
    Pronoun {
        sort: Sort,
        /// Whether it is possessive.
        owns: bool,
    },
    /// "That project", "the city": a demonstrative or article and up to three words, one of which is the
    /// noun.
    Pointing {
        nouns: Range<usize>,
        /// Whether it always refers to something; "the" does not.
        points: bool,
    },
    /// "How do I get *one*": any instance of the kind asked about.
    Indefinite,
    /// "The second one": a position in a list.
    Ordinal { place: Place, noun: Option<usize> },
}

/// Finds the referring expressions, outside of names.
pub(crate) fn anaphors(said: &Said, named: &[Named]) -> Vec<Anaphor> {
    let is_named = |at: usize| named.iter().any(|named| named.tokens.contains(&at));
    let mut anaphors: Vec<Anaphor> = Vec::new();
    let mut at = 0;
    while at < said.tokens.len() {
        let found =
            if is_named(at) || said.tokens[at].is_asking { None } else { anaphor_at(said, at, &is_named) };
        at = found.as_ref().map_or(at + 1, |anaphor| anaphor.tokens.end.max(at + 1));
        anaphors.extend(found);
    }
    anaphors
}

fn anaphor_at(said: &Said, at: usize, is_named: &dyn Fn(usize) -> bool) -> Option<Anaphor> {
    let word = said.word(at);
    // "Which one is older?" asks for one of a list.
    if matches!(word, "which" | "who") && matches!(said.word(at + 1), "one" | "ones") {
        let after_of = said.word(at + 2) == "of";
        let kind = AnaphorKind::Ordinal { place: Place::Both, noun: None };
        return (!after_of).then_some(Anaphor { tokens: at..at + 2, kind });
    }
    if let Some(anaphor) = ordinal_at(said, at, is_named) {
        return Some(anaphor);
    }
    if is_indefinite(said, at) {
        return Some(Anaphor { tokens: at..at + 1, kind: AnaphorKind::Indefinite });
    }
    if let Some(pronoun) = pronoun(word) {
        // "It's old, isn't *it*?"
        let is_tag =
            at > 1 && said.word(at - 1) == "t" && said.tokens[at - 1].is_joined && said.ends_after(at);
        if is_tag {
            return None;
        }
        if is_expletive(said, at) || at > 0 && (word.ends_with("self") || word.ends_with("selves")) {
            return None;
        }
        let next = said.word(at + 1);
        let is_noun = !is_closed(next) || matches!(next, "other" | "own" | "last" | "same");
        let before_noun = !said.ends_after(at) && is_noun && !is_named(at + 1);
        let owns = match pronoun.owner {
            Owner::Never => false,
            Owner::Always => true,
            Owner::BeforeNoun => before_noun,
        };
        return Some(Anaphor { tokens: at..at + 1, kind: AnaphorKind::Pronoun { sort: pronoun.sort, owns } });
    }
    if is_demonstrative(word) {
        return demonstrative_at(said, at, is_named);
    }
    if word == "the" && !said.ends_after(at) {
        let is_same = said.word(at + 1) == "same";
        let nouns = nouns_at(said, at + 1 + usize::from(is_same), is_named)?;
        let kind = AnaphorKind::Pointing { nouns: nouns.clone(), points: is_same };
        return Some(Anaphor { tokens: at..nouns.end, kind });
    }
    None
}

/// "That project", or "that" alone. The conjunction "that" refers to nothing.
fn demonstrative_at(said: &Said, at: usize, is_named: &dyn Fn(usize) -> bool) -> Option<Anaphor> {
    let word = said.word(at);
    let several = matches!(word, "these" | "those");
    if matches!(said.word(at + 1), "one" | "ones") && !said.ends_after(at) {
        let sort = if several { Sort::Several } else { Sort::Thing };
        return Some(Anaphor { tokens: at..at + 2, kind: AnaphorKind::Pronoun { sort, owns: false } });
    }
    let before = at.checked_sub(1).map_or("", |before| said.word(before));
    // "That kind of bus" is a bus.
    let is_kind = matches!(said.word(at + 1), "kind" | "sort" | "type") && said.word(at + 2) == "of";
    let start = at + 1 + 2 * usize::from(is_kind);
    let nouns = nouns_at(said, start, is_named).filter(|_| !said.ends_after(at));
    let asks = at.checked_sub(2).map_or("", |asks| said.word(asks));
    // "Is that dangerous?", "how long does that take?"
    // "From what age is that book?" asks of the book.
    let asks_noun = (0..at).any(|at| matches!(said.word(at), "what" | "which"));
    // "Does that building have a lift?", "Was that dome put up again?"
    let goes_on = nouns.as_ref().is_some_and(|nouns| has_verb_after(said, nouns.end));
    let has_predicate = (is_be(before) && asks != "who" && !asks_noun || is_modal(before))
        && !goes_on
        && !is_joined_after(said, at + 1);
    if let Some(nouns) = nouns.filter(|nouns| !(has_predicate && nouns.len() == 1)) {
        // "Is it true *that* trams are old": this is a reference only if the noun fits a candidate.
        let opens_clause = word == "that" && !before.is_empty() && !is_closed(before);
        let points = !(opens_clause && is_auxiliary(said.word(nouns.end)));
        return Some(Anaphor { tokens: at..nouns.end, kind: AnaphorKind::Pointing { nouns, points } });
    }
    // "Before that" means what happened, and "something like that" no thing either.
    if word == "that" && matches!(before, "before" | "after" | "since" | "until" | "like") {
        return None;
    }
    let stands_alone = said.ends_after(at)
        || has_predicate
        || is_auxiliary(said.word(at + 1))
        || is_preposition(said.word(at + 1));
    let is_conjunction =
        word == "that" && !(before.is_empty() || is_auxiliary(before) || is_preposition(before));
    if !stands_alone || (is_conjunction && !said.ends_after(at)) {
        return None;
    }
    let sort = if several { Sort::Several } else { Sort::Thing };
    Some(Anaphor { tokens: at..at + 1, kind: AnaphorKind::Pronoun { sort, owns: false } })
}

/// Whether the clause goes on with a verb, perhaps after an adverb.
fn has_verb_after(said: &Said, at: usize) -> bool {
    let is_adverb = |word: &str| word.ends_with("ly") || matches!(word, "ever" | "still" | "also" | "really");
    let at = at + usize::from(is_adverb(said.word(at)));
    let word = said.word(at);
    !said.ends_after(at.saturating_sub(1)) && (is_auxiliary(word) || is_irregular_verb(word) || is_past(word))
}

fn is_joined_after(said: &Said, at: usize) -> bool {
    said.tokens.get(at + 1).is_some_and(|token| token.is_joined)
}

/// Whether "one" means an instance of a kind: "how do I get *one*", but not "one day" or "a junior one".
fn is_indefinite(said: &Said, at: usize) -> bool {
    if said.word(at) != "one" || at < 2 {
        return false;
    }
    let is_adverb = |word: &str| matches!(word, "still" | "also" | "ever" | "really" | "actually" | "even");
    let before = if at > 2 && is_adverb(said.word(at - 2)) { at - 3 } else { at - 2 };
    let (verb, subject) = (said.word(at - 1), said.word(before));
    let is_verb = !is_closed(verb) && said.tokens[at - 1].parted.is_none();
    let has_subject = pronoun(subject).is_some() || is_first_or_second(subject) || subject == "to";
    let ends = said.ends_after(at) || is_closed(said.word(at + 1)) && said.word(at + 1) != "of";
    is_verb && has_subject && ends
}

/// The words after a demonstrative or article that may contain its noun.
fn nouns_at(said: &Said, start: usize, is_named: &dyn Fn(usize) -> bool) -> Option<Range<usize>> {
    let mut end = start;
    while end < said.tokens.len() && end - start < NOUN_WORDS_MAX {
        let token = &said.tokens[end];
        let parted = end > start && (token.parted.is_some() || token.is_joined);
        if parted || is_closed(&token.lower) || is_named(end) || token.is_first {
            break;
        }
        end += 1;
    }
    (end > start).then_some(start..end)
}

/// "The second one", "the former", "number two", "both".
fn ordinal_at(said: &Said, at: usize, is_named: &dyn Fn(usize) -> bool) -> Option<Anaphor> {
    let word = said.word(at);
    if matches!(word, "number" | "option" | "no")
        && let Some(number) = number(said.word(at + 1))
        && !is_named(at + 1)
        && said.tokens[at + 1].parted.is_none_or(|c| c == '.')
    {
        let kind = AnaphorKind::Ordinal { place: Place::FromFirst(number - 1), noun: None };
        return Some(Anaphor { tokens: at..at + 2, kind });
    }
    let has_article = matches!(word, "the" | "that" | "this" | "these" | "those") && !said.ends_after(at);
    let ordinal = if has_article { at + 1 } else { at };
    let place =
        if has_article && said.word(ordinal) == "two" { Place::Both } else { place(said.word(ordinal))? };
    let next = said.word(ordinal + 1);
    let ends = said.ends_after(ordinal) || said.tokens[ordinal + 1].is_joined;
    if place == Place::Both {
        // In "they both", the pronoun is already the reference.
        let beside = ordinal.checked_sub(1).map_or("", |before| said.word(before));
        let of_them = next == "of" && matches!(said.word(ordinal + 2), "them" | "these" | "those");
        let end = if of_them { ordinal + 3 } else { ordinal + 1 };
        // "The two owners" are the two only if these are owners.
        let noun = (has_article && !ends && !of_them && !is_closed(next)).then_some(ordinal + 1);
        let end = noun.map_or(end, |noun| noun + 1);
        let alone = pronoun(beside).is_none() && (of_them || ends || is_auxiliary(next) || has_article);
        return alone.then_some(Anaphor { tokens: at..end, kind: AnaphorKind::Ordinal { place, noun } });
    }
    if !ends && matches!(next, "one" | "ones") {
        return Some(Anaphor { tokens: at..ordinal + 2, kind: AnaphorKind::Ordinal { place, noun: None } });
    }
    if !has_article {
        return None;
    }
    if ends || is_auxiliary(next) || is_preposition(next) {
        return Some(Anaphor { tokens: at..ordinal + 1, kind: AnaphorKind::Ordinal { place, noun: None } });
    }
    if is_closed(next) || is_named(ordinal + 1) {
        return None;
    }
    Some(Anaphor { tokens: at..ordinal + 2, kind: AnaphorKind::Ordinal { place, noun: Some(ordinal + 1) } })
}

/// Whether "it" or "there" is an expletive: "is it true that", "is there a".
fn is_expletive(said: &Said, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| said.word(before));
    let next = said.word(at + 1);
    match said.word(at) {
        "there" => is_be(next) || is_auxiliary(before),
        "it" => {
            let clause = |at: usize| matches!(said.word(at), "that" | "to" | "for");
            let is_used = |at: usize| said.word(at).ends_with("ed");
            // "How much is it to hire a violin?", "Is it true nobody may?"
            if is_be(before) && (matches!(next, "to" | "true") || is_weather(next)) {
                return true;
            }
            // "If it rains", "what if it's cloudy?"
            let has_be = said.tokens.get(at + 1).is_some_and(|next| next.is_joined || is_be(&next.lower));
            if is_weather(said.word(at + 1 + usize::from(has_be))) {
                return true;
            }
            (is_be(before) && !said.ends_after(at) && clause(at + 2) && !is_closed(next) && !is_used(at + 1))
                || (matches!(next, "is" | "was")
                    && clause(at + 3)
                    && !is_used(at + 2)
                    && !is_closed(said.word(at + 2))
                    && !is_article(said.word(at + 2)))
                || (is_be(before)
                    && said.ends_after(at)
                    && said.tokens.iter().any(|token| token.lower == "time"))
        }
        _ => false,
    }
}
