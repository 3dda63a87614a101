use serde_json::Value;

use crate::{Payload, PointId};

/// A condition on a point's ID and payload.
///
/// A payload field that holds a list matches if any of its members does, as in Qdrant.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of these hold. An empty list matches every point.
    All(Vec<Filter>),
    /// At least one of these holds. An empty list matches no point.
    Any(Vec<Filter>),
    /// This does not hold.
    Not(Box<Filter>),
    /// The field is, or contains, one of these strings. An empty list matches no point.
    In {
        /// The payload field.
        field: &'static str,
        /// The values; one match is enough.
        values: Vec<String>,
    },
    /// The field is, or contains, a number within these bounds, both inclusive; `None` means unbounded.
    Range {
        /// The payload field.
        field: &'static str,
        /// The lower bound.
        least: Option<f64>,
        /// The upper bound.
        most: Option<f64>,
    },
    /// The field is missing, null or an empty list.
    Missing {
        /// The payload field.
        field: &'static str,
    },
    /// The point's ID is one of these. An empty list matches no point.
    Ids(Vec<PointId>),
}

impl Filter {
    /// Returns a filter that matches every point.
    pub fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// Returns a filter that matches if the field is, or contains, this string.
    pub fn equals(field: &'static str, value: impl Into<String>) -> Self {
        Self::In { field, values: vec![value.into()] }
    }

    /// Returns a filter that matches if the field is, or contains, one of these strings.
    pub fn any_of(field: &'static str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::In { field, values: values.into_iter().map(Into::into).collect() }
    }

    /// Returns a filter that matches if both filters do.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self {
            Self::All(mut filters) => {
                filters.push(other);
                Self::All(filters)
            }
            filter => Self::All(vec![filter, other]),
        }
    }

    /// Returns whether a point with this ID and payload matches. This is the reference semantics for every backend.
    pub fn matches(&self, id: PointId, payload: &Payload) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.matches(id, payload)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(id, payload)),
            Self::Not(filter) => !filter.matches(id, payload),
            Self::In { field, values } => {
                members(payload, field).any(|v| v.as_str().is_some_and(|s| values.iter().any(|w| w == s)))
            }
            Self::Range { field, least, most } => members(payload, field)
                .filter_map(Value::as_f64)
                .any(|v| least.is_none_or(|least| v >= least) && most.is_none_or(|most| v <= most)),
            Self::Missing { field } => members(payload, field).all(Value::is_null),
            Self::Ids(ids) => ids.contains(&id),
        }
    }
}

/// Returns the field's value, or the members of the list it holds.
pub(crate) fn members<'a>(payload: &'a Payload, field: &str) -> impl Iterator<Item = &'a Value> {
    match payload.get(field) {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    }
    .iter()
}
