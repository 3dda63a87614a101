//! Simplifies filters for Qdrant: removes empty lists, which Qdrant treats as no condition at all.

use crate::{Filter, PointId};

/// A filter without constant parts.
#[derive(Debug, PartialEq)]
pub(crate) enum Folded {
    /// Matches every point.
    Everything,
    /// Matches no point.
    Nothing,
    /// Matches the points that satisfy this condition.
    Condition(Condition),
}

/// A condition without empty lists.
#[derive(Debug, PartialEq)]
pub(crate) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    In { field: &'static str, values: Vec<String> },
    Range { field: &'static str, least: Option<f64>, most: Option<f64> },
    Missing { field: &'static str },
    Ids(Vec<PointId>),
}

/// Folds the constant parts of a filter.
#[cfg(feature = "server")]
pub(crate) fn fold(filter: &Filter) -> Folded {
    fold_with(filter, &|_| true)
}

/// Folds the constant parts of a filter, where no point has a value of some of the fields.
pub(crate) fn fold_with(filter: &Filter, has_values: &dyn Fn(&str) -> bool) -> Folded {
    match filter {
        Filter::All(filters) => fold_all(filters, has_values),
        Filter::Any(filters) => fold_any(filters, has_values),
        Filter::Not(filter) => match fold_with(filter, has_values) {
            Folded::Everything => Folded::Nothing,
            Folded::Nothing => Folded::Everything,
            Folded::Condition(condition) => Folded::Condition(Condition::Not(Box::new(condition))),
        },
        Filter::In { values, .. } if values.is_empty() => Folded::Nothing,
        Filter::Ids(ids) if ids.is_empty() => Folded::Nothing,
        Filter::In { field, .. } | Filter::Range { field, .. } if !has_values(field) => Folded::Nothing,
        Filter::Missing { field } if !has_values(field) => Folded::Everything,
        Filter::In { field, values } => Folded::Condition(Condition::In { field, values: values.clone() }),
        Filter::Range { field, least, most } => {
            // A range without bounds is no condition to Qdrant, but here it still requires a number.
            let least = if least.is_none() && most.is_none() { Some(f64::MIN) } else { *least };
            Folded::Condition(Condition::Range { field, least, most: *most })
        }
        Filter::Missing { field } => Folded::Condition(Condition::Missing { field }),
        Filter::Ids(ids) => Folded::Condition(Condition::Ids(ids.clone())),
    }
}

fn fold_all(filters: &[Filter], has_values: &dyn Fn(&str) -> bool) -> Folded {
    let mut conditions = Vec::with_capacity(filters.len());
    for filter in filters {
        match fold_with(filter, has_values) {
            Folded::Everything => {}
            Folded::Nothing => return Folded::Nothing,
            Folded::Condition(Condition::All(inner)) => conditions.extend(inner),
            Folded::Condition(condition) => conditions.push(condition),
        }
    }
    one_or(conditions, Folded::Everything, Condition::All)
}

fn fold_any(filters: &[Filter], has_values: &dyn Fn(&str) -> bool) -> Folded {
    let mut conditions = Vec::with_capacity(filters.len());
    for filter in filters {
        match fold_with(filter, has_values) {
            Folded::Everything => return Folded::Everything,
            Folded::Nothing => {}
            Folded::Condition(condition) => conditions.push(condition),
        }
    }
    one_or(conditions, Folded::Nothing, Condition::Any)
}

fn one_or(mut conditions: Vec<Condition>, none: Folded, many: fn(Vec<Condition>) -> Condition) -> Folded {
    match (conditions.pop(), conditions.is_empty()) {
        (None, _) => none,
        (Some(only), true) => Folded::Condition(only),
        (Some(last), false) => {
            conditions.push(last);
            Folded::Condition(many(conditions))
        }
    }
}

/// Rounds the bounds of a range over an indexed integer inwards, since the engine truncates fractions.
pub(crate) fn integer_bounds(least: Option<f64>, most: Option<f64>) -> (Option<f64>, Option<f64>) {
    (least.map(f64::ceil), most.map(f64::floor))
}
