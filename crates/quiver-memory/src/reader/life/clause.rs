//! Reads one clause: its subject, a verb with an object of the right kind, and when.

use quiver_language::word::verbs;

use crate::reader::{ReadFact, fact};

use super::{
    agreeing,
    frame::{BEGUN, EVENTS, Frame, Object, PASSIVES, PROGRESSIVES, STATES},
    lexicon::{self, ADVERBS, Class, FOLLOWS, LIGHT},
    line::{Gap, Line},
    moment::{Moment, shown},
    noun::{Determiner, Noun},
    subject::{Person, Subject},
};

/// The facts of a clause and the position after it.
pub(super) struct Read {
    pub(super) facts: Vec<ReadFact>,
    pub(super) end: usize,
}

/// What follows the object of a clause.
#[derive(Clone, Copy)]
struct Tail {
    end: usize,
    moment: Option<Moment>,
    /// The start of a state.
    since: Option<i64>,
}

/// Words at which the search for the moment of an event ends.
const ELSEWHERE: &[&str] = &[
    "after", "before", "when", "while", "because", "that", "which", "who", "where", "since", "as", "so",
    "and", "but", "about",
];

/// Nouns that are no field of work or study.
const NO_FIELDS: &[&str] = &[
    "progress", "person", "teams", "pairs", "silence", "hard", "home", "full", "peace", "private", "shifts",
    "kids", "children", "people", "students", "me", "lessons", "classes", "class", "overtime", "late",
];

/// What everybody has one value of.
const OWN: &[&str] = &[
    "hometown",
    "home town",
    "home country",
    "major",
    "nickname",
    "email",
    "email address",
    "phone number",
    "blood type",
    "shoe size",
    "middle name",
    "last name",
    "maiden name",
    "zodiac sign",
    "star sign",
    "nationality",
    "native language",
    "mother tongue",
    "first language",
];

impl Line<'_> {
    /// Reads the clause that starts at a word. If it `may_pass`, what is stated of the present may hold only for a time.
    pub(super) fn clause(&self, at: usize, moment: Option<Moment>, may_pass: bool) -> Option<Read> {
        if let Some(read) = self.own_attribute(at) {
            return Some(read);
        }
        let subject = self.subject(at)?;
        let verb = self.skip_adverbs(subject.end);
        let state = if may_pass { None } else { self.state(&subject, verb) };
        let mut read = state.or_else(|| self.past(&subject, verb, moment))?;
        // "I moved to Lisbon and started a new job".
        while self.is(read.end, &["and"]) && self.joins(read.end) {
            let next = self.skip_adverbs(read.end + 1);
            let Some(more) = self.event(&subject, next, None) else { break };
            read.facts.extend(more.facts);
            read.end = more.end;
        }
        Some(read)
    }

    fn skip_adverbs(&self, mut at: usize) -> usize {
        while self.is(at, ADVERBS) && self.joins(at) {
            at += 1;
        }
        at
    }

    /// "My favourite book is Middlemarch", "Middlemarch is my favourite book".
    fn favourite(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        let is_favourite =
            |at: usize| self.is(at, &["my"]) && self.is(at + 1, &["favourite", "favorite", "fave"]);
        let said = |at: usize| if self.is(at, &["fave"]) { "favorite" } else { self.lower(at) }.to_owned();
        if is_favourite(at) {
            let noun = self.noun(at + 2).filter(|noun| noun.determiner == Determiner::None)?;
            if !self.is(noun.end, &["is"]) || !self.joins(noun.end - 1) {
                return None;
            }
            let value = self.noun(noun.end + 1).filter(|value| value.determiner != Determiner::My)?;
            let tail = self.tail(value.end)?;
            let known = value.determiner != Determiner::The || self.has_mark(value.start, value.end);
            let plain = (value.start..value.end).all(|word| !lexicon::EVALUATIVE.contains(&self.lower(word)));
            let predicate = format!("has {} {}", said(at + 1), self.text(noun.start, noun.end));
            return (known && plain).then(|| Read {
                facts: vec![fact(speaker, &predicate, &self.text(value.start, value.end))],
                end: tail.end,
            });
        }
        let value =
            self.noun(at).filter(|value| !matches!(value.determiner, Determiner::My | Determiner::Number))?;
        if !self.is(value.end, &["is"]) || !is_favourite(value.end + 1) || !self.joins(value.end - 1) {
            return None;
        }
        let noun = self.noun(value.end + 3).filter(|noun| noun.determiner == Determiner::None)?;
        let tail = self.tail(noun.end)?;
        let known = value.determiner != Determiner::The || self.has_mark(value.start, value.end);
        let predicate = format!("has {} {}", said(value.end + 2), self.text(noun.start, noun.end));
        known.then(|| Read {
            facts: vec![fact(speaker, &predicate, &self.text(value.start, value.end))],
            end: tail.end,
        })
    }

    /// "My wife's name is Eva", "Our kids' names are Ann and Bo".
    fn name_is(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.is(at, &["my", "our"]) {
            return None;
        }
        let mut start = at + 1;
        while self.is(start, &["older", "younger", "new", "oldest", "youngest"]) {
            start += 1;
        }
        let owner = (start..start + 2)
            .find(|at| self.lower(*at).ends_with("'s") || self.lower(*at).ends_with("s'"))?;
        let words: Vec<&str> =
            (start..=owner).map(|at| self.lower(at).trim_end_matches("'s").trim_end_matches('\'')).collect();
        let words = words.join(" ");
        let noun = [Class::Kin, Class::Pet, Class::Role]
            .into_iter()
            .find_map(|class| lexicon::singular_in(&words, class))?;
        let is_named = self.says(owner + 1, &["name", "is"]) || self.says(owner + 1, &["names", "are"]);
        if !is_named {
            return None;
        }
        self.called(speaker, noun, owner + 3)
    }

    /// Reads the names of a relative: "Eva", "Ann and Bo".
    fn called(&self, of: &str, noun: &str, at: usize) -> Option<Read> {
        let predicate = format!("has {noun}");
        let mut facts = Vec::new();
        let mut at = at;
        loop {
            let end = self.name_at(at)?;
            facts.push(fact(of, &predicate, &self.text(at, end)));
            let next = end + usize::from(self.is(end, &["and", "&"]));
            if next < self.len()
                && (next > end || self.tokens[end - 1].gap == Gap::Comma)
                && self.name_at(next).is_some()
            {
                at = next;
                continue;
            }
            return (self.is_break(end) || self.is(end, FOLLOWS)).then_some(Read { facts, end });
        }
    }

    /// Reads a sentence about something of the speaker's that has one value.
    fn own_attribute(&self, at: usize) -> Option<Read> {
        let read = self.favourite(at).or_else(|| self.name_is(at)).or_else(|| self.birthday(at));
        read.or_else(|| self.attribute(at))
    }

    /// "My hometown is Omaha", "My blood type is AB".
    fn attribute(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.is(at, &["my"]) {
            return None;
        }
        let is = (at + 2..=at + 3).find(|is| self.is(*is, &["is"]) && self.joins(is - 1))?;
        let said = self.text(at + 1, is).to_lowercase();
        if !OWN.contains(&said.as_str()) {
            return None;
        }
        let value = self.noun(is + 1).filter(|value| value.determiner == Determiner::None)?;
        let place = said.starts_with("home") && !self.is_name(value.start, value.core);
        if place || value.core - value.start > 3 || !self.is_break(value.end) {
            return None;
        }
        let object = self.text(value.start, value.end);
        Some(Read { facts: vec![fact(speaker, &format!("has {said}"), &object)], end: value.end })
    }

    /// "My birthday is on 9 October".
    fn birthday(&self, at: usize) -> Option<Read> {
        let speaker = self.turn.speaker?;
        if !self.says(at, &["my", "birthday", "is"]) {
            return None;
        }
        let start = at + 3 + usize::from(self.is(at + 3, &["on"]));
        let start = start + usize::from(self.is(start, &["the"]));
        let end = (start + 2..=start + 3).find(|end| *end <= self.len() && self.is_break(*end))?;
        let has_month = (start..end)
            .any(|at| crate::calendar::MONTHS.iter().any(|month| month.eq_ignore_ascii_case(self.lower(at))));
        let has_day = (start..end).any(|at| self.lower(at).starts_with(|c: char| c.is_ascii_digit()));
        (has_month && has_day)
            .then(|| Read { facts: vec![fact(speaker, "has birthday", &self.text(start, end))], end })
    }

    /// Reads a state in the present.
    fn state(&self, subject: &Subject, at: usize) -> Option<Read> {
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

    /// Reads the first frame of a state whose words and object match. The verb stands at a position and is `said` so.
    fn frames(&self, subject: &Subject, at: usize, base: &str, said: &str) -> Option<Read> {
        STATES.iter().filter(|frame| frame.words[0] == base).find_map(|frame| {
            let rest = &frame.words[1..];
            let lasts = matches!(frame.object, Object::Lasting(_) | Object::Title);
            if !self.joins(at) || !self.says(at + 1, rest) || lasts && self.lower(at) == said {
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
                if self.says(end, &["on", "the", "way"])
                    || objects.iter().any(|object| object.ends_with("job"))
                {
                    return None;
                }
                let close = [Class::Kin, Class::Pet, Class::Condition];
                let noun = self.noun(at + 1)?;
                if subject.is_bare && close.iter().all(|class| self.head(noun, *class).is_none()) {
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
    fn named_object(&self, subject: &Subject, start: usize, end: usize) -> Option<Read> {
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

    /// Reads what follows "am", "is" or "are".
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
            let noun = self
                .noun(at + 2)
                .filter(|noun| noun.determiner != Determiner::My && noun.core - noun.start > 1)?;
            let tail = self.tail(noun.end)?;
            return Some(Self::stating(subject, "is part of", vec![self.text(noun.start, noun.end)], tail));
        }
        if self.is(at, &["a"]) && self.says(at + 1, &["member", "of"]) {
            let noun = self.noun(at + 3).filter(|noun| noun.determiner != Determiner::My)?;
            let tail = self.tail(noun.end)?;
            return Some(Self::stating(
                subject,
                "is a member of",
                vec![self.text(noun.start, noun.end)],
                tail,
            ));
        }
        if self.is(at, &["a"])
            && let Some(of) = (at + 1..at + 3).find(|at| self.says(*at, &["fan", "of"]))
        {
            return said("is a fan of", Object::Name, of + 2);
        }
        if self.says(at, &["allergic", "to"]) {
            return self.allergies(subject, at + 2);
        }
        if self.says(at, &["married", "to"]) || self.says(at, &["engaged", "to"]) {
            return said(&format!("is {} to", self.lower(at)), Object::Name, at + 2);
        }
        if subject.is_bare && self.is(at, &["my", "our"]) {
            let relative =
                self.relative(at).filter(|relative| relative.names.is_empty() && !relative.is_plural)?;
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

    /// "I'm 34", "My son is 12 years old".
    fn aged(&self, subject: &Subject, at: usize) -> Option<Read> {
        let age: u32 = self.lower(at).parse().ok().filter(|age| (1..=120).contains(age))?;
        let end = at + 1 + if self.says(at + 1, &["years", "old"]) && self.joins(at) { 2 } else { 0 };
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
            let fits = known && closed && !(subject.is_bare && words == "single");
            fits.then(|| Read { facts: vec![fact(&subject.name, "is", &words)], end })
        })
    }

    /// "I'm a freelance translator at Lingua".
    fn occupation(&self, subject: &Subject, at: usize) -> Option<Read> {
        let noun = self.noun(at).filter(|noun| noun.determiner == Determiner::Indefinite)?;
        self.head(noun, Class::Occupation)?;
        // "I'm a terrible cook": judged, not employed.
        if noun.start != at + 1 || noun.core - noun.start > 3 {
            return None;
        }
        let noun = self.attached(noun);
        let tail = self.tail(noun.end)?;
        Some(Self::stating(subject, "is a", vec![self.text(noun.start, noun.end)], tail))
    }

    /// "am working at", "have been living in".
    fn progressive(&self, subject: &Subject, at: usize, has_been: bool) -> Option<Read> {
        let (gerund, base) = PROGRESSIVES.iter().find(|(gerund, _)| self.is(at, &[gerund]))?;
        let said = if has_been { agreeing(base, Person::Third) } else { format!("is {gerund}") };
        self.frames(subject, at, base, &said)
    }

    /// Reads what happened: "moved to Lisbon", "was born in Oslo", "have joined a choir".
    fn past(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
        let have = agreeing("have", subject.person);
        let was = if matches!(subject.person, Person::We | Person::Plural) { "were" } else { "was" };
        let passive = |at: usize, auxiliary: &str| {
            PASSIVES.iter().find_map(|frame| self.framed(subject, at, frame, Some(auxiliary), moment))
        };
        if self.is(at, &[was]) && self.joins(at) {
            return passive(self.skip_adverbs(at + 1), "was");
        }
        if self.lower(at) == have && self.joins(at) {
            let next = self.skip_adverbs(at + 1);
            if self.is(next, &["been"]) {
                return passive(self.skip_adverbs(next + 1), "was");
            }
            return self.event(subject, next, moment);
        }
        self.event(subject, at, moment)
    }

    /// Reads an event whose verb stands at a position.
    fn event(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
        if self.is(at, &["started", "began"]) && self.joins(at) {
            let begun = BEGUN.iter().find_map(|(gerund, prepositions, object)| {
                self.begun(subject, at, (gerund, prepositions, *object), moment)
            });
            if begun.is_some() {
                return begun;
            }
            if let Some(read) = self.taken_up(subject, at, moment) {
                return Some(read);
            }
        }
        let framed = EVENTS.iter().find_map(|frame| self.framed(subject, at, frame, None, moment));
        framed.or_else(|| self.taken_along(subject, at, moment))
    }

    /// "started volunteering at the Harbour Shelter".
    fn begun(
        &self,
        subject: &Subject,
        at: usize,
        (gerund, prepositions, object): (&str, &[&str], Object),
        moment: Option<Moment>,
    ) -> Option<Read> {
        if !self.is(at + 1, &[gerund]) || !self.joins(at + 1) {
            return None;
        }
        let preposition = self.is(at + 2, prepositions).then(|| self.lower(at + 2));
        if preposition.is_none() && !prepositions.is_empty() {
            return None;
        }
        let next = at + 2 + usize::from(preposition.is_some());
        let (objects, end) = self.objects(next, &Frame { attaches: true, ..frame_of(object) })?;
        let tail = self.tail(end)?;
        let predicate: Vec<&str> = [self.lower(at), gerund].into_iter().chain(preposition).collect();
        Some(self.happened(subject, &predicate.join(" "), objects, tail, moment))
    }

    /// "started surfing five years ago".
    fn taken_up(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
        let gerund = self.lower(at + 1);
        if !gerund.ends_with("ing") || verbs(gerund).next().is_none() {
            return None;
        }
        let tail = self.tail(at + 2)?;
        let range = tail.moment.or(moment)?.range?;
        let lasts = range.from < self.turn.time - 7 * crate::calendar::DAY;
        lasts.then(|| self.happened(subject, self.lower(at), vec![gerund.to_owned()], tail, moment))
    }

    /// "took my kids to a pottery workshop".
    fn taken_along(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
        let noun =
            self.noun(at + 1).filter(|noun| noun.determiner == Determiner::My && noun.end == noun.core)?;
        if !self.is(at, &["took"]) || !self.is(noun.core, &["to"]) || !self.joins(noun.core - 1) {
            return None;
        }
        let (objects, end) = self.objects(noun.core + 1, &frame_of(Object::Of(&[Class::Event])))?;
        let tail = self.tail(end)?;
        Some(self.happened(subject, "went to", objects, tail, moment))
    }

    fn framed(
        &self,
        subject: &Subject,
        at: usize,
        frame: &Frame,
        auxiliary: Option<&str>,
        moment: Option<Moment>,
    ) -> Option<Read> {
        if !self.says(at, frame.words) {
            return None;
        }
        let next = at + frame.words.len();
        let words = frame.words.join(" ");
        let predicate = frame.predicate.map_or(words, str::to_owned);
        let predicate = auxiliary.map_or(predicate.clone(), |auxiliary| format!("{auxiliary} {predicate}"));
        if let Object::When = frame.object {
            return self.dated(subject, &predicate, next, moment);
        }
        if !self.joins(next - 1) {
            return None;
        }
        let (objects, end) = self.objects(next, frame)?;
        if frame.words == ["adopted"] || frame.words == ["got"] {
            if let Some(read) = self.named_object(subject, next, end) {
                return Some(read);
            }
        }
        // "I made a painting": any.
        if matches!(frame.words, ["made" | "created"]) && objects.iter().all(|object| !object.contains(' ')) {
            return None;
        }
        let tail = self.tail(end)?;
        let dated = tail.moment.or(moment).is_some_and(|moment| moment.range.is_some());
        let is_told = tail.moment.or(moment).is_some();
        if matches!(frame.object, Object::Activity) && !is_told
            || matches!(frame.object, Object::Dated(_)) && !dated
        {
            return None;
        }
        Some(self.happened(subject, &predicate, objects, tail, moment))
    }

    fn happened(
        &self,
        subject: &Subject,
        predicate: &str,
        objects: Vec<String>,
        tail: Tail,
        moment: Option<Moment>,
    ) -> Read {
        let range = tail.moment.or(moment).and_then(|moment| moment.range);
        let facts = objects.into_iter().take(1).map(|object| ReadFact {
            valid_from: range.map(|range| range.from),
            ..fact(&subject.name, predicate, &object)
        });
        Read { facts: facts.collect(), end: tail.end }
    }

    /// Reads an event without an object: "got married last May", "passed away on 3 March".
    fn dated(&self, subject: &Subject, predicate: &str, at: usize, moment: Option<Moment>) -> Option<Read> {
        let tail = self.tail(at)?;
        let moment = tail.moment.or(moment);
        let range = moment.and_then(|moment| moment.range);
        let valid_from = range.map(|range| range.from);
        if let Some((verb, state)) = predicate.split_once(' ')
            && (verb == "got" || matches!(state, "laid off" | "promoted"))
        {
            let fact = ReadFact { valid_from, ..fact(&subject.name, verb, state) };
            return Some(Read { facts: vec![fact], end: tail.end });
        }
        let (moment, range) = (moment?, range?);
        let preposition = if range.to - range.from > crate::calendar::DAY { "in" } else { "on" };
        let start = moment.start + usize::from(self.is(moment.start, &["on", "in", "back"]));
        let said = Some(self.text(start, moment.end));
        let said = said.filter(|said| said.contains(|c: char| c.is_ascii_digit()) && !said.ends_with("ago"));
        let object = said.unwrap_or_else(|| shown(range));
        let fact =
            ReadFact { valid_from, ..fact(&subject.name, &format!("{predicate} {preposition}"), &object) };
        Some(Read { facts: vec![fact], end: tail.end })
    }

    /// Returns the objects of a frame at a position, and the position after them.
    fn objects(&self, at: usize, frame: &Frame) -> Option<(Vec<String>, usize)> {
        if let Object::Title = frame.object {
            let token = self.tokens.get(at).filter(|token| token.is_title())?;
            return Some((vec![token.text.to_owned()], at + 1));
        }
        if let Object::Age = frame.object {
            self.lower(at).parse::<u32>().ok().filter(|age| (1..=120).contains(age))?;
            return Some((vec![self.lower(at).to_owned()], at + 1));
        }
        if let Object::Activity = frame.object {
            let lower = self.lower(at);
            let noun =
                matches!(lower, "something" | "nothing" | "anything" | "everything" | "morning" | "evening");
            let known = lower.ends_with("ing") && lower.len() > 5 && !noun;
            return known.then(|| (vec![lower.to_owned()], at + 1));
        }
        let noun = self.noun(at)?;
        let noun = if frame.attaches { self.attached(noun) } else { noun };
        let object = self.object_of(noun, frame.object)?;
        let mut objects = vec![object];
        let mut end = noun.end;
        // "two daughters and a son", "Danish and Polish".
        while matches!(frame.object, Object::Only(_))
            && frame.words.first().is_some_and(|word| matches!(*word, "have" | "speak"))
        {
            let next = end + usize::from(self.is(end, &["and"]));
            let listed = next < self.len() && (next > end || self.tokens[end - 1].gap == Gap::Comma);
            let more = listed.then(|| self.noun(next)).flatten();
            let Some((more, object)) =
                more.and_then(|noun| Some((noun, self.object_of(noun, frame.object)?)))
            else {
                break;
            };
            if !self.is_break(more.end) && !self.is(more.end, FOLLOWS) {
                break;
            }
            objects.push(object);
            end = more.end;
        }
        Some((objects, end))
    }

    /// Renders a noun phrase if a frame takes it.
    fn object_of(&self, noun: Noun, object: Object) -> Option<String> {
        let bound = match noun.determiner {
            Determiner::Indefinite | Determiner::Number => true,
            Determiner::The | Determiner::None => self.has_mark(noun.start, noun.end),
            Determiner::My => false,
            Determiner::This => matches!(object, Object::Only(classes) if classes.contains(&Class::Pet)),
        };
        let text = self.text(noun.start, noun.end);
        let in_class =
            |classes: &[Class]| classes.iter().find(|class| self.head(noun, **class).is_some()).copied();
        match object {
            Object::Name => (self.is_name(noun.start, noun.core)
                && matches!(noun.determiner, Determiner::None | Determiner::The))
            .then(|| self.text(noun.start, noun.core)),
            Object::Thing => {
                let plural = noun.determiner == Determiner::None
                    && noun.core - noun.start > 1
                    && self.lower(noun.core - 1).ends_with('s');
                (bound || plural).then_some(text)
            }
            Object::Own => (bound || noun.determiner == Determiner::My).then(|| self.object(noun)).flatten(),
            Object::Of(classes) => {
                let named = self.is_name(noun.start, noun.core) && noun.determiner != Determiner::My;
                let fits = in_class(classes).is_some() && (bound || noun.determiner == Determiner::My);
                (named || fits).then_some(text)
            }
            Object::Only(classes) | Object::Dated(classes) | Object::Lasting(classes) => {
                let class = in_class(classes)?;
                if class == Class::Language && noun.determiner != Determiner::None {
                    return None;
                }
                let alone = matches!(
                    class,
                    Class::Language
                        | Class::Instrument
                        | Class::Sport
                        | Class::Condition
                        | Class::Birth
                        | Class::Schooling
                );
                let fits = bound
                    || noun.determiner == Determiner::My
                    || noun.determiner == Determiner::None && alone;
                fits.then_some(text)
            }
            Object::Field => {
                let short = noun.core - noun.start <= 4 && noun.determiner != Determiner::My;
                let plain = (noun.start..noun.end).all(|at| !self.is(at, NO_FIELDS) && !self.is(at, LIGHT));
                (short && plain).then(|| self.text(noun.start, noun.core))
            }
            Object::Title | Object::Activity | Object::When | Object::Age => None,
        }
    }

    /// Checks that a clause may end at a position, and returns where it does, with the moment that follows.
    fn tail(&self, at: usize) -> Option<Tail> {
        let mut tail = Tail { end: at, moment: None, since: None };
        if let Some((end, since)) = self.since(at).filter(|_| !self.is_break(at)) {
            (tail.end, tail.since) = (end, since);
        }
        if let Some(moment) = self.past_moment(tail.end) {
            (tail.end, tail.moment) = (moment.end, Some(moment));
        }
        let follows = self.is_break(tail.end) || self.is(tail.end, FOLLOWS) || self.is(tail.end, ADVERBS);
        if !follows || self.is(tail.end, &["anymore"]) {
            return None;
        }
        let mut at = tail.end;
        while !self.is_break(at)
            && !self.is(at, ELSEWHERE)
            && tail.moment.is_none_or(|moment| moment.range.is_none())
        {
            if let Some(moment) = self.past_moment(at) {
                tail.moment = Some(moment);
                tail.end = moment.end;
                at = moment.end;
            } else {
                at += 1;
            }
        }
        Some(tail)
    }
}

/// Returns a frame without words, for its object.
fn frame_of(object: Object) -> Frame {
    Frame { words: &[], predicate: None, object, attaches: false }
}
