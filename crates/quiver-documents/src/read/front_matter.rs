//! What stands before the text of a page: YAML between `---`, TOML between `+++`, or a JSON object.

use super::fold;
use crate::{
    document::Document,
    nesting::{NESTING_MAX, nesting},
};
use jiff::{Timestamp, civil, tz::TimeZone};
use serde_json::{Map, Value};

/// Front matter is a few lines; what is longer is a text that happens to begin like it.
const BYTES_MAX: usize = 64 << 10;

/// Fields that say when a page was written, the most telling first.
const TIME_FIELDS: &[&str] = &["date", "published", "publishDate", "lastmod", "updated", "time"];

/// Takes the front matter off a text, if it begins with some that can be read: its fields, and the text after it.
pub(super) fn take(text: &str) -> Option<(Map<String, Value>, &str)> {
    let (first, rest) = first_line(text);
    let first = first.trim_end();
    let (block, rest) = match first {
        "---" => until(rest, &["---", "..."])?,
        "+++" => until(rest, &["+++"])?,
        _ if first.starts_with('{') => object(text)?,
        _ => return None,
    };
    let value = match first {
        "---" => serde_saphyr::from_str::<Value>(block).ok()?,
        "+++" => toml_value(toml::from_str::<toml::Table>(block).ok()?.into()),
        _ => serde_json::from_str(block).ok()?,
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => Some((fields, rest)),
        // An empty block is front matter too; a list or a sentence between rules is text.
        Value::Null if block.trim().is_empty() => Some((Map::new(), rest)),
        _ => None,
    }
}

/// Gives a document what its front matter says of it: title, time, and the rest as metadata.
pub(super) fn apply(mut fields: Map<String, Value>, document: &mut Document) {
    if let Some(Value::String(title)) = fields.get("title")
        && title.contains(char::is_alphanumeric)
    {
        document.title = Some(fold(title));
        fields.remove("title");
    }
    let time = TIME_FIELDS.iter().filter_map(|name| fields.get(*name)).find_map(milliseconds);
    document.time = time.or(document.time);
    // The reader of YAML refuses what is nested deeper than this, so nothing is lost here but what it lets pass.
    if nesting(&fields) <= NESTING_MAX {
        document.metadata = fields;
    }
}

/// The lines up to one of these, and what follows it.
fn until<'t>(text: &'t str, ends: &[&str]) -> Option<(&'t str, &'t str)> {
    let mut at = 0;
    while at < text.len().min(BYTES_MAX) {
        let (line, rest) = first_line(&text[at..]);
        if ends.contains(&line.trim_end()) {
            return Some((&text[..at], rest));
        }
        at = text.len() - rest.len();
    }
    None
}

/// The object that the text begins with, which ends a line.
fn object(text: &str) -> Option<(&str, &str)> {
    let head = &text[..text.floor_char_boundary(text.len().min(BYTES_MAX))];
    let mut values = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    let (line, rest) = first_line(&text[end..]);
    line.trim().is_empty().then_some((&text[..end], rest))
}

/// Dates of TOML become text, as those of YAML and JSON are.
fn toml_value(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(is) => is.into(),
        toml::Value::Datetime(moment) => Value::String(moment.to_string()),
        toml::Value::Array(values) => values.into_iter().map(toml_value).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(name, value)| (name, toml_value(value))).collect())
        }
    }
}

/// A moment in milliseconds since 1970; without a zone it is meant in UTC.
pub(super) fn milliseconds(value: &Value) -> Option<i64> {
    let text = value.as_str()?.trim();
    let of_date = |time: civil::DateTime| time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let timestamp = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| Timestamp::strptime("%Y-%m-%d %H:%M:%S %z", text).ok())
        .or_else(|| of_date(text.parse::<civil::DateTime>().ok()?))
        .or_else(|| of_date(text.parse::<civil::Date>().ok()?.at(0, 0, 0, 0)))?;
    Some(timestamp.as_millisecond())
}

/// The first line of a text without its end, and what follows it.
fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::{apply, milliseconds, take};
    use crate::document::Document;
    use serde_json::{Value, json};

    fn read(text: &str) -> Option<(Option<String>, Option<i64>, Value, &str)> {
        let (fields, rest) = take(text)?;
        let mut document = Document::default();
        apply(fields, &mut document);
        Some((document.title, document.time, document.metadata.into(), rest))
    }

    #[test]
    fn the_three_forms_say_the_same() {
        let expected = Some((
            Some("The \"guide\"".to_owned()),
            Some(1_772_323_200_000),
            json!({ "date": "2026-03-01", "tags": ["a", "b"], "weight": 3 }),
            "\nText.\n",
        ));
        let yaml = "---\ntitle: The \"guide\"\ndate: 2026-03-01\ntags: [a, b]\nweight: 3\n---\n\nText.\n";
        assert_eq!(read(yaml), expected);
        let windows = yaml.replace('\n', "\r\n");
        assert_eq!(read(&windows).and_then(|read| read.0), Some("The \"guide\"".to_owned()));
        let toml =
            "+++\ntitle = 'The \"guide\"'\ndate = 2026-03-01\ntags = ['a', 'b']\nweight = 3\n+++\n\nText.\n";
        assert_eq!(read(toml), expected);
        let json = "{\n\"title\": \"The \\\"guide\\\"\", \"date\": \"2026-03-01\", \"tags\": [\"a\", \"b\"], \"weight\": 3\n}\n\nText.\n";
        assert_eq!(read(json), expected);
    }

    #[test]
    fn text_that_begins_like_it_stays_text() {
        for text in [
            "---\nA rule, and a sentence.\n---\nText.",
            "---\nno: end",
            "---\n- a\n- list\n---\n",
            "{ braces } of a text",
            "{{< shortcode >}}\nText.",
            "+++\nnot toml\n+++\n",
            "Text.\n---\na: b\n---\n",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_read_as_pages_write_them() {
        for moment in [
            "2026-03-01T09:30:00Z",
            "2026-03-01 10:30:00 +0100",
            "2026-03-01T09:30:00",
            "2026-03-01 09:30:00",
        ] {
            assert_eq!(milliseconds(&moment.into()), Some(1_772_357_400_000), "{moment}");
        }
        assert_eq!(milliseconds(&"soon".into()), None);
    }
}
