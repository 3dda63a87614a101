//! Fits the scorer stage by stage, each on the probabilities of the previous stage.
//!
//! Within a question, each gold passage competes with all passages that are not gold (list-wise softmax). A
//! smaller point-wise logistic loss makes probabilities comparable across questions. Weights are non-negative
//! and L2-regularised. Every set under every condition counts the same, regardless of its number of
//! questions.

use quiver::score::{
    FEATURES, FEATURES_COUNT, Features, Observation, ScoringPass, StageWeights, features, settle,
};

use super::bounded::minimise;

/// The stages, in order.
pub const STAGES: [ScoringPass; 3] = [ScoringPass::Seeds, ScoringPass::Hops, ScoringPass::Bridges];
/// Initial bias: the log odds of a passage without features.
const BIAS_START: f64 = -4.0;
/// Weights are rounded to multiples of 1 / `DIGITS`.
const DIGITS: f64 = 1e4;

/// The weights of all stages.
pub type Stages = [StageWeights; 3];

/// Features that a fit leaves out.
pub type Without = [bool; FEATURES_COUNT];

/// An observed question with its gold.
#[derive(Clone, Debug)]
pub struct Example {
    /// The set under a condition; all groups count the same.
    pub group: usize,
    /// The set.
    pub set: usize,
    /// The index of the question in its set.
    pub question: usize,
    /// The fold in which it is evaluated, the same under all conditions.
    pub fold: usize,
    /// The features of the candidates.
    pub observation: Observation,
    /// The candidates that match each gold passage; empty if none was reached.
    pub gold: Vec<Vec<usize>>,
}

/// Options of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Weight of L2 regularisation. Default 0.0002.
    pub squares: f64,
    /// Weight of the point-wise loss relative to the list-wise one. Default 0.3.
    pub point: f64,
    /// Number of candidates per question on which the later stages are fitted: the most probable ones of the
    /// previous stage, plus the gold. Default 100.
    pub candidates_max: usize,
    /// Maximum number of steps per stage. Default 200.
    pub steps_max: usize,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { squares: 2e-4, point: 0.3, candidates_max: 100, steps_max: 200 }
    }
}

impl Example {
    /// Computes the probability of each candidate with these weights.
    pub fn probabilities(&self, stages: &Stages) -> Vec<f32> {
        let mut before: Option<Vec<f32>> = None;
        for (stage, weights) in STAGES.into_iter().zip(stages) {
            before = Some(self.at_stage(before.as_deref(), stage, weights));
        }
        let mut last = before.unwrap_or_default();
        settle(&mut last, &self.observation);
        last
    }

    fn at_stage(&self, before: Option<&[f32]>, stage: ScoringPass, weights: &StageWeights) -> Vec<f32> {
        let features = features(&self.observation, before, stage);
        features.iter().map(|features| weights.probability(features)).collect()
    }

    /// Returns the share of the gold among the first documents.
    pub fn recall(&self, probabilities: &[f32], top: usize) -> f64 {
        let documents = &self.observation.documents;
        let mut first: Vec<usize> = Vec::new();
        for candidate in ranked(probabilities) {
            if first.len() == top {
                break;
            }
            if first.iter().all(|&other| documents[other] != documents[candidate]) {
                first.push(candidate);
            }
        }
        let found = self.gold.iter().filter(|gold| gold.iter().any(|candidate| first.contains(candidate)));
        found.count() as f64 / self.gold.len() as f64
    }
}

/// Fits all stages.
pub fn fit(examples: &[&Example], options: &FitOptions) -> Stages {
    let mut before: Vec<Option<Vec<f32>>> = vec![None; examples.len()];
    STAGES.map(|stage| {
        let problem = Problem::new(examples, &before, stage, &[false; FEATURES_COUNT], options);
        let weights = problem.solve(None, options);
        go_on(examples, &mut before, stage, &weights);
        weights
    })
}

/// Fits again without some features, starting from the full fit. A stage stays the same until it or an
/// earlier stage has a non-zero weight for one of these features.
pub fn fit_without(examples: &[&Example], full: &Stages, without: &Without, options: &FitOptions) -> Stages {
    let mut before: Vec<Option<Vec<f32>>> = vec![None; examples.len()];
    let mut is_same = true;
    let mut at = 0;
    STAGES.map(|stage| {
        let known = &full[at];
        at += 1;
        is_same &= known.weights.iter().zip(without).all(|(weight, without)| !without || *weight == 0.0);
        let weights = if is_same {
            known.clone()
        } else {
            Problem::new(examples, &before, stage, without, options).solve(Some(known), options)
        };
        go_on(examples, &mut before, stage, &weights);
        weights
    })
}

fn go_on(examples: &[&Example], before: &mut [Option<Vec<f32>>], stage: ScoringPass, weights: &StageWeights) {
    for (example, before) in examples.iter().zip(before) {
        *before = Some(example.at_stage(before.as_deref(), stage, weights));
    }
}

/// Returns the candidates by descending probability; ties by index, which is the order of their IDs.
fn ranked(probabilities: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
    order
}

/// The fitting problem of a stage: the candidates of all questions as rows of a table.
struct Problem {
    /// The features of the columns.
    columns: Vec<usize>,
    /// The values, row by row.
    values: Vec<f64>,
    /// Whether each row is gold.
    is_gold: Vec<bool>,
    /// The rows of each question, and its weight.
    questions: Vec<(std::ops::Range<usize>, f64)>,
}

impl Problem {
    fn new(
        examples: &[&Example],
        before: &[Option<Vec<f32>>],
        stage: ScoringPass,
        without: &Without,
        options: &FitOptions,
    ) -> Self {
        let mut rows: Vec<Features> = Vec::new();
        let (mut is_gold, mut questions) = (Vec::new(), Vec::new());
        let groups_max = examples.iter().map(|example| example.group + 1).max().unwrap_or_default();
        let mut of_group = vec![0_usize; groups_max];
        examples.iter().for_each(|example| of_group[example.group] += 1);
        let groups = of_group.iter().filter(|count| **count > 0).count();
        for (example, before) in examples.iter().zip(before) {
            let start = rows.len();
            let features = features(&example.observation, before.as_deref(), stage);
            let mut gold = vec![false; features.len()];
            example.gold.iter().flatten().for_each(|&candidate| gold[candidate] = true);
            for candidate in kept(before.as_deref(), &gold, options.candidates_max) {
                rows.push(features[candidate]);
                is_gold.push(gold[candidate]);
            }
            questions.push((start..rows.len(), 1.0 / (of_group[example.group] * groups) as f64));
        }
        let is_seen = |feature: usize| rows.iter().any(|row| row[feature] != 0.0);
        let columns: Vec<usize> = (0..FEATURES_COUNT)
            .filter(|&feature| FEATURES[feature].stage <= stage && !without[feature] && is_seen(feature))
            .collect();
        let values =
            rows.iter().flat_map(|row| columns.iter().map(|&feature| f64::from(row[feature]))).collect();
        Self { columns, values, is_gold, questions }
    }

    /// Minimises the loss.
    fn solve(&self, start: Option<&StageWeights>, options: &FitOptions) -> StageWeights {
        let bias = self.columns.len();
        let mut from = vec![0.0; bias + 1];
        from[bias] = start.map_or(BIAS_START, |start| f64::from(start.bias));
        if let Some(start) = start {
            for (number, &feature) in from.iter_mut().zip(&self.columns) {
                *number = f64::from(start.weights[feature]);
            }
        }
        let mut lower = vec![0.0; bias + 1];
        lower[bias] = f64::NEG_INFINITY;
        let found =
            minimise(&|at, slopes| self.loss(at, slopes, options), &lower, &from, options.steps_max).at;
        #[expect(clippy::cast_possible_truncation, reason = "weights are single precision, of few digits")]
        let round = |number: f64| ((number * DIGITS).round() / DIGITS) as f32;
        let mut weights = vec![0.0; FEATURES_COUNT];
        for (number, &feature) in found.iter().zip(&self.columns) {
            weights[feature] = round(*number);
        }
        StageWeights { bias: round(found[bias]), weights }
    }

    /// Computes the loss and its gradient; the bias is the last variable.
    fn loss(&self, at: &[f64], slopes: &mut [f64], options: &FitOptions) -> f64 {
        let width = self.columns.len();
        let (weights, bias) = (&at[..width], at[width]);
        let mut loss = options.squares / 2.0 * weights.iter().map(|weight| weight * weight).sum::<f64>();
        for (slope, weight) in slopes.iter_mut().zip(weights) {
            *slope = options.squares * weight;
        }
        slopes[width] = 0.0;
        let (mut odds, mut pulls) = (Vec::new(), Vec::new());
        for (range, share) in &self.questions {
            let rows = &self.values[range.start * width..range.end * width];
            let row = |candidate: usize| &rows[candidate * width..(candidate + 1) * width];
            odds.clear();
            odds.extend((0..range.len()).map(|candidate| {
                bias + row(candidate).iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>()
            }));
            loss += share * loss_of(&odds, &self.is_gold[range.clone()], options.point, &mut pulls);
            for (candidate, pull) in pulls.iter().enumerate() {
                let pull = share * pull;
                for (slope, value) in slopes.iter_mut().zip(row(candidate)) {
                    *slope += pull * value;
                }
                slopes[width] += pull;
            }
        }
        loss
    }
}

/// Returns the candidates on which a stage is fitted, in order.
fn kept(before: Option<&[f32]>, gold: &[bool], most: usize) -> Vec<usize> {
    let Some(before) = before else { return (0..gold.len()).collect() };
    let mut is_kept = gold.to_vec();
    ranked(before).into_iter().take(most).for_each(|candidate| is_kept[candidate] = true);
    (0..gold.len()).filter(|&candidate| is_kept[candidate]).collect()
}

/// Computes the loss of a question from the log odds of its candidates, and its gradient.
fn loss_of(odds: &[f64], is_gold: &[bool], point: f64, pulls: &mut Vec<f64>) -> f64 {
    let most = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let power = |odds: f64| (odds - most).exp();
    let others: f64 =
        odds.iter().zip(is_gold).filter(|(_, gold)| !**gold).map(|(odds, _)| power(*odds)).sum();
    let (mut loss, mut of_others) = (0.0, 0.0);
    pulls.clear();
    for (&odds, &gold) in odds.iter().zip(is_gold) {
        let probability = 1.0 / (1.0 + (-odds).exp());
        pulls.push(point * (probability - f64::from(gold)));
        let wrong = if gold { -odds } else { odds };
        loss += point * (wrong.max(0.0) + (-wrong.abs()).exp().ln_1p());
        if gold && others > 0.0 {
            let all = others + power(odds);
            loss += all.ln() - (odds - most);
            of_others += 1.0 / all;
        }
    }
    if others > 0.0 {
        for ((pull, &odds), &gold) in pulls.iter_mut().zip(odds).zip(is_gold) {
            let power = power(odds);
            *pull += if gold { power / (others + power) - 1.0 } else { power * of_others };
        }
    }
    loss
}

#[cfg(test)]
mod tests;
