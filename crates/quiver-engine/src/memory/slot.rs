//! The slot that a question asks for: "What is Ada's boss called?" asks for a name, that of the boss of Ada, and "Who is
//! in Team Birch?" for its members. A fact read from text answers only if it states that relation.

use quiver_language::{
    Language,
    predicate::{self, Predicate},
    token::norm,
};

use super::{
    agreement::Agreement, asked::Asked, end::End, known::MemoryFact, lexicon, shape::Shape, words::Word,
};

/// Minimum agreement of the noun of a question with a predicate that states it.
const SAID: f32 = 0.5;

/// Maximum number of words in the noun after a possessive.
const NOUN_MAX: usize = 3;

/// What a question asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    /// The term that names the relation: "boss" in "Ada's boss".
    noun: Option<usize>,
    /// Whether it asks what somebody or something is called.
    wants_name: bool,
    /// The preposition that is all it says of the relation: "Who is in Team Birch?"
    place: Option<&'static str>,
}

impl Slot {
    /// Finds the slot of a question.
    pub(super) fn of(asked: &Asked) -> Self {
        let text = norm(&asked.text);
        let said: Vec<&str> = text
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
            .filter(|word| !word.is_empty())
            .collect();
        let is = |at: usize, any: &[&str]| said.get(at).is_some_and(|word| any.contains(word));
        let Some(start) = (0..said.len().min(4)).find(|at| is(*at, &["what", "who", "what's", "who's"]))
        else {
            return Self::default();
        };
        let is_contracted = is(start, &["what's", "who's"]);
        let mut first = start + 1;
        if !is_contracted {
            if !is(first, &["is", "are", "was", "were"]) {
                return Self::default();
            }
            first += 1;
        }
        if is(start, &["who", "who's"])
            && let Some(place) =
                ["in", "on", "at", "with", "from"].into_iter().find(|place| is(first, &[place]))
        {
            return Self { place: Some(place), ..Self::default() };
        }
        let mut slot = Self::default();
        if is(first, &["the", "your"]) && is(first + 1, &["name", "names"]) && is(first + 2, &["of"]) {
            slot.wants_name = true;
            first += 3;
        }
        let mut end = said.len();
        while end > first && is(end - 1, &["now", "currently", "today", "again"]) {
            end -= 1;
        }
        if end > first && is(end - 1, &["called", "named"]) {
            slot.wants_name = true;
            end -= 1;
        }
        let is_owner = |at: &usize| said[*at].ends_with("'s") || said[*at].ends_with("s'");
        let owners: Vec<usize> = (first..end).filter(is_owner).collect();
        let Some(mut owner) = owners.last().copied() else { return slot };
        let mut noun = owner + 1..end;
        if end == owner + 2 && is(owner + 1, &["name"]) {
            // "Ada's boss's name".
            slot.wants_name = true;
            let [.., before, last] = owners.as_slice() else { return slot };
            owner = *before;
            noun = owner + 1..last + 1;
        }
        let nouns: Vec<&str> =
            said[noun].iter().map(|word| word.trim_end_matches("'s").trim_end_matches('\'')).collect();
        let is_phrase = (1..=NOUN_MAX).contains(&nouns.len())
            && nouns.iter().all(|word| Language::English.class(word).is_none());
        if let Some(head) = nouns.last().filter(|_| is_phrase)
            && lexicon::wanted(head).is_none()
        {
            slot.noun = asked.said.iter().find_map(|word| term_of(asked, word, head));
        }
        slot
    }

    /// Whether a fact read from text states what is asked for.
    pub(super) fn is_filled_by(&self, fact: &MemoryFact, says: &Agreement, end: End) -> bool {
        let answer = fact.name_at(end);
        if let Some(place) = self.place {
            let is_member = |word: &Word| predicate::says(&word.lower, Predicate::Membership);
            return fact.words.predicate.iter().any(|word| &*word.lower == place || is_member(word));
        }
        if self.wants_name && Shape::of(answer) != Shape::Name {
            return false;
        }
        let Some(noun) = self.noun else { return true };
        // "Heron's budget was raised to 80 euros": the noun is part of the subject.
        let is_changed = !self.wants_name
            && end == End::Object
            && says.subject[noun] >= SAID
            && (fact.change().is_some() || fact.words.predicate.len() > 1);
        says.predicate[noun] >= SAID || is_changed
    }
}

/// The number of the term that a word of the question is, if it is written like this.
fn term_of(asked: &Asked, word: &Word, written: &str) -> Option<usize> {
    let is_written = asked.text.get(word.start..word.end).is_some_and(|said| said.to_lowercase() == written);
    let term = asked.terms.iter().position(|term| term.words[0].stem == word.stem);
    term.filter(|term| is_written && !asked.terms[*term].is_name)
}
