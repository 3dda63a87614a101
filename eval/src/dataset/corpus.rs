use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use quiver::{Document, Triple};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::values;

/// The passages of a set.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The passages, in file order.
    pub passages: Vec<CorpusPassage>,
    by_key: HashMap<String, usize>,
    by_title: HashMap<String, Vec<usize>>,
    by_content: HashMap<(String, String), usize>,
}

/// A passage with its key.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusPassage {
    /// Its ID in the file, or else its title, numbered if several passages share it.
    pub key: String,
    /// The title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Triples supplied with the set.
    pub triples: Vec<Triple>,
}

/// A passage in a file.
#[derive(Deserialize)]
struct Row {
    id: Option<Value>,
    title: Option<String>,
    #[serde(alias = "paragraph_text")]
    text: String,
}

impl Corpus {
    /// Parses a list of `{id?, title?, text}`, as JSON or JSON Lines, or a map from titles to sentences.
    ///
    /// # Errors
    /// Returns an error if the file has another format, with the expected one; if it has no passages; or if two
    /// passages share an ID.
    pub fn parse(text: &str) -> Result<Self> {
        let mut corpus = Self::default();
        if let Some(titles) = title_map(text) {
            for (title, sentences) in titles {
                let sentences: Vec<String> = serde_json::from_value(sentences)
                    .with_context(|| format!("{title:?}: expected a list of sentences"))?;
                corpus.push(None, Some(title), join(&sentences))?;
            }
        } else {
            for (index, value) in values(text)?.into_iter().enumerate() {
                let row: Row = serde_json::from_value(value)
                    .with_context(|| format!("passage {}: expected {{id?, title?, text}}", index + 1))?;
                let id = row.id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                corpus.push(id, row.title.filter(|title| !title.trim().is_empty()), row.text)?;
            }
        }
        if corpus.passages.is_empty() {
            bail!("there are no passages in it");
        }
        Ok(corpus)
    }

    fn push(&mut self, id: Option<String>, title: Option<String>, text: String) -> Result<()> {
        let content = content(title.as_deref(), &text);
        if id.is_none() && self.by_content.contains_key(&content) {
            return Ok(()); // a duplicate
        }
        let namesakes = title.as_ref().map_or(0, |title| self.by_title.get(title).map_or(0, Vec::len));
        let key = match (id, &title) {
            (Some(id), _) => id,
            (None, Some(title)) if namesakes == 0 => title.clone(),
            (None, Some(title)) => format!("{title} #{}", namesakes + 1),
            (None, None) => format!("#{}", self.passages.len() + 1),
        };
        let index = self.passages.len();
        if self.by_key.insert(key.clone(), index).is_some() {
            bail!("two passages have the id {key:?}");
        }
        if let Some(title) = &title {
            self.by_title.entry(title.clone()).or_default().push(index);
        }
        self.by_content.entry(content).or_insert(index);
        self.passages.push(CorpusPassage { key, title, text, triples: Vec::new() });
        Ok(())
    }

    /// Returns whether there is a passage with this key.
    pub fn has(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the passage with this title and text.
    pub fn with_content(&self, title: Option<&str>, text: &str) -> Option<usize> {
        self.by_content.get(&content(title, text)).copied()
    }

    /// Returns the passages with this title.
    pub fn titled(&self, title: &str) -> &[usize] {
        self.by_title.get(title).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the key of a passage's document.
    pub fn document_key(&self, index: usize, with_titles: bool) -> String {
        if with_titles { self.passages[index].key.clone() } else { format!("#{}", index + 1) }
    }

    /// Returns the passages as documents, with or without titles. Without titles, keys are numbers.
    pub fn documents(&self, with_titles: bool) -> impl Iterator<Item = Document> + Send + '_ {
        self.passages.iter().enumerate().map(move |(index, passage)| Document {
            key: self.document_key(index, with_titles),
            title: passage.title.clone().filter(|_| with_titles),
            text: passage.text.clone(),
            triples: passage.triples.clone(),
            ..Document::default()
        })
    }
}

/// Joins sentences into a text. Those of HotpotQA start with a space; those of 2WikiMultihopQA do not.
pub(super) fn join(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty()
            && !text.ends_with(char::is_whitespace)
            && !sentence.starts_with(char::is_whitespace)
        {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    text
}

/// Parses the file as a map from titles to sentences. A JSON Lines file with several lines never parses as
/// one.
fn title_map(text: &str) -> Option<Map<String, Value>> {
    let map: Map<String, Value> = serde_json::from_str(text).ok()?;
    map.values().all(Value::is_array).then_some(map)
}

/// Identifies a passage across files, ignoring differences in white space.
fn content(title: Option<&str>, text: &str) -> (String, String) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    (words(title.unwrap_or_default()), words(text))
}
