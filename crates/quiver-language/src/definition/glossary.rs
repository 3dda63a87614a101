//! Glossary entries: a name at the start of a line, and its definition after a colon or a dash.

use std::ops::Range;

use super::{Definition, DefinitionForm, lower_case, name, said, words};

/// Separators between a name and its definition.
const SEPARATORS: [&str; 4] = [": ", " - ", " – ", " — "];

/// Maximum length of an entry's name in bytes, including markup.
const NAME_BYTES_MAX: usize = 80;

/// The entries of a text that define a name: "- Warp: The threads that …", "**Warp** – a set of threads that
/// …".
pub(super) fn entries(text: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        found.extend(entry(text, from..from + line.trim_end().len()));
        from += line.len();
    }
    found
}

fn entry(text: &str, line: Range<usize>) -> Option<Definition> {
    let said = text[line.clone()].trim_start();
    let marked = ["- ", "* ", "+ "].iter().find_map(|mark| said.strip_prefix(mark));
    let entry = marked.or_else(|| said.starts_with("**").then_some(said))?;
    let at = line.end - entry.len();
    let separators = SEPARATORS.iter().filter_map(|mark| Some((entry.find(mark)?, *mark)));
    let (end, mark) = separators.min_by_key(|(end, _)| *end).filter(|(end, _)| *end <= NAME_BYTES_MAX)?;
    let named = words(text, without_bracket(text, at..at + end));
    let lower = lower_case(text, &named);
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let name = name(&named, text, &lower, named.first()?.start)?;
    let told = at + end + mark.len();
    let sentence = text[told..line.end].find(". ").map_or(line.end, |length| told + length);
    let subject = said::Subject { is_definite: false, is_proper: true };
    let form = said::form(text, told..sentence, said::Verb(" is "), subject)?;
    matches!(form, DefinitionForm::Kind).then_some(Definition { name, form })
}

/// A name without a trailing bracket: "Message Bus (MB)".
fn without_bracket(text: &str, name: Range<usize>) -> Range<usize> {
    let length = text[name.clone()].find(" (").unwrap_or(name.len());
    name.start..name.start + length
}
