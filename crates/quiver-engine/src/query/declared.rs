//! The schema of a graph: what exists, and what a workspace declares.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    str::FromStr,
};

use quiver_cypher::{Map, Node, Value, nearest};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The labels and types of relationships of a graph, with their properties. A property, label or type that it does not
/// name is unrestricted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphSchema {
    /// The labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, LabelSchema>,
    /// The types of relationships.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relationships: BTreeMap<String, RelationshipSchema>,
}

/// The nodes with a label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSchema {
    /// Number of nodes, if counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Their properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, PropertySchema>,
}

/// The relationships of a type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationshipSchema {
    /// Number of relationships, if counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The labels of the nodes where they start and end; unrestricted if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<(String, String)>,
    /// Their properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, PropertySchema>,
}

/// A property.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertySchema {
    /// The type of its values.
    #[serde(default, rename = "type")]
    pub kind: PropertyType,
    /// Whether every node or relationship has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether no two nodes with the label have the same value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// How many of the nodes or relationships read have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// The type of the values of a property, written as in the headings of tables: `integer`, `string[]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PropertyType {
    /// The name of the type in [`TYPES`]; `None` for any value.
    item: Option<&'static str>,
    is_list: bool,
}

/// The names of types, and what queries call a value of each.
const TYPES: &[(&str, &str)] = &[
    ("string", "a string"),
    ("integer", "an integer"),
    ("float", "a float"),
    ("boolean", "a boolean"),
    ("date", "a date"),
    ("datetime", "a date and time"),
    ("localdatetime", "a local date and time"),
    ("time", "a time"),
    ("localtime", "a local time"),
    ("duration", "a duration"),
];
/// The name of the type that all values have.
const ANY: &str = "any";

impl PropertyType {
    /// Returns the type of a value.
    pub(super) fn of(value: &Value) -> Self {
        if let Value::List(items) = value {
            let item = items.iter().map(Self::of).reduce(Self::joined).unwrap_or_default();
            return Self { item: item.item.filter(|_| !item.is_list), is_list: true };
        }
        let name = value.type_name();
        Self { item: TYPES.iter().find(|(_, known)| *known == name).map(|(name, _)| *name), is_list: false }
    }

    /// Returns the common type of values of both types.
    pub(super) fn joined(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let is_number = |one: Self| matches!(one.item, Some("integer" | "float"));
        match (self.is_list, other.is_list) {
            (true, true) | (false, false) if is_number(self) && is_number(other) => {
                Self { item: Some("float"), is_list: self.is_list }
            }
            (true, true) => Self { item: None, is_list: true },
            _ => Self::default(),
        }
    }

    fn fits(self, value: &Value) -> bool {
        match value {
            Value::List(items) if self.is_list => {
                let item = Self { is_list: false, ..self };
                items.iter().all(|one| item.fits(one))
            }
            _ => self == Self::default() || Self::of(value).joined(self) == self,
        }
    }

    /// Describes a value of the type in words.
    fn in_words(self) -> String {
        let known = TYPES.iter().find(|(name, _)| Some(*name) == self.item).map(|(_, words)| *words);
        match (self.is_list, known) {
            (false, words) => words.unwrap_or("any value").to_owned(),
            (true, Some(words)) => format!("a list, each item {words}"),
            (true, None) => "a list".to_owned(),
        }
    }
}

impl fmt::Display for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.item.unwrap_or(ANY), if self.is_list { "[]" } else { "" })
    }
}

impl FromStr for PropertyType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, is_list) = text.strip_suffix("[]").map_or((text, false), |name| (name, true));
        if name == ANY {
            return Ok(Self { item: None, is_list });
        }
        let known = TYPES.iter().map(|(known, _)| *known);
        known.clone().find(|known| *known == name).map(|item| Self { item: Some(item), is_list }).ok_or_else(
            || {
                let hint = nearest(name, known.clone());
                let hint = hint.map(|name| format!("; did you mean {name}?"));
                let all = || format!("; the types are {}, {ANY}", known.collect::<Vec<_>>().join(", "));
                format!("the type {text:?} is unknown{}", hint.unwrap_or_else(all))
            },
        )
    }
}

impl Serialize for PropertyType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PropertyType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

const MEND: &str = "or change the schema with `quiver schema set`";

fn check_properties(
    what: &str,
    properties: &Map,
    declared: &BTreeMap<String, PropertySchema>,
) -> Result<(), String> {
    for (key, property) in declared {
        match properties.get(key) {
            Some(value) if !property.kind.fits(value) => {
                return Err(format!(
                    "the {key} of {what} is {value}, {}, but the schema requires {}; write {}, {MEND}",
                    value.type_name(),
                    property.kind,
                    property.kind.in_words()
                ));
            }
            None if property.required => {
                return Err(format!("{what} has no {key}, which the schema requires; add it, {MEND}"));
            }
            _ => {}
        }
    }
    Ok(())
}

impl GraphSchema {
    /// Whether it restricts nothing.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.relationships.is_empty()
    }

    /// Returns the declared labels of a node.
    fn labels_of<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = (&'a String, &'a LabelSchema)> {
        self.labels.iter().filter(|(label, _)| node.labels.contains(*label))
    }

    /// Checks the properties of a node. Returns what breaks the schema.
    pub(super) fn check_node(&self, node: &Node) -> Result<(), String> {
        self.labels_of(node).try_for_each(|(label, declared)| {
            check_properties(&format!("the {label}"), &node.properties, &declared.properties)
        })
    }

    /// Checks the ends and the properties of a relationship. Returns what breaks the schema.
    pub(super) fn check_relationship(
        &self,
        kind: &str,
        properties: &Map,
        start: &Node,
        end: &Node,
    ) -> Result<(), String> {
        let Some(declared) = self.relationships.get(kind) else { return Ok(()) };
        let fits = |(from, to): &(String, String)| start.labels.contains(from) && end.labels.contains(to);
        if !declared.ends.is_empty() && !declared.ends.iter().any(fits) {
            let labels = |node: &Node| {
                let labels: Vec<_> = node.labels.iter().map(String::as_str).collect();
                if labels.is_empty() { "a node without a label".to_owned() } else { labels.join(":") }
            };
            let ends: Vec<_> =
                declared.ends.iter().map(|(from, to)| format!("from {from} to {to}")).collect();
            return Err(format!(
                "{kind} leads {}, but the schema requires {}; connect other nodes, {MEND}",
                format_args!("from {} to {}", labels(start), labels(end)),
                ends.join(" or ")
            ));
        }
        check_properties(&format!("the relationship {kind}"), properties, &declared.properties)
    }

    /// Returns the labels with unique properties.
    pub(super) fn unique(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels.iter().flat_map(|(label, declared)| {
            let unique = declared.properties.iter().filter(|(_, property)| property.unique);
            unique.map(|(key, _)| (label.as_str(), key.as_str()))
        })
    }
}

/// Describes the violation by a value that another node has.
pub(super) fn not_unique(label: &str, key: &str, value: &Value) -> String {
    format!(
        "two nodes {label} have the {key} {value}, which must be unique according to the schema; change one, {MEND}"
    )
}

/// Collects the properties that nodes or relationships have.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// Number of nodes or relationships seen.
    seen: u64,
    properties: BTreeMap<String, (PropertyType, u64)>,
    /// The properties by which they were loaded.
    keys: BTreeSet<String>,
}

impl Collected {
    pub(super) fn add(&mut self, properties: &Map, key: Option<String>) {
        self.seen += 1;
        for (key, value) in properties {
            let kind = PropertyType::of(value);
            let entry = self.properties.entry(key.clone()).or_insert((kind, 0));
            *entry = (entry.0.joined(kind), entry.1 + 1);
        }
        self.keys.extend(key);
    }

    /// Returns their properties. Only a property by which nodes were loaded is required and unique by its nature.
    pub(super) fn properties(&self) -> BTreeMap<String, PropertySchema> {
        let of = |(key, (kind, count)): (&String, &(PropertyType, u64))| {
            let is_key = self.keys.len() == 1 && self.keys.contains(key) && *count == self.seen;
            let schema =
                PropertySchema { kind: *kind, required: is_key, unique: is_key, count: Some(*count) };
            (key.clone(), schema)
        };
        self.properties.iter().map(of).collect()
    }
}

/// The values of unique properties seen so far.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<(String, String), BTreeSet<String>>);

impl Seen {
    /// Records the unique values of a node. Returns an error if one was seen before.
    pub(super) fn check(&mut self, schema: &GraphSchema, node: &Node) -> Result<(), String> {
        for (label, key) in schema.unique() {
            let Some(value) = node.properties.get(key).filter(|_| node.labels.contains(label)) else {
                continue;
            };
            let values = self.0.entry((label.to_owned(), key.to_owned())).or_default();
            if !values.insert(value.to_string()) {
                return Err(not_unique(label, key, value));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quiver_cypher::Value;

    use super::{GraphSchema, PropertyType};

    #[test]
    fn types_are_read_and_fit() {
        let fits = |kind: &str, value: Value| kind.parse::<PropertyType>().map(|kind| kind.fits(&value));
        assert_eq!(fits("integer", Value::from(1)), Ok(true));
        assert_eq!(fits("float", Value::from(1)), Ok(true));
        assert_eq!(fits("integer", Value::from(1.5)), Ok(false));
        assert_eq!(fits("any", Value::list(vec![])), Ok(true));
        assert_eq!(fits("string[]", Value::list(vec!["a".into()])), Ok(true));
        assert_eq!(fits("string[]", Value::list(vec![1.into()])), Ok(false));
        assert_eq!(fits("string", Value::list(vec!["a".into()])), Ok(false));
        assert_eq!(fits("any[]", "a".into()), Ok(false));
        assert_eq!(
            fits("intger", 1.into()),
            Err("the type \"intger\" is unknown; did you mean integer?".to_owned())
        );
    }

    #[test]
    fn types_of_several_values_are_joined() {
        let joined = |values: Vec<Value>| {
            let kinds = values.iter().map(PropertyType::of);
            kinds.reduce(PropertyType::joined).unwrap_or_default().to_string()
        };
        assert_eq!(joined(vec![1.into(), 1.5.into()]), "float");
        assert_eq!(joined(vec![1.into(), "a".into()]), "any");
        assert_eq!(
            joined(vec![Value::list(vec![1.into()]), Value::list(vec![2.into(), 2.5.into()])]),
            "float[]"
        );
        assert_eq!(joined(vec![Value::list(vec!["a".into()]), "a".into()]), "any");
    }

    #[test]
    fn a_schema_survives_its_file() {
        let text = "[labels.Service.properties.name]\ntype = \"string\"\nrequired = true\nunique = true\n\n[relationships.OWNS]\nends = [[\"Team\", \"Service\"]]\n";
        let schema: GraphSchema = toml::from_str(text).expect("a schema");
        assert_eq!(toml::to_string(&schema).expect("a text"), text);
    }
}
