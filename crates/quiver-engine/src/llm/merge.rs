//! Merges the extractions of the rules and of a language model.

use std::collections::HashMap;

use quiver_documents::Chunk;
use quiver_graph::name::normalise;
use quiver_memory::calendar::from_civil;

use crate::{
    extract::{Described, Extraction, Link, sentences},
    prompt::{ExtractedEntity, ExtractedPassage, ExtractedRelation},
};

/// Maximum number of dropped items listed per passage.
const DROPPED_SHOWN: usize = 8;
/// The predicate between a name and its alias.
pub(super) const ALSO_CALLED: &str = "also called";

/// Adds the model's extraction to that of the rules. Names that both found are spelled as the rules spell them.
pub(super) fn merge(chunk: &Chunk, mut rules: Extraction, model: ExtractedPassage) -> Extraction {
    let ExtractedPassage { entities, relations, mut dropped } = model;
    let known = Known::new(chunk, &rules);
    for entity in entities {
        let ExtractedEntity { name, kind, description, aliases } = entity;
        let name = known.spelled(name);
        for alias in aliases {
            let alias = known.spelled(alias);
            let sentence = known.sentence(&name, &alias);
            let predicate = ALSO_CALLED.to_owned();
            rules.relations.push(Link {
                subject: name.clone(),
                predicate,
                object: alias.clone(),
                sentence,
                ..Link::default()
            });
            rules.described.push(Described {
                name: alias,
                same_as: Some(name.clone()),
                ..Described::default()
            });
        }
        rules.described.push(Described { name, kind, description, same_as: None });
    }
    for ExtractedRelation { subject, predicate, object, from, to } in relations {
        let (subject, object) = (known.spelled(subject), known.spelled(object));
        let sentence = known.sentence(&subject, &object);
        let valid_from = from.as_deref().and_then(|date| days(date, Edge::Begin));
        let valid_to = to.as_deref().and_then(|date| days(date, Edge::End));
        rules.relations.push(Link { subject, predicate, object, sentence, valid_from, valid_to });
    }
    if dropped.len() > DROPPED_SHOWN {
        let more = dropped.len() - DROPPED_SHOWN;
        dropped.truncate(DROPPED_SHOWN);
        dropped.push(format!("and {more} more"));
    }
    rules.problems.extend(dropped.into_iter().map(|line| format!("dropped from the model's reply: {line}")));
    rules
}

/// The names found by the rules, and the sentences of the chunk.
struct Known<'a> {
    names: HashMap<String, String>,
    chunk: &'a Chunk,
    /// The normalised sentences.
    sentences: Vec<String>,
}

impl<'a> Known<'a> {
    fn new(chunk: &'a Chunk, rules: &Extraction) -> Self {
        let subjects = rules.subjects.iter().map(|subject| &subject.name);
        let mentions = rules.mentions.iter().map(|mention| &mention.name);
        let names = mentions.chain(subjects).map(|name| (normalise(name), name.clone())).collect();
        let ranges =
            if chunk.sentences.is_empty() { sentences(&chunk.text) } else { chunk.sentences.clone() };
        let sentences = ranges.into_iter().map(|range| normalise(&chunk.text[range])).collect();
        Self { names, chunk, sentences }
    }

    /// Returns a name in the rules' spelling, if they found it.
    fn spelled(&self, name: String) -> String {
        self.names.get(&normalise(&name)).cloned().unwrap_or(name)
    }

    /// Returns the first sentence that contains both names; one of them may occur only in the title.
    fn sentence(&self, one: &str, other: &str) -> Option<u32> {
        let (one, other) = (normalise(one), normalise(other));
        let title = normalise(self.chunk.title.as_deref().unwrap_or_default());
        let both = self.sentences.iter().position(|said| said.contains(&one) && said.contains(&other));
        let with_title = |subject: &str, said: &str| {
            title
                .contains(subject)
                .then(|| self.sentences.iter().position(|sentence| sentence.contains(said)))
        };
        let position = both
            .or_else(|| with_title(&one, &other).flatten())
            .or_else(|| with_title(&other, &one).flatten());
        // A chunk that was given without sentences can't be referred to by sentence.
        position
            .filter(|position| *position < self.chunk.sentences.len())
            .and_then(|at| u32::try_from(at).ok())
    }
}

/// Which end of a period a date stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Begin,
    End,
}

/// Returns the start or the end of a year, month or day, in milliseconds since 1970.
fn days(date: &str, edge: Edge) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let year = parts.next()??;
    let (month, day) = (parts.next().flatten(), parts.next().flatten());
    let next = i64::from(edge == Edge::End);
    match (month, day) {
        (None, _) => Some(from_civil(year + next, 1, 1)),
        (Some(month), None) if (1..=12).contains(&month) => Some(from_civil(year, month + next, 1)),
        (Some(month), Some(day)) if (1..=12).contains(&month) && (1..=31).contains(&day) => {
            Some(from_civil(year, month, day + next))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_moments() {
        const DAY: i64 = 86_400_000;
        assert_eq!(days("1970", Edge::Begin), Some(0));
        assert_eq!(days("1970", Edge::End), Some(365 * DAY));
        assert_eq!(days("2000-02", Edge::End), days("2000-03-01", Edge::Begin));
        assert_eq!(days("1999-12", Edge::End), days("2000", Edge::Begin));
        assert_eq!(days("2000-03-01", Edge::Begin), Some(11_017 * DAY));
        assert_eq!(days("2000-03-01", Edge::End), Some(11_018 * DAY));
        assert_eq!(
            (days("2000-13", Edge::Begin), days("2000-01-40", Edge::End), days("", Edge::Begin)),
            (None, None, None)
        );
    }
}
