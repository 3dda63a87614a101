//! Values, their equality, their order and their printed form.

use std::{cmp::Ordering, collections::BTreeMap, fmt, sync::Arc};

use crate::{
    graph::{NodeId, RelationshipId},
    temporal::{Duration, Moment},
};

/// The entries of a map, or the properties of a node or a relationship.
pub type Map = BTreeMap<String, Value>;

/// A value in a query.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// An unknown value.
    #[default]
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    String(Arc<str>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map.
    Map(Arc<Map>),
    /// A node, by its ID.
    Node(NodeId),
    /// A relationship, by its ID.
    Relationship(RelationshipId),
    /// A path.
    Path(Arc<Path>),
    /// A date, a time or both.
    Moment(Moment),
    /// A length of time.
    Duration(Duration),
}

/// Nodes with the relationships between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The nodes in order: one more than relationships.
    pub nodes: Vec<NodeId>,
    /// The relationships in order.
    pub relationships: Vec<RelationshipId>,
}

impl Value {
    /// Creates a string.
    pub fn string(text: impl AsRef<str>) -> Self {
        Self::String(Arc::from(text.as_ref()))
    }

    /// Creates a list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(items))
    }

    /// Creates a map.
    pub fn map(entries: Map) -> Self {
        Self::Map(Arc::new(entries))
    }

    /// Returns whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns when a date, a date and time, or the text of one begins, in milliseconds since 1970; in UTC if it has no
    /// offset.
    pub fn beginning(&self) -> Option<i64> {
        match self {
            Self::Moment(moment) => moment.beginning(),
            Self::String(text) => Moment::read(text)?.beginning(),
            _ => None,
        }
    }

    /// Returns the name of the type, with its article, for error messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Node(_) => "a node",
            Self::Relationship(_) => "a relationship",
            Self::Path(_) => "a path",
            Self::Moment(moment) => moment.type_name(),
            Self::Duration(_) => "a duration",
        }
    }

    /// Returns whether two values are equal; `None` if that is not known because of a null.
    pub fn equals(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => None,
            (Self::List(a), Self::List(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                all(a.iter().zip(b.iter()).map(|(a, b)| a.equals(b)))
            }
            (Self::Map(a), Self::Map(b)) => {
                if !a.keys().eq(b.keys()) {
                    return Some(false);
                }
                all(a.values().zip(b.values()).map(|(a, b)| a.equals(b)))
            }
            (Self::Float(a), _) if a.is_nan() => Some(false),
            (_, Self::Float(b)) if b.is_nan() => Some(false),
            _ => Some(self.rank() == other.rank() && self.compare(other) == Ordering::Equal),
        }
    }

    /// Compares two values with `<`; `None` if they can't be compared.
    pub fn partial_compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(_) | Self::Float(_), Self::Integer(_) | Self::Float(_)) => {
                if self.is_nan() || other.is_nan() {
                    return None;
                }
                Some(self.compare(other))
            }
            (Self::String(_), Self::String(_)) | (Self::Boolean(_), Self::Boolean(_)) => {
                Some(self.compare(other))
            }
            (Self::Moment(a), Self::Moment(b)) => a.partial_compare(b),
            (Self::List(a), Self::List(b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    match a.equals(b) {
                        Some(true) => {}
                        Some(false) => return a.partial_compare(b),
                        None => return None,
                    }
                }
                Some(a.len().cmp(&b.len()))
            }
            _ => None,
        }
    }

    fn is_nan(&self) -> bool {
        matches!(self, Self::Float(value) if value.is_nan())
    }

    /// The order of types.
    fn rank(&self) -> u8 {
        match self {
            Self::Map(_) => 0,
            Self::Node(_) => 1,
            Self::Relationship(_) => 2,
            Self::List(_) => 3,
            Self::Path(_) => 4,
            Self::Moment(moment) => 5 + moment.rank(),
            Self::Duration(_) => 10,
            Self::String(_) => 11,
            Self::Boolean(_) => 12,
            Self::Integer(_) | Self::Float(_) => 13,
            Self::Null => 14,
        }
    }

    /// The total order of `ORDER BY`, in which nulls come last. Equal values count as one in `DISTINCT` and in groups.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Map(a), Self::Map(b)) => {
                a.keys().cmp(b.keys()).then_with(|| compare_all(a.values(), b.values()))
            }
            (Self::Node(a), Self::Node(b)) => a.cmp(b),
            (Self::Relationship(a), Self::Relationship(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => compare_all(a.iter(), b.iter()),
            (Self::Path(a), Self::Path(b)) => (&a.nodes, &a.relationships).cmp(&(&b.nodes, &b.relationships)),
            (Self::Moment(a), Self::Moment(b)) => a.compare(b),
            (Self::Duration(a), Self::Duration(b)) => a.compare(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => compare_floats(*a, *b),
            (Self::Integer(a), Self::Float(b)) => compare_mixed(*a, *b),
            (Self::Float(a), Self::Integer(b)) => compare_mixed(*b, *a).reverse(),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn compare_all<'a>(a: impl Iterator<Item = &'a Value>, b: impl Iterator<Item = &'a Value>) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match a.compare(b) {
                Ordering::Equal => {}
                order => return order,
            },
        }
    }
}

/// NaN is greater than every number and equal to itself; both zeros are equal.
fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[expect(clippy::cast_possible_truncation, reason = "only floats within the range of integers are converted")]
fn compare_mixed(a: i64, b: f64) -> Ordering {
    match compare_floats(a as f64, b) {
        Ordering::Equal if b.abs() < 9.2e18 => a.cmp(&(b as i64)),
        order => order,
    }
}

/// Three-valued conjunction.
pub(crate) fn all(values: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for value in values {
        match value {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

/// Values compared by the total order, as keys of groups.
#[derive(Clone, Debug)]
pub(crate) struct Key(pub(crate) Vec<Value>);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_all(self.0.iter(), other.0.iter())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

/// For comparing results: nulls and NaN equal themselves.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::string(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::string(value)
    }
}

impl From<Option<bool>> for Value {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Null, Self::Boolean)
    }
}

/// Prints a float so that it is recognisable as one.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else {
        let magnitude = value.abs();
        if magnitude != 0.0 && !(1e-3..1e7).contains(&magnitude) {
            let text = format!("{value:E}");
            let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
            if mantissa.contains('.') { text } else { format!("{mantissa}.0E{exponent}") }
        } else {
            format!("{value:?}")
        }
    }
}

/// Prints a value as Cypher writes it; nodes and relationships by their IDs.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => f.write_str(&float_text(*value)),
            Self::String(text) => write!(f, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Self::Node(id) => write!(f, "({id})"),
            Self::Relationship(id) => write!(f, "[{id}]"),
            Self::Path(path) => write!(f, "<path of {} relationships>", path.relationships.len()),
            Self::Moment(moment) => moment.fmt(f),
            Self::Duration(duration) => duration.fmt(f),
        }
    }
}
