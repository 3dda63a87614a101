//! Measures how cost grows with the length of a conversation: tokens and latency of a question after
//! increasing amounts of filler.

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Result;
use quiver::{
    Location, Quiver,
    graph::Graph,
    memory::{Fact, Turn, count_tokens},
};
use serde::{Deserialize, Serialize};

use crate::store::{StoreSetting, open_empty};

use super::{
    architecture::{Architecture, moment},
    record::Latency,
    scenario::{Query, ScenarioTurn},
};

/// Numbers of filler turns after which all architectures are asked.
const LENGTHS: &[u64] = &[10, 50, 100, 200, 400, 800];
/// Numbers of filler turns after which only Quiver is asked.
const LONG: &[u64] = &[1_000, 10_000, 100_000];
/// Number of repetitions for measuring latency.
const REPEATS: usize = 200;
/// Number of turns remembered at once.
const BATCH: usize = 512;

/// The questions asked after the facts below and the filler: about a named thing, about two facts that must
/// be joined, about a thing that is described rather than named, and about something never mentioned. Each
/// has the text that the answer must contain.
const QUESTIONS: &[(&str, &str, Option<&str>)] = &[
    ("direct", "In which harbour is the Petrel moored?", Some("Skagen")),
    ("join", "Who is the master of the harbour in which the Petrel is moored?", Some("Odile Brandt")),
    ("described", "Which boat has a torn sail?", Some("Petrel")),
    ("unanswerable", "Which airline flies to Oslo?", None),
];
/// The facts, with the sentences that state them.
const FACTS: &[(&str, &str, &str, &str)] = &[
    ("The Petrel is moored at Skagen harbour.", "Petrel", "is moored at", "Skagen harbour"),
    ("Skagen harbour has a master, Odile Brandt.", "Skagen harbour", "has master", "Odile Brandt"),
    ("The Petrel has a torn sail.", "Petrel", "has", "torn sail"),
];
const FILLER: &[&str] = &[
    "Nothing new from my side.",
    "The tide tables are on the wall.",
    "I'll ring back in the afternoon.",
    "Somebody has taken the good torch.",
    "All quiet, the kettle is on.",
];

/// Options of `quiver-eval scaling`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ScalingOptions {
    /// Quiver's store: memory, embedded, embedded:DIR or the address of a server
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub store: StoreSetting,
    /// Maximum number of turns
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    pub turns_max: u64,
    /// Makes every filler turn state a fact
    #[arg(long)]
    pub stating: bool,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// A run of `quiver-eval scaling`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingRecord {
    /// Always `quiver-eval scaling`.
    pub record: String,
    /// The version of the format.
    pub version: u32,
    /// Quiver's store.
    pub store: String,
    /// Whether every filler turn stated a fact.
    pub stating: bool,
    /// One entry per length.
    pub points: Vec<ScalingPoint>,
}

/// The cost of a question after a number of turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// Number of filler turns.
    pub turns: u64,
    /// Tokens of the raw history; `None` if it was not asked.
    pub raw_history_tokens: Option<usize>,
    /// Tokens of vector search; `None` if it was not asked.
    pub vector_tokens: Option<usize>,
    /// Tokens of the memory for the question about a named thing.
    pub memory_tokens: usize,
    /// Whether the memory answered every question correctly.
    pub memory_correct: bool,
    /// Latency of the memory for the question about a named thing.
    pub memory_latency_ms: Latency,
    /// Every question to the memory.
    pub questions: Vec<QuestionPoint>,
}

/// The cost of one kind of question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionPoint {
    /// `direct`, `join`, `described` or `unanswerable`.
    pub question: String,
    /// Tokens of context and question.
    pub tokens: usize,
    /// Whether the answer is correct.
    pub correct: bool,
    /// The latency.
    pub latency_ms: Latency,
}

/// Measures the curve.
///
/// # Errors
/// Returns an error if the store or the engine fails.
pub async fn scaling(options: &ScalingOptions) -> Result<ScalingRecord> {
    let store = open_empty(&options.store, "eval_scaling", Graph::schema(None)).await?;
    let quiver = Quiver::builder().location(Location::Store(Arc::clone(&store.store))).open().await?;
    let session = "harbour".to_owned();
    let mut memory = Architecture::Memory {
        quiver: Box::new(quiver.clone()),
        session: session.clone(),
        given: true,
        graded: super::Graded::Lines,
        count: None,
    };
    let mut flat = [Architecture::RawHistory(Vec::new()), Architecture::Vector(Vec::new())];
    for fact in facts() {
        memory.take_in(&fact).await?;
        for architecture in &mut flat {
            architecture.take_in(&fact).await?;
        }
    }
    let mut points = Vec::new();
    let mut done = FACTS.len() as u64;
    let lengths = LENGTHS.iter().chain(LONG).copied().filter(|turns| *turns <= options.turns_max);
    for turns in lengths {
        let is_short = turns <= *LENGTHS.last().expect("there are lengths");
        let mut batch = Vec::new();
        for number in done + 1..=turns + FACTS.len() as u64 {
            let filler = filler(number, options.stating);
            if is_short {
                for architecture in &mut flat {
                    architecture.take_in(&filler).await?;
                }
            }
            batch.push(Turn {
                session: session.clone(),
                number: Some(number),
                speaker: Some(filler.speaker),
                time: Some(moment(number)),
                text: filler.text,
                facts: Some(filler.facts),
            });
            if batch.len() == BATCH {
                quiver.remember(std::mem::take(&mut batch)).await?;
            }
        }
        quiver.remember(batch).await?;
        done = turns + FACTS.len() as u64;
        points.push(point(turns, &memory, if is_short { &flat } else { &[] }).await?);
    }
    Ok(ScalingRecord {
        record: "quiver-eval scaling".to_owned(),
        version: 2,
        store: options.store.to_string(),
        stating: options.stating,
        points,
    })
}

fn filler(number: u64, stating: bool) -> ScenarioTurn {
    let index = usize::try_from(number).unwrap_or_default();
    let (text, facts) = if stating {
        let (boat, harbour) = (format!("Boat_{number}"), format!("Harbour_{}", number % 997));
        (format!("{boat} is moored at {harbour}."), vec![Fact::new(boat, "is moored at", harbour)])
    } else {
        (FILLER[index % FILLER.len()].to_owned(), Vec::new())
    };
    ScenarioTurn { number, speaker: "Bo".to_owned(), text, facts, query: None }
}

/// Returns the facts that the questions ask about, as the first turns.
fn facts() -> impl Iterator<Item = ScenarioTurn> {
    FACTS.iter().zip(1..).map(|((text, subject, predicate, object), number)| ScenarioTurn {
        number,
        speaker: "Ana".to_owned(),
        text: (*text).to_owned(),
        facts: vec![Fact::new(*subject, *predicate, *object)],
        query: None,
    })
}

async fn point(turns: u64, memory: &Architecture, flat: &[Architecture]) -> Result<ScalingPoint> {
    let mut questions = Vec::new();
    for (kind, text, truth) in QUESTIONS {
        questions.push(question(turns, kind, text, *truth, memory).await?);
    }
    let direct = questions[0].clone();
    let query = query(turns, QUESTIONS[0].1);
    let mut flat_tokens = Vec::new();
    for architecture in flat {
        let answered = architecture.answer(&query, &Query::default()).await?;
        flat_tokens.push(tokens(&query, &answered.context));
    }
    Ok(ScalingPoint {
        turns,
        raw_history_tokens: flat_tokens.first().copied(),
        vector_tokens: flat_tokens.get(1).copied(),
        memory_tokens: direct.tokens,
        memory_correct: questions.iter().all(|question| question.correct),
        memory_latency_ms: direct.latency_ms,
        questions,
    })
}

async fn question(
    turns: u64,
    kind: &str,
    text: &str,
    truth: Option<&str>,
    memory: &Architecture,
) -> Result<QuestionPoint> {
    let query = query(turns, text);
    let mut times = Vec::with_capacity(REPEATS);
    let mut answered = memory.answer(&query, &Query::default()).await?;
    for _ in 0..REPEATS {
        let started = Instant::now();
        answered = memory.answer(&query, &Query::default()).await?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(QuestionPoint {
        question: kind.to_owned(),
        tokens: tokens(&query, &answered.context),
        correct: truth.map_or(answered.refuses, |truth| answered.text.contains(truth)),
        latency_ms: Latency::of(times),
    })
}

fn query(turns: u64, text: &str) -> ScenarioTurn {
    ScenarioTurn {
        number: turns + FACTS.len() as u64 + 1,
        speaker: "Cy".to_owned(),
        text: text.to_owned(),
        facts: Vec::new(),
        query: None,
    }
}

fn tokens(query: &ScenarioTurn, context: &str) -> usize {
    count_tokens(&format!("{context}\n{} (query): {}", query.speaker, query.text))
}

impl ScalingRecord {
    /// Prints the curve. Only the columns with latencies differ between runs.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, writer: &mut dyn std::io::Write) -> std::io::Result<()> {
        writeln!(
            writer,
            "tokens a query after so many turns, and p50 by question; store {}, filler states facts: {}",
            self.store, self.stating
        )?;
        writeln!(
            writer,
            "{:>8}{:>13}{:>8}{:>8}{:>8}{:>9}{:>9}{:>10}{:>14}{:>17}",
            "turns",
            "raw-history",
            "vector",
            "memory",
            "right",
            "p50 ms",
            "p95 ms",
            "join ms",
            "described ms",
            "unanswerable ms"
        )?;
        let shown =
            |tokens: Option<usize>| tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string());
        for point in &self.points {
            let Latency { p50, p95, .. } = point.memory_latency_ms;
            let right = if point.memory_correct { "yes" } else { "NO" };
            let (raw, vector) = (shown(point.raw_history_tokens), shown(point.vector_tokens));
            writeln!(
                writer,
                "{:>8}{raw:>13}{vector:>8}{:>8}{right:>8}{p50:>9.3}{p95:>9.3}{:>10.3}{:>14.3}{:>17.3}",
                point.turns,
                point.memory_tokens,
                point.questions[1].latency_ms.p50,
                point.questions[2].latency_ms.p50,
                point.questions[3].latency_ms.p50,
            )?;
        }
        Ok(())
    }
}
