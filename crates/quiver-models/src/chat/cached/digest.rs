use blake3::Hasher;
use serde_json::Value;

use crate::chat::ChatRequest;

/// A cache key.
pub(super) type Digest = [u8; 32];

/// The prefix of every digest. Changing it invalidates all stored replies.
const VERSION: &[u8] = b"quiver chat 1";

/// Hashes a model's name and a request: its messages, format and options, but not its purpose.
pub(super) fn digest(model: &str, request: &ChatRequest) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(VERSION);
    text(&mut hasher, model);
    let request = serde_json::to_value(request).expect("a request has nothing that JSON can't say");
    value(&mut hasher, &request);
    *hasher.finalize().as_bytes()
}

/// Hashes a JSON value. The order of an object's keys does not matter.
fn value(hasher: &mut Hasher, added: &Value) {
    match added {
        Value::Null => drop(hasher.update(b"n")),
        Value::Bool(flag) => drop(hasher.update(if *flag { b"t" } else { b"f" })),
        Value::Number(number) => {
            hasher.update(b"#");
            text(hasher, &number.to_string());
        }
        Value::String(string) => {
            hasher.update(b"s");
            text(hasher, string);
        }
        Value::Array(items) => {
            hasher.update(b"[");
            length(hasher, items.len());
            items.iter().for_each(|item| value(hasher, item));
        }
        Value::Object(members) => {
            hasher.update(b"{");
            length(hasher, members.len());
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            for (key, member) in members {
                text(hasher, key);
                value(hasher, member);
            }
        }
    }
}

/// Hashes a text after its length, so that two texts can't collide with two others.
fn text(hasher: &mut Hasher, text: &str) {
    length(hasher, text.len());
    hasher.update(text.as_bytes());
}

fn length(hasher: &mut Hasher, length: usize) {
    hasher.update(&(length as u64).to_le_bytes());
}
