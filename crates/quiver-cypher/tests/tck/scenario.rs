//! Runs one scenario.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    fs,
    path::Path,
    time::Duration,
};

use quiver_cypher::{Budget, Map, Node, Options, Relationship, Rows, Value};

use super::{
    compare::{Expected, read, same},
    gherkin::Scenario,
};

/// A graph that the scenarios run on.
pub(crate) trait Subject {
    /// Parses and runs a query.
    fn run(&self, text: &str, parameters: &Map, options: &Options) -> Result<Rows, String>;

    /// Everything in the graph.
    fn content(&self) -> Content;
}

/// The counts by which side effects of a query are measured.
#[derive(Default, PartialEq)]
pub(crate) struct Content {
    nodes: BTreeSet<String>,
    relationships: BTreeSet<String>,
    labels: BTreeSet<String>,
    properties: BTreeSet<String>,
}

impl Content {
    pub(crate) fn add_node(&mut self, id: impl Display, node: &Node) {
        self.nodes.insert(id.to_string());
        self.labels.extend(node.labels.iter().cloned());
        self.properties.extend(node.properties.iter().map(|(key, value)| format!("{id} {key} {value}")));
    }

    pub(crate) fn add_relationship(&mut self, id: impl Display, one: &Relationship) {
        self.relationships.insert(id.to_string());
        self.properties.extend(one.properties.iter().map(|(key, value)| format!("{id} {key} {value}")));
    }
}

fn effects(before: &Content, after: &Content) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (name, before, after) in [
        ("nodes", &before.nodes, &after.nodes),
        ("relationships", &before.relationships, &after.relationships),
        ("labels", &before.labels, &after.labels),
        ("properties", &before.properties, &after.properties),
    ] {
        for (sign, count) in
            [("+", after.difference(before).count()), ("-", before.difference(after).count())]
        {
            if count > 0 {
                found.insert(format!("{sign}{name}"), count);
            }
        }
    }
    found
}

fn value(expected: &Expected) -> Value {
    match expected {
        Expected::Plain(value) => value.clone(),
        Expected::List(items) => Value::list(items.iter().map(value).collect()),
        Expected::Map(entries) => {
            Value::map(entries.iter().map(|(key, one)| (key.clone(), value(one))).collect())
        }
        _ => Value::Null,
    }
}

fn matches(table: &[Vec<String>], rows: &Rows, ordered: bool, loose: bool) -> Result<(), String> {
    let shown = || {
        let lines =
            rows.rows.iter().map(|row| row.iter().map(|one| rows.text(one)).collect::<Vec<_>>().join(" | "));
        format!("{:?}: {:#?}", rows.columns, lines.collect::<Vec<_>>())
    };
    let header = table.first().ok_or("no table")?;
    let (mut wanted, mut found) = (header.clone(), rows.columns.clone());
    wanted.sort();
    found.sort();
    if wanted != found || table.len() - 1 != rows.rows.len() {
        return Err(shown());
    }
    let mut left: Vec<&Vec<Value>> = rows.rows.iter().collect();
    for line in &table[1..] {
        let expected: Option<Vec<Expected>> = line.iter().map(|cell| read(cell)).collect();
        let expected = expected.ok_or_else(|| format!("unreadable: {line:?}"))?;
        let fits = |row: &&Vec<Value>| {
            header.iter().zip(&expected).all(|(column, expected)| {
                let at = rows.columns.iter().position(|other| other == column);
                at.is_some_and(|at| same(expected, &row[at], rows, loose))
            })
        };
        let at =
            if ordered { left.first().is_some_and(fits).then_some(0) } else { left.iter().position(fits) };
        match at {
            Some(at) => {
                left.remove(at);
            }
            None => return Err(shown()),
        }
    }
    Ok(())
}

pub(crate) fn run(folder: &Path, scenario: &Scenario, graph: &dyn Subject) -> Result<(), String> {
    let budget = Budget { time_max: Duration::from_secs(5), rows_max: 300_000, ..Budget::default() };
    let options = Options { budget, ..Options::default() };
    let mut parameters = Map::new();
    let mut result: Option<Result<Rows, String>> = None;
    let mut before = Content::default();
    let execute = |text: &str, parameters: &Map| graph.run(text, parameters, &options);
    for step in &scenario.steps {
        let text = step.text.trim_end_matches(':');
        if text == "an empty graph" || text == "any graph" {
        } else if let Some(name) = text.strip_prefix("the ").and_then(|rest| rest.strip_suffix(" graph")) {
            let file = folder.join(format!("graphs/{name}/{name}.cypher"));
            let script = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            execute(&script, &Map::new())?;
        } else if text == "having executed" {
            execute(&step.body, &parameters).map_err(|error| format!("set-up: {error}"))?;
        } else if text == "parameters are" {
            for line in &step.table {
                let expected = read(&line[1]).ok_or_else(|| format!("unreadable: {line:?}"))?;
                parameters.insert(line[0].clone(), value(&expected));
            }
        } else if text == "executing query" || text == "executing control query" {
            before = graph.content();
            result = Some(execute(&step.body, &parameters));
        } else if text.starts_with("the result should be") {
            let rows = match &result {
                Some(Ok(rows)) => rows,
                Some(Err(error)) => return Err(error.clone()),
                None => return Err("no query".to_owned()),
            };
            if text.ends_with("be empty") {
                if !rows.rows.is_empty() {
                    return Err(format!("not empty: {rows:?}"));
                }
                continue;
            }
            let ordered = text.contains("in order");
            matches(&step.table, rows, ordered, text.contains("ignoring element order"))?;
        } else if text == "no side effects" || text == "the side effects should be" {
            if let Some(Err(error)) = &result {
                return Err(error.clone());
            }
            let wanted: BTreeMap<String, usize> =
                step.table.iter().filter_map(|line| Some((line[0].clone(), line[1].parse().ok()?))).collect();
            let found = effects(&before, &graph.content());
            if wanted != found {
                return Err(format!("side effects {found:?}, not {wanted:?}"));
            }
        } else if text.contains("should be raised") {
            if matches!(result, Some(Ok(_))) {
                return Err("no error".to_owned());
            }
        } else {
            return Err(format!("unknown step: {text}"));
        }
    }
    Ok(())
}
