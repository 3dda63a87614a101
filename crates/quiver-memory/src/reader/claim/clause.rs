//! A sentence as words, and whether a clause of it states a relation.

use std::ops::Range;

use quiver_language::{
    Kind, Language, MentionKind, mentions,
    pack::is_negation,
    read,
    statement::{Statement, says},
    text::{Text, collapse_spaces},
    token::Token,
};

use crate::{relation::third_person, when};

use super::{DATE_WORDS_MAX, Unfounded};
use crate::reader::{TurnToRead, life::is_uncertain};

/// Returns the part of a word before an apostrophe, and the part after it.
fn parts<'w>(token: &'w Token<'_>) -> (&'w str, Option<&'w str>) {
    match token.norm.rsplit_once('\'') {
        Some((head, tail)) if !head.is_empty() => (head, Some(tail)),
        _ => (&token.norm, None),
    }
}

fn is_possessive(token: &Token<'_>) -> bool {
    parts(token).1 == Some("s")
}

fn negates(token: &Token<'_>) -> bool {
    is_negation(&token.norm) || token.norm.ends_with("n't")
}

/// Returns whether the word is, or ends in, a present form of "be".
fn is_present_be(token: &Token<'_>) -> bool {
    matches!(token.norm.as_ref(), "is" | "are" | "am") || matches!(parts(token).1, Some("m" | "re"))
}

/// Where a clause names an end of a relation, in words of the sentence.
#[derive(Clone, Debug)]
struct Place {
    words: Range<usize>,
    /// Whether the name or the pronoun is possessive: "Apollo's", "my".
    is_possessive: bool,
    /// Whether it is the speaker's "I" or "my".
    is_first_person: bool,
    /// Whether it is a pronoun that refers to a name said before.
    is_meant: bool,
}

/// Which end of a relation a place is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Subject,
    Object,
}

/// A sentence with a quoted part.
pub(super) struct Clause<'a> {
    sentence: Text<'a>,
    /// The words of the quote.
    quoted: Range<usize>,
    /// Whether each word belongs to a date.
    dated: Vec<bool>,
    turn: &'a TurnToRead<'a>,
    /// The position of the quote in the turn.
    at: usize,
}

impl<'a> Clause<'a> {
    pub(super) fn new(sentence: &'a str, quote: Range<usize>, turn: &'a TurnToRead<'a>, at: usize) -> Self {
        let sentence = read(sentence);
        let tokens = &sentence.tokens;
        let first = tokens.iter().take_while(|token| token.range.start < quote.start).count();
        let last = tokens.iter().take_while(|token| token.range.end <= quote.end).count();
        let lower: Vec<&str> = tokens.iter().map(|token| token.norm.as_ref()).collect();
        let dated = dated(&lower, turn.time);
        Self { quoted: first..last.max(first), dated, turn, at, sentence }
    }

    /// The lower-case words of the sentence.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.sentence.tokens.iter().map(|token| token.norm.as_ref())
    }

    /// Returns whether punctuation follows a word.
    fn is_parted(&self, at: usize) -> bool {
        !self.sentence.gap_after(at).trim().is_empty()
    }

    /// Checks that the sentence asserts what it says, or denies it.
    pub(super) fn is_asserted(&self, denied: bool) -> Result<(), Unfounded> {
        let sentence = self.sentence.source;
        if sentence.ends_with(['?', '？']) {
            return Err(Unfounded::Question);
        }
        let is_outside = |c: char| matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '`' | '<' | '{' | '|');
        if sentence.contains(is_outside) || sentence.starts_with('>') {
            return Err(Unfounded::Quotation);
        }
        if self.sentence.language == Language::English {
            let is_unsure = |(at, token): &(usize, &Token<'_>)| {
                let lower = token.norm.as_ref();
                // "Mo looks after Redis" is as sure as "Mo cares for Redis".
                if lower == "looks"
                    && self.sentence.tokens.get(at + 1).is_some_and(|next| next.norm == "after")
                {
                    return false;
                }
                let may = says(lower, Statement::Unsure)
                    || is_uncertain(lower)
                    || matches!(lower, "when" | "whenever");
                may && token.text != "May" && lower != "until" && !says(lower, Statement::Negation)
            };
            if let Some((_, token)) = self.sentence.tokens.iter().enumerate().find(is_unsure) {
                return Err(Unfounded::Uncertain { word: token.norm.to_string() });
            }
            if self.sentence.tokens.windows(2).any(|pair| pair[0].norm == "used" && pair[1].norm == "to") {
                return Err(Unfounded::Uncertain { word: "used to".to_owned() });
            }
        }
        let denies_in_quote = self.sentence.tokens[self.quoted.clone()].iter().any(negates);
        let denies =
            denies_in_quote || self.sentence.tokens.iter().any(|token| negates(token) && token.norm != "no");
        match denied {
            true if !denies_in_quote => Err(Unfounded::NotNegated),
            false if denies => Err(Unfounded::Negated),
            _ => Ok(()),
        }
    }

    /// Returns whether a clause of the quote states the relation.
    pub(super) fn states(
        &self,
        subject: &str,
        predicate: &str,
        object: &str,
        denied: bool,
    ) -> Result<bool, Unfounded> {
        let subjects = self.places(subject, Role::Subject);
        let objects = self.places(object, Role::Object);
        for (name, places) in [(subject, &subjects), (object, &objects)] {
            if places.is_empty() {
                return Err(Unfounded::End { name: name.to_owned() });
            }
        }
        if subject.eq_ignore_ascii_case(object) {
            return Err(Unfounded::Vague { name: object.to_owned() });
        }
        // A common noun may refer to anything of its kind.
        let is_known = |name: &str, place: &Place| {
            place.is_first_person || place.is_meant || name.contains(|c: char| !c.is_lowercase() && c != ' ')
        };
        let said = Predicate::of(predicate);
        let states = subjects.iter().any(|from| {
            objects.iter().any(|to| {
                from.words.end <= to.words.start
                    && !(from.is_meant && to.is_meant)
                    && (is_known(subject, from) || is_known(object, to))
                    && self.relates(from, &said, to, denied)
            })
        });
        Ok(states)
    }

    /// Returns the places in the quote that name an end, or refer to it.
    fn places(&self, name: &str, role: Role) -> Vec<Place> {
        let mut places = self.literal(name);
        let speaker = self.turn.speaker.map(collapse_spaces).unwrap_or_default();
        if !speaker.is_empty() {
            let pronouns: &[&str] = if role == Role::Subject { &["i", "my"] } else { &["me"] };
            if is_same(name, &speaker) {
                places.extend(self.pronouns(pronouns, true));
            }
            // "Ada's sister" is what Ada calls "my sister".
            let relative = name.get(..speaker.len()).filter(|start| is_same(start, &speaker));
            let relative = relative
                .and_then(|_| name[speaker.len()..].replace('’', "'").strip_prefix("'s ").map(str::to_owned));
            if let Some(relative) = relative {
                places.extend(self.literal(&format!("my {relative}")));
            }
        }
        if places.is_empty() && self.is_named_before(name) {
            let pronouns: &[&str] = match role {
                Role::Subject => &["he", "she", "it", "they", "his", "her", "its", "their"],
                Role::Object => &["him", "her", "it", "them"],
            };
            places.extend(self.pronouns(pronouns, false));
        }
        places
    }

    fn literal(&self, name: &str) -> Vec<Place> {
        let name = read(name).tokens;
        let Some((last, first)) = name.split_last() else { return Vec::new() };
        let count = name.len();
        let is_at = |at: &usize| {
            let said = &self.sentence.tokens[*at..at + count];
            let ends = said[count - 1].norm == last.norm
                || is_possessive(&said[count - 1]) && parts(&said[count - 1]).0 == last.norm;
            ends && said[..count - 1].iter().zip(first).all(|(said, word)| said.norm == word.norm)
        };
        let starts = (self.quoted.start..(self.quoted.end + 1).saturating_sub(count)).filter(is_at);
        starts
            .map(|at| {
                let said = &self.sentence.tokens[at + count - 1];
                let is_possessive = is_possessive(said) && said.norm != last.norm;
                Place { words: at..at + count, is_possessive, is_first_person: false, is_meant: false }
            })
            .collect()
    }

    fn pronouns(&self, any: &[&str], is_first_person: bool) -> Vec<Place> {
        let is_any = |at: &usize| any.contains(&parts(&self.sentence.tokens[*at]).0);
        let places = self.quoted.clone().filter(is_any).map(|at| {
            let word = parts(&self.sentence.tokens[at]).0;
            let is_possessive = matches!(word, "my" | "his" | "its" | "their")
                // "Her" as a subject is possessive, as an object it is not.
                || word == "her" && any.contains(&"she")
                // "It's" and "he's" are "it is" and "he is", or "has": they decide nothing.
                || !is_first_person && is_possessive(&self.sentence.tokens[at]);
            Place { words: at..at + 1, is_possessive, is_first_person, is_meant: !is_first_person }
        });
        places.collect()
    }

    /// Returns whether the nearest text before the quote that names anything has this name: the turn itself, or an
    /// earlier one.
    fn is_named_before(&self, name: &str) -> bool {
        let own = (&self.turn.text[..self.at], None);
        let earlier = self.turn.before.iter().rev().map(|turn| (turn.text, turn.speaker));
        for (text, speaker) in std::iter::once(own).chain(earlier) {
            let names = mentions(text).into_iter().filter(|mention| mention.kind == MentionKind::Name);
            let names: Vec<String> =
                names.map(|mention| mention.name).chain(speaker.map(str::to_owned)).collect();
            if !names.is_empty() {
                return names.iter().any(|known| is_same(known, name));
            }
        }
        false
    }

    /// Returns whether the words between two ends, or before the first, state the predicate and nothing else.
    fn relates(&self, from: &Place, predicate: &Predicate, to: &Place, denied: bool) -> bool {
        if to.is_possessive {
            return false;
        }
        let attribute = predicate.attribute();
        if from.is_possessive {
            // "My sister lives in Porto" says nothing of me but that I have a sister.
            return attribute.is_some_and(|noun| self.has(from, noun, to)) && self.begins(from.words.start);
        }
        if self.begins(from.words.start) && self.does(from, predicate, to, denied) {
            return self.ends(to.words.end);
        }
        attribute.is_some_and(|noun| self.is_noun_of(from, noun, to)) && self.ends(to.words.end)
    }

    /// "Redis is run by Mo", "Apollo has a budget of 90,000 euros".
    fn does(&self, from: &Place, predicate: &Predicate, to: &Place, denied: bool) -> bool {
        let is_plain = from.is_first_person || denied;
        let has_be = is_present_be(&self.sentence.tokens[from.words.end - 1]);
        let mut wanted = predicate.words.iter().peekable();
        if has_be && wanted.next_if(|word| is_be(word)).is_none() {
            return false;
        }
        for at in from.words.end..to.words.start {
            let token = &self.sentence.tokens[at];
            let is_wanted = |word: &&String| {
                **word == token.norm
                    || is_present_be(token) && is_be(word)
                    || is_have(&token.norm) && is_have(word)
                    || is_plain && third_person(&token.norm) == **word
            };
            if wanted.next_if(is_wanted).is_some() {
                continue;
            }
            let noun_of = predicate.attribute().is_some() && wanted.peek().is_none();
            let adds_nothing = self.is_article(at)
                || self.dated[at]
                || self.is_adverb(at)
                || is_have(&token.norm) && wanted.peek().is_some()
                || noun_of && matches!(token.norm.as_ref(), "of" | "called" | "named")
                || denied
                    && (negates(token) || matches!(token.norm.as_ref(), "longer" | "do" | "does" | "did"));
            if !adds_nothing {
                return false;
            }
        }
        wanted.peek().is_none()
    }

    /// "Apollo's owner is Mo", "my sister Ines".
    fn has(&self, from: &Place, noun: &[String], to: &Place) -> bool {
        let start = from.words.end;
        let is_noun = noun.len() <= to.words.start - start
            && self.sentence.tokens[start..].iter().zip(noun).all(|(token, word)| token.norm == *word);
        if !is_noun {
            return false;
        }
        let rest = start + noun.len()..to.words.start;
        // An apposition is a name, and what follows belongs to the clause around it.
        let is_name = self.sentence.tokens[to.words.clone()]
            .iter()
            .all(|token| token.text.starts_with(char::is_uppercase));
        if rest.is_empty() {
            let next = self.sentence.tokens.get(to.words.end);
            let goes_on = next.is_some_and(|next| next.text.starts_with(char::is_uppercase));
            let is_whole = self.is_parted(to.words.end - 1) || !goes_on;
            return is_name && is_whole && !self.is_parted(start + noun.len() - 1);
        }
        self.is_being(rest) && self.ends(to.words.end)
    }

    /// "The owner of Redis is Mo".
    fn is_noun_of(&self, from: &Place, noun: &[String], to: &Place) -> bool {
        let mut at = from.words.start;
        while at > 0 && self.is_article(at - 1) {
            at -= 1;
        }
        let is_of = at > 0 && matches!(self.sentence.tokens[at - 1].norm.as_ref(), "of" | "for");
        let Some(start) = at.checked_sub(1 + noun.len()).filter(|start| is_of && *start >= self.quoted.start)
        else {
            return false;
        };
        self.sentence.tokens[start..].iter().zip(noun).all(|(token, word)| token.norm == *word)
            && self.begins(start)
            && self.is_being(from.words.end..to.words.start)
    }

    /// Returns whether words are "is" or "is called", with words that add nothing.
    fn is_being(&self, words: Range<usize>) -> bool {
        let is_verb =
            |at: usize| matches!(self.sentence.tokens[at].norm.as_ref(), "is" | "are" | "called" | "named");
        words.clone().any(is_verb)
            && words
                .into_iter()
                .all(|at| is_verb(at) || self.is_article(at) || self.is_adverb(at) || self.dated[at])
    }

    /// Returns whether a clause may start at a word.
    fn begins(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let token = &self.sentence.tokens[before];
        let opens = |class| says(&token.norm, class);
        self.is_parted(before)
            || self.dated[before]
            || self.sentence.language == Language::English
                && (opens(Statement::ClauseJoint) || opens(Statement::Opening) || opens(Statement::Adverb))
            || self.is_article(before) && self.begins(before)
    }

    /// Returns whether a clause may end before a word.
    fn ends(&self, at: usize) -> bool {
        let Some(token) = self.sentence.tokens.get(at) else { return true };
        self.is_parted(at - 1)
            || self.dated[at]
            || self.sentence.language == Language::English && says(&token.norm, Statement::Following)
    }

    /// Returns whether a word is an article, or "our", which adds as little. "My dog" and "that dog" are not any dog.
    fn is_article(&self, at: usize) -> bool {
        let word = self.sentence.tokens[at].norm.as_ref();
        word == "our" || self.sentence.language.kind(word) == Some(Kind::Article)
    }

    fn is_adverb(&self, at: usize) -> bool {
        self.sentence.language == Language::English && says(&self.sentence.tokens[at].norm, Statement::Adverb)
    }
}

/// A predicate as lower-case words.
struct Predicate {
    words: Vec<String>,
}

impl Predicate {
    fn of(predicate: &str) -> Self {
        Self { words: read(predicate).tokens.into_iter().map(|token| token.norm.into_owned()).collect() }
    }

    /// Returns the noun of a predicate such as "has owner".
    fn attribute(&self) -> Option<&[String]> {
        match self.words.as_slice() {
            [has, noun @ ..] if is_have(has) && !noun.is_empty() => Some(noun),
            _ => None,
        }
    }
}

fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "am")
}

fn is_have(word: &str) -> bool {
    matches!(word, "has" | "have")
}

fn is_same(one: &str, other: &str) -> bool {
    collapse_spaces(one).to_lowercase() == collapse_spaces(other).to_lowercase()
}

/// Returns whether each word belongs to a date, or introduces one.
fn dated(words: &[&str], time: i64) -> Vec<bool> {
    let mut dated = vec![false; words.len()];
    let mut at = 0;
    while at < words.len() {
        if words[at..].starts_with(&["from", "now", "on"]) {
            dated[at..at + 3].fill(true);
            at += 3;
            continue;
        }
        let ends = (at + 1..=words.len().min(at + DATE_WORDS_MAX)).rev();
        let Some(end) = ends.into_iter().find(|end| when::stated(&words[at..*end], time).is_some()) else {
            at += 1;
            continue;
        };
        dated[at..end].fill(true);
        let opening = words[..at].iter().rev().take_while(|word| says(word, Statement::DateOpening)).count();
        dated[at - opening..at].fill(true);
        at = end;
    }
    dated
}
