//! How cost grows with the age of a conversation: tokens and time of one question after more and more filler.

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Result;
use quiver::{
    Location, Quiver,
    graph::Graph,
    memory::{Fact, Turn, count_tokens},
};
use serde::{Deserialize, Serialize};

use crate::store::{StoreSetting, open};

use super::{
    architecture::{Architecture, moment},
    record::Latency,
    scenario::{Query, ScenarioTurn},
};

/// Turns of filler after which all are asked.
const LENGTHS: &[u64] = &[10, 50, 100, 200, 400, 800];
/// Turns of filler after which Quiver alone is asked.
const LONG: &[u64] = &[1_000, 10_000, 100_000];
/// How often a question is asked for its latency.
const REPEATS: usize = 200;
/// How many turns are remembered at once.
const BATCH: usize = 512;

const QUESTION: &str = "In which harbour is the Petrel moored?";
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
    /// Where Quiver keeps its points: memory, embedded, embedded:DIR or the address of a server
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub store: StoreSetting,
    /// How many turns the longest conversation has
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    pub turns_max: u64,
    /// Has every turn of filler state a fact of its own
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
    /// Where Quiver kept its points.
    pub store: String,
    /// Whether every turn of filler stated a fact.
    pub stating: bool,
    /// One entry for each length.
    pub points: Vec<ScalingPoint>,
}

/// What a question costs after so many turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// Turns of filler.
    pub turns: u64,
    /// Tokens of the raw history; none where it was not asked.
    pub raw_history_tokens: Option<usize>,
    /// Tokens of vector search; none where it was not asked.
    pub vector_tokens: Option<usize>,
    /// Tokens of the memory.
    pub memory_tokens: usize,
    /// Whether the memory answered correctly.
    pub memory_correct: bool,
    /// How long the memory took.
    pub memory_latency_ms: Latency,
}

/// Measures the curve.
///
/// # Errors
/// Those of the store.
pub async fn scaling(options: &ScalingOptions) -> Result<ScalingRecord> {
    let store = open(&options.store, "scaling", Graph::schema(None)).await?;
    let quiver = Quiver::builder().location(Location::Store(Arc::clone(&store.store))).open().await?;
    let session = "harbour".to_owned();
    let mut memory = Architecture::Memory {
        quiver: Box::new(quiver.clone()),
        session: session.clone(),
        given: true,
        count: None,
    };
    let mut flat = [Architecture::RawHistory(Vec::new()), Architecture::Vector(Vec::new())];
    let fact = ScenarioTurn {
        number: 0,
        speaker: "Ana".to_owned(),
        text: "The Petrel is moored at Skagen harbour.".to_owned(),
        facts: vec![Fact::new("Petrel", "is moored at", "Skagen harbour")],
        query: None,
    };
    memory.take_in(&fact).await?;
    for architecture in &mut flat {
        architecture.take_in(&fact).await?;
    }
    let mut points = Vec::new();
    let mut done = 0;
    let lengths = LENGTHS.iter().chain(LONG).copied().filter(|turns| *turns <= options.turns_max);
    for turns in lengths {
        let is_short = turns <= *LENGTHS.last().expect("there are lengths");
        let mut batch = Vec::new();
        for number in done + 1..=turns {
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
        done = turns;
        points.push(point(turns, &memory, if is_short { &flat } else { &[] }).await?);
    }
    Ok(ScalingRecord {
        record: "quiver-eval scaling".to_owned(),
        version: 1,
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

async fn point(turns: u64, memory: &Architecture, flat: &[Architecture]) -> Result<ScalingPoint> {
    let query = ScenarioTurn {
        number: turns + 1,
        speaker: "Cy".to_owned(),
        text: QUESTION.to_owned(),
        facts: Vec::new(),
        query: None,
    };
    let asked = Query::default();
    let tokens =
        |context: &str| count_tokens(&format!("{context}\n{} (query): {}", query.speaker, query.text));
    let mut flat_tokens = Vec::new();
    for architecture in flat {
        flat_tokens.push(tokens(&architecture.answer(&query, &asked).await?.context));
    }
    let mut times = Vec::with_capacity(REPEATS);
    let mut answered = memory.answer(&query, &asked).await?;
    for _ in 0..REPEATS {
        let started = Instant::now();
        answered = memory.answer(&query, &asked).await?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(ScalingPoint {
        turns,
        raw_history_tokens: flat_tokens.first().copied(),
        vector_tokens: flat_tokens.get(1).copied(),
        memory_tokens: tokens(&answered.context),
        memory_correct: answered.text.contains("Skagen"),
        memory_latency_ms: Latency::of(times),
    })
}

impl ScalingRecord {
    /// Prints the curve. The columns with latencies alone differ between runs.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn print(&self, writer: &mut dyn std::io::Write) -> std::io::Result<()> {
        writeln!(
            writer,
            "tokens a query after so many turns; store {}, filler states facts: {}",
            self.store, self.stating
        )?;
        writeln!(
            writer,
            "{:>8}{:>13}{:>8}{:>8}{:>8}{:>13}{:>13}",
            "turns", "raw-history", "vector", "memory", "right", "p50 ms", "p95 ms"
        )?;
        let shown =
            |tokens: Option<usize>| tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string());
        for point in &self.points {
            let Latency { p50, p95, .. } = point.memory_latency_ms;
            let right = if point.memory_correct { "yes" } else { "NO" };
            let (raw, vector) = (shown(point.raw_history_tokens), shown(point.vector_tokens));
            writeln!(
                writer,
                "{:>8}{raw:>13}{vector:>8}{:>8}{right:>8}{p50:>13.3}{p95:>13.3}",
                point.turns, point.memory_tokens
            )?;
        }
        Ok(())
    }
}
