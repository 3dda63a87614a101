//! `quiver-eval answers --learn`: learns from retrieved evidence which candidate answers a question and how
//! likely it is to be right.
//!
//! Candidates are weighted by a conditional logit: the right ones of a question against all others.
//! Confidence is a logistic regression on the answers chosen with weights from the other folds. Each question
//! is also used once with its evidence minus the passages that contain the answer, to learn when there is no
//! answer. The result is deterministic.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use quiver::{AnswerForm, AnswerWeights, Evidence, Question, Quiver};

use super::{
    AnswersOptions,
    grade::{grade, is_long, says_most, words},
    open,
};

/// Number of folds. The confidence of each question is learned with weights from the other folds.
const FOLDS: usize = 3;
/// Number of gradient descent steps for the candidate weights.
const STEPS: i32 = 90;
/// Number of steps for the confidence weights.
const CONFIDENCE_STEPS: usize = 6;
/// Regularisation of the candidate weights.
const SHRINKAGE: f32 = 0.002;
/// Regularisation of the confidence weights.
const CONFIDENCE_SHRINKAGE: f64 = 0.0002;
/// Approximate number of wrong candidates per question used for learning.
const WRONG_CANDIDATES: usize = 220;
/// Minimum number of words in an answer that is a passage. Such an answer shows which sentences are right but
/// says nothing about values.
const PASSAGE_WORDS: usize = 12;
/// Minimum word-level F1 with the right answer for a candidate to count as right.
const RIGHT_F1: f64 = 0.8;
/// Minimum word-level F1 of a question's best candidate. If none reaches it, the question is not used to
/// learn candidate weights.
const REACHED_F1: f64 = 0.4;
/// Minimum word-level F1 with the right answer for a whole answer to be right.
const ANSWER_F1: f64 = 0.6;
/// Weight of the evidence without the answer, relative to the evidence with it.
const WITHOUT_SHARE: f32 = 0.5;

/// The features of a candidate, by feature number.
type Features = Vec<(u16, f32)>;

/// A question with its evidence.
struct Example {
    set: usize,
    quiver: Quiver,
    answers: Vec<String>,
    evidence: Evidence,
    /// The candidates' features; empty if the question is not used to learn candidate weights.
    candidates: Vec<Features>,
    /// The right candidates.
    right: Vec<usize>,
}

impl Example {
    fn is_right(&self, text: &str, form: AnswerForm) -> bool {
        if self.answers.is_empty() {
            return false;
        }
        // If the sentences that answer are known, a sentence is not right just because it contains a short answer.
        if form == AnswerForm::Sentence && self.answers.iter().any(|answer| is_long(answer)) {
            return says_most(text, &self.answers);
        }
        let grade = grade(text, &self.answers);
        grade.contains || form != AnswerForm::Sentence && grade.f1 >= ANSWER_F1
    }

    /// Whether the only known right answer is yes or no, so that a sentence can't be graded.
    fn is_closed(&self) -> bool {
        !self.answers.is_empty() && self.answers.iter().all(|answer| is_yes_or_no(answer))
    }

    /// Whether the only known right answers are passages, so that a value can't be graded.
    fn is_passage(&self) -> bool {
        !self.answers.is_empty() && self.answers.iter().all(|answer| words(answer).len() >= PASSAGE_WORDS)
    }

    /// Returns the evidence without the passages that contain the answer; `None` if that removes all or none
    /// of it.
    fn without_answer(&self) -> Option<Evidence> {
        let mut evidence = self.evidence.clone();
        evidence.passages.retain(|ranked| {
            let title = ranked.passage.title.as_deref().unwrap_or_default();
            !grade(&format!("{title} {}", ranked.passage.text), &self.answers).contains
        });
        let left = evidence.passages.len();
        (left > 0 && left < self.evidence.passages.len()).then_some(evidence)
    }
}

fn is_yes_or_no(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "yes" | "no")
}

/// A training sample for the confidence.
#[derive(Clone)]
struct Sample {
    signs: Vec<f32>,
    is_right: bool,
    weight: f32,
}

/// Learns the weights for answers.
///
/// # Errors
/// Errors of [`open`] and of the engine, and an error if no question can be learned from.
pub async fn learn(options: &AnswersOptions) -> Result<AnswerWeights> {
    let names = AnswerWeights::feature_names();
    let examples = examples(options).await?;
    if examples.iter().all(|example| example.right.is_empty()) {
        bail!("no question has a candidate that is right, so there is nothing to learn from");
    }
    let choice = |rows: &[&Example]| -> BTreeMap<String, f32> {
        let weights = choice_weights(rows, names.len());
        names
            .iter()
            .cloned()
            .zip(weights.into_iter().map(rounded))
            .filter(|(_, weight)| *weight != 0.0)
            .collect()
    };
    let (mut values, mut sentences) = (Vec::new(), Vec::new());
    let mut counts: BTreeMap<usize, f32> = BTreeMap::new();
    for example in &examples {
        *counts.entry(example.set).or_default() += 1.0;
    }
    for fold in 0..FOLDS {
        let others: Vec<&Example> = in_fold(&examples, |of| of != fold).collect();
        let weights = AnswerWeights {
            version: 1,
            provenance: String::new(),
            choice: choice(&others),
            confidence: BTreeMap::new(),
            sentence: BTreeMap::new(),
            ignored_rules: Vec::new(),
            section: BTreeMap::new(),
        };
        for example in in_fold(&examples, |of| of == fold) {
            let quiver = example.quiver.clone().with_answer_weights(weights.clone());
            // Weight down small sets, without letting large sets dominate.
            let weight = 100.0 / counts[&example.set].max(30.0);
            let without = example.without_answer().map(|evidence| (evidence, WITHOUT_SHARE));
            for (evidence, share) in std::iter::once((example.evidence.clone(), 1.0)).chain(without) {
                for considered in quiver.answer(evidence).await.considered {
                    let samples = match considered.form {
                        AnswerForm::Sentence if example.is_closed() => continue,
                        AnswerForm::Sentence => &mut sentences,
                        AnswerForm::Summary | AnswerForm::Stated | AnswerForm::Derived => continue,
                        _ if example.is_passage() => continue,
                        _ => &mut values,
                    };
                    if considered.objection.is_none() {
                        let is_right = example.is_right(&considered.text, considered.form);
                        samples.push(Sample { signs: considered.signs, is_right, weight: weight * share });
                    }
                }
            }
        }
    }
    let is_in_section = |sample: &&Sample| AnswerWeights::is_in_section(&sample.signs);
    let sections: Vec<Sample> = sentences.iter().filter(is_in_section).cloned().collect();
    let all: Vec<&Example> = examples.iter().collect();
    let provenance = format!(
        "quiver-eval answers --learn, {} questions of {}",
        examples.len(),
        options.names().join(", ")
    );
    Ok(AnswerWeights {
        version: 1,
        provenance,
        choice: choice(&all),
        confidence: confidence_weights(&values),
        sentence: confidence_weights(&sentences),
        ignored_rules: Vec::new(),
        section: confidence_weights(&sections),
    })
}

fn in_fold(examples: &[Example], is: impl Fn(usize) -> bool) -> impl Iterator<Item = &Example> {
    examples.iter().enumerate().filter(move |(place, _)| is(place % FOLDS)).map(|(_, example)| example)
}

async fn examples(options: &AnswersOptions) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    for (set, asked) in open(options).await?.into_iter().enumerate() {
        let ask_options = asked.ask_options(options.top);
        for (_, item) in asked.questions {
            let question = Question::new(&item.question).with_options(ask_options.clone());
            let evidence = asked
                .quiver
                .retrieve(question)
                .await
                .with_context(|| format!("{}: {}", asked.name, item.id))?;
            let mut example = Example {
                set,
                quiver: asked.quiver.clone(),
                answers: item.answers,
                evidence,
                candidates: Vec::new(),
                right: Vec::new(),
            };
            let is_closed = example.answers.iter().any(|answer| is_yes_or_no(answer));
            if !example.answers.is_empty() && !is_closed && !example.is_passage() {
                observe(&mut example);
            }
            examples.push(example);
        }
    }
    Ok(examples)
}

/// Records the candidates and which of them are right.
fn observe(example: &mut Example) {
    let observed = example.quiver.observe_answer(&example.evidence).candidates;
    let near: Vec<f64> =
        observed.iter().map(|candidate| grade(&candidate.text, &example.answers).f1).collect();
    let nearest = near.iter().copied().fold(0.0, f64::max);
    if nearest >= REACHED_F1 {
        let is_right = |near: f64| near >= nearest - 0.01 || near >= RIGHT_F1;
        let every = (observed.len() / WRONG_CANDIDATES).max(1);
        for (at, (candidate, near)) in observed.into_iter().zip(near).enumerate() {
            if is_right(near) {
                example.right.push(example.candidates.len());
            } else if !(at * 7919 + 3).is_multiple_of(every) {
                continue;
            }
            example.candidates.push(candidate.features);
        }
    }
}

fn rounded(weight: f32) -> f32 {
    (weight * 1000.0).round() / 1000.0
}

/// Gradient descent with momentum and a separate step size for each weight.
struct Descent {
    rate: f32,
    weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Descent {
    fn new(length: usize, rate: f32) -> Self {
        let zeros = || vec![0.0; length];
        Self { rate, weights: zeros(), mean: zeros(), square: zeros(), step: 0 }
    }

    fn go(&mut self, slope: &[f32]) {
        self.step += 1;
        let (mean_left, square_left) = (1.0 - 0.9_f32.powi(self.step), 1.0 - 0.999_f32.powi(self.step));
        for (at, slope) in slope.iter().enumerate() {
            self.mean[at] = 0.9 * self.mean[at] + 0.1 * slope;
            self.square[at] = 0.999 * self.square[at] + 0.001 * slope * slope;
            let step = (self.mean[at] / mean_left) / ((self.square[at] / square_left).sqrt() + 1e-8);
            self.weights[at] -= self.rate * step;
        }
    }
}

/// Returns the weights that maximise the likelihood of the right candidates.
fn choice_weights(examples: &[&Example], length: usize) -> Vec<f32> {
    let mut descent = Descent::new(length, 0.08);
    let rows: Vec<_> = examples.iter().filter(|example| !example.right.is_empty()).collect();
    for _ in 0..STEPS {
        let mut slope = vec![0.0; length];
        for row in &rows {
            let score = |features: &Features| -> f32 {
                features.iter().map(|(number, value)| descent.weights[usize::from(*number)] * value).sum()
            };
            let scores: Vec<f32> = row.candidates.iter().map(score).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let raised: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let all: f32 = raised.iter().sum();
            let right: f32 = row.right.iter().map(|at| raised[*at]).sum::<f32>().max(1e-30);
            for (at, features) in row.candidates.iter().enumerate() {
                let wanted = if row.right.binary_search(&at).is_ok() { raised[at] / right } else { 0.0 };
                let excess = raised[at] / all - wanted;
                if excess.abs() >= 1e-6 {
                    features.iter().for_each(|(number, value)| slope[usize::from(*number)] += excess * value);
                }
            }
        }
        let count = rows.len() as f32;
        for (slope, weight) in slope.iter_mut().zip(&descent.weights) {
            *slope = *slope / count + SHRINKAGE * weight;
        }
        descent.go(&slope);
    }
    descent.weights
}

/// Fits the confidence weights by Newton's method.
fn confidence_weights(samples: &[Sample]) -> BTreeMap<String, f32> {
    let names = AnswerWeights::sign_names();
    let count = names.len();
    let all: f64 = samples.iter().map(|sample| f64::from(sample.weight)).sum();
    let mut weights = vec![0.0_f64; count];
    for _ in 0..CONFIDENCE_STEPS {
        let mut slope = vec![0.0; count];
        let mut curve = vec![vec![0.0; count]; count];
        for sample in samples {
            let known = sample.signs.iter().map(|sign| f64::from(*sign)).enumerate();
            let known: Vec<(usize, f64)> = known.filter(|(_, sign)| *sign != 0.0).collect();
            let sum: f64 = known.iter().map(|(at, sign)| sign * weights[*at]).sum();
            let likely = 1.0 / (1.0 + (-sum).exp());
            let weight = f64::from(sample.weight) / all;
            let excess = (likely - f64::from(u8::from(sample.is_right))) * weight;
            let bend = (likely * (1.0 - likely)).max(1e-6) * weight;
            for (at, sign) in &known {
                slope[*at] += excess * sign;
                known.iter().for_each(|(to, other)| curve[*at][*to] += bend * sign * other);
            }
        }
        for (at, name) in names.iter().enumerate() {
            // The bias is not regularised.
            let shrinkage = if *name == "bias" { 1e-6 } else { CONFIDENCE_SHRINKAGE };
            slope[at] += shrinkage * weights[at];
            curve[at][at] += shrinkage;
        }
        let step = solved(curve, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    #[expect(clippy::cast_possible_truncation, reason = "weights are kept to three places")]
    let weights = weights.into_iter().map(|weight| rounded(weight as f32));
    names.iter().map(|name| (*name).to_owned()).zip(weights).filter(|(_, weight)| *weight != 0.0).collect()
}

/// Solves a system of linear equations with a symmetric positive definite matrix.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for at in 0..count {
        let (above, below) = matrix.split_at_mut(at + 1);
        let pivot = &above[at];
        for (row, line) in (at + 1..).zip(below) {
            let share = line[at] / pivot[at];
            if share != 0.0 {
                line[at..].iter_mut().zip(&pivot[at..]).for_each(|(value, by)| *value -= share * by);
                right[row] -= share * right[at];
            }
        }
    }
    for at in (0..count).rev() {
        let known: f64 = (at + 1..count).map(|to| matrix[at][to] * right[to]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_confidence_follows_the_sign_that_tells_right_from_wrong() {
        let names = AnswerWeights::sign_names();
        let at = |name: &str| names.iter().position(|known| *known == name).expect("a sign");
        let sample = |margin: f32, is_right: bool| {
            let mut signs = vec![0.0; names.len()];
            (signs[at("bias")], signs[at("margin")]) = (1.0, margin);
            Sample { signs, is_right, weight: 1.0 }
        };
        let samples = [sample(0.9, true), sample(0.8, true), sample(0.1, false), sample(0.2, false)];
        let weights = confidence_weights(&samples);
        assert!(weights["margin"] > 1.0 && weights["bias"] < 0.0, "{weights:?}");
        assert!(!weights.contains_key("fit"), "a sign that is never seen has no weight: {weights:?}");
        assert_eq!(weights, confidence_weights(&samples), "the same in every run");
    }
}
