use std::collections::HashSet;

use serde_json::Value;

use crate::{Filter, Payload, PointId};

/// A filter prepared for many points: long lists of values become sets. Equivalent to [`Filter::matches`].
pub(super) enum Matcher<'a> {
    All(Vec<Matcher<'a>>),
    Any(Vec<Matcher<'a>>),
    Not(Box<Matcher<'a>>),
    In { field: &'static str, values: HashSet<&'a str> },
    Ids(HashSet<PointId>),
    Other(&'a Filter),
}

impl<'a> Matcher<'a> {
    pub(super) fn new(filter: &'a Filter) -> Self {
        match filter {
            Filter::All(filters) => Self::All(filters.iter().map(Self::new).collect()),
            Filter::Any(filters) => Self::Any(filters.iter().map(Self::new).collect()),
            Filter::Not(filter) => Self::Not(Box::new(Self::new(filter))),
            Filter::In { field, values } => {
                Self::In { field, values: values.iter().map(String::as_str).collect() }
            }
            Filter::Ids(ids) => Self::Ids(ids.iter().copied().collect()),
            Filter::Range { .. } | Filter::Missing { .. } => Self::Other(filter),
        }
    }

    pub(super) fn matches(&self, id: PointId, payload: &Payload) -> bool {
        match self {
            Self::All(matchers) => matchers.iter().all(|matcher| matcher.matches(id, payload)),
            Self::Any(matchers) => matchers.iter().any(|matcher| matcher.matches(id, payload)),
            Self::Not(matcher) => !matcher.matches(id, payload),
            Self::In { field, values } => match payload.get(*field) {
                Some(Value::String(value)) => values.contains(value.as_str()),
                Some(Value::Array(members)) => {
                    members.iter().filter_map(Value::as_str).any(|value| values.contains(value))
                }
                _ => false,
            },
            Self::Ids(ids) => ids.contains(&id),
            Self::Other(filter) => filter.matches(id, payload),
        }
    }
}
