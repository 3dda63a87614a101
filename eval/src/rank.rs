//! `quiver-eval rank`: fits the final ranking to questions with known evidence.
//!
//! The linear scorer of `quiver-eval train` decides which passages to expand; the final ranking orders the
//! candidates. It is fitted to sets of several kinds at once, because it must learn when the graph helps and
//! when plain search is right. Every set is also evaluated with trees fitted to the other sets.

mod fit;

#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, fmt, path::PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use quiver::score::{Forest, Ranking};

pub use fit::{DENSE_GATE, FitForest, LEXICAL_GATE, fit};

use crate::{
    print::percent,
    train::{
        self, Progress,
        cross::{by_group, parallel},
        model::Example,
        sets::{Set, SetOptions},
    },
};

/// The features without a monotonicity constraint: those of the question and the corpus, which all candidates
/// share, and the length of a passage. For all others, a higher value never lowers the score.
const FREE: [&str; 16] = [
    "length",
    "question_terms",
    "question_named",
    "question_about",
    "question_unknown",
    "best_cover",
    "best_share",
    "second_best",
    "best_sentence_of_all",
    "corpus_titled",
    "corpus_title_names",
    "corpus_subjects",
    "corpus_length",
    "corpus_routes",
    "best_stage",
    "dense_rank",
];

/// What a fit of the final ranking is asked to do.
#[derive(Args, Clone, Debug)]
pub struct RankOptions {
    /// The sets, and how their questions are asked and judged.
    #[command(flatten)]
    pub sets: SetOptions,
    /// Number of trees
    #[arg(long, default_value_t = FitForest::default().trees, value_name = "N")]
    pub trees: usize,
    /// Number of tests per tree
    #[arg(long, default_value_t = FitForest::default().depth, value_name = "N")]
    pub depth: usize,
    /// Leaves out these features, given as names or prefixes of names. The rank by plain search belongs to the gate.
    /// With few sets, leave out the features of the corpus (`corpus_`) too
    #[arg(long, value_delimiter = ',', default_value = "plain_rank", value_name = "FEATURE,..")]
    pub without: Vec<String>,
    /// The weights of sets; 1 unless given
    #[arg(long, value_delimiter = ',', value_parser = weight, value_name = "NAME=FACTOR,..")]
    pub weigh: Vec<(String, f32)>,
    /// Fits only, and evaluates nothing
    #[arg(long)]
    pub without_judging: bool,
    /// A file to write the ranking to
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The ranking, with its provenance.
    pub ranking: Ranking,
    /// Its evaluation.
    pub table: Table,
}

/// The measures of each set under each condition: P@1, Recall@2, Recall@5, nDCG@10.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The sets under their conditions, with their numbers of questions.
    pub groups: Vec<(String, usize)>,
    /// The evaluation of each order: plain search, the linear scorer, trees fitted to all sets, and trees fitted to the
    /// other sets.
    pub orders: Vec<(&'static str, Vec<[f64; 4]>)>,
}

/// Observes, fits and evaluates. Writes no file.
///
/// # Errors
/// Returns the same errors as [`train::train`].
pub async fn rank(options: &RankOptions, progress: &(dyn Fn(Progress) + Send + Sync)) -> Result<Ranked> {
    let sets = options.sets.read()?;
    let weights = train::file::read(options.sets.from.as_deref())?;
    let observatory = train::observatory(&options.sets, &sets, progress).await?;
    let examples = train::observe(&observatory, &weights, progress).await?;
    let names: Vec<&str> = Ranking::feature_names().collect();
    let is_dense = examples.iter().any(|example| example.observation.is_dense);
    let fitting = FitForest {
        gate: if is_dense { DENSE_GATE } else { LEXICAL_GATE },
        trees: options.trees,
        depth: options.depth,
        is_used: names
            .iter()
            .map(|name| !options.without.iter().any(|without| name.starts_with(without)))
            .collect(),
        is_rising: names.iter().map(|name| !FREE.contains(name)).collect(),
        sets: weights_of(&sets, &options.weigh)?,
        ..FitForest::default()
    };
    let judged: BTreeSet<usize> = examples.iter().map(|example| example.set).collect();
    let others = if options.without_judging || judged.len() < 2 { 0 } else { judged.len() };
    let left_out: Vec<usize> = judged.into_iter().take(others).collect();
    let done = |done, all| progress(Progress::Fitted(done, all));
    let forests = parallel(1 + others, &done, &|job| {
        let is_in = |example: &&Example| job == 0 || example.set != left_out[job - 1];
        fit(&examples.iter().filter(is_in).collect::<Vec<_>>(), &fitting)
    });
    let groups = observatory.groups();
    let table = table(&examples, &groups, &forests, &left_out);
    let mut ranking = Ranking {
        features: names.iter().map(|&name| name.to_owned()).collect(),
        ..Ranking::learned().clone()
    };
    let forest = forests.into_iter().next().unwrap_or_default();
    *(if is_dense { &mut ranking.dense } else { &mut ranking.lexical }) = forest;
    let files: Vec<String> =
        sets.iter().map(|set| format!("{} ({})", set.name, train::sets::digests(set))).collect();
    let (mine, other) = if is_dense { ("dense: ", "lexical: ") } else { ("lexical: ", "dense: ") };
    let known = ranking.provenance.lines().find(|line| line.starts_with(other)).map(str::to_owned);
    let conditions: Vec<&str> =
        options.sets.conditions()?.into_iter().map(train::sets::Condition::name).collect();
    let weighed = weighed(&options.weigh);
    let line = format!(
        "{mine}`quiver-eval rank`, {} trees of depth {}, {} questions, {}; {weighed}{}; {}",
        fitting.trees,
        fitting.depth,
        examples.len(),
        conditions.join(", "),
        files.join(", "),
        observatory.encoder(),
    );
    let mut lines: Vec<String> = known.into_iter().chain([line]).collect();
    lines.sort_by_key(|line| line.starts_with("dense: "));
    ranking.provenance = lines.join("\n");
    Ok(Ranked { ranking, table })
}

/// Parses `NAME=FACTOR`.
fn weight(setting: &str) -> Result<(String, f32)> {
    let parts = setting.split_once('=').and_then(|(name, factor)| Some((name, factor.parse().ok()?)));
    match parts {
        Some((name, factor)) if factor > 0.0 && f32::is_finite(factor) => Ok((name.to_owned(), factor)),
        _ => bail!("how much a set counts is NAME=FACTOR with a factor above 0, not {setting:?}"),
    }
}

/// Describes the weights of sets, those of one weight together.
fn weighed(given: &[(String, f32)]) -> String {
    let mut of_factor: Vec<(f32, Vec<&str>)> = Vec::new();
    for (name, factor) in given {
        match of_factor.iter_mut().find(|(known, _)| known.total_cmp(factor).is_eq()) {
            Some((_, names)) => names.push(name),
            None => of_factor.push((*factor, vec![name])),
        }
    }
    of_factor.iter().map(|(factor, names)| format!("weight {factor}: {}; ", names.join(", "))).collect()
}

/// Returns the weight of each set.
fn weights_of(sets: &[Set], given: &[(String, f32)]) -> Result<Vec<f32>> {
    if let Some((unknown, _)) = given.iter().find(|(name, _)| sets.iter().all(|set| set.name != *name)) {
        bail!("--weigh {unknown}: no set has this name");
    }
    let of = |set: &Set| given.iter().find(|(name, _)| *name == set.name).map_or(1.0, |(_, factor)| *factor);
    Ok(sets.iter().map(of).collect())
}

fn table(examples: &[Example], groups: &[String], forests: &[Forest], left_out: &[usize]) -> Table {
    let plain_at = Ranking::feature_names().position(|name| name == "lexical_relative").unwrap_or_default();
    let fused_at = Ranking::feature_names().position(|name| name == "plain").unwrap_or_default();
    let linear_at = Ranking::feature_names().position(|name| name == "stage_bridges").unwrap_or_default();
    let by = |score: &dyn Fn(&Example, &[f32]) -> f32| {
        let values: Vec<[f64; 4]> =
            examples.iter().map(|example| measure(example, &|row| score(example, row))).collect();
        let of = |at: usize| {
            by_group(examples, &values.iter().map(|values| values[at]).collect::<Vec<_>>(), groups.len())
        };
        let columns = [of(0), of(1), of(2), of(3)];
        (0..groups.len()).map(|group| std::array::from_fn(|at| columns[at][group])).collect::<Vec<[f64; 4]>>()
    };
    let mut orders = vec![
        ("bm25", by(&|_, row| row[plain_at])),
        ("plain search", by(&|_, row| row[fused_at])),
        ("linear", by(&|_, row| row[linear_at])),
        ("trees", by(&|_, row| forests[0].value(row))),
    ];
    if !left_out.is_empty() {
        let forest = |set: usize| {
            left_out.iter().position(|&out| out == set).map_or(&forests[0], |at| &forests[at + 1])
        };
        orders.push(("trees of other sets", by(&|example, row| forest(example.set).value(row))));
    }
    let count = |group| examples.iter().filter(|example| example.group == group).count();
    let groups = groups.iter().enumerate().map(|(group, name)| (name.clone(), count(group))).collect();
    Table { groups, orders }
}

/// Returns P@1, Recall@2, Recall@5 and nDCG@10 of an order of the considered candidates. Each document counts
/// once.
fn measure(example: &Example, score: &dyn Fn(&[f32]) -> f32) -> [f64; 4] {
    let relevance = &example.observation.relevance;
    let scores: Vec<f32> = relevance.rows.iter().map(|row| score(row)).collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let documents = &example.observation.documents;
    let mut first: Vec<usize> = Vec::new();
    for candidate in order.into_iter().map(|at| relevance.considered[at]) {
        if first.len() < 10 && first.iter().all(|&other| documents[other] != documents[candidate]) {
            first.push(candidate);
        }
    }
    let gold = &example.gold;
    let is_gold = |candidate: &usize| gold.iter().any(|gold| gold.contains(candidate));
    let found = |top: usize| {
        let first = &first[..top.min(first.len())];
        gold.iter().filter(|gold| gold.iter().any(|candidate| first.contains(candidate))).count() as f64
            / gold.len() as f64
    };
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gained: f64 = first
        .iter()
        .enumerate()
        .filter(|(_, candidate)| is_gold(candidate))
        .map(|(rank, _)| discount(rank))
        .sum();
    let ideal: f64 = (0..gold.len().min(10)).map(discount).sum();
    let one = f64::from(u8::from(first.first().is_some_and(is_gold)));
    [one, found(2), found(5), (gained / ideal).min(1.0)]
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| P@1 / R@2 / R@5 / nDCG@10 | n |")?;
        self.orders.iter().try_for_each(|(name, _)| write!(f, " {name} |"))?;
        writeln!(f, "\n| --- | --- |{}", " --- |".repeat(self.orders.len()))?;
        let line = |values: &[f64; 4]| values.map(percent).join(" / ");
        for (group, (name, count)) in self.groups.iter().enumerate() {
            write!(f, "| {name} | {count} |")?;
            self.orders.iter().try_for_each(|(_, values)| write!(f, " {} |", line(&values[group])))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Formats the file with one line per tree, so that changes are easy to read.
///
/// # Errors
/// Never fails in practice, because it only writes names and finite numbers.
pub fn text(ranking: &Ranking) -> Result<String> {
    let forest = |forest: &Forest| -> Result<String> {
        let trees: Vec<String> = forest.trees.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let trees = if trees.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", trees.join(",\n")) };
        Ok(format!("{{\"gate\": {}, \"trees\": {trees}}}", serde_json::to_string(&forest.gate)?))
    };
    Ok(format!(
        "{{\"version\": {},\n\"provenance\": {},\n\"features\": {},\n\"lexical\": {},\n\"dense\": {}}}\n",
        ranking.version,
        serde_json::to_string(&ranking.provenance)?,
        serde_json::to_string(&ranking.features)?,
        forest(&ranking.lexical)?,
        forest(&ranking.dense)?,
    ))
}
