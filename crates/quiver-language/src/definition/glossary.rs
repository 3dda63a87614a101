//! Glossary entries: a name at the start of a line, and its definition after a colon or a dash; and the rows of
//! tables of terms.

use std::ops::Range;

use super::{Definition, DefinitionForm, lower_case, name, said};
use crate::token::spaced_words;

/// Separators between a name and its definition.
const SEPARATORS: [&str; 4] = [": ", " - ", " – ", " — "];

/// Maximum length of an entry's name in bytes, including markup.
const NAME_BYTES_MAX: usize = 80;

/// Headings of a column of terms.
const TERMS: [&str; 12] = [
    "term",
    "terms",
    "word",
    "words",
    "concept",
    "concepts",
    "phrase",
    "expression",
    "acronym",
    "abbreviation",
    "terminology",
    "jargon",
];

/// Headings of the column that explains them.
const EXPLANATIONS: [&str; 9] = [
    "definition",
    "definitions",
    "meaning",
    "meanings",
    "description",
    "explanation",
    "means",
    "what it is",
    "what it means",
];

/// The entries of a text that define a name: "- Warp: The threads that …", "**Warp** – a set of threads that
/// …", the rows of "| Term | Definition |", and the same rows as lines, "Term: warp; Definition: the threads that …".
pub(super) fn entries(text: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut is_of_terms = None;
    for line in text.split_inclusive('\n') {
        let range = from..from + line.trim_end().len();
        from += line.len();
        let Some(row) = line.trim().strip_prefix('|') else {
            is_of_terms = None;
            found.extend(entry(text, range.clone()).or_else(|| row_line(text, range)));
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').collect();
        match is_of_terms {
            None => is_of_terms = Some(explains_terms(&cells)),
            Some(true) => found.extend(term(text, range.end - text[range].trim_start().len() + 1, cells[0])),
            Some(false) => {}
        }
    }
    found
}

/// The term of a row written as a line.
fn row_line(text: &str, line: Range<usize>) -> Option<Definition> {
    let row = text[line.clone()].trim_start();
    let (head, said) = row.split_once(": ")?;
    if !TERMS.iter().any(|known| head.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (cell, _) = said.split_once("; ")?;
    let heads: Vec<&str> = row.split("; ").filter_map(|part| Some(part.split_once(": ")?.0)).collect();
    explains_terms(&heads).then_some(())?;
    term(text, line.end - row.len() + head.len() + ": ".len(), cell)
}

/// Returns whether a table with these column headings has terms in its first column and explains them in another.
pub fn explains_terms(heads: &[&str]) -> bool {
    heads.split_first().is_some_and(|(first, others)| {
        is_in(first, &TERMS) && others.iter().any(|head| is_in(head, &EXPLANATIONS))
    })
}

fn is_in(head: &str, known: &[&str]) -> bool {
    let head = head.trim_matches(|c: char| !c.is_alphanumeric());
    known.iter().any(|known| head.eq_ignore_ascii_case(known))
}

/// The term in the first cell of a row, which starts at `at`. The line below the headings has no words.
fn term(text: &str, at: usize, cell: &str) -> Option<Definition> {
    let named = spaced_words(text, without_bracket(text, at..at + cell.len()));
    let lower = lower_case(text, &named);
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let name = name(&named, text, &lower, named.first()?.start)?;
    Some(Definition { name, form: DefinitionForm::Kind })
}

fn entry(text: &str, line: Range<usize>) -> Option<Definition> {
    let said = text[line.clone()].trim_start();
    let marked = ["- ", "* ", "+ "].iter().find_map(|mark| said.strip_prefix(mark));
    let entry = marked.or_else(|| said.starts_with("**").then_some(said))?;
    let at = line.end - entry.len();
    let separators = SEPARATORS.iter().filter_map(|mark| Some((entry.find(mark)?, *mark)));
    let (end, mark) = separators.min_by_key(|(end, _)| *end).filter(|(end, _)| *end <= NAME_BYTES_MAX)?;
    let named = spaced_words(text, without_bracket(text, at..at + end));
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
