//! Chains of passages: each mentions what the next is about, and together they say what the question says.
//!
//! A beam goes from the passages that are likely by themselves along mentions. What a chain says of the question is
//! counted by sentences: those that lead from passage to passage, the titles on the way, and the last passage's best
//! sentence, which is where the answer stands.

use std::collections::BTreeMap;

use quiver_graph::PassageId;

use crate::pool::{Candidate, Pool, RouteKind, TermBits};

/// How many chains are followed at once.
const BEAM: usize = 48;
/// How many passages a chain may begin with, the likeliest by themselves.
const STARTS: usize = 16;
/// The longest chain.
const PASSAGES_MAX: usize = 4;
/// What a step takes from a chain's score: a longer chain has to say more.
const STEP_COST: f32 = 0.04;
/// What the last passage's likelihood adds to a chain's score.
const LIKELIHOOD_SHARE: f32 = 0.15;
/// What the rest of the last passage counts, against its best sentence.
const REST_SHARE: f32 = 0.25;
/// What the last sentence has to say that the chain has not said yet, or else this is taken from the score.
const NOTHING_NEW_COST: f32 = 0.15;

/// What it adds that the last sentence says what is asked for.
const FOCUS_SHARE: f32 = 0.2;

/// What a chain is to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The words of the question that some document says, as bits.
    pub(crate) known: u128,
    /// Those that say what is asked for, as bits.
    pub(crate) focus: u128,
}

/// A chain of passages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The passages.
    pub(crate) passages: Links,
    /// The words of the question that it says before its last sentence, as bits.
    pub(crate) covered: u128,
    /// The last passage's best sentence.
    pub(crate) sentence: usize,
    /// The words of the question that the chain and its last sentence say, as bits.
    pub(crate) said: u128,
    /// How well it says the question, from 0 to about 1.
    pub(crate) score: f32,
}

/// The passages of a chain, each with the name in it that leads to the next; the last has none.
type Links = Vec<(PassageId, Option<usize>)>;

/// The best chain for every last passage, the best first, ties by the last passage's id.
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

/// The passages that are likeliest by themselves.
fn starts(pool: &Pool) -> Vec<PassageId> {
    let mut starts: Vec<&Candidate> = pool.candidates.values().collect();
    starts.sort_by(|a, b| b.own.total_cmp(&a.own).then(a.passage.id.cmp(&b.passage.id)));
    starts.into_iter().take(STARTS).map(|candidate| candidate.passage.id).collect()
}

/// Where mentions lead: by the passage that mentions, the name, what its sentence says, and the passage about it.
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

/// Ends a chain at its last passage's best sentence; `None` where that has no sentence.
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
