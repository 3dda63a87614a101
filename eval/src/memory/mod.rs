//! The memory benchmark: scripted conversations, three architectures, one grader.

pub mod architecture;
pub mod record;
pub mod scaling;
pub mod scenario;

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Result;
use quiver::{
    Location, Quiver,
    graph::Graph,
    memory::{CountTokens, count_tokens},
};

use crate::store::{StoreSetting, open_empty};

use self::{
    architecture::{Answered, Architecture},
    record::{AnswerRecord, ArchitectureRecord, MemoryRecord},
    scenario::{Query, Scenario, ScenarioTurn, read},
};

/// The project's scenarios.
const SCENARIOS: &str = "datasets/memory";

/// The source of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Facts {
    /// The scenario gives them.
    #[default]
    Given,
    /// They are read from the text.
    Extracted,
}

/// What is graded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Graded {
    /// The lines that a recall shows: the facts that answer, and the turns that speak of the question.
    #[default]
    Lines,
    /// The answer alone. A recall that shows lines and gives no answer is silent.
    Answer,
}

/// Options of `quiver-eval memory`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MemoryOptions {
    /// Files with scenarios, or directories of them [default: datasets/memory]
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub scenarios: Vec<PathBuf>,
    /// Whether Quiver is given the facts or reads them from the text
    #[arg(long, value_enum, default_value_t)]
    pub facts: Facts,
    /// Whether Quiver's answer is graded, or all lines that it shows
    #[arg(long, value_enum, default_value_t)]
    pub graded: Graded,
    /// Quiver's store: memory, embedded, embedded:DIR or the address of a server
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub store: StoreSetting,
    /// A tokenizer to count tokens with, instead of the estimate of a quarter of the characters
    #[arg(long, value_name = "FILE")]
    pub tokenizer: Option<PathBuf>,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Runs every architecture on every scenario.
///
/// # Errors
/// Returns an error if a scenario can't be read or the store fails.
pub async fn memory(options: &MemoryOptions) -> Result<MemoryRecord> {
    let default = [PathBuf::from(SCENARIOS)];
    let paths = if options.scenarios.is_empty() { &default[..] } else { &options.scenarios };
    let scenarios = read(paths)?;
    let count = counter(options)?;
    let mut answers: [Vec<AnswerRecord>; 3] = Default::default();
    for (number, scenario) in scenarios.iter().enumerate() {
        let prefix = format!("eval_memory{number}");
        let store = open_empty(&options.store, &prefix, Graph::schema(None)).await?;
        let quiver = Quiver::builder().location(Location::Store(Arc::clone(&store.store))).open().await?;
        let architectures = [
            Architecture::RawHistory(Vec::new()),
            Architecture::Vector(Vec::new()),
            Architecture::Memory {
                quiver: Box::new(quiver),
                session: scenario.name.clone(),
                given: options.facts == Facts::Given,
                graded: options.graded,
                count: options.tokenizer.is_some().then(|| Arc::clone(&count)),
            },
        ];
        for (architecture, answers) in architectures.into_iter().zip(&mut answers) {
            answers.extend(run(architecture, scenario, &count).await?);
        }
    }
    let names = ["raw-history", "vector", "memory"];
    let architectures =
        names.into_iter().zip(answers).map(|(name, answers)| ArchitectureRecord::of(name, answers)).collect();
    Ok(MemoryRecord::of(options, &scenarios, architectures))
}

#[cfg(not(feature = "tokenizer"))]
fn counter(options: &MemoryOptions) -> Result<CountTokens> {
    if options.tokenizer.is_some() {
        anyhow::bail!("--tokenizer: build quiver-eval with the feature `tokenizer`");
    }
    Ok(Arc::new(count_tokens))
}

#[cfg(feature = "tokenizer")]
fn counter(options: &MemoryOptions) -> Result<CountTokens> {
    use anyhow::Context;
    let Some(file) = &options.tokenizer else { return Ok(Arc::new(count_tokens)) };
    let tokenizer = quiver::models::Tokenizer::open(file).with_context(|| file.display().to_string())?;
    Ok(Arc::new(move |text| tokenizer.count(text)))
}

/// Runs an architecture on a scenario. A query is answered from the turns before it and is then added to the history.
async fn run(
    mut architecture: Architecture,
    scenario: &Scenario,
    count: &CountTokens,
) -> Result<Vec<AnswerRecord>> {
    let mut answers = Vec::new();
    for turn in &scenario.turns {
        if let Some(query) = &turn.query {
            let started = Instant::now();
            let answered = architecture.answer(turn, query).await?;
            let latency_ms = started.elapsed().as_secs_f64() * 1000.0;
            answers.push(graded(scenario, turn, query, answered, count, latency_ms));
        }
        architecture.take_in(turn).await?;
    }
    Ok(answers)
}

fn graded(
    scenario: &Scenario,
    turn: &ScenarioTurn,
    query: &Query,
    answered: Answered,
    count: &CountTokens,
    latency_ms: f64,
) -> AnswerRecord {
    // The text that a model would get: the context, and the question with its speaker. Counted the same way
    // for all architectures.
    let prompt = format!("{}\n{} (query): {}", answered.context, turn.speaker, turn.text);
    AnswerRecord {
        scenario: scenario.name.clone(),
        turn: turn.number,
        query_type: query.kind.clone(),
        question: turn.text.clone(),
        ground_truth: query.truths.clone(),
        correct: is_correct(query, &answered),
        tokens: count(&prompt),
        context_tokens: count(&answered.context),
        answer: answered.text,
        latency_ms,
    }
}

/// Whether an answer contains the ground truth, ignoring case, and nothing that it must not contain.
fn is_correct(query: &Query, answered: &Answered) -> bool {
    if query.refusal {
        return answered.refuses;
    }
    let text = answered.text.to_lowercase();
    query.truths.iter().all(|truth| text.contains(truth.trim().to_lowercase().as_str()))
        && !query.not_in_answer.iter().any(|wrong| text.contains(wrong.to_lowercase().as_str()))
        && (!query.asks || answered.asks)
        && !answered.refuses
}
