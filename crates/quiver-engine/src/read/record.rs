//! JSON objects into documents, and keys that tell documents apart.

use super::{Place, ReadProblem, place::key_of_record};
use crate::document::{Document, Triple};
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// A document on its way to its key.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) document: Document,
    pub(super) source: PathBuf,
    pub(super) place: Option<Place>,
    /// Whether the key was given rather than taken from the title.
    pub(super) named: bool,
}

/// Names under which corpora keep the text of a document, in order of preference.
const TEXT_FIELDS: &[&str] = &["text", "passage", "paragraph_text", "content", "contents"];

/// Fields that are read, and so don't become metadata.
const KNOWN_FIELDS: &[&str] =
    &["id", "_id", "title", "time", "metadata", "triples", "extracted_triples", "extracted_entities"];

/// Reads the fields of JSON objects in one place of one file.
pub(super) struct Fields<'f> {
    pub(super) path: &'f Path,
    /// The key of the file.
    pub(super) key: &'f str,
    pub(super) place: Place,
}

impl Fields<'_> {
    /// Makes a record of an object.
    pub(super) fn record(&self, value: Value) -> Result<Record, ReadProblem> {
        let Value::Object(mut object) = value else {
            return Err(self.wrong_type("the record", "an object with a field `text`", &value));
        };
        let title = self.string(&object, "title")?;
        let text = self.text(&object, title.as_deref())?;
        let key = match object.get("id").or_else(|| object.get("_id")) {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(Value::Number(id)) if is_exact(id) => Some(id.to_string()),
            Some(Value::Number(_)) => {
                let mend = "write it as a string, in quotation marks";
                return Err(self.problem("`id` is a number too large to be told from its neighbours", mend));
            }
            Some(other) => return Err(self.wrong_type("`id`", "a string or a number", other)),
        };
        let time =
            match object.get("time") {
                None | Some(Value::Null) => None,
                Some(value) => {
                    let millis = value.as_i64();
                    Some(millis.ok_or_else(|| {
                        self.wrong_type("`time`", "a number of milliseconds since 1970", value)
                    })?)
                }
            };
        let mut metadata = match object.remove("metadata") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(metadata)) => metadata,
            Some(other) => return Err(self.wrong_type("`metadata`", "an object", &other)),
        };
        let triples = self.triples(&object)?;
        for (name, value) in object {
            if !KNOWN_FIELDS.contains(&name.as_str()) && !TEXT_FIELDS.contains(&name.as_str()) {
                metadata.entry(name).or_insert(value);
            }
        }
        let named = key.is_some();
        let document = Document {
            key: key.map(|id| key_of_record(self.key, &id)).unwrap_or_default(),
            title,
            text,
            metadata: self.shallow(metadata)?,
            triples,
            time,
            ..Document::default()
        };
        self.finish(document, named)
    }

    /// Makes a record of a title and a text, a list of sentences, or an object.
    pub(super) fn entry(&self, title: String, value: Value) -> Result<Record, ReadProblem> {
        let text = match value {
            Value::String(text) => text,
            Value::Array(sentences) => self.join(&sentences)?,
            Value::Object(mut object) => {
                object.entry("title").or_insert(Value::String(title));
                return self.record(Value::Object(object));
            }
            other => {
                let field = format!("the value of \"{title}\"");
                return Err(self.wrong_type(&field, "a text, a list of sentences or an object", &other));
            }
        };
        self.finish(
            Document { title: Some(title).filter(|title| !title.is_empty()), text, ..Document::default() },
            false,
        )
    }

    fn finish(&self, document: Document, named: bool) -> Result<Record, ReadProblem> {
        if !document.text.contains(char::is_alphanumeric) {
            return Err(ReadProblem::empty(self.path, Some(self.place)));
        }
        let mut document = document;
        if !named {
            let content = content_key(&document.text);
            document.key = key_of_record(self.key, document.title.as_deref().unwrap_or(&content));
        }
        Ok(Record { document, source: self.path.to_owned(), place: Some(self.place), named })
    }

    fn text(&self, object: &Map<String, Value>, title: Option<&str>) -> Result<String, ReadProblem> {
        let Some(name) = TEXT_FIELDS.iter().find(|name| object.contains_key(**name)) else {
            let (what, mend) = if object.contains_key("question") {
                (
                    "this is a question, not a document",
                    "read the corpus that belongs to the questions instead",
                )
            } else {
                ("the record has no field `text`", "name the field that holds the text `text`")
            };
            return Err(self.problem(what, mend));
        };
        let text = match &object[*name] {
            Value::String(text) => text.clone(),
            Value::Array(sentences) => self.join(sentences)?,
            other => {
                return Err(self.wrong_type(&format!("`{name}`"), "a string or a list of strings", other));
            }
        };
        // Some corpora repeat the title as the first line of the passage.
        let repeated = title.and_then(|title| text.strip_prefix(title)?.strip_prefix('\n'));
        Ok(match repeated {
            Some(rest) if *name == "passage" => rest.to_owned(),
            _ => text,
        })
    }

    /// Joins sentences, with a space between those that bring none.
    fn join(&self, sentences: &[Value]) -> Result<String, ReadProblem> {
        let mut text = String::new();
        for sentence in sentences {
            let Value::String(sentence) = sentence else {
                return Err(self.wrong_type("a sentence", "a string", sentence));
            };
            let spaced = text.is_empty()
                || text.ends_with(char::is_whitespace)
                || sentence.starts_with(char::is_whitespace);
            if !spaced {
                text.push(' ');
            }
            text.push_str(sentence);
        }
        Ok(text)
    }

    fn string(&self, object: &Map<String, Value>, name: &str) -> Result<Option<String>, ReadProblem> {
        match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(value)) => Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty())),
            Some(other) => Err(self.wrong_type(&format!("`{name}`"), "a string", other)),
        }
    }

    fn triples(&self, object: &Map<String, Value>) -> Result<Vec<Triple>, ReadProblem> {
        let (list, given) = match (object.get("triples"), object.get("extracted_triples")) {
            (Some(list), _) => (list, true),
            (None, Some(list)) => (list, false),
            (None, None) => return Ok(Vec::new()),
        };
        let Value::Array(list) = list else {
            return Err(self.wrong_type("`triples`", "a list", list));
        };
        let mut triples = Vec::with_capacity(list.len());
        for value in list {
            match triple(value) {
                Some(triple) => triples.push(triple),
                // What a language model extracted is often malformed; what a person gave should not be.
                None if given => {
                    let expected = "[subject, predicate, object] or an object with these fields";
                    return Err(self.wrong_type("a triple", expected, value));
                }
                None => {}
            }
        }
        Ok(triples)
    }

    /// Refuses metadata that an export could not give back.
    fn shallow(&self, metadata: Map<String, Value>) -> Result<Map<String, Value>, ReadProblem> {
        let levels = quiver_graph::nesting(&metadata);
        if levels <= quiver_graph::NESTING_MAX {
            return Ok(metadata);
        }
        let what = format!("the metadata is nested {levels} levels deep");
        Err(self.problem(what, format!("nest it {} levels deep at the most", quiver_graph::NESTING_MAX)))
    }

    fn wrong_type(&self, field: &str, expected: &str, found: &Value) -> ReadProblem {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.problem(format!("{field} is {found}"), format!("make it {expected}"))
    }

    fn problem(&self, what: impl Into<String>, mend: impl Into<String>) -> ReadProblem {
        ReadProblem::new(self.path, Some(self.place), what, mend)
    }
}

/// Whether a number of JSON is kept as it was written.
fn is_exact(number: &serde_json::Number) -> bool {
    /// Beyond this, a floating-point number stands for several integers.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.abs() < EXACT_MAX)
}

/// What a record without id and title is called.
fn content_key(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

fn triple(value: &Value) -> Option<Triple> {
    let part = |value: Option<&Value>| {
        let text = value?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let [subject, predicate, object] = match value {
        Value::Array(parts) if parts.len() == 3 => [parts.first(), parts.get(1), parts.get(2)],
        Value::Object(fields) => ["subject", "predicate", "object"].map(|name| fields.get(name)),
        _ => return None,
    };
    Some(Triple { subject: part(subject)?, predicate: part(predicate)?, object: part(object)? })
}

/// The keys given so far, with a hash of each document's content.
#[derive(Debug, Default)]
pub(super) struct Keys {
    contents: HashMap<String, blake3::Hash>,
}

impl Keys {
    /// Gives a record its key. A document that was read before, with the same key and content, is passed over.
    pub(super) fn identify(&mut self, record: Record) -> Result<Option<Document>, ReadProblem> {
        let Record { mut document, source, place, named } = record;
        let content = blake3::hash(document.text.as_bytes());
        let short = content_key(&document.text);
        let Some(known) = self.contents.get(&document.key) else {
            self.contents.insert(document.key.clone(), content);
            return Ok(Some(document));
        };
        if *known == content {
            return Ok(None);
        }
        if named {
            let id = document.key.rsplit_once('#').map_or(document.key.as_str(), |(_, id)| id);
            let what = format!("the id \"{id}\" was given to another text before");
            return Err(ReadProblem::new(&source, place, what, "give each document an id of its own"));
        }
        document.key = format!("{} #{short}", document.key);
        let new = self.contents.insert(document.key.clone(), content).is_none();
        Ok(new.then_some(document))
    }
}
