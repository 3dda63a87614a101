//! Joins facts: which names of their ends refer to the same entity, and the penalty if the names differ.

use super::{
    end::{End, Nodes},
    rank::Ranker,
};

/// Penalty for joining two facts whose names for the shared entity differ, one being short for the other.
const SHORT_COST: f32 = 0.04;
/// Penalty for joining two facts that share nothing but their turn.
const TURN_COST: f32 = 0.1;
/// Penalty for joining facts through an entity that the question names: the step before it adds nothing.
const DETOUR_COST: f32 = 0.05;

impl Ranker<'_> {
    /// The node of one end of a fact.
    pub(super) fn node(&self, fact: usize, end: End) -> u64 {
        let words = &self.facts[fact].words;
        match end {
            End::Subject => words.subject_node,
            End::Object => words.object_node,
        }
    }

    /// Other names for an end: the name without its common nouns ("Gold" for Gold customers), and a short form, such
    /// as the noun alone ("the lamp" for a paper lamp). The short form applies only if the fact was read from text
    /// or the end contains a proper name.
    pub(super) fn short(&self, fact: usize, end: End) -> [Option<u64>; 2] {
        let known = &self.facts[fact];
        let words = &known.words;
        let (node, bare, short) = match end {
            End::Subject => (words.subject_node, words.subject_bare, words.subject_short),
            End::Object => (words.object_node, words.object_bare, words.object_short),
        };
        let is_named =
            words.at(end).iter().any(|word| word.is_name && !word.lower.contains(|c: char| c.is_numeric()));
        [Some(bare).filter(|bare| *bare != node), short.filter(|_| known.is_found() || is_named)]
    }

    /// The turn of a fact, as a node to join by.
    pub(super) fn turn(&self, fact: usize) -> u64 {
        self.facts[fact].words.turn
    }

    /// The entities, other than its ends, that the sentence of a given fact mentions. Facts read from text mention
    /// none here: each entity is an end of some fact.
    pub(super) fn mentioned(&self, fact: usize) -> impl Iterator<Item = u64> + '_ {
        let known = &self.facts[fact];
        let own = [known.words.subject_node, known.words.object_node];
        let named = known.words.mentioned.iter().copied().filter(move |node| !own.contains(node));
        named.filter(|_| !known.is_found())
    }

    /// The name of an end without its first word.
    pub(super) fn last(&self, fact: usize, end: End) -> Option<u64> {
        let known = &self.facts[fact];
        let last = if end == End::Object { known.words.object_last } else { known.words.subject_last };
        last.filter(|_| known.is_found() || known.words.at(end).iter().all(|word| !word.is_name))
    }

    /// Indexes all usable facts by the names of their ends.
    pub(super) fn nodes(&self) -> Nodes {
        let mut nodes = Nodes::default();
        for at in (0..self.facts.len()).filter(|at| self.usable[*at]) {
            for end in [End::Object, End::Subject] {
                let short = self.short(at, end).into_iter().flatten();
                // Facts of one turn can be joined even if they share no name.
                for node in short.chain([self.node(at, end), self.turn(at)]) {
                    nodes.named.entry(node).or_default().push((at, end));
                }
                if !self.facts[at].is_found() {
                    nodes.full.entry(self.node(at, end)).or_default().push((at, end));
                }
                if let Some(last) = self.last(at, end) {
                    nodes.last.entry(last).or_default().push((at, end));
                }
            }
        }
        nodes
    }

    /// The penalty for a chain that passes through an entity that the question names.
    pub(super) fn detour(&self, facts: &[usize]) -> f32 {
        let is_detour = facts.windows(2).any(|pair| {
            let ends = |fact: usize| [End::Subject, End::Object].map(|end| (self.node(fact, end), end));
            let shared = ends(pair[0])
                .into_iter()
                .find(|(node, _)| ends(pair[1]).iter().any(|(other, _)| other == node));
            shared.is_some_and(|(_, end)| {
                let says = self.agreements[pair[0]].of_end(end);
                let names = self.asked.terms.iter().zip(says).filter(|(term, _)| term.is_name);
                let name = self.facts[pair[0]].words.at(end);
                let named = name.iter().filter(|word| !word.is_stop).count() > 1 && self.is_named(name);
                named || names.filter(|(_, says)| **says >= 0.8).count() > 0
            })
        });
        if is_detour { DETOUR_COST } else { 0.0 }
    }

    /// The penalty for facts of a chain that name the shared entity differently, or share only their turn.
    pub(super) fn shortened(&self, facts: &[usize]) -> f32 {
        let ends = |fact: usize| [End::Subject, End::Object].map(|end| self.node(fact, end));
        let cost = |pair: &[usize]| {
            let (one, other) = (ends(pair[0]), ends(pair[1]));
            if one.iter().any(|node| other.contains(node)) {
                0.0
            } else if self.shares(pair[0], pair[1]) {
                SHORT_COST
            } else {
                TURN_COST
            }
        };
        facts.windows(2).map(cost).sum()
    }

    /// Whether two facts share a name, in full or short form.
    pub(super) fn shares(&self, one: usize, other: usize) -> bool {
        let names = |fact: usize| {
            let ends = [End::Subject, End::Object];
            let short = ends.map(|end| self.short(fact, end)).into_iter().flatten().flatten();
            ends.map(|end| self.node(fact, end)).into_iter().chain(short).collect::<Vec<u64>>()
        };
        let last = |fact: usize| [End::Subject, End::Object].map(|end| self.last(fact, end));
        let (names_of_one, names_of_other) = (names(one), names(other));
        names_of_one.iter().any(|name| names_of_other.contains(name))
            || last(one).into_iter().flatten().any(|last| names_of_other.contains(&last))
            || last(other).into_iter().flatten().any(|last| names_of_one.contains(&last))
    }
}
