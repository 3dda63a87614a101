//! The words of a graph: its labels, properties, values and types of relationships.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, OnceLock},
};

use quiver_cypher::{Moment, Value};
use quiver_language::{
    asking::{Asking, says},
    dimension::Unit,
    pack::{Class, Language},
    state::{State, state},
    word::{self, irregular_verb, is_adjective, parts, same_saying, stems, verbs},
};

use super::{
    standing::{Standing, standing},
    word::fold,
};
use crate::query::details::{NAME_KEYS, STATUS};

/// The kind of values that a property has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum PropertyKind {
    Text,
    /// Texts that are sentences.
    Prose,
    Number,
    Boolean,
    Date,
    DateTime,
    /// Dates written as texts, with or without a time: `2026-02-11`, `2026-02-11T09:30:00Z`.
    DateText,
    Other,
}

impl PropertyKind {
    /// Returns the kind of a value.
    pub(in crate::query) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => {
                let is_day = |day: &str| day.as_bytes()[4] == b'-' && Moment::read(day).is_some();
                let is_date = text.get(..10).is_some_and(is_day)
                    && (text.len() == 10 || Moment::read(&text.replacen(' ', "T", 1)).is_some());
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

    /// Returns the kind of a property from those of its values: mixed kinds are [`Self::Other`], unless all are texts.
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
    /// The state meaning of a word in it.
    pub(super) state: Option<State>,
    /// Whether it names a past event: `createdAt`, `completed`.
    pub(super) is_past: bool,
    pub(super) kind: PropertyKind,
    /// The units that its last word may be, if its values are numbers: `heightCm`.
    pub(super) units: Vec<Unit>,
    /// Its values, if they are few texts.
    pub(super) values: Vec<Value>,
}

impl Property {
    /// Whether its values are years.
    fn is_year(&self) -> bool {
        let year = stems("year");
        self.kind == PropertyKind::Number
            && self.words.iter().any(|word| word.iter().any(|stem| year.contains(stem)))
    }

    /// Whether it is called status, state or stage, and its values are texts.
    pub(super) fn is_status(&self) -> bool {
        let is_name =
            |word: &Vec<u32>| STATUS.iter().any(|name| stems(name).iter().any(|stem| word.contains(stem)));
        self.kind == PropertyKind::Text && self.words.iter().any(is_name)
    }

    /// Whether it is named after a value, by the first words of both: `filed_on` for "filed".
    pub(super) fn is_named_after(&self, value: &str) -> bool {
        let words = fold(value);
        let first = stems(words.split(' ').next().unwrap_or_default());
        self.words.first().is_some_and(|word| word.iter().any(|stem| first.contains(stem)))
    }

    /// Returns those of its values that may be nouns. An adjective is one beside nouns: "main" beside "starter".
    fn nouns(&self) -> Vec<String> {
        let values = self.values.iter().filter_map(Value::as_str).map(fold);
        let words = values.filter(|value| !value.contains(' ') && !word::is_past(value));
        let (adjectives, mut nouns): (Vec<String>, Vec<String>) = words.partition(|word| is_adjective(word));
        if nouns.len() > adjectives.len() && !self.is_status() {
            nouns.extend(adjectives);
        }
        nouns
    }

    /// Whether its values are known, and few.
    pub(super) fn has_few_values(&self) -> bool {
        (1..=PROPERTY_VALUES_MAX).contains(&self.values.len())
    }

    /// Whether it is a date whose name may say that a piece of work is to be over then: `targetDate`.
    fn is_aim(&self) -> bool {
        let is_aim = |part: &str| says(&part.to_lowercase(), Asking::Aim);
        self.is_time() && self.state.is_none() && parts(&self.key).into_iter().any(is_aim)
    }

    pub(super) fn is_time(&self) -> bool {
        self.kind.is_time() || self.is_year()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) words: Vec<Vec<u32>>,
    pub(super) properties: Vec<Property>,
    /// The property that identifies its nodes to people.
    pub(super) name_key: Option<String>,
}

impl Label {
    /// Returns the first property with a due date of its nodes.
    pub(super) fn due(&self) -> Option<&Property> {
        self.dues().next()
    }

    /// Returns the properties with a due date of its nodes: those that are called so, else the only one with a name such as
    /// `targetDate` if its nodes record whether they are over.
    pub(super) fn dues(&self) -> impl Iterator<Item = &Property> {
        let is_due = |property: &&Property| property.state == Some(State::Due) && property.is_time();
        let named: Vec<&Property> = self.properties.iter().filter(is_due).collect();
        let aims = self.properties.iter().filter(|property| named.is_empty() && property.is_aim());
        let aims: Vec<&Property> = aims.collect();
        let only = (aims.len() == 1 && self.records_end()).then_some(aims);
        named.into_iter().chain(only.into_iter().flatten())
    }

    /// Returns the statuses of its nodes: the properties that are called so, else those with a value that says that something
    /// is over, else those with only values that say how a piece of work stands.
    pub(super) fn statuses(&self) -> Vec<&Property> {
        let properties = self.properties.iter().filter(|one| one.kind == PropertyKind::Text);
        let properties =
            properties.filter(|one| self.name_key.as_ref() != Some(&one.key) && one.has_few_values());
        let (named, others): (Vec<&Property>, Vec<&Property>) = properties.partition(|one| one.is_status());
        if !named.is_empty() {
            return named;
        }
        let standings = |property: &Property| -> Vec<Standing> {
            let values = property.values.iter();
            values.map(|value| value.as_str().map_or(Standing::Unknown, standing)).collect()
        };
        let is_over = |one: &Standing| matches!(one, Standing::Over(_));
        let over: Vec<&Property> =
            others.iter().copied().filter(|one| standings(one).iter().any(is_over)).collect();
        if !over.is_empty() {
            return over;
        }
        let says_only_that = |property: &&Property| {
            let all = standings(property);
            all.contains(&Standing::Settled)
                && all.contains(&Standing::NotOver)
                && !all.contains(&Standing::Unknown)
        };
        others.into_iter().filter(says_only_that).collect()
    }

    /// Whether its nodes record whether they are over.
    fn records_end(&self) -> bool {
        let is_end = |property: &Property| {
            matches!(property.state, Some(State::Finished | State::Ended | State::Settled))
                && (property.is_time() || property.kind == PropertyKind::Boolean)
        };
        !self.statuses().is_empty() || self.properties.iter().any(is_end)
    }

    /// Returns the properties with the state of its nodes, when they are due, or when they were completed.
    pub(super) fn of_state(&self) -> Vec<&Property> {
        let keys = self.statuses().into_iter().chain(self.dues()).map(|property| property.key.as_str());
        let keys: BTreeSet<&str> = keys.collect();
        let says_state = |property: &&Property| {
            property.is_status() || property.state.is_some() || keys.contains(property.key.as_str())
        };
        self.properties.iter().filter(says_state).collect()
    }

    /// Returns the dates of past events, without those of events after which work goes on: `createdAt`.
    pub(super) fn past_dates(&self) -> impl Iterator<Item = &Property> {
        let goes_on = |key: &str| {
            parts(key).first().and_then(|first| state(&first.to_lowercase())) == Some(State::Going)
        };
        self.properties.iter().filter(move |one| one.is_time() && one.is_past && !goes_on(&one.key))
    }

    /// Returns the first property whose values are sentences.
    pub(super) fn prose(&self) -> Option<&str> {
        self.texts().find(|key| self.is_prose(key))
    }

    pub(super) fn is_prose(&self, key: &str) -> bool {
        self.property(key).is_some_and(|property| property.kind == PropertyKind::Prose)
    }

    /// Returns the properties whose values are texts.
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
    /// The stems of its content words, without those of the labels at its ends.
    pub(super) words: Vec<Vec<u32>>,
    /// The stems of all its words, if a preposition is the first and the last of them: `IN_AID_OF`.
    pub(super) phrase: Vec<Vec<u32>>,
    /// Whether it means that one holds the other: `OWNS`, `ASSIGNED_TO`.
    pub(super) is_held: bool,
    /// Whether it means that somebody has a piece of work: `TAKEN_BY`.
    pub(super) is_tended: bool,
    /// If it joins pieces of work: whether its start comes after its end, as in `WAITS_FOR`, or before it, as in `BLOCKS`.
    pub(super) is_needing: Option<bool>,
    /// The groups of verbs that say the same.
    pub(super) same_saying: u64,
    /// Its prepositions: "in" in `DEPLOYED_IN`.
    pub(super) prepositions: Vec<String>,
    /// The labels of its starts and ends.
    pub(super) ends: Vec<(usize, usize)>,
}

impl LinkType {
    /// Returns the directions in which it joins two labels: forwards, backwards.
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

/// The words of a graph.
#[derive(Clone, Debug, Default)]
pub(in crate::query) struct Vocabulary {
    pub(super) labels: Vec<Label>,
    pub(super) links: Vec<LinkType>,
    /// Texts by their words in lower case.
    pub(super) values: HashMap<String, Vec<Known>>,
    /// Maximum number of words in a text.
    pub(super) words_max: usize,
    /// The names of nodes by each of their words, computed when first needed.
    names: OnceLock<HashMap<String, BTreeSet<Arc<str>>>>,
    /// The properties whose values identify nodes of another label, with that label, computed when first needed.
    references: OnceLock<BTreeSet<(usize, String, usize)>>,
    /// The single words among the few values of properties, by the stems of each, computed when first needed.
    kinds: OnceLock<HashMap<u32, BTreeSet<String>>>,
}

/// Minimum number of words in a sentence.
const SENTENCE_MIN: usize = 4;
/// The keys of properties that identify nodes, the best first.
const IDENTIFYING_KEYS: [&str; 6] = ["id", "key", "email", "login", "name", "title"];
/// A word that occurs in more names than this is not significant.
const NAMES_ALIKE_MAX: usize = 100;

/// Maximum number of values of a property that are kept with it.
const PROPERTY_VALUES_MAX: usize = 24;

/// Whether the first word of a name in code is a participle.
fn is_past(name: &str) -> bool {
    parts(name).first().is_some_and(|part| part.to_lowercase().ends_with("ed"))
}

/// Returns the state meaning of the first word in a name in code that has one.
fn state_of(name: &str) -> Option<State> {
    let states = parts(name).into_iter().filter_map(|part| state(&part.to_lowercase()));
    states.into_iter().find(|state| *state != State::Going)
}

/// Returns the state meaning of a property. A date called "… by" is when something is due.
fn state_of_property(key: &str, kind: PropertyKind) -> Option<State> {
    let is_by = kind.is_time() && parts(key).last().is_some_and(|last| last.eq_ignore_ascii_case("by"));
    if is_by { Some(State::Due) } else { state_of(key) }
}

/// Whether a word of a relationship type is the name of a label: in the singular or plural, but not as a verb, as in
/// `FILMED_IN` for films.
fn is_label(part: &str, label: &str) -> bool {
    let lower = part.to_lowercase();
    let of_part = stems(part);
    let names = |word: &str| stems(word).iter().any(|stem| of_part.contains(stem));
    let is_verb = lower.ends_with("ed") || lower.ends_with("ing") || irregular_verb(&lower).is_some();
    // A curator is not what "curates" says.
    let is_agent = |word: &str| {
        let of_agent = |text: &str| ["er", "or", "ers", "ors"].iter().any(|ending| text.ends_with(ending));
        of_agent(&word.to_lowercase()) && !of_agent(&lower)
    };
    let names = |word: &str| !is_verb && !is_agent(word) && names(word);
    parts(label).into_iter().any(|word| word.eq_ignore_ascii_case(part) || names(word))
}

/// Whether the words of a relationship type are a verb of a class, with or without a final "by".
fn is_verb_of(words: &[&str], what: Asking, may_be_passive: bool) -> bool {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mut words: Vec<&str> = lower.iter().map(String::as_str).collect();
    words.pop_if(|last| may_be_passive && *last == "by");
    let Some((first, rest)) = words.split_first() else { return false };
    let is_verb = |base: &str| says(&[&[base], rest].concat().join(" "), what);
    // `CONDITIONAL_ON` is "be conditional on".
    if says(&[&["be", *first], rest].concat().join(" "), what) {
        return true;
    }
    verbs(first).any(is_verb) || irregular_verb(first).is_some_and(is_verb) || is_verb(first)
}

/// Returns the groups of verbs that say the same as the words of a relationship type: the whole, or without a final
/// preposition.
fn groups_of(words: &[&str]) -> u64 {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let words: Vec<&str> = lower.iter().map(String::as_str).collect();
    let Some(first) = words.first() else { return 0 };
    let mut bases: Vec<&str> = vec![first];
    bases.extend(irregular_verb(first));
    verbs(first).for_each(|base| bases.push(base));
    let ends = [words.len(), words.len() - 1, words.len().saturating_sub(2)];
    let groups = ends.into_iter().filter(|end| *end > 0).flat_map(|end| {
        let rest = &words[1..end];
        // What is cut off is a preposition.
        let is_cut = |word: &str| Language::English.class(word) == Some(Class::Preposition);
        let is_whole = words[end..].iter().all(|word| is_cut(word));
        bases
            .iter()
            .filter(move |_| is_whole)
            .map(move |base| same_saying(&[&[*base], rest].concat().join(" ")))
    });
    groups.fold(0, |all, group| all | group)
}

/// Whether a property identifies nodes by its name.
pub(super) fn is_identifying(key: &str) -> bool {
    IDENTIFYING_KEYS.contains(&key)
}

fn name_stems(name: &str) -> Vec<Vec<u32>> {
    parts(name).into_iter().map(stems).collect()
}

impl Vocabulary {
    pub(in crate::query) fn add_label(&mut self, name: &str, properties: Vec<(String, PropertyKind)>) {
        let name_key = NAME_KEYS.iter().find(|name| properties.iter().any(|(key, _)| key == *name));
        let name_key = name_key.map(|key| (*key).to_owned());
        let properties = properties
            .into_iter()
            .map(|(key, kind)| {
                let (words, state, is_past) =
                    (name_stems(&key), state_of_property(&key, kind), is_past(&key));
                let last = parts(&key).last().map(|last| last.to_lowercase());
                let last = last.filter(|_| kind == PropertyKind::Number);
                let units = last.iter().flat_map(|last| Unit::of_property(last)).collect();
                Property { key, words, state, is_past, kind, units, values: Vec::new() }
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
        let properties = &mut self.labels[label].properties;
        if let Some(property) = properties.iter_mut().find(|property| property.key == key)
            && property.values.len() <= PROPERTY_VALUES_MAX
        {
            property.values.push(value.clone());
        }
        let known = Known { label, key: key.to_owned(), value, count };
        self.values.entry(words).or_default().push(known);
    }

    /// Adds a type of relationship with the labels at its ends.
    pub(in crate::query) fn add_link(&mut self, kind: &str, ends: &[(String, String)]) {
        let ends: Vec<(usize, usize)> =
            ends.iter().filter_map(|(from, to)| Some((self.label(from)?, self.label(to)?))).collect();
        let mut prepositions = Vec::new();
        let mut words = Vec::new();
        let all = parts(kind);
        let is_preposition =
            |part: &str| Language::English.class(&part.to_lowercase()) == Some(Class::Preposition);
        for (at, part) in all.iter().copied().enumerate() {
            let lower = part.to_lowercase();
            match Language::English.class(&lower) {
                // In `HELD_UP_BY`, "up" belongs to the verb.
                Some(Class::Preposition)
                    if words.is_empty() || !all.get(at + 1).is_some_and(|next| is_preposition(next)) =>
                {
                    prepositions.push(lower);
                }
                Some(Class::Preposition) | None => words.push(part),
                Some(_) => {}
            }
        }
        let is_of_end = |part: &str| {
            let mut labels = ends.iter().flat_map(|&(from, to)| [from, to]);
            labels.any(|label| is_label(part, &self.labels[label].name))
        };
        let rest: Vec<Vec<u32>> = words.into_iter().filter(|part| !is_of_end(part)).map(stems).collect();
        let is_held = state_of(kind) == Some(State::Held);
        let is_tended = is_verb_of(&all, Asking::Tending, true);
        let is_passive = all.last().is_some_and(|last| last.eq_ignore_ascii_case("by"));
        let is_needing = if is_verb_of(&all, Asking::Awaiting, false)
            || is_passive && is_verb_of(&all, Asking::Hindering, true)
        {
            Some(true)
        } else {
            is_verb_of(&all, Asking::Hindering, false).then_some(false)
        };
        let ends_with_prepositions =
            [all.first(), all.last()].into_iter().all(|part| part.is_some_and(|part| is_preposition(part)));
        let is_phrase = ends_with_prepositions && !rest.is_empty();
        self.links.push(LinkType {
            kind: kind.to_owned(),
            words: rest,
            phrase: if is_phrase { all.iter().map(|part| stems(part)).collect() } else { Vec::new() },
            is_held,
            is_tended,
            is_needing,
            same_saying: groups_of(&all),
            prepositions,
            ends,
        });
    }

    /// Returns the nodes whose names contain these lower-case words among others; none if too many names contain the
    /// first of them.
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

    /// Returns the only node with this value in an identifying property; `None` if there are none or several.
    pub(super) fn node(&self, named: &str) -> Option<&Known> {
        let known = self.values.get(&fold(named))?;
        let rank = |known: &Known| IDENTIFYING_KEYS.iter().position(|key| *key == known.key);
        let best = known.iter().filter_map(rank).min()?;
        let mut found = known.iter().filter(|known| rank(known) == Some(best));
        let one = found.next()?;
        (found.next().is_none() && one.count == 1).then_some(one)
    }

    /// Whether the values of a property identify nodes of another label.
    pub(super) fn refers(&self, label: usize, key: &str, to: usize) -> bool {
        let references = self.references.get_or_init(|| {
            let mut references = BTreeSet::new();
            for known in self.values.values().filter(|known| known.len() > 1) {
                for of in known.iter().filter(|of| is_identifying(&of.key)) {
                    let others = known.iter().filter(|one| one.label != of.label && !self.is_name(one));
                    references.extend(others.map(|one| (one.label, one.key.clone(), of.label)));
                }
            }
            references
        });
        references.contains(&(label, key.to_owned(), to))
    }

    /// Returns the values of a label's property, as known by these words.
    pub(super) fn known(&self, words: &str, label: usize, key: &str) -> Option<&Known> {
        self.values.get(words)?.iter().find(|known| known.label == label && known.key == key)
    }

    /// Whether only one node with a label is identified by a text.
    pub(super) fn is_unshared(&self, text: &str, label: usize) -> bool {
        let known = self.values.get(&fold(text)).into_iter().flatten();
        let counts = known.filter(|one| one.label == label && is_identifying(&one.key)).map(|one| one.count);
        counts.sum::<u64>() == 1
    }

    /// Whether only one node with a label has a name.
    pub(super) fn is_only(&self, label: usize) -> bool {
        let known = self.values.values().flatten().filter(|one| one.label == label && self.is_name(one));
        known.map(|one| one.count).sum::<u64>() == 1
    }

    /// Returns the value that a word with these stems is as a noun: "striker" for "strikers". It must be a value of a single
    /// property.
    pub(super) fn kind(&self, word: &[u32]) -> Option<&Known> {
        let kinds = self.kinds.get_or_init(|| {
            let properties = self.labels.iter().flat_map(|label| &label.properties);
            let nouns = properties.filter(|one| one.has_few_values()).flat_map(Property::nouns);
            let mut kinds: HashMap<u32, BTreeSet<String>> = HashMap::new();
            for noun in nouns {
                for stem in stems(&noun) {
                    kinds.entry(stem).or_default().insert(noun.clone());
                }
            }
            kinds
        });
        let values: BTreeSet<&String> = word.iter().filter_map(|stem| kinds.get(stem)).flatten().collect();
        let mut known = values.into_iter().filter_map(|value| self.values.get(value)).flatten();
        let only = known.next().filter(|_| known.next().is_none())?;
        (!self.is_name(only)).then_some(only)
    }

    /// Whether a value is the name of a node.
    pub(super) fn is_name(&self, known: &Known) -> bool {
        self.labels[known.label].name_key.as_ref() == Some(&known.key)
    }

    /// Returns the labels of the nodes linked to nodes with a label.
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

    /// Whether there is nothing to ask about.
    pub(in crate::query) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}
