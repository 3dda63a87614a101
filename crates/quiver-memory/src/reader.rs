//! Extracts facts from turns, but only those stated with certainty.
//!
//! [`FactReader`] is the interface; it is implemented by the rules in this module and can be implemented with a
//! language model. The rules read a sentence only if one of a few patterns matches all of it: who owns, runs or is
//! assigned to what; what depends on, runs on or is part of what; the status, place, date, amount or another
//! attribute of a named thing; what was decided, moved or ended. Questions, wishes, guesses, conditions, feelings and
//! captions state nothing. Precision matters more than recall: a missed fact can still be found as a turn, but a
//! false fact is believed.

mod word;
mod lexicon;
mod validity;
mod clause;
mod life;

use std::fmt::Debug;

use async_trait::async_trait;

use self::{clause::read_sentence, life::read_life, word::sentences};

/// A turn to extract facts from.
#[derive(Clone, Copy, Debug)]
pub struct TurnToRead<'a> {
    /// The text of the turn.
    pub text: &'a str,
    /// The speaker. Without a speaker, sentences about "I" state nothing.
    pub speaker: Option<&'a str>,
    /// The time of the turn in milliseconds since 1970. Relative dates such as "last Monday" are resolved against it.
    pub time: i64,
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
}

/// Extracts facts from turns. The result has one list per turn, in order. A reader never fails; it omits facts it is
/// not certain of.
#[async_trait]
pub trait FactReader: Debug + Send + Sync {
    /// Returns a fingerprint of the reader and everything its facts depend on.
    fn fingerprint(&self) -> String;
    /// Extracts the facts of turns.
    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<Vec<ReadFact>>;
}

/// The rule-based reader. It has no model and no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleReader;

#[async_trait]
impl FactReader for RuleReader {
    fn fingerprint(&self) -> String {
        "rules-4".to_owned()
    }

    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<Vec<ReadFact>> {
        turns.iter().map(read_turn).collect()
    }
}

/// Extracts the facts of a turn with the rules.
pub fn read_turn(turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let sentences = sentences(turn.text);
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
