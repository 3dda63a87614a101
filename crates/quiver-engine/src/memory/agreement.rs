//! Agreement: how well a fact matches the words of a question.

use quiver_language::change::{self, Change};

use super::{
    asked::Asked,
    end::End,
    known::MemoryFact,
    lexicon::{self, Wanted},
    shape::scale,
    words::{Word, agreement, spelt_out},
};

/// Agreement of a predicate such as "is resolved" with a question for a state.
const STATE_SHARE: f32 = 0.8;
/// Agreement of "moved to" with a question for where somebody lives, so that "lives in" comes first.
const HOME_SHARE: f32 = 0.95;
/// Agreement of a predicate with a related word.
const RELATED_SHARE: f32 = 0.5;
/// Agreement of an acronym with the words whose initials it is.
const SPELT_SHARE: f32 = 0.8;
/// Agreement of a value on a scale with the name of the scale.
const SCALE_SHARE: f32 = 0.8;
/// Maximum agreement of a part of an identifier without the other parts.
const PART_SHARE: f32 = 0.3;
/// Factor for a word that occurs only in the sentence, not in the fact read from it.
const SENTENCE_SHARE: f32 = 0.7;

/// How well each part of a fact agrees with each term of the question.
#[derive(Clone)]
pub(crate) struct Agreement {
    pub(super) subject: Vec<f32>,
    pub(super) predicate: Vec<f32>,
    pub(super) object: Vec<f32>,
    text: Vec<f32>,
}

impl Agreement {
    pub(crate) fn of(asked: &Asked, fact: &MemoryFact) -> Self {
        let with = |words: &[Word]| -> Vec<f32> {
            let mut agreement: Vec<f32> = asked.terms.iter().map(|term| best(&term.words, words)).collect();
            spell_out(asked, words, &mut agreement);
            for (number, identifier) in &asked.identifiers {
                if !has_run(words, identifier) {
                    let parts = asked.terms.iter().zip(&mut agreement);
                    let parts = parts.filter(|(term, _)| term.identifier == Some(*number));
                    parts.for_each(|(_, agreement)| *agreement = agreement.min(PART_SHARE));
                }
            }
            agreement
        };
        let words = &fact.words;
        let (subject, object) = (with(&words.subject), with(&words.object));
        let mut predicate = with(&words.predicate);
        if fact.is_state() {
            for (term, says) in asked.terms.iter().zip(&mut predicate) {
                if lexicon::STATES.contains(&&*term.words[0].lower) {
                    *says = says.max(STATE_SHARE);
                }
            }
        }
        for (term, says) in asked.terms.iter().zip(&mut predicate) {
            if !term.is_name && *says < RELATED_SHARE && term.related & words.related != 0 {
                *says = RELATED_SHARE;
            }
        }
        for (term, says) in asked.terms.iter().zip(&mut predicate).filter(|(term, _)| !term.is_name) {
            *says = says.max(states(&term.words[0], asked, fact));
        }
        // "P3" is a priority, and "SEV-2" a severity.
        if let Some(scale) = scale(fact.object()) {
            for (at, term) in asked.terms.iter().enumerate() {
                let attribute = (term.is_kind || asked.attribute == Some(at)) && !term.is_name;
                if attribute && term.words[0].lower.starts_with(&scale) {
                    predicate[at] = predicate[at].max(SCALE_SHARE);
                }
            }
        }
        Self { subject, predicate, object, text: with(&words.text) }
    }

    /// Lets the predicate of a value that the fact changes count as its own: what a ticket of priority high "has been
    /// reclassified to" is its priority.
    pub(super) fn inherit(&mut self, before: &Self) {
        for (says, before) in self.predicate.iter_mut().zip(&before.predicate) {
            *says = says.max(*before);
        }
    }

    /// The best agreement of the fact with a term.
    pub(crate) fn best(&self, term: usize) -> f32 {
        self.itself(term).max(self.text[term] * SENTENCE_SHARE)
    }

    /// The best agreement of the fact with a term, without the sentence that states it.
    pub(super) fn itself(&self, term: usize) -> f32 {
        self.of_ends(term).max(self.predicate[term])
    }

    /// The best agreement of the ends with a term.
    pub(super) fn of_ends(&self, term: usize) -> f32 {
        self.subject[term].max(self.object[term])
    }

    /// The agreement of one end with each term.
    pub(super) fn of_end(&self, end: End) -> &[f32] {
        match end {
            End::Subject => &self.subject,
            End::Object => &self.object,
        }
    }

    /// The share of the question that this fact covers on its own.
    pub(crate) fn coverage(&self, asked: &Asked) -> f32 {
        let covered: f32 = asked.terms.iter().enumerate().map(|(at, term)| term.weight * self.best(at)).sum();
        covered / asked.weight().max(f32::EPSILON)
    }
}

/// Whether a predicate states in its own words what a word of the question asks for: "moved to Bergen" where somebody lives
/// and something is kept, "works as a nurse" what their job is.
fn states(word: &Word, asked: &Asked, fact: &MemoryFact) -> f32 {
    let predicate: Vec<&str> = fact.words.predicate.iter().map(|word| &*word.lower).collect();
    let is_home = asked.wanted == Some(Wanted::Place) && change::says(&word.lower, Change::Place);
    let is_job = matches!(&*word.lower, "job" | "occupation" | "profession" | "living");
    let moved = matches!(
        predicate.as_slice(),
        ["move" | "moved" | "relocate" | "relocated" | "emigrate" | "emigrated", .., "to"]
    );
    if is_job && matches!(predicate.as_slice(), ["work" | "works", "as"]) {
        1.0
    } else if is_home && moved {
        HOME_SHARE
    } else {
        0.0
    }
}

/// An acronym agrees with the words whose initials it is, on either side.
fn spell_out(asked: &Asked, words: &[Word], agreement: &mut [f32]) {
    for (term, says) in asked.terms.iter().zip(agreement.iter_mut()) {
        if *says < SPELT_SHARE && spelt_out(&term.words[0], words).is_some() {
            *says = SPELT_SHARE;
        }
    }
    for word in words.iter().filter(|word| word.is_name) {
        if let Some(run) = spelt_out(word, &asked.said) {
            let said = &asked.said[run];
            for (term, says) in asked.terms.iter().zip(agreement.iter_mut()) {
                if said.iter().any(|word| word.stem == term.words[0].stem) {
                    *says = says.max(SPELT_SHARE);
                }
            }
        }
    }
}

/// Whether a text contains all words of an identifier in sequence.
fn has_run(words: &[Word], identifier: &[Word]) -> bool {
    words.windows(identifier.len()).any(|run| run.iter().zip(identifier).all(|(a, b)| agreement(a, b) >= 0.5))
}

fn best(asked: &[Word], words: &[Word]) -> f32 {
    let mut best: f32 = 0.0;
    for a in asked {
        for b in words {
            best = best.max(agreement(a, b));
            if best >= 1.0 {
                return best;
            }
        }
    }
    best
}
