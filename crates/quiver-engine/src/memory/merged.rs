//! Merged entities. Facts about one apply to the others until the merge is undone.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use quiver_graph::{EntityId, Graph, Relation, filters};
use quiver_store::{Filter, Result};

use super::known::{DELETED, MemoryFact, RENAMED_TO, SAME_AS, SPLIT_INTO, property};

/// Maximum number of merges read for a set of entities.
const MERGES_MAX: usize = 64;

/// The merges that concern a question.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// For each merged node, the node that represents its group.
    stands: HashMap<u64, u64>,
    /// The merges, by the representative of their group.
    decisions: HashMap<u64, Vec<MemoryFact>>,
}

/// Whether a relation is a merge of two entities, as created by [`Quiver::merge`](crate::Quiver::merge).
pub fn is_merge(relation: &Relation) -> bool {
    relation.predicate == SAME_AS && relation.properties.contains_key(property::SUBJECT)
}

/// Whether a relation is an undone decision.
pub fn is_undone(relation: &Relation) -> bool {
    relation.properties.contains_key(property::UNDONE)
}

/// Reads the merges of these entities, and their renames, that were not undone.
pub(crate) async fn merges(
    graph: &Graph,
    things: &BTreeSet<EntityId>,
    among: &Filter,
) -> Result<Vec<Relation>> {
    if things.is_empty() {
        return Ok(Vec::new());
    }
    let mut merges: Vec<Relation> =
        graph.list(of([RENAMED_TO], things).and(among.clone()), MERGES_MAX).await?;
    merges.retain(|merge| !is_undone(merge));
    Ok(merges)
}

/// Reads all decisions about these entities, including undone ones.
pub(crate) async fn all_decisions(graph: &Graph, things: &BTreeSet<EntityId>) -> Result<Vec<Relation>> {
    if things.is_empty() {
        Ok(Vec::new())
    } else {
        graph.all(&of([RENAMED_TO, DELETED, SPLIT_INTO], things)).await
    }
}

/// Returns a filter for decisions with these predicates. Decisions are dated at the epoch and sentences are
/// not, so a corpus that contains "deleted" a thousand times does not matter.
pub(crate) fn decisions_among<const N: usize>(predicates: [&str; N]) -> Filter {
    filters::saying(predicates).and(filters::begun(Some(0), Some(0)))
}

/// Returns a filter for statements that two entities are one, and for decisions with these other predicates.
pub(crate) fn merges_and<const N: usize>(predicates: [&str; N]) -> Filter {
    Filter::Any(vec![filters::saying([SAME_AS]), decisions_among(predicates)])
}

fn of<const N: usize>(predicates: [&str; N], things: &BTreeSet<EntityId>) -> Filter {
    merges_and(predicates).and(filters::touching(things.iter().copied()))
}

impl Merged {
    /// Groups the entities that these merges connect.
    pub(crate) fn of(decisions: Vec<MemoryFact>) -> Self {
        let mut merged = Self::default();
        for decision in &decisions {
            let words = &decision.words;
            let nodes = [words.subject_node, words.subject_bare, words.object_node, words.object_bare];
            let stands = nodes.map(|node| merged.node(node));
            let least = stands.into_iter().min().expect("there are four");
            merged.stands.extend(nodes.map(|node| (node, least)));
            merged
                .stands
                .values_mut()
                .filter(|stand| stands.contains(stand))
                .for_each(|stand| *stand = least);
        }
        for decision in decisions {
            let stands = merged.node(decision.words.subject_node);
            merged.decisions.entry(stands).or_default().push(decision);
        }
        merged
    }

    /// The representative of a node.
    fn node(&self, node: u64) -> u64 {
        self.stands.get(&node).copied().unwrap_or(node)
    }

    /// Whether two nodes are the same entity.
    pub(crate) fn are_one(&self, a: u64, b: u64) -> bool {
        a == b || self.node(a) == self.node(b)
    }

    /// Replaces the ends of a fact by the representatives of their groups.
    pub(crate) fn rename(&self, mut known: MemoryFact) -> MemoryFact {
        let ends = [known.words.subject_bare, known.words.object_bare];
        if !known.is_merge() && ends.iter().any(|end| self.stands.contains_key(end)) {
            let words = Arc::make_mut(&mut known.words);
            for end in [
                &mut words.subject_node,
                &mut words.subject_bare,
                &mut words.object_node,
                &mut words.object_bare,
            ] {
                *end = self.node(*end);
            }
        }
        known
    }

    /// The same fact with all merged names of its ends, to compare a question's words with; `None` if no merge
    /// applies.
    pub(crate) fn with_names(&self, known: &MemoryFact) -> Option<MemoryFact> {
        let decisions = |node: u64| self.decisions.get(&node).into_iter().flatten();
        let (subject, object) = (known.words.subject_bare, known.words.object_bare);
        if known.is_merge() || decisions(subject).chain(decisions(object)).next().is_none() {
            return None;
        }
        let mut named = known.clone();
        let words = Arc::make_mut(&mut named.words);
        for decision in decisions(subject) {
            words.subject.extend(decision.words.subject.iter().chain(&decision.words.object).cloned());
        }
        for decision in decisions(object) {
            words.object.extend(decision.words.subject.iter().chain(&decision.words.object).cloned());
        }
        Some(named)
    }
}
