//! JSON objects into documents, and keys that tell documents apart.

use super::{Place, ReadProblem, front_matter::milliseconds, place::key_of_record, row::unmarked};
use crate::{
    document::{Document, Triple},
    label::sentence,
    nesting::{NESTING_MAX, nesting},
};
use serde_json::{Map, Value};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
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

/// The meanings of the fields of records, if the caller sets them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFields {
    /// The field that holds the text.
    pub text: Option<String>,
    /// The field that holds the title.
    pub title: Option<String>,
    /// The field that identifies a record.
    pub id: Option<String>,
}

/// For each guess about the text of records with unknown field names: the number of records, and the first file.
pub type Guesses = BTreeMap<String, (usize, PathBuf)>;

/// What all records of one reading share.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    pub(super) named: RecordFields,
    guesses: Arc<Mutex<Guesses>>,
}

impl Common {
    pub(super) fn new(named: RecordFields) -> Self {
        Self { named, guesses: Arc::default() }
    }

    pub(super) fn guesses(&self) -> Guesses {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn guessed(&self, what: String, path: &Path) {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.entry(what).or_insert_with(|| (0, path.to_owned())).0 += 1;
    }
}

/// Fields that hold prose more often than not, in order of preference: what is guessed first.
const PROSE_FIELDS: &[&str] = &[
    "body",
    "description",
    "abstract",
    "summary",
    "message",
    "comment",
    "article",
    "document",
    "details",
    "note",
    "notes",
    "answer",
    "review",
];

/// Fields that name a record whose text is guessed.
const NAME_FIELDS: &[&str] = &["title", "name", "subject", "headline", "heading", "label"];

/// A text of fewer words is no prose, unless its field's name says so.
const PROSE_WORDS_MIN: usize = 5;

/// A value of more words is a paragraph of its own.
const VALUE_WORDS_MAX: usize = 12;

/// A longer word is a hash or a token, and a list of more numbers is a vector.
const WORD_BYTES_MAX: usize = 40;
const NUMBERS_MAX: usize = 16;

/// How deep within a record values are written as sentences.
const SENTENCE_DEPTH_MAX: usize = 3;

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
    pub(super) common: &'f Common,
}

/// Where a record's text comes from.
enum Text {
    /// A field of one of the known names, or the one that the caller named.
    Known(String),
    /// A field that looks like prose.
    Guessed(String),
    /// All fields, as a sentence.
    Fields,
}

impl Fields<'_> {
    /// Makes a record of an object.
    pub(super) fn record(&self, value: Value) -> Result<Record, ReadProblem> {
        let Value::Object(mut object) = value else {
            return Err(self.wrong_type("the record", "an object with a field `text`", &value));
        };
        let source = self.source(&object)?;
        let title = self.title(&object, &source)?;
        let text = self.text(&object, title.as_deref(), &source)?;
        let id = match &self.common.named.id {
            Some(name) => object.get(name.as_str()),
            None => object.get("id").or_else(|| object.get("_id")),
        };
        let id = id.cloned();
        let key = match &id {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(Value::Number(id)) if is_exact(id) => Some(id.to_string()),
            Some(Value::Number(_)) => {
                let mend = "write it as a string";
                return Err(self.problem("`id` is too large to be an exact number", mend));
            }
            Some(other) => return Err(self.wrong_type("`id`", "a string or a number", other)),
        };
        let time = match object.get("time") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let millis = value.as_i64().or_else(|| milliseconds(value));
                let wanted = "a date such as 2026-03-01T09:30:00Z, or a number of milliseconds since 1970";
                Some(millis.ok_or_else(|| self.wrong_type("`time`", wanted, value))?)
            }
        };
        let mut metadata = match object.remove("metadata") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(metadata)) => metadata,
            Some(other) => return Err(self.wrong_type("`metadata`", "an object", &other)),
        };
        let triples = self.triples(&object)?;
        let named = &self.common.named;
        let taken = [&named.title, &named.id].map(Option::as_deref);
        let is_text = |name: &str| match &source {
            Text::Known(text) | Text::Guessed(text) => text == name || TEXT_FIELDS.contains(&name),
            Text::Fields => false,
        };
        let id = id.map(|value| (named.id.as_deref().unwrap_or("id"), value));
        let mut rest = object;
        rest.retain(|name, _| {
            !is_text(name) && !KNOWN_FIELDS.contains(&name.as_str()) && !taken.contains(&Some(name.as_str()))
        });
        let beside = match &source {
            // The text says all fields.
            Text::Fields => None,
            Text::Known(_) | Text::Guessed(_) => beside(&rest, id.as_ref(), title.as_deref()),
        };
        for (name, value) in rest {
            metadata.entry(name).or_insert(value);
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
        self.finish(document, beside, named)
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
            None,
            false,
        )
    }

    /// Gives a document its key, and adds what its other fields say. They do not belong to the key.
    fn finish(&self, document: Document, beside: Option<String>, named: bool) -> Result<Record, ReadProblem> {
        if !document.text.contains(char::is_alphanumeric) {
            return Err(ReadProblem::empty(self.path, Some(self.place)));
        }
        let mut document = document;
        if !named {
            let content = content_key(&document.text);
            document.key = key_of_record(self.key, document.title.as_deref().unwrap_or(&content));
        }
        if let Some(beside) = beside {
            document.text.truncate(document.text.trim_end().len());
            document.text.extend(["\n\n", &beside, "\n"]);
        }
        Ok(Record { document, source: self.path.to_owned(), place: Some(self.place), named })
    }

    /// Where the text of a record is: in the field that the caller names, in one of the known names, or in what looks
    /// most like prose. A record without any is a row of values.
    fn source(&self, object: &Map<String, Value>) -> Result<Text, ReadProblem> {
        if let Some(name) = &self.common.named.text {
            if object.contains_key(name.as_str()) {
                return Ok(Text::Known(name.clone()));
            }
            let what = format!("the record has no field `{name}`");
            return Err(self.problem(what, "name another field, or omit the record"));
        }
        if let Some(name) = TEXT_FIELDS.iter().find(|name| object.contains_key(**name)) {
            return Ok(Text::Known((*name).to_owned()));
        }
        if object.contains_key("question") {
            let mend = "read the corpus that belongs to the questions instead";
            return Err(self.problem("this is a question, not a document", mend));
        }
        let words = |name: &str| {
            let text = object.get(name).and_then(Value::as_str).unwrap_or_default();
            text.split_whitespace().count()
        };
        let by_name = PROSE_FIELDS.iter().copied().find(|name| words(name) > 1);
        let longest = || {
            let prose = object.keys().map(|name| (words(name), name.as_str()));
            prose
                .filter(|(words, _)| *words >= PROSE_WORDS_MIN)
                .max_by_key(|(words, _)| *words)
                .map(|(_, name)| name)
        };
        Ok(match by_name.or_else(longest) {
            Some(name) => Text::Guessed(name.to_owned()),
            None => Text::Fields,
        })
    }

    fn title(&self, object: &Map<String, Value>, source: &Text) -> Result<Option<String>, ReadProblem> {
        match (&self.common.named.title, source) {
            (Some(name), _) => self.string(object, name),
            (None, Text::Known(_)) => self.string(object, "title"),
            (None, Text::Guessed(_) | Text::Fields) => {
                let mut names = NAME_FIELDS.iter().filter_map(|name| object.get(*name)?.as_str());
                Ok(names.find(|name| name.contains(char::is_alphanumeric)).map(|name| name.trim().to_owned()))
            }
        }
    }

    fn text(
        &self,
        object: &Map<String, Value>,
        title: Option<&str>,
        source: &Text,
    ) -> Result<String, ReadProblem> {
        let name = match source {
            Text::Known(name) => name,
            Text::Guessed(name) => {
                self.common.guessed(format!("`{name}`"), self.path);
                name
            }
            Text::Fields => {
                let Some(text) = sentence_of(object) else {
                    let what = "the record has no field `text`, and no other field with words";
                    return Err(self.problem(what, "name the field that holds the text"));
                };
                self.common.guessed("all fields".to_owned(), self.path);
                return Ok(text);
            }
        };
        let text = match &object[name.as_str()] {
            Value::String(text) => text.clone(),
            Value::Array(sentences) => self.join(sentences)?,
            other => {
                return Err(self.wrong_type(&format!("`{name}`"), "a string or a list of strings", other));
            }
        };
        // Some corpora repeat the title as the first line of the passage.
        let repeated = title.and_then(|title| text.strip_prefix(title)?.strip_prefix('\n'));
        Ok(match repeated {
            Some(rest) if name == "passage" => rest.to_owned(),
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
        let levels = nesting(&metadata);
        if levels <= NESTING_MAX {
            return Ok(metadata);
        }
        let what = format!("the metadata is nested {levels} levels deep");
        Err(self.problem(what, format!("nest it at most {NESTING_MAX} levels deep")))
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

/// The values of a record as a sentence: `name: gateway; port: 8443.` A single value says nothing.
fn sentence_of(object: &Map<String, Value>) -> Option<String> {
    let mut pairs: Vec<(String, Cow<'_, str>)> = Vec::new();
    flatten("", object, 1, &mut pairs);
    let (names, values) =
        (pairs.iter().map(|(name, _)| name.as_str()), pairs.iter().map(|(_, value)| value.as_ref()));
    let has_words = pairs.iter().any(|(_, value)| value.contains(char::is_alphabetic));
    (pairs.len() > 1 && has_words).then(|| sentence(names, values))
}

/// What the fields beside the text say, as paragraphs after it: the short values with the ID as one sentence, and each
/// prose by itself. The title is said already.
fn beside(rest: &Map<String, Value>, id: Option<&(&str, Value)>, title: Option<&str>) -> Option<String> {
    let mut pairs: Vec<(String, Cow<'_, str>)> = Vec::new();
    flatten("", rest, 1, &mut pairs);
    pairs.retain(|(name, value)| {
        !name.starts_with('_') && says_something(value) && Some(value.trim()) != title
    });
    if pairs.is_empty() {
        return None;
    }
    let is_prose = |value: &str| {
        let words = value.split_whitespace().count();
        words > VALUE_WORDS_MAX || words >= PROSE_WORDS_MIN && value.trim_end().ends_with(['.', '!', '?'])
    };
    let (prose, short): (Vec<_>, Vec<_>) = pairs.iter().partition(|(_, value)| is_prose(value));
    let id = id.and_then(|(name, value)| Some((*name, written(value)?)));
    let id = id.filter(|(_, value)| !short.is_empty() && says_something(value));
    let values = id.iter().map(|(name, value)| (*name, value.as_ref()));
    let values: Vec<(&str, &str)> =
        values.chain(short.iter().map(|(name, value)| (name.as_str(), value.as_ref()))).collect();
    let row = sentence(values.iter().map(|(name, _)| *name), values.iter().map(|(_, value)| *value));
    let prose = prose.iter().map(|(name, value)| sentence([name.as_str()], [value.as_ref()]));
    let paragraphs = std::iter::once(row).filter(|row| !row.is_empty()).chain(prose);
    Some(paragraphs.map(|paragraph| unmarked(&paragraph)).collect::<Vec<_>>().join("\n\n"))
}

/// Whether a value is for readers: not an address, a hash or a vector.
fn says_something(value: &str) -> bool {
    let is_code = value.split_whitespace().any(|word| word.contains("://") || word.len() > WORD_BYTES_MAX);
    let numbers = value.split(", ").filter(|part| part.parse::<f64>().is_ok()).count();
    value.contains(char::is_alphanumeric) && !is_code && numbers <= NUMBERS_MAX
}

fn flatten<'v>(
    above: &str,
    object: &'v Map<String, Value>,
    depth: usize,
    pairs: &mut Vec<(String, Cow<'v, str>)>,
) {
    for (name, value) in object {
        let name = if above.is_empty() { name.clone() } else { format!("{above} {name}") };
        match value {
            Value::Object(inner) if depth < SENTENCE_DEPTH_MAX => flatten(&name, inner, depth + 1, pairs),
            Value::Array(values) => {
                let values: Vec<Cow<'_, str>> = values.iter().filter_map(written).collect();
                if !values.is_empty() {
                    pairs.push((name, values.join(", ").into()));
                }
            }
            value => pairs.extend(written(value).map(|value| (name, value))),
        }
    }
}

/// A single value as it is read out.
fn written(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Bool(is) => Some(if *is { "yes" } else { "no" }.into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
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
            let what = format!("the id \"{id}\" is already used by another text");
            return Err(ReadProblem::new(&source, place, what, "give each document its own id"));
        }
        document.key = format!("{} #{short}", document.key);
        let new = self.contents.insert(document.key.clone(), content).is_none();
        Ok(new.then_some(document))
    }
}
