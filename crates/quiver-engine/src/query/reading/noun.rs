//! Noun phrases: "the deprecated APIs of Team A".

use quiver_cypher::Value;
use quiver_language::pack::{Class, Kind};

use super::{
    Amount, Condition, Described, Extreme, Measure, Operator,
    grammar::{DEPTH_MAX, Found, Note, NounPhrase, Quantity, Reader},
    vocabulary::{Known, PropertyKind},
};

/// How many words before a noun are read.
const PREMODIFIERS_MAX: usize = 3;

/// What stands before a noun.
#[derive(Clone, Debug)]
enum Premodifier<'v> {
    /// A value: of a property, or the name of a node that is linked.
    Value(usize, usize, &'v Known),
    /// "tier 1".
    KeyValue(usize, usize, String, Value),
    /// "public", for a property that is true.
    Flag(usize, usize, String),
    /// "non-deprecated".
    NotValue(usize, usize, &'v Known),
}

pub(super) fn equal(key: &str, value: Value) -> Condition {
    Condition::Property { key: key.to_owned(), operator: Operator::Equal, value }
}

impl<'v> Reader<'v> {
    /// The properties of a label whose words begin here, with where they end.
    pub(super) fn keys_at(&self, at: usize, label: usize) -> Vec<(usize, String)> {
        let properties = self.vocabulary.labels[label].properties.iter();
        properties.filter_map(|one| Some((self.run(at, &one.words)?, one.key.clone()))).collect()
    }

    fn kind_of(&self, label: usize, key: &str) -> PropertyKind {
        self.vocabulary.labels[label].property(key).map_or(PropertyKind::Other, |property| property.kind)
    }

    /// The values of a property that begin here, with where they end.
    pub(super) fn values_of(&self, at: usize, label: usize, key: &str) -> Vec<(usize, Value)> {
        if self.kind_of(label, key) == PropertyKind::Number {
            return self.number(at).map(|number| (at + 1, plain(number))).into_iter().collect();
        }
        let known = self.words.values.get(at).into_iter().flatten();
        let mut found: Vec<(usize, Value)> = known
            .filter(|(_, known)| known.label == label && known.key == key)
            .map(|(end, known)| (*end, known.value.clone()))
            .collect();
        // A value that is a number and no word: "version 1.4".
        if let Some(word) = self.word(at).filter(|word| word.is_number) {
            let known = self.vocabulary.values.get(&word.norm).into_iter().flatten();
            let known = known.filter(|known| known.label == label && known.key == key);
            found.extend(known.map(|known| (at + 1, known.value.clone())));
        }
        found
    }

    pub(super) fn value_note(&self, from: usize, to: usize, label: usize, key: &str, value: &Value) -> Note {
        self.note(from, to, format!("{}.{key} = {value}", self.vocabulary.labels[label].name))
    }

    /// The note on the name of a node, which says if several have it.
    fn name_note(&self, from: usize, to: usize, known: &Known) -> Note {
        let mut note = self.value_note(from, to, known.label, &known.key, &known.value);
        if known.count > 1 {
            let label = &self.vocabulary.labels[known.label].name;
            note.shared =
                Some(format!("{} nodes {label} have the {} {}", known.count, known.key, known.value));
        }
        note
    }

    fn is_name(&self, known: &Known) -> bool {
        self.vocabulary.labels[known.label].name_key.as_ref() == Some(&known.key)
    }

    /// The names of nodes that begin here, alternatives with "or" included: "Team A or Team B".
    fn names_at(&self, at: usize) -> Vec<Found<NounPhrase>> {
        let mut found = Vec::new();
        let known = |at: usize| self.words.values.get(at).into_iter().flatten().copied();
        for (end, one) in known(at).filter(|(_, known)| self.is_name(known)) {
            if self.word(end - 1).is_some_and(|word| word.is_possessive) {
                continue;
            }
            let note = self.name_note(at, end, one);
            let node = Described { label: one.label, conditions: vec![equal(&one.key, one.value.clone())] };
            let phrase =
                NounPhrase { node, amount: Quantity::Of(Amount::Some), extreme: None, is_name: true };
            found.push(Found::new(end, phrase.clone()).noted([note.clone()]));
            if !self.is(end, &["or"]) {
                continue;
            }
            for (other_end, other) in known(end + 1) {
                if (other.label, &other.key) == (one.label, &one.key) {
                    let mut phrase = phrase.clone();
                    let values = vec![one.value.clone(), other.value.clone()];
                    phrase.node.conditions = vec![Condition::In { key: one.key.clone(), values }];
                    let other_note = self.name_note(end + 1, other_end, other);
                    found.push(Found::new(other_end, phrase).noted([note.clone(), other_note]));
                }
            }
        }
        found
    }

    /// What determines a noun: an article, "no", "more than three", "the most".
    fn quantities(&self, at: usize) -> Vec<(usize, Quantity)> {
        let mut found = vec![(at, Quantity::Of(Amount::Some))];
        let after = self.after_article(at);
        if after > at {
            found.push((after, Quantity::Of(Amount::Some)));
        }
        if self.is(at, &["any", "some"]) {
            found.push((at + 1, Quantity::Of(Amount::Some)));
        }
        if self.is(at, &["no"]) {
            found.push((at + 1, Quantity::Of(Amount::No)));
        }
        let (start, operator) = self.comparison(at).unwrap_or((at, Operator::Equal));
        if start > at
            && let Some(number) = self.number(start).filter(|number| number.fract() == 0.0)
        {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number, and far smaller")]
            found.push((start + 1, Quantity::Of(Amount::Compared(operator, number as i64))));
        }
        let many = self.after_article(at);
        if self.is(many, &["most"]) && !self.is(many + 1, &["recent"]) {
            found.push((many + 1, Quantity::Extreme { is_high: true }));
        }
        if self.is(many, &["fewest"]) {
            found.push((many + 1, Quantity::Extreme { is_high: false }));
        }
        found
    }

    /// Noun phrases that begin here: names, and described nodes with their modifiers.
    pub(super) fn noun_phrase(&self, at: usize, depth: u32) -> Vec<Found<NounPhrase>> {
        if depth > DEPTH_MAX || !self.goes_on() {
            return Vec::new();
        }
        let mut found = self.names_at(at);
        let after = self.after_article(at);
        if after > at {
            found.extend(self.names_at(after));
        }
        found.extend(self.described(at, depth));
        found
    }

    /// Noun phrases whose noun is a label.
    pub(super) fn described(&self, at: usize, depth: u32) -> Vec<Found<NounPhrase>> {
        let mut found = Vec::new();
        for (start, amount) in self.quantities(at) {
            let superlative = self.superlative(start);
            let starts = [Some((start, None)), superlative.map(|(end, degree)| (end, Some((start, degree))))];
            for (start, degree) in starts.into_iter().flatten() {
                for (head, before) in self.premodifiers(start) {
                    for label in 0..self.vocabulary.labels.len() {
                        let Some(end) = self.run(head, &self.vocabulary.labels[label].words) else {
                            continue;
                        };
                        let name = &self.vocabulary.labels[label].name;
                        let note = self.note(head, end, format!(":{name}"));
                        for (conditions, notes) in self.resolved(&before, label) {
                            let node = Described { label, conditions };
                            let base = NounPhrase { node, amount, extreme: None, is_name: false };
                            let base = Found::new(end, base).noted(notes).noted([note.clone()]);
                            let Some((from, degree)) = degree else {
                                found.extend(self.with_modifiers(&base, depth));
                                continue;
                            };
                            if !degree.is_time {
                                continue;
                            }
                            let properties = self.vocabulary.labels[label].properties.iter();
                            for property in properties.filter(|property| property.is_time()) {
                                let measure = Measure::Property(property.key.clone());
                                let extreme = Extreme { measure, is_high: degree.is_high };
                                let side = if degree.is_high { "highest" } else { "lowest" };
                                let meaning = format!("{side} {name}.{}", property.key);
                                let mut base = base.clone().noted([self.note(from, start, meaning)]);
                                base.item.extreme = Some(extreme);
                                found.extend(self.with_modifiers(&base, depth));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// A noun with a name behind it ("the service checkout") and with its modifiers.
    fn with_modifiers(&self, base: &Found<NounPhrase>, depth: u32) -> Vec<Found<NounPhrase>> {
        let label = base.item.node.label;
        let mut found = Vec::new();
        for name in self.names_at(base.end) {
            if name.item.node.label == label && base.item.amount == Quantity::Of(Amount::Some) {
                let mut phrase = base.item.clone();
                phrase.node.conditions.extend(name.item.node.conditions);
                phrase.is_name = true;
                let notes = [base.notes.clone(), name.notes].concat();
                found.push(Found { end: name.end, item: phrase, notes });
            }
        }
        for rest in self.modifiers(base.end, label, depth) {
            let mut phrase = base.item.clone();
            phrase.node.conditions.extend(rest.item);
            let notes = [base.notes.clone(), rest.notes].concat();
            found.push(Found { end: rest.end, item: phrase, notes });
        }
        found
    }

    /// What may stand before a noun from here on, with where the noun begins.
    fn premodifiers(&self, at: usize) -> Vec<(usize, Vec<Premodifier<'v>>)> {
        let mut found = vec![(at, Vec::new())];
        let mut open = found.clone();
        for _ in 0..PREMODIFIERS_MAX {
            let mut next = Vec::new();
            for (start, before) in &open {
                for (end, one) in self.premodifier(*start) {
                    let mut before: Vec<Premodifier<'v>> = before.clone();
                    before.push(one);
                    next.push((end, before));
                }
            }
            found.extend(next.iter().cloned());
            open = next;
        }
        found
    }

    fn premodifier(&self, at: usize) -> Vec<(usize, Premodifier<'v>)> {
        let mut found = Vec::new();
        let known = |at: usize| self.words.values.get(at).into_iter().flatten().copied();
        for (end, known) in known(at) {
            found.push((end, Premodifier::Value(at, end, known)));
            // "high severity".
            let property = self.vocabulary.labels[known.label].property(&known.key);
            if let Some(key_end) = property.and_then(|property| self.run(end, &property.words)) {
                let (key, value) = (known.key.clone(), known.value.clone());
                found.push((key_end, Premodifier::KeyValue(at, key_end, key, value)));
            }
        }
        if self.is(at, &["non", "not"]) {
            for (end, known) in known(at + 1) {
                found.push((end, Premodifier::NotValue(at, end, known)));
            }
        }
        for label in 0..self.vocabulary.labels.len() {
            for (key_end, key) in self.keys_at(at, label) {
                if self.kind_of(label, &key) == PropertyKind::Boolean {
                    found.push((key_end, Premodifier::Flag(at, key_end, key.clone())));
                }
                for (end, value) in self.values_of(key_end, label, &key) {
                    found.push((end, Premodifier::KeyValue(at, end, key.clone(), value)));
                }
            }
        }
        found
    }

    /// What stands before a noun as conditions on nodes with its label; all ways to read it.
    fn resolved(&self, before: &[Premodifier<'v>], label: usize) -> Vec<(Vec<Condition>, Vec<Note>)> {
        let mut found: Vec<(Vec<Condition>, Vec<Note>)> = vec![(Vec::new(), Vec::new())];
        for one in before {
            let mut ways: Vec<(Condition, Note)> = Vec::new();
            match one {
                Premodifier::Value(from, to, known) => {
                    if known.label == label {
                        let note = if self.is_name(known) {
                            self.name_note(*from, *to, known)
                        } else {
                            self.value_note(*from, *to, label, &known.key, &known.value)
                        };
                        ways.push((equal(&known.key, known.value.clone()), note));
                    } else if self.is_name(known) {
                        for link in self.unnamed(label, known.label, None) {
                            let conditions = vec![equal(&known.key, known.value.clone())];
                            let node = Described { label: known.label, conditions };
                            let mut note = self.name_note(*from, *to, known);
                            note.meaning =
                                format!("{}, {}", self.link_note(*from, *to, &link).meaning, note.meaning);
                            ways.push((Condition::Link { link, node, amount: Amount::Some }, note));
                        }
                    }
                }
                Premodifier::NotValue(from, to, known) if known.label == label && !self.is_name(known) => {
                    let mut note = self.value_note(*from, *to, label, &known.key, &known.value);
                    note.meaning = format!("NOT {}", note.meaning);
                    ways.push((Condition::Not(Box::new(equal(&known.key, known.value.clone()))), note));
                }
                Premodifier::NotValue(..) => {}
                Premodifier::KeyValue(from, to, key, value) => {
                    if self.vocabulary.labels[label].property(key).is_some() {
                        let note = self.value_note(*from, *to, label, key, value);
                        ways.push((equal(key, value.clone()), note));
                    }
                }
                Premodifier::Flag(from, to, key) => {
                    if self.kind_of(label, key) == PropertyKind::Boolean {
                        let value = Value::Boolean(true);
                        let note = self.value_note(*from, *to, label, key, &value);
                        ways.push((equal(key, value), note));
                    }
                }
            }
            let mut next = Vec::new();
            for (conditions, notes) in &found {
                for (condition, note) in &ways {
                    let mut conditions = conditions.clone();
                    let mut notes = notes.clone();
                    conditions.push(condition.clone());
                    notes.push(note.clone());
                    next.push((conditions, notes));
                }
            }
            found = next;
        }
        found
    }

    /// Whether a noun may follow a pronoun here: "that", "which", "who".
    pub(super) fn is_relative(&self, at: usize) -> bool {
        self.is(at, &["that"]) || self.is_kind(at, Kind::Relative)
    }

    /// Whether a word is "not" or ends in "n't".
    pub(super) fn after_not(&self, at: usize) -> (usize, bool) {
        let is_not = self.is(at, &["not", "never"]);
        (at + usize::from(is_not), is_not)
    }

    /// Whether the auxiliary here is negated by itself: "doesn't".
    pub(super) fn is_negated(&self, at: usize) -> bool {
        let is_auxiliary = |word: &super::word::Word| word.class == Some(Class::Auxiliary);
        self.word(at).is_some_and(|word| is_auxiliary(word) && word.norm.ends_with("n't"))
    }
}

/// A number as a value: whole ones are integers.
pub(super) fn plain(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number within 53 bits")]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::Integer(number as i64)
    } else {
        Value::Float(number)
    }
}
