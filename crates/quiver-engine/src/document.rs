//! What is read and what is kept of it: documents, and the chunks they are cut into.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// A text with an identity, as it was read or given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// What the document is called for good: a path, a title, an ID of the caller. Reading a document
    /// with the same key again replaces what was read before.
    pub key: String,
    /// The title, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The whole text.
    pub text: String,
    /// How the text is written, which decides where it may be cut.
    #[serde(default)]
    pub format: Format,
    /// Whatever else is known; kept with every passage, never looked into.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Facts that came with the document. The weaving step turns them into relations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triples: Vec<Triple>,
    /// When the document was written, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
}

impl Document {
    /// Makes a document of a key and a text.
    pub fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into(), ..Self::default() }
    }

    /// Gives the document a title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

/// How a text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Paragraphs and sentences, with no markup.
    #[default]
    Plain,
    /// Markdown: headings, lists, fenced code.
    Markdown,
}

/// A fact in three parts, as somebody stated it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Triple {
    /// What the fact is about.
    pub subject: String,
    /// How subject and object belong together.
    pub predicate: String,
    /// The other end.
    pub object: String,
}

/// A piece of a document, small enough to be embedded and read as one passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The text, as it stands in the document.
    pub text: String,
    /// The document's title; for Markdown, followed by the path of headings that leads here.
    pub title: Option<String>,
    /// The place among the document's chunks, from zero.
    pub position: u32,
    /// The sentences, as byte ranges of `text`, in order and without overlap.
    pub sentences: Vec<Range<usize>>,
}
