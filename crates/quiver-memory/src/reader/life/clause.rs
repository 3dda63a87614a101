//! Reads one clause: a state, an event, or a single-valued attribute of the speaker.

use quiver_language::life::{Life, says};

use crate::{
    calendar::is_month,
    reader::{ReadFact, fact},
};

use super::{
    lexicon::{self, Class},
    line::{Gap, Line},
    moment::Moment,
    noun::{Determiner, Noun},
};

/// The facts of a clause and the position after it.
pub(super) struct Read {
    pub(super) facts: Vec<ReadFact>,
    pub(super) end: usize,
}

impl Line<'_> {
    /// Reads the clause that starts at a word. If `may_pass`, statements in the present may hold only
    /// temporarily.
    pub(super) fn clause(&self, at: usize, moment: Option<Moment>, may_pass: bool) -> Option<Read> {
        if let Some(read) = self.own_attribute(at) {
            return Some(read);
        }
        let subject = self.subject(at)?;
        let verb = self.skip_adverbs(subject.end);
        let state = if may_pass { None } else { self.state(&subject, verb) };
        let mut read = state.or_else(|| self.past(&subject, verb, moment))?;
        // "I moved to Lisbon and started a new job".
        while self.is(read.end, &["and"]) && self.joins(read.end) {
            let next = self.skip_adverbs(read.end + 1);
            let Some(more) = self.event(&subject, next, None) else { break };
            read.facts.extend(more.facts);
            read.end = more.end;
        }
        Some(read)
    }

    pub(super) fn skip_adverbs(&self, mut at: usize) -> usize {
        while self.is_of(at, Life::Adverb) && self.joins(at) {
            at += 1;
        }
        at
    }

    /// "My favourite book is Middlemarch", "Middlemarch is my favourite book".
    fn favourite(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        let is_favourite =
            |at: usize| self.is(at, &["my"]) && self.is(at + 1, &["favourite", "favorite", "fave"]);
        let said = |at: usize| if self.is(at, &["fave"]) { "favorite" } else { self.lower(at) }.to_owned();
        if is_favourite(at) {
            let noun = self.noun(at + 2).filter(|noun| noun.determiner == Determiner::None)?;
            if !self.is(noun.end, &["is"]) || !self.joins(noun.end - 1) {
                return None;
            }
            let value = self.noun(noun.end + 1).filter(|value| value.determiner != Determiner::My)?;
            let tail = self.tail(value.end).filter(|_| self.is_sure_and_whole(value))?;
            let known = value.determiner != Determiner::The || self.has_mark(value.start, value.end);
            let plain = (value.start..value.end).all(|word| !self.is_of(word, Life::Evaluative))
                && !self.is_condition(value.start, value.core, noun.core - 1);
            let predicate = format!("has {} {}", said(at + 1), self.text(noun.start, noun.end));
            return (known && plain).then(|| Read {
                facts: vec![fact(speaker, &predicate, &self.text(value.start, value.end))],
                end: tail.end,
            });
        }
        let value =
            self.noun(at).filter(|value| !matches!(value.determiner, Determiner::My | Determiner::Number))?;
        if !self.is(value.end, &["is"]) || !is_favourite(value.end + 1) || !self.joins(value.end - 1) {
            return None;
        }
        let noun = self.noun(value.end + 3).filter(|noun| noun.determiner == Determiner::None)?;
        let tail = self.tail(noun.end).filter(|_| self.is_sure_and_whole(value))?;
        let known = value.determiner != Determiner::The || self.has_mark(value.start, value.end);
        let predicate = format!("has {} {}", said(value.end + 2), self.text(noun.start, noun.end));
        known.then(|| Read {
            facts: vec![fact(speaker, &predicate, &self.text(value.start, value.end))],
            end: tail.end,
        })
    }

    /// Returns whether a value is certain (not "probably jazz") and does not end inside a name or a phrase ("hot and spicy
    /// stew").
    fn is_sure_and_whole(&self, value: Noun) -> bool {
        let is_cut =
            self.is(value.end, &["and"]) && !self.is_break(value.end) && !self.is_marked(value.start);
        !is_cut
            && !self.goes_on(value.end)
            && !self.is(value.start, &["probably", "possibly", "maybe", "perhaps"])
    }

    /// Returns whether a value is a condition rather than an identity: "is coming", "is closed".
    fn is_condition(&self, start: usize, end: usize, noun: usize) -> bool {
        let word = self.lower(start);
        let is_one = end == start + 1 && !self.is_marked(start);
        let is_doing = word.ends_with("ing") && !self.is_of(noun, Life::Pastime);
        is_one && (is_doing || word.ends_with("ed") || says(word, Life::Passing))
    }

    /// "My wife's name is Eva", "Our kids' names are Ann and Bo".
    fn name_is(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.is(at, &["my", "our"]) {
            return None;
        }
        let mut start = at + 1;
        while self.is(start, &["older", "younger", "new", "oldest", "youngest"]) {
            start += 1;
        }
        let owner = (start..start + 2)
            .find(|at| self.lower(*at).ends_with("'s") || self.lower(*at).ends_with("s'"))?;
        let words: Vec<&str> =
            (start..=owner).map(|at| self.lower(at).trim_end_matches("'s").trim_end_matches('\'')).collect();
        let words = words.join(" ");
        let noun = [Class::Kin, Class::Pet, Class::Role]
            .into_iter()
            .find_map(|class| lexicon::singular_in(&words, class))?;
        let is_named = self.says(owner + 1, &["name", "is"]) || self.says(owner + 1, &["names", "are"]);
        if !is_named {
            return None;
        }
        self.called(speaker, noun, owner + 3)
    }

    /// Reads the names of a relative: "Eva", "Ann and Bo".
    pub(super) fn called(&self, of: &str, noun: &str, at: usize) -> Option<Read> {
        let predicate = format!("has {noun}");
        let mut facts = Vec::new();
        let mut at = at;
        loop {
            let end = self.name_at(at)?;
            facts.push(fact(of, &predicate, &self.text(at, end)));
            let next = end + usize::from(self.is(end, &["and", "&"]));
            if next < self.len()
                && (next > end || self.tokens[end - 1].gap == Gap::Comma)
                && self.name_at(next).is_some()
            {
                at = next;
                continue;
            }
            return (self.is_break(end) || self.is_of(end, Life::Following)).then_some(Read { facts, end });
        }
    }

    /// Reads a sentence about a single-valued attribute of the speaker.
    fn own_attribute(&self, at: usize) -> Option<Read> {
        let read = self.favourite(at).or_else(|| self.name_is(at)).or_else(|| self.birthday(at));
        read.or_else(|| self.attribute(at))
    }

    /// "My hometown is Omaha", "My blood type is AB".
    fn attribute(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.is(at, &["my"]) {
            return None;
        }
        let is = (at + 2..=at + 3).find(|is| self.is(*is, &["is"]) && self.joins(is - 1))?;
        let said = self.text(at + 1, is).to_lowercase();
        if !says(&said, Life::Own) {
            return None;
        }
        let value = self.noun(is + 1).filter(|value| value.determiner == Determiner::None)?;
        let place = said.starts_with("home") && !self.is_name(value.start, value.core);
        if place || value.core - value.start > 3 || !self.is_break(value.end) {
            return None;
        }
        let object = self.text(value.start, value.end);
        Some(Read { facts: vec![fact(speaker, &format!("has {said}"), &object)], end: value.end })
    }

    /// "My birthday is on 9 October".
    fn birthday(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.says(at, &["my", "birthday", "is"]) {
            return None;
        }
        let start = at + 3 + usize::from(self.is(at + 3, &["on"]));
        let start = start + usize::from(self.is(start, &["the"]));
        let end = (start + 2..=start + 3).find(|end| *end <= self.len() && self.is_break(*end))?;
        let has_month = (start..end).any(|at| is_month(self.lower(at)));
        let has_day = (start..end).any(|at| self.lower(at).starts_with(|c: char| c.is_ascii_digit()));
        (has_month && has_day)
            .then(|| Read { facts: vec![fact(speaker, "has birthday", &self.text(start, end))], end })
    }
}
