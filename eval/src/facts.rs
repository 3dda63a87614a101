//! Samples the facts read from turns, for a reader to judge as true, partial, false or junk.

use std::{fmt::Write, fs, path::PathBuf};

use anyhow::{Context, Result};
use quiver::memory::{FactReader, ReadFact, RuleReader, TurnToRead};
use serde::Deserialize;

/// Options of `quiver-eval facts`.
#[derive(Clone, Debug, clap::Args)]
pub struct FactsOptions {
    /// A file of turns, one JSON object per line with `text` and, if known, `speaker` and `time` in milliseconds
    /// since 1970
    #[arg(long, value_name = "FILE")]
    pub turns: PathBuf,
    /// Number of facts to sample
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub sample: usize,
    /// Seed of the sample
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

#[derive(Deserialize)]
struct Line {
    text: String,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    time: Option<i64>,
}

/// Reads the facts from a file of turns and samples some of them into a table with a column for the verdict.
///
/// # Errors
/// Returns an error if the file can't be read or parsed.
pub async fn facts(options: &FactsOptions) -> Result<String> {
    let name = options.turns.display();
    let text = fs::read_to_string(&options.turns).with_context(|| name.to_string())?;
    let mut found: Vec<ReadFact> = Vec::new();
    let mut turns = 0;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).with_context(|| format!("{name}, line {}", at + 1))?;
        let turn = TurnToRead {
            text: &line.text,
            speaker: line.speaker.as_deref(),
            time: line.time.unwrap_or_default(),
            ..TurnToRead::default()
        };
        found.extend(RuleReader.read(&[turn]).await.into_iter().flat_map(|read| read.facts));
        turns += 1;
    }
    let all = found.len();
    let mut table = format!(
        "{all} facts of {turns} turns; {} drawn with seed {}\n\n",
        options.sample.min(all),
        options.seed
    );
    table
        .push_str("| verdict | subject | predicate | object | sentence |\n| --- | --- | --- | --- | --- |\n");
    let mut random = options.seed;
    for drawn in 0..options.sample.min(all) {
        // Knuth's linear congruential generator, so that the sample is the same everywhere.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let left = (all - drawn) as u64;
        let at = drawn + usize::try_from((random >> 33) % left).unwrap_or_default();
        found.swap(drawn, at);
        let ReadFact { subject, predicate, object, sentence, denied, .. } = &found[drawn];
        let denied = if *denied { "not: " } else { "" };
        writeln!(table, "|  | {denied}{subject} | {predicate} | {object} | {sentence} |")?;
    }
    Ok(table)
}
