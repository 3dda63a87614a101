//! How likely each passage of the pool is evidence: features that are plain numbers from 0 to 1, and a logistic
//! regression with non-negative weights over them.
//!
//! The scorer goes through three stages. The first knows each passage by itself; the second, after hops, also what
//! leads to it, each step weighed by how likely the passage before is; the third also what searches with bridging
//! names found. Features are relative to the question's best candidate, so that they compare across corpora.

use std::sync::LazyLock;

use quiver_graph::PassageId;
use serde::{Deserialize, Serialize};

use crate::pool::{Candidate, Pool, Route, RouteKind, TermBits};

/// The names of the features, in their order.
pub const FEATURES: [&str; FEATURES_COUNT] = [
    "lexical",
    "dense",
    "sentence",
    "coverage",
    "linked_share",
    "linked_unambiguous",
    "mentions_linked",
    "brevity",
    "forward",
    "forward_new",
    "forward_sentence",
    "forward_near",
    "forward_dense",
    "back",
    "back_new",
    "shared",
    "shared_new",
    "bridge",
    "bridge_score",
];
const FEATURES_COUNT: usize = 19;
/// A path feature looks no further than the most likely predecessors.
const PREDECESSORS_MAX: usize = 24;

/// The features of a candidate.
pub type Features = [f32; FEATURES_COUNT];

/// How far the pool has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Seeds: each passage by itself.
    Seeds,
    /// Hops: what leads to it, too.
    Hops,
    /// Bridges: what searches with bridging names found, too.
    Bridges,
}

/// The weights of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageWeights {
    /// The log odds of a passage of which nothing is known.
    pub bias: f32,
    /// The weight of each feature, in the order of [`FEATURES`].
    pub weights: Features,
}

/// The scorer's weights, with where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// The version of this file.
    pub version: u32,
    /// The names of the features, to be checked against [`FEATURES`].
    pub features: Vec<String>,
    /// What they were learned from and how.
    pub provenance: String,
    /// The weights of the three stages.
    pub stages: [StageWeights; 3],
}

/// The weights that come with the library, learned by `quiver-eval train`.
static LEARNED: LazyLock<Weights> = LazyLock::new(|| {
    let weights: Weights =
        serde_json::from_str(include_str!("weights.json")).expect("the weights file is part of the source");
    assert_eq!(weights.features, FEATURES, "the weights are of other features");
    weights
});

impl Weights {
    /// The weights that come with the library.
    pub fn learned() -> &'static Self {
        &LEARNED
    }

    fn probability(&self, stage: Stage, features: &Features) -> f32 {
        let StageWeights { bias, weights } = &self.stages[stage as usize];
        let sum: f32 =
            bias + weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum::<f32>();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Scores every candidate of the pool at a stage, from what the stage before thought of its predecessors.
pub(crate) fn score(pool: &mut Pool, bits: &TermBits, weights: &Weights, stage: Stage) {
    let scored: Vec<(PassageId, f32)> = features(pool, bits, stage)
        .into_iter()
        .map(|(id, features)| (id, weights.probability(stage, &features)))
        .collect();
    for (id, probability) in scored {
        pool.candidates.get_mut(&id).expect("the id is of the pool").probability = probability;
    }
}

/// Notes how likely every candidate is by itself.
pub(crate) fn score_alone(pool: &mut Pool, bits: &TermBits, weights: &Weights) {
    for (id, features) in features(pool, bits, Stage::Seeds) {
        let own = weights.probability(Stage::Seeds, &features);
        pool.candidates.get_mut(&id).expect("the id is of the pool").own = own;
    }
}

/// What the scorer knows of every passage it considers for a question, at each stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Per stage, for each passage its document and its features.
    pub stages: [Vec<(String, Features)>; 3],
}

/// What the scorer knows of every candidate at a stage.
pub(crate) fn observe(pool: &Pool, bits: &TermBits, stage: Stage) -> Vec<(String, Features)> {
    let known = features(pool, bits, stage).into_iter();
    known.map(|(id, features)| (pool.candidates[&id].passage.document.clone(), features)).collect()
}

/// The features of every candidate at a stage, by ascending id.
pub(crate) fn features(pool: &Pool, bits: &TermBits, stage: Stage) -> Vec<(PassageId, Features)> {
    let most = |value: fn(&Candidate) -> f32| {
        pool.candidates.values().map(value).fold(0.0, f32::max).max(f32::MIN_POSITIVE)
    };
    let best = Best {
        lexical: most(|candidate| candidate.lexical),
        dense: most(|candidate| candidate.dense.unwrap_or(0.0)),
        sentence: pool
            .candidates
            .values()
            .map(|candidate| best_sentence(candidate, bits))
            .fold(0.0, f32::max)
            .max(f32::MIN_POSITIVE),
    };
    let predecessors = pool.best(PREDECESSORS_MAX, |_| true);
    pool.candidates
        .iter()
        .map(|(&id, candidate)| {
            let mut features = own_features(candidate, bits, &best);
            if stage >= Stage::Hops {
                for route in candidate.routes.iter().filter(|route| predecessors.contains(&route.from)) {
                    let from = &pool.candidates[&route.from];
                    if from.passage.id != id {
                        add_route(&mut features, route, from, candidate, bits, &best, stage);
                    }
                }
            }
            (id, features)
        })
        .collect()
}

/// The best of the pool, that features are relative to.
struct Best {
    lexical: f32,
    dense: f32,
    sentence: f32,
}

fn best_sentence(candidate: &Candidate, bits: &TermBits) -> f32 {
    candidate.sentences.iter().map(|&sentence| bits.share(sentence)).fold(0.0, f32::max)
}

/// What a passage says by itself.
fn own_features(candidate: &Candidate, bits: &TermBits, best: &Best) -> Features {
    let mut features = Features::default();
    features[0] = candidate.lexical / best.lexical;
    features[1] = (candidate.dense.unwrap_or(0.0) / best.dense).max(0.0);
    features[2] = best_sentence(candidate, bits) / best.sentence;
    features[3] = bits.share(candidate.covered);
    if let Some((share, count)) = candidate.linked {
        features[4] = share;
        features[5] = 1.0 / count as f32;
    }
    if let Some((share, _)) = candidate.mentions {
        features[6] = share;
    }
    features[7] = 1.0 / (candidate.sentences.len().max(1) as f32).sqrt();
    features
}

/// What a way to a passage adds.
fn add_route(
    features: &mut Features,
    route: &Route,
    from: &Candidate,
    candidate: &Candidate,
    bits: &TermBits,
    best: &Best,
    stage: Stage,
) {
    let likely = from.probability;
    let new = bits.share(candidate.covered & !from.covered);
    let raise = |feature: &mut f32, value: f32| *feature = feature.max(value);
    match route.kind {
        RouteKind::Forward { sentence, near, .. } => {
            features[8] = (features[8] + likely).min(2.0);
            raise(&mut features[9], likely * new);
            raise(&mut features[10], likely * bits.share(sentence));
            raise(&mut features[11], likely * bits.share(near));
            raise(&mut features[12], likely * (candidate.dense.unwrap_or(0.0) / best.dense).max(0.0));
        }
        RouteKind::Back => {
            raise(&mut features[13], likely);
            raise(&mut features[14], likely * new);
        }
        RouteKind::Shared => {
            raise(&mut features[15], likely);
            raise(&mut features[16], likely * new);
        }
        RouteKind::Bridge { rank, score, .. } if stage >= Stage::Bridges => {
            raise(&mut features[17], likely / (1.0 + rank as f32));
            raise(&mut features[18], likely * score);
        }
        RouteKind::Bridge { .. } => {}
    }
}

/// How much a way adds to its passage: what orders the ways that are shown.
pub(crate) fn route_strength(route: &Route, from: &Candidate, candidate: &Candidate, bits: &TermBits) -> f32 {
    let new = bits.share(candidate.covered & !from.covered);
    let kind = match route.kind {
        RouteKind::Forward { sentence, near, .. } => 1.0 + bits.share(sentence) + bits.share(near),
        RouteKind::Bridge { rank, score, .. } => 0.5 * score / (1.0 + rank as f32),
        RouteKind::Back => 0.2,
        RouteKind::Shared => 0.1,
    };
    from.probability * (kind + new)
}
