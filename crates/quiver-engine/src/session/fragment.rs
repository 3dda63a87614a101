//! Fragments: follow-ups that replace or add a part of the last question.

use std::ops::Range;

use quiver_language::word::{is_past, is_verb};

use super::{
    exchange::Referent,
    lexicon::{
        is_article, is_auxiliary, is_be, is_closed, is_closing, is_connector, is_person_noun, is_preposition,
        is_question_word, is_request,
    },
    link::{NameKind, Named, name_words, possessive, same},
    noun::NounReading,
    profile::is_agent,
    resolve::Resolver,
    said::{Said, replaced},
    topic::{Topic, lowered, topics},
};

/// Maximum number of words in a fragment; anything longer is a sentence.
const WORDS_MAX: usize = 7;
/// Maximum number of words in a fragment without "and" or "what about".
const BARE_WORDS_MAX: usize = 4;
/// Maximum number of words in a fragment without "the" that may be the noun of an attribute: "price?"
const NOUN_WORDS_MAX: usize = 2;
/// Minimum score of a name for a noun to be another of its kind.
const SAME_KIND: f32 = 3.0;
/// The reason given for a part that replaces nothing.
const ADDED: &str = "added to the last question";

/// The new part of a follow-up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fragment {
    pub(crate) tokens: Range<usize>,
    /// Whether it consists of question words and prepositions: "by whom?", "since when?".
    pub(crate) asks: bool,
    /// Whether neither "and" nor "what about" precedes it.
    pub(crate) is_bare: bool,
    /// Whether "what about" or "how about" precedes it.
    pub(crate) is_about: bool,
}

/// The last question.
pub(crate) struct LastAsked<'a> {
    pub(crate) said: &'a Said,
    pub(crate) named: &'a [Named],
    pub(crate) topics: &'a [Topic],
    /// The main subject of the last question, and the phrase for it.
    pub(crate) topic: Option<(Referent, String)>,
    /// What the noun of a fragment such as "the price" is to this subject.
    pub(crate) noun: Option<NounReading>,
}

/// The last question with a new part.
pub(crate) struct Filled {
    pub(crate) text: String,
    /// The entity that was replaced, and its replacement.
    pub(crate) old: Option<Referent>,
    pub(crate) new: Option<Referent>,
    pub(crate) because: String,
    /// Whether the new question is about another thing that is not an entity.
    pub(crate) is_of_another: bool,
}

impl Filled {
    fn new(text: String, because: &str) -> Self {
        Self { text, old: None, new: None, because: because.to_owned(), is_of_another: false }
    }
}

/// The new part of an incomplete question: "and in 2024?", "what about Apollo?", "the price?".
pub(crate) fn fragment(said: &Said, named: &[Named]) -> Option<Fragment> {
    let is_named = |at: usize| named.iter().any(|named| named.tokens.contains(&at));
    let count = said.tokens.len();
    let mut start = 0;
    while start < count && is_connector(said.word(start)) && !is_named(start) {
        start += 1;
    }
    let connected = start > 0;
    let words = |at: usize, expected: &[&str]| {
        expected.iter().enumerate().all(|(offset, word)| said.word(at + offset) == *word)
    };
    let openings: [&[&str]; 8] = [
        &["what", "about"],
        &["how", "about"],
        &["what", "of"],
        &["the", "same", "for"],
        &["same", "question", "for"],
        &["same", "for"],
        &["same", "with"],
        &["as", "for"],
    ];
    let opening = openings.iter().find(|opening| words(start, opening));
    start += opening.map_or(0, |opening| opening.len());
    let explicit = opening.is_some();
    let mut end = count;
    while end > start + 1 && is_closing(said.word(end - 1)) && !is_named(end - 1) {
        end -= 1;
    }
    let length = end.checked_sub(start).filter(|length| *length > 0)?;
    let rest = start..end;
    let small = |at: usize| !is_named(at);
    let parted = rest.clone().skip(1).any(|at| said.tokens[at].parted.is_some() && !is_named(at));
    let verbal =
        rest.clone().any(|at| small(at) && (is_auxiliary(said.word(at)) || is_question_word(said.word(at))));
    let personal = rest.clone().any(|at| {
        small(at) && (is_request(said.word(at)) || matches!(said.word(at), "i" | "you" | "we" | "he" | "she"))
    });
    if personal || (parted && !explicit) || said.tokens.iter().any(|token| token.is_asking) {
        return None;
    }
    if verbal {
        let asks = rest.clone().all(|at| {
            is_question_word(said.word(at))
                || is_preposition(said.word(at))
                || said.word(at) == "else"
                || said.word(at.wrapping_sub(1)) == "how"
        });
        return (asks && length <= 3).then_some(Fragment {
            tokens: rest,
            asks: true,
            is_bare: !connected && !explicit,
            is_about: false,
        });
    }
    if length > WORDS_MAX || (!connected && !explicit && length > BARE_WORDS_MAX) {
        return None;
    }
    let things =
        named.iter().filter(|named| named.kind != NameKind::Date && rest.contains(&named.tokens.start));
    if !connected && !explicit && things.count() > 1 {
        return None;
    }
    let is_about = opening.is_some_and(|opening| opening.ends_with(&["about"]));
    Some(Fragment { tokens: rest, asks: false, is_bare: !connected && !explicit, is_about })
}

impl Fragment {
    /// The noun of a fragment that consists of it, perhaps after "the", and is no name: "And the price?", "price?"
    pub(crate) fn noun(&self, said: &Said) -> Option<String> {
        let is_definite = said.word(self.tokens.start) == "the";
        let noun = self.tokens.start + usize::from(is_definite)..self.tokens.end;
        let is_noun = !noun.is_empty()
            && noun.clone().all(|at| !is_closed(said.word(at)) && !said.tokens[at].is_marked);
        let is_short = is_definite || self.is_bare && noun.len() <= NOUN_WORDS_MAX;
        (!self.asks && is_short && is_noun).then(|| said.text[said.bytes_of(&noun)].to_owned())
    }
}

/// Inserts a fragment into the last question, if the position is certain.
pub(crate) fn fill(resolver: &Resolver<'_>, fragment: &Fragment, last: &LastAsked<'_>) -> Option<Filled> {
    let said = resolver.said;
    let text = &said.text[said.bytes_of(&fragment.tokens)];
    if fragment.asks {
        return asked_anew(text, last.said);
    }
    let is_attribute = matches!(last.noun, Some(NounReading::Attribute { .. }));
    if let Some(filled) = of_somebody_else(resolver, fragment, last).filter(|_| !is_attribute) {
        return Some(filled);
    }
    if let Some(filled) = of_same_kind(said, fragment, last).filter(|_| !is_attribute) {
        return Some(filled);
    }
    if is_attribute {
        return phrase(said, fragment, last);
    }
    let own: Vec<&Named> =
        resolver.named.iter().filter(|named| fragment.tokens.contains(&named.tokens.start)).collect();
    let names = own.iter().copied().filter(|named| named.kind != NameKind::Date);
    // "Night fee?" after a question about the emergency service names no other service.
    let is_name = |named: &&Named| {
        !fragment.is_bare
            || is_written(said, named)
            || place_for(resolver, named.referent(said).as_ref(), &said.text[named.bytes.clone()], None, last)
                .is_some_and(|(_, score)| score >= SAME_KIND)
    };
    let names: Vec<&Named> = names.filter(is_name).collect();
    let date = own.iter().copied().find(|named| named.kind == NameKind::Date);
    let first = said.word(fragment.tokens.start);
    let preposition = is_preposition(first).then_some(first);
    let mut edits = Vec::new();
    let mut filled = Filled::new(String::new(), "");
    // "What about Apollo in Dublin?" asks for whatever is said of both.
    if names.len() > 1 && fragment.is_about {
        return None;
    }
    if let Some(name) = names.first()
        && is_bare_name(said, fragment, &own, last)
    {
        filled.new = name.referent(said);
        let written = &said.text[name.bytes.clone()];
        edits.push(match place_for(resolver, filled.new.as_ref(), written, preposition, last) {
            Some((place, _)) => put_in_place(said, name, last, place, &mut filled)?,
            None => {
                preposition?;
                added(last.said, text, &mut filled)
            }
        });
    } else if !names.is_empty() && fragment.is_about {
        return None;
    } else if !names.is_empty() && is_circumstance(first) {
        return phrase(said, fragment, last);
    } else if !names.is_empty() {
        let mut filled = Filled::new(what_is(text), "asked of what is named");
        filled.new = names[0].referent(said);
        return Some(filled);
    }
    if let Some(date) = date {
        let written = said.text[date.bytes.clone()].to_owned();
        match last.named.iter().rev().find(|named| named.kind == NameKind::Date) {
            Some(place) => {
                filled.because = format!("instead of {}", &last.said.text[place.bytes.clone()]);
                edits.push((place.bytes.clone(), written));
            }
            None if edits.is_empty() => {
                preposition?;
                edits.push(added(last.said, text, &mut filled));
            }
            None => {}
        }
    }
    if edits.is_empty() {
        return phrase(said, fragment, last);
    }
    filled.text = replaced(&last.said.text, edits);
    Some(filled)
}

/// Whether a preposition begins a circumstance, of which the same is asked: "*in* the Low Meadow strips".
fn is_circumstance(word: &str) -> bool {
    is_preposition(word) && !matches!(word, "of" | "about" | "for" | "with" | "by" | "to")
}

/// Puts a name in the place of one in the last question.
fn put_in_place(
    said: &Said,
    name: &Named,
    last: &LastAsked<'_>,
    place: &Named,
    filled: &mut Filled,
) -> Option<(Range<usize>, String)> {
    // "How deep is Ostra? And the map?" The map is no other Ostra.
    let is_unlike = is_written(last.said, place) && !is_written(said, name);
    if is_unlike && last.noun == Some(NounReading::Unclear) {
        return None;
    }
    filled.old = place.referent(last.said);
    filled.because = format!("instead of {}", &last.said.text[place.bytes.clone()]);
    let own_article = name.tokens.start.checked_sub(1).is_some_and(|at| is_article(said.word(at)));
    let start = if own_article { place.bytes.start } else { with_article(last.said, place) };
    let written = said.text[name.bytes.clone()].to_owned();
    Some(exchanged(last.said, &(start..place.bytes.end), written))
}

/// Whether a word of a name is written like one.
fn is_written(said: &Said, name: &Named) -> bool {
    said.tokens[name.tokens.clone()].iter().any(|token| token.is_marked)
}

/// Adds a circumstance to the last question: "in 2023".
fn added(last: &Said, text: &str, filled: &mut Filled) -> (Range<usize>, String) {
    ADDED.clone_into(&mut filled.because);
    appended(last, text)
}

/// The last question about another thing: one with the same head noun ("regular *members*", "voting
/// *members*") or, if the last question names a single thing, one of the same form ("limoncello", "kvass").
fn of_same_kind(said: &Said, fragment: &Fragment, last: &LastAsked<'_>) -> Option<Filled> {
    let own = topics(&Said::of(&said.text[said.bytes_of(&fragment.tokens)]), &[]);
    let [new] = own.as_slice() else { return None };
    let first = said.word(fragment.tokens.start);
    let has_determiner = new.words != new.bare;
    let is_whole = fragment.tokens.len() == new.tokens.len() + usize::from(has_determiner);
    if !is_whole || is_preposition(first) {
        return None;
    }
    let head = |text: &str| Said::of(text).tokens.last().map_or(String::new(), |token| token.lower.clone());
    let differs = |old: &&Topic| !same(&old.bare, &new.bare);
    let mut of_kind = last.topics.iter().filter(|old| head(&old.bare) == head(&new.bare)).filter(differs);
    let is_other = |only: &Topic| match last.noun {
        Some(reading) => reading == NounReading::Thing,
        None => is_of_one_form(only, new),
    };
    let old = match (of_kind.next(), of_kind.next(), last.topics) {
        (Some(old), None, _) => old,
        (None, _, [only]) if !fragment.is_bare && only.is_central && is_other(only) => only,
        _ => return None,
    };
    let start = last.said.bytes_of(&old.tokens).end - old.words.len();
    let place = start..start + old.words.len();
    let words = &last.said.text[place.clone()];
    let mut filled = Filled::new(String::new(), "");
    filled.because = format!("instead of {words}");
    let written = if has_determiner || old.words == old.bare {
        new.words.clone()
    } else {
        // "A regular member", "what about voting members": the article belongs to the phrase that it
        // precedes.
        new.bare.clone()
    };
    filled.text = replaced(&last.said.text, vec![exchanged(last.said, &place, written)]);
    filled.is_of_another = true;
    Some(filled)
}

/// Whether two lower-case phrases agree in number and in having an article.
fn is_of_one_form(old: &Topic, new: &Topic) -> bool {
    let has_article = |topic: &Topic| topic.words != topic.bare;
    let is_small = |topic: &Topic| !topic.bare.contains(char::is_uppercase);
    old.number == new.number && has_article(old) == has_article(new) && is_small(old) && is_small(new)
}

/// The start of a name including its article: "Tor" replaces all of "a VPN".
fn with_article(last: &Said, place: &Named) -> usize {
    match place.tokens.start.checked_sub(1) {
        Some(before) if is_article(last.word(before)) => last.tokens[before].range.start,
        _ => place.bytes.start,
    }
}

/// The edit that replaces one name with another and keeps a possessive ending.
fn exchanged(last: &Said, place: &Range<usize>, written: String) -> (Range<usize>, String) {
    let after = &last.text[place.end..];
    let only_apostrophe = ["'", "’"]
        .into_iter()
        .find(|mark| after.strip_prefix(mark).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
    match only_apostrophe {
        Some(mark) => (place.start..place.end + mark.len(), possessive(&written)),
        None => (place.clone(), written),
    }
}

/// Whether a fragment is only a name with its usual context: "for the film Winter Ferry".
fn is_bare_name(said: &Said, fragment: &Fragment, own: &[&Named], last: &LastAsked<'_>) -> bool {
    let Some(name) = own.iter().find(|named| named.kind != NameKind::Date) else { return false };
    // "And in the Keller case?" after a question about the Brandt case.
    let is_kind = |at: usize| {
        let mut names = last.named.iter();
        names.any(|other| {
            (name.tokens.end..=at)
                .zip(other.tokens.end..)
                .all(|(own, other)| said.word(own) == last.said.word(other))
        })
    };
    fragment.tokens.clone().all(|at| {
        let token = &said.tokens[at];
        let named = own.iter().any(|named| named.tokens.contains(&at));
        let before = at < name.tokens.start && said.word(at + 1) != "of" && said.word(at) != "of";
        let is_kind = at >= name.tokens.end && is_kind(at);
        named
            || is_kind
            || token.is_joined
            || is_closed(&token.lower)
            || (before && at + 1 == name.tokens.start)
    })
}

/// The name in the last question that a new name replaces, with its score: one of the same form or kind, one after the
/// same preposition, or one that was asked about.
fn place_for<'n>(
    resolver: &Resolver<'_>,
    new: Option<&Referent>,
    written: &str,
    preposition: Option<&str>,
    last: &LastAsked<'n>,
) -> Option<(&'n Named, f32)> {
    let LastAsked { said: last, named: last_named, topic, .. } = last;
    let is_marked = |text: &str| text.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let known = |referent: Option<&Referent>| {
        let referent = referent?;
        resolver.known.iter().find(|known| same(&known.referent.name, &referent.name))
    };
    let own = known(new);
    let scored =
        last_named.iter().enumerate().filter(|(_, named)| named.kind != NameKind::Date).map(|(at, named)| {
            let old = named.referent(last);
            let old_written = &last.text[named.bytes.clone()];
            let mut score = 0.05 * at as f32;
            let (a, b) = (name_words(written), name_words(old_written));
            if a.iter().any(|word| b.contains(word)) || shape(written) == shape(old_written) {
                score += 2.0;
            }
            let before = named.tokens.start.checked_sub(1).map_or("", |at| last.word(at));
            let before = if is_article(before) && named.tokens.start > 1 {
                last.word(named.tokens.start - 2)
            } else {
                before
            };
            let strict = preposition.filter(|word| !matches!(*word, "for" | "of" | "about" | "with"));
            match strict {
                Some(word) if word == before => score += 3.0,
                Some(_) => score -= 1.0,
                None => {}
            }
            if let (Some(own), Some(other)) = (own, known(old.as_ref())) {
                match (own.is_person(), other.is_person()) {
                    (Some(a), Some(b)) if a == b => score += 1.5,
                    (Some(_), Some(_)) => score -= 2.0,
                    _ => {}
                }
                if own.shares_sort(other) {
                    score += 2.0;
                }
            }
            if is_marked(written) == is_marked(old_written) {
                score += 1.0;
            }
            if let (Some((topic, _)), Some(old)) = (topic, &old)
                && same(&topic.name, &old.name)
            {
                score += 1.0;
            }
            if named.kind == NameKind::Unknown {
                score -= 1.0;
            }
            (named, score)
        });
    scored.filter(|(_, score)| *score > -0.5).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The pattern of a name: runs of capitals, lower-case letters and digits.
fn shape(name: &str) -> String {
    let mut shape = String::new();
    for c in name.chars() {
        let class = match c {
            c if c.is_numeric() => '0',
            c if c.is_uppercase() => 'A',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    // Capitalised words are too common to compare by pattern, so such names are compared as they are.
    if shape.contains(['0', '-', '_']) { shape } else { format!("{name}\0") }
}

/// The edit that appends text to the last question, before its punctuation.
fn appended(last: &Said, text: &str) -> (Range<usize>, String) {
    let end = last.text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')').len();
    (end..end, format!(" {text}"))
}

/// The last question with a different question word, if both ask for a circumstance: when, where, why or how.
fn asked_anew(text: &str, last: &Said) -> Option<Filled> {
    let at = last.tokens.iter().position(|token| is_question_word(&token.lower))?;
    let before = at.checked_sub(1).filter(|before| is_preposition(last.word(*before)));
    let is_circumstance = |words: &Said, at: usize, before: bool| {
        let amounts = matches!(words.word(at + 1), "many" | "much");
        matches!(words.word(at), "when" | "where" | "why" | "how") && !amounts || before
    };
    let own = Said::of(text);
    let own_at = own.tokens.iter().position(|token| is_question_word(&token.lower))?;
    if !is_circumstance(last, at, before.is_some()) || !is_circumstance(&own, own_at, own_at > 0) {
        return None;
    }
    let auxiliary = (at + 1..last.tokens.len()).find(|at| is_auxiliary(last.word(*at)))?;
    let start = last.tokens[before.unwrap_or(at)].range.start;
    let tail = &last.text[last.tokens[auxiliary].range.start..];
    let text = format!("{}{text} {tail}", &last.text[..start]);
    Some(Filled::new(text, "the last question, asked with this"))
}

/// The last question, about somebody, asked about somebody else: "And the treasurer?" after "Does Ada Low have a vote?"
fn of_somebody_else(resolver: &Resolver<'_>, fragment: &Fragment, last: &LastAsked<'_>) -> Option<Filled> {
    let said = resolver.said;
    let (topic, words) = last.topic.as_ref()?;
    let head = said.word(fragment.tokens.end - 1);
    let is_somebody = said.word(fragment.tokens.start) == "the" && (is_person_noun(head) || is_agent(head));
    let mut known = resolver.known.iter().filter(|known| same(&known.referent.name, &topic.name));
    if fragment.is_bare || !is_somebody || !known.any(|known| known.is_person() == Some(true)) {
        return None;
    }
    let place = last.said.text.find(words.as_str())?;
    let text = said.text[said.bytes_of(&fragment.tokens)].to_owned();
    let text = replaced(&last.said.text, vec![(place..place + words.len(), text)]);
    Some(Filled { is_of_another: true, ..Filled::new(text, "the last question, about somebody else") })
}

/// Inserts a fragment without a name: another instance of a kind, a circumstance, or an attribute of the
/// topic.
fn phrase(said: &Said, fragment: &Fragment, last_asked: &LastAsked<'_>) -> Option<Filled> {
    let last = last_asked.said;
    // "One from the country": the words after "one" select it.
    let is_one = matches!(said.word(fragment.tokens.start), "one" | "ones" | "those")
        && is_preposition(said.word(fragment.tokens.start + 1))
        && fragment.tokens.len() > 2;
    let tokens = fragment.tokens.start + usize::from(is_one)..fragment.tokens.end;
    let fragment = &Fragment { tokens, ..fragment.clone() };
    let text = &said.text[said.bytes_of(&fragment.tokens)];
    let end = fragment.tokens.end;
    // "The other one" is one of those spoken of, and no other kind.
    let is_other = fragment.tokens.clone().any(|at| matches!(said.word(at), "other" | "others" | "same"));
    if is_other {
        return None;
    }
    if matches!(said.word(end - 1), "one" | "ones") && fragment.tokens.len() > 1 {
        let quality: Vec<&str> = fragment
            .tokens
            .clone()
            .take(fragment.tokens.len() - 1)
            .filter(|at| !is_article(said.word(*at)) && !is_preposition(said.word(*at)))
            .map(|at| &said.text[said.tokens[at].range.clone()])
            .collect();
        if let Some(place) = quality_place(last) {
            let text = replaced(&last.text, vec![(place, quality.join(" "))]);
            return Some(Filled::new(text, "the last question, of another one"));
        }
    }
    let first = said.word(fragment.tokens.start);
    if is_preposition(first) {
        let place = (0..last.tokens.len()).rev().find(|at| last.word(*at) == first);
        let edit = match place {
            Some(at) => {
                let mut end = at + 1;
                while end < last.tokens.len()
                    && last.tokens[end].parted.is_none()
                    && (!is_closed(last.word(end)) || is_article(last.word(end)))
                {
                    end += 1;
                }
                // After "does", the last word is the verb: "a student from abroad *pay*".
                let has_verb =
                    last.tokens[..at].iter().any(|token| is_auxiliary(&token.lower) && !is_be(&token.lower));
                let is_verb_before = at > 0 && is_verb(last.word(at - 1));
                if has_verb && !is_verb_before && end == last.tokens.len() && end > at + 2 {
                    end -= 1;
                }
                (last.tokens[at].range.start..last.tokens[end - 1].range.end, text.to_owned())
            }
            // "From dom0", then "to dom0": the noun has a different role in the last question.
            None if says_all(last, said, &fragment.tokens) => return None,
            None => appended(last, text),
        };
        let text = replaced(&last.text, vec![edit]);
        return Some(Filled::new(text, "the last question, in other circumstances"));
    }
    attribute(said, fragment, last_asked)
}

/// Asks for what a fragment names as an attribute of the topic: "the price".
fn attribute(said: &Said, fragment: &Fragment, last_asked: &LastAsked<'_>) -> Option<Filled> {
    let (_, topic) = last_asked.topic.as_ref()?;
    // The passages do not say whether it is an attribute or another thing.
    let is_of_form = |only: &Topic| only.is_central && only.words != only.bare;
    if last_asked.noun == Some(NounReading::Unclear)
        && !fragment.is_bare
        && matches!(last_asked.topics, [only] if is_of_form(only))
    {
        return None;
    }
    let is_attribute = may_be_attribute(said, fragment, last_asked, topic);
    let topic_said = Said::of(topic);
    let has_topic = says_all(said, &topic_said, &(0..topic_said.tokens.len()));
    (is_attribute && !has_topic).then(|| {
        let (is_person, joint) = match last_asked.noun {
            Some(NounReading::Attribute { is_person, joint }) => (is_person, joint),
            _ => (false, "of"),
        };
        let asks = if is_person { "Who" } else { "What" };
        Filled::new(
            of_topic(said, fragment, &format!("{joint} {topic}"), asks),
            "asked of what the last question was about",
        )
    })
}

/// Whether a fragment can name an attribute of the topic. "And bookings?" may be another thing of the same kind.
fn may_be_attribute(said: &Said, fragment: &Fragment, last: &LastAsked<'_>, topic: &str) -> bool {
    let (first, head) = (said.word(fragment.tokens.start), said.word(fragment.tokens.end - 1));
    let is_name = topic.contains(char::is_uppercase);
    // A question about owners and an office is not about who the owners are.
    let article = topic.split_whitespace().next().unwrap_or_default();
    let is_vague = !is_name && !is_article(article) && last.topics.len() > 1;
    if matches!(head, "one" | "ones") || is_vague {
        return false;
    }
    // "The TIG", or "staging?" after a question about the staging environment, chooses one.
    let words = name_words(topic);
    let is_in_topic = fragment
        .tokens
        .clone()
        .all(|at| is_closed(said.word(at)) || words.iter().any(|word| word == said.word(at)));
    if is_in_topic || fragment.is_bare && last.noun == Some(NounReading::Thing) {
        return false;
    }
    if first == "the" {
        return true;
    }
    // "Hay included?" and, after a question about kittens, "puppies?" ask for no attribute.
    let is_state = fragment.tokens.len() > 1 && is_past(head);
    let is_parallel = be_for(head) == "are" && !is_name && article != "the";
    // "Price?" after "What's the title?" is that of the book.
    let is_attribute_itself = last.topics.first().is_some_and(|topic| {
        topic.is_defined && topic.words != topic.bare && !topic.words.contains(char::is_uppercase)
    });
    // "Price per night?"
    let is_short = fragment.tokens.len() <= 2
        || fragment.tokens.len() <= BARE_WORDS_MAX && is_preposition(said.word(fragment.tokens.start + 1));
    let is_any = is_article(first) || matches!(first, "any" | "some" | "no");
    fragment.is_bare && is_short && !(is_any || is_state || is_parallel || is_attribute_itself)
}

/// Whether a question contains all content words of a fragment.
fn says_all(last: &Said, said: &Said, tokens: &Range<usize>) -> bool {
    let mut words = said.tokens[tokens.clone()].iter().filter(|token| !is_closed(&token.lower));
    words.all(|word| last.tokens.iter().any(|token| token.lower == word.lower))
}

/// The position of an adjective in the last question: "a *full* member".
fn quality_place(last: &Said) -> Option<Range<usize>> {
    let at = (0..last.tokens.len().saturating_sub(2)).rev().find(|at| {
        let content = |at: usize| !is_closed(last.word(at)) && last.tokens[at].parted.is_none();
        is_article(last.word(*at)) && content(at + 1) && content(at + 2)
    })?;
    Some(last.tokens[at + 1].range.clone())
}

fn what_is(text: &str) -> String {
    format!("What {} {text}?", be_for(text))
}

/// "Is" or "are", by the ending of the last word.
fn be_for(text: &str) -> &'static str {
    let is_plural = text.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| text.ends_with(ending));
    if is_plural { "are" } else { "is" }
}

/// Asks for an attribute of the topic: "What is the price of harvest stew?"
fn of_topic(said: &Said, fragment: &Fragment, topic: &str, asks: &str) -> String {
    // "Price per night?" asks for the price of the hut per night.
    let joint =
        fragment.tokens.clone().skip(1).find(|at| is_preposition(said.word(*at)) && said.word(*at) != "of");
    let noun = fragment.tokens.start..joint.unwrap_or(fragment.tokens.end);
    let rest = joint.map(|joint| format!(" {}", &said.text[said.bytes_of(&(joint..fragment.tokens.end))]));
    let text = &said.text[said.bytes_of(&noun)];
    let (first, be) = (said.word(noun.start), be_for(said.word(noun.end - 1)));
    // The fragment may begin with a capital: "The price?"
    let text = if is_article(first) { lowered(text) } else { text.to_owned() };
    let article = if is_article(first) || is_closed(first) { "" } else { "the " };
    format!("{asks} {be} {article}{text} {topic}{}?", rest.unwrap_or_default())
}
