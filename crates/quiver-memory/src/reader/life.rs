//! Facts that people state in conversation about themselves and those close to them: where they live and
//! work, the names of their family and pets, what they own, have or speak, and what happened to them and
//! when.
//!
//! A sentence is read clause by clause. A clause is only read if it stands by itself: at the start of a
//! sentence, after a comma or dash, or after a conjunction, with its own subject, and with nothing before it
//! in the sentence that makes it a guess, a wish, a plan, a condition or hearsay. A verb states a fact only
//! with an object of the kind that its [`Frame`] takes, and the object must be followed by the end of the
//! clause or by an addition to it.

mod lexicon;
mod line;
mod moment;
mod noun;
mod subject;
mod frame;
mod object;
mod state;
mod event;
mod clause;

pub use lexicon::is_person;

use quiver_language::{
    Language,
    life::{self, Life},
};

use super::{ReadFact, TurnToRead, fact};

use self::{
    lexicon::Class,
    line::{Gap, Line},
    subject::{Person, named},
};

/// Extracts the facts of a conversational turn, given its sentences.
pub(super) fn read_life(turn: &TurnToRead<'_>, sentences: &[&str]) -> Vec<ReadFact> {
    let mut facts: Vec<ReadFact> = Vec::new();
    // The noun for somebody or something that the previous sentence introduced: "I got a puppy."
    let mut introduced: Option<&'static str> = None;
    for sentence in sentences {
        if sentence.ends_with('?') {
            introduced = None;
            continue;
        }
        let Some(line) = Line::of(sentence, turn) else { continue };
        if (0..line.len()).any(|at| line.is_of(at, Life::Jest)) {
            return Vec::new();
        }
        let mut read = line.read();
        if let Some(noun) = introduced {
            read.extend(line.name_of(noun));
        }
        introduced = line.introduces(&read);
        for mut fact in read {
            sentence.trim().clone_into(&mut fact.sentence);
            let is_known = |known: &ReadFact| {
                (&known.subject, &known.predicate, &known.object)
                    == (&fact.subject, &fact.predicate, &fact.object)
            };
            let complete = !fact.subject.is_empty() && !fact.object.is_empty() && fact.subject != fact.object;
            if complete && !facts.iter().any(is_known) {
                facts.push(fact);
            }
        }
    }
    facts
}

/// Returns whether a lower-case word makes the rest of a sentence a guess, a wish, a condition or hearsay, or retracts
/// what precedes it.
pub(super) fn is_uncertain(word: &str) -> bool {
    life::says(word, Life::Uncertain) || life::says(word, Life::Retracting)
}

/// Returns whether a lower-case word marks a whole turn as a joke or fiction.
pub(super) fn is_jest(word: &str) -> bool {
    life::says(word, Life::Jest)
}

impl Line<'_> {
    /// Reads the clauses of a sentence.
    fn read(&self) -> Vec<ReadFact> {
        let mut facts = self.relatives();
        // A word of uncertainty affects everything after it.
        let sure =
            (0..self.len()).find(|at| self.is_of(*at, Life::Uncertain)).map_or(self.len(), |at| at + 1);
        let opening = (0..self.len()).find(|at| !self.is_opener(*at)).unwrap_or_default();
        let mut at = 0;
        while at < sure {
            let Some(end) = self.clause_at(at, opening, &mut facts) else {
                at += 1;
                continue;
            };
            at = end.max(at + 1);
        }
        facts
    }

    /// Reads the clause that starts at a word, if a clause may start there. Returns the position after it.
    fn clause_at(&self, at: usize, opening: usize, facts: &mut Vec<ReadFact>) -> Option<usize> {
        // Only interjections and adverbs may come before the end of the opening.
        let starts = at <= opening || self.is_break(at) || self.is_of(at - 1, Life::Joint);
        if !starts {
            return None;
        }
        let (start, moment) = self.fronted(at);
        // "When I'm in Oslo, I …": the clause may hold only at that time.
        let since_when = (0..start).any(|word| {
            self.is(word, &["when", "whenever", "once", "where", "how", "what", "that", "who", "which"])
                && word >= opening
        });
        let clause = self.clause(start, moment, since_when)?;
        let retracted = (clause.end..self.len()).any(|word| self.is_of(word, Life::Retracting));
        if retracted {
            return Some(self.len());
        }
        facts.extend(clause.facts);
        Some(clause.end)
    }

    /// Returns whether a word may precede a statement without adding to it.
    fn is_opener(&self, at: usize) -> bool {
        self.is_of(at, Life::Interjection) || self.is_of(at, Life::Adverb)
    }

    /// Skips the opening of a clause: "Yeah", "Hey Mel,", "Last Friday,". Returns the position after it, and
    /// its moment.
    fn fronted(&self, mut at: usize) -> (usize, Option<moment::Moment>) {
        let mut moment = None;
        loop {
            let before = at;
            if let Some(found) = self.past_moment(at) {
                at = found.end;
                moment = Some(found);
            } else if self.is_of(at, Life::Interjection) && !self.is(at, &["my"]) {
                at += 1;
            } else if let Some(end) = self.name_at(at)
                && self.tokens[end - 1].gap == Gap::Comma
                && (at == 0 || self.is_of(at - 1, Life::Interjection))
            {
                // A person addressed by name.
                at = end;
            } else if at > 0
                && self.is_of(at - 1, Life::Interjection)
                && let Some(end) = self.name_at(at)
                && end < self.len()
                && self.is(end, &["i", "my", "we", "our"])
            {
                at = end;
            } else if self.is_of(at, Life::Adverb) {
                at += 1;
            }
            if at == before {
                return (at, moment);
            }
        }
    }

    /// Reads the names of relatives wherever a sentence mentions them: "my sister Ines".
    fn relatives(&self) -> Vec<ReadFact> {
        let mut facts = Vec::new();
        for at in 0..self.len() {
            let may =
                self.is(at, &["my", "our"]) || self.tokens[at].lower.ends_with("'s") && self.is_marked(at);
            if may && let Some(mut relative) = self.relative(at) {
                if relative.names.is_empty() && !relative.is_plural {
                    relative.names.extend(self.name_before(at, &relative));
                }
                facts.extend(named(&relative));
            }
        }
        facts
    }

    /// Returns the name before a relative: "Oscar, my guinea pig."
    fn name_before(&self, at: usize, relative: &subject::Relative) -> Option<String> {
        let kind = lexicon::is(relative.noun, Class::Kin) || lexicon::is(relative.noun, Class::Pet);
        let before = at.checked_sub(1).filter(|before| self.tokens[*before].gap == Gap::Comma)?;
        let start = (before.saturating_sub(1)..=before).find(|start| self.is_break(*start) || *start == 0)?;
        let whole = self.name_at(start) == Some(at);
        (kind && whole && self.is_break(relative.end)).then(|| self.text(start, at))
    }

    /// Returns the noun of a single pet or child that the facts of a sentence introduce without a name.
    fn introduces(&self, facts: &[ReadFact]) -> Option<&'static str> {
        let speaker = self.turn.speaker?;
        let last = facts.last()?;
        if last.subject != speaker
            || !matches!(
                last.predicate.as_str(),
                "got" | "adopted" | "rescued" | "has" | "bought" | "had" | "gave birth to"
            )
        {
            return None;
        }
        let words: Vec<&str> = last.object.split(' ').collect();
        let starts_plural = words.first().is_some_and(|word| Language::English.class(word).is_some());
        let head = |class| {
            words.iter().enumerate().find_map(|(at, word)| {
                let noun = lexicon::singular_in(&word.to_lowercase(), class)?;
                (noun == *word
                    && words.get(at + 1).is_none_or(|next| Language::English.class(next).is_some()))
                .then_some(noun)
            })
        };
        if starts_plural { None } else { head(Class::Pet).or_else(|| head(Class::Kin)) }
    }

    /// Reads "Her name is Coco" after a sentence that introduced somebody.
    fn name_of(&self, noun: &'static str) -> Option<ReadFact> {
        let speaker = self.turn.speaker?;
        let start = self.fronted(0).0;
        let possessive = self.is(start, &["his", "her", "its"]) && self.says(start + 1, &["name", "is"]);
        let pronoun = self.is(start, &["he", "she"])
            && self.is(start + 1, &["is"])
            && self.is(start + 2, &["called", "named"]);
        // "We named him Max".
        let given = self.is(start, &["i", "we"])
            && self.is(start + 1, &["named", "call", "called"])
            && self.is(start + 2, &["him", "her", "it"]);
        if !possessive && !pronoun && !given {
            return None;
        }
        let end = self.name_at(start + 3)?;
        let follows = self.is_break(end) || self.is(end, &["and", "because", "after", "but"]);
        follows.then(|| fact(speaker, &format!("has {noun}"), &self.text(start + 3, end)))
    }
}

/// Whether the noun at the end of a phrase is one for relatives, pets or a condition.
pub(super) fn is_close(phrase: &str) -> bool {
    let last = phrase.rsplit(' ').next().unwrap_or_default().to_lowercase();
    [Class::Kin, Class::Pet, Class::Condition].into_iter().any(|class| lexicon::is(&last, class))
}

/// Returns the form of a verb in base form that agrees with a person.
fn agreeing(base: &str, person: Person) -> String {
    match (base, person) {
        ("have", Person::Third) => "has".to_owned(),
        (base, Person::Third) => crate::relation::third_person(base),
        (base, _) => base.to_owned(),
    }
}

#[cfg(test)]
mod tests;
