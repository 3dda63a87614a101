//! Details of a row in words: "Finish the talk (active, due 2025-04-15, depends on Gather data (completed))".

use quiver_cypher::{Map, Value};
use quiver_language::{Class, Language, word::parts};

/// The keys of properties that name a node, the best first.
pub(super) const NAME_KEYS: [&str; 7] = ["name", "title", "headline", "heading", "caption", "id", "key"];
/// The names of properties with the state of a node, whose values are self-explanatory.
pub(super) const STATUS: [&str; 3] = ["status", "state", "stage"];
/// Words in a property's name that its value makes obvious.
const OF_TIME: [&str; 3] = ["date", "time", "day"];

/// Formats a name with its details in brackets. Details without a value are left out.
pub(crate) fn described<'a>(name: &str, details: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let said: Vec<String> = details.filter_map(|(key, value)| detail(key, value)).collect();
    if said.is_empty() { name.to_owned() } else { format!("{name} ({})", said.join(", ")) }
}

fn detail(key: &str, value: &Value) -> Option<String> {
    let words = words(key);
    match value {
        Value::Null => None,
        Value::Boolean(true) => Some(words.join(" ")),
        Value::Boolean(false) => Some(format!("not {}", words.join(" "))),
        Value::List(items) => {
            let items: Vec<String> = items.iter().filter_map(item).collect();
            (!items.is_empty()).then(|| format!("{} {}", words.join(" "), items.join(" and ")))
        }
        other => {
            let value = plain(other);
            let speaks = words.last().is_some_and(|word| STATUS.contains(&word.as_str()));
            Some(if speaks { value } else { format!("{} {value}", without_time(&words)) })
        }
    }
}

/// Returns the name of a node in a list, with the key of the property that holds it.
pub(crate) fn named(map: &Map) -> Option<(&'static str, String)> {
    NAME_KEYS.into_iter().find_map(|key| Some((key, plain(map.get(key).filter(|value| !value.is_null())?))))
}

/// Formats a node in a list: its first value is its name.
fn item(value: &Value) -> Option<String> {
    let Value::Map(map) = value else {
        let text = plain(value);
        return Some(if text.contains(' ') { format!("“{text}”") } else { text });
    };
    let (name_key, name) = named(map)?;
    let others = map.iter().filter(|(key, _)| key.as_str() != name_key);
    Some(described(&name, others.map(|(key, value)| (key.as_str(), value))))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn words(key: &str) -> Vec<String> {
    parts(key).into_iter().map(str::to_lowercase).collect()
}

/// Returns "due" for `dueDate`, "completed" for `completedAt`.
fn without_time(words: &[String]) -> String {
    let is_needless = |word: &String| {
        OF_TIME.contains(&word.as_str()) || Language::English.class(word) == Some(Class::Preposition)
    };
    let first = words.first().cloned().unwrap_or_default();
    let rest = words.iter().skip(1).filter(|word| !is_needless(word)).cloned();
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_with_its_details() {
        let on = Map::from([
            ("title".to_owned(), "Gather data".into()),
            ("status".to_owned(), "completed".into()),
            ("completedAt".to_owned(), "2025-03-25".into()),
            ("dueDate".to_owned(), Value::Null),
        ]);
        let details = [
            ("status", Value::from("active")),
            ("dueDate", "2025-04-15".into()),
            ("completedAt", Value::Null),
            ("DEPENDS_ON", Value::List(vec![Value::Map(on.into())].into())),
            ("BLOCKS", Value::List(Vec::new().into())),
        ];
        assert_eq!(
            described("Finish the talk", details.iter().map(|(key, value)| (*key, value))),
            "Finish the talk (active, due 2025-04-15, depends on Gather data (completed 2025-03-25, completed))"
        );
    }
}
