//! States in the present: where somebody lives and works, what they have, are and speak.

use crate::reader::{ReadFact, fact};

use super::{
    agreeing,
    clause::Read,
    frame::{Object, PROGRESSIVES, STATES},
    lexicon::{self, Class},
    line::Line,
    noun::Determiner,
    object::{Tail, frame_of},
    subject::{Person, Subject},
};

impl Line<'_> {
    /// Reads a state in the present.
    pub(super) fn state(&self, subject: &Subject, at: usize) -> Option<Read> {
        let be = match subject.person {
            Person::I => "am",
            Person::We | Person::Plural => "are",
            Person::Third => "is",
        };
        if self.is(at, &[be]) && self.joins(at) {
            return self.being(subject, self.skip_adverbs(at + 1));
        }
        let have = agreeing("have", subject.person);
        if self.lower(at) == have && self.joins(at) {
            let next = self.skip_adverbs(at + 1);
            if self.is(next, &["been"]) && self.is(next + 1, &["to"]) {
                let (objects, end) = self.objects(next + 2, &frame_of(Object::Name))?;
                let tail = self.tail(end)?;
                return Some(Self::stating(subject, "has been to", objects, tail));
            }
            if self.is(next, &["been"]) {
                let next = self.skip_adverbs(next + 1);
                return self.progressive(subject, next, true).or_else(|| self.lasting(subject, next));
            }
            // "I've lived in Oslo for five years".
            let lasting = [
                ("lived", "live"),
                ("worked", "work"),
                ("taught", "teach"),
                ("played", "play"),
                ("studied", "study"),
            ];
            if let Some((_, base)) = lasting.iter().find(|(past, _)| self.is(next, &[past])) {
                let read = self.frames(subject, next, base, &agreeing(base, Person::Third))?;
                return read.facts.iter().any(|fact| fact.valid_from.is_some()).then_some(read);
            }
            if self.is(next, &["got"]) {
                return self.frames(subject, next, "have", "has");
            }
        }
        let base = STATES
            .iter()
            .map(|frame| frame.words[0])
            .find(|base| agreeing(base, subject.person) == self.lower(at))?;
        if subject.is_bare
            && matches!(base, "own" | "run" | "play" | "drive" | "belong" | "take" | "learn" | "read")
        {
            return None;
        }
        self.frames(subject, at, base, &agreeing(base, Person::Third))
    }

    /// "I've been married for five years", "I've been a nurse since 2010".
    fn lasting(&self, subject: &Subject, at: usize) -> Option<Read> {
        let read = self.status(subject, at).or_else(|| self.occupation(subject, at))?;
        let since = (at..self.len().min(read.end + 1)).find_map(|at| self.since(at));
        let (end, from) = since?;
        let facts = read.facts.into_iter().map(|fact| ReadFact { valid_from: from, ..fact });
        Some(Read { facts: facts.collect(), end: end.max(read.end) })
    }

    /// Reads the first frame of a state whose words and object match. The verb is at a position and rendered
    /// as `said`.
    fn frames(&self, subject: &Subject, at: usize, base: &str, said: &str) -> Option<Read> {
        // "We work for Canadians" may be about a team.
        if subject.person == Person::We && base == "work" {
            return None;
        }
        STATES.iter().filter(|frame| frame.words[0] == base).find_map(|frame| {
            let rest = &frame.words[1..];
            let lasts = matches!(frame.object, Object::Lasting(_) | Object::Title);
            if !self.joins(at) || !self.says(at + 1, rest) || lasts && !self.lower(at).ends_with("ing") {
                return None;
            }
            let (objects, end) = self.objects(at + 1 + rest.len(), frame)?;
            let tail = self.tail(end)?;
            let rest: Vec<&str> = rest.iter().copied().filter(|word| *word != "the").collect();
            let predicate = [&[said], rest.as_slice()].concat().join(" ");
            if base == "have" {
                if let Some(read) = self.named_object(subject, at + 1, end) {
                    return Some(read);
                }
                // "I have a kid on the way".
                if self.says(end, &["on", "the", "way"]) {
                    return None;
                }
                let close = [Class::Kin, Class::Pet, Class::Condition];
                let noun = self.noun(at + 1)?;
                // "We have new computers here", "we have snakes": "we" may be everybody there.
                let is_shared = subject.person == Person::We;
                if is_shared && !matches!(noun.determiner, Determiner::Indefinite | Determiner::Number) {
                    return None;
                }
                if (subject.is_bare || is_shared)
                    && close.iter().all(|class| self.head(noun, *class).is_none())
                {
                    return None;
                }
            }
            let mut read = Self::stating(subject, &predicate, objects, tail);
            self.place(subject, base, said, end, &mut read);
            Some(read)
        })
    }

    /// Reads the place after a field or an occupation: "works as a paramedic in Leeds".
    fn place(&self, subject: &Subject, base: &str, said: &str, at: usize, read: &mut Read) {
        if !matches!(base, "work" | "teach" | "study" | "volunteer")
            || !self.is(at, &["at", "in", "for"])
            || self.is_break(at)
        {
            return;
        }
        let object = if self.is(at, &["in"]) { Object::Name } else { Object::Thing };
        if self.past_moment(at).is_none()
            && let Some((objects, end)) = self.objects(at + 1, &frame_of(object))
            && let Some(tail) = self.tail(end)
        {
            let predicate = format!("{said} {}", self.lower(at));
            read.facts.extend(Self::stating(subject, &predicate, objects, tail).facts);
            read.end = tail.end;
        }
    }

    /// "a parrot named Pico".
    pub(super) fn named_object(&self, subject: &Subject, start: usize, end: usize) -> Option<Read> {
        if !self.is(end, &["named", "called"]) || self.is_break(end) {
            return None;
        }
        let noun = self.noun(start)?;
        let word = [Class::Kin, Class::Pet].into_iter().find_map(|class| self.head(noun, class))?;
        self.called(&subject.name, word, end + 1)
    }

    fn stating(subject: &Subject, predicate: &str, objects: Vec<String>, tail: Tail) -> Read {
        let facts = objects
            .into_iter()
            .map(|object| ReadFact { valid_from: tail.since, ..fact(&subject.name, predicate, &object) });
        Read { facts: facts.collect(), end: tail.end }
    }

    /// Reads the words after "am", "is" or "are".
    fn being(&self, subject: &Subject, at: usize) -> Option<Read> {
        let said = |predicate: &str, object: Object, next: usize| {
            let (objects, end) = self.objects(next, &frame_of(object))?;
            let tail = self.tail(end)?;
            Some(Self::stating(subject, predicate, objects, tail))
        };
        if self.is(at, &["from"]) {
            return said("is from", Object::Name, at + 1);
        }
        if self.says(at, &["based", "in"]) {
            return said("is based in", Object::Name, at + 2);
        }
        if self.says(at, &["part", "of"]) {
            return self.membership(subject, "is part of", at + 2);
        }
        if self.is(at, &["a"]) && self.says(at + 1, &["member", "of"]) {
            return self.membership(subject, "is a member of", at + 3);
        }
        if self.is(at, &["a"])
            && let Some(of) = (at + 1..at + 3).find(|at| self.says(*at, &["fan", "of"]))
        {
            let fan = said("is a fan of", Object::Name, of + 2)?;
            return (!self.goes_on(fan.end)).then_some(fan);
        }
        if self.says(at, &["allergic", "to"]) {
            return self.allergies(subject, at + 2);
        }
        if self.says(at, &["married", "to"]) || self.says(at, &["engaged", "to"]) {
            return said(&format!("is {} to", self.lower(at)), Object::Name, at + 2);
        }
        if subject.is_bare && self.is(at, &["my", "our"]) {
            // "Music is my therapist".
            let known = |noun: &str| {
                lexicon::is(noun, Class::Kin) && noun != "partner"
                    || matches!(noun, "boss" | "manager" | "colleague" | "coworker" | "roommate" | "flatmate")
            };
            let relative = self.relative(at).filter(|relative| {
                relative.names.is_empty() && !relative.is_plural && known(relative.noun)
            })?;
            let tail = self.tail(relative.end)?;
            let facts = vec![fact(&relative.of, &format!("has {}", relative.noun), &subject.name)];
            return Some(Read { facts, end: tail.end });
        }
        if self.is(at, &["called", "named"]) && !subject.is_bare {
            let of = self.turn.speaker?;
            let noun = subject.name.strip_prefix(of)?.strip_prefix("'s ")?.rsplit(' ').next()?;
            let noun =
                [Class::Kin, Class::Pet].into_iter().find_map(|class| lexicon::singular_in(noun, class))?;
            return self.called(of, noun, at + 1);
        }
        self.aged(subject, at)
            .or_else(|| self.status(subject, at))
            .or_else(|| self.occupation(subject, at))
            .or_else(|| self.progressive(subject, at, false))
    }

    /// Reads what somebody is a part or member of: an identifiable group.
    fn membership(&self, subject: &Subject, predicate: &str, at: usize) -> Option<Read> {
        let noun = self.noun(at).filter(|noun| noun.determiner != Determiner::My)?;
        let is_named = self.has_mark(noun.start, noun.end);
        let is_described = self.head(noun, Class::Group).is_some() && noun.end - noun.start > 1;
        let tail = self.tail(noun.end).filter(|_| is_named || is_described)?;
        Some(Self::stating(subject, predicate, vec![self.text(noun.start, noun.end)], tail))
    }

    fn allergies(&self, subject: &Subject, at: usize) -> Option<Read> {
        let mut objects = Vec::new();
        let mut at = at;
        loop {
            let noun = self.noun(at).filter(|noun| noun.determiner == Determiner::None)?;
            objects.push(self.text(noun.start, noun.core));
            let next = noun.core + usize::from(self.is(noun.core, &["and"]));
            let goes_on = next > noun.core || self.is_break(noun.core) && self.is(noun.core + 1, &["and"]);
            let more = goes_on
                && self.noun(next).is_some_and(|noun| {
                    noun.determiner == Determiner::None
                        && (self.is_break(noun.core) || self.is(noun.core, &["and"]))
                });
            if !more {
                let tail = self.tail(noun.core)?;
                return Some(Self::stating(subject, "is allergic to", objects, tail));
            }
            at = next;
        }
    }

    /// "I'm 34", "My son is 12 years old". "Luna is 4" may be a number or a vote.
    fn aged(&self, subject: &Subject, at: usize) -> Option<Read> {
        let age: u32 = self.lower(at).parse().ok().filter(|age| (1..=120).contains(age))?;
        let says_years = self.says(at + 1, &["years", "old"]) && self.joins(at);
        if subject.is_bare && !says_years {
            return None;
        }
        let end = at + 1 + if says_years { 2 } else { 0 };
        (self.is_break(end) || self.is(end, &["and", "but", "now"]) && subject.person != Person::We)
            .then(|| Read { facts: vec![fact(&subject.name, "has age", &age.to_string())], end })
    }

    /// "I'm vegetarian", "My sister is married".
    fn status(&self, subject: &Subject, at: usize) -> Option<Read> {
        (1..=2).rev().find_map(|count| {
            let end = at + count;
            if end > self.len() || (at..end - 1).any(|word| !self.joins(word)) {
                return None;
            }
            let words: Vec<&str> = (at..end).map(|word| self.lower(word)).collect();
            let words = words.join(" ");
            let known = lexicon::is(&words, Class::Status);
            let closed =
                self.is_break(end) || self.is(end, &["and", "with", "since", "for", "so", "but", "now"]);
            let is_busy = words == "engaged" && self.is(end, &["with"]);
            let fits = known && closed && !is_busy && !(subject.is_bare && words == "single");
            fits.then(|| Read { facts: vec![fact(&subject.name, "is", &words)], end })
        })
    }

    /// "I'm a freelance translator at Lingua".
    fn occupation(&self, subject: &Subject, at: usize) -> Option<Read> {
        let noun = self.noun(at).filter(|noun| noun.determiner == Determiner::Indefinite)?;
        self.head(noun, Class::Occupation)?;
        // "I'm a terrible cook": an evaluation, not an occupation.
        if noun.start != at + 1 || noun.core - noun.start > 3 {
            return None;
        }
        let noun = self.attached(noun);
        // "I'm a student at heart".
        if self.is(noun.end + 1, &["heart", "training", "nature", "spirit", "disguise"]) {
            return None;
        }
        let tail = self.tail(noun.end)?;
        Some(Self::stating(subject, "is a", vec![self.text(noun.start, noun.end)], tail))
    }

    /// "am working at", "have been living in".
    fn progressive(&self, subject: &Subject, at: usize, has_been: bool) -> Option<Read> {
        let (gerund, base) = PROGRESSIVES.iter().find(|(gerund, _)| self.is(at, &[gerund]))?;
        let said = if has_been { agreeing(base, Person::Third) } else { format!("is {gerund}") };
        self.frames(subject, at, base, &said)
    }
}
