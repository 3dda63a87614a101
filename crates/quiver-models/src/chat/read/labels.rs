//! Resolves the labels of a prompt in a model's reply.

use super::{Node, Problem};

/// Returns the position of a label. It may differ in case and surrounding punctuation, or be only the label's number
/// if no other label has the same number.
pub(super) fn position<S: AsRef<str>>(named: &str, labels: &[S]) -> Option<usize> {
    let exact = labels.iter().position(|label| label.as_ref() == named);
    if exact.is_some() {
        return exact;
    }
    let named = bare(named);
    if named.is_empty() {
        return None;
    }
    let mut alike = labels.iter().enumerate().filter(|(_, label)| bare(label.as_ref()) == named);
    if let Some((position, _)) = alike.next() {
        return alike.next().is_none().then_some(position);
    }
    if !named.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut numbered = labels.iter().enumerate().filter(|(_, label)| {
        let label = bare(label.as_ref());
        let letters = label.trim_end_matches(|character: char| character.is_ascii_digit());
        !letters.ends_with(['.', '-', '_']) && label[letters.len()..] == named
    });
    let (position, _) = numbered.next()?;
    numbered.next().is_none().then_some(position)
}

/// Strips surrounding punctuation from a label and converts it to lower case.
fn bare(label: &str) -> String {
    label.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase()
}

/// Reads an ordering given as labels and returns the positions of the labels, in the order of the reply.
///
/// Unknown and repeated labels are recorded and dropped. Missing labels are recorded; the caller decides where to put
/// them.
pub fn order<S: AsRef<str>>(named: &[Node<'_>], labels: &[S]) -> Vec<usize> {
    let mut positions = Vec::with_capacity(labels.len());
    for node in named {
        let Some(position) = node.choice(labels) else { continue };
        if positions.contains(&position) {
            let named = labels[position].as_ref().to_owned();
            node.note(Problem::Repeated { path: node.path().to_owned(), named });
        } else {
            positions.push(position);
        }
    }
    if let Some(first) = named.first() {
        let missing = (0..labels.len()).filter(|position| !positions.contains(position));
        for position in missing {
            first.note(Problem::Missing { path: labels[position].as_ref().to_owned() });
        }
    }
    positions
}
