//! `quiver-eval speed`: how long an embedded database takes to fill, to open and to answer.

use std::{
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Result;
use clap::Args;
use quiver::{Quiver, models::EncoderSetting};

use crate::{dataset::Dataset, index::milliseconds, metric::percentile, record::Latency};

/// Number of times the database is opened.
const OPENINGS: usize = 9;

/// Options of `quiver-eval speed`.
#[derive(Args, Clone, Debug)]
pub struct SpeedOptions {
    /// The questions: MuSiQue, HotpotQA, 2WikiMultihopQA or your own
    #[arg(long, value_name = "FILE")]
    pub questions: PathBuf,
    /// The passages
    #[arg(long, value_name = "FILE")]
    pub corpus: PathBuf,
    /// The embedder: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// Asks only the first questions
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The measurements.
#[derive(Clone, Debug)]
pub struct Speed {
    /// Number of passages in the corpus.
    pub passages: usize,
    /// Number of questions asked.
    pub questions: usize,
    /// Time from an open, empty database until all passages are acknowledged.
    pub ingest_ms: f64,
    /// Median time to reopen it.
    pub open_ms: f64,
    /// Time of the first question after opening, which also reads the statistics.
    pub first_ask_ms: f64,
    /// Latency of the other questions, asked one after another.
    pub ask_ms: Latency,
}

/// Fills a new database in a temporary directory, reopens it several times, and asks the questions.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, if the embedder or the database fails, or if the feature
/// `embedded` is not built in.
pub async fn speed(options: &SpeedOptions) -> Result<Speed> {
    let dataset = Dataset::read(&options.questions, &options.corpus, options.limit)?;
    let directory = tempfile::tempdir()?;
    let quiver = open(directory.path(), options).await?;
    let started = Instant::now();
    quiver.ingest(dataset.corpus.documents(true)).await?;
    let ingest_ms = milliseconds(started);
    drop(quiver);
    let mut openings = Vec::new();
    for _ in 0..OPENINGS {
        let started = Instant::now();
        let quiver = open(directory.path(), options).await?;
        openings.push(milliseconds(started));
        drop(quiver);
    }
    openings.sort_by(f64::total_cmp);
    let quiver = open(directory.path(), options).await?;
    let mut asked = Vec::with_capacity(dataset.questions.len());
    for item in &dataset.questions {
        let started = Instant::now();
        quiver.ask(item.question.as_str()).await?;
        asked.push(milliseconds(started));
    }
    let first_ask_ms = asked[0];
    let mut later = if asked.len() > 1 { asked.split_off(1) } else { asked };
    later.sort_by(f64::total_cmp);
    let at = |share| percentile(&later, share);
    Ok(Speed {
        passages: dataset.corpus.passages.len(),
        questions: dataset.questions.len(),
        ingest_ms,
        open_ms: percentile(&openings, 0.5),
        first_ask_ms,
        ask_ms: Latency { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    })
}

async fn open(directory: &Path, options: &SpeedOptions) -> Result<Quiver> {
    // The encoder is created anew each time, as in a new process.
    Ok(Quiver::builder().directory(directory).encoder(options.embedder.open().await?).open().await?)
}

impl Speed {
    /// Prints the measurements as text.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, out: &mut impl io::Write) -> io::Result<()> {
        let Self { passages, questions, ingest_ms, open_ms, first_ask_ms, ask_ms } = self;
        writeln!(out, "ingest     {:8.1} s   {passages} passages", ingest_ms / 1000.0)?;
        writeln!(out, "open       {open_ms:8.1} ms  the median of {OPENINGS}")?;
        writeln!(out, "first ask  {first_ask_ms:8.1} ms  right after opening")?;
        writeln!(
            out,
            "ask        {:8.1} ms  the median of {questions}; 95 % within {:.1}, 99 % within {:.1}",
            ask_ms.p50, ask_ms.p95, ask_ms.p99
        )
    }
}
