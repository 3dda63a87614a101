//! Extracts facts from turns, but only those stated with certainty.
//!
//! [`FactReader`] is the interface. The rules in this module implement it, and so does the engine with a language
//! model. The rules read a sentence only if one of a few patterns matches all of it: who owns, runs or is
//! assigned to what; what depends on, runs on or is part of what; the status, place, date, amount or another
//! attribute of a named thing; what was decided, moved or ended. Questions, wishes, guesses, conditions, feelings and
//! captions state nothing. Precision matters more than recall: a missed fact can still be found as a turn, but a
//! false fact is believed.
//!
//! A reader that may be wrong makes a [`Claim`] for each fact, and [`check`] keeps only what the turn says. [`join`]
//! merges the facts of two readers.

mod word;
mod validity;
mod clause;
mod life;
mod claim;
mod join;
mod sound;

pub use life::is_person;

use std::fmt::Debug;

use async_trait::async_trait;
use quiver_language::sentence::statements;

use self::{clause::read_sentence, life::read_life, sound::is_sound};

pub use claim::{Checked, Claim, Unfounded, check};
pub use join::join;

/// A turn to extract facts from.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnToRead<'a> {
    /// The text of the turn.
    pub text: &'a str,
    /// The speaker. Without a speaker, sentences about "I" state nothing.
    pub speaker: Option<&'a str>,
    /// The time of the turn in milliseconds since 1970. Relative dates such as "last Monday" are resolved against it.
    pub time: i64,
    /// The session.
    pub session: &'a str,
    /// The turns before it in the session, oldest first, as many as the reader asks for.
    pub before: &'a [EarlierTurn<'a>],
}

/// A turn before the one to read. No facts are read from it; it shows what a pronoun refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierTurn<'a> {
    /// The text.
    pub text: &'a str,
    /// The speaker.
    pub speaker: Option<&'a str>,
}

/// An extracted fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadFact {
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// The sentence that states the fact.
    pub sentence: String,
    /// The start of the fact's validity, if the sentence gives one.
    pub valid_from: Option<i64>,
    /// The end of the fact's validity, if the sentence gives one.
    pub valid_to: Option<i64>,
    /// Whether the sentence denies the fact or says that it no longer holds.
    pub denied: bool,
    /// The word that marks the fact as a replacement of an earlier value, or `from X` if the sentence names the
    /// earlier value.
    pub change: Option<String>,
    /// The part of the sentence that states the fact, if the reader knows it.
    pub clause: Option<String>,
    /// The language model that read the fact; `None` if the rules did.
    pub reader: Option<String>,
}

/// What a reader made of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadTurn {
    /// The facts.
    pub facts: Vec<ReadFact>,
    /// Descriptions of what the reader dropped because the turn does not say it.
    pub dropped: Vec<String>,
    /// Why the turn was not read, if it was not.
    pub failure: Option<ReadFailure>,
}

impl ReadTurn {
    /// A turn that was read, with its facts.
    pub fn of(facts: Vec<ReadFact>) -> Self {
        Self { facts, ..Self::default() }
    }

    /// A turn that was not read.
    pub fn failed(why: impl Into<String>, is_final: bool) -> Self {
        Self { failure: Some(ReadFailure { why: why.into(), is_final }), ..Self::default() }
    }
}

/// Why a turn was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// The reason.
    pub why: String,
    /// Whether reading it again would fail in the same way.
    pub is_final: bool,
}

/// Extracts facts from turns.
///
/// # Contract
///
/// - The result has one entry per turn, in order.
/// - A reader omits facts that it is not certain of. A fact that is not said is worse than a missing one.
/// - A reader never fails as a whole: a turn that it could not read has a [`ReadTurn::failure`] and no facts.
#[async_trait]
pub trait FactReader: Debug + Send + Sync {
    /// Returns a fingerprint of the reader and everything its facts depend on.
    fn fingerprint(&self) -> String;
    /// Returns the maximum number of earlier turns of the session that the reader wants to see with a turn.
    fn turns_before(&self) -> usize;
    /// Extracts the facts of turns.
    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<ReadTurn>;
}

/// The rule-based reader. It has no model and no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleReader;

#[async_trait]
impl FactReader for RuleReader {
    fn fingerprint(&self) -> String {
        "rules-12".to_owned()
    }

    fn turns_before(&self) -> usize {
        0
    }

    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<ReadTurn> {
        turns.iter().map(|turn| ReadTurn::of(read_turn(turn))).collect()
    }
}

/// Extracts the facts of a turn with the rules.
pub fn read_turn(turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let sentences: Vec<&str> = statements(turn.text).into_iter().map(|range| &turn.text[range]).collect();
    let mut facts = read_life(turn, &sentences);
    let talked = facts.len();
    let stating = sentences.into_iter().filter(|sentence| !sentence.ends_with(['?', '!', '…', ':']));
    for sentence in stating {
        for fact in read_sentence(sentence, turn) {
            // The same fact read in both ways may differ in the name of the subject and in whether several
            // objects are combined.
            let is_known =
                |known: &ReadFact| known.sentence == fact.sentence && fact.object.contains(&known.object);
            if !facts[..talked].iter().any(is_known) && !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts.retain(is_sound);
    facts
}

fn fact(subject: &str, predicate: &str, object: &str) -> ReadFact {
    ReadFact {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        ..ReadFact::default()
    }
}

#[cfg(test)]
mod tests;
