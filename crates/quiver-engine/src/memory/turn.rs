//! Input to the memory: turns and the facts in them.

use std::time::{SystemTime, UNIX_EPOCH};

use quiver_graph::{Passage, PassageId, RelationId};
use serde::{Deserialize, Serialize};

/// A turn: something said in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The session. An empty name means the session `default`.
    pub session: String,
    /// The turn's number in the session. If it is `None`, the number is derived from speaker, time and text, so that
    /// repeating the same turn does not create a second one. A number is that of one turn: another text, speaker or time
    /// with the same number is an error.
    pub number: Option<u64>,
    /// The speaker.
    pub speaker: Option<String>,
    /// When the turn was said, in milliseconds since 1970. Defaults to now.
    pub time: Option<i64>,
    /// The text.
    pub text: String,
    /// The facts, if the caller knows them. If it is `None`, the facts are read from the text.
    pub facts: Option<Vec<Fact>>,
}

impl Turn {
    /// Creates a turn whose facts will be read from its text.
    pub fn new(session: impl Into<String>, text: impl Into<String>) -> Self {
        Self { session: session.into(), text: text.into(), ..Self::default() }
    }

    /// Sets the speaker.
    #[must_use]
    pub fn by(mut self, speaker: impl Into<String>) -> Self {
        self.speaker = Some(speaker.into());
        self
    }

    /// Sets the time, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, time: i64) -> Self {
        self.time = Some(time);
        self
    }

    /// Sets the turn's number in the session.
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Self {
        self.number = Some(number);
        self
    }

    /// Adds a fact. Once a fact is given, none are read from the text.
    #[must_use]
    pub fn stating(mut self, fact: Fact) -> Self {
        self.facts.get_or_insert_default().push(fact);
        self
    }
}

/// A statement about a subject: subject, predicate, object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The subject's name.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object's name.
    pub object: String,
    /// When the fact became valid, in milliseconds since 1970. Defaults to the time of the turn.
    #[serde(default)]
    pub valid_from: Option<i64>,
    /// When the fact ceased to be valid, in milliseconds since 1970.
    #[serde(default)]
    pub valid_to: Option<i64>,
    /// Whether this is a denial: it states that the fact is not, or is no longer, true.
    #[serde(default)]
    pub denied: bool,
    /// The word that marks this value as superseding earlier ones, such as "now" or "instead".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The sentence the fact was read from. Defaults to the turn's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// The part of the sentence that states the fact, for display. Defaults to the whole sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// The language model that read the fact; `None` if the rules read it or the caller gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

impl Fact {
    /// Creates a fact.
    pub fn new(subject: impl Into<String>, predicate: impl Into<String>, object: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            predicate: predicate.into(),
            object: object.into(),
            ..Self::default()
        }
    }

    /// Turns the fact into a denial.
    #[must_use]
    pub fn denied(mut self) -> Self {
        self.denied = true;
        self
    }
}

/// The result of remembering a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Remembered {
    /// The turn's id.
    pub turn: PassageId,
    /// The turn's number in the session.
    pub number: u64,
    /// The facts the turn states, each with the id that [`Quiver::undo`](crate::Quiver::undo) takes.
    pub facts: Vec<(RelationId, Fact)>,
    /// The decisions made for the turn's facts, as text: denials, and values that supersede earlier ones.
    pub decisions: Vec<String>,
    /// What the language model claimed to have read and the turn does not state, with the reasons. It was dropped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Why the language model did not read the turn, if it was to. The turn is stored with the facts of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// How many values of a predicate can be valid at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cardinality {
    /// One: a new value supersedes the old one.
    One,
    /// Many: values accumulate until they are denied.
    Many,
}

/// The effect of a new value on earlier values of the same subject and predicate, if the cardinality is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Restated {
    /// The earlier values stay valid, unless the predicate is single-valued by default or the wording signals a
    /// change.
    #[default]
    Adds,
    /// The new value supersedes the earlier ones.
    Replaces,
}

/// The placeholder for an archived turn's text, and the metadata key that marks the turn.
pub(super) const ARCHIVED: &str = "archived";

/// Whether a turn was archived. Its placeholder text must not be searched.
pub(crate) fn is_archived(turn: &Passage) -> bool {
    turn.metadata.contains_key(ARCHIVED)
}

/// The current time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
