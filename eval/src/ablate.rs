//! `quiver-eval ablate`: what each feature of the built-in ranking is worth.
//!
//! The weights are fitted again without a feature, or a group of them, and judged out of fold. What is reached stays
//! what it was with all features, so this tells what a feature does for the order alone.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use anyhow::Result;
use clap::Args;
use quiver::score::{FEATURES, FEATURES_COUNT, Feature, Stage};
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

/// What the record calls itself.
pub const RECORD: &str = "quiver-eval ablate";

/// What an ablation is asked to do.
#[derive(Args, Clone, Debug)]
pub struct AblateOptions {
    /// The sets, and how their questions are asked and judged.
    #[command(flatten)]
    pub sets: SetOptions,
    /// Where the record goes
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// What each feature is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// That it is an ablation.
    pub record: String,
    /// The version of this form.
    pub version: u32,
    /// What texts were encoded with.
    pub encoder: String,
    /// In how many parts the questions were judged.
    pub folds: usize,
    /// The files of each set, each with the first digits of its BLAKE3 digest.
    pub sets: BTreeMap<String, BTreeMap<String, String>>,
    /// What tells the weights that questions were observed with.
    pub observed_with: String,
    /// The sets under their conditions, in their order.
    pub groups: Vec<String>,
    /// With all features.
    pub full: Row,
    /// Without some, the groups first.
    pub without: Vec<Row>,
}

/// A line of the table: recalls as fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is done without.
    pub without: String,
    /// The features that this is.
    pub features: Vec<String>,
    /// Recall@5 out of fold of each set under each condition.
    pub recall_5: BTreeMap<String, f64>,
    /// The mean of these.
    pub mean: f64,
    /// How much more or less that is than with all features.
    pub change: f64,
    /// Between which bounds that lies with 95 % confidence, by resampling the questions.
    pub interval: [f64; 2],
}

/// Observes, and fits with and without.
///
/// # Errors
/// Files that are absent or can't be understood; those of the embedder and the engine.
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

/// What is left out in turn: groups of features, then each by itself, without those that no question has.
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
        ("*all ways*", mask(&|feature| feature.stage > Stage::Seeds)),
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

/// The change of the mean over the groups. A question is resampled with all its conditions, each weighed as its group
/// counts in that mean.
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

/// A difference of shares as a number of hundredths, with its sign where there is one.
fn signed(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    if tenths == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", tenths / 10.0) }
}
