//! Questions read as queries, without a model.
//!
//! A question is a query only if the grammar accounts for each of its words: by a label, a type of relationship, a
//! property, a value, a time, or a word of the grammar. Everything else is not a query. All readings are collected, and
//! an ambiguous question has none.

mod cypher;
mod event;
mod finish;
mod general;
mod grammar;
mod holding;
mod idle;
mod lookup;
mod measured;
mod named;
mod noun;
mod phrase;
mod schema_text;
mod standing;
mod state;
mod texts;
#[cfg(test)]
mod tests;
mod verb;
mod vocabulary;
mod word;

use std::collections::BTreeMap;

use quiver_cypher::Value;

use self::vocabulary::is_identifying;
use self::{
    cypher::{Written, literal, quoted, write},
    grammar::readings,
    lookup::{LeftOut, Words},
};
pub(super) use self::{
    schema_text::{mentions, schema_text},
    vocabulary::{PropertyKind, Vocabulary},
    word::fold,
};

/// The meaning of some words of a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct WordReading {
    /// The words as written.
    pub words: String,
    /// Their meaning: `:Service`, `Team.name = 'Team A'`.
    pub meaning: String,
}

/// A question as a query.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QuestionReading {
    /// The query.
    pub cypher: String,
    /// The meaning of each word, in the order of the question.
    pub words: Vec<WordReading>,
    /// Names in the question that several nodes have.
    pub shared_names: Vec<String>,
    /// The label of the nodes asked for, if the nodes themselves are asked for.
    pub label: Option<String>,
    /// Words that only describe: no value has these names. If there are no rows, the question is not a query.
    pub describing: Vec<String>,
    /// Columns with details of each row: the state of a node, when it is due, what it depends on.
    pub details: Vec<String>,
    /// The beginnings of the words that texts are asked about as well: "and what is the migration guidance?"
    pub(crate) texts_on: Vec<String>,
}

/// The user who asks, and the time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asking<'a> {
    /// The current time, in milliseconds since 1970.
    pub(super) now: i64,
    /// The name or the key of the node that "I" means.
    pub(super) asker: Option<&'a str>,
    /// Other names of that node, which properties of other nodes may hold.
    pub(super) other_names: &'a [String],
}

/// A node that a question describes.
#[derive(Clone, Debug, PartialEq)]
struct Described {
    /// The index of its label.
    label: usize,
    conditions: Vec<Condition>,
}

/// A condition on a node.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// This comparison of the property with the value holds.
    Property { key: String, operator: Operator, value: Value },
    /// The property is one of the values.
    In { key: String, values: Vec<Value> },
    /// The property has a value.
    Present { key: String },
    /// This many nodes are linked to it.
    Link { link: Link, node: Described, amount: Amount },
    /// One of its texts, or the name of a node linked to it, has a word with this beginning.
    Called { label: usize, word: String },
    /// The condition does not hold.
    Not(Box<Condition>),
    /// All of them hold.
    All(Vec<Condition>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A relationship to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    kind: String,
    is_forward: bool,
}

impl Link {
    /// Returns the link from its other end.
    fn reversed(self) -> Self {
        Self { is_forward: !self.is_forward, ..self }
    }
}

/// How many nodes a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Some,
    No,
    Compared(Operator, i64),
}

/// The measure of a superlative.
#[derive(Clone, Debug, PartialEq)]
enum Measure {
    Property(String),
    Links(Link, Described),
}

/// A superlative.
#[derive(Clone, Debug, PartialEq)]
struct Extreme {
    measure: Measure,
    is_high: bool,
}

/// The target of a question.
#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Nodes,
    Count,
    /// The values of a property of the nodes.
    Property(String),
}

/// A parsed question.
#[derive(Clone, Debug, PartialEq)]
struct Understood {
    asked: Asked,
    node: Described,
    extreme: Option<Extreme>,
    /// Properties that are asked for as well: "and is it done?"
    also: Vec<String>,
    /// The beginnings of the words that texts about the nodes are asked for: "and what is the migration guidance?"
    texts_on: Vec<String>,
}

/// Finds all readings of a question as a query. Returns none if a word is not accounted for.
pub(super) fn read(vocabulary: &Vocabulary, question: &str, asking: Asking<'_>) -> Vec<QuestionReading> {
    let mut found: BTreeMap<String, QuestionReading> = BTreeMap::new();
    for (understood, mut notes) in readings(vocabulary, question, asking) {
        let label = &vocabulary.labels[understood.node.label].name;
        let label = (understood.asked == Asked::Nodes).then(|| label.clone());
        let Written { cypher, details } = write(vocabulary, &understood);
        let texts_on = understood.texts_on;
        notes.sort_by_key(|note| (note.start, note.end));
        let mut shared_names: Vec<String> = notes.iter().filter_map(|note| note.shared.clone()).collect();
        shared_names.dedup();
        let describing = notes.iter().filter(|note| note.describes);
        let describing = describing.map(|note| question[note.start..note.end].to_owned()).collect();
        let words = notes.into_iter().map(|note| WordReading {
            words: question[note.start..note.end].to_owned(),
            meaning: note.meaning,
        });
        let words = words.collect();
        let reading = QuestionReading {
            cypher: cypher.clone(),
            words,
            shared_names,
            label,
            describing,
            details,
            texts_on,
        };
        found.entry(cypher).or_insert(reading);
    }
    found.into_values().collect()
}

/// Returns the query for the other names of the user who asks, if properties of other nodes may hold them.
pub(super) fn names_query(vocabulary: &Vocabulary, asker: &str) -> Option<String> {
    let asker = vocabulary.node(asker)?;
    let label = &vocabulary.labels[asker.label];
    let is_named = vocabulary.labels.iter().enumerate().any(|(other, of)| {
        of.properties.iter().any(|property| vocabulary.refers(other, &property.key, asker.label))
    });
    let keys = label.properties.iter().filter(|one| one.key != asker.key && is_identifying(&one.key));
    let values: Vec<String> = keys.map(|one| format!("user.{}", quoted(&one.key))).collect();
    (is_named && !values.is_empty()).then(|| {
        let (label, key, value) = (quoted(&label.name), quoted(&asker.key), literal(&asker.value));
        format!("MATCH (user:{label} {{{key}: {value}}}) RETURN {}", values.join(", "))
    })
}

/// Returns those of a user's names that no other node with its label has.
pub(super) fn unshared_names(vocabulary: &Vocabulary, asker: &str, names: &[Value]) -> Vec<String> {
    let Some(asker) = vocabulary.node(asker) else { return Vec::new() };
    let texts = names.iter().filter_map(Value::as_str);
    texts.filter(|name| vocabulary.is_unshared(name, asker.label)).map(str::to_owned).collect()
}

/// Returns the words of a question that belong to neither the vocabulary nor the grammar.
pub(super) fn unknown_words(vocabulary: &Vocabulary, question: &str) -> Vec<String> {
    let Some(words) = Words::of(vocabulary, question, 0, LeftOut::Idle { asker: None }) else {
        return Vec::new();
    };
    let unknown = words.list.iter().enumerate().filter(|(at, _)| !words.is_known(vocabulary, *at));
    unknown.map(|(_, word)| question[word.start..word.end].to_owned()).collect()
}
