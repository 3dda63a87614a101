//! Modifiers after a noun: "owned by Team A", "in eu-west-1", "with more than three incidents", "released before 2010".

use quiver_cypher::{Moment, Value};
use quiver_language::{
    Kind,
    asking::Asking,
    degree::comparative,
    time::{Precision, TimeRelation},
    word::{event_nouns, irregular_verb, stems, verbs},
};

use super::{
    Amount, Condition, Extreme, Link, Measure, Operator,
    grammar::{DEPTH_MAX, Found, Note, NounPhrase, Quantity, Reader, Said, Voice, holding_only, orient},
    lookup::Time,
    noun::equal,
    vocabulary::{LinkType, Property, PropertyKind},
    word::Word,
};

/// Maximum number of phrases read after a noun.
const MODIFIERS_MAX: usize = 4;

/// Negates a condition. Returns `None` if the result would be hard to understand.
pub(super) fn negated(condition: Condition) -> Option<Condition> {
    match condition {
        Condition::Link { link, node, amount: Amount::Some } => {
            Some(Condition::Link { link, node, amount: Amount::No })
        }
        Condition::Property { .. } | Condition::In { .. } | Condition::Present { .. } => {
            Some(Condition::Not(Box::new(condition)))
        }
        _ => None,
    }
}

impl Reader<'_> {
    /// Parses the conditions after a noun: any number of phrases, including none.
    pub(super) fn modifiers(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Vec<Condition>>> {
        let mut found = vec![Found::new(at, Vec::new())];
        let mut open = found.clone();
        for index in 0..MODIFIERS_MAX {
            let mut next = Vec::new();
            for before in &open {
                let start = if index == 0 { Some(before.end) } else { self.after_and(before.end) };
                for start in start.into_iter().chain((index > 0).then_some(before.end)) {
                    let carried = before.item.last().filter(|_| start > before.end);
                    let carried = carried.map(|last| self.carried(start, last, depth)).unwrap_or_default();
                    let mut ways: Vec<Found<Vec<Condition>>> = carried
                        .into_iter()
                        .map(|one| Found { end: one.end, item: vec![one.item], notes: one.notes })
                        .collect();
                    if ways.is_empty() {
                        ways = self.modifier(start, label, depth);
                    }
                    if index == 0 {
                        ways.extend(self.time_of(start, label));
                    }
                    for one in ways {
                        let conditions = [before.item.clone(), one.item].concat();
                        let notes = [before.notes.clone(), one.notes].concat();
                        next.push(Found { end: one.end, item: conditions, notes });
                    }
                }
            }
            found.extend(next.iter().cloned());
            open = next;
        }
        found
    }

    fn modifier(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Vec<Condition>>> {
        if depth >= DEPTH_MAX || !self.goes_on() || at >= self.words.list.len() {
            return Vec::new();
        }
        let mut found: Vec<Found<Condition>> = Vec::new();
        let (start, is_not) = self.after_not(at);
        let mut negatable = self.participle(start, label, depth);
        negatable.extend(self.prepositional(start, label, depth));
        for mut one in negatable {
            if is_not {
                let Some(condition) = negated(one.item) else { continue };
                one.item = condition;
                one.notes.push(self.note(at, start, "NOT"));
            }
            found.push(one);
        }
        found.extend(self.dated_by_key(at, label));
        found.extend(self.befallen(at, label, depth));
        found.extend(self.over_by_date(at, label));
        found.extend(self.on_my_plate(at, label));
        found.extend(self.to_be(at, label));
        // "Chores left to do"; "left" alone may be a verb.
        found.extend(self.remaining(at, label).into_iter().filter(|one| one.end > at + 1));
        if self.is(at, &["of"]) {
            found.extend(self.mine(at + 1, label));
        }
        if let Some(end) = self.phrase(at, Asking::Placed).filter(|_| self.links_at(at).is_empty()) {
            found.extend(self.prepositional(end, label, depth));
        }
        // "Tickets past their deadline".
        if self.phrase(at, Asking::Past).is_some() {
            found.extend(self.states(at, label));
        }
        if self.is(at, &["with", "having"]) {
            let said = self.had(at + 1, label, depth).into_iter();
            found.extend(said.filter_map(holding_only));
        }
        let attended = self.phrase(at, Asking::Attended).into_iter();
        found.extend(attended.flat_map(|end| self.counted(end, label)).filter_map(holding_only));
        found.extend(self.without(at, label, depth));
        if self.is(at, &["whose"]) {
            found.extend(self.whose(at + 1, label));
        }
        let mut all: Vec<Found<Vec<Condition>>> = found
            .into_iter()
            .map(|one| Found { end: one.end, item: vec![one.item], notes: one.notes })
            .collect();
        all.extend(self.relative(at, label, depth));
        all
    }

    /// Parses "without incidents".
    pub(super) fn without(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        if self.is(at, &["without"]) {
            for one in self.had(at + 1, label, depth) {
                if let Said::Holds(condition @ Condition::Link { .. }) = one.item
                    && let Some(condition) = negated(condition)
                {
                    let notes = [vec![self.note(at, at + 1, "NOT")], one.notes].concat();
                    found.push(Found { end: one.end, item: condition, notes });
                }
            }
        }
        found
    }

    /// Parses "that call …", "which are …", "that Team A owns".
    fn relative(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Vec<Condition>>> {
        let mut found = Vec::new();
        let is_pronoun = self.is_relative(at);
        if is_pronoun {
            for one in self.verb_phrases(at + 1, label, depth + 1) {
                let conditions: Option<Vec<Condition>> = one
                    .item
                    .into_iter()
                    .map(|said| match said {
                        Said::Holds(condition) => Some(condition),
                        Said::Extreme(_) | Said::Next(..) => None,
                    })
                    .collect();
                found.extend(conditions.map(|item| Found { end: one.end, item, notes: one.notes }));
            }
        }
        let start = at + usize::from(is_pronoun);
        found.extend(self.that_i_must_do(start, label));
        for subject in self.noun_phrase(start, depth + 1) {
            let Quantity::Of(amount @ (Amount::Some | Amount::No)) = subject.item.amount else { continue };
            if subject.item.extreme.is_some() || (!is_pronoun && !subject.item.is_name) {
                continue;
            }
            // "That Team A does not own", "I am responsible for".
            let (is_do, is_be) = (self.is_kind(subject.end, Kind::Do), self.is_kind(subject.end, Kind::Be));
            // "That Samir has not taken".
            let (after_have, _) = self.after_not(subject.end + 1);
            let is_perfect =
                self.is_kind(subject.end, Kind::Have) && self.word(after_have).is_some_and(Word::is_past);
            let is_auxiliary = is_do || is_be || is_perfect;
            let (verb_at, is_not) = self.after_not(subject.end + usize::from(is_auxiliary));
            let is_not = is_not || (is_auxiliary && self.is_negated(subject.end));
            if is_not && (!is_auxiliary || amount == Amount::No) {
                continue;
            }
            let amount = if is_not { Amount::No } else { amount };
            // "The chores I have in the bathroom".
            if !is_be && amount == Amount::Some && self.is_kind(verb_at, Kind::Have) {
                for holding in self.holding(label, &subject.item.node) {
                    let note = self.note(verb_at, verb_at + 1, holding.meaning);
                    let notes = [subject.notes.clone(), vec![note]].concat();
                    let held = Found { end: verb_at + 1, item: vec![holding.condition], notes };
                    found.extend(self.with_remaining(held, label, amount));
                }
            }
            found.extend(self.generally(verb_at, label, &subject, amount));
            for (verb_end, kind) in self.links_at(verb_at) {
                let from = subject.item.node.label;
                let voice = if is_be { self.voice_after_be(verb_at, verb_end) } else { Voice::Active };
                // "Is owned by" needs its "by", and "is deployed in" its "in".
                if is_be && voice != Voice::Active && !self.is_preposition(verb_end) {
                    continue;
                }
                let Some(mut link) = orient(kind, from, label, voice) else { continue };
                link.is_forward = !link.is_forward;
                let end = if voice == Voice::By {
                    verb_end + 1
                } else {
                    self.after_own_preposition(verb_end, kind)
                };
                let note = self.link_note(verb_at, end, &link);
                let node = subject.item.node.clone();
                let mut notes = [subject.notes.clone(), vec![note]].concat();
                notes.extend(is_not.then(|| self.note(subject.end, verb_at, "NOT")));
                found.push(Found { end, item: vec![Condition::Link { link, node, amount }], notes });
            }
        }
        found
    }

    /// Parses "owned by Team A", "deployed in eu-west-1", "calling deprecated APIs".
    pub(super) fn participle(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        for (verb_end, kind) in self.links_at(at) {
            let is_gerund = self.word(at).is_some_and(|word| word.norm.ends_with("ing"));
            let has_preposition = self.is_preposition(verb_end);
            let (start, voice) = match (is_gerund, has_preposition) {
                (true, false) => (verb_end, Voice::Active),
                // "Carried out by" for `CARRIES_OUT`.
                (_, true) if self.is_particle_before_by(verb_end, kind) => (verb_end + 2, Voice::By),
                (_, true) if self.is(verb_end, &["by"]) => (verb_end + 1, Voice::By),
                (true, true) if kind.prepositions.iter().any(|one| self.is(verb_end, &[one])) => {
                    (verb_end + 1, Voice::Active)
                }
                (false, true) => (verb_end + 1, Voice::Other),
                _ => continue,
            };
            let is_without = self.is(verb_end, &["without"]);
            for object in self.noun_phrase(start, depth + 1) {
                let Quantity::Of(amount) = object.item.amount else { continue };
                if object.item.extreme.is_some() || is_without && amount != Amount::Some {
                    continue;
                }
                let amount = if is_without { Amount::No } else { amount };
                let Some(link) = orient(kind, label, object.item.node.label, voice) else { continue };
                let note = self.link_note(at, start, &link);
                let notes = [vec![note], object.notes].concat();
                let item = Condition::Link { link, node: object.item.node, amount };
                found.push(Found { end: object.end, item, notes });
            }
        }
        found.extend(self.entrusted(at, label, depth));
        found
    }

    /// Whether the preposition here belongs to a verb in the passive: "out" in "carried out by".
    pub(super) fn is_particle_before_by(&self, at: usize, kind: &LinkType) -> bool {
        let is_own = self.word(at).is_some_and(|word| kind.prepositions.contains(&word.norm));
        is_own && !self.is(at, &["by"]) && self.is(at + 1, &["by"])
    }

    /// Parses what follows "and" or "but" if the verb before it counts for it too: "in Austria but *not in Spain*".
    pub(super) fn carried(&self, at: usize, before: &Condition, depth: u32) -> Vec<Found<Condition>> {
        let Condition::Link { link, node, amount: Amount::Some } = before else { return Vec::new() };
        let (start, is_not) = self.after_not(at);
        let object_at = start + usize::from(self.is_preposition(start));
        let is_repeated = object_at > start
            && self.words.list[..at].iter().any(|word| word.norm == self.words.list[start].norm);
        if object_at > start && !is_repeated || object_at == start && !is_not {
            return Vec::new();
        }
        let mut found = Vec::new();
        for object in self.noun_phrase(object_at, depth + 1) {
            let NounPhrase { node: other, amount, extreme, .. } = object.item;
            if other.label != node.label || amount != Quantity::Of(Amount::Some) || extreme.is_some() {
                continue;
            }
            let amount = if is_not { Amount::No } else { Amount::Some };
            let mut notes = vec![self.link_note(start, object.end, link)];
            notes.extend(is_not.then(|| self.note(at, start, "NOT")));
            notes.extend(object.notes);
            let item = Condition::Link { link: link.clone(), node: other, amount };
            found.push(Found { end: object.end, item, notes });
        }
        found
    }

    /// Parses "in eu-west-1", "of Team A".
    pub(super) fn prepositional(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        const PREPOSITIONS: [&str; 11] =
            ["of", "in", "on", "at", "by", "for", "from", "to", "within", "under", "about"];
        let mut found = self.linked_by_phrase(at, label, depth);
        if !self.is(at, &PREPOSITIONS) {
            return found;
        }
        let preposition = self.words.list[at].norm.as_str();
        for object in self.noun_phrase(at + 1, depth + 1) {
            let Quantity::Of(amount @ (Amount::Some | Amount::No)) = object.item.amount else { continue };
            if object.item.extreme.is_some() {
                continue;
            }
            for link in self.unnamed(label, object.item.node.label, Some(preposition)) {
                let note = self.link_note(at, at + 1, &link);
                let notes = [vec![note], object.notes.clone()].concat();
                let node = object.item.node.clone();
                found.push(Found { end: object.end, item: Condition::Link { link, node, amount }, notes });
            }
        }
        // A value of the node itself: "services in production", "services of tier 1".
        let start = self.after_article(at + 1);
        if matches!(preposition, "of" | "in" | "on" | "at" | "under") {
            for (key_end, key) in self.keys_at(start, label) {
                found.extend(self.compared(key_end, label, &key));
            }
        }
        for (end, known) in self.words.values.get(start).into_iter().flatten() {
            let name_key = self.vocabulary.labels[label].name_key.as_ref();
            if known.label == label && name_key != Some(&known.key) {
                let note = self.value_note(at, *end, label, &known.key, &known.value);
                found.push(Found::new(*end, equal(&known.key, known.value.clone())).noted([note]));
            }
        }
        found
    }

    /// Parses "on behalf of Ann", if that is the name of a type of relationship.
    fn linked_by_phrase(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let kinds = self.vocabulary.links.iter();
        let said = kinds.filter_map(|kind| Some((self.run(at, &kind.phrase)?, kind)));
        let mut found = Vec::new();
        for (start, kind) in said {
            for object in self.noun_phrase(start, depth + 1) {
                let NounPhrase { node, amount: Quantity::Of(amount), extreme: None, .. } = object.item else {
                    continue;
                };
                let Some(link) = orient(kind, label, node.label, Voice::Active) else { continue };
                let notes = [vec![self.link_note(at, start, &link)], object.notes].concat();
                found.push(Found { end: object.end, item: Condition::Link { link, node, amount }, notes });
            }
        }
        found
    }

    /// Parses what a node has: linked nodes, or a property with a value.
    pub(super) fn had(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        if depth >= DEPTH_MAX {
            return Vec::new();
        }
        let mut found = self.had_nodes(at, label, depth);
        let is_determiner = self.is_kind(at, Kind::Article) || self.is_kind(at, Kind::Possessive);
        let dated = self.named_times(at + usize::from(is_determiner), label).into_iter();
        found.extend(
            dated
                .flat_map(|(key_end, property)| self.within(at, key_end, property, label))
                .map(|one| Found { end: one.end, item: Said::Holds(one.item), notes: one.notes }),
        );
        let start = self.after_article(at);
        for (key_end, key) in self.keys_at(start, label) {
            let value_at = key_end + usize::from(self.is(key_end, &["of"]));
            found.extend(self.compared(value_at, label, &key).into_iter().map(|one| Found {
                end: one.end,
                item: Said::Holds(one.item),
                notes: one.notes,
            }));
        }
        for property in &self.vocabulary.labels[label].properties {
            for (value_end, value) in self.values_of(start, label, &property.key) {
                if let Some(end) = self.run(value_end, &property.words) {
                    let note = self.value_note(start, end, label, &property.key, &value);
                    let item = Said::Holds(equal(&property.key, value));
                    found.push(Found::new(end, item).noted([note]));
                }
            }
        }
        found.extend(self.counted(start, label));
        // "The next deadline".
        if self.is(start, &["next", "nearest", "earliest"]) {
            let limit = self.phrase(start + 1, Asking::Limit);
            found.extend(limit.into_iter().flat_map(|end| self.due_next(start, end, label)));
        }
        if let Some((after, degree)) = self.superlative(start) {
            let is_next = self.is(start, &["next"]);
            let is_due = |key: &String| self.vocabulary.labels[label].dues().any(|due| due.key == *key);
            for (end, key) in
                self.keys_at(after, label).into_iter().filter(|(_, key)| !is_next || !is_due(key))
            {
                let property = self.vocabulary.labels[label].property(&key);
                if property.is_some_and(|one| one.kind == PropertyKind::Number || one.is_time()) {
                    let note = self.extreme_note(start, end, label, &key, degree.is_high);
                    let extreme = Extreme { measure: Measure::Property(key), is_high: degree.is_high };
                    found.push(Found::new(end, Said::Extreme(extreme)).noted([note]));
                }
            }
        }
        found
    }

    /// Parses "more than 500 beds".
    pub(super) fn counted(&self, at: usize, label: usize) -> Vec<Found<Said>> {
        let Some((value_at, operator)) = self.comparison(at) else { return Vec::new() };
        let properties = self.vocabulary.labels[label].properties.iter();
        let mut found = Vec::new();
        for property in properties.filter(|property| property.kind == PropertyKind::Number) {
            for (value_end, value) in self.values_of(value_at, label, &property.key) {
                if let Some(end) = self.run(value_end, &property.words) {
                    found.push(self.compared_said(at, end, label, &property.key, (operator, value)));
                }
            }
        }
        found
    }

    /// Parses linked nodes as what a node has: "a K2 controller", "a K2 controller installed".
    pub(super) fn had_nodes(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let mut found = Vec::new();
        for object in self.noun_phrase(at, depth + 1) {
            if object.item.extreme.is_some() {
                continue;
            }
            let other = object.item.node.label;
            let unnamed = self.unnamed(label, other, None);
            let mut links: Vec<(usize, Link)> =
                unnamed.iter().map(|link| (object.end, link.clone())).collect();
            let said = self.links_at(object.end);
            if self.word(object.end).is_some_and(Word::is_past) {
                links.extend(said.iter().filter_map(|(end, kind)| {
                    let link = orient(kind, other, label, Voice::Other)?;
                    Some((*end, link.reversed()))
                }));
            }
            if let Some(end) = self.phrase(object.end, Asking::Equipped).filter(|_| said.is_empty()) {
                links.extend(unnamed.into_iter().map(|link| (end, link)));
            }
            for (end, link) in links {
                let note = self.link_note(at, end, &link);
                let notes = [object.notes.clone(), vec![note]].concat();
                let node = object.item.node.clone();
                let said = match object.item.amount {
                    Quantity::Of(amount) => Said::Holds(Condition::Link { link, node, amount }),
                    Quantity::Extreme { is_high } => {
                        Said::Extreme(Extreme { measure: Measure::Links(link, node), is_high })
                    }
                };
                found.push(Found { end, item: said, notes });
            }
        }
        found
    }

    /// Parses a value, or a comparison with one: "1", "above 5".
    pub(super) fn compared(&self, at: usize, label: usize, key: &str) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        let name = &self.vocabulary.labels[label].name;
        if let Some((start, operator)) = self.comparison(at) {
            let property = self.vocabulary.labels[label].property(key);
            let is_number = property.is_some_and(|one| one.kind == PropertyKind::Number);
            for (end, value) in self.values_of(start, label, key).into_iter().filter(|_| is_number) {
                let note = self.note(at, end, format!("{name}.{key} {} {value}", operator.text()));
                let item = Condition::Property { key: key.to_owned(), operator, value };
                found.push(Found::new(end, item).noted([note]));
            }
        } else {
            for (end, value) in self.values_of(at, label, key) {
                let note = self.value_note(at, end, label, key, &value);
                found.push(Found::new(end, equal(key, value.clone())).noted([note]));
                // "2 or more", "2 or lower".
                let is_number = self.vocabulary.labels[label]
                    .property(key)
                    .is_some_and(|one| one.kind == PropertyKind::Number);
                let degree = self.word(end + 1).filter(|_| is_number && self.is(end, &["or"]));
                let degree = degree.and_then(|word| comparative(&word.norm)).filter(|one| !one.is_time);
                if let Some(degree) = degree {
                    let operator = if degree.is_high { Operator::AtLeast } else { Operator::AtMost };
                    let note = self.note(at, end + 2, format!("{name}.{key} {} {value}", operator.text()));
                    let item = Condition::Property { key: key.to_owned(), operator, value };
                    found.push(Found::new(end + 2, item).noted([note]));
                }
            }
        }
        found
    }

    /// Returns the dates of a label that the words here name, with where they end: "start date", "deadline".
    fn named_times(&self, at: usize, label: usize) -> Vec<(usize, &Property)> {
        let of_label = &self.vocabulary.labels[label];
        let dates = of_label.properties.iter().filter(|property| property.is_time());
        let mut found: Vec<(usize, &Property)> =
            dates.filter_map(|property| Some((self.run(at, &property.words)?, property))).collect();
        if let Some(end) = self.phrase(at, Asking::Limit).filter(|_| found.is_empty()) {
            found.extend(of_label.dues().map(|due| (end, due)));
        }
        found
    }

    /// Parses a time after the name of a date.
    pub(super) fn within(
        &self,
        from: usize,
        at: usize,
        property: &Property,
        label: usize,
    ) -> Vec<Found<Condition>> {
        let start =
            at + usize::from(self.is(at, &["of"]) && !self.words.times.iter().any(|time| time.start == at));
        let times = self.words.times.iter().filter(|time| time.start == start);
        let found = times.filter_map(|time| {
            let note = self.time_note(from, time, label, property);
            Some(Found::new(time.end, dated(property, time)?).noted([note]))
        });
        found.collect()
    }

    /// Returns the times from here on by which something is to happen, with the condition that a due date lies in them.
    /// Can include those from which on it is.
    pub(super) fn by_time(&self, at: usize, due: &Property, may_be_after: bool) -> Vec<(&Time, Condition)> {
        let is_limit = |time: &&Time| {
            let is_after = matches!(time.relation, TimeRelation::After | TimeRelation::Since);
            may_be_after && is_after
                || matches!(
                    time.relation,
                    TimeRelation::During | TimeRelation::Until | TimeRelation::By | TimeRelation::Before
                )
        };
        let times = self.words.times.iter().filter(|time| time.start == at).filter(is_limit);
        times.filter_map(|time| Some((time, dated(due, time)?))).collect()
    }

    /// Parses "whose tier is 1", "whose status is not active".
    fn whose(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        for (key_end, key) in self.keys_at(at, label) {
            // "Whose approval has expired", "whose approval expired".
            let (start, is_not) = if self.is_kind(key_end, Kind::Be) || self.is_kind(key_end, Kind::Have) {
                self.after_not(key_end + 1)
            } else if self.word(key_end).is_some_and(Word::is_past) {
                (key_end, false)
            } else {
                continue;
            };
            let is_not = is_not || self.is_negated(key_end);
            let start = start + usize::from(self.is(start, &["been"]));
            if let Some(property) =
                self.vocabulary.labels[label].property(&key).filter(|one| one.is_time() && !is_not)
            {
                found.extend(self.within(at, start, property, label));
            }
            for one in self.compared(start, label, &key) {
                let item = if is_not { negated(one.item) } else { Some(one.item) };
                found.extend(item.map(|item| Found { end: one.end, item, notes: one.notes }));
            }
        }
        found
    }

    /// Parses "released in 2020": the words of a property, then a time.
    pub(super) fn dated_by_key(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        for property in self.vocabulary.labels[label].properties.iter().filter(|property| property.is_time())
        {
            // In "release date" and "release_year" the first word names the event.
            let said = self.run(at, property.words.get(..1).unwrap_or_default());
            let said = said.or_else(|| self.is_event_of(at, property).then_some(at + 1));
            // A deadline is when something is due.
            let of_label = &self.vocabulary.labels[label];
            let is_due = self.is(at, &["due"]) && of_label.dues().any(|due| due.key == property.key);
            let Some(end) = said.or_else(|| is_due.then_some(at + 1)) else { continue };
            // "Due back".
            let ends = [Some(end), self.run(at, &property.words).filter(|whole| *whole > end)];
            for time in self.words.times.iter().filter(|time| ends.contains(&Some(time.start))) {
                if let Some(condition) = dated(property, time) {
                    let note = self.time_note(at, time, label, property);
                    found.push(Found::new(time.end, condition).noted([note]));
                }
            }
        }
        found
    }

    /// Whether a participle here says the event that a date is named after: "born" for `birthYear`.
    fn is_event_of(&self, at: usize, date: &Property) -> bool {
        let Some(said) = self.word(at).filter(|word| word.is_past()) else { return false };
        let bases = verbs(&said.norm).chain(irregular_verb(&said.norm));
        let nouns: Vec<Vec<u32>> = bases.flat_map(event_nouns).map(stems).collect();
        date.words.first().is_some_and(|word| nouns.iter().flatten().any(|stem| word.contains(stem)))
    }

    /// Parses "in February 2026" right after a noun, for each of its dates.
    pub(super) fn time_of(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let mut found = Vec::new();
        // "From the 1950s" may mean in them, or since.
        if self.is(at, &["from"]) {
            return found;
        }
        for time in self.words.times.iter().filter(|time| time.start == at) {
            for property in
                self.vocabulary.labels[label].properties.iter().filter(|property| property.is_time())
            {
                if let Some(condition) = dated(property, time) {
                    let note = self.time_note(at, time, label, property);
                    found.push(Found::new(time.end, vec![condition]).noted([note]));
                }
            }
        }
        found
    }

    pub(super) fn time_note(&self, from: usize, time: &Time, label: usize, property: &Property) -> Note {
        let name = &self.vocabulary.labels[label].name;
        self.note(from, time.end, format!("{name}.{} within that time", property.key))
    }
}

impl Operator {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// Converts a time to a value of a property. Returns `None` if the property's values are not times of its precision.
pub(super) fn bound(property: &Property, milliseconds: i64, precision: Precision) -> Option<Value> {
    let text = Moment::from_unix_nanos(i128::from(milliseconds) * 1_000_000).to_string();
    let day = text.get(..10)?;
    match property.kind {
        PropertyKind::Date => Moment::read(day).map(Value::Moment),
        PropertyKind::DateTime => Moment::read(&format!("{day}T00:00Z")).map(Value::Moment),
        PropertyKind::DateText => Some(Value::from(day)),
        PropertyKind::Number if precision >= Precision::Year => {
            day.get(..4)?.parse().ok().map(Value::Integer)
        }
        _ => None,
    }
}

/// Returns the condition that a property lies within a time; `None` if its kind does not allow that.
fn dated(property: &Property, time: &Time) -> Option<Condition> {
    let (start, end) = (time.range.start, time.range.end);
    let (least, below) = match time.relation {
        TimeRelation::During => (Some(start), Some(end)),
        TimeRelation::Since | TimeRelation::Starting => (Some(start), None),
        TimeRelation::After => (Some(end), None),
        TimeRelation::Until | TimeRelation::By => (None, Some(end)),
        TimeRelation::Before => (None, Some(start)),
        _ => return None,
    };
    let mut all = Vec::new();
    for (milliseconds, operator) in [(least, Operator::AtLeast), (below, Operator::Less)] {
        if let Some(milliseconds) = milliseconds {
            all.push(Condition::Property {
                key: property.key.clone(),
                operator,
                value: bound(property, milliseconds, time.range.precision)?,
            });
        }
    }
    Some(Condition::All(all))
}
