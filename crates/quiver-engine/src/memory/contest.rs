//! Whether a later turn contests a fact that was read from text: it speaks of the same thing and of a change to what the
//! fact states, in words that no rule reads. Such a fact is not an answer; both turns are shown instead.

use std::collections::BTreeSet;

use quiver_graph::{Passage, name};
use quiver_language::{
    sentence::statements,
    talk::{self, Talk},
    time::times,
};
use quiver_models::Lexical;

use super::{
    known::NUMBERED_MAX,
    lexicon,
    recollection::RecalledFact,
    resolve::has_holder,
    shape::Shape,
    words::{Word, agreement, words},
};

/// Minimum agreement of a word of a sentence with a word of the fact.
const SAID: f32 = 0.8;

/// Common nouns in names, which do not stand for the whole name.
const KINDS: &[&str] = &[
    "team", "group", "project", "club", "company", "crew", "unit", "board", "house", "school", "clinic",
    "hospital", "dr", "mr", "mrs", "ms",
];

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
                })
        };
        turns.iter().find(|(turn, _)| is_later(turn, fact) && contests(turn)).cloned()
    }

    /// The names in facts that say who has or leads what, to search the turns that say who does now.
    pub(super) fn names(facts: &[&RecalledFact]) -> Option<String> {
        let held = facts.iter().filter(|fact| has_holder(&fact.predicate));
        let names: Vec<&str> = held.flat_map(|fact| [fact.subject.as_str(), fact.object.as_str()]).collect();
        (!names.is_empty()).then(|| names.join(" "))
    }

    fn is_news(&self, sentence: &str) -> bool {
        let sentence = sentence.trim();
        let is_guess = sentence
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "may" || talk::says(&word.to_lowercase(), Talk::Supposing));
        !sentence.ends_with('?') && !is_guess && !self.read.contains(sentence)
    }
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
        says_relation && (later.changes() || !object && self.is_restated(later))
    }

    /// Whether the predicate begins with a form of a verb: "lives in", "is living in".
    fn is_of(&self, verb: &str) -> bool {
        let mut said = self.predicate.iter().filter(|word| !word.is_stop);
        said.next().is_some_and(|word| word.lower.starts_with(verb.trim_end_matches('e')))
    }

    /// Whether a sentence gives another value of an attribute that has one: "the budget of Heron is about 90k".
    fn is_restated(&self, later: &Later<'_>) -> bool {
        let shape = Shape::of(&self.fact.object);
        let is_single = self.predicate.iter().any(|word| lexicon::SINGLE_VALUED.contains(&&*word.lower));
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
        let is_part = |word: &Word| word.is_name && word.lower.len() > 1 && !KINDS.contains(&&*word.lower);
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
            && self
                .has(&["i", "i'm", "i've", "i'll", "my", "we", "we're", "we've", "we'll", "our", "me", "us"])
    }

    fn lower(&self) -> Vec<String> {
        let bare =
            |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
        self.text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
    }

    fn has(&self, any: &[&str]) -> bool {
        self.lower().iter().any(|word| any.contains(&word.as_str()))
    }

    /// Whether a word is followed, within a few words, by another.
    fn has_with(&self, any: &[&str], after: &[&str]) -> bool {
        let lower = self.lower();
        (0..lower.len()).any(|at| {
            let next = &lower[at + 1..lower.len().min(at + 1 + NEAR)];
            any.contains(&lower[at].as_str()) && next.iter().any(|word| after.contains(&word.as_str()))
        })
    }

    /// Whether a word is followed by another.
    fn has_then(&self, any: &[&str], after: &[&str]) -> bool {
        let lower = self.lower();
        let first = lower.iter().position(|word| any.contains(&word.as_str()));
        first.is_some_and(|at| lower[at + 1..].iter().any(|word| after.contains(&word.as_str())))
    }

    /// Whether the sentence says that something ended or changed.
    fn changes(&self) -> bool {
        let ends = ["longer", "anymore", "instead", "formerly", "ex", "cancelled", "canceled", "scrapped"];
        self.has(&ends)
            || self.has_with(&["any"], &["more"])
            || self.has_with(&["used"], &["to"])
            || self.lower().iter().any(|word| lexicon::is_change_verb(word))
    }

    /// Whether the sentence says that somebody took over from another or left.
    fn hands_over(&self) -> bool {
        const HANDS: &[&str] = &["hand", "hands", "handed", "handing", "pass", "passes", "passed", "passing"];
        const GONE: &[&str] = &[
            "succeed",
            "succeeds",
            "succeeded",
            "successor",
            "replace",
            "replaces",
            "replaced",
            "replacing",
            "reassigned",
            "transferred",
            "inherits",
            "inherited",
            "resign",
            "resigns",
            "resigned",
            "retire",
            "retires",
            "retired",
            "swapped",
            "fired",
            "longer",
            "anymore",
            "former",
            "formerly",
        ];
        const LEFT: &[&str] = &["leave", "leaves", "leaving", "left"];
        const WORK: &[&str] = &[
            "company", "team", "project", "us", "job", "firm", "role", "post", "club", "office", "board",
            "group", "in", "on", "for", "next",
        ];
        self.quits()
            || self.has(GONE)
            || self.has_with(LEFT, WORK)
            || self.lower().last().is_some_and(|last| LEFT.contains(&last.as_str()))
            || self.has_with(&["parental", "maternity", "paternity", "sick"], &["leave"])
            || self.has_with(&["take", "takes", "took", "taken", "taking"], &["over"])
            || self.has_then(HANDS, &["over", "to", "on"])
            || self.has_with(&["step", "steps", "stepped", "stepping"], &["down", "back", "aside", "in"])
            || self.has_with(&["stop", "stops", "stopped"], &["running", "leading", "managing", "handling"])
            || self.has_with(
                &["new"],
                &["owner", "lead", "leader", "head", "manager", "maintainer", "host", "chair"],
            )
            || self.has_with(&["any"], &["more"])
            || self.has_with(&["instead"], &["of"])
            || self.has_with(&["used"], &["to"])
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
        const JOBS: &[&str] =
            &["job", "work", "company", "team", "firm", "position", "post", "role", "there", "notice"];
        self.quits()
            || self.has(&["resigned", "retired", "unemployed", "jobless", "redundant"])
            || self.has_with(&["laid"], &["off"])
            || self.has_with(&["got", "was", "been"], &["fired", "sacked"])
            || self.has_with(&["left", "lost", "leaving", "gave", "changed", "switched"], JOBS)
            || self.has_with(&["new"], &["job", "employer", "position", "role"])
    }

    /// Whether the sentence says that somebody moved.
    fn moves(&self) -> bool {
        const GOES: &[&str] =
            &["to", "out", "away", "back", "into", "house", "home", "from", "in", "here", "there", "abroad"];
        self.has(&["relocated", "relocating", "emigrated"])
            || self.has_with(&["moved", "moves", "moving", "move"], GOES)
            || self.has_with(&["settled", "settles"], &["in"])
            || self.has_with(&["new"], &["flat", "apartment", "house", "home", "place", "address"])
    }
}
