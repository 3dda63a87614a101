//! Compares values with their form in the tables of the TCK.

use std::collections::BTreeMap;

use quiver_cypher::{Map, NodeId, RelationshipId, Rows, Value};

/// A value as a table writes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    Plain(Value),
    List(Vec<Expected>),
    Map(BTreeMap<String, Expected>),
    Node(Vec<String>, BTreeMap<String, Expected>),
    Relationship(String, BTreeMap<String, Expected>),
    Path(Vec<Expected>, Vec<(Expected, bool)>),
}

struct Reader<'a> {
    text: &'a str,
}

pub(crate) fn read(text: &str) -> Option<Expected> {
    let mut reader = Reader { text: text.trim() };
    let value = reader.value()?;
    reader.blank();
    reader.text.is_empty().then_some(value)
}

impl Reader<'_> {
    fn blank(&mut self) {
        self.text = self.text.trim_start();
    }

    fn take(&mut self, symbol: &str) -> bool {
        self.blank();
        match self.text.strip_prefix(symbol) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<String> {
        self.blank();
        if self.take("`") {
            let end = self.text.find('`')?;
            let name = self.text[..end].to_owned();
            self.text = &self.text[end + 1..];
            return Some(name);
        }
        let end = self.text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.text.len());
        let name = self.text[..end].to_owned();
        self.text = &self.text[end..];
        (!name.is_empty()).then_some(name)
    }

    fn value(&mut self) -> Option<Expected> {
        self.blank();
        match self.text.chars().next()? {
            '(' => self.node(),
            '<' => self.path(),
            '{' => self.map().map(Expected::Map),
            '\'' => self.string().map(|text| Expected::Plain(Value::from(text))),
            '[' => {
                if self.text[1..].trim_start().starts_with(':') {
                    return self.relationship();
                }
                self.take("[");
                let mut items = Vec::new();
                while !self.take("]") {
                    if !items.is_empty() && !self.take(",") {
                        return None;
                    }
                    items.push(self.value()?);
                }
                Some(Expected::List(items))
            }
            _ => {
                let end = self.text.find([',', ']', '}', ' ']).unwrap_or(self.text.len());
                let word = &self.text[..end];
                let value = match word {
                    "null" => Value::Null,
                    "true" => true.into(),
                    "false" => false.into(),
                    "NaN" => f64::NAN.into(),
                    "Inf" | "Infinity" => f64::INFINITY.into(),
                    "-Inf" | "-Infinity" => f64::NEG_INFINITY.into(),
                    _ => match word.parse::<i64>() {
                        Ok(value) => value.into(),
                        Err(_) => word.parse::<f64>().ok()?.into(),
                    },
                };
                self.text = &self.text[end..];
                Some(Expected::Plain(value))
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take("'");
        let mut value = String::new();
        let mut chars = self.text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' => {
                    self.text = &self.text[at + 1..];
                    return Some(value);
                }
                '\\' => value.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                }),
                c => value.push(c),
            }
        }
        None
    }

    fn map(&mut self) -> Option<BTreeMap<String, Expected>> {
        let mut entries = BTreeMap::new();
        if !self.take("{") {
            return Some(entries);
        }
        while !self.take("}") {
            if !entries.is_empty() && !self.take(",") {
                return None;
            }
            let key = self.name()?;
            if !self.take(":") {
                return None;
            }
            entries.insert(key, self.value()?);
        }
        Some(entries)
    }

    fn node(&mut self) -> Option<Expected> {
        self.take("(");
        let mut labels = Vec::new();
        while self.take(":") {
            labels.push(self.name()?);
        }
        labels.sort();
        let properties = self.map()?;
        self.take(")").then_some(Expected::Node(labels, properties))
    }

    fn relationship(&mut self) -> Option<Expected> {
        self.take("[");
        self.take(":");
        let kind = self.name()?;
        let properties = self.map()?;
        self.take("]").then_some(Expected::Relationship(kind, properties))
    }

    fn path(&mut self) -> Option<Expected> {
        self.take("<");
        let mut nodes = vec![self.node()?];
        let mut relationships = Vec::new();
        while !self.take(">") {
            let backward = self.take("<-");
            if !backward && !self.take("-") {
                return None;
            }
            let one = self.relationship()?;
            let forward = self.take("->");
            if !forward && !self.take("-") {
                return None;
            }
            relationships.push((one, !backward));
            nodes.push(self.node()?);
        }
        Some(Expected::Path(nodes, relationships))
    }
}

fn maps(expected: &BTreeMap<String, Expected>, actual: &Map, rows: &Rows, loose: bool) -> bool {
    expected.len() == actual.len()
        && expected
            .iter()
            .all(|(key, value)| actual.get(key).is_some_and(|found| same(value, found, rows, loose)))
}

fn same_node(expected: &Expected, id: NodeId, rows: &Rows, loose: bool) -> bool {
    let (Expected::Node(labels, properties), Some(node)) = (expected, rows.nodes.get(&id)) else {
        return false;
    };
    labels.iter().eq(node.labels.iter()) && maps(properties, &node.properties, rows, loose)
}

fn same_relationship(expected: &Expected, id: RelationshipId, rows: &Rows, loose: bool) -> bool {
    let (Expected::Relationship(kind, properties), Some(one)) = (expected, rows.relationships.get(&id))
    else {
        return false;
    };
    *kind == one.kind && maps(properties, &one.properties, rows, loose)
}

fn expected_float(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq() || (a.is_nan() && b.is_nan()) || (a - b).abs() <= a.abs() * 1e-14
}

/// Whether a value matches a table; `loose` ignores the order of lists.
pub(crate) fn same(expected: &Expected, actual: &Value, rows: &Rows, loose: bool) -> bool {
    match (expected, actual) {
        (Expected::Plain(Value::String(text)), Value::Moment(_) | Value::Duration(_)) => {
            **text == actual.to_string()
        }
        (Expected::Plain(Value::Float(a)), Value::Float(b)) => expected_float(*a, *b),
        (Expected::Plain(Value::Integer(_)), Value::Float(_))
        | (Expected::Plain(Value::Float(_)), Value::Integer(_)) => false,
        (Expected::Plain(a), b) => a == b,
        (Expected::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return false;
            }
            if loose {
                let mut left: Vec<&Value> = b.iter().collect();
                return a.iter().all(|a| {
                    let at = left.iter().position(|b| same(a, b, rows, loose));
                    at.map(|at| left.swap_remove(at)).is_some()
                });
            }
            a.iter().zip(b.iter()).all(|(a, b)| same(a, b, rows, loose))
        }
        (Expected::Map(a), Value::Map(b)) => maps(a, b, rows, loose),
        (Expected::Node(..), Value::Node(id)) => same_node(expected, *id, rows, loose),
        (Expected::Relationship(..), Value::Relationship(id)) => {
            same_relationship(expected, *id, rows, loose)
        }
        (Expected::Path(nodes, relationships), Value::Path(path)) => {
            nodes.len() == path.nodes.len()
                && nodes.iter().zip(&path.nodes).all(|(a, b)| same_node(a, *b, rows, loose))
                && relationships.iter().zip(&path.relationships).enumerate().all(|(at, ((a, forward), b))| {
                    let starts = rows.relationships.get(b).is_some_and(|one| one.start == path.nodes[at]);
                    same_relationship(a, *b, rows, loose) && starts == *forward
                })
        }
        _ => false,
    }
}
