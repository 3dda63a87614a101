//! Which indexed fields have a value in any point. A field gets its index when the first point with a value of it is
//! written: an index takes space for each point of a closed segment, and time at each opening, even if it is empty.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Collection, Field, Payload, Schema};

/// The fields of a collection's schema that no point has a value of: one bit for each, in the order of the schema. They
/// have no index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Unused(u64);

impl Unused {
    /// Returns all fields of a collection that can be left out; those after the 64th always have an index.
    pub(super) fn all(schema: &Schema, collection: Collection) -> Self {
        Self(bits(schema, collection).fold(0, |all, (bit, _)| all | bit))
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Whether a field of the schema is one of them.
    pub(super) fn contains(self, schema: &Schema, collection: Collection, name: &str) -> bool {
        !self.is_empty()
            && bits(schema, collection).any(|(bit, field)| self.0 & bit != 0 && field.name == name)
    }

    /// Returns the other fields of the schema.
    pub(super) fn used(self, schema: &Schema, collection: Collection) -> impl Iterator<Item = &Field> {
        bits(schema, collection).filter(move |(bit, _)| self.0 & bit == 0).map(|(_, field)| field)
    }

    /// Returns those that these payloads have no value of either.
    pub(super) fn without<'a>(
        self,
        schema: &Schema,
        collection: Collection,
        payloads: &(impl Iterator<Item = &'a Payload> + Clone),
    ) -> Self {
        let given = bits(schema, collection).filter(|(bit, field)| {
            self.0 & bit != 0 && payloads.clone().any(|payload| has_value(payload, field.name))
        });
        Self(given.fold(self.0, |left, (bit, _)| left & !bit))
    }
}

/// Each field with its bit; none after the 64th.
fn bits(schema: &Schema, collection: Collection) -> impl Iterator<Item = (u64, &Field)> {
    let bit =
        |place: usize| u32::try_from(place).ok().and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0);
    schema.of(collection).enumerate().map(move |(place, field)| (bit(place), field))
}

/// Whether a payload has a value that an index of this field would hold.
fn has_value(payload: &Payload, field: &str) -> bool {
    match payload.get(field) {
        None | Some(Value::Null) => false,
        Some(Value::Array(values)) => !values.iter().all(Value::is_null),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::FieldKind;

    const SCHEMA: Schema = Schema {
        dense_dimension: None,
        fields: &[
            Field { collection: Collection::Entities, name: "team", kind: FieldKind::Tenant },
            Field { collection: Collection::Passages, name: "text", kind: FieldKind::Keyword },
            Field { collection: Collection::Entities, name: "number", kind: FieldKind::Integer },
        ],
    };

    #[test]
    fn a_field_is_used_from_its_first_value_on() {
        let all = Unused::all(&SCHEMA, Collection::Entities);
        let contains = |unused: Unused, name| unused.contains(&SCHEMA, Collection::Entities, name);
        assert!(contains(all, "team") && contains(all, "number") && !contains(all, "text"));
        let payload = |value: Value| match value {
            Value::Object(payload) => payload,
            _ => unreachable!("an object"),
        };
        let nothing = payload(json!({"team": [], "number": null, "other": 1}));
        assert_eq!(all.without(&SCHEMA, Collection::Entities, &[&nothing].into_iter()), all);
        let number = payload(json!({"number": [null, 3]}));
        let left = all.without(&SCHEMA, Collection::Entities, &[&nothing, &number].into_iter());
        assert!(contains(left, "team") && !contains(left, "number"));
        let used: Vec<_> = left.used(&SCHEMA, Collection::Entities).map(|field| field.name).collect();
        assert_eq!(used, ["number"]);
    }
}
