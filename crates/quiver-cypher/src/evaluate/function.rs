//! The functions.

use super::{Context, operator::float};
use crate::{
    Map, Value,
    error::{Error, Result, argument, wrong_type},
    temporal::{Between, Kind, Moment, between, construct, construct_duration, truncate},
    value::float_text,
};

/// The functions with their minimum and maximum number of arguments. Names are compared without case.
pub(crate) const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("count", 1, 1),
    ("sum", 1, 1),
    ("avg", 1, 1),
    ("min", 1, 1),
    ("max", 1, 1),
    ("collect", 1, 1),
    ("stDev", 1, 1),
    ("stDevP", 1, 1),
    ("percentileCont", 2, 2),
    ("percentileDisc", 2, 2),
    ("id", 1, 1),
    ("elementId", 1, 1),
    ("labels", 1, 1),
    ("type", 1, 1),
    ("keys", 1, 1),
    ("properties", 1, 1),
    ("startNode", 1, 1),
    ("endNode", 1, 1),
    ("nodes", 1, 1),
    ("relationships", 1, 1),
    ("length", 1, 1),
    ("size", 1, 1),
    ("head", 1, 1),
    ("last", 1, 1),
    ("tail", 1, 1),
    ("reverse", 1, 1),
    ("range", 2, 3),
    ("coalesce", 1, usize::MAX),
    ("exists", 1, 1),
    ("isEmpty", 1, 1),
    ("toInteger", 1, 1),
    ("toFloat", 1, 1),
    ("toString", 1, 1),
    ("toBoolean", 1, 1),
    ("toIntegerOrNull", 1, 1),
    ("toFloatOrNull", 1, 1),
    ("toStringOrNull", 1, 1),
    ("toBooleanOrNull", 1, 1),
    ("abs", 1, 1),
    ("ceil", 1, 1),
    ("floor", 1, 1),
    ("round", 1, 2),
    ("sign", 1, 1),
    ("sqrt", 1, 1),
    ("exp", 1, 1),
    ("log", 1, 1),
    ("log10", 1, 1),
    ("sin", 1, 1),
    ("cos", 1, 1),
    ("tan", 1, 1),
    ("cot", 1, 1),
    ("asin", 1, 1),
    ("acos", 1, 1),
    ("atan", 1, 1),
    ("atan2", 2, 2),
    ("degrees", 1, 1),
    ("radians", 1, 1),
    ("pi", 0, 0),
    ("e", 0, 0),
    ("rand", 0, 0),
    ("isNaN", 1, 1),
    ("toUpper", 1, 1),
    ("toLower", 1, 1),
    ("upper", 1, 1),
    ("lower", 1, 1),
    ("trim", 1, 1),
    ("lTrim", 1, 1),
    ("rTrim", 1, 1),
    ("replace", 3, 3),
    ("split", 2, 2),
    ("substring", 2, 3),
    ("left", 2, 2),
    ("right", 2, 2),
    ("timestamp", 0, 0),
    ("date", 0, 1),
    ("time", 0, 1),
    ("localtime", 0, 1),
    ("datetime", 0, 1),
    ("localdatetime", 0, 1),
    ("duration", 1, 1),
    ("date.truncate", 1, 3),
    ("time.truncate", 1, 3),
    ("localtime.truncate", 1, 3),
    ("datetime.truncate", 1, 3),
    ("localdatetime.truncate", 1, 3),
    ("duration.between", 2, 2),
    ("duration.inMonths", 2, 2),
    ("duration.inDays", 2, 2),
    ("duration.inSeconds", 2, 2),
    ("datetime.fromEpoch", 2, 2),
    ("datetime.fromEpochMillis", 1, 1),
    ("date.transaction", 0, 1),
    ("date.statement", 0, 1),
    ("date.realtime", 0, 1),
    ("time.transaction", 0, 1),
    ("time.statement", 0, 1),
    ("time.realtime", 0, 1),
    ("localtime.transaction", 0, 1),
    ("localtime.statement", 0, 1),
    ("localtime.realtime", 0, 1),
    ("datetime.transaction", 0, 1),
    ("datetime.statement", 0, 1),
    ("datetime.realtime", 0, 1),
    ("localdatetime.transaction", 0, 1),
    ("localdatetime.statement", 0, 1),
    ("localdatetime.realtime", 0, 1),
];

const AGGREGATES: usize = 10;

pub(crate) fn is_aggregate(name: &str) -> bool {
    FUNCTIONS[..AGGREGATES].iter().any(|(known, ..)| known.eq_ignore_ascii_case(name))
}

fn unfit(name: &str, value: &Value) -> Error {
    wrong_type(format!("{name}() can't be applied to {}", value.type_name()))
}

pub(super) fn call(context: &Context<'_>, name: &str, arguments: &[Value]) -> Result<Value> {
    let lower = name.to_ascii_lowercase();
    let null = Value::Null;
    let first = arguments.first().unwrap_or(&null);
    match lower.as_str() {
        "coalesce" => {
            return Ok(arguments.iter().find(|value| !value.is_null()).cloned().unwrap_or_default());
        }
        "exists" => return Ok((!first.is_null()).into()),
        "pi" => return Ok(Value::Float(std::f64::consts::PI)),
        "e" => return Ok(Value::Float(std::f64::consts::E)),
        "rand" => return Ok(Value::Float(random(context))),
        "timestamp" => {
            return Ok(Value::Integer(i64::try_from(context.now.instant() / 1_000_000).unwrap_or(i64::MAX)));
        }
        "range" => return range(context, arguments),
        _ => {}
    }
    if let Some(found) = temporal(context, &lower, arguments) {
        return found;
    }
    if first.is_null() {
        return Ok(Value::Null);
    }
    match lower.as_str() {
        "id" | "elementid" | "labels" | "type" | "keys" | "properties" | "startnode" | "endnode"
        | "nodes" | "relationships" | "length" => of_graph(context, &lower, first),
        "size" | "head" | "last" | "tail" | "reverse" | "isempty" => of_list(&lower, first),
        "tointeger" | "tofloat" | "tostring" | "toboolean" => convert(&lower, first),
        "tointegerornull" | "tofloatornull" | "tostringornull" | "tobooleanornull" => {
            Ok(convert(lower.trim_end_matches("ornull"), first).unwrap_or_default())
        }
        "toupper" | "tolower" | "upper" | "lower" | "trim" | "ltrim" | "rtrim" | "replace" | "split"
        | "substring" | "left" | "right" => of_text(&lower, arguments),
        _ => of_number(&lower, arguments),
    }
}

/// Returns a pseudo-random number; the sequence depends on how many steps the query has taken.
fn random(context: &Context<'_>) -> f64 {
    let nanos =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let seed = u64::try_from(nanos & u128::from(u64::MAX)).unwrap_or_default() ^ context.meter.steps();
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn range(context: &Context<'_>, arguments: &[Value]) -> Result<Value> {
    let mut bounds = Vec::new();
    for value in arguments {
        match value {
            Value::Integer(value) => bounds.push(*value),
            Value::Null => return Ok(Value::Null),
            other => {
                return Err(wrong_type(format!("range() requires integers, not {}", other.type_name())));
            }
        }
    }
    let (from, to, step) = (bounds[0], bounds[1], bounds.get(2).copied().unwrap_or(1));
    if step == 0 {
        return Err(argument("the step of range() can't be 0"));
    }
    let span = i128::from(to) - i128::from(from);
    let count = if span.signum() * i128::from(step.signum()) < 0 { 0 } else { span / i128::from(step) + 1 };
    context.meter.check_length(usize::try_from(count).unwrap_or(usize::MAX))?;
    let mut items = Vec::new();
    let mut value = i128::from(from);
    for _ in 0..count {
        items.push(Value::Integer(i64::try_from(value).unwrap_or_default()));
        value += i128::from(step);
    }
    Ok(Value::list(items))
}

/// The lower part of an ID, which fits an integer.
fn short(id: u128) -> Value {
    Value::Integer(i64::try_from(id & u128::from(i64::MAX.unsigned_abs())).unwrap_or_default())
}

fn of_graph(context: &Context<'_>, name: &str, value: &Value) -> Result<Value> {
    let strings = |texts: Vec<String>| Value::list(texts.into_iter().map(Value::from).collect());
    match (name, value) {
        ("id", Value::Node(id)) => Ok(short(id.0)),
        ("id", Value::Relationship(id)) => Ok(short(id.0)),
        ("elementid", Value::Node(id)) => Ok(id.to_string().into()),
        ("elementid", Value::Relationship(id)) => Ok(id.to_string().into()),
        ("labels", Value::Node(id)) => Ok(strings(context.node(*id)?.labels.iter().cloned().collect())),
        ("type", Value::Relationship(id)) => Ok(context.relationship(*id)?.kind.as_str().into()),
        ("startnode", Value::Relationship(id)) => Ok(Value::Node(context.relationship(*id)?.start)),
        ("endnode", Value::Relationship(id)) => Ok(Value::Node(context.relationship(*id)?.end)),
        ("keys", value) => Ok(strings(context.properties(value)?.into_keys().collect())),
        ("properties", value) => Ok(Value::map(context.properties(value)?)),
        ("nodes", Value::Path(path)) => {
            Ok(Value::list(path.nodes.iter().copied().map(Value::Node).collect()))
        }
        ("relationships", Value::Path(path)) => {
            Ok(Value::list(path.relationships.iter().copied().map(Value::Relationship).collect()))
        }
        ("length", Value::Path(path)) => {
            Ok(Value::Integer(i64::try_from(path.relationships.len()).unwrap_or_default()))
        }
        (name, value) => Err(unfit(name, value)),
    }
}

fn count(length: usize) -> Value {
    Value::Integer(i64::try_from(length).unwrap_or(i64::MAX))
}

fn of_list(name: &str, value: &Value) -> Result<Value> {
    Ok(match (name, value) {
        ("size", Value::List(items)) => count(items.len()),
        ("size", Value::String(text)) => count(text.chars().count()),
        ("size", Value::Map(map)) => count(map.len()),
        ("isempty", Value::List(items)) => items.is_empty().into(),
        ("isempty", Value::String(text)) => text.is_empty().into(),
        ("isempty", Value::Map(map)) => map.is_empty().into(),
        ("head", Value::List(items)) => items.first().cloned().unwrap_or_default(),
        ("last", Value::List(items)) => items.last().cloned().unwrap_or_default(),
        ("tail", Value::List(items)) => Value::list(items.iter().skip(1).cloned().collect()),
        ("reverse", Value::List(items)) => Value::list(items.iter().rev().cloned().collect()),
        ("reverse", Value::String(text)) => Value::string(text.chars().rev().collect::<String>()),
        (name, value) => return Err(unfit(name, value)),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "floats beyond the range of integers are refused")]
fn convert(name: &str, value: &Value) -> Result<Value> {
    let whole = |value: f64| {
        if value.is_finite() && value.abs() < 9.2e18 { Value::Integer(value as i64) } else { Value::Null }
    };
    Ok(match (name, value) {
        ("tointeger", Value::Integer(_))
        | ("tofloat", Value::Float(_))
        | ("toboolean", Value::Boolean(_))
        | ("tostring", Value::String(_)) => value.clone(),
        ("tointeger", Value::Float(value)) => whole(*value),
        ("tointeger", Value::Boolean(value)) => Value::Integer(i64::from(*value)),
        ("tointeger", Value::String(text)) => {
            let text = text.trim();
            text.parse::<i64>().map_or_else(|_| number(text).map_or(Value::Null, whole), Value::Integer)
        }
        ("tofloat", Value::Integer(value)) => Value::Float(*value as f64),
        ("tofloat", Value::String(text)) => number(text.trim()).map_or(Value::Null, Value::Float),
        ("toboolean", Value::Integer(value)) => (*value != 0).into(),
        ("toboolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => true.into(),
            "false" => false.into(),
            _ => Value::Null,
        },
        ("tostring", Value::Float(value)) => float_text(*value).into(),
        ("tostring", Value::Integer(_) | Value::Boolean(_) | Value::Moment(_) | Value::Duration(_)) => {
            value.to_string().into()
        }
        (name, value) => return Err(unfit(name, value)),
    })
}

/// Parses a decimal number; words such as "infinity" are not numbers.
fn number(text: &str) -> Option<f64> {
    text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c)).then(|| text.parse().ok()).flatten()
}

fn of_text(name: &str, arguments: &[Value]) -> Result<Value> {
    if arguments.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let text = |at: usize| arguments[at].as_str().ok_or_else(|| unfit(name, &arguments[at]));
    let length = |at: usize| match &arguments[at] {
        Value::Integer(value) => {
            usize::try_from(*value).map_err(|_| argument(format!("{name}() requires a non-negative number")))
        }
        other => Err(unfit(name, other)),
    };
    let subject = text(0)?;
    Ok(match name {
        "toupper" | "upper" => subject.to_uppercase().into(),
        "tolower" | "lower" => subject.to_lowercase().into(),
        "trim" => subject.trim().into(),
        "ltrim" => subject.trim_start().into(),
        "rtrim" => subject.trim_end().into(),
        "replace" => {
            let (search, with) = (text(1)?, text(2)?);
            if with.len() > 1000 && subject.len() > 10_000 {
                return Err(argument("the text is too long for replace()"));
            }
            if search.is_empty() { subject.into() } else { subject.replace(search, with).into() }
        }
        "split" => {
            let by = text(1)?;
            let parts: Vec<Value> = if by.is_empty() {
                subject.chars().map(|c| Value::string(c.to_string())).collect()
            } else {
                subject.split(by).map(Value::from).collect()
            };
            Value::list(parts)
        }
        "substring" => {
            let rest = subject.chars().skip(length(1)?);
            match arguments.get(2) {
                Some(_) => rest.take(length(2)?).collect::<String>().into(),
                None => rest.collect::<String>().into(),
            }
        }
        "left" => subject.chars().take(length(1)?).collect::<String>().into(),
        _ => {
            let skipped = subject.chars().count().saturating_sub(length(1)?);
            subject.chars().skip(skipped).collect::<String>().into()
        }
    })
}

fn of_number(name: &str, arguments: &[Value]) -> Result<Value> {
    let first = &arguments[0];
    match (name, first) {
        ("abs", Value::Integer(value)) => {
            return value
                .checked_abs()
                .map(Value::Integer)
                .ok_or_else(|| argument("the integer is too large for abs()"));
        }
        ("sign", Value::Integer(value)) => return Ok(Value::Integer(value.signum())),
        _ => {}
    }
    let value = float(first).ok_or_else(|| unfit(name, first))?;
    Ok(Value::Float(match name {
        "abs" => value.abs(),
        "ceil" => value.ceil(),
        "floor" => value.floor(),
        "round" => match arguments.get(1) {
            Some(Value::Integer(digits)) => {
                let factor = 10_f64.powi(i32::try_from((*digits).clamp(0, 300)).unwrap_or_default());
                (value * factor).round() / factor
            }
            Some(other) => return Err(unfit(name, other)),
            None => (value + 0.5).floor(),
        },
        "sign" => {
            return Ok(Value::Integer(if value > 0.0 {
                1
            } else if value < 0.0 {
                -1
            } else {
                0
            }));
        }
        "isnan" => return Ok(value.is_nan().into()),
        "sqrt" => value.sqrt(),
        "exp" => value.exp(),
        "log" => value.ln(),
        "log10" => value.log10(),
        "sin" => value.sin(),
        "cos" => value.cos(),
        "tan" => value.tan(),
        "cot" => 1.0 / value.tan(),
        "asin" => value.asin(),
        "acos" => value.acos(),
        "atan" => value.atan(),
        "atan2" => value.atan2(arguments.get(1).and_then(float).ok_or_else(|| unfit(name, first))?),
        "degrees" => value.to_degrees(),
        "radians" => value.to_radians(),
        _ => return Err(crate::error::syntax(format!("there is no function {name}()"))),
    }))
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "date" => Kind::Date,
        "time" => Kind::Time,
        "localtime" => Kind::LocalTime,
        "datetime" => Kind::DateTime,
        "localdatetime" => Kind::LocalDateTime,
        _ => return None,
    })
}

fn temporal(context: &Context<'_>, name: &str, arguments: &[Value]) -> Option<Result<Value>> {
    let (base, method) = name.split_once('.').unwrap_or((name, ""));
    if base == "duration" {
        let unit = match method {
            "" => return Some(construct_duration(&arguments[0])),
            "between" => Between::All,
            "inmonths" => Between::Months,
            "indays" => Between::Days,
            _ => Between::Seconds,
        };
        return Some(match (&arguments[0], &arguments[1]) {
            (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
            (Value::Moment(from), Value::Moment(to)) => between(unit, *from, *to).map(Value::Duration),
            (from, _) => Err(unfit(name, from)),
        });
    }
    let kind = kind_of(base)?;
    Some(match method {
        "truncate" => truncated(context, kind, arguments),
        "fromepoch" | "fromepochmillis" => match (&arguments[0], arguments.get(1)) {
            (Value::Integer(seconds), Some(Value::Integer(nanos))) => Ok(Value::Moment(
                Moment::from_unix_nanos(i128::from(*seconds) * 1_000_000_000 + i128::from(*nanos)),
            )),
            (Value::Integer(millis), None) => {
                Ok(Value::Moment(Moment::from_unix_nanos(i128::from(*millis) * 1_000_000)))
            }
            (value, _) => Err(unfit(name, value)),
        },
        _ => match arguments.first() {
            // Now, in UTC; a time zone may be given.
            None => construct(kind, &Value::Moment(context.now)),
            Some(Value::String(zone)) if !method.is_empty() => {
                let zone = Map::from([
                    ("timezone".to_owned(), Value::String(zone.clone())),
                    ("datetime".to_owned(), Value::Moment(context.now)),
                ]);
                construct(Kind::DateTime, &Value::map(zone)).and_then(|now| construct(kind, &now))
            }
            Some(Value::Map(map)) if map.len() == 1 && map.contains_key("timezone") => {
                let mut map = (**map).clone();
                map.insert("datetime".to_owned(), Value::Moment(context.now));
                construct(Kind::DateTime, &Value::map(map)).and_then(|now| construct(kind, &now))
            }
            Some(value) => construct(kind, value),
        },
    })
}

fn truncated(context: &Context<'_>, kind: Kind, arguments: &[Value]) -> Result<Value> {
    let unit = match &arguments[0] {
        Value::String(unit) => unit,
        Value::Null => return Ok(Value::Null),
        other => return Err(unfit("truncate", other)),
    };
    let moment = match arguments.get(1) {
        None => context.now,
        Some(Value::Moment(moment)) => *moment,
        Some(Value::Null) => return Ok(Value::Null),
        Some(other) => return Err(unfit("truncate", other)),
    };
    let components = match arguments.get(2) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Map(map)) => (**map).clone(),
        Some(other) => return Err(unfit("truncate", other)),
    };
    truncate(kind, unit, moment, &components).map(Value::Moment)
}
