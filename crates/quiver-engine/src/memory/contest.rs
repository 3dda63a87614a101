//! Whether a later turn contests a fact that was read from text: it speaks of the same thing and of a change to what the
//! fact states, in words that no rule reads. Such a fact is not an answer; both turns are shown instead.

use std::collections::BTreeSet;

use quiver_graph::{Passage, name};
use quiver_language::{
    change::{self, Change},
    predicate::{self, Predicate},
    sentence::statements,
    talk::{self, Talk},
    time::times,
    token,
};
use quiver_models::Lexical;

use super::{
    dropped::{Said, bare_words, is_group},
    known::NUMBERED_MAX,
    lexicon,
    recollection::RecalledFact,
    resolve::has_holder,
    shape::Shape,
    words::{Word, agreement, words},
};

/// Minimum agreement of a word of a sentence with a word of the fact.
const SAID: f32 = 0.8;

/// Maximum distance in words between the parts of a phrase such as "hands … over".
const NEAR: usize = 5;

/// What is compared: the sentences from which facts were read state what they state, so the rules decide on them.
pub(super) struct Contest<'a> {
    pub(super) lexical: &'a Lexical,
    pub(super) read: &'a BTreeSet<String>,
}

/// A fact in the words that later sentences are compared with.
struct Stated<'a> {
    fact: &'a RecalledFact,
    subject: Vec<Word>,
    predicate: Vec<Word>,
    object: Vec<Word>,
    is_held: bool,
}

/// A sentence of a later turn.
struct Later<'a> {
    turn: &'a Passage,
    text: &'a str,
    words: Vec<Word>,
}

impl Contest<'_> {
    /// The first of these turns that contests one of these facts, and its score.
    pub(super) fn first(&self, facts: &[&RecalledFact], turns: &[(Passage, f32)]) -> Option<(Passage, f32)> {
        facts.iter().find_map(|fact| self.against(fact, turns))
    }

    fn against(&self, fact: &RecalledFact, turns: &[(Passage, f32)]) -> Option<(Passage, f32)> {
        if ["birthday", "born", "died"].iter().any(|lasting| fact.predicate.contains(lasting)) {
            return None;
        }
        let stated = Stated {
            fact,
            subject: words(self.lexical, &fact.subject),
            predicate: words(self.lexical, &fact.predicate),
            object: words(self.lexical, &fact.object),
            is_held: has_holder(&fact.predicate),
        };
        let contests = |turn: &Passage| {
            let mut sentences = statements(&turn.text).into_iter().map(|range| &turn.text[range]);
            redates(fact, &turn.text)
                || sentences.any(|text| {
                    let later = || Later { turn, text, words: words(self.lexical, text) };
                    self.is_news(text) && stated.is_contested_by(&later())
                        || is_told(text) && stated.is_given_up_by(text)
                })
        };
        turns.iter().find(|(turn, _)| is_later(turn, fact) && contests(turn)).cloned()
    }

    /// The names in facts, to search the turns that may share nothing else with the question: who has a thing now, or
    /// that it is given up.
    pub(super) fn names(facts: &[&RecalledFact]) -> Option<String> {
        let names: Vec<&str> =
            facts.iter().flat_map(|fact| [fact.subject.as_str(), fact.object.as_str()]).collect();
        (!names.is_empty()).then(|| names.join(" "))
    }

    fn is_news(&self, sentence: &str) -> bool {
        is_told(sentence) && !self.read.contains(sentence.trim())
    }
}

/// Whether a sentence is neither a question nor a guess.
fn is_told(sentence: &str) -> bool {
    let sentence = sentence.trim();
    let is_guess =
        token::words(sentence).any(|word| word == "may" || talk::says(&word.to_lowercase(), Talk::Supposing));
    !sentence.ends_with('?') && !is_guess
}

/// The name at the beginning of an object, and what follows a preposition: "Slack" and "chat" of "Slack for chat".
fn parts(object: &str) -> (&str, Option<&str>) {
    let at = [" for ", " as ", " in ", " on ", " at "].iter().filter_map(|with| {
        let at = object.find(with)?;
        Some((at, at + with.len()))
    });
    at.min().map_or((object, None), |(end, rest)| (&object[..end], Some(&object[rest..])))
}

/// Whether a turn was said after a fact: by the numbers that the caller gave the turns of a session, or else by time.
fn is_later(turn: &Passage, fact: &RecalledFact) -> bool {
    let numbered = fact.turn.filter(|number| *number < NUMBERED_MAX && turn.position < NUMBERED_MAX);
    match numbered {
        Some(number) if turn.session == fact.session => turn.position > number,
        _ => turn.time > fact.recorded_at,
    }
}

/// Whether a text names the subject of a dated fact and another date, as "the report's deadline was extended to 1 March"
/// does after "the report is due on 15 February".
fn redates(fact: &RecalledFact, text: &str) -> bool {
    if times(&fact.object).is_empty() {
        return false;
    }
    let object = fact.object.to_lowercase();
    let dates_anew = times(text).iter().any(|time| {
        let (before, written) = (&text[..time.range.start], &text[time.range.clone()]);
        let is_set = before.trim_end().ends_with(" to") || written.contains(|c: char| c.is_ascii_digit());
        is_set && !object.contains(&written.to_lowercase())
    });
    dates_anew && name::normalise(text).contains(&name::normalise(&fact.subject))
}

impl Stated<'_> {
    /// Whether a sentence says that what the fact states was given up, or that something else has its place. Facts read
    /// from the sentence may not say so.
    fn is_given_up_by(&self, text: &str) -> bool {
        let said = Said::of(text);
        let (thing, purpose) = parts(&self.fact.object);
        if said.drops(thing, &self.fact.subject) {
            return true;
        }
        let is_own = said.names(&self.fact.subject) || is_group(&self.fact.subject);
        let is_now = said.has(&["now", "nowadays", "instead", "meanwhile"]);
        let is_moved = said.has(&["moved", "relocated", "migrated", "transferred", "shifted", "switched"]);
        let is_new = !said.names(thing) && is_own;
        // "For chat we're on Zulip now."
        let is_replaced = purpose.is_some_and(|purpose| said.names(purpose)) && (is_now || is_moved);
        let is_place = self.predicate.iter().any(|word| change::says(&word.lower, Change::Place))
            || ["is in", "is at", "is on"].contains(&self.fact.predicate.as_str());
        let is_placed = is_moved || is_now && said.has(&["in", "at", "on"]);
        is_new && (is_replaced || is_place && is_placed)
    }

    fn is_contested_by(&self, later: &Later<'_>) -> bool {
        let is_own = later.is_by(&self.fact.subject, self.fact);
        let (subject, object) = (later.names(&self.subject), later.names(&self.object));
        if self.is_held {
            // Either end may be named: "Per takes over the archive", "Ola steps down". What somebody says of themselves
            // is about this only if it names the other end or a job: "I quit smoking" is not.
            let is_named = subject || object;
            return is_named && later.hands_over() || is_own && later.ends_work();
        }
        let subject = subject || is_own;
        if !subject {
            return false;
        }
        let says = |word: &Word| later.words.iter().any(|other| agreement(word, other) >= SAID);
        let mut relation = self.predicate.iter().filter(|word| !word.is_stop).peekable();
        let says_relation = relation.peek().is_some() && relation.all(says);
        if self.is_of("work") {
            return later.ends_work() || says_relation && later.changes();
        }
        if self.is_of("live") {
            return later.moves() || says_relation && later.changes();
        }
        says_relation && (later.changes() || !object && (self.is_restated(later) || self.is_said_anew(later)))
    }

    /// Whether the predicate begins with a form of a verb: "lives in", "is living in".
    fn is_of(&self, verb: &str) -> bool {
        let mut said = self.predicate.iter().filter(|word| !word.is_stop);
        said.next().is_some_and(|word| word.lower.starts_with(verb.trim_end_matches('e')))
    }

    /// Whether a sentence says the same of the thing with another agent: "with immediate effect the archive is supervised
    /// by Edith".
    fn is_said_anew(&self, later: &Later<'_>) -> bool {
        let is_by = |words: &[Word]| words.iter().any(|word| &*word.lower == "by");
        let is_other = |word: &Word| {
            word.is_name && !self.subject.iter().chain(&self.object).any(|own| own.stem == word.stem)
        };
        is_by(&self.predicate) && is_by(&later.words) && later.words.iter().skip(1).any(is_other)
    }

    /// Whether a sentence gives another value of an attribute that has one: "the budget of Heron is about 90k".
    fn is_restated(&self, later: &Later<'_>) -> bool {
        let shape = Shape::of(&self.fact.object);
        let is_single =
            self.predicate.iter().any(|word| predicate::says(&word.lower, Predicate::SingleValued));
        let is_value = |word: &Word| {
            let written = &later.text[word.start..word.end];
            word.lower.contains(|c: char| c.is_ascii_digit()) && Shape::of(written) != Shape::Name
        };
        is_single
            && matches!(shape, Shape::Number | Shape::Span | Shape::Time)
            && later
                .words
                .iter()
                .any(|word| is_value(word) && !self.subject.iter().any(|own| own.stem == word.stem))
    }
}

impl Later<'_> {
    /// Whether the sentence contains all words of a name, or a name of a person by one of its parts.
    fn names(&self, name: &[Word]) -> bool {
        let says = |word: &Word| self.words.iter().any(|other| other.stem == word.stem);
        let mut said = name.iter().filter(|word| !word.is_stop).peekable();
        // "Team Oak" is not Team Birch.
        let is_part =
            |word: &Word| word.is_name && word.lower.len() > 1 && !change::says(&word.lower, Change::Kind);
        let is_person = name.len() > 1 && name.iter().all(is_part);
        if is_person {
            let has_number = name.iter().any(|word| word.lower.contains(|c: char| c.is_numeric()));
            return if has_number { said.all(says) } else { said.any(says) };
        }
        said.peek().is_some() && said.all(says)
    }

    /// Whether the subject of a fact says this of themselves.
    fn is_by(&self, name: &str, fact: &RecalledFact) -> bool {
        fact.speaker.as_deref() == Some(name)
            && self.turn.speaker.as_deref() == Some(name)
            && self.has(of(Change::Speaker))
    }

    fn lower(&self) -> Vec<String> {
        bare_words(self.text)
    }

    fn has(&self, is_said: impl Fn(&str) -> bool) -> bool {
        self.lower().iter().any(|word| is_said(word))
    }

    /// Whether a word is followed, within a few words, by another.
    fn has_with(&self, is_first: impl Fn(&str) -> bool, is_second: impl Fn(&str) -> bool) -> bool {
        let lower = self.lower();
        (0..lower.len()).any(|at| {
            let next = &lower[at + 1..lower.len().min(at + 1 + NEAR)];
            is_first(&lower[at]) && next.iter().any(|word| is_second(word))
        })
    }

    /// Whether a word is followed by another.
    fn has_then(&self, is_first: impl Fn(&str) -> bool, is_second: impl Fn(&str) -> bool) -> bool {
        let lower = self.lower();
        let first = lower.iter().position(|word| is_first(word));
        first.is_some_and(|at| lower[at + 1..].iter().any(|word| is_second(word)))
    }

    /// Whether the sentence says that something ended or changed.
    fn changes(&self) -> bool {
        self.has(of(Change::Ended))
            || self.lower().first().is_some_and(|first| change::says(first, Change::Sign))
            || self.has_with(one_of(&["any"]), one_of(&["more"]))
            || self.has_with(one_of(&["used"]), one_of(&["to"]))
            || self.lower().iter().any(|word| lexicon::is_change_verb(word))
    }

    /// Whether the sentence says that somebody took over from another or left.
    fn hands_over(&self) -> bool {
        self.quits()
            || self.has(of(Change::Succeeding))
            || self.has_with(of(Change::Leaving), of(Change::Left))
            || self.lower().last().is_some_and(|last| change::says(last, Change::Leaving))
            || self.has_with(one_of(&["parental", "maternity", "paternity", "sick"]), one_of(&["leave"]))
            || self.has_with(one_of(&["take", "takes", "took", "taken", "taking"]), one_of(&["over"]))
            || self.has_then(of(Change::Handing), one_of(&["over", "to", "on"]))
            || self.has_with(
                one_of(&["step", "steps", "stepped", "stepping"]),
                one_of(&["down", "back", "aside", "in"]),
            )
            || self.has_with(
                one_of(&["stop", "stops", "stopped"]),
                one_of(&["running", "leading", "managing", "handling"]),
            )
            || self.has_with(one_of(&["new"]), of(Change::Holder))
            || self.has_with(one_of(&["any"]), one_of(&["more"]))
            || self.has_with(one_of(&["instead"]), one_of(&["of"]))
            || self.has_with(one_of(&["used"]), one_of(&["to"]))
    }

    /// Whether somebody quit, but not an activity: "quit smoking".
    fn quits(&self) -> bool {
        let lower = self.lower();
        let is_activity = |at: usize| lower.get(at + 1).is_some_and(|next| next.ends_with("ing"));
        (0..lower.len())
            .any(|at| matches!(lower[at].as_str(), "quit" | "quits" | "quitting") && !is_activity(at))
    }

    /// Whether the sentence says that somebody's job ended.
    fn ends_work(&self) -> bool {
        self.quits()
            || self.has(one_of(&["resigned", "retired", "unemployed", "jobless", "redundant"]))
            || self.has_with(one_of(&["laid"]), one_of(&["off"]))
            || self.has_with(one_of(&["got", "was", "been"]), one_of(&["fired", "sacked"]))
            || self.has_with(
                one_of(&["left", "lost", "leaving", "gave", "changed", "switched"]),
                of(Change::Job),
            )
            || self.has_with(one_of(&["new"]), one_of(&["job", "employer", "position", "role"]))
    }

    /// Whether the sentence says that somebody moved.
    fn moves(&self) -> bool {
        self.has(one_of(&["relocated", "relocating", "emigrated"]))
            || self.has_with(one_of(&["moved", "moves", "moving", "move"]), of(Change::Moved))
            || self.has_with(one_of(&["settled", "settles"]), one_of(&["in"]))
            || self.has_with(
                one_of(&["new"]),
                one_of(&["flat", "apartment", "house", "home", "place", "address"]),
            )
    }
}

/// Whether a word is one of a few.
fn one_of(any: &'static [&'static str]) -> impl Fn(&str) -> bool {
    move |word| any.contains(&word)
}

/// Whether a word is of a class.
fn of(class: Change) -> impl Fn(&str) -> bool {
    move |word| change::says(word, class)
}
