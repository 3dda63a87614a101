//! Entities that are named together: in how many passages, and whether in one sentence. No I/O.

use std::collections::{BTreeSet, HashMap};

use quiver_graph::{EntityId, Passage, name};
use quiver_language::sentences;

/// Maximum number of entities of a passage that are paired. A passage that names more is a list.
const ENTITIES_MAX: usize = 24;
/// Maximum number of pairs that are counted.
const PAIRS_MAX: usize = 1_000_000;

/// Counts the passages that mention pairs of entities.
#[derive(Debug, Default)]
pub(super) struct Together {
    counts: HashMap<[EntityId; 2], u32>,
    /// Whether some pairs were not counted.
    pub(super) is_partial: bool,
}

impl Together {
    /// Adds a passage with those of its entities that are of interest.
    pub(super) fn add(&mut self, passage: &Passage, is_of_interest: impl Fn(EntityId) -> bool) {
        let named = passage.entities.iter().chain(&passage.subjects).copied();
        let named: BTreeSet<EntityId> = named.filter(|id| is_of_interest(*id)).collect();
        if named.len() > ENTITIES_MAX {
            return;
        }
        for one in &named {
            for other in named.range(one..).skip(1) {
                let pair = [*one, *other];
                if self.counts.len() < PAIRS_MAX || self.counts.contains_key(&pair) {
                    *self.counts.entry(pair).or_default() += 1;
                } else {
                    self.is_partial = true;
                }
            }
        }
    }

    /// The pairs that occur at least this often and at least half as often as the rarer of the two, the most frequent
    /// first.
    pub(super) fn frequent(
        self,
        least: usize,
        mentioned: impl Fn(EntityId) -> u32,
    ) -> Vec<([EntityId; 2], u32)> {
        let is_frequent = |(pair, count): &([EntityId; 2], u32)| {
            let rarer = pair.map(&mentioned).into_iter().min().unwrap_or_default();
            *count as usize >= least && 2 * count >= rarer
        };
        let mut pairs: Vec<_> = self.counts.into_iter().filter(is_frequent).collect();
        pairs.sort_unstable_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        pairs
    }
}

/// Returns the passages that have a sentence with both names.
pub(super) fn in_one_sentence(passages: Vec<Passage>, one: &[String], other: &[String]) -> Vec<Passage> {
    let [one, other] = [one, other].map(|names| names.iter().map(|name| spaced(name)).collect::<Vec<_>>());
    let has = |sentence: &str, names: &[String]| names.iter().any(|name| sentence.contains(name.as_str()));
    let is_together = |passage: &Passage| {
        sentences(&passage.text).into_iter().any(|range| {
            let sentence = spaced(&passage.text[range]);
            has(&sentence, &one) && has(&sentence, &other)
        })
    };
    passages.into_iter().filter(is_together).collect()
}

/// Whether all words of one name are words of the other.
pub(super) fn is_within(one: &str, other: &str) -> bool {
    let [one, other] =
        [one, other].map(|name| spaced(name).split(' ').map(str::to_owned).collect::<BTreeSet<_>>());
    one.is_subset(&other) || other.is_subset(&one)
}

/// Normalises a text, with a space around each word and no punctuation.
pub(super) fn spaced(text: &str) -> String {
    let normal: String =
        name::normalise(text).chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    format!(" {} ", normal.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_whole_words() {
        assert!(is_within("Skerry Yard", "the Skerry Yard Office"));
        assert!(!is_within("Skerry", "Skerryvore"));
        assert!(spaced("Ida Holm's boat, \"Aurelia\".").contains(&spaced("Aurelia")));
        assert!(!spaced("Skerryvore").contains(&spaced("Skerry")));
    }
}
