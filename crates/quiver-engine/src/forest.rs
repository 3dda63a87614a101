//! Boosted trees: a scorer that knows interactions, such as how much the path to a passage counts in a corpus without
//! names.
//!
//! Every tree tests one feature per level, the same at all nodes of the level, so a tree is a few comparisons and a
//! table. `quiver-eval rank` fits the trees and writes `ranking.json`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    feature::{FEATURES, Relevance},
    relevance::{RELEVANCE_FEATURES, ROW_LENGTH},
};

/// A tree with the same test at every node of a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// For each level a feature, and the threshold that its value is compared with.
    pub splits: Vec<(usize, f32)>,
    /// The values of the leaves. The results of the levels are the bits of the index, the first level's being the
    /// highest.
    pub leaves: Vec<f32>,
}

/// The weight of plain search next to the trees. It counts if the graph found nothing that is certainly evidence, so
/// plain search decides the order on kinds of text that the trees have not learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The log odds of a passage about which nothing is known.
    pub bias: f32,
    /// While the gate is closed: added for sharing as much with the question as the best passage by words.
    pub relative: f32,
    /// While the gate is closed: added for being the first by words.
    pub first: f32,
    /// While the gate is closed: added for being the best by words and by meaning.
    pub fused: f32,
    /// However far the gate is open: added for being the first by words and covering the whole question, in proportion
    /// to the square of the share that it covers. Several passages together cover a question of several steps, so if a
    /// single passage covers it, no other needs to come before it.
    pub kept: f32,
    /// The same for the first by plain search, which includes meaning if there is an embedder. A passage that is first
    /// by both gets both.
    pub fused_kept: f32,
    /// Probability of the question's most probable passage at which the gate is half open.
    pub middle: f32,
    /// How steeply it opens there.
    pub slope: f32,
}

/// Trees whose values are added up, and the gate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// The weight of plain search next to the trees.
    pub gate: Gate,
    /// The trees. Without any, the linear scorer replaces them.
    pub trees: Vec<Tree>,
}

impl Gate {
    /// Returns how far the gate is open, from 0 to 1.
    fn open(&self, row: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.slope * (row[PLACES.surest] - self.middle)).exp())
    }

    /// Returns the contribution of plain search to a row.
    fn plain(&self, row: &[f32]) -> f32 {
        self.relative * row[PLACES.relative] + self.first * row[PLACES.first] + self.fused * row[PLACES.fused]
    }

    /// Returns the contribution to a row for being the first by words or by plain search.
    fn kept(&self, row: &[f32]) -> f32 {
        let of = |kept: f32, place: usize| if row[place] >= 1.0 { kept } else { 0.0 };
        (of(self.kept, PLACES.first) + of(self.fused_kept, PLACES.fused_first)) * row[PLACES.cover].powi(2)
    }
}

/// The columns of the gate's features in a row.
#[derive(Clone, Copy, Debug)]
struct Places {
    relative: usize,
    first: usize,
    fused: usize,
    fused_first: usize,
    cover: usize,
    linear: usize,
    surest: usize,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let at = |wanted: &str| {
        Ranking::feature_names().position(|name| name == wanted).expect("the gate's features are listed")
    };
    Places {
        relative: at("lexical_relative"),
        first: at("lexical_rank"),
        fused: at("plain"),
        fused_first: at("plain_rank"),
        cover: at("cover"),
        linear: at("stage_bridges"),
        surest: at("best_stage"),
    }
});

impl Tree {
    /// Returns the tree's contribution to a row of features.
    pub fn value(&self, row: &[f32]) -> f32 {
        let answer =
            |leaf: usize, &(feature, bound): &(usize, f32)| leaf * 2 + usize::from(row[feature] > bound);
        self.leaves[self.splits.iter().fold(0, answer)]
    }

    /// Whether all features are below this number, and every combination of results has a leaf.
    pub fn is_valid(&self, features: usize) -> bool {
        self.splits.iter().all(|(feature, _)| *feature < features)
            && self.leaves.len() == 1 << self.splits.len()
    }
}

impl Forest {
    /// Returns the log odds of a row of features.
    pub fn value(&self, row: &[f32]) -> f32 {
        let (open, plain, kept) = (self.gate.open(row), self.gate.plain(row), self.gate.kept(row));
        if self.trees.is_empty() {
            let likely = row[PLACES.linear].clamp(1e-6, 1.0 - 1e-6);
            // While the gate is closed, plain search alone decides which passage is first.
            return (1.0 - open) * (self.gate.bias + plain) + open * ((likely / (1.0 - likely)).ln() + kept);
        }
        let trees: f32 = self.trees.iter().map(|tree| tree.value(row)).sum();
        self.gate.bias + trees + (1.0 - open) * plain + kept
    }
}

/// The final ranking: trees over all features of each candidate, with their provenance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The version of the file.
    pub version: u32,
    /// The training data and method.
    pub provenance: String,
    /// The names of the features, to be checked against those of this program.
    pub features: Vec<String>,
    /// The trees without an embedder.
    pub lexical: Forest,
    /// The trees with an embedder.
    pub dense: Forest,
}

/// The ranking that ships with the library, learned by `quiver-eval rank`.
static LEARNED: LazyLock<Ranking> = LazyLock::new(|| {
    let ranking: Ranking =
        serde_json::from_str(include_str!("ranking.json")).expect("the ranking file is part of the source");
    assert!(ranking.is_valid(), "the ranking is of other features");
    ranking
});

impl Ranking {
    /// Returns the ranking that ships with the library.
    pub fn learned() -> &'static Self {
        &LEARNED
    }

    /// Returns the names of the features of a row, in order.
    pub fn feature_names() -> impl Iterator<Item = &'static str> {
        FEATURES.iter().map(|feature| feature.name).chain(RELEVANCE_FEATURES.iter().copied())
    }

    /// Whether it has the features of this program.
    pub fn is_valid(&self) -> bool {
        let mut trees = self.lexical.trees.iter().chain(&self.dense.trees);
        self.features.iter().map(String::as_str).eq(Self::feature_names())
            && trees.all(|tree| tree.is_valid(ROW_LENGTH))
    }

    /// Returns the probability that each candidate is evidence. Candidates that the trees do not consider rank after
    /// all others, in the order of the linear scorer.
    pub fn probabilities(&self, linear: &[f32], relevance: &Relevance, is_dense: bool) -> Vec<f32> {
        let forest = if is_dense { &self.dense } else { &self.lexical };
        let considered: Vec<f32> =
            relevance.rows.iter().map(|row| 1.0 / (1.0 + (-forest.value(row)).exp())).collect();
        let least = considered.iter().copied().fold(1.0, f32::min);
        let mut all: Vec<f32> = linear.iter().map(|linear| linear.clamp(0.0, 1.0) * least * 0.5).collect();
        for (&at, probability) in relevance.considered.iter().zip(considered) {
            all[at] = probability;
        }
        all
    }
}

#[cfg(test)]
mod tests;
