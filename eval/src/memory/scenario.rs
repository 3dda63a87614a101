//! Scenarios: conversations with facts, filler and graded questions, parsed leniently.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use quiver::memory::Fact;
use serde_json::{Map, Value};

/// A conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its turns, in order.
    pub turns: Vec<ScenarioTurn>,
}

/// A turn of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioTurn {
    /// Its number.
    pub number: u64,
    /// The speaker.
    pub speaker: String,
    /// The text.
    pub text: String,
    /// The facts in it, if given.
    pub facts: Vec<Fact>,
    /// The query, if the turn is one.
    pub query: Option<Query>,
}

/// The data of a question. Only the points in time are visible to the architectures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// `direct`, `distant`, `join`, or another name in the file.
    pub kind: String,
    /// Strings that the answer must contain.
    pub truths: Vec<String>,
    /// Strings that the answer must not contain.
    pub not_in_answer: Vec<String>,
    /// Whether the correct response is a refusal.
    pub refusal: bool,
    /// Whether the correct response is a clarifying question.
    pub asks: bool,
    /// The turn at whose time facts must be valid.
    pub as_of_turn: Option<u64>,
    /// The turn up to which facts are known.
    pub known_at_turn: Option<u64>,
}

/// Reads the scenarios from files, and from all `.json` and `.jsonl` files of directories in order of name.
///
/// # Errors
/// Returns an error if a file can't be read, or if it is not a scenario, with the place.
pub fn read(paths: &[impl AsRef<Path>]) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if !path.is_dir() {
            scenarios.extend(read_file(path)?);
            continue;
        }
        let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
        let mut files: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.retain(|file| {
            file.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
        });
        files.sort();
        if files.is_empty() {
            bail!("{}: the directory has no .json files", path.display());
        }
        for file in files {
            scenarios.extend(read_file(&file)?);
        }
    }
    Ok(scenarios)
}

fn read_file(path: &Path) -> Result<Vec<Scenario>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&text, &stem).with_context(|| path.display().to_string())
}

/// Parses one scenario, a list of them, an object with a list of them, or one per line.
///
/// # Errors
/// Returns an error if the text is not a scenario, with the place.
pub fn parse(text: &str, name: &str) -> Result<Vec<Scenario>> {
    let values: Vec<Value> = match serde_json::from_str(text) {
        Ok(Value::Array(values))
            if values
                .first()
                .is_some_and(|value| value.get("turns").is_none() && value.get("text").is_some()) =>
        {
            vec![serde_json::json!({ "name": name, "turns": values })]
        }
        Ok(Value::Array(values)) => values,
        Ok(Value::Object(mut object)) => match object.remove("scenarios") {
            Some(Value::Array(values)) => values,
            Some(Value::Object(named)) => named
                .into_iter()
                .map(|(name, mut value)| {
                    if let Value::Object(scenario) = &mut value {
                        scenario.entry("name").or_insert(name.into());
                    }
                    value
                })
                .collect(),
            _ => vec![Value::Object(object)],
        },
        Ok(_) => bail!("neither a scenario nor a list of scenarios"),
        Err(whole) => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| serde_json::from_str(line).with_context(|| format!("line {}", at + 1)))
            .collect::<Result<_>>()
            .map_err(|_| anyhow::Error::from(whole))?,
    };
    values
        .iter()
        .enumerate()
        .map(|(at, value)| scenario(value, name).with_context(|| format!("scenario {}", at + 1)))
        .collect()
}

fn scenario(value: &Value, fallback: &str) -> Result<Scenario> {
    let Value::Object(object) = value else { bail!("it is no object") };
    let name = string(object, &["name", "id", "title", "scenario"]).unwrap_or_else(|| fallback.to_owned());
    let list = ["turns", "conversation", "messages", "dialogue"].iter().find_map(|key| object.get(*key));
    let Some(Value::Array(list)) = list else { bail!("{name:?} has no list `turns`") };
    let mut turns = Vec::with_capacity(list.len());
    for (at, value) in list.iter().enumerate() {
        let place = || format!("{name:?}, turn {}", at + 1);
        turns.push(turn(value, at as u64 + 1).with_context(place)?);
    }
    Ok(Scenario { name, turns })
}

fn turn(value: &Value, place: u64) -> Result<ScenarioTurn> {
    let Value::Object(object) = value else { bail!("it is no object") };
    let number = ["turn", "turn_id", "number", "index"].iter().find_map(|key| object.get(*key)?.as_u64());
    let speaker = string(object, &["speaker", "agent", "role", "author"]).unwrap_or_default();
    let text = string(object, &["text", "content", "message", "utterance", "query", "question"]);
    let kind = string(object, &["kind", "turn_type", "type"]).unwrap_or_default().to_lowercase();
    let facts = facts(object)?;
    let is_query =
        kind == "query" || kind == "question" || (kind.is_empty() && object.contains_key("ground_truth"));
    let Some(text) = text else { bail!("it has no `text`") };
    let query = if is_query { Some(query(object)?) } else { None };
    let facts = if query.is_some() { Vec::new() } else { facts };
    Ok(ScenarioTurn { number: number.unwrap_or(place), speaker, text, facts, query })
}

fn query(object: &Map<String, Value>) -> Result<Query> {
    let key = ["ground_truth", "groundTruth", "answer", "expected", "expected_answer"]
        .into_iter()
        .find(|key| object.contains_key(*key));
    let truths = key.map(|key| strings(&object[key])).unwrap_or_default();
    let flag = |key: &str| object.get(key).and_then(Value::as_bool).unwrap_or_default();
    let refusal = flag("refusal") || flag("unanswerable") || (key.is_some() && truths.is_empty());
    if truths.is_empty() && !refusal {
        bail!("a query needs a `ground_truth`, or `refusal` where there is no answer");
    }
    Ok(Query {
        kind: string(object, &["query_type", "queryType", "category"]).unwrap_or_else(|| "other".to_owned()),
        truths,
        not_in_answer: object.get("not_in_answer").map(strings).unwrap_or_default(),
        refusal,
        asks: flag("asks"),
        as_of_turn: object.get("as_of_turn").and_then(Value::as_u64),
        known_at_turn: object.get("known_at_turn").and_then(Value::as_u64),
    })
}

/// Reads the facts of a turn: `subject`, `predicate` and `object` next to the text, a `fact` or `triple`, or lists of
/// them.
fn facts(object: &Map<String, Value>) -> Result<Vec<Fact>> {
    let mut found = Vec::new();
    if object.contains_key("subject") && !object["subject"].is_null() {
        found.push(fact_of(object)?);
    }
    for key in ["fact", "triple", "facts", "triples"] {
        match object.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) if list.iter().all(Value::is_string) && list.len() == 3 => {
                found.push(fact(&Value::Array(list.clone()))?);
            }
            Some(Value::Array(list)) => {
                for (at, value) in list.iter().enumerate() {
                    found.push(fact(value).with_context(|| format!("`{key}`, number {}", at + 1))?);
                }
            }
            Some(value) => found.push(fact(value).with_context(|| format!("`{key}`"))?),
        }
    }
    Ok(found)
}

fn fact(value: &Value) -> Result<Fact> {
    match value {
        Value::Array(parts) => match parts.iter().map(Value::as_str).collect::<Option<Vec<_>>>().as_deref() {
            Some([subject, predicate, object]) => Ok(Fact::new(*subject, *predicate, *object)),
            _ => bail!("a triple has three strings"),
        },
        Value::Object(object) => fact_of(object),
        _ => bail!("a fact is an object or a list of three strings"),
    }
}

fn fact_of(object: &Map<String, Value>) -> Result<Fact> {
    let part = |keys: &[&str]| string(object, keys).with_context(|| format!("a fact needs a `{}`", keys[0]));
    let mut fact = Fact::new(
        part(&["subject", "head"])?,
        part(&["predicate", "relation"])?,
        part(&["object", "value", "tail"])?,
    );
    fact.denied = object.get("denied").and_then(Value::as_bool).unwrap_or_default();
    Ok(fact)
}

fn string(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match object.get(*key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    })
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
