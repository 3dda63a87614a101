//! Boosted trees: a scorer that knows interactions, such as how far a way to a passage counts in a corpus without
//! names.
//!
//! Every tree asks one question per level, the same at all nodes of the level, so a tree is a few comparisons and a
//! table. `quiver-eval rank` fits them; the result is the file `ranking.json`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    feature::FEATURES,
    relevance::{RELEVANCE_FEATURES, ROW_LENGTH, Relevance},
};

/// A tree that asks the same question at every node of a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// For each level a feature, and the bound that its value is compared with.
    pub splits: Vec<(usize, f32)>,
    /// What the tree adds, by the answers of the levels as bits, the first level's the highest.
    pub leaves: Vec<f32>,
}

/// Plain search beside the trees. It counts where the graph found nothing that is surely evidence, so it stays the
/// order on ground that the trees know nothing of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The log odds of a passage of which nothing is known.
    pub bias: f32,
    /// What it adds, while the gate is closed, to share as much with the question as the best passage by words.
    pub relative: f32,
    /// What it adds, while the gate is closed, to be the first by words.
    pub first: f32,
    /// What it adds, while the gate is closed, to be the best by words and by meaning.
    pub fused: f32,
    /// What it adds, however far the gate is open, to be the first by words and to say all of the question; less by the
    /// square of the share that it says. A question of several steps is said by several passages together, so one that
    /// is said by a single passage needs none of the others before it.
    pub kept: f32,
    /// The same for the first by plain search, which knows meaning too if there is an embedder. A passage that is first
    /// by both gets both.
    pub fused_kept: f32,
    /// How likely the question's likeliest passage must be for the gate to be half open.
    pub middle: f32,
    /// How steeply it opens there.
    pub slope: f32,
}

/// Trees whose values are added up, with the gate beside them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// How much plain search counts beside the trees.
    pub gate: Gate,
    /// The trees. Without any the linear scorer takes their place.
    pub trees: Vec<Tree>,
}

impl Gate {
    /// How far the gate is open, from 0 to 1.
    fn open(&self, row: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.slope * (row[PLACES.surest] - self.middle)).exp())
    }

    /// What plain search gives a row.
    fn plain(&self, row: &[f32]) -> f32 {
        self.relative * row[PLACES.relative] + self.first * row[PLACES.first] + self.fused * row[PLACES.fused]
    }

    /// What it gives a row to be the first by words or by plain search.
    fn kept(&self, row: &[f32]) -> f32 {
        let of = |kept: f32, place: usize| if row[place] >= 1.0 { kept } else { 0.0 };
        (of(self.kept, PLACES.first) + of(self.fused_kept, PLACES.fused_first)) * row[PLACES.cover].powi(2)
    }
}

/// Where the features of the gate stand in a row.
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
    /// What the tree adds for a row of features.
    pub fn value(&self, row: &[f32]) -> f32 {
        let answer =
            |leaf: usize, &(feature, bound): &(usize, f32)| leaf * 2 + usize::from(row[feature] > bound);
        self.leaves[self.splits.iter().fold(0, answer)]
    }

    /// Whether the features are among so many, and there is a leaf for every answer.
    pub fn is_valid(&self, features: usize) -> bool {
        self.splits.iter().all(|(feature, _)| *feature < features)
            && self.leaves.len() == 1 << self.splits.len()
    }
}

impl Forest {
    /// The log odds that a row of features has.
    pub fn value(&self, row: &[f32]) -> f32 {
        let (open, plain, kept) = (self.gate.open(row), self.gate.plain(row), self.gate.kept(row));
        if self.trees.is_empty() {
            let likely = row[PLACES.linear].clamp(1e-6, 1.0 - 1e-6);
            // While the gate is closed, plain search alone decides who is first.
            return (1.0 - open) * (self.gate.bias + plain) + open * ((likely / (1.0 - likely)).ln() + kept);
        }
        let trees: f32 = self.trees.iter().map(|tree| tree.value(row)).sum();
        self.gate.bias + trees + (1.0 - open) * plain + kept
    }
}

/// The final ranking: trees over what is known of each candidate, with where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The version of this file.
    pub version: u32,
    /// What the trees were learned from and how.
    pub provenance: String,
    /// The names of the features, to be checked against those of this program.
    pub features: Vec<String>,
    /// The trees where passages are known by their words alone.
    pub lexical: Forest,
    /// The trees where an embedder tells how near their meaning is.
    pub dense: Forest,
}

/// The ranking that comes with the library, learned by `quiver-eval rank`.
static LEARNED: LazyLock<Ranking> = LazyLock::new(|| {
    let ranking: Ranking =
        serde_json::from_str(include_str!("ranking.json")).expect("the ranking file is part of the source");
    assert!(ranking.is_valid(), "the ranking is of other features");
    ranking
});

impl Ranking {
    /// The ranking that comes with the library.
    pub fn learned() -> &'static Self {
        &LEARNED
    }

    /// The names of the features of a row, in their order.
    pub fn feature_names() -> impl Iterator<Item = &'static str> {
        FEATURES.iter().map(|feature| feature.name).chain(RELEVANCE_FEATURES.iter().copied())
    }

    /// Whether it is of this program's features.
    pub fn is_valid(&self) -> bool {
        let mut trees = self.lexical.trees.iter().chain(&self.dense.trees);
        self.features.iter().map(String::as_str).eq(Self::feature_names())
            && trees.all(|tree| tree.is_valid(ROW_LENGTH))
    }

    /// How likely each of so many candidates is evidence. Those that the trees do not consider stay behind all others,
    /// in the order of the linear scorer.
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
