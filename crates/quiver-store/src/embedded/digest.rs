//! A digest of each point, stored with it, so that a flipped bit causes an error instead of wrong data.

use serde_json::Value;

use crate::{Payload, Vectors};

/// The payload field that holds the digest in the engine; hidden from callers.
pub(super) const FIELD: &str = "\u{1}digest";

/// The digests of a point's payload and of its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) payload: u32,
    pub(super) vectors: u32,
}

impl Digest {
    pub(super) fn of(payload: &Payload, vectors: &Vectors) -> Self {
        Self { payload: of_payload(payload), vectors: of_vectors(vectors) }
    }

    pub(super) fn to_value(self) -> Value {
        format!("{:08x}{:08x}", self.payload, self.vectors).into()
    }

    /// Parses a digest. Returns `None` if the value is not one.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = value.as_str().filter(|text| text.len() == 16)?;
        let half = |range| u32::from_str_radix(text.get(range)?, 16).ok();
        Some(Self { payload: half(0..8)?, vectors: half(8..16)? })
    }
}

pub(super) fn of_payload(payload: &Payload) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    add_map(&mut hasher, payload);
    hasher.finalize()
}

pub(super) fn of_vectors(vectors: &Vectors) -> u32 {
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
fn add_map(hasher: &mut crc32fast::Hasher, map: &Payload) {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|member| member.0);
    hasher.update(b"{");
    for (name, value) in members {
        add_text(hasher, name);
        add(hasher, value);
    }
    hasher.update(b"}");
}

fn add(hasher: &mut crc32fast::Hasher, value: &Value) {
    match value {
        Value::Null => hasher.update(b"0"),
        Value::Bool(value) => hasher.update(if *value { b"t" } else { b"f" }),
        Value::String(text) => add_text(hasher, text),
        Value::Array(values) => {
            hasher.update(b"[");
            values.iter().for_each(|value| add(hasher, value));
            hasher.update(b"]");
        }
        Value::Object(map) => add_map(hasher, map),
        Value::Number(number) => {
            hasher.update(b"#");
            match number.as_f64().filter(|_| number.is_f64()) {
                // Parsing a number from JSON may change its last bit, so numbers are compared in single precision.
                #[expect(clippy::cast_possible_truncation, reason = "that is the purpose")]
                Some(value) => hasher.update(&(value as f32).to_le_bytes()),
                None => hasher.update(number.to_string().as_bytes()),
            }
        }
    }
}

fn add_text(hasher: &mut crc32fast::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
