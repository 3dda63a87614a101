//! The words that a graph has: its labels, properties, values and types of relationships.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, OnceLock},
};

use quiver_cypher::{Moment, Value};
use quiver_language::{
    pack::{Class, Language},
    state::{State, state},
    word::{parts, stems},
};

use super::word::fold;
use crate::query::details::{NAME_KEYS, STATUS};

/// What kind of values a property has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum PropertyKind {
    Text,
    /// Texts that are sentences.
    Prose,
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
                let is_sentence = text.split_whitespace().count() >= SENTENCE_MIN
                    && text.trim_end().ends_with(['.', '!', '?', '…', '。']);
                match (is_date, is_sentence) {
                    (true, _) => Self::DateText,
                    (_, true) => Self::Prose,
                    _ => Self::Text,
                }
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

    /// The kind of a property by those of its values: what is mixed is [`Self::Other`], unless all are texts.
    pub(in crate::query) fn of_all(kinds: &[Self]) -> Self {
        let first = kinds.first().copied().unwrap_or(Self::Other);
        let count = |kind: Self| kinds.iter().filter(|one| **one == kind).count();
        if count(first) == kinds.len() {
            first
        } else if count(Self::Text) + count(Self::Prose) + count(Self::DateText) < kinds.len() {
            Self::Other
        } else if 2 * count(Self::Prose) >= kinds.len() {
            Self::Prose
        } else {
            Self::Text
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
    /// What a word of it says of the state of a thing.
    pub(super) state: Option<State>,
    /// Whether it says what has happened: `createdAt`, `completed`.
    pub(super) is_past: bool,
    pub(super) kind: PropertyKind,
}

impl Property {
    /// Whether its values are years.
    fn is_year(&self) -> bool {
        let year = stems("year");
        self.kind == PropertyKind::Number
            && self.words.iter().any(|word| word.iter().any(|stem| year.contains(stem)))
    }

    /// Whether it says in which state a node is, when it is due, or when it was over.
    pub(super) fn says_state(&self) -> bool {
        let is_status = self.kind == PropertyKind::Text
            && self
                .words
                .iter()
                .any(|word| STATUS.iter().any(|name| stems(name).iter().any(|stem| word.contains(stem))));
        is_status || self.state.is_some()
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
    /// The property that says when its nodes are due.
    pub(super) fn due(&self) -> Option<&Property> {
        self.properties.iter().find(|property| property.state == Some(State::Due) && property.is_time())
    }

    /// The property whose values are sentences; the first, if there are several.
    pub(super) fn prose(&self) -> Option<&str> {
        self.texts().find(|key| self.is_prose(key))
    }

    pub(super) fn is_prose(&self, key: &str) -> bool {
        self.property(key).is_some_and(|property| property.kind == PropertyKind::Prose)
    }

    /// The properties whose values are texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let are_texts = |property: &&Property| {
            matches!(property.kind, PropertyKind::Text | PropertyKind::Prose | PropertyKind::DateText)
        };
        self.properties.iter().filter(are_texts).map(|property| property.key.as_str())
    }

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
    /// Whether it says that one has the other: `OWNS`, `ASSIGNED_TO`.
    pub(super) is_held: bool,
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
    /// The names of nodes by each of their words, once they are asked for.
    names: OnceLock<HashMap<String, BTreeSet<Arc<str>>>>,
}

/// How many words a sentence has at least.
const SENTENCE_MIN: usize = 4;
/// The keys of properties that tell nodes apart, the best first.
const IDENTIFYING_KEYS: [&str; 6] = ["id", "key", "email", "login", "name", "title"];
/// In more names than this a word says nothing.
const NAMES_ALIKE_MAX: usize = 100;

/// Whether the first word of a name in code is a participle.
fn is_past(name: &str) -> bool {
    parts(name).first().is_some_and(|part| part.to_lowercase().ends_with("ed"))
}

/// What the first word of a name in code that says something of a state says.
fn state_of(name: &str) -> Option<State> {
    parts(name).into_iter().find_map(|part| state(&part.to_lowercase()))
}

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
            .map(|(key, kind)| {
                let (words, state, is_past) = (name_stems(&key), state_of(&key), is_past(&key));
                Property { key, words, state, is_past, kind }
            })
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
        let is_held = state_of(kind) == Some(State::Held);
        self.links.push(LinkType { kind: kind.to_owned(), words: rest, is_held, prepositions, ends });
    }

    /// The nodes that have these words, in small letters, in their names beside others; none if too many names have
    /// the first of them.
    pub(super) fn named_with(&self, words: &str) -> Vec<&Known> {
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<String, BTreeSet<Arc<str>>> = HashMap::new();
            for text in self.values.iter().filter(|(_, known)| known.iter().any(|one| self.is_name(one))) {
                let name: Arc<str> = Arc::from(text.0.as_str());
                for word in name.split(' ') {
                    names.entry(word.to_owned()).or_default().insert(Arc::clone(&name));
                }
            }
            names
        });
        let first = words.split(' ').next().unwrap_or_default();
        let Some(with_first) = names.get(first).filter(|names| names.len() <= NAMES_ALIKE_MAX) else {
            return Vec::new();
        };
        let inside = format!(" {words} ");
        let have = with_first
            .iter()
            .filter(|name| name.len() > words.len() && format!(" {name} ").contains(&inside));
        have.flat_map(|name| self.values.get(&**name).into_iter().flatten())
            .filter(|known| self.is_name(known))
            .collect()
    }

    /// The only node that has this value in a property that tells nodes apart; `None` if none or several have it.
    pub(super) fn node(&self, named: &str) -> Option<&Known> {
        let known = self.values.get(&fold(named))?;
        let rank = |known: &Known| IDENTIFYING_KEYS.iter().position(|key| *key == known.key);
        let best = known.iter().filter_map(rank).min()?;
        let mut found = known.iter().filter(|known| rank(known) == Some(best));
        let one = found.next()?;
        (found.next().is_none() && one.count == 1).then_some(one)
    }

    /// Whether a value is the name of a node.
    pub(super) fn is_name(&self, known: &Known) -> bool {
        self.labels[known.label].name_key.as_ref() == Some(&known.key)
    }

    /// The labels of the nodes that are linked to nodes with a label.
    pub(super) fn linked(&self, label: usize) -> BTreeSet<usize> {
        let ends = self.links.iter().flat_map(|link| &link.ends);
        ends.filter_map(|&(from, to)| match (from == label, to == label) {
            (true, _) => Some(to),
            (_, true) => Some(from),
            _ => None,
        })
        .collect()
    }

    fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label.name == name)
    }

    /// Whether there is nothing to ask for.
    pub(in crate::query) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}
