//! Files of records: JSON in the shapes that corpora come in, and one object a line.

use super::{
    Place, ReadOptions, ReadProblem, Records, file,
    record::{Common, Fields, Record},
    text::invalid,
};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::{
    fmt,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

/// Reads records of one JSON object a line, line by line. Blank lines are passed over.
pub(super) fn lines(
    path: &Path,
    key: String,
    source: impl Read + Send + 'static,
    options: &ReadOptions,
    common: Common,
) -> Records {
    let file: Option<Source> = Some(BufReader::new(Box::new(source)));
    let line_bytes_max = options.file_bytes_max;
    Box::new(Lines { path: path.to_owned(), key, file, line: 0, bytes: 0, line_bytes_max, common })
}

/// Reads the records of a JSON text, in whichever of the known shapes it has.
pub(super) fn records(path: &Path, key: String, text: &str, common: Common) -> Result<Records, ReadProblem> {
    if text.trim().is_empty() {
        return Err(ReadProblem::empty(path, None));
    }
    let top: Top = parse(text).map_err(|error| ReadProblem::json(path, None, &error))?;
    let source = path.to_owned();
    let entries = match top {
        Top::List(list) => list,
        Top::Other(value) => vec![value],
        Top::Map(mut pairs) => {
            let docs = pairs.iter().position(|(name, value)| name == "docs" && is_record_list(value));
            let list = docs.or_else(|| only_list(&pairs));
            let named = common.named.text.as_deref();
            if let Some(Value::Array(list)) = list.map(|at| pairs.swap_remove(at).1) {
                list
            } else if is_record(&pairs) || pairs.iter().any(|(name, _)| Some(name.as_str()) == named) {
                vec![Value::Object(pairs.into_iter().collect())]
            } else {
                let records = (1..).zip(pairs).map(move |(number, (title, value))| {
                    let place = Place::Record(number);
                    Fields { path: &source, key: &key, place, common: &common }.entry(title, value)
                });
                return some(path, records);
            }
        }
    };
    let records = (1..).zip(entries).map(move |(number, value)| {
        Fields { path: &source, key: &key, place: Place::Record(number), common: &common }.record(value)
    });
    some(path, records)
}

/// Parses JSON, and also what Python writes for numbers that are none: `NaN` and `Infinity` are read as null.
fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    match serde_json::from_str(text) {
        Err(error) if error.is_syntax() => {
            let Some(mended) = without_odd_numbers(text) else { return Err(error) };
            serde_json::from_str(&mended)
        }
        result => result,
    }
}

/// The text with odd numbers made null, if it has any outside of its strings.
fn without_odd_numbers(text: &str) -> Option<String> {
    let mut mended = String::new();
    let mut copied = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'N' | b'I' if !in_string && at >= copied => {
                let word = ["NaN", "Infinity"].into_iter().find(|word| text[at..].starts_with(word));
                if let Some(word) = word {
                    mended.push_str(text[copied..at].trim_end_matches('-'));
                    mended.push_str("null");
                    copied = at + word.len();
                }
            }
            _ => {}
        }
    }
    mended.push_str(&text[copied..]);
    (copied > 0).then_some(mended)
}

/// The records, or a problem when there are none.
fn some(
    path: &Path,
    records: impl Iterator<Item = Result<Record, ReadProblem>> + Send + 'static,
) -> Result<Records, ReadProblem> {
    let mut records = records.peekable();
    if records.peek().is_none() {
        return Err(ReadProblem::empty(path, None));
    }
    Ok(Box::new(records))
}

/// A map is one record if it has a text and nothing that a map of titles would have.
fn is_record(pairs: &[(String, Value)]) -> bool {
    let has_text =
        pairs.iter().any(|(name, value)| name == "text" && (value.is_string() || value.is_array()));
    let others = ["id", "_id", "title", "text", "time", "metadata", "triples"];
    has_text && pairs.iter().all(|(name, _)| others.contains(&name.as_str()))
}

/// The list of records that a map has beside single values: what an interface answers with.
fn only_list(pairs: &[(String, Value)]) -> Option<usize> {
    let is_list =
        |value: &Value| is_record_list(value) && value.as_array().is_some_and(|list| !list.is_empty());
    let at = pairs.iter().position(|(_, value)| is_list(value))?;
    let is_single = |value: &Value| matches!(value, Value::Null | Value::Bool(_) | Value::Number(_));
    let others = || pairs.iter().enumerate().filter(|(other, _)| *other != at);
    others().all(|(_, (_, value))| is_single(value)).then_some(at)
}

fn is_record_list(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_object))
}

/// The top of a JSON text. A map keeps its order, and what it says twice.
enum Top {
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    Other(Value),
}

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TopVisitor)
    }
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a map of documents")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Top, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Top::Map(pairs))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Top, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Top::List(values))
    }

    fn visit_str<E>(self, text: &str) -> Result<Top, E> {
        Ok(Top::Other(Value::String(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Top, E> {
        Ok(Top::Other(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Top, E> {
        Ok(Top::Other(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Top, E> {
        Ok(Top::Other(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Top, E> {
        Ok(Top::Other(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Top, E> {
        Ok(Top::Other(value.into()))
    }
}

struct Lines {
    path: PathBuf,
    /// What the keys of the records begin with.
    key: String,
    /// None after the end, and after an error that can't be read past.
    file: Option<Source>,
    line: usize,
    /// How many bytes the lines before have.
    bytes: usize,
    line_bytes_max: u64,
    common: Common,
}

/// Where lines are read from.
type Source = BufReader<Box<dyn Read + Send>>;

impl Iterator for Lines {
    type Item = Result<Record, ReadProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut line = Vec::new();
            let limit = self.line_bytes_max.saturating_add(1);
            match self.file.as_mut()?.by_ref().take(limit).read_until(b'\n', &mut line) {
                Ok(length) if length as u64 > self.line_bytes_max => {
                    self.file = None;
                    return Some(Err(file::too_large(&self.path, self.line_bytes_max)));
                }
                Ok(0) => {
                    self.file = None;
                    return (self.line == 0).then(|| Err(ReadProblem::empty(&self.path, None)));
                }
                Ok(_) => {}
                Err(error) => {
                    self.file = None;
                    return Some(Err(ReadProblem::io(&self.path, &error)));
                }
            }
            self.line += 1;
            let start = self.bytes;
            self.bytes += line.len();
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(self.record(&line, start));
            }
        }
    }
}

impl Lines {
    fn record(&self, line: &[u8], start: usize) -> Result<Record, ReadProblem> {
        let line = if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let text =
            std::str::from_utf8(line).map_err(|error| invalid(&self.path, start + error.valid_up_to()))?;
        let value = parse(text).map_err(|error| ReadProblem::json(&self.path, Some(self.line), &error))?;
        let place = Place::Line(self.line, None);
        Fields { path: &self.path, key: &self.key, place, common: &self.common }.record(value)
    }
}
