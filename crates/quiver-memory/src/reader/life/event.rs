//! Events in the past: moves, jobs, births, weddings, journeys and purchases, with their moments.

use quiver_language::word::verbs;

use crate::reader::{ReadFact, fact};

use super::{
    agreeing,
    clause::Read,
    frame::{BEGUN, EVENTS, Frame, Object, PASSIVES},
    lexicon::Class,
    line::Line,
    moment::{Moment, shown},
    noun::Determiner,
    object::{Tail, frame_of},
    subject::{Person, Subject},
};

impl Line<'_> {
    /// Reads a past event: "moved to Lisbon", "was born in Oslo", "have joined a choir".
    pub(super) fn past(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
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

    /// Reads an event whose verb is at a position.
    pub(super) fn event(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
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
        Some(Self::happened(subject, &predicate.join(" "), objects, tail, moment))
    }

    /// "started surfing five years ago".
    fn taken_up(&self, subject: &Subject, at: usize, moment: Option<Moment>) -> Option<Read> {
        let gerund = self.lower(at + 1);
        let is_light =
            matches!(gerund, "going" | "getting" | "doing" | "having" | "making" | "being" | "taking");
        if !gerund.ends_with("ing") || is_light || verbs(gerund).next().is_none() {
            return None;
        }
        let tail = self.tail(at + 2)?;
        let range = tail.moment.or(moment)?.range?;
        let lasts = range.from < self.turn.time - 7 * crate::calendar::DAY;
        lasts.then(|| Self::happened(subject, self.lower(at), vec![gerund.to_owned()], tail, moment))
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
        Some(Self::happened(subject, "went to", objects, tail, moment))
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
        // "We moved to Kafka".
        let is_team = subject.person == Person::We && self.is(subject.end - 1, &["we"]);
        if is_team && matches!(frame.words, ["moved" | "relocated", ..]) {
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
        if matches!(frame.words, ["adopted" | "got"])
            && let Some(read) = self.named_object(subject, next, end)
        {
            return Some(read);
        }
        // "I got my car back", "it got my goat".
        if matches!(frame.words, ["got"]) && self.is(next, &["my", "our"]) {
            return None;
        }
        // "I made a painting" is not specific.
        if matches!(frame.words, ["made" | "created"]) && objects.iter().all(|object| !object.contains(' ')) {
            return None;
        }
        let tail = self.tail(end)?;
        let dated = tail.moment.or(moment).is_some_and(|moment| moment.range.is_some());
        let is_told = tail.moment.or(moment).is_some();
        if Self::is_any(frame, &objects) && !dated || self.is_for_another(frame, end) {
            return None;
        }
        if matches!(frame.object, Object::Activity) && !is_told
            || matches!(frame.object, Object::Dated(_)) && !dated
        {
            return None;
        }
        Some(Self::happened(subject, &predicate, objects, tail, moment))
    }

    /// Whether the object is unspecific, so that only a date distinguishes the event from others: "went to an
    /// event".
    fn is_any(frame: &Frame, objects: &[String]) -> bool {
        const KINDS: &[Class] = &[
            Class::Event,
            Class::Journey,
            Class::Speech,
            Class::Award,
            Class::Craft,
            Class::Schooling,
            Class::Race,
        ];
        let is_kind = match frame.object {
            Object::Thing | Object::Own => true,
            Object::Of(classes) | Object::Only(classes) => classes.iter().any(|class| KINDS.contains(class)),
            _ => false,
        };
        let is_bare = |object: &String| !object.contains(' ') && !object.contains(char::is_uppercase);
        is_kind && objects.iter().all(is_bare)
    }

    /// Whether something was obtained for somebody else: "I bought a present for you".
    fn is_for_another(&self, frame: &Frame, at: usize) -> bool {
        matches!(frame.words, ["got" | "bought" | "purchased" | "adopted"])
            && self.is(at, &["for"])
            && self.is(at + 1, &["you", "him", "her", "them", "my", "our"])
    }

    fn happened(
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
        // "got married to my work".
        if self.is(at, &["to"]) && !self.is_break(at) {
            return None;
        }
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
}
