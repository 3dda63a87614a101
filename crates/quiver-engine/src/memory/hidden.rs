//! Turns that are not shown beside an answer: they state the relation asked for of something else, or the value before the
//! change that answers.

use std::collections::BTreeSet;

use quiver_graph::{Passage, RelationId};
use quiver_language::sentences;
use quiver_memory::{
    asked::Edge,
    reader::{ReadFact, TurnToRead, read_turn},
    relation,
};
use quiver_models::Lexical;

use super::{
    direction::AskedOf,
    known::{MemoryFact, NUMBERED_MAX},
    words::{Word, words},
};

/// Maximum number of content words that say a value.
const VALUE_WORDS_MAX: usize = 3;

/// What is not shown beside an answer.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    /// What the question asks of a thing that it names.
    pub(super) asked: Option<AskedOf>,
    /// The facts that were found for the question.
    pub(super) known: BTreeSet<RelationId>,
    /// Those of them that state the relation asked for, and none of the thing asked about.
    pub(super) of_others: BTreeSet<RelationId>,
    /// The change that answers.
    pub(super) changed: Option<Changed>,
}

/// A fact that changes a value of its subject.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The stems of the subject.
    subject: Vec<u32>,
    said: (Option<i64>, Option<u64>),
}

impl Changed {
    /// Returns the change that a fact read from text states.
    pub(super) fn of(fact: &MemoryFact) -> Option<Self> {
        let subject: Vec<u32> =
            fact.words.subject.iter().filter(|word| !word.is_stop).map(|word| word.stem).collect();
        let is_change = fact.is_found() && fact.change().is_some() && !subject.is_empty();
        let number = fact.turn().filter(|number| *number < NUMBERED_MAX);
        is_change.then_some(Self { subject, said: (fact.relation.recorded_at, number) })
    }

    /// Whether a turn only gave the subject an earlier value: "The flag is amber".
    fn ends(&self, turn: &Passage, lexical: &Lexical) -> bool {
        let number = Some(turn.position).filter(|number| *number < NUMBERED_MAX);
        if (turn.time, number) >= self.said {
            return false;
        }
        let said = words(lexical, &turn.text);
        let is_be = |word: &Word| matches!(&*word.lower, "be" | "is" | "are" | "was" | "were");
        let is_subject = |word: &&Word| self.subject.contains(&word.stem);
        let value = said.iter().filter(|word| !word.is_stop && !is_be(word) && !is_subject(word)).count();
        self.subject.iter().all(|stem| said.iter().any(|word| word.stem == *stem))
            && said.iter().any(is_be)
            && (1..=VALUE_WORDS_MAX).contains(&value)
    }
}

impl Hidden {
    /// Whether a turn is not shown.
    pub(super) fn has(&self, turn: &Passage, lexical: &Lexical) -> bool {
        let is_known = turn.relations.iter().any(|fact| self.known.contains(fact));
        let is_read = || self.asked.as_ref().is_some_and(|asked| is_of_others(asked, turn, lexical));
        let is_of_others = makes_one_statement(&turn.text)
            && if is_known {
                turn.relations.iter().all(|fact| self.of_others.contains(fact))
            } else {
                is_read()
            };
        is_of_others || self.changed.as_ref().is_some_and(|changed| changed.ends(turn, lexical))
    }
}

/// Maximum number of words of a remark.
const REMARK_MAX: usize = 5;

/// Whether a text is one sentence, besides remarks without a name or a number: "Best hire ever, imo."
fn makes_one_statement(text: &str) -> bool {
    let is_remark = |sentence: &str| {
        let is_marked =
            |word: &str| word.chars().skip(1).any(char::is_uppercase) || word.contains(char::is_numeric);
        let mut words = sentence.split_whitespace();
        let is_short = words.clone().count() <= REMARK_MAX;
        // The first word has a capital in any case.
        is_short
            && !words.next().is_some_and(is_marked)
            && !words.any(|word| word.contains(|c: char| c.is_uppercase() || c.is_numeric()))
    };
    sentences(text).into_iter().skip(1).all(|sentence| is_remark(&text[sentence]))
}

/// Whether a turn states the relation, and nothing else, of other things only.
fn is_of_others(asked: &AskedOf, turn: &Passage, lexical: &Lexical) -> bool {
    let to_read = TurnToRead {
        text: &turn.text,
        speaker: turn.speaker.as_deref(),
        time: turn.time.unwrap_or_default(),
        ..TurnToRead::default()
    };
    let facts = read_turn(&to_read);
    let is_of_other = |fact: &ReadFact| {
        let edge = Edge {
            key: relation::key(&fact.predicate),
            subject: fact.subject.clone(),
            object: fact.object.clone(),
        };
        asked.is_of_other(&edge, lexical)
    };
    !facts.is_empty() && facts.iter().all(is_of_other)
}
