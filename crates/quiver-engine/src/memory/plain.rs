//! Plain sentences: what a sentence says, without what it opens with, what is said in passing, and what only turns it round.

use std::borrow::Cow;

use quiver_language::Class;

use super::{
    apart::{self, is_predicate, starts_clause},
    clause,
    token::tokens,
    verb,
};

/// How often a sentence is taken apart: what is nested deeper stays as it is.
const DEPTH_MAX: usize = 4;
/// What begins a sentence without being a part of what it says.
const OPENINGS: &[&str] = &[
    "so",
    "huh",
    "well",
    "no",
    "nope",
    "yes",
    "yeah",
    "yep",
    "great",
    "perfect",
    "okay",
    "ok",
    "oh",
    "ah",
    "hm",
    "hmm",
    "alright",
    "right",
    "fine",
    "sure",
    "cool",
    "nice",
    "thanks",
    "thank you",
    "cheers",
    "sorry",
    "honestly",
    "anyway",
    "fyi",
    "btw",
    "by the way",
    "for the record",
    "just so you know",
    "heads up",
    "heads-up",
    "note",
    "please note",
    "update",
    "quick update",
    "reminder",
    "turns out",
    "it turns out",
    "as you know",
    "as agreed",
    "correction",
    "new",
    "meanwhile",
    "in the meantime",
    "for now",
    "so far",
    "at the moment",
    "right now",
    "as of now",
    "as of today",
    "if nobody minds",
    "if i may",
    "if you don't mind",
    "if nobody objects",
];

/// The same where a "that" follows, or nothing.
const LEADING: &[&str] = &[
    "so far ",
    "so ",
    "and ",
    "also ",
    "then ",
    "please note that ",
    "note that ",
    "please note ",
    "turns out that ",
    "it turns out that ",
    "it turns out ",
    "turns out ",
    "of course ",
    "meanwhile ",
    "in the meantime ",
];

/// What begins a letter; whom it greets follows.
const GREETINGS: &[&str] = &["hi", "hello", "hey", "dear", "morning", "good morning", "good afternoon"];

/// The same before whom it calls: "Ok team, …".
const CALLS: &[&str] = &["ok", "okay", "alright", "so", "listen", "right"];

/// What stands between commas without being a part of what is said.
const ASIDES: &[&str] = &[
    "you know",
    "i mean",
    "of course",
    "as you know",
    "by the way",
    "fyi",
    "btw",
    "honestly",
    "i think",
    "i believe",
    "i guess",
    "i suppose",
    "it seems",
    "to be honest",
];

/// What ends a letter; a name may follow.
const CLOSINGS: &[&str] = &[
    "best",
    "regards",
    "kind regards",
    "best regards",
    "cheers",
    "thanks",
    "many thanks",
    "yours",
    "sincerely",
];

/// Signs that stand for words.
const SIGNS: &[(&str, &str)] =
    &[(" = ", " is the "), (" w/ ", " with "), (" w/o ", " without "), (" b/c ", " because ")];

/// The plain sentences that together say what a sentence says.
pub(super) fn plain(sentence: &str) -> Vec<String> {
    let mut plain = Vec::new();
    take_apart(&bare(sentence), DEPTH_MAX, &mut plain);
    plain
}

/// Whether a sentence only opens or closes a letter.
pub(super) fn is_courtesy(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let first = lower.trim_end_matches(['.', '!']).split(',').next().unwrap_or_default();
    let named = sentence.split_whitespace().count() <= 4 && CLOSINGS.contains(&first);
    let greets = GREETINGS.iter().any(|greeting| {
        lower.strip_prefix(greeting).is_some_and(|rest| rest.starts_with([' ', '!', ',', '.']))
    });
    named || greets && sentence.split_whitespace().count() <= 3
}

fn take_apart(sentence: &str, depth: usize, plain: &mut Vec<String>) {
    let parts = if depth == 0 { None } else { apart::apart(sentence) };
    match parts {
        Some(parts) => parts.iter().for_each(|part| take_apart(part, depth - 1, plain)),
        None => plain.push(sentence.to_owned()),
    }
}

/// A sentence without what it opens with and the asides in it; a heading before a colon says nothing of its own, and "It
/// is the valve that leaks" says that the valve leaks.
fn bare(sentence: &str) -> Cow<'_, str> {
    let sentence = without_openings(sentence);
    let sentence = sentence.split_once(": ").map_or(sentence, |(before, after)| {
        let heads = clause::read(before).is_none_or(|clause| clause.subject.is_none());
        if heads && starts_clause(after) { after } else { sentence }
    });
    let mut bare = concerning(sentence).map_or(Cow::Borrowed(sentence), Cow::Owned);
    let lower = sentence.to_lowercase();
    if lower.len() == sentence.len()
        && let Some((from, to)) = ASIDES.iter().find_map(|aside| {
            let at = lower.find(&format!(", {aside}"))?;
            let end = at + 2 + aside.len();
            lower[end..].starts_with([',', '.', '!']).then_some((at, end))
        })
    {
        bare = Cow::Owned(format!("{}{}", &sentence[..from], &sentence[to..]));
    }
    for (short, long) in SIGNS.iter().filter(|(short, _)| sentence.contains(short)) {
        bare = Cow::Owned(bare.replace(short, long));
    }
    match cleft(&bare).or_else(|| pseudo_cleft(&bare)) {
        Some(plain) => Cow::Owned(plain),
        None => bare,
    }
}

/// "As far as the hosting is concerned, we stay with Lindgate" says what we do for the hosting.
fn concerning(sentence: &str) -> Option<String> {
    const LEADS: &[&str] = &["As for ", "As to ", "Regarding ", "Concerning ", "When it comes to "];
    let (head, rest) = sentence.split_once(", ")?;
    let far = head.strip_prefix("As far as ").and_then(|topic| {
        [" is concerned", " are concerned", " goes", " go"]
            .into_iter()
            .find_map(|end| topic.strip_suffix(end))
    });
    let topic = far.or_else(|| LEADS.iter().find_map(|lead| head.strip_prefix(lead)))?;
    starts_clause(rest).then(|| format!("For {topic}, {rest}"))
}

/// A sentence from where it begins to say something.
pub(super) fn without_openings(mut sentence: &str) -> &str {
    loop {
        let lower = sentence.to_lowercase();
        if lower.len() != sentence.len() {
            return sentence;
        }
        let leads = LEADING.iter().find(|leading| lower.starts_with(**leading)).map(|leading| leading.len());
        let leads = leads.or_else(|| adverb(sentence));
        let (head, _) = sentence.split_at(sentence.find([',', ':', '!', '–', '—']).unwrap_or(0));
        let head = head.trim_end();
        let words = head.to_lowercase();
        let greets = GREETINGS.iter().chain(CALLS).any(|greeting| {
            words.strip_prefix(greeting).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(' ') && rest.split_whitespace().count() <= 2
            })
        });
        let opens = (!head.is_empty() && (OPENINGS.contains(&&*words) || greets)).then_some(head.len());
        let Some(end) = leads.or(opens) else { return sentence };
        let rest =
            sentence[end..].trim_start_matches(|c: char| !c.is_alphanumeric() && !"#@$€\"“(".contains(c));
        if rest.is_empty() {
            return sentence;
        }
        sentence = rest;
    }
}

/// Where an adverb ends that a sentence begins with: "Apparently the outage …".
fn adverb(sentence: &str) -> Option<usize> {
    let all = tokens(sentence);
    let (first, next) = (all.first()?, all.get(1)?);
    let is_adverb = first.class.is_none() && first.text.len() > 4 && first.text.ends_with("ly");
    let begins = matches!(next.class, Some(Class::Determiner | Class::Pronoun))
        || next.is_capital()
        || verb::is_contracted(&next.lower());
    (is_adverb && begins && first.is_ordinary()).then_some(first.end)
}

/// "It is the valve that leaks" says that the valve leaks.
fn cleft(sentence: &str) -> Option<String> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let opening = ["it is ", "it's ", "it was "].into_iter().find(|opening| lower.starts_with(opening))?;
    if lower.len() != sentence.len() {
        return None;
    }
    [" that ", " who ", " which "].into_iter().find_map(|joint| {
        let (what, does) = sentence[opening.len()..].split_once(joint)?;
        let is_said = tokens(what).len() == 1 && verb::is_past(&what.to_lowercase());
        if is_said && starts_clause(does) {
            return Some(does.to_owned());
        }
        (clause::read(what).is_none() && clause::read_of("it", does).is_some())
            .then(|| format!("{what} {does}"))
    })
}

/// "What fills it are old messages" says that old messages fill it.
pub(super) fn pseudo_cleft(sentence: &str) -> Option<String> {
    let rest = sentence.strip_prefix("What ").or_else(|| sentence.strip_prefix("what "))?;
    if sentence.ends_with('?') {
        return None;
    }
    [" is ", " are ", " was ", " were "].into_iter().find_map(|joint| {
        let (does, what) = rest.split_once(joint)?;
        let end = what.trim_end_matches(['.', '!']);
        if is_predicate(does) {
            let (what, more) = end.split_at(end.find(", ").unwrap_or(end.len()));
            return Some(format!("{what} {does}{more}."));
        }
        clause::read(&format!("{does} {end}"))
            .filter(|clause| clause.subject.is_some() && does.contains(' '))?;
        Some(format!("{does} {what}"))
    })
}
