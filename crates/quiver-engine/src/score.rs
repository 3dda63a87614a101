//! How likely each passage of the pool is evidence: a logistic regression with non-negative weights over its
//! features.
//!
//! The scorer goes through three stages. The first knows each passage by itself; the second also what leads to it,
//! each way weighed by what the first thought of the passage before; the third also what names carry from one to
//! another, weighed by what the second thought. Every scoring goes through all of them, so its result does not depend
//! on the order in which candidates came.

use std::sync::LazyLock;

use quiver_graph::PassageId;
use quiver_models::Lexical;
use serde::{Deserialize, Serialize};

use crate::{feature::observe, pool::Pool, question::Query, relevance::relevance};
pub use crate::{
    feature::{FEATURES, FEATURES_COUNT, Feature, Features, Observation, Signal, Stage},
    forest::{Forest, Gate, Ranking, Tree},
    relevance::{RELEVANCE_COUNT, RELEVANCE_FEATURES, ROW_LENGTH, Relevance},
};

/// Signals come from no more than the most likely passages.
const SOURCES_MAX: usize = 24;
/// The power of likelihood that is belief: below 1, so that what a doubtful passage leads to is not lost.
const BELIEF_POWER: f32 = 0.7;
/// What plain search counts in the end where nothing is likely.
const PLAIN_SHARE: f32 = 0.01;

/// The weights of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageWeights {
    /// The log odds of a passage of which nothing is known.
    pub bias: f32,
    /// The weight of each feature, in the order of [`FEATURES`].
    pub weights: Vec<f32>,
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
    /// The weights of the three stages where passages are known by their words alone.
    pub lexical: [StageWeights; 3],
    /// The weights of the three stages where an embedder tells how near their meaning is.
    pub dense: [StageWeights; 3],
}

/// The weights that come with the library, learned by `quiver-eval train`.
static LEARNED: LazyLock<Weights> = LazyLock::new(|| {
    let weights: Weights =
        serde_json::from_str(include_str!("weights.json")).expect("the weights file is part of the source");
    let names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    assert_eq!(weights.features, names, "the weights are of other features");
    weights
});

impl Weights {
    /// The weights that come with the library.
    pub fn learned() -> &'static Self {
        &LEARNED
    }

    /// How likely each candidate is evidence, at each stage up to the given one.
    pub fn probabilities(&self, observed: &Observation, last: Stage) -> Vec<Vec<f32>> {
        let weights = if observed.is_dense { &self.dense } else { &self.lexical };
        let mut stages: Vec<Vec<f32>> = Vec::new();
        for (stage, weights) in [Stage::Seeds, Stage::Hops, Stage::Bridges].into_iter().zip(weights) {
            if stage > last {
                break;
            }
            let features = features(observed, stages.last().map(Vec::as_slice), stage);
            stages.push(features.iter().map(|features| weights.probability(features)).collect());
        }
        if let Some(bridges) = stages.get_mut(Stage::Bridges as usize) {
            settle(bridges, observed);
        }
        stages
    }
}

impl StageWeights {
    /// How likely a passage with these features is evidence.
    pub fn probability(&self, features: &Features) -> f32 {
        let pairs = self.weights.iter().zip(features);
        let sum: f32 = self.bias + pairs.map(|(weight, feature)| weight * feature).sum::<f32>();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// The features of every candidate at a stage, from what the stage before thought of the candidates: of several signals
/// of one feature, the strongest counts.
pub fn features(observed: &Observation, before: Option<&[f32]>, stage: Stage) -> Vec<Features> {
    let mut features = observed.own.clone();
    let Some(before) = before else { return features };
    let beliefs = beliefs(before);
    for signal in &observed.signals {
        if FEATURES[signal.feature].stage <= stage {
            let feature = &mut features[signal.to][signal.feature];
            *feature = feature.max(beliefs[signal.from] * signal.value);
        }
    }
    features
}

/// How far each candidate is believed in as one that leads to others: between how likely it is, and how likely it is
/// against the question's likeliest. A question whose first passage is hard to tell can be followed on all the same.
fn beliefs(probabilities: &[f32]) -> Vec<f32> {
    let most = probabilities.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
    let mut beliefs = vec![0.0; probabilities.len()];
    for &source in order.iter().take(SOURCES_MAX) {
        beliefs[source] = (probabilities[source] / most.sqrt()).powf(BELIEF_POWER);
    }
    beliefs
}

/// Adds a little of what plain search thinks to the last stage's likelihoods, the less the likelier the best is. In
/// passages unlike those that the weights were fitted to, such as long ones about many things, ways lead anywhere, and
/// nothing comes out likely.
pub fn settle(probabilities: &mut [f32], observed: &Observation) {
    let unsure = 1.0 - probabilities.iter().copied().fold(0.0, f32::max);
    for (probability, plain) in probabilities.iter_mut().zip(&observed.plain) {
        *probability += PLAIN_SHARE * unsure * plain;
    }
}

/// Scores every candidate of the pool with all that is known up to a stage.
pub(crate) fn score(pool: &mut Pool, query: &Query, weights: &Weights, last: Stage) {
    score_observed(pool, &observe(pool, query), weights, last);
}

fn score_observed(pool: &mut Pool, observed: &Observation, weights: &Weights, last: Stage) -> Vec<Vec<f32>> {
    let stages = weights.probabilities(observed, last);
    for (at, candidate) in pool.candidates.values_mut().enumerate() {
        candidate.own = stages[0][at];
        candidate.probability = stages[stages.len() - 1][at];
    }
    stages
}

/// What is known of every candidate in the end. The candidates have the linear scorer's likelihoods then.
pub(crate) fn observe_all(
    pool: &mut Pool,
    query: &Query,
    weights: &Weights,
    lexical: &Lexical,
) -> Observation {
    let mut observed = observe(pool, query);
    let stages = score_observed(pool, &observed, weights, Stage::Bridges);
    observed.relevance = relevance(pool, query, lexical, &observed, &stages);
    observed
}

/// The candidates in the order of the final ranking, each with how likely it is evidence; ties by id.
pub(crate) fn ranked(pool: &Pool, observed: &Observation, ranking: &Ranking) -> Vec<(PassageId, f32)> {
    let linear: Vec<f32> = pool.candidates.values().map(|candidate| candidate.probability).collect();
    let probabilities = ranking.probabilities(&linear, &observed.relevance, observed.is_dense);
    let mut ranked: Vec<_> = pool.candidates.keys().copied().zip(probabilities).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}
