//! Names in source code: what a passage defines, and the types and functions that it refers to.
//!
//! The grammar of prose would read string literals as quotations, constants as quantities and local variables as terms.
//! From code, only names that lead from one definition to another are kept, and no relations.

use super::{Extraction, MENTIONS_MAX, Mention, MentionKind, Subject};
use quiver_documents::Chunk;
use quiver_language::title::TITLE_SEPARATOR;
use std::{collections::HashSet, ops::Range};

/// Minimum length of a name in bytes. Shorter ones occur everywhere.
const NAME_BYTES_MIN: usize = 5;

pub(super) fn extract(chunk: &Chunk, sentences: &[Range<usize>]) -> Extraction {
    let path: Vec<&str> = chunk.title.iter().flat_map(|title| title.split(TITLE_SEPARATOR)).skip(1).collect();
    let (last, above) = path.split_last().map_or(("", None), |(last, above)| (*last, above.last()));
    let mut subjects: Vec<Subject> = Vec::new();
    let names = last.split(", ").filter(|name| is_telling(name)).map(|name| (name, 1.0));
    // If a name means little on its own, such as `new`, its container is the subject.
    let above = above.filter(|name| is_telling(name)).map(|name| (*name, 0.8));
    for (name, weight) in names.chain(above) {
        if subjects.iter().all(|subject| subject.name != name) {
            subjects.push(Subject { name: name.to_owned(), weight });
        }
    }
    Extraction { subjects, mentions: mentions(&chunk.text, sentences), ..Extraction::default() }
}

/// Whether a name is descriptive: it has several words, or a capital.
fn is_telling(name: &str) -> bool {
    let is_word = name.len() >= NAME_BYTES_MIN && name != "…";
    is_word && (name.contains(char::is_uppercase) || has_parts(name))
}

fn has_parts(name: &str) -> bool {
    name.trim_matches('_').contains(['_', '.', ':', ' '])
}

/// Returns the names of types (`ReadOptions`) and of functions that are defined or called (`read_stream(…)`).
fn mentions(text: &str, sentences: &[Range<usize>]) -> Vec<Mention> {
    let (mut mentions, mut seen) = (Vec::new(), HashSet::new());
    let bytes = text.as_bytes();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    while at < bytes.len() && mentions.len() < MENTIONS_MAX {
        if !is_inner(&bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_inner(byte)).count();
        let range = at..at + length;
        at += length;
        let name = &text[range.clone()];
        let is_called = bytes.get(range.end) == Some(&b'(');
        let inner_capitals = name.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
        let is_mixed = inner_capitals > 0 && name.bytes().any(|byte| byte.is_ascii_lowercase());
        let is_type = name.starts_with(|first: char| first.is_ascii_uppercase()) && is_mixed;
        let is_function = is_called && (is_mixed || has_parts(name)) && !name.starts_with(char::is_numeric);
        let is_name = name.len() >= NAME_BYTES_MIN && (is_type || is_function);
        if is_name && seen.insert(name) {
            let sentence = sentences.partition_point(|sentence| sentence.end <= range.start);
            let sentence = u32::try_from(sentence).unwrap_or(u32::MAX);
            mentions.push(Mention { name: name.to_owned(), kind: MentionKind::Name, sentence, range });
        }
    }
    mentions
}
