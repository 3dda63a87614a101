//! The words that a graph has: its labels, properties, values and types of relationships.

use std::collections::HashMap;

use quiver_cypher::{Moment, Value};
use quiver_language::{
    pack::{Class, Language},
    word::{parts, stems},
};

use super::word::fold;

/// What kind of values a property has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum PropertyKind {
    Text,
    Number,
    Boolean,
    Date,
    DateTime,
    /// Dates written as texts, such as `2026-02-11`.
    DateText,
    Other,
}

impl PropertyKind {
    /// The kind of a value.
    pub(in crate::query) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => {
                let is_date = text.len() == 10 && text.as_bytes()[4] == b'-' && Moment::read(text).is_some();
                if is_date { Self::DateText } else { Self::Text }
            }
            Value::Integer(_) | Value::Float(_) => Self::Number,
            Value::Boolean(_) => Self::Boolean,
            Value::Moment(moment) => {
                let text = moment.to_string();
                match (text.len(), text.contains('T')) {
                    (10, false) => Self::Date,
                    (_, true) => Self::DateTime,
                    _ => Self::Other,
                }
            }
            _ => Self::Other,
        }
    }

    fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::DateTime | Self::DateText)
    }
}

/// A property of the nodes with a label.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) key: String,
    /// The stems of each of its words.
    pub(super) words: Vec<Vec<u32>>,
    pub(super) kind: PropertyKind,
}

impl Property {
    /// Whether its values are years.
    fn is_year(&self) -> bool {
        let year = stems("year");
        self.kind == PropertyKind::Number
            && self.words.iter().any(|word| word.iter().any(|stem| year.contains(stem)))
    }

    pub(super) fn is_time(&self) -> bool {
        self.kind.is_time() || self.is_year()
    }
}

/// A label.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) words: Vec<Vec<u32>>,
    pub(super) properties: Vec<Property>,
    /// The property that tells its nodes apart for people.
    pub(super) name_key: Option<String>,
}

impl Label {
    pub(super) fn property(&self, key: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.key == key)
    }
}

/// A type of relationship.
#[derive(Clone, Debug)]
pub(super) struct LinkType {
    pub(super) kind: String,
    /// The stems of its content words without those of the labels at its ends.
    pub(super) words: Vec<Vec<u32>>,
    /// Its prepositions: "in" of `DEPLOYED_IN`.
    pub(super) prepositions: Vec<String>,
    /// The labels of its starts and ends.
    pub(super) ends: Vec<(usize, usize)>,
}

impl LinkType {
    /// The directions in which it joins two labels: forwards, backwards.
    pub(super) fn directions(&self, from: usize, to: usize) -> (bool, bool) {
        (self.ends.contains(&(from, to)), self.ends.contains(&(to, from)))
    }

    /// Whether its name is passive: `OWNED_BY`.
    pub(super) fn is_passive(&self) -> bool {
        self.prepositions.iter().any(|word| word == "by")
    }
}

/// A value that nodes have.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) label: usize,
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) count: u64,
}

/// The words that a graph has.
#[derive(Clone, Debug, Default)]
pub(in crate::query) struct Vocabulary {
    pub(super) labels: Vec<Label>,
    pub(super) links: Vec<LinkType>,
    /// Texts by their words in small letters.
    pub(super) values: HashMap<String, Vec<Known>>,
    /// The most words that a text has.
    pub(super) words_max: usize,
}

/// The keys of properties that name a node, the best first.
const NAME_KEYS: [&str; 4] = ["name", "title", "id", "key"];

fn name_stems(name: &str) -> Vec<Vec<u32>> {
    parts(name).into_iter().map(stems).collect()
}

impl Vocabulary {
    /// Adds a label with its properties.
    pub(in crate::query) fn add_label(&mut self, name: &str, properties: Vec<(String, PropertyKind)>) {
        let name_key = NAME_KEYS.iter().find(|name| properties.iter().any(|(key, _)| key == *name));
        let name_key = name_key.map(|key| (*key).to_owned());
        let properties = properties
            .into_iter()
            .map(|(key, kind)| Property { words: name_stems(&key), key, kind })
            .collect();
        self.labels.push(Label { name: name.to_owned(), words: name_stems(name), properties, name_key });
    }

    /// Adds a value that nodes with a label have.
    pub(in crate::query) fn add_value(&mut self, label: &str, key: &str, value: Value, count: u64) {
        let Some(label) = self.label(label) else { return };
        let Some(text) = value.as_str() else { return };
        let words = fold(text);
        let length = words.split(' ').count();
        if words.is_empty() || length > 12 {
            return;
        }
        self.words_max = self.words_max.max(length);
        let known = Known { label, key: key.to_owned(), value, count };
        self.values.entry(words).or_default().push(known);
    }

    /// Adds a type of relationship with the labels at its ends.
    pub(in crate::query) fn add_link(&mut self, kind: &str, ends: &[(String, String)]) {
        let ends: Vec<(usize, usize)> =
            ends.iter().filter_map(|(from, to)| Some((self.label(from)?, self.label(to)?))).collect();
        let mut prepositions = Vec::new();
        let mut words = Vec::new();
        for part in parts(kind) {
            let lower = part.to_lowercase();
            match Language::English.class(&lower) {
                Some(Class::Preposition) => prepositions.push(lower),
                Some(_) => {}
                None => words.push(stems(part)),
            }
        }
        let is_of_end = |word: &Vec<u32>| {
            let labels = ends.iter().flat_map(|&(from, to)| [from, to]);
            let mut words = labels.flat_map(|label| &self.labels[label].words);
            words.any(|other| other.iter().any(|stem| word.contains(stem)))
        };
        let rest: Vec<Vec<u32>> = words.iter().filter(|word| !is_of_end(word)).cloned().collect();
        self.links.push(LinkType { kind: kind.to_owned(), words: rest, prepositions, ends });
    }

    fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label.name == name)
    }

    /// Whether there is nothing to ask for.
    pub(in crate::query) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}
