//! Documents and the chunks they are split into.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// A text with an identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The permanent identifier of the document, such as a path, a title, or an ID chosen by the caller. Ingesting
    /// another document with the same key replaces this one.
    pub key: String,
    /// The title, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The whole text.
    pub text: String,
    /// The format of the text, which determines where it may be split.
    #[serde(default)]
    pub format: Format,
    /// Additional data. It is stored with every passage and not interpreted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Facts supplied with the document. Ingestion turns them into relations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triples: Vec<Triple>,
    /// When the document was written, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// What the reader noted: parts that it left out or may have misread, each with its place. Ingestion reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Document {
    /// Creates a document from a key and a text.
    pub fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into(), ..Self::default() }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

/// The format of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Plain text: paragraphs and sentences without markup.
    #[default]
    Plain,
    /// Markdown: headings, lists, fenced code.
    Markdown,
    /// Markdown whose sections are independent, such as slides and sheets: no passage spans two of them.
    Sections,
    /// Source code in the language given by the extension of the document's key. Each passage is a definition, with the
    /// names of its containers in its title.
    Code,
}

/// A fact as a triple.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Triple {
    /// The subject.
    pub subject: String,
    /// The relation between subject and object.
    pub predicate: String,
    /// The object.
    pub object: String,
}

/// A part of a document, small enough to embed and read as one passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The text, as it occurs in the document.
    pub text: String,
    /// The document's title. In Markdown it is followed by the path of headings.
    pub title: Option<String>,
    /// The position among the document's chunks, counted from 0.
    pub position: u32,
    /// The sentences, as byte ranges of `text`, in order and without overlaps.
    pub sentences: Vec<Range<usize>>,
    /// The format of the document.
    pub format: Format,
}
