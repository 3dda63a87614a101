//! The record of a run of the memory benchmark, and its printed form.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::{Deserialize, Serialize};

use super::{Facts, MemoryOptions, scenario::Scenario};

/// A run of `quiver-eval memory`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Always `quiver-eval memory`.
    pub record: String,
    /// The version of the format.
    pub version: u32,
    /// The source of facts: `given` or `extracted`.
    pub facts: String,
    /// Quiver's store.
    pub store: String,
    /// How tokens were counted.
    pub tokens: String,
    /// The names of the scenarios.
    pub scenarios: Vec<String>,
    /// One entry per architecture.
    pub architectures: Vec<ArchitectureRecord>,
}

/// The results of an architecture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArchitectureRecord {
    /// `raw-history`, `vector` or `memory`.
    pub architecture: String,
    /// Number of queries.
    pub queries: usize,
    /// Number of correct answers.
    pub correct: usize,
    /// Mean number of tokens per query, including the question.
    pub tokens_mean: f64,
    /// The results by type of query.
    pub by_type: BTreeMap<String, Share>,
    /// The results by scenario.
    pub by_scenario: BTreeMap<String, Share>,
    /// Latency of the answers.
    pub latency_ms: Latency,
    /// Every answer.
    pub answers: Vec<AnswerRecord>,
}

/// The share of queries answered correctly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Number of queries.
    pub queries: usize,
    /// Number answered correctly.
    pub correct: usize,
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The mean.
    pub mean: f64,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// The scenario.
    pub scenario: String,
    /// The turn of the query.
    pub turn: u64,
    /// The type of the query.
    pub query_type: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// What the answer must contain.
    pub ground_truth: Vec<String>,
    /// Whether it is correct.
    pub correct: bool,
    /// Tokens of context and question.
    pub tokens: usize,
    /// Tokens of the context alone.
    pub context_tokens: usize,
    /// The latency.
    pub latency_ms: f64,
}

impl Latency {
    /// Summarises latencies in milliseconds.
    pub fn of(mut times: Vec<f64>) -> Self {
        if times.is_empty() {
            return Self::default();
        }
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        Self { p50: at(50), p95: at(95), mean: times.iter().sum::<f64>() / times.len() as f64 }
    }
}

impl ArchitectureRecord {
    /// Summarises answers.
    pub fn of(architecture: &str, answers: Vec<AnswerRecord>) -> Self {
        let mut by_type: BTreeMap<String, Share> = BTreeMap::new();
        let mut by_scenario: BTreeMap<String, Share> = BTreeMap::new();
        for answer in &answers {
            let shares = [
                by_type.entry(answer.query_type.clone()).or_default(),
                by_scenario.entry(answer.scenario.clone()).or_default(),
            ];
            for share in shares {
                share.queries += 1;
                share.correct += usize::from(answer.correct);
            }
        }
        let tokens: usize = answers.iter().map(|answer| answer.tokens).sum();
        Self {
            architecture: architecture.to_owned(),
            queries: answers.len(),
            correct: answers.iter().filter(|answer| answer.correct).count(),
            tokens_mean: tokens as f64 / answers.len().max(1) as f64,
            by_type,
            by_scenario,
            latency_ms: Latency::of(answers.iter().map(|answer| answer.latency_ms).collect()),
            answers,
        }
    }
}

impl MemoryRecord {
    /// Creates the record of a run.
    pub fn of(
        options: &MemoryOptions,
        scenarios: &[Scenario],
        architectures: Vec<ArchitectureRecord>,
    ) -> Self {
        let tokens = match &options.tokenizer {
            Some(file) => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => "characters / 4, at least the words".to_owned(),
        };
        Self {
            record: "quiver-eval memory".to_owned(),
            version: 1,
            facts: match options.facts {
                Facts::Given => "given".to_owned(),
                Facts::Extracted => "extracted".to_owned(),
            },
            store: options.store.to_string(),
            tokens,
            scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
            architectures,
        }
    }

    /// Prints the record: a table, shares, and every answer. Only the lines with latencies differ between runs.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, writer: &mut dyn Write) -> io::Result<()> {
        writeln!(writer, "facts {}, store {}, tokens: {}", self.facts, self.store, self.tokens)?;
        writeln!(writer, "{:<14}{:>9}{:>10}{:>16}", "architecture", "queries", "correct", "tokens a query")?;
        for record in &self.architectures {
            let share = 100.0 * record.correct as f64 / record.queries.max(1) as f64;
            let correct = format!("{share:.1} %");
            writeln!(
                writer,
                "{:<14}{:>9}{correct:>10}{:>16.1}",
                record.architecture, record.queries, record.tokens_mean
            )?;
        }
        for record in &self.architectures {
            writeln!(writer, "\n{}", record.architecture)?;
            for (of, shares) in [("type", &record.by_type), ("scenario", &record.by_scenario)] {
                for (name, share) in shares {
                    writeln!(writer, "  {of} {name}: {} of {}", share.correct, share.queries)?;
                }
            }
            for answer in &record.answers {
                let mark = if answer.correct { "right" } else { "WRONG" };
                let AnswerRecord { scenario, turn, query_type, question, .. } = answer;
                writeln!(
                    writer,
                    "  {mark} {scenario} {turn} ({query_type}, {} tokens): {question}",
                    answer.tokens
                )?;
                writeln!(writer, "        {}", answer.answer.replace('\n', "\n        "))?;
                if !answer.correct {
                    writeln!(writer, "        wanted: {}", answer.ground_truth.join(", "))?;
                }
            }
        }
        writeln!(writer)?;
        for record in &self.architectures {
            let Latency { p50, p95, mean } = record.latency_ms;
            writeln!(
                writer,
                "latency of {}: p50 {p50:.3} ms, p95 {p95:.3} ms, mean {mean:.3} ms",
                record.architecture
            )?;
        }
        Ok(())
    }
}
