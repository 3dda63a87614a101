//! `quiver-eval train`: fits the weights of the built-in ranking to questions with known evidence.
//!
//! Every question is observed under several conditions, because a ranking fitted to one corpus adapts to its
//! size and titles. [`model`] defines the loss, [`bounded`] minimises it, and [`cross`] evaluates on held-out
//! questions and sets. Only the scorer is evaluated; its order is that of `Quiver::retrieve` without a
//! reranker.
//!
//! The candidates depend on the weights with which questions are observed, because the best passages are
//! expanded. The weights are therefore fitted to candidates that other weights reached; `--rounds 2` observes
//! again with the weights of the first round. For the same reason, out-of-fold results are out of fold in
//! their ranking but not fully in their candidates.

pub mod bounded;
pub mod cross;
pub mod file;
pub mod model;
pub mod observe;
pub mod sets;

use std::{fmt, fmt::Write, path::PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use quiver::score::Weights;

use crate::print::percent;
use cross::{by_group, judge};
use model::{Example, FitOptions};
use observe::Observatory;
use sets::{Set, SetOptions};

/// Options of `quiver-eval train`.
#[derive(Args, Clone, Debug)]
pub struct TrainOptions {
    /// The sets, and how their questions are asked and judged.
    #[command(flatten)]
    pub sets: SetOptions,
    /// Number of rounds of observing and fitting; each later round observes with the weights of the one before
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub rounds: usize,
    /// A file to write the weights to
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Progress of `train` or `ablate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Passages indexed, of a total.
    Indexed(usize, usize),
    /// Questions observed, of a total.
    Observed(usize, usize),
    /// Fits made, of a total.
    Fitted(usize, usize),
}

/// The result of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The weights, with their provenance.
    pub weights: Weights,
    /// The evaluation of each round.
    pub rounds: Vec<Table>,
}

/// The recall of each set under each condition, as fractions.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The sets under their conditions.
    pub groups: Vec<String>,
    /// Number of questions in each.
    pub questions: Vec<usize>,
    /// Recall with weights fitted to all questions.
    pub training: Vec<f64>,
    /// Recall with weights fitted to the other folds.
    pub out_of_fold: Vec<f64>,
    /// Recall with weights fitted to the other sets, if there are any.
    pub other_sets: Option<Vec<f64>>,
}

/// Observes, fits and evaluates. Writes no file.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, if the embedder or the engine fails, or if no question
/// has gold.
pub async fn train(options: &TrainOptions, progress: &(dyn Fn(Progress) + Send + Sync)) -> Result<Trained> {
    if options.rounds == 0 {
        bail!("--rounds 0: weights are fitted to what is observed, at least once");
    }
    let sets = options.sets.read()?;
    let from = file::read(options.sets.from.as_deref())?;
    let observatory = observatory(&options.sets, &sets, progress).await?;
    let fitting = FitOptions::default();
    let (mut weights, mut rounds) = (from.clone(), Vec::new());
    for round in 1..=options.rounds {
        let examples = observe(&observatory, &weights, progress).await?;
        let folds = options.sets.folds;
        let (stages, judged) =
            judge(&examples, folds, &fitting, &|done, all| progress(Progress::Fitted(done, all)));
        let groups = observatory.groups();
        let mean = |values: &[f64]| by_group(&examples, values, groups.len());
        let count = |group| examples.iter().filter(|example| example.group == group).count();
        let table = Table {
            questions: (0..groups.len()).map(count).collect(),
            training: mean(&judged.training),
            out_of_fold: mean(&judged.out_of_fold),
            other_sets: judged.other_sets.as_deref().map(mean),
            groups,
        };
        let is_dense = examples.iter().any(|example| example.observation.is_dense);
        let provenance = provenance(options, &sets, &observatory.encoder(), &from, round, &fitting, &table)?;
        weights = file::replace(&from, stages, is_dense, &provenance);
        rounds.push(table);
    }
    Ok(Trained { weights, rounds })
}

pub(crate) async fn observatory<'a>(
    options: &SetOptions,
    sets: &'a [Set],
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Observatory<'a>> {
    let indexed = |done, all| progress(Progress::Indexed(done, all));
    Observatory::build(sets, &options.conditions()?, &options.embedder, options.folds, &indexed).await
}

pub(crate) async fn observe(
    observatory: &Observatory<'_>,
    weights: &Weights,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Vec<Example>> {
    let observed = |done, all| progress(Progress::Observed(done, all));
    let examples = observatory.observe(weights, &observed).await?;
    if examples.is_empty() {
        bail!("no question has gold passages, so there is nothing to learn from");
    }
    Ok(examples)
}

/// Describes the training data and method. Contains no date, so that the same training gives the same text.
fn provenance(
    options: &TrainOptions,
    sets: &[Set],
    encoder: &str,
    from: &Weights,
    round: usize,
    fitting: &FitOptions,
    table: &Table,
) -> Result<String> {
    let mut text = format!("quiver-eval train, encoder {encoder}");
    for set in sets {
        let files: Vec<String> = set.files.iter().map(|(file, digest)| format!("{file} {digest}")).collect();
        let _ = write!(text, "; {}: {} questions", set.name, set.dataset.questions.len());
        let _ = write!(text, " ({}, BLAKE3)", files.join(", "));
    }
    let conditions: Vec<&str> = options.sets.conditions()?.iter().map(|condition| condition.name()).collect();
    let FitOptions { squares, point, candidates_max, .. } = fitting;
    let _ = write!(
        text,
        "; conditions {}; observed with the weights {}, round {round}; loss list-wise + {point} point-wise + \
         {squares}/2 of the squares, no weight negative, later stages on the {candidates_max} likeliest; \
         Recall@{} out of {} folds",
        conditions.join(", "),
        file::digest(from)?,
        cross::TOP,
        options.sets.folds,
    );
    for (group, recall) in table.groups.iter().zip(&table.out_of_fold) {
        let _ = write!(text, ", {group} {}", percent(*recall));
    }
    Ok(text)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.other_sets.is_some();
        write!(f, "{:24} {:>9} {:>9} {:>12}", "Recall@5", "questions", "training", "out of fold")?;
        writeln!(f, "{}", if others { "  fitted to other sets" } else { "" })?;
        for (at, group) in self.groups.iter().enumerate() {
            let (training, out) = (percent(self.training[at]), percent(self.out_of_fold[at]));
            write!(f, "{group:24} {:>9} {training:>9} {out:>12}", self.questions[at])?;
            if let Some(others) = &self.other_sets {
                write!(f, "  {:>20}", percent(others[at]))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
