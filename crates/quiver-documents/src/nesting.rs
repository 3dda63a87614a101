//! How deep metadata may be nested.

use serde_json::{Map, Value};

/// Maximum nesting of lists and objects in the metadata of a document. Deeper nesting would not survive an export and
/// import.
pub const NESTING_MAX: usize = 64;

/// Returns the nesting depth of lists and objects in metadata.
pub(crate) fn nesting(metadata: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Array(values) => 1 + values.iter().map(of).max().unwrap_or_default(),
            Value::Object(values) => 1 + nesting(values),
            _ => 0,
        }
    }
    metadata.values().map(of).max().unwrap_or_default()
}
