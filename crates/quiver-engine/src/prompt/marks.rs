//! Parses the citation marks of an answer.

use std::{collections::HashSet, ops::Range};

use quiver_models::chat::read::Problem;

/// A text with its citation marks removed, and their positions.
pub(super) struct Marked {
    pub(super) text: String,
    /// Byte offsets in the text, each with the positions of the passages cited there.
    citations: Vec<(usize, Vec<usize>)>,
}

impl Marked {
    pub(super) fn new(said: &str, labels: &[String], problems: &mut Vec<Problem>) -> Self {
        let mut marked = Self { text: String::with_capacity(said.len()), citations: Vec::new() };
        let mut rest = said;
        while let Some(open) = rest.find('[') {
            let inside = rest[open + 1..].find(']').map(|end| &rest[open + 1..open + 1 + end]);
            let names: Vec<&str> = inside.map(|inside| label_list(inside)).unwrap_or_default();
            if names.is_empty() {
                marked.text.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
                continue;
            }
            marked.text.push_str(rest[..open].trim_end_matches(' '));
            let mut cited = Vec::new();
            for name in names {
                match labels.iter().position(|label| label.eq_ignore_ascii_case(name)) {
                    Some(position) if !cited.contains(&position) => cited.push(position),
                    Some(_) => {}
                    None => problems
                        .push(Problem::Unknown { path: "the answer".to_owned(), named: name.to_owned() }),
                }
            }
            marked.citations.push((marked.text.len(), cited));
            rest = &rest[open + 1 + inside.map_or(0, str::len) + 1..];
        }
        marked.text.push_str(rest);
        marked
    }

    /// Returns the passages cited by a sentence, inside it or directly after its end.
    pub(super) fn cited(&self, sentence: &Range<usize>) -> Vec<usize> {
        let mut cited: Vec<usize> = Vec::new();
        for (after, positions) in &self.citations {
            // A mark belongs to the text before it.
            let before = self.text[..*after].trim_end().len();
            if sentence.start < before && before <= sentence.end {
                cited.extend(positions);
            }
        }
        let mut met = HashSet::new();
        cited.retain(|position| met.insert(*position));
        cited
    }
}

/// Returns the labels in a mark: `P1`, `P1, P3`, `P1; P2`. Empty if it is not a citation mark.
fn label_list(inside: &str) -> Vec<&str> {
    let names: Vec<&str> =
        inside.split([',', ';', ' ']).map(str::trim).filter(|name| !name.is_empty()).collect();
    let is_label = |name: &&str| {
        let digits = name.strip_prefix(['P', 'p']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if names.iter().all(is_label) { names } else { Vec::new() }
}
