//! `quiver-eval compare`: BM25, hybrid and graph over many sets in one run.
//!
//! The table shows whether the graph ranking is worse than plain search on any set: P@1, Recall@2, Recall@5
//! and nDCG@10 of every method on every set, and the difference to the better of BM25 and hybrid.

use std::{fmt, sync::Arc};

use anyhow::{Context, Result};
use clap::Args;
use quiver::models::EncoderSetting;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::{
    arms::{Method, find},
    dataset::Dataset,
    index::{Index, IndexOptions},
    metric::{ndcg, precision_at_1, recall},
    print::percent,
    run::DEPTH,
    store::StoreSetting,
    train::sets::SetSetting,
};

/// The plain methods, the better of which is the baseline.
const PLAIN: [Method; 2] = [Method::Bm25, Method::Hybrid];
/// The names of the measures, in order.
const MEASURES: [&str; 4] = ["P@1", "R@2", "R@5", "nDCG@10"];
/// Maximum distance below the baseline that does not count as worse.
const TOLERANCE: f64 = 0.005;

/// Options of `quiver-eval compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareOptions {
    /// A set: its name, its questions, its passages; repeat for each set
    #[arg(long = "set", required = true, value_name = "NAME=QUESTIONS,CORPUS")]
    pub sets: Vec<SetSetting>,
    /// The embedder: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// The methods to compare with BM25 and hybrid
    #[arg(long, value_delimiter = ',', default_values_t = [Method::Graph], value_name = "METHOD,..")]
    pub method: Vec<Method>,
    /// Asks only the first questions of each set
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Removes all titles from the corpora first
    #[arg(long)]
    pub without_titles: bool,
    /// A file to write the table to as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<std::path::PathBuf>,
}

/// The results of every method on every set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The sets, in the order given.
    pub sets: Vec<ComparedSet>,
}

/// The results of every method on a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedSet {
    /// The set.
    pub name: String,
    /// Number of questions judged.
    pub questions: usize,
    /// Number of passages in the corpus.
    pub passages: usize,
    /// Each method with its measures: P@1, Recall@2, Recall@5, nDCG@10.
    pub methods: Vec<(String, [f64; 4])>,
}

/// Indexes the sets and asks their questions, several sets concurrently.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, or if the embedder or the engine fails.
pub async fn compare(options: &CompareOptions) -> Result<Comparison> {
    let mut jobs = JoinSet::new();
    let options = Arc::new(options.clone());
    for (number, set) in options.sets.iter().cloned().enumerate() {
        let options = Arc::clone(&options);
        jobs.spawn(async move {
            let name = set.name.clone();
            let compared = compare_set(&set, &options).await.with_context(|| name)?;
            anyhow::Ok((number, compared))
        });
    }
    let mut sets = Vec::new();
    while let Some(done) = jobs.join_next().await {
        sets.push(done??);
    }
    sets.sort_by_key(|(number, _)| *number);
    Ok(Comparison { sets: sets.into_iter().map(|(_, set)| set).collect() })
}

async fn compare_set(set: &SetSetting, options: &CompareOptions) -> Result<ComparedSet> {
    let dataset = Dataset::read(&set.questions, &set.corpus, options.limit)?;
    let index_options = IndexOptions {
        embedder: options.embedder.clone(),
        store: StoreSetting::Memory,
        with_titles: !options.without_titles,
    };
    let index = Index::build(&dataset.corpus, &index_options, &|_, _| {}).await?;
    let judged: Vec<_> = dataset.questions.iter().filter(|item| !item.gold.is_empty()).collect();
    let mut methods = Vec::new();
    for method in PLAIN.into_iter().chain(options.method.iter().copied()) {
        let mut sums = [0.0; 4];
        for item in &judged {
            let found = find(&index, &dataset.corpus, method, &item.question, DEPTH).await?.keys;
            let values = [
                precision_at_1(&item.gold, &found),
                recall(&item.gold, &found, 2).unwrap_or_default(),
                recall(&item.gold, &found, 5).unwrap_or_default(),
                ndcg(&item.gold, &found, 10),
            ];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
        methods.push((method.name().to_owned(), sums.map(|sum| sum / judged.len().max(1) as f64)));
    }
    let passages = dataset.corpus.passages.len();
    Ok(ComparedSet { name: set.name.clone(), questions: judged.len(), passages, methods })
}

impl ComparedSet {
    /// Returns the better of BM25 and hybrid, for each measure.
    pub fn floor(&self) -> [f64; 4] {
        let plain = self.methods.iter().take(PLAIN.len());
        plain.fold([0.0; 4], |best, (_, values)| std::array::from_fn(|at| best[at].max(values[at])))
    }

    /// Returns the methods other than plain search.
    fn others(&self) -> &[(String, [f64; 4])] {
        &self.methods[PLAIN.len()..]
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.sets.first() else { return Ok(()) };
        write!(f, "| set | questions | passages |")?;
        first.methods.iter().try_for_each(|(method, _)| write!(f, " {method} |"))?;
        writeln!(f, "\n| --- | --- | --- |{}", " --- |".repeat(first.methods.len()))?;
        let line = |values: &[f64; 4]| values.map(percent).join(" / ");
        for set in &self.sets {
            write!(f, "| {} | {} | {} |", set.name, set.questions, set.passages)?;
            set.methods.iter().try_for_each(|(_, values)| write!(f, " {} |", line(values)))?;
            writeln!(f)?;
        }
        write!(f, "| mean | | |")?;
        let count = self.sets.len() as f64;
        for at in 0..first.methods.len() {
            let mut mean = [0.0; 4];
            for set in &self.sets {
                mean.iter_mut().zip(set.methods[at].1).for_each(|(mean, value)| *mean += value / count);
            }
            write!(f, " {} |", line(&mean))?;
        }
        writeln!(f, "\n\n{}, in percent.", MEASURES.join(" / "))?;
        for at in 0..first.others().len() {
            let name = &first.others()[at].0;
            let mut worse = Vec::new();
            for set in &self.sets {
                for ((value, floor), measure) in set.others()[at].1.iter().zip(set.floor()).zip(MEASURES) {
                    if value - floor < -TOLERANCE {
                        worse.push(format!("{} {measure} {:.1}", set.name, (value - floor) * 100.0));
                    }
                }
            }
            let worse = if worse.is_empty() { "nowhere".to_owned() } else { worse.join(", ") };
            writeln!(f, "{name} is more than half a point below the better of BM25 and hybrid: {worse}.")?;
        }
        Ok(())
    }
}
