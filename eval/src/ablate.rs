//! `quiver-eval ablate`: measures what each feature contributes to the built-in ranking.
//!
//! The weights are fitted again without a feature, or without a group of features, and judged out of fold. The
//! candidates stay those found with all features, so this measures only a feature's effect on their order.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use anyhow::Result;
use clap::Args;
use quiver::score::{FEATURES, FEATURES_COUNT, Feature, ScoringPass};
use serde::{Deserialize, Serialize};

use crate::{
    bootstrap,
    print::percent,
    train::{
        Progress,
        cross::{by_group, judge_without},
        file,
        model::{Example, FitOptions, Without},
        observatory, observe,
        sets::SetOptions,
    },
};

/// The record type.
pub const RECORD: &str = "quiver-eval ablate";

/// Options of `quiver-eval ablate`.
#[derive(Args, Clone, Debug)]
pub struct AblateOptions {
    /// The sets, and how their questions are asked and judged.
    #[command(flatten)]
    pub sets: SetOptions,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// The contribution of each feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// The record type.
    pub record: String,
    /// The version of the format.
    pub version: u32,
    /// The encoder.
    pub encoder: String,
    /// Number of folds.
    pub folds: usize,
    /// The files of each set, each with the first digits of its BLAKE3 digest.
    pub sets: BTreeMap<String, BTreeMap<String, String>>,
    /// Digest of the weights with which the questions were observed.
    pub observed_with: String,
    /// The sets under their conditions, in order.
    pub groups: Vec<String>,
    /// The result with all features.
    pub full: Row,
    /// The results without some features, groups first.
    pub without: Vec<Row>,
}

/// A row of the table; recalls are fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the features left out.
    pub without: String,
    /// The features left out.
    pub features: Vec<String>,
    /// Out-of-fold Recall@5 of each set under each condition.
    pub recall_5: BTreeMap<String, f64>,
    /// Their mean.
    pub mean: f64,
    /// The difference of the mean from that with all features.
    pub change: f64,
    /// The 95 % bootstrap interval of the difference over the questions.
    pub interval: [f64; 2],
}

/// Observes the questions, and fits with and without each feature.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, or if the embedder or the engine fails.
pub async fn ablate(
    options: &AblateOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Ablation> {
    let sets = options.sets.read()?;
    let weights = file::read(options.sets.from.as_deref())?;
    let observatory = observatory(&options.sets, &sets, progress).await?;
    let examples = observe(&observatory, &weights, progress).await?;
    let removed = removed(&examples);
    let masks: Vec<Without> = removed.iter().map(|(_, mask)| *mask).collect();
    let folds = options.sets.folds;
    let recalls = judge_without(&examples, folds, &masks, &FitOptions::default(), &|done, all| {
        progress(Progress::Fitted(done, all));
    });
    let groups = observatory.groups();
    let row = |name: &str, mask: &Without, recalls: &[f64], full: &[f64]| {
        row(name, mask, &examples, &groups, recalls, full)
    };
    let full = &recalls[0];
    let without =
        removed.iter().zip(&recalls[1..]).map(|((name, mask), recalls)| row(name, mask, recalls, full));
    Ok(Ablation {
        record: RECORD.to_owned(),
        version: 1,
        encoder: observatory.encoder(),
        folds,
        sets: sets.iter().map(|set| (set.name.clone(), set.files.iter().cloned().collect())).collect(),
        observed_with: file::digest(&weights)?,
        full: row("nothing", &[false; FEATURES_COUNT], full, full),
        without: without.collect(),
        groups: groups.clone(),
    })
}

/// Returns the feature sets to leave out: first groups of features, then each feature alone. Features that
/// occur in no question are skipped.
fn removed(examples: &[Example]) -> Vec<(String, Without)> {
    let mut seen = [false; FEATURES_COUNT];
    for observation in examples.iter().map(|example| &example.observation) {
        for own in &observation.own {
            seen.iter_mut().zip(own).for_each(|(seen, value)| *seen |= *value != 0.0);
        }
        observation.signals.iter().for_each(|signal| seen[signal.feature] = true);
    }
    let mask = |is_in: &dyn Fn(&Feature) -> bool| -> Without {
        std::array::from_fn(|feature| seen[feature] && is_in(&FEATURES[feature]))
    };
    let begins = |beginnings: &'static [&'static str]| {
        move |feature: &Feature| beginnings.iter().any(|beginning| feature.name.starts_with(beginning))
    };
    let groups: [(&str, Without); 7] = [
        ("*all ways*", mask(&|feature| feature.stage > ScoringPass::Seeds)),
        ("*forward*", mask(&begins(&["forward"]))),
        ("*back, shared*", mask(&begins(&["back", "shared"]))),
        ("*bridges*", mask(&begins(&["bridge"]))),
        ("*carries*", mask(&begins(&["carry"]))),
        ("*names*", mask(&begins(&["linked", "mentions"]))),
        ("*title*", mask(&begins(&["title"]))),
    ];
    let groups = groups.into_iter().map(|(name, mask)| (name.to_owned(), mask));
    let each =
        FEATURES.iter().map(|feature| (feature.name.to_owned(), mask(&|other| other.name == feature.name)));
    groups.chain(each).filter(|(_, mask)| mask.contains(&true)).collect()
}

fn row(
    name: &str,
    mask: &Without,
    examples: &[Example],
    groups: &[String],
    recalls: &[f64],
    full: &[f64],
) -> Row {
    let of_groups = by_group(examples, recalls, groups.len());
    let change = change(examples, groups.len(), recalls, full);
    let features = FEATURES.iter().zip(mask).filter(|(_, without)| **without);
    Row {
        without: name.to_owned(),
        features: features.map(|(feature, _)| feature.name.to_owned()).collect(),
        mean: of_groups.iter().sum::<f64>() / groups.len() as f64,
        recall_5: groups.iter().cloned().zip(of_groups).collect(),
        change: change.mean,
        interval: [change.low, change.high],
    }
}

/// Computes the change of the mean over the groups. A question is resampled together with all its conditions,
/// each weighted by its share in that mean.
fn change(examples: &[Example], groups: usize, recalls: &[f64], full: &[f64]) -> bootstrap::Interval {
    let sizes = by_size(examples, groups);
    let mut of_questions: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for ((example, recall), full) in examples.iter().zip(recalls).zip(full) {
        let share = (recall - full) / (sizes[example.group] * groups) as f64;
        *of_questions.entry((example.set, example.question)).or_default() += share;
    }
    let count = of_questions.len() as f64;
    bootstrap::interval(&of_questions.into_values().map(|share| share * count).collect::<Vec<_>>())
}

fn by_size(examples: &[Example], groups: usize) -> Vec<usize> {
    let mut sizes = vec![0; groups];
    examples.iter().for_each(|example| sizes[example.group] += 1);
    sizes
}

impl fmt::Display for Ablation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = &self.groups;
        write!(f, "| Recall@5 without | mean | change | 95 % |")?;
        groups.iter().try_for_each(|group| write!(f, " {group} |"))?;
        writeln!(f, "\n|{}", " --- |".repeat(4 + groups.len()))?;
        for row in std::iter::once(&self.full).chain(&self.without) {
            let ([low, high], change) = (row.interval.map(signed), signed(row.change));
            write!(f, "| {} | {} | {change} | {low} to {high} |", row.without, percent(row.mean))?;
            let recall = |group: &String| percent(row.recall_5.get(group).copied().unwrap_or_default());
            groups.iter().try_for_each(|group| write!(f, " {} |", recall(group)))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Formats a difference of fractions in percentage points, with a sign unless it rounds to 0.
fn signed(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    if tenths == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", tenths / 10.0) }
}
