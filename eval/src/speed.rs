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

/// How often the database is opened.
const OPENINGS: usize = 9;

/// What is measured.
#[derive(Args, Clone, Debug)]
pub struct SpeedOptions {
    /// The questions: MuSiQue, HotpotQA, 2WikiMultihopQA or your own
    #[arg(long, value_name = "FILE")]
    pub questions: PathBuf,
    /// The passages
    #[arg(long, value_name = "FILE")]
    pub corpus: PathBuf,
    /// What texts are encoded with: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// Asks only the first questions
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Speed {
    /// Passages of the corpus.
    pub passages: usize,
    /// Questions asked.
    pub questions: usize,
    /// From an open, empty database to one that acknowledged all passages.
    pub ingest_ms: f64,
    /// The median time to open it again.
    pub open_ms: f64,
    /// The first question after opening, which reads the statistics too.
    pub first_ask_ms: f64,
    /// The questions after it, each from its words to its answer, one after another.
    pub ask_ms: Latency,
}

/// Fills a new database in a temporary directory, opens it again and again, and asks.
///
/// # Errors
/// Files that are absent or can't be understood; those of the embedder and the database; a build without the feature
/// `embedded`.
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
    // The encoder is made anew each time, as a process that is started would.
    Ok(Quiver::builder().directory(directory).encoder(options.embedder.open().await?).open().await?)
}

impl Speed {
    /// Prints it as lines for the eye.
    ///
    /// # Errors
    /// Those of the writer.
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
