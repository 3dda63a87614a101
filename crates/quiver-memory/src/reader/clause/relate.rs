//! Clauses in which any verb relates two things, in either voice: "Sven tutors Lucia", "Amber Ale is stored in Cellar One".
//! They are read only if each end is a name or has an article, and nothing else is said.

use quiver_language::{
    Language,
    statement::{Statement, says},
    word::verbs,
};

use crate::{
    calendar::{is_month, weekday_named},
    reader::{ReadFact, fact, word::Word},
    relation::{base, is_participle, is_third_person, is_transitive, lemma, third_person},
};

use super::{Clause, is_marked, phrase::is_headline};

impl Clause<'_> {
    /// "Sven tutors Lucia", "The cellar feeds the bar", "Train 88 departs from Platform 4", "Finch succeeded Gray": any verb
    /// between a subject and a name or a thing with an article, with nothing else in the clause.
    pub(super) fn relating(&self, subject: &str, at: usize, end: usize, word: &str) -> Option<Vec<ReadFact>> {
        if !self.states(at)
            || !self.is_thing(subject)
            || !self.words[0].is(&["the", "our", "we"]) && is_headline(&self.words[..at])
            || base(word).is_some_and(is_transitive)
        {
            return None;
        }
        let is_present = is_third_person(word);
        let is_known = verbs(word).next().is_some();
        let is_verb = is_known || of_verb_ending(word);
        let (predicate, start) = self.with_preposition(word, at);
        let object = self.thing(start, end)?;
        let (of_name, to_name) = (self.has_name(0, at), self.has_name(start, end));
        // "Board Liaison required for the fellowship" is a headline, and so may be "Technical elections for Django".
        let states = match (is_present, start > at + 1) {
            (true, false) => of_name || to_name && is_known,
            (true, true) => is_known && (of_name || to_name) || is_verb && of_name && to_name,
            (false, false) => is_participle(word) && of_name && to_name,
            (false, true) => false,
        };
        if !states {
            return None;
        }
        Some(Self::each(subject, &predicate, &object))
    }

    /// A verb with the preposition that may follow it, and where its object begins.
    fn with_preposition(&self, word: &str, at: usize) -> (String, usize) {
        match self.relating_preposition(at + 1) {
            Some(preposition) => (format!("{word} {preposition}"), at + 2),
            None => (word.to_owned(), at + 1),
        }
    }

    /// Whether a subject is a name, or a thing with an article: not "the meeting", which only its context identifies.
    pub(super) fn is_thing(&self, subject: &str) -> bool {
        let mut words = subject.split(' ');
        if self.words[0].is(&["i", "we", "my"]) || subject.ends_with("'s") || subject.ends_with("’s") {
            return false;
        }
        if self.words[0].is(&["the", "our"]) {
            return !words.any(|word| word == "for") && !says(subject, Statement::Generic);
        }
        words.all(|word| is_marked(word) || matches!(word, "of" | "and" | "de" | "van" | "von"))
    }

    /// Whether a word is a verb whose statement is about the world, and not about feelings, thoughts or speech.
    pub(super) fn states(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        let lower = word.lower();
        !word.is_marked()
            && lower.chars().all(char::is_alphabetic)
            && Language::English.class(&lower).is_none()
            && !says(&lower, Statement::Vague)
            && !says(&lower, Statement::Generic)
            && (!says(&lemma(&lower), Statement::Inner) || self.has_own_sense(at))
            || self.is_doing(at)
    }

    /// "Is done by", "stopped doing the checks": no auxiliary.
    fn is_doing(&self, at: usize) -> bool {
        let next = self.words.get(at + 1);
        ["done", "doing"].contains(&&*self.lower(at))
            && next.is_some_and(|next| next.is(&["by", "the", "our"]))
    }

    /// "Looks after" is no perception, and "comes from" no habit.
    fn has_own_sense(&self, at: usize) -> bool {
        let verb = lemma(&self.lower(at));
        matches!((&*verb, &*self.lower(at + 1)), ("look", "after") | ("come", "from"))
    }

    /// The preposition between a verb and its object.
    pub(super) fn relating_preposition(&self, at: usize) -> Option<String> {
        let word = self.lower(at);
        matches!(
            word.as_str(),
            "to" | "from"
                | "in"
                | "at"
                | "on"
                | "with"
                | "into"
                | "under"
                | "for"
                | "through"
                | "inside"
                | "after"
                | "over"
        )
        .then_some(word)
    }

    /// Returns an object that is a name, or a noun phrase with an article: "Platform 4", "the Egyptian wing".
    fn thing(&self, start: usize, end: usize) -> Option<String> {
        let first = self.words.get(start)?;
        let words = &self.words[start + 1..end.max(start + 1)];
        let is_determined = first.is(&["the", "our"]);
        let joins = |at: usize| {
            at + 1 < words.len()
                && words[at].is(&["of", "and", "&", "de", "van", "von"])
                && words[at + 1].is_marked()
        };
        let is_value = first.text.starts_with(|c: char| !c.is_alphabetic())
            || is_month(&first.lower())
            || weekday_named(&first.lower()).is_some();
        if is_value
            || is_determined
                && words.first().is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
        {
            return None;
        }
        let is_name = first.is_marked() && (0..words.len()).all(|at| words[at].is_marked() || joins(at));
        let is_plain = || !words.is_empty() && words.iter().all(|word| !word.is(&["of", "for", "and"]));
        if !(is_name || is_determined && is_plain()) {
            return None;
        }
        self.object(start, end)
    }

    /// "Camille doesn't prepare desserts any more".
    pub(super) fn not_any_more(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let end = match end {
            end if end >= 2
                && self.lower(end - 2) == "any"
                && self.words[end - 1].is(&["more", "longer"]) =>
            {
                end - 2
            }
            end if self.words.get(end).is_some_and(|word| word.is(&["anymore"])) => end,
            _ => return None,
        };
        let word = third_person(&self.lower(at));
        self.ends_with(subject, &word, at, end)
    }

    /// The denial of what a subject does.
    pub(super) fn ends_with(
        &self,
        subject: &str,
        word: &str,
        at: usize,
        end: usize,
    ) -> Option<Vec<ReadFact>> {
        if !self.states(at) {
            return None;
        }
        let (predicate, start) = self.with_preposition(word, at);
        let object = self.object(start, end).or_else(|| {
            // "Doesn't prepare desserts".
            let names_subject = self.has_name(0, at);
            (names_subject && end <= start + 2).then(|| self.phrase(start, end)).flatten()
        })?;
        Some(vec![ReadFact { denied: true, ..fact(subject, &predicate, &object) }])
    }

    /// "is narrated by Finn", "was made by Ceramex": any participle with its agent.
    pub(super) fn done_by(
        &self,
        auxiliary: &str,
        subject: &str,
        at: usize,
        by: usize,
        end: usize,
    ) -> Option<Vec<ReadFact>> {
        if !self.states(at) || !self.is_thing(subject) {
            return None;
        }
        let object = self.thing(by + 1, end).filter(|_| self.has_name(by + 1, end))?;
        Some(Self::each(subject, &format!("{auxiliary} {}", self.text(at, by + 1).to_lowercase()), &object))
    }

    /// "is served at Luna", "is heated with propane", "has been escalated to urgent": any participle with a preposition.
    pub(super) fn placed(
        &self,
        auxiliary: &str,
        subject: &str,
        at: usize,
        end: usize,
    ) -> Option<Vec<ReadFact>> {
        let participle = self.lower(at);
        if !is_participle(&participle) || !self.states(at) || !self.is_thing(subject) {
            return None;
        }
        // "Has been marked down to 65 euros", "has been put back to Friday".
        let along = ["up", "down", "back", "forward"].contains(&self.lower(at + 1).as_str());
        let to = at + 1 + usize::from(along);
        let is_value = || self.amount(to + 1, end).or_else(|| self.date(to + 1, end)).is_some();
        if self.lower(to) == "to" && (along || auxiliary == "has been") && is_value() {
            let said = self.words[at..=to].iter().map(Word::lower).collect::<Vec<_>>().join(" ");
            return self.changed(auxiliary, subject, &said, to + 1, end);
        }
        let preposition = self.relating_preposition(at + 1)?;
        let said = format!("{participle} {preposition}");
        if auxiliary == "has been" && preposition == "to" && end == at + 3 && !self.has_name(at + 2, end) {
            return self.changed(auxiliary, subject, &said, at + 2, end);
        }
        let object = self.thing(at + 2, end).filter(|_| self.has_name(at + 2, end))?;
        Some(vec![fact(subject, &format!("{auxiliary} {said}"), &object)])
    }

    /// The two names of a subject with a verb in the plural, and where the verb is: "Ann and Bo both use the loom". A firm
    /// such as "Marks and Spencer" has a verb in the singular.
    pub(super) fn both<'s>(&self, subject: &'s str, at: usize) -> Option<([&'s str; 2], usize)> {
        let (one, other) =
            subject.split_once(" and ").filter(|(one, other)| is_marked(one) && is_marked(other))?;
        let verb = self.skip(at + usize::from(self.lower(at) == "both"));
        let lower = self.lower(verb);
        let is_plural = lower == "have" || verbs(&lower).next() == Some(&*lower);
        is_plural.then_some(([one, other], verb))
    }

    /// What each of two does or has.
    pub(super) fn doing_of_both(&self, names: [&str; 2], verb: usize, end: usize) -> Option<Vec<ReadFact>> {
        let lower = self.lower(verb);
        let of_one = |name: &str| match lower.as_str() {
            "have" => self.holding(name, verb + 1, end).map(|held| vec![held]),
            _ => self.relating(name, verb, end, &third_person(&lower)).or_else(|| {
                let object =
                    self.object(verb + 1, end).filter(|_| base(&lower).is_some_and(is_transitive))?;
                Some(Self::each(name, &third_person(&lower), &object))
            }),
        };
        let facts: Option<Vec<Vec<ReadFact>>> = names.into_iter().map(of_one).collect();
        facts.map(|facts| facts.concat())
    }
}

/// Whether a word in the third person has an ending that makes verbs: "deputises", "certifies".
fn of_verb_ending(word: &str) -> bool {
    ["ises", "izes", "ifies"].iter().any(|ending| word.ends_with(ending))
}
