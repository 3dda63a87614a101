//! The schema and the values of a graph as text, for the prompt of a language model.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    cypher::{literal, quoted},
    lookup::{LeftOut, Words},
    vocabulary::{Known, PropertyKind, Vocabulary},
};

/// Maximum number of values of a property that are all listed; if there are more, only those in the question are.
const LISTED_MAX: usize = 12;
/// Maximum number of listed values that occur in the question.
const TOLD_MAX: usize = 20;

impl PropertyKind {
    fn name(self) -> &'static str {
        match self {
            Self::Text | Self::Prose => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::DateText => "string, a date such as '2026-02-11'",
            Self::Other => "of several types",
        }
    }
}

/// Whether a question contains a word for a label, or a value that nodes have.
pub(in crate::query) fn mentions(vocabulary: &Vocabulary, question: &str) -> bool {
    let Some(words) = Words::of(vocabulary, question, 0, LeftOut::Nothing) else { return false };
    let is_label = |stems: &[u32]| {
        let mut names = vocabulary.labels.iter().flat_map(|label| &label.words);
        names.any(|name| stems.iter().any(|stem| name.contains(stem)))
    };
    words.values.iter().any(|values| !values.is_empty())
        || words.list.iter().any(|word| is_label(&word.stems))
}

/// Returns the labels with their properties, the types of relationships with the labels at their ends, and the values
/// in the question.
pub(in crate::query) fn schema_text(vocabulary: &Vocabulary, question: &str) -> String {
    let mut values: BTreeMap<(usize, &str), Vec<&Known>> = BTreeMap::new();
    for known in vocabulary.values.values().flatten() {
        values.entry((known.label, &known.key)).or_default().push(known);
    }
    let mut text = String::new();
    for (at, label) in vocabulary.labels.iter().enumerate() {
        let properties: Vec<String> = label
            .properties
            .iter()
            .map(|property| {
                let listed = values.get(&(at, property.key.as_str())).filter(|all| all.len() <= LISTED_MAX);
                let mut listed: Vec<String> =
                    listed.into_iter().flatten().map(|known| literal(&known.value)).collect();
                listed.sort_unstable();
                let listed =
                    if listed.is_empty() { String::new() } else { format!(" ({})", listed.join(" | ")) };
                format!("{}: {}{listed}", quoted(&property.key), property.kind.name())
            })
            .collect();
        let _ = writeln!(text, "(:{} {{{}}})", quoted(&label.name), properties.join(", "));
    }
    let label = |at: usize| quoted(&vocabulary.labels[at].name);
    for link in &vocabulary.links {
        for &(from, to) in &link.ends {
            let _ = writeln!(text, "(:{})-[:{}]->(:{})", label(from), quoted(&link.kind), label(to));
        }
    }
    let words = Words::of(vocabulary, question, 0, LeftOut::Nothing);
    for (_, known) in words.iter().flat_map(|words| words.values.iter().flatten()).take(TOLD_MAX) {
        let Known { label: of, key, value, .. } = known;
        let _ = writeln!(text, "The question has {}, {} of :{}", literal(value), quoted(key), label(*of));
    }
    text
}
