//! `quiver-eval pool`: the share of the gold among the candidates, hop by hop.
//!
//! A passage that is not a candidate can't be ranked, so this is an upper bound for any ranking.

use std::fmt;

use anyhow::Result;
use clap::Args;
use quiver::{AskOptions, Profile, score::Weights};

use crate::{
    arms::Method,
    print::percent,
    train::{Progress, cross::by_group, observatory, sets::SetOptions},
};

/// Options of `quiver-eval pool`.
#[derive(Args, Clone, Debug)]
pub struct PoolOptions {
    /// The sets, and how their questions are asked.
    #[command(flatten)]
    pub sets: SetOptions,
}

/// The share of the gold among the candidates, and the number of candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolTable {
    /// The sets under their conditions.
    pub groups: Vec<String>,
    /// The steps. Each has the share of the gold and the mean number of candidates after it, for every group.
    pub steps: Vec<(String, Vec<(f64, f64)>)>,
}

/// Observes every question after the search, after each hop and after the bridges.
///
/// # Errors
/// The same errors as [`crate::train::train`].
pub async fn pool(options: &PoolOptions, progress: &(dyn Fn(Progress) + Send + Sync)) -> Result<PoolTable> {
    let sets = options.sets.read()?;
    let observatory = observatory(&options.sets, &sets, progress).await?;
    let groups = observatory.groups();
    let weights = Weights::learned();
    let full = Method::Graph.options(crate::train::cross::TOP).unwrap_or_default();
    let hops = |hops_max| AskOptions { hops_max, profile: Profile::Fast, ..full.clone() };
    let mut asked = vec![("search".to_owned(), hops(0))];
    asked.extend((1..=full.hops_max).map(|hop| (format!("hop {hop}"), hops(hop))));
    asked.push(("bridges".to_owned(), full.clone()));
    let mut steps = Vec::new();
    for (step, options) in asked {
        let observed = |done, all| progress(Progress::Observed(done, all));
        let examples = observatory.observe_with(weights, &options, &observed).await?;
        let share = |gold: &[Vec<usize>]| {
            gold.iter().filter(|candidates| !candidates.is_empty()).count() as f64 / gold.len().max(1) as f64
        };
        let shares: Vec<f64> = examples.iter().map(|example| share(&example.gold)).collect();
        let sizes: Vec<f64> =
            examples.iter().map(|example| example.observation.documents.len() as f64).collect();
        let shares = by_group(&examples, &shares, groups.len());
        steps.push((step, shares.into_iter().zip(by_group(&examples, &sizes, groups.len())).collect()));
    }
    Ok(PoolTable { groups, steps })
}

impl fmt::Display for PoolTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| gold among the candidates (candidates) |")?;
        self.steps.iter().try_for_each(|(step, _)| write!(f, " {step} |"))?;
        writeln!(f, "\n| --- |{}", " --- |".repeat(self.steps.len()))?;
        for (at, group) in self.groups.iter().enumerate() {
            write!(f, "| {group} |")?;
            for (_, values) in &self.steps {
                let (share, size) = values[at];
                write!(f, " {} ({size:.0}) |", percent(share))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
