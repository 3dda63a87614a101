//! What the rules read and what a language model read of the same passage, together.

use std::collections::HashMap;

use quiver_graph::name::normalise;

use crate::{
    calendar::days_since_1970,
    document::Chunk,
    extract::{Described, Extraction, Link, sentences},
    prompt::{ExtractedEntity, ExtractedPassage, ExtractedRelation},
};

/// How many lines on what was dropped are kept of one passage.
const DROPPED_SHOWN: usize = 8;
/// The predicate that joins a name to another name of the same thing.
pub(super) const ALSO_CALLED: &str = "also called";

/// Adds what a model read to what the rules read. A name that both read is one.
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
    rules.problems.extend(dropped.into_iter().map(|line| format!("left out of the model's reply: {line}")));
    rules
}

/// The names that the rules read, and where names stand.
struct Known<'a> {
    names: HashMap<String, String>,
    chunk: &'a Chunk,
    /// The sentences, normalised.
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

    /// A name as the rules spell it, where they have it.
    fn spelled(&self, name: String) -> String {
        self.names.get(&normalise(&name)).cloned().unwrap_or(name)
    }

    /// The first sentence that has both names; one of them may be the title's.
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
        // A chunk whose sentences were not given has none to point to.
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

/// The moment at which a year, a month or a day begins or has ended, in milliseconds since 1970.
fn days(date: &str, edge: Edge) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let year = parts.next()??;
    let (month, day) = (parts.next().flatten(), parts.next().flatten());
    let next = i64::from(edge == Edge::End);
    let days = match (month, day) {
        (None, _) => days_since_1970(year + next, 1, 1),
        (Some(month), None) if (1..=12).contains(&month) => {
            days_since_1970(year + (month - 1 + next) / 12, (month - 1 + next) % 12 + 1, 1)
        }
        (Some(month), Some(day)) if (1..=12).contains(&month) && (1..=31).contains(&day) => {
            days_since_1970(year, month, day) + next
        }
        _ => return None,
    };
    Some(days * 86_400_000)
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
