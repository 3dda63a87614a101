//! The facts found for a question, and the chains built from them.

use std::collections::BTreeSet;

use quiver_graph::{EntityId, RelationId};

use super::{agreement::Agreement, known::MemoryFact, merged::Merged, rank::Chain, resolve::Declared};

/// The facts found so far.
#[derive(Default)]
pub(crate) struct FactPool {
    pub(super) facts: Vec<MemoryFact>,
    pub(super) agreements: Vec<Agreement>,
    pub(super) seen: BTreeSet<RelationId>,
    /// Entities whose statements are all in the pool.
    pub(super) complete: BTreeSet<EntityId>,
    /// Entities whose statements were read: all of them, or those selected by the question's words.
    pub(super) followed: BTreeSet<EntityId>,
    /// Whether the facts about the named entities suffice.
    pub(super) is_enough: bool,
    /// Subjects and predicates whose later statements are all in the pool.
    pub(super) checked: BTreeSet<(EntityId, String)>,
    pub(super) declared: Declared,
    /// The merges that apply.
    pub(super) merged: Merged,
    /// The ranking of the facts; valid until a fact is added.
    pub(super) ranked: Ranked,
    /// The sentences of which one fact is over and another is not.
    pub(super) partly_over: BTreeSet<String>,
}

impl FactPool {
    /// Notes the sentences of which one fact is over: "Ada and Bo run the loom", if Bo no longer does.
    pub(super) fn note_partly_over(&mut self, holds: &[bool]) {
        let said = |is_held: bool| -> BTreeSet<&str> {
            let facts = self.facts.iter().zip(holds);
            let of = facts.filter(|(fact, holds)| fact.is_found() && !fact.is_denied() && **holds == is_held);
            of.map(|(fact, _)| fact.relation.text.as_str()).collect()
        };
        self.partly_over = said(false).intersection(&said(true)).map(|text| (*text).to_owned()).collect();
    }
}

/// Which facts are valid, and the chains built from them.
#[derive(Default)]
pub(super) struct Ranked {
    pub(super) holds: Vec<bool>,
    pub(super) chains: Vec<Chain>,
}

impl Chain {
    /// The name that the chain ends in.
    pub(crate) fn answer<'p>(&self, pool: &'p FactPool) -> &'p str {
        let last = &pool.facts[*self.facts.last().expect("a chain has a fact")];
        last.name_at(self.end)
    }
}
