//! A digest of each point, stored with it, so that a flipped bit causes an error instead of wrong data.

use serde_json::Value;

use super::packed;
use crate::{Payload, Point, PointId, Vectors};

/// The payload field that holds the digest in the engine; hidden from callers.
pub(super) const FIELD: &str = "\u{7f}";
/// The same field in the second format.
pub(super) const FIELD_2: &str = "\u{1}digest";

/// The digests of a point's payload and of its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) payload: u32,
    pub(super) vectors: u32,
}

impl Digest {
    pub(super) fn of(point: &Point) -> Self {
        let payload = of_payload(Some(point.id), &point.payload, Fractions::Double);
        Self { payload, vectors: of_vectors(&point.vectors) }
    }

    /// Whether this is the digest of a point's ID and payload (taken by this version), or of its payload alone (taken
    /// by an earlier version).
    pub(super) fn is_of_payload(self, point: &Point) -> bool {
        let known =
            [(Some(point.id), Fractions::Double), (None, Fractions::Double), (None, Fractions::Single)];
        known.into_iter().any(|(id, kind)| self.payload == of_payload(id, &point.payload, kind))
    }

    pub(super) fn is_of_vectors(self, vectors: &Vectors) -> bool {
        self.vectors == of_vectors(vectors)
    }

    pub(super) fn to_value(self) -> Value {
        let both = u64::from(self.payload) << 32 | u64::from(self.vectors);
        packed::digits(both.into(), 64).into()
    }

    /// Parses a digest, also in the form of the second format. Returns `None` if the value is not one.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = value.as_str()?;
        let both = match text.len() {
            11 => u64::try_from(packed::number(text)?).ok()?,
            16 => u64::from_str_radix(text, 16).ok()?,
            _ => return None,
        };
        let [a, b, c, d, rest @ ..] = both.to_be_bytes();
        Some(Self { payload: u32::from_be_bytes([a, b, c, d]), vectors: u32::from_be_bytes(rest) })
    }
}

/// How fractional numbers enter a digest.
#[derive(Clone, Copy)]
enum Fractions {
    /// As doubles, bit by bit.
    Double,
    /// As earlier versions did, which could not read a fraction back exactly.
    Single,
}

/// Includes the ID, so that the payload of one point cannot pass for that of another.
fn of_payload(id: Option<PointId>, payload: &Payload, fractions: Fractions) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    if let Some(id) = id {
        hasher.update(&id.as_u128().to_le_bytes());
    }
    add_map(&mut hasher, payload, fractions);
    hasher.finalize()
}

fn of_vectors(vectors: &Vectors) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    match &vectors.dense {
        None => hasher.update(b"n"),
        Some(dense) => {
            hasher.update(b"d");
            dense.iter().for_each(|value| hasher.update(&value.to_le_bytes()));
        }
    }
    hasher.update(b"s");
    for (index, value) in vectors.sparse.pairs() {
        hasher.update(&index.to_le_bytes());
        hasher.update(&value.to_le_bytes());
    }
    hasher.finalize()
}

/// Adds the members sorted by name, since a backend may change their order.
fn add_map(hasher: &mut crc32fast::Hasher, map: &Payload, fractions: Fractions) {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|member| member.0);
    hasher.update(b"{");
    for (name, value) in members {
        add_text(hasher, name);
        add(hasher, value, fractions);
    }
    hasher.update(b"}");
}

fn add(hasher: &mut crc32fast::Hasher, value: &Value, fractions: Fractions) {
    match value {
        Value::Null => hasher.update(b"0"),
        Value::Bool(value) => hasher.update(if *value { b"t" } else { b"f" }),
        Value::String(text) => add_text(hasher, text),
        Value::Array(values) => {
            hasher.update(b"[");
            values.iter().for_each(|value| add(hasher, value, fractions));
            hasher.update(b"]");
        }
        Value::Object(map) => add_map(hasher, map, fractions),
        Value::Number(number) => {
            hasher.update(b"#");
            match (number.as_f64().filter(|_| number.is_f64()), fractions) {
                (Some(value), Fractions::Double) => hasher.update(&value.to_le_bytes()),
                #[expect(clippy::cast_possible_truncation, reason = "that is what those versions did")]
                (Some(value), Fractions::Single) => hasher.update(&(value as f32).to_le_bytes()),
                (None, _) => hasher.update(number.to_string().as_bytes()),
            }
        }
    }
}

fn add_text(hasher: &mut crc32fast::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(id: u128, share: f64) -> Point {
        let payload = Payload::from_iter([("share".to_owned(), share.into())]);
        Point { id: PointId::from_u128(id), vectors: Vectors::default(), payload }
    }

    #[test]
    fn a_digest_covers_the_last_bit_of_a_fraction() {
        let share = 0.987_654_321_098_765_4_f64;
        let digest = Digest::of(&point(1, share));
        assert!(digest.is_of_payload(&point(1, share)));
        assert!(!digest.is_of_payload(&point(1, f64::from_bits(share.to_bits() ^ 1))));
    }

    #[test]
    fn a_digest_tells_the_payload_of_another_point() {
        let digest = Digest::of(&point(1, 0.5));
        assert!(!digest.is_of_payload(&point(2, 0.5)));
    }

    #[test]
    fn a_digest_of_an_earlier_version_is_one_still() {
        for kind in [Fractions::Double, Fractions::Single] {
            let earlier = Digest { payload: of_payload(None, &point(1, 0.1).payload, kind), vectors: 0 };
            assert!(earlier.is_of_payload(&point(1, 0.1)));
            assert!(!earlier.is_of_payload(&point(1, 0.2)));
        }
    }
}
