//! What stands before the text of a page: YAML between `---`, TOML between `+++`, or a JSON object.

use super::{Place, ReadProblem, fold};
use crate::{
    document::Document,
    nesting::{NESTING_MAX, nesting},
};
use jiff::{Timestamp, civil, tz::TimeZone};
use serde_json::{Map, Value};

mod lenient;

/// Front matter is a few lines; what is longer is a text that happens to begin like it.
const BYTES_MAX: usize = 64 << 10;

/// Fields that say when a page was written, the most telling first.
const TIME_FIELDS: &[&str] = &["date", "published", "publishDate", "lastmod", "updated", "time"];

/// What front matter says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FrontMatter {
    pub(super) fields: Map<String, Value>,
    /// What of it can't be read.
    notes: Vec<String>,
}

/// Takes the front matter off a text, if it begins with some: what it says, and the text after it. What is no valid
/// YAML or TOML is read line by line.
pub(super) fn take(text: &str) -> Option<(FrontMatter, &str)> {
    let (first, rest) = first_line(text);
    let first = first.trim_end();
    let (block, rest) = match first {
        "---" => until(rest, &["---", "..."])?,
        "+++" => until(rest, &["+++"])?,
        _ if first.starts_with('{') => object(text)?,
        _ => return None,
    };
    let value = match first {
        "---" => serde_saphyr::from_str::<Value>(block).ok(),
        "+++" => toml::from_str::<toml::Table>(block).ok().map(|table| toml_value(table.into())),
        _ => serde_json::from_str(block).ok(),
    };
    let mut front_matter = match (value, first) {
        (Some(Value::Object(fields)), _) if !fields.is_empty() => FrontMatter { fields, notes: Vec::new() },
        // An empty block is front matter too; a list or a sentence between rules is text.
        (Some(Value::Null), _) if block.trim().is_empty() => FrontMatter::default(),
        (_, "---") => lenient::read(block, &lenient::YAML)?,
        (_, "+++") => lenient::read(block, &lenient::TOML)?,
        _ => return None,
    };
    front_matter.notes.extend(wrong_times(&front_matter.fields, &text[..text.len() - rest.len()]));
    Some((front_matter, rest))
}

/// A note for each field that should hold a date and holds another text.
fn wrong_times(fields: &Map<String, Value>, block: &str) -> Vec<String> {
    let named = TIME_FIELDS.iter().filter_map(|name| Some((*name, fields.get(*name)?.as_str()?.trim())));
    let wrong = named.filter(|(name, text)| {
        // "time: 5 minutes" is no date.
        let is_meant = text.contains(|c: char| c.is_ascii_digit()) && (*name != "time" || is_dated(text));
        is_meant && milliseconds(&Value::from(*text)).is_none()
    });
    let note = |(name, text): (&str, &str)| {
        let line = 1 + block.lines().position(|line| is_of_field(line, name)).unwrap_or_default();
        let what = format!("`{name}` is no date that exists or can be read: {text}");
        ReadProblem::note(Place::Line(line, None), what, "write it as 2026-03-01")
    };
    wrong.map(note).collect()
}

fn is_dated(text: &str) -> bool {
    let year = text.bytes().take_while(u8::is_ascii_digit).count();
    year == 4 && text[year..].starts_with(['-', '/', '.'])
}

fn is_of_field(line: &str, name: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\'', '"']).strip_prefix(name);
    rest.is_some_and(|rest| rest.trim_start_matches([' ', '\'', '"']).starts_with([':', '=']))
}

/// Gives a document what its front matter says of it: title, time, and the rest as metadata.
pub(super) fn apply(front_matter: FrontMatter, document: &mut Document) {
    let FrontMatter { mut fields, notes } = front_matter;
    document.notes.extend(notes);
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
        let (front_matter, rest) = take(text)?;
        let mut document = Document::default();
        apply(front_matter, &mut document);
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
            "---\nNote: the mast: it leans.\nThe crew knows.\n---\nText.",
            "Text.\n---\na: b\n---\n",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn front_matter_that_is_not_valid_is_read_line_by_line() {
        let yaml = "---\ntitle: Zenith: opening\nteam: \"y\n# later\ntags: [a, b]\nauthors:\n  - Ann: lead: mast\n  - Bo\n\nplace:\n  \
                    name: Oslo: the quay\n  pier: 4\ndraft: false\nsummary: 'It's here'\n---\nText.\n";
        let fields = json!({
            "team": "y", "tags": ["a", "b"], "authors": ["Ann: lead: mast", "Bo"],
            "place": {"name": "Oslo: the quay", "pier": 4}, "draft": false, "summary": "It's here",
        });
        assert_eq!(read(yaml), Some((Some("Zenith: opening".to_owned()), None, fields, "Text.\n")));
        let toml = "+++\ntitle = Zenith\ndate = 2026-03-01\n[params]\nteam = \"y\ntags = [\n  \"a\",\n]\n+++\nText.\n";
        let fields = json!({ "date": "2026-03-01", "params": {"team": "y", "tags": ["a"]} });
        let title = Some("Zenith".to_owned());
        assert_eq!(read(toml), Some((title, Some(1_772_323_200_000), fields, "Text.\n")));
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
