//! Finds the clauses of a sentence and parses them.

use std::ops::Range;

use super::{
    Argument, Clause, Mood, Phrase, PhraseKind, Tense, Voice,
    item::{Gap, Sentence, Sort},
    lexicon::{self, Form, is_form},
    phrase::Number,
};
use crate::pack::{Class, Kind};

/// Maximum number of items in one clause.
const ITEMS_MAX: usize = 40;

impl Sentence<'_, '_> {
    pub(super) fn clauses(&self) -> Vec<Clause> {
        if !self.is_statement || (0..self.items.len()).any(|at| self.is_supposing(at)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut start = 0;
        for at in 1..=self.items.len() {
            if at == self.items.len() || self.items[at].gap == Gap::Semicolon {
                let whole = self.items[start..at].iter().skip(1).all(|item| item.gap != Gap::Other);
                if whole && at - start <= ITEMS_MAX {
                    found.extend(self.stretch(start, at, None).unwrap_or_default());
                }
                start = at;
            }
        }
        found
    }

    /// Returns whether a word makes the sentence a condition, a wish or indirect speech.
    fn is_supposing(&self, at: usize) -> bool {
        self.items[at].sort == Sort::Word
            && matches!(
                self.norm(at),
                "if" | "unless" | "whether" | "wish" | "imagine" | "suppose" | "would've"
            )
    }

    /// Parses one clause, or several clauses joined by "and", "but", "because" and the like, if all of them can be
    /// parsed.
    fn stretch(&self, start: usize, end: usize, subject: Option<&Phrase>) -> Option<Vec<Clause>> {
        if let Some(clause) = self.clause(start, end, subject) {
            return Some(vec![clause]);
        }
        (start + 1..end.saturating_sub(1)).find_map(|at| {
            let joins = self.items[at].sort == Sort::Word
                && matches!(
                    self.norm(at),
                    "and" | "but" | "so" | "because" | "although" | "though" | "whereas"
                );
            let comma = self.items[at + 1].gap == Gap::Comma;
            if !joins || comma {
                return None;
            }
            let first = self.clause(start, at, subject)?;
            let mut found = vec![first.clone()];
            // "can stop and restart": the auxiliary would also apply to the second verb, which is not supported.
            let plain = first.mood == Mood::Asserted
                && first.predicate.tense != Tense::Future
                && first.predicate.range == first.predicate.verb;
            let coordinated = plain && matches!(self.norm(at), "and" | "but");
            let rest = self.stretch(at + 1, end, None);
            let rest =
                rest.or_else(|| coordinated.then(|| self.stretch(at + 1, end, Some(&first.subject)))?);
            found.extend(rest?);
            Some(found)
        })
    }

    /// Parses all items as one clause. Returns `None` if there is no reading or more than one.
    fn clause(&self, start: usize, end: usize, subject: Option<&Phrase>) -> Option<Clause> {
        if let Some(subject) = subject {
            return self.predicate(start, start, end, subject.clone(), true, Vec::new(), Vec::new());
        }
        let (from, times, adverbs) = self.opening(start, end)?;
        let mut found: Option<Clause> = None;
        for verb in from..end {
            let Some(clause) = self.clause_with_verb(start, from, verb, end, &times, &adverbs) else {
                continue;
            };
            if found.is_some() {
                return None;
            }
            found = Some(clause);
        }
        found
    }

    fn clause_with_verb(
        &self,
        start: usize,
        from: usize,
        verb: usize,
        end: usize,
        times: &[usize],
        adverbs: &[Range<usize>],
    ) -> Option<Clause> {
        // "she's", "I'll": subject and auxiliary in one word.
        if verb == from
            && let Some((subject, _)) = self.contracted(verb)
        {
            return self.predicate(start, verb, end, subject, false, times.to_vec(), adverbs.to_vec());
        }
        if self.contracted(verb).is_some() {
            return None;
        }
        let mut subject_end = verb;
        let mut before = Vec::new();
        let mut is_negated = false;
        while subject_end > from {
            if subject_end > from + 2 && self.is_no_longer(subject_end - 2) {
                subject_end -= 2;
                before.push(self.items[subject_end].range.start..self.items[subject_end + 1].range.end);
                is_negated = true;
            } else if self.is_adverb(subject_end - 1) {
                subject_end -= 1;
                is_negated |= self.norm(subject_end) == "never";
                before.push(self.items[subject_end].range.clone());
            } else {
                break;
            }
        }
        let subject = self.noun_phrase(from, subject_end)?;
        if subject.kind == PhraseKind::Pronoun && self.is_object_pronoun(from) {
            return None;
        }
        if !self.is_clear(from, subject_end, verb, end, &subject) {
            return None;
        }
        let mut adverbs = adverbs.to_vec();
        adverbs.extend(before.into_iter().rev());
        let mut clause = self.predicate(start, verb, end, subject, true, times.to_vec(), adverbs)?;
        clause.is_negated |= is_negated;
        Some(clause)
    }

    /// Returns whether an item after a subject is unambiguously a verb. Many words can be a noun or a verb, or a
    /// participle or a past tense, and headings such as "Mail views" or "Help needed" are not statements.
    fn is_clear(&self, from: usize, subject_end: usize, verb: usize, end: usize, subject: &Phrase) -> bool {
        let first = self.norm(from);
        let pronoun = subject.kind == PhraseKind::Pronoun;
        let determined =
            self.is_word(from) && self.class(from) == Some(Class::Determiner) || subject.possessor.is_some();
        let bare = !pronoun && !determined && subject.kind != PhraseKind::Name;
        // "Help needed", "Paginating results": an imperative or a heading.
        if bare && self.is_word(from) && (lexicon::is_verb(first) || first.ends_with("ing")) {
            return false;
        }
        if self.class(verb) == Some(Class::Auxiliary) {
            return true;
        }
        // "The test runs failed", "The header makes Fastly set it": a word of the subject may be the verb.
        let doubtful = (from + 1..subject_end).any(|at| {
            let word = self.norm(at);
            self.is_word(at)
                && (is_form(word, Form::Third) || (at + 1 == subject_end && is_form(word, Form::Past)))
                && self.noun_phrase(from, at).is_some()
        });
        if doubtful || subject.kind == PhraseKind::Value {
            return false;
        }
        let word = self.norm(verb);
        let after = verb + 1;
        let object = after < end
            && (self.items[after].sort == Sort::Name
                || matches!(self.class(after), Some(Class::Determiner | Class::Pronoun))
                    && self.is_word(after));
        // "Tables set in rows", "The bridge painted in 1932".
        let participle = is_form(word, Form::Participle) && is_form(word, Form::Past);
        if participle && !pronoun && !object && (bare || !self.is_closed) {
            return false;
        }
        // "Travel Desk links": a heading.
        if is_form(word, Form::Third) && !pronoun && !determined && after == end && !self.is_closed {
            return false;
        }
        let plural = self.number(subject) == Number::Plural;
        let third = is_form(word, Form::Third);
        if bare && third || bare && !plural && participle {
            return false;
        }
        // "Core promises", "Route groups": capitalisation at the start of a sentence does not mark a name.
        let opens = !determined && !pronoun && subject_end == from + 1 && third;
        let placed = after < end
            && (self.is_preposition(after)
                || self.is_adverb(after)
                || matches!(self.items[after].sort, Sort::Time(_)));
        !opens || object || subject_end < verb || (self.is_closed && (placed || after == end && from > 0))
    }

    /// Parses the adverbs and time expressions before the subject, and returns the position of the subject.
    fn opening(&self, start: usize, end: usize) -> Option<(usize, Vec<usize>, Vec<Range<usize>>)> {
        let (mut at, mut times, mut adverbs) = (start, Vec::new(), Vec::new());
        while at < end {
            if at > start && !matches!(self.items[at].gap, Gap::Space | Gap::Comma) {
                return None;
            }
            match self.items[at].sort {
                Sort::Time(number) => {
                    // "Saturday service is free": part of the subject.
                    let joined = at + 1 < end && self.has_space_before(at + 1) && self.is_word(at + 1);
                    if joined && self.class(at + 1).is_none() && self.items[at].tokens.len() == 1 {
                        return None;
                    }
                    times.push(number);
                }
                Sort::Word if self.is_adverb(at) => adverbs.push(self.items[at].range.clone()),
                Sort::Word if self.kind(at) == Some(Kind::Linking) => {
                    adverbs.push(self.items[at].range.clone());
                }
                Sort::Word if self.kind(at) == Some(Kind::Coordinating) && at == start => {}
                _ => break,
            }
            at += 1;
        }
        (at < end).then_some((at, times, adverbs))
    }

    /// Parses a predicate whose verb is at an item and whose subject is given.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one clause")]
    fn predicate(
        &self,
        start: usize,
        verb: usize,
        end: usize,
        subject: Phrase,
        spaced: bool,
        mut times: Vec<usize>,
        mut adverbs: Vec<Range<usize>>,
    ) -> Option<Clause> {
        if spaced && verb > start && self.items[verb].gap != Gap::Space {
            return None;
        }
        let group = self.verb_group(verb, end, &subject)?;
        adverbs.extend(group.adverbs.iter().cloned());
        let mut is_negated = group.is_negated;
        let mut particle = None;
        let mut at = group.end;
        if at < end && self.is_particle(at) {
            particle = Some(self.items[at].range.clone());
            at += 1;
        }
        let mut arguments: Vec<Argument> = Vec::new();
        while at < end {
            if self.items[at].gap != Gap::Space {
                return None;
            }
            if let Sort::Time(number) = self.items[at].sort {
                times.push(number);
                at += 1;
            } else if at + 1 < end && self.is_no_longer(at) {
                adverbs.push(self.items[at].range.start..self.items[at + 1].range.end);
                is_negated = true;
                at += 2;
            } else if self.is_adverb(at) && !self.leads_adjective(at, end) {
                adverbs.push(self.items[at].range.clone());
                at += 1;
            } else if self.is_preposition(at) {
                let wide = self.is_wide_preposition(at);
                let from = at + 1 + usize::from(wide);
                // "to move" is not a place.
                if self.norm(at) == "to" && self.is_word(from) && is_form(self.norm(from), Form::Base) {
                    return None;
                }
                let phrase_end = self.longest_phrase(from, end)?;
                let preposition = Some(self.items[at].range.start..self.items[from - 1].range.end);
                arguments.push(Argument { preposition, phrase: self.noun_phrase(from, phrase_end)? });
                at = phrase_end;
            } else if let Some(often) = self.frequency_end(at, end) {
                adverbs.push(self.items[at].range.start..self.items[often - 1].range.end);
                at = often;
            } else if arguments.is_empty() && group.is_copular && self.adjective_end(at, end).is_some() {
                let adjective_end = self.adjective_end(at, end)?;
                arguments.push(Argument { preposition: None, phrase: self.adjective(at, adjective_end) });
                at = adjective_end;
            } else if arguments.is_empty() && group.voice == Voice::Active {
                let phrase_end = self.longest_phrase(at, end)?;
                let phrase = self.noun_phrase(at, phrase_end)?;
                arguments.push(Argument { preposition: None, phrase });
                at = phrase_end;
                if particle.is_none() && at < end && self.is_particle(at) && !group.is_copular {
                    particle = Some(self.items[at].range.clone());
                    at += 1;
                }
            } else {
                return None;
            }
        }
        // "It is" and "She has" are incomplete.
        let bare = arguments.is_empty() && particle.is_none();
        if bare && (matches!(group.lemma, "be" | "have" | "do") || (times.is_empty() && group.is_copular)) {
            return None;
        }
        let first = &self.items[start];
        let begin = first.range.start.min(subject.range.start.max(first.range.start));
        let times = times.into_iter().map(|number| self.times[number].clone()).collect();
        let range = begin..self.items[end - 1].range.end;
        let mood = group.mood;
        let object = arguments.iter().any(|argument| argument.preposition.is_none());
        if group.voice == Voice::Active && !object && particle.is_none() && lexicon::needs_object(group.lemma)
        {
            return None;
        }
        // "The goal is finding a home": the gerund is a complement, not a progressive verb.
        if group.is_gerund_of_be() && self.is_aim(&subject) {
            return None;
        }
        // "Nobody knows it", "She has no car".
        let denies = |range: &Range<usize>| {
            let first = self.text(range).split(' ').next().unwrap_or_default().to_lowercase();
            matches!(first.as_str(), "no" | "nobody" | "nothing" | "none" | "neither")
        };
        is_negated |=
            denies(&subject.range) || arguments.iter().any(|argument| denies(&argument.phrase.range));
        Some(Clause {
            range,
            subject,
            predicate: group.predicate(particle),
            arguments,
            times,
            adverbs,
            is_negated,
            mood,
        })
    }

    /// Returns whether an adverb modifies an adjective after it: "very old".
    fn leads_adjective(&self, at: usize, end: usize) -> bool {
        at + 1 < end && self.is_word(at + 1) && lexicon::is_adjective(self.norm(at + 1))
    }

    /// Returns the end of a phrase such as "each day" or "many times", which expresses frequency and is not an
    /// object.
    fn frequency_end(&self, start: usize, end: usize) -> Option<usize> {
        let phrase_end = self.longest_phrase(start, end)?;
        let phrase = self.noun_phrase(start, phrase_end)?;
        let head = self.text(&phrase.head);
        let every = matches!(self.norm(start), "each" | "every");
        let unit = matches!(
            head,
            "minute"
                | "hour"
                | "day"
                | "night"
                | "morning"
                | "evening"
                | "week"
                | "month"
                | "quarter"
                | "year"
                | "time"
        );
        let often = (every && unit) || (head == "times" && self.norm(start) != "the");
        (often && phrase.parts.is_empty()).then_some(phrase_end)
    }

    /// Returns whether a noun can be followed by "is" and a gerund as its complement.
    fn is_aim(&self, phrase: &Phrase) -> bool {
        matches!(
            self.text(&phrase.head),
            "aim"
                | "approach"
                | "challenge"
                | "focus"
                | "goal"
                | "idea"
                | "issue"
                | "job"
                | "key"
                | "part"
                | "plan"
                | "point"
                | "problem"
                | "purpose"
                | "role"
                | "solution"
                | "step"
                | "task"
                | "thing"
                | "way"
                | "work"
        )
    }

    fn is_object_pronoun(&self, at: usize) -> bool {
        matches!(
            self.norm(at),
            "me" | "him" | "us" | "them" | "myself" | "himself" | "herself" | "themselves"
        ) || matches!(self.kind(at), Some(Kind::Reflexive | Kind::Relative | Kind::Place))
    }

    fn is_preposition(&self, at: usize) -> bool {
        self.is_word(at)
            && (self.is_wide_preposition(at)
                || self.class(at) == Some(Class::Preposition)
                    && self.kind(at) == Some(Kind::Plain)
                    && !matches!(
                        self.norm(at),
                        "of" | "as"
                            | "like"
                            | "than"
                            | "before"
                            | "after"
                            | "until"
                            | "till"
                            | "since"
                            | "except"
                            | "per"
                            | "due"
                            | "out"
                            | "despite"
                            | "unlike"
                    ))
    }

    /// "out of", "next to".
    fn is_wide_preposition(&self, at: usize) -> bool {
        matches!((self.norm(at), self.norm(at + 1)), ("out", "of") | ("next", "to"))
    }

    fn is_particle(&self, at: usize) -> bool {
        self.is_word(at)
            && matches!(self.norm(at), "up" | "down" | "off" | "out" | "away" | "back")
            && !self.is_wide_preposition(at)
    }

    /// Returns the end of the longest noun phrase that starts at an item.
    fn longest_phrase(&self, start: usize, end: usize) -> Option<usize> {
        (start + 1..=end).rev().find(|end| self.noun_phrase(start, *end).is_some())
    }

    /// Returns the end of an adjective phrase: "very old", "open", "old and dusty".
    fn adjective_end(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        loop {
            while at < end && self.is_adverb(at) && self.leads_adjective(at, end) {
                at += 1;
            }
            if at >= end || !self.is_word(at) || !lexicon::is_adjective(self.norm(at)) {
                return None;
            }
            at += 1;
            if at >= end || self.norm(at) != "and" {
                break;
            }
            at += 1;
        }
        // "is old stock": a noun phrase.
        let ends = at == end
            || matches!(self.items[at].sort, Sort::Time(_))
            || self.is_adverb(at)
            || self.is_preposition(at);
        ends.then_some(at)
    }

    fn adjective(&self, start: usize, end: usize) -> Phrase {
        Phrase {
            range: self.items[start].range.start..self.items[end - 1].range.end,
            head: self.items[end - 1].range.clone(),
            kind: PhraseKind::Adjective,
            possessor: None,
            parts: Vec::new(),
        }
    }
}
