//! Operators on values.

use super::{Context, regular_expression};
use crate::{
    Value,
    ast::Binary,
    error::{Error, Result, argument, wrong_type},
    value::float_text,
};

pub(super) fn apply(context: &Context<'_>, operator: Binary, left: &Value, right: &Value) -> Result<Value> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |wanted: &[std::cmp::Ordering]| {
        Value::from(left.partial_compare(right).map(|order| wanted.contains(&order)))
    };
    let is_nan = |value: &Value| matches!(value, Value::Float(value) if value.is_nan());
    let comparable = |value: &Value| matches!(value, Value::Integer(_) | Value::Float(_));
    Ok(match operator {
        Binary::Equal => left.equals(right).into(),
        Binary::Unequal => left.equals(right).map(|equal| !equal).into(),
        // A comparison with NaN is false, not unknown.
        Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual
            if (is_nan(left) && comparable(right)) || (is_nan(right) && comparable(left)) =>
        {
            Value::Boolean(false)
        }
        Binary::Less => ordered(&[Less]),
        Binary::LessOrEqual => ordered(&[Less, Equal]),
        Binary::Greater => ordered(&[Greater]),
        Binary::GreaterOrEqual => ordered(&[Greater, Equal]),
        Binary::In => is_member(left, right)?,
        Binary::StartsWith => texts(left, right, |left, right| left.starts_with(right)),
        Binary::EndsWith => texts(left, right, |left, right| left.ends_with(right)),
        Binary::Contains => texts(left, right, |left, right| left.contains(right)),
        Binary::Matches => match left.as_str().zip(right.as_str()) {
            Some((text, pattern)) => regular_expression::matches(text, pattern)?.into(),
            None => Value::Null,
        },
        _ if left.is_null() || right.is_null() => Value::Null,
        Binary::Add => return add(context, left, right),
        Binary::Subtract => return subtract(left, right),
        Binary::Multiply => return multiply(left, right),
        Binary::Divide => return divide(left, right),
        Binary::Modulo => {
            return arithmetic(
                "%",
                left,
                right,
                |a, b| if b == 0 { None } else { a.checked_rem(b) },
                |a, b| a % b,
            );
        }
        Binary::Power => match (float(left), float(right)) {
            (Some(left), Some(right)) => Value::Float(left.powf(right)),
            _ => return Err(unfit("^", left, right)),
        },
        Binary::And | Binary::Or | Binary::Xor => return Err(unfit("a logical operator", left, right)),
    })
}

fn unfit(operator: &str, left: &Value, right: &Value) -> Error {
    wrong_type(format!("{operator} can't be applied to {} and {}", left.type_name(), right.type_name()))
}

fn texts(left: &Value, right: &Value, test: impl Fn(&str, &str) -> bool) -> Value {
    left.as_str().zip(right.as_str()).map(|(left, right)| test(left, right)).into()
}

pub(super) fn is_member(item: &Value, list: &Value) -> Result<Value> {
    let items = match list {
        Value::Null => return Ok(Value::Null),
        Value::List(items) => items,
        other => return Err(wrong_type(format!("IN requires a list, not {}", other.type_name()))),
    };
    let mut known = true;
    for one in items.iter() {
        match item.equals(one) {
            Some(true) => return Ok(true.into()),
            Some(false) => {}
            None => known = false,
        }
    }
    Ok(known.then_some(false).into())
}

pub(super) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

fn arithmetic(
    name: &str,
    left: &Value,
    right: &Value,
    integers: impl Fn(i64, i64) -> Option<i64>,
    floats: impl Fn(f64, f64) -> f64,
) -> Result<Value> {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => match integers(*a, *b) {
            Some(value) => Ok(Value::Integer(value)),
            None if *b == 0 && matches!(name, "/" | "%") => Err(argument("division by zero")),
            None => Err(argument(format!("{a} {name} {b} is too large for an integer"))),
        },
        _ => match (float(left), float(right)) {
            (Some(a), Some(b)) => Ok(Value::Float(floats(a, b))),
            _ => Err(unfit(name, left, right)),
        },
    }
}

fn add(context: &Context<'_>, left: &Value, right: &Value) -> Result<Value> {
    match (left, right) {
        (Value::List(a), Value::List(b)) => {
            context.meter.check_length(a.len() + b.len())?;
            Ok(Value::list(a.iter().chain(b.iter()).cloned().collect()))
        }
        (Value::List(a), item) => {
            context.meter.check_length(a.len() + 1)?;
            Ok(Value::list(a.iter().chain(std::iter::once(item)).cloned().collect()))
        }
        (item, Value::List(b)) => {
            context.meter.check_length(b.len() + 1)?;
            Ok(Value::list(std::iter::once(item).chain(b.iter()).cloned().collect()))
        }
        (Value::String(a), b) | (b, Value::String(a)) if text_of(b).is_some() => {
            let other = text_of(b).unwrap_or_default();
            context.meter.check_length(a.len() + other.len())?;
            let is_first = matches!(left, Value::String(left) if left == a);
            Ok(Value::string(if is_first { format!("{a}{other}") } else { format!("{other}{a}") }))
        }
        (Value::Duration(a), Value::Duration(b)) => a.plus(b, 1).map(Value::Duration),
        (Value::Moment(moment), Value::Duration(duration))
        | (Value::Duration(duration), Value::Moment(moment)) => {
            moment.plus(duration, 1).map(Value::Moment).ok_or_else(|| argument("the date is out of range"))
        }
        _ => arithmetic("+", left, right, i64::checked_add, |a, b| a + b),
    }
}

/// Returns the text of a value that can be appended to a text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(float_text(*value)),
        _ => None,
    }
}

fn subtract(left: &Value, right: &Value) -> Result<Value> {
    match (left, right) {
        (Value::Duration(a), Value::Duration(b)) => a.plus(b, -1).map(Value::Duration),
        (Value::Moment(moment), Value::Duration(duration)) => {
            moment.plus(duration, -1).map(Value::Moment).ok_or_else(|| argument("the date is out of range"))
        }
        _ => arithmetic("-", left, right, i64::checked_sub, |a, b| a - b),
    }
}

fn multiply(left: &Value, right: &Value) -> Result<Value> {
    match (left, right) {
        (Value::Duration(duration), factor) | (factor, Value::Duration(duration))
            if float(factor).is_some() =>
        {
            duration.times(float(factor).unwrap_or_default()).map(Value::Duration)
        }
        _ => arithmetic("*", left, right, i64::checked_mul, |a, b| a * b),
    }
}

fn divide(left: &Value, right: &Value) -> Result<Value> {
    match (left, float(right)) {
        (Value::Duration(duration), Some(divisor)) => duration.times(1.0 / divisor).map(Value::Duration),
        _ => arithmetic("/", left, right, |a, b| if b == 0 { None } else { a.checked_div(b) }, |a, b| a / b),
    }
}

pub(super) fn negate(value: &Value) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Integer(value) => value
            .checked_neg()
            .map(Value::Integer)
            .ok_or_else(|| argument("the integer is too large to be negated")),
        Value::Float(value) => Ok(Value::Float(-value)),
        Value::Duration(duration) => duration.times(-1.0).map(Value::Duration),
        other => Err(wrong_type(format!("- requires a number, not {}", other.type_name()))),
    }
}

pub(super) fn property(context: &Context<'_>, of: &Value, key: &str) -> Result<Value> {
    let found = match of {
        Value::Null => None,
        Value::Node(id) => context.node(*id)?.properties.get(key).cloned(),
        Value::Relationship(id) => context.relationship(*id)?.properties.get(key).cloned(),
        Value::Map(map) => map.get(key).cloned(),
        Value::Moment(moment) => match moment.component(key) {
            Some(value) => Some(value),
            None => return Err(argument(format!("{} has no component {key:?}", of.type_name()))),
        },
        Value::Duration(duration) => match duration.component(key) {
            Some(value) => Some(value),
            None => return Err(argument(format!("a duration has no component {key:?}"))),
        },
        other => {
            return Err(wrong_type(format!("{} has no properties, and thus no {key:?}", other.type_name())));
        }
    };
    Ok(found.unwrap_or_default())
}

/// Returns the position in a list; negative indices count from the end.
fn position(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let at = if index < 0 { index + length } else { index };
    usize::try_from(at).ok()
}

pub(super) fn index(context: &Context<'_>, of: &Value, by: &Value) -> Result<Value> {
    match (of, by) {
        (Value::List(_) | Value::Map(_) | Value::Node(_) | Value::Relationship(_), Value::Null)
        | (Value::Null, _) => Ok(Value::Null),
        (Value::List(items), Value::Integer(at)) => {
            Ok(position(*at, items.len()).and_then(|at| items.get(at)).cloned().unwrap_or_default())
        }
        (Value::List(_), other) => {
            Err(wrong_type(format!("the index of a list must be an integer, not {}", other.type_name())))
        }
        (Value::Map(_) | Value::Node(_) | Value::Relationship(_), Value::String(key)) => {
            property(context, of, key)
        }
        (Value::Map(_) | Value::Node(_) | Value::Relationship(_), other) => {
            Err(wrong_type(format!("a key must be a string, not {}", other.type_name())))
        }
        (of, _) => Err(wrong_type(format!("{} has no items", of.type_name()))),
    }
}

pub(super) fn slice(of: &Value, from: Option<&Value>, to: Option<&Value>) -> Result<Value> {
    let items = match of {
        Value::Null => return Ok(Value::Null),
        Value::List(items) => items,
        other => return Err(wrong_type(format!("{} has no items", other.type_name()))),
    };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let bound = |bound: Option<&Value>, otherwise: i64| match bound {
        None => Ok(Some(otherwise)),
        Some(Value::Null) => Ok(None),
        Some(Value::Integer(at)) => Ok(Some((if *at < 0 { at + length } else { *at }).clamp(0, length))),
        Some(other) => Err(wrong_type(format!("a bound must be an integer, not {}", other.type_name()))),
    };
    let (Some(from), Some(to)) = (bound(from, 0)?, bound(to, length)?) else { return Ok(Value::Null) };
    let (from, to) = (usize::try_from(from).unwrap_or_default(), usize::try_from(to).unwrap_or_default());
    Ok(Value::list(items.get(from..to).unwrap_or_default().to_vec()))
}
