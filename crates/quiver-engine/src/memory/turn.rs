//! What is remembered: turns and the facts in them.

use quiver_graph::{PassageId, RelationId};
use serde::{Deserialize, Serialize};

/// Something that was said in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The session it was said in. An empty name is the session `default`.
    pub session: String,
    /// Its number in the session. Without one it is known by its speaker, time and text, so that the same turn said
    /// twice is one turn all the same.
    pub number: Option<u64>,
    /// Who said it.
    pub speaker: Option<String>,
    /// When it was said, in milliseconds since 1970; now, where that is not known.
    pub time: Option<i64>,
    /// The words.
    pub text: String,
    /// The facts in it, where the caller knows them; `None` has them read from the text, without a language model.
    pub facts: Option<Vec<Fact>>,
}

impl Turn {
    /// Something said in a session, with its facts to be read from the text.
    pub fn new(session: impl Into<String>, text: impl Into<String>) -> Self {
        Self { session: session.into(), text: text.into(), ..Self::default() }
    }

    /// Says who said it.
    #[must_use]
    pub fn by(mut self, speaker: impl Into<String>) -> Self {
        self.speaker = Some(speaker.into());
        self
    }

    /// Says when, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, time: i64) -> Self {
        self.time = Some(time);
        self
    }

    /// Gives its number in the session.
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Self {
        self.number = Some(number);
        self
    }

    /// Adds a fact that the caller knows to be in it. From then on none is read from the text.
    #[must_use]
    pub fn stating(mut self, fact: Fact) -> Self {
        self.facts.get_or_insert_default().push(fact);
        self
    }
}

/// A statement: what is said of a thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about.
    pub subject: String,
    /// What is said of it.
    pub predicate: String,
    /// The other end.
    pub object: String,
    /// When it began to hold, in milliseconds since 1970; when the turn was said, where that is not given.
    #[serde(default)]
    pub valid_from: Option<i64>,
    /// When it ceased to hold, in milliseconds since 1970.
    #[serde(default)]
    pub valid_to: Option<i64>,
    /// Whether it is said not to hold: a denial, a retraction, the end of what held before.
    #[serde(default)]
    pub denied: bool,
    /// The word that says that this value takes the place of earlier ones, such as "now" or "instead".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The sentence it was read from; the turn's text, where that is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// The part of the sentence that states it, to be shown; the whole, where that is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

impl Fact {
    /// A fact that holds.
    pub fn new(subject: impl Into<String>, predicate: impl Into<String>, object: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            predicate: predicate.into(),
            object: object.into(),
            ..Self::default()
        }
    }

    /// The same, said not to hold.
    #[must_use]
    pub fn denied(mut self) -> Self {
        self.denied = true;
        self
    }
}

/// What became of a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remembered {
    /// The turn.
    pub turn: PassageId,
    /// Its number in the session.
    pub number: u64,
    /// The facts that it states, each with the id by which its decisions can be undone.
    pub facts: Vec<(RelationId, Fact)>,
    /// What was decided on the way, in words: changes, denials, pronouns, aliases.
    pub decisions: Vec<String>,
}

/// How many values of a predicate hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// One: a new value takes the place of the old one.
    One,
    /// Many: values gather until they are denied.
    Many,
}

/// What a value does to an earlier one of the same subject and predicate, where nothing is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restated {
    /// It stands beside it, unless the predicate has one value at a time or the wording says that something changed.
    #[default]
    Adds,
    /// It takes its place.
    Replaces,
}
