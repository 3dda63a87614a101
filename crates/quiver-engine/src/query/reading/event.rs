//! Events that happen to things: "suffered damage in May", "in which wards was there a fault", "affected by an outage".

use quiver_cypher::Value;
use quiver_language::{
    asking::{Asking, says},
    pack::{Class, Kind},
    word::{irregular_verb, is_past, stems, verbs},
};

use super::{
    Amount, Asked, Condition, Link, Understood,
    grammar::{Found, NounPhrase, Quantity, Reader, Said, ask},
    noun::equal,
    vocabulary::Property,
    word::fold,
};

impl Reader<'_> {
    /// Returns the links by which events of one label happen to nodes with another, from the latter. A node that a link
    /// names as the agent, as in `REPORTED_BY`, is not one that something happened to.
    fn happened_to(&self, label: usize, event: usize) -> Vec<Link> {
        let links = self.unnamed(label, event, None).into_iter();
        let happened = links.filter(|link| {
            let kind = self.vocabulary.links.iter().find(|kind| kind.kind == link.kind);
            kind.is_some_and(|kind| match (link.is_forward, kind.is_passive()) {
                // "A fault *affected* the ward", or "the ward *was hit by* a fault".
                (false, is_passive) => !is_passive,
                (true, true) => true,
                // "The ward *has* a fault".
                (true, false) => kind.words.is_empty() && kind.prepositions.is_empty(),
            })
        });
        happened.collect()
    }

    /// Parses events: nodes with a date that are not named, each as a condition on what they happened to.
    fn events(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        for event in self.described(at, depth + 1) {
            let NounPhrase { node, amount, extreme, is_name } = event.item;
            let Quantity::Of(amount) = amount else { continue };
            let is_dated = self.vocabulary.labels[node.label].properties.iter().any(Property::is_time);
            if extreme.is_some() || is_name || !is_dated {
                continue;
            }
            for link in self.happened_to(label, node.label) {
                let notes = [vec![self.link_note(at, event.end, &link)], event.notes.clone()].concat();
                let item = Condition::Link { link, node: node.clone(), amount };
                found.push(Found { end: event.end, item, notes });
            }
        }
        found
    }

    /// Parses "suffered damage", "received a complaint", "came in a delivery".
    pub(super) fn undergone(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let is_undergoing = self.word(at).is_some_and(|word| {
            says(&word.norm, Asking::Undergoing)
                || verbs(&word.norm).any(|verb| says(verb, Asking::Undergoing))
        });
        let mut ends = self.verb_ends(at, Asking::Arriving, false);
        ends.extend(is_undergoing.then_some(at + 1));
        if !self.links_at(at).is_empty() {
            return Vec::new();
        }
        let events = ends.into_iter().flat_map(|end| self.events(end, label, depth));
        events.map(|one| Found { end: one.end, item: Said::Holds(one.item), notes: one.notes }).collect()
    }

    /// Parses "failed an inspection": the verb is the value of a property of the event.
    pub(super) fn outcome(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let Some(verb) = self.word(at) else { return Vec::new() };
        self.with_outcome(at, at + 1, label, depth, |value| {
            let is_past = is_past(value) || irregular_verb(value).is_some();
            is_past && stems(value).iter().any(|stem| verb.stems.contains(stem))
        })
    }

    /// Parses "rejected in an inspection" after "be".
    pub(super) fn outcome_in(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let Some(said) = self.word(at).filter(|_| self.is(at + 1, &["in", "at", "during", "by"])) else {
            return Vec::new();
        };
        self.with_outcome(at, at + 2, label, depth, |value| value == said.norm)
    }

    /// Parses an event from a word on, with the values of its properties that the verb before it says.
    fn with_outcome(
        &self,
        at: usize,
        event_at: usize,
        label: usize,
        depth: u32,
        is_said: impl Fn(&str) -> bool,
    ) -> Vec<Found<Said>> {
        let mut found = Vec::new();
        if !self.links_at(at).is_empty() {
            return found;
        }
        for event in self.events(event_at, label, depth) {
            let Condition::Link { link, node, amount: Amount::Some } = event.item else { continue };
            let of_event = &self.vocabulary.labels[node.label];
            let says = |value: &Value| value.as_str().is_some_and(|value| is_said(&fold(value)));
            for property in of_event.properties.iter().filter(|property| property.has_few_values()) {
                for value in property.values.iter().filter(|value| says(value)) {
                    let mut node = node.clone();
                    node.conditions.push(equal(&property.key, value.clone()));
                    let note = self.value_note(at, at + 1, node.label, &property.key, value);
                    let item = Condition::Link { link: link.clone(), node, amount: Amount::Some };
                    let notes = [vec![note], event.notes.clone()].concat();
                    found.push(Found { end: event.end, item: Said::Holds(item), notes });
                }
            }
        }
        found
    }

    /// Parses "happened to devices in the ward", "occurred in January", for events with a label.
    pub(super) fn happens_to(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let mut found = Vec::new();
        for end in self.verb_ends(at, Asking::Happening, false) {
            let mut dates = self.vocabulary.labels[label].properties.iter().filter(|one| one.is_time());
            if dates.next().is_some() && dates.next().is_none() {
                found.extend(self.time_of(end, label).into_iter().filter_map(|mut time| {
                    let item = Said::Holds(time.item.pop()?);
                    Some(Found { end: time.end, item, notes: time.notes })
                }));
            }
            if !self.is(end, &["to", "in", "at", "on"]) {
                continue;
            }
            for thing in self.noun_phrase(end + 1, depth + 1) {
                let NounPhrase { node, amount: Quantity::Of(amount), extreme: None, .. } = thing.item else {
                    continue;
                };
                for link in self.happened_to(node.label, label) {
                    let link = link.reversed();
                    let notes = [vec![self.link_note(at, end + 1, &link)], thing.notes.clone()].concat();
                    let item = Said::Holds(Condition::Link { link, node: node.clone(), amount });
                    found.push(Found { end: thing.end, item, notes });
                }
            }
        }
        found
    }

    /// Parses "affected by an outage".
    pub(super) fn befallen(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let Some(end) = self.phrase(at, Asking::Befallen).filter(|end| self.is(*end, &["by"])) else {
            return Vec::new();
        };
        if self.links_at(at).is_empty() { self.events(end + 1, label, depth) } else { Vec::new() }
    }

    /// Parses "In which wards was there a fault", "In which wards did a fault occur", "In which regions is checkout
    /// deployed".
    pub(super) fn in_which(&self) -> Vec<Found<Understood>> {
        let is_preposition = self.word(0).is_some_and(|word| word.class == Some(Class::Preposition));
        if !is_preposition || !self.is(1, &["which", "what"]) {
            return Vec::new();
        }
        let preposition = self.words.list[0].norm.as_str();
        let mut found = Vec::new();
        for subject in self.described(2, 0).into_iter().filter(|subject| !subject.item.is_name) {
            let (at, label) = (subject.end, subject.item.node.label);
            let mut rest: Vec<Found<Vec<Condition>>> = Vec::new();
            if self.is_kind(at, Kind::Be) && !self.is_negated(at) && self.is(at + 1, &["there"]) {
                rest.extend(self.events(at + 2, label, 0).into_iter().map(one_condition));
            }
            if self.is_kind(at, Kind::Do) && !self.is_negated(at) {
                rest.extend(self.happening(at + 1, label));
            }
            rest.extend(self.asked_of_with(at, label, preposition));
            for rest in rest {
                let notes = [subject.notes.clone(), rest.notes].concat();
                let said: Vec<Said> = rest.item.into_iter().map(Said::Holds).collect();
                found.extend(ask(&Asked::Nodes, &subject, &said, rest.end, notes));
            }
        }
        found
    }

    /// Parses "a fault occur in August": an event, a verb, and its time.
    fn happening(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let mut found = Vec::new();
        for event in self.events(at, label, 0) {
            let Some(end) = self.phrase(event.end, Asking::Happening) else { continue };
            let Condition::Link { link, node, amount: Amount::Some } = &event.item else { continue };
            found.push(Found { end, item: vec![event.item.clone()], notes: event.notes.clone() });
            for time in self.time_of(end, node.label) {
                let mut node = node.clone();
                node.conditions.extend(time.item);
                let item = vec![Condition::Link { link: link.clone(), node, amount: Amount::Some }];
                found.push(Found { end: time.end, item, notes: [event.notes.clone(), time.notes].concat() });
            }
        }
        found
    }

    /// Parses "is checkout deployed" after "in which regions": the preposition stands in front.
    fn asked_of_with(&self, at: usize, label: usize, preposition: &str) -> Vec<Found<Vec<Condition>>> {
        let own = |condition: &Condition| {
            let Condition::Link { link, .. } = condition else { return false };
            let mut kinds = self.vocabulary.links.iter().filter(|kind| kind.kind == link.kind);
            kinds.any(|kind| kind.prepositions.iter().any(|one| one == preposition))
        };
        self.asked_of(at, label).into_iter().filter(|one| one.item.iter().all(own)).collect()
    }
}

fn one_condition(found: Found<Condition>) -> Found<Vec<Condition>> {
    Found { end: found.end, item: vec![found.item], notes: found.notes }
}
