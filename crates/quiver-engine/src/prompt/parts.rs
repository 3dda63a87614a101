//! Reads replies with a part for each of several labelled texts.

use quiver_models::chat::{
    ChatReply,
    read::{self, Node, Problem, Problems, Read},
};

/// Reads the list `key` of a reply. Each part names a text by its label in `id`; a part without any of `fields` says
/// nothing. A text that the reply does not cover, or whose part is truncated, is `None`.
pub(super) fn parts<T>(
    reply: &ChatReply,
    key: &str,
    labels: &[String],
    fields: &[&str],
    mut read: impl FnMut(usize, &Node<'_>) -> T,
) -> Read<Vec<Option<T>>> {
    let Read { value, problems } = read::json(reply);
    let is_broken = problems.iter().any(|problem| matches!(problem, Problem::Cut | Problem::Broken { .. }));
    let problems = Problems::new(problems);
    let mut all: Vec<Option<T>> = labels.iter().map(|_| None).collect();
    let parts = Node::root(&value, &problems).list(key);
    for (number, part) in parts.iter().enumerate() {
        // If the reply is truncated, its last part may be incomplete.
        if is_broken && number + 1 == parts.len() {
            break;
        }
        if !fields.iter().any(|field| part.get(field).is_there()) {
            continue;
        }
        // A single text needs no label.
        let id = part.get("id");
        let position = if !id.is_there() && labels.len() == 1 { Some(0) } else { id.choice(labels) };
        let Some(position) = position else { continue };
        if all[position].is_some() {
            problems.add(Problem::Repeated { path: id.path().to_owned(), named: labels[position].clone() });
            continue;
        }
        all[position] = Some(read(position, part));
    }
    for (label, _) in labels.iter().zip(&all).filter(|(_, read)| read.is_none()) {
        problems.add(Problem::Missing { path: label.clone() });
    }
    Read { value: all, problems: problems.into_vec() }
}
