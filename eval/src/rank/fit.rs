//! Gradient boosting of oblivious trees, which test one feature per level.
//!
//! Within a question, each gold passage competes with all passages that are not gold (list-wise softmax). A
//! smaller part of the loss makes each passage likely or unlikely on its own (point-wise logistic). By
//! default, every set under every condition counts the same regardless of its number of questions, and so
//! does every question of it regardless of its number of gold passages. Sums are computed in a fixed order,
//! so the result is deterministic.

use std::{collections::BTreeMap, ops::Range};

use quiver::score::{Forest, Gate, ROW_LENGTH, Tree};

use crate::train::model::Example;

/// Maximum number of bins for the values of a feature.
const BINS: usize = 32;
/// Leaf values are rounded to multiples of 1 / `DIGITS`.
const DIGITS: f32 = 1e4;

/// The gate without an embedder: plain search is BM25.
pub const LEXICAL_GATE: Gate = Gate {
    bias: -3.0,
    relative: 5.0,
    first: 1.0,
    fused: 0.0,
    kept: 3.0,
    fused_kept: 0.0,
    middle: 0.75,
    slope: 10.0,
};

/// The gate with an embedder. Plain search is BM25 fused with dense search. The bonus for the first passage is
/// shared between the first by words and the first by plain search.
pub const DENSE_GATE: Gate =
    Gate { relative: 0.0, first: 0.0, fused: 7.0, kept: 2.0, fused_kept: 2.0, ..LEXICAL_GATE };

/// Options for fitting trees.
#[derive(Clone, Debug, PartialEq)]
pub struct FitForest {
    /// The gate of plain search, which is set by hand rather than fitted.
    pub gate: Gate,
    /// Number of trees.
    pub trees: usize,
    /// Number of tests per tree.
    pub depth: usize,
    /// Learning rate.
    pub rate: f32,
    /// Added to the curvature of every leaf to shrink its value.
    pub leaf_cost: f32,
    /// Minimum curvature on both sides of a split for a leaf to count towards its gain.
    pub curve_min: f32,
    /// Weight of the point-wise loss relative to the list-wise one.
    pub point: f32,
    /// Which features are used.
    pub is_used: Vec<bool>,
    /// Which features are monotone: a higher value never lowers the score.
    pub is_rising: Vec<bool>,
    /// Weight of the questions of each set; 1 for sets beyond the end.
    pub sets: Vec<f32>,
}

impl Default for FitForest {
    fn default() -> Self {
        Self {
            gate: LEXICAL_GATE,
            trees: 120,
            depth: 4,
            rate: 0.17,
            leaf_cost: 5.0,
            curve_min: 3.0,
            point: 0.2,
            is_used: vec![true; ROW_LENGTH],
            is_rising: vec![false; ROW_LENGTH],
            sets: Vec::new(),
        }
    }
}

/// Fits trees to the considered candidates of these questions.
pub fn fit(examples: &[&Example], options: &FitForest) -> Forest {
    let problem = Problem::new(examples, &options.sets);
    let rows = problem.is_gold.len();
    let mut odds = vec![options.gate.bias; rows];
    let mut pulls = vec![[0.0; 2]; rows];
    let mut trees = Vec::new();
    for _ in 0..options.trees {
        for (range, share) in &problem.questions {
            let (odds, is_gold) = (&odds[range.clone()], &problem.is_gold[range.clone()]);
            pull(odds, is_gold, *share, options.point, &mut pulls[range.clone()]);
        }
        let (tree, leaves) = problem.tree(&pulls, options);
        for (odds, leaf) in odds.iter_mut().zip(leaves) {
            *odds += tree.leaves[usize::from(leaf)];
        }
        trees.push(tree);
    }
    Forest { gate: options.gate, trees }
}

/// Computes the gradient and the curvature of a question's loss at each candidate's log odds.
fn pull(odds: &[f32], is_gold: &[bool], share: f32, point: f32, pulls: &mut [[f32; 2]]) {
    let most = odds.iter().copied().fold(f32::MIN, f32::max);
    let power = |odds: f32| (odds - most).exp();
    let others: f32 =
        odds.iter().zip(is_gold).filter(|(_, gold)| !**gold).map(|(odds, _)| power(*odds)).sum();
    let (mut of_others, mut of_squares) = (0.0, 0.0);
    for (odds, _) in odds.iter().zip(is_gold).filter(|(_, gold)| **gold) {
        let all = others + power(*odds);
        of_others += 1.0 / all;
        of_squares += 1.0 / (all * all);
    }
    for ((pull, &odds), &gold) in pulls.iter_mut().zip(odds).zip(is_gold) {
        let likely = 1.0 / (1.0 + (-odds).exp());
        let power = power(odds);
        let mut slope = point * (likely - f32::from(u8::from(gold)));
        let mut curve = point * likely * (1.0 - likely);
        if others > 0.0 && gold {
            let part = power / (others + power);
            slope += part - 1.0;
            curve += part * (1.0 - part);
        } else if others > 0.0 {
            slope += power * of_others;
            curve += (power * of_others - power * power * of_squares).max(0.0);
        }
        *pull = [share * slope, share * curve];
    }
}

/// The considered candidates of all questions as rows of a table, with binned values.
struct Problem {
    /// Per feature the bounds between its bins, in ascending order.
    bounds: Vec<Vec<f32>>,
    /// Per feature the bin of each row.
    bins: Vec<Vec<u8>>,
    is_gold: Vec<bool>,
    /// The rows of each question, with its weight.
    questions: Vec<(Range<usize>, f32)>,
}

impl Problem {
    fn new(examples: &[&Example], sets: &[f32]) -> Self {
        let counts = |example: &Example| sets.get(example.set).copied().unwrap_or(1.0);
        let mut of_group: BTreeMap<usize, (f32, f32)> = BTreeMap::new();
        for example in examples {
            let (questions, _) = of_group.get(&example.group).copied().unwrap_or_default();
            of_group.insert(example.group, (questions + 1.0, counts(example)));
        }
        let all: f32 = of_group.values().map(|(_, counts)| counts).sum();
        let mut rows: Vec<&[f32]> = Vec::new();
        let (mut is_gold, mut questions) = (Vec::new(), Vec::new());
        for example in examples {
            let relevance = &example.observation.relevance;
            let start = is_gold.len();
            is_gold.extend(
                relevance.considered.iter().map(|at| example.gold.iter().any(|gold| gold.contains(at))),
            );
            let found = is_gold[start..].iter().filter(|gold| **gold).count();
            if found == 0 {
                is_gold.truncate(start);
                continue;
            }
            rows.extend(relevance.rows.iter().map(Vec::as_slice));
            let (of_group, counts) = of_group[&example.group];
            let share = examples.len() as f32 * counts / (all * of_group);
            questions.push((start..is_gold.len(), share * 2.0 / (found as f32).max(2.0)));
        }
        let columns = |feature: usize| rows.iter().map(|row| row[feature]).collect::<Vec<f32>>();
        let (bounds, bins) = (0..ROW_LENGTH).map(|feature| cut(&columns(feature))).unzip();
        Self { bounds, bins, is_gold, questions }
    }

    /// Fits a tree to gradients and curvatures. Returns it with the leaf of every row.
    fn tree(&self, pulls: &[[f32; 2]], options: &FitForest) -> (Tree, Vec<u8>) {
        let mut leaves = vec![0_u8; pulls.len()];
        let mut splits: Vec<(usize, usize)> = Vec::new();
        while splits.len() < options.depth {
            let Some((feature, bin)) = self.best_split(pulls, &leaves, 1 << splits.len(), options) else {
                break;
            };
            for (leaf, &of_row) in leaves.iter_mut().zip(&self.bins[feature]) {
                *leaf = *leaf * 2 + u8::from(usize::from(of_row) > bin);
            }
            splits.push((feature, bin));
        }
        let mut sums = vec![[0.0_f32; 2]; 1 << splits.len()];
        for (leaf, pull) in leaves.iter().zip(pulls) {
            let sum = &mut sums[usize::from(*leaf)];
            *sum = [sum[0] + pull[0], sum[1] + pull[1]];
        }
        let curve = |sum: &[f32; 2]| sum[1] + options.leaf_cost;
        let mut values: Vec<f32> = sums.iter().map(|sum| -sum[0] / curve(sum) * options.rate).collect();
        let curves: Vec<f32> = sums.iter().map(curve).collect();
        let rising: Vec<bool> = splits.iter().map(|(feature, _)| options.is_rising[*feature]).collect();
        rise(&mut values, &curves, &rising);
        let tree = Tree {
            splits: splits.iter().map(|&(feature, bin)| (feature, self.bounds[feature][bin])).collect(),
            leaves: values.into_iter().map(|value| (value * DIGITS).round() / DIGITS).collect(),
        };
        (tree, leaves)
    }

    /// Returns the split of all leaves with the greatest gain, if there is any gain.
    fn best_split(
        &self,
        pulls: &[[f32; 2]],
        leaves: &[u8],
        count: usize,
        options: &FitForest,
    ) -> Option<(usize, usize)> {
        const STRIDE: usize = BINS + 1;
        let mut best = (0.0, None);
        let mut histogram = vec![[0.0_f32; 2]; count * STRIDE];
        let add = |a: [f32; 2], b: [f32; 2]| [a[0] + b[0], a[1] + b[1]];
        for feature in (0..ROW_LENGTH).filter(|&feature| options.is_used[feature]) {
            let bounds = self.bounds[feature].len();
            if bounds == 0 {
                continue;
            }
            histogram.fill([0.0; 2]);
            for ((&bin, &leaf), &pull) in self.bins[feature].iter().zip(leaves).zip(pulls) {
                let cell = &mut histogram[usize::from(leaf) * STRIDE + usize::from(bin)];
                *cell = add(*cell, pull);
            }
            let cells = |leaf: usize| &histogram[leaf * STRIDE..(leaf + 1) * STRIDE];
            let all: Vec<[f32; 2]> = (0..count)
                .map(|leaf| cells(leaf).iter().fold([0.0; 2], |sum, cell| add(sum, *cell)))
                .collect();
            let mut left = vec![[0.0_f32; 2]; count];
            for bin in 0..bounds {
                for (leaf, left) in left.iter_mut().enumerate() {
                    *left = add(*left, cells(leaf)[bin]);
                }
                let gain = gain(&left, &all, options.is_rising[feature], options);
                if gain.is_some_and(|gain| gain > best.0) {
                    best = (gain.unwrap_or_default(), Some((feature, bin)));
                }
            }
        }
        best.1
    }
}

/// Returns the gain of a split over all leaves; `None` if it would violate the monotonicity of a feature.
fn gain(left: &[[f32; 2]], all: &[[f32; 2]], is_rising: bool, options: &FitForest) -> Option<f32> {
    let worth = |[slope, curve]: [f32; 2]| slope * slope / (curve + options.leaf_cost);
    let value = |[slope, curve]: [f32; 2]| -slope / (curve + options.leaf_cost);
    let mut gain = 0.0;
    for (&left, &all) in left.iter().zip(all) {
        let right = [all[0] - left[0], all[1] - left[1]];
        if left[1] < options.curve_min || right[1] < options.curve_min {
            continue;
        }
        if is_rising && value(left) > value(right) {
            return None;
        }
        gain += worth(left) + worth(right) - worth(all);
    }
    Some(gain)
}

/// Makes leaves non-decreasing along the monotone levels by replacing two decreasing values with their mean.
fn rise(values: &mut [f32], weights: &[f32], rising: &[bool]) {
    const PASSES_MAX: usize = 200;
    for _ in 0..PASSES_MAX {
        let mut is_done = true;
        for (level, _) in rising.iter().enumerate().filter(|(_, rising)| **rising) {
            let bit = 1 << (rising.len() - 1 - level);
            for low in (0..values.len()).filter(|leaf| leaf & bit == 0) {
                let high = low | bit;
                if values[low] > values[high] + 1e-6 {
                    let all = weights[low] + weights[high];
                    let mean = (values[low] * weights[low] + values[high] * weights[high]) / all;
                    (values[low], values[high]) = (mean, mean);
                    is_done = false;
                }
            }
        }
        if is_done {
            break;
        }
    }
}

/// Returns the bounds between the bins of a feature, and the bin of every value. Half of the bounds split the
/// rows evenly, half the distinct values, because many features are mostly 0.
fn cut(values: &[f32]) -> (Vec<f32>, Vec<u8>) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    let mut bounds: Vec<f32> = Vec::new();
    for list in [&sorted, &distinct] {
        let parts = BINS / 2;
        for at in (1..parts).map(|part| part * list.len() / parts) {
            if at > 0 && at < list.len() && list[at - 1] < list[at] {
                bounds.push(f32::midpoint(list[at - 1], list[at]));
            }
        }
    }
    bounds.sort_by(f32::total_cmp);
    bounds.dedup();
    let bin = |value: &f32| u8::try_from(bounds.partition_point(|bound| bound < value)).unwrap_or(u8::MAX);
    let bins = values.iter().map(bin).collect();
    (bounds, bins)
}
