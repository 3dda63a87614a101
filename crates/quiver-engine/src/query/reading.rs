//! Questions read as queries, without a model.
//!
//! A question is a query only if the grammar accounts for each of its words: by a label, a type of relationship, a
//! property, a value, a time, or a word of the grammar. Everything else is no query. All readings are collected, and a
//! question with two readings has none.

mod cypher;
mod grammar;
mod lookup;
mod noun;
mod phrase;
mod schema_text;
mod state;
mod texts;
#[cfg(test)]
mod tests;
mod verb;
mod vocabulary;
mod word;

use std::collections::BTreeMap;

use quiver_cypher::Value;

use self::{
    cypher::{Written, write},
    grammar::readings,
    lookup::Words,
};
pub(super) use self::{
    schema_text::{mentions, schema_text},
    vocabulary::{PropertyKind, Vocabulary},
    word::fold,
};

/// What some words of a question became.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct WordReading {
    /// The words, as they were written.
    pub words: String,
    /// What they became: `:Service`, `Team.name = 'Team A'`.
    pub meaning: String,
}

/// A question as a query.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QuestionReading {
    /// The query.
    pub cypher: String,
    /// What each word became, in the order of the question.
    pub words: Vec<WordReading>,
    /// Names in the question that several nodes have.
    pub shared_names: Vec<String>,
    /// The label of the nodes that are asked for, if they are asked for themselves.
    pub label: Option<String>,
    /// Words that only describe: no value is called so. Without rows the question is no query.
    pub describing: Vec<String>,
    /// The columns that say more of each row: the state of what is asked for, when it is due, what it depends on.
    pub details: Vec<String>,
    /// What the words begin with that texts are asked about as well: "and what is the migration guidance?"
    pub(crate) texts_on: Vec<String>,
}

/// Who asks, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asking<'a> {
    /// The current time, in milliseconds since 1970.
    pub(super) now: i64,
    /// The name or the key of the node that "I" means.
    pub(super) asker: Option<&'a str>,
}

/// A node that a question describes.
#[derive(Clone, Debug, PartialEq)]
struct Described {
    /// The index of its label.
    label: usize,
    conditions: Vec<Condition>,
}

/// What holds of a node.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// The property compares so with the value.
    Property { key: String, operator: Operator, value: Value },
    /// The property is one of the values.
    In { key: String, values: Vec<Value> },
    /// There is a value of the property.
    Present { key: String },
    /// As many nodes are linked to it.
    Link { link: Link, node: Described, amount: Amount },
    /// A text of it, or the name of a node that is linked to it, has a word that begins so.
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

/// How many nodes a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Some,
    No,
    Compared(Operator, i64),
}

/// What a superlative goes by.
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

/// What a question asks for.
#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Nodes,
    Count,
    /// The values of a property of the nodes.
    Property(String),
}

/// A question that was understood.
#[derive(Clone, Debug, PartialEq)]
struct Understood {
    asked: Asked,
    node: Described,
    extreme: Option<Extreme>,
    /// The properties that are asked for as well: "and is it done?"
    also: Vec<String>,
    /// What the words begin with that texts beside the nodes are asked about: "and what is the migration guidance?"
    texts_on: Vec<String>,
}

/// Finds all readings of a question as a query; none if a word is not accounted for.
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

/// The words of a question that are no word of the vocabulary or the grammar.
pub(super) fn unknown_words(vocabulary: &Vocabulary, question: &str) -> Vec<String> {
    let Some(words) = Words::of(vocabulary, question, 0, true) else { return Vec::new() };
    let unknown = words.list.iter().enumerate().filter(|(at, _)| !words.is_known(vocabulary, *at));
    unknown.map(|(_, word)| question[word.start..word.end].to_owned()).collect()
}
