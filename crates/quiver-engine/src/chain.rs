//! Chains of passages in which each mentions what the next is about.
//!
//! A beam search starts at the passages with the highest own probability and follows forward routes. A chain is
//! scored by the question terms it covers: those in the sentences that lead from passage to passage, in the titles
//! along the chain, and in the best sentence of the last passage, which should contain the answer.

use std::collections::BTreeMap;

use quiver_graph::PassageId;

use crate::{
    pool::{Candidate, Pool, RouteKind},
    terms::TermBits,
};

/// Beam width.
const BEAM: usize = 48;
/// Maximum number of passages to start from, highest own probability first.
const STARTS: usize = 16;
/// Maximum number of passages in a chain.
const PASSAGES_MAX: usize = 4;
/// Penalty per step, so that a longer chain has to cover more.
const STEP_COST: f32 = 0.04;
/// Weight of the last passage's probability in the score.
const LIKELIHOOD_SHARE: f32 = 0.15;
/// Weight of the last passage's other terms, relative to its best sentence.
const REST_SHARE: f32 = 0.25;
/// Penalty if the last sentence adds no question term to the rest of the chain.
const NOTHING_NEW_COST: f32 = 0.15;

/// Bonus if the last sentence contains the terms of what the question asks for.
const FOCUS_SHARE: f32 = 0.2;

/// The question terms that a chain should cover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Question terms that occur in some document, as a bit set.
    pub(crate) known: u128,
    /// Terms of what the question asks for, as a bit set.
    pub(crate) focus: u128,
}

/// A chain of passages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The passages.
    pub(crate) passages: Links,
    /// Question terms covered before the last sentence, as a bit set.
    pub(crate) covered: u128,
    /// Index of the last passage's best sentence.
    pub(crate) sentence: usize,
    /// Question terms covered by the chain and its last sentence, as a bit set.
    pub(crate) said: u128,
    /// How well the chain covers the question, from 0 to about 1.
    pub(crate) score: f32,
}

/// The passages of a chain, each with the index of the name in it that leads to the next; `None` for the last.
type Links = Vec<(PassageId, Option<usize>)>;

/// Returns the best chain for each last passage, best first; ties by the last passage's ID.
pub(crate) fn chains(
    pool: &Pool,
    bits: &TermBits,
    wanted: Wanted,
    titles: &BTreeMap<PassageId, u128>,
) -> Vec<Chain> {
    let mut best: BTreeMap<PassageId, Chain> = BTreeMap::new();
    let mut beam: Vec<(Links, u128)> =
        starts(pool).into_iter().map(|id| (vec![(id, None)], titles[&id])).collect();
    let steps = steps(pool);
    for _ in 0..PASSAGES_MAX {
        let mut ended: Vec<Chain> = beam
            .into_iter()
            .filter_map(|(passages, covered)| end(pool, bits, wanted, passages, covered))
            .collect();
        ended.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| last(a).cmp(&last(b))));
        ended.truncate(BEAM);
        beam = Vec::new();
        for chain in ended {
            for &(name, sentence, to) in steps.get(&last(&chain)).into_iter().flatten() {
                if chain.passages.iter().any(|(id, _)| *id == to) {
                    continue;
                }
                let mut passages = chain.passages.clone();
                passages.last_mut().expect("a chain has a passage").1 = Some(name);
                passages.push((to, None));
                beam.push((passages, chain.covered | sentence | titles[&to]));
            }
            match best.get(&last(&chain)) {
                Some(known) if known.score >= chain.score => {}
                _ => drop(best.insert(last(&chain), chain)),
            }
        }
    }
    let mut best: Vec<Chain> = best.into_values().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| last(a).cmp(&last(b))));
    best
}

fn last(chain: &Chain) -> PassageId {
    chain.passages.last().expect("a chain has a passage").0
}

/// Returns the passages with the highest own probability.
fn starts(pool: &Pool) -> Vec<PassageId> {
    let mut starts: Vec<&Candidate> = pool.candidates.values().collect();
    starts.sort_by(|a, b| b.own.total_cmp(&a.own).then(a.passage.id.cmp(&b.passage.id)));
    starts.into_iter().take(STARTS).map(|candidate| candidate.passage.id).collect()
}

/// Returns the forward routes by source passage: the name's index, the question terms in its sentence, and the
/// target.
fn steps(pool: &Pool) -> BTreeMap<PassageId, Vec<(usize, u128, PassageId)>> {
    let mut steps: BTreeMap<PassageId, Vec<(usize, u128, PassageId)>> = BTreeMap::new();
    for (&to, candidate) in &pool.candidates {
        for route in &candidate.routes {
            if let RouteKind::Forward { name, sentence, .. } = route.kind {
                steps.entry(route.from).or_default().push((name, sentence, to));
            }
        }
    }
    steps
}

/// Ends a chain at the best sentence of its last passage. Returns `None` if that passage has no sentences.
fn end(pool: &Pool, bits: &TermBits, wanted: Wanted, passages: Links, covered: u128) -> Option<Chain> {
    let (id, _) = passages.last()?;
    let candidate = &pool.candidates[id];
    let Wanted { known, focus } = wanted;
    let sayable = bits.weight(known).max(f32::MIN_POSITIVE);
    let worth = |said: u128| {
        let new = bits.weight(said & !covered) / sayable;
        let rest = bits.weight(candidate.covered & !(covered | said)) / sayable;
        let cost = if new > 0.0 { 0.0 } else { NOTHING_NEW_COST };
        let asked = bits.weight(said & focus) / bits.weight(focus).max(f32::MIN_POSITIVE);
        bits.weight(covered | said) / sayable + REST_SHARE * rest + FOCUS_SHARE * asked - cost
    };
    let sentences = candidate.sentences.iter().enumerate().map(|(at, &said)| (worth(said), at, said));
    let (worth, sentence, said) = sentences.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let steps = passages.len() - 1;
    let score = worth - STEP_COST * steps as f32 + LIKELIHOOD_SHARE * candidate.probability;
    Some(Chain { passages, covered, sentence, said: covered | said, score })
}
