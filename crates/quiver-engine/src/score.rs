//! Probability that each candidate is evidence: a logistic regression with non-negative weights over its features.
//!
//! Unstable: these functions and types may change in any version. They are public so that weights can be fitted.
//!
//! The scorer has three stages. The first uses each passage alone. The second adds the routes of hops, each weighted
//! by the first stage's belief in the source passage. The third adds the routes of bridges and names, weighted by the
//! second stage's belief. Every scoring runs all stages up to the requested one, so the result does not depend on the
//! order in which candidates came.

use std::sync::LazyLock;

use quiver_graph::PassageId;
use quiver_models::Lexical;
use serde::{Deserialize, Serialize};

use crate::{feature::observe, pool::Pool, question::Query, relevance::relevance};
pub use crate::{
    feature::{
        FEATURES, FEATURES_COUNT, Feature, Features, Observation, Relevance, ScoringPass, Signal, features,
    },
    forest::{Forest, Gate, Ranking, Tree},
    relevance::{RELEVANCE_COUNT, RELEVANCE_FEATURES, ROW_LENGTH},
};

/// Weight of the plain search score if no candidate is probable.
const PLAIN_SHARE: f32 = 0.01;

/// The weights of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageWeights {
    /// The log odds of a passage whose features are all 0.
    pub bias: f32,
    /// The weight of each feature, in the order of [`FEATURES`].
    pub weights: Vec<f32>,
}

/// The scorer's weights and their provenance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// The version of the file format.
    pub version: u32,
    /// The names of the features, checked against [`FEATURES`].
    pub features: Vec<String>,
    /// The training data and method.
    pub provenance: String,
    /// The weights of the three stages without dense scores.
    pub lexical: [StageWeights; 3],
    /// The weights of the three stages with dense scores.
    pub dense: [StageWeights; 3],
}

/// The weights that ship with the library, learned by `quiver-eval train`.
static LEARNED: LazyLock<Weights> = LazyLock::new(|| {
    let weights: Weights =
        serde_json::from_str(include_str!("weights.json")).expect("the weights file is part of the source");
    let names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    assert_eq!(weights.features, names, "the weights are of other features");
    weights
});

impl Weights {
    /// Returns the weights that ship with the library.
    pub fn learned() -> &'static Self {
        &LEARNED
    }

    /// Computes the probability of each candidate at each stage up to `last`.
    pub fn probabilities(&self, observed: &Observation, last: ScoringPass) -> Vec<Vec<f32>> {
        let weights = if observed.is_dense { &self.dense } else { &self.lexical };
        let mut stages: Vec<Vec<f32>> = Vec::new();
        for (stage, weights) in
            [ScoringPass::Seeds, ScoringPass::Hops, ScoringPass::Bridges].into_iter().zip(weights)
        {
            if stage > last {
                break;
            }
            let features = features(observed, stages.last().map(Vec::as_slice), stage);
            stages.push(features.iter().map(|features| weights.probability(features)).collect());
        }
        if let Some(bridges) = stages.get_mut(ScoringPass::Bridges as usize) {
            settle(bridges, observed);
        }
        stages
    }
}

impl StageWeights {
    /// Computes the probability that a passage with these features is evidence.
    pub fn probability(&self, features: &Features) -> f32 {
        let pairs = self.weights.iter().zip(features);
        let sum: f32 = self.bias + pairs.map(|(weight, feature)| weight * feature).sum::<f32>();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Adds a small share of the plain search score to the last stage's probabilities; the share shrinks as the best
/// probability grows. In passages unlike the training data, such as long ones on many topics, routes are unreliable
/// and no candidate gets a high probability.
pub fn settle(probabilities: &mut [f32], observed: &Observation) {
    let unsure = 1.0 - probabilities.iter().copied().fold(0.0, f32::max);
    for (probability, plain) in probabilities.iter_mut().zip(&observed.plain) {
        *probability += PLAIN_SHARE * unsure * plain;
    }
}

/// Scores every candidate of the pool with the features of all stages up to `last`.
pub(crate) fn score(pool: &mut Pool, query: &Query, weights: &Weights, last: ScoringPass) {
    score_observed(pool, &observe(pool, query), weights, last);
}

fn score_observed(
    pool: &mut Pool,
    observed: &Observation,
    weights: &Weights,
    last: ScoringPass,
) -> Vec<Vec<f32>> {
    let stages = weights.probabilities(observed, last);
    for (at, candidate) in pool.candidates.values_mut().enumerate() {
        candidate.own = stages[0][at];
        candidate.probability = stages[stages.len() - 1][at];
    }
    stages
}

/// Computes all features for the final ranking. The candidates then have the linear scorer's probabilities.
pub(crate) fn observe_all(
    pool: &mut Pool,
    query: &Query,
    weights: &Weights,
    lexical: &Lexical,
) -> Observation {
    let mut observed = observe(pool, query);
    let stages = score_observed(pool, &observed, weights, ScoringPass::Bridges);
    observed.relevance = relevance(pool, query, lexical, &observed, &stages);
    observed
}

/// Returns the candidates in the order of the final ranking, each with its probability; ties by ID.
pub(crate) fn ranked(pool: &Pool, observed: &Observation, ranking: &Ranking) -> Vec<(PassageId, f32)> {
    let linear: Vec<f32> = pool.candidates.values().map(|candidate| candidate.probability).collect();
    let probabilities = ranking.probabilities(&linear, &observed.relevance, observed.is_dense);
    let mut ranked: Vec<_> = pool.candidates.keys().copied().zip(probabilities).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}
