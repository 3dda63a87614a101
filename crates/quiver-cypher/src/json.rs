//! Conversions between values and JSON.

use serde_json::Value as Json;

use crate::{
    Value,
    temporal::{Duration, Moment},
};

/// The keys under which dates and durations are stored, so that they keep their type.
const MOMENT: &str = "$moment";
const DURATION: &str = "$duration";

/// Converts a value without nodes, relationships and paths; dates and durations become texts.
pub(crate) fn plain(value: &Value) -> Json {
    match value {
        Value::Null | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::String(text) => Json::String(text.to_string()),
        Value::List(items) => Json::Array(items.iter().map(plain).collect()),
        Value::Map(map) => Json::Object(map.iter().map(|(key, value)| (key.clone(), plain(value))).collect()),
        Value::Moment(moment) => Json::String(moment.to_string()),
        Value::Duration(duration) => Json::String(duration.to_string()),
    }
}

impl Value {
    /// Converts a property to the JSON form in which it is stored. [`Value::from_json`] reverses it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Moment(moment) => serde_json::json!({ MOMENT: moment.to_string() }),
            Self::Duration(duration) => serde_json::json!({ DURATION: duration.to_string() }),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            other => plain(other),
        }
    }

    /// Converts JSON to a value: a parameter, or a stored property.
    pub fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Boolean(*value),
            Json::Number(number) => number
                .as_i64()
                .map(Self::Integer)
                .or_else(|| number.as_f64().map(Self::Float))
                .unwrap_or_default(),
            Json::String(text) => Self::string(text),
            Json::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Json::Object(members) => {
                if let (1, Some((key, Json::String(text)))) = (members.len(), members.iter().next()) {
                    let found = match key.as_str() {
                        MOMENT => Moment::read(text).map(Self::Moment),
                        DURATION => Duration::read(text).map(Self::Duration),
                        _ => None,
                    };
                    if let Some(found) = found {
                        return found;
                    }
                }
                Self::map(members.iter().map(|(key, value)| (key.clone(), Self::from_json(value))).collect())
            }
        }
    }
}
