//! `quiver-eval`: evaluates how well Quiver finds the evidence for answers.

use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use quiver_eval::{
    ablate::{AblateOptions, ablate},
    answers::{AnswersOptions, answers, learn, rule_effects},
    compare::{CompareOptions, compare},
    constraints::{self, ConstraintsOptions, constraints},
    conversation::{ConversationOptions, conversation},
    facts::{FactsOptions, facts},
    locomo::{LocomoOptions, locomo},
    memory::{
        MemoryOptions, memory,
        scaling::{ScalingOptions, scaling},
    },
    pool::{PoolOptions, pool},
    print::print,
    rank::{self, RankOptions, rank},
    record::{Record, parse},
    report::report,
    retrieval::{Progress, RetrievalOptions, retrieval},
    speed::{SpeedOptions, speed},
    train::{self, TrainOptions, train},
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Evaluates Quiver on question sets
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Evaluates by gold passages what each method finds
    Retrieval(Box<RetrievalOptions>),
    /// Grades what is answered without a language model, and the confidence
    Answers(Box<AnswersOptions>),
    /// Compares BM25, hybrid and graph over many sets: precision at 1, Recall@2, Recall@5, nDCG@10
    ///
    /// Says where the graph ranking is below the better of BM25 and hybrid.
    Compare(Box<CompareOptions>),
    /// Measures how long an embedded database takes to fill, to open and to answer
    Speed(SpeedOptions),
    /// Grades what three architectures of memory answer in scripted conversations
    Memory(MemoryOptions),
    /// Samples facts read from turns, for a reader to judge
    Facts(FactsOptions),
    /// Measures what is recalled from long conversations, in the files of `LoCoMo`
    Locomo(LocomoOptions),
    /// Grades how follow-up questions are understood in scripted conversations, by rules alone
    Conversation(ConversationOptions),
    /// Grades questions that are read as queries over loaded records, by exact sets of results
    Constraints(ConstraintsOptions),
    /// Measures how the cost of a question grows with the age of a conversation
    Scaling(ScalingOptions),
    /// Writes a report in Markdown from the records of runs
    Report {
        /// Records, as `retrieval --json` writes them
        #[arg(required = true, value_name = "FILE")]
        records: Vec<PathBuf>,
    },
    /// Fits the weights of the built-in ranking to questions whose evidence is known
    ///
    /// Writes the part of the weights that belongs to the encoder, lexical or dense, and keeps the other. Prints
    /// Recall@5 of the questions learned from, of those left out (folds), and of sets left out. Which passages are
    /// reached depends on the weights that questions are observed with, so `--rounds 2` observes again with the fitted
    /// ones.
    Train(Box<TrainOptions>),
    /// Kills, starves and misleads the `quiver` command, and checks what is left against what it acknowledged
    ///
    /// Prints a table in Markdown, and the runs in which something was not as it must be.
    #[cfg(unix)]
    Torture(quiver_eval::torture::TortureOptions),
    /// Measures a running `quiver serve` under many clients, with one client, and against the library
    #[cfg(all(unix, feature = "serve"))]
    Load(quiver_eval::load::LoadOptions),
    /// Measures the guarantees of a cluster of three nodes while each is killed, paused and resumed
    ///
    /// Starts the nodes from a `qdrant` binary on free local ports, and prints a table in Markdown.
    #[cfg(all(unix, feature = "server"))]
    Cluster(quiver_eval::cluster::ClusterOptions),
    /// Fits the final ranking to questions whose evidence is known
    ///
    /// Writes the trees that belong to the encoder, lexical or dense, and keeps the others. Prints the results of plain
    /// search, the linear scorer and the trees on every set, and those of trees fitted to the other sets.
    Rank(Box<RankOptions>),
    /// Prints what share of the gold is among the candidates after the search, each hop and the bridges
    Pool(Box<PoolOptions>),
    /// Prints the contribution of each feature to the built-in ranking
    ///
    /// Fits again without it, evaluates out of fold, and prints a table in Markdown.
    Ablate(Box<AblateOptions>),
}

/// Grades answers, learns the weights for them, or shows what their rules do.
async fn run_answers(options: &AnswersOptions) -> Result<()> {
    if options.learn.is_some() {
        return write_record(options.learn.as_deref(), &learn(options).await?);
    }
    let mut out = std::io::stdout().lock();
    if options.rules {
        let effects = rule_effects(options).await?;
        write_record(options.json.as_deref(), &effects)?;
        effects.print(options.show, &mut out)?;
    } else {
        let record = answers(options).await?;
        write_record(options.json.as_deref(), &record)?;
        record.print(options.show, &mut out)?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Retrieval(options) => {
            let record = retrieval(&options, &progress(line)).await?;
            write_record(options.json.as_deref(), &record)?;
            print(&record, &mut std::io::stdout().lock())?;
        }
        Command::Answers(options) => run_answers(&options).await?,
        Command::Constraints(options) => {
            let graded = constraints(&options).await?;
            write_record(options.json.as_deref(), &graded)?;
            constraints::print(&graded, options.show, &mut std::io::stdout().lock())?;
        }
        Command::Compare(options) => {
            let comparison = compare(&options).await?;
            write_record(options.json.as_deref(), &comparison)?;
            std::io::stdout().lock().write_all(comparison.to_string().as_bytes())?;
        }
        Command::Speed(options) => speed(&options).await?.print(&mut std::io::stdout().lock())?,
        Command::Memory(options) => {
            let record = memory(&options).await?;
            write_record(options.json.as_deref(), &record)?;
            record.print(&mut std::io::stdout().lock())?;
        }
        Command::Facts(options) => {
            std::io::stdout().lock().write_all(facts(&options).await?.as_bytes())?;
        }
        Command::Locomo(options) => {
            let record = locomo(&options).await?;
            write_record(options.json.as_deref(), &record)?;
            std::io::stdout().lock().write_all(record.to_string().as_bytes())?;
        }
        Command::Conversation(options) => {
            let record = conversation(&options).await?;
            write_record(options.json.as_deref(), &record)?;
            record.print(&mut std::io::stdout().lock())?;
        }
        Command::Scaling(options) => {
            let record = scaling(&options).await?;
            write_record(options.json.as_deref(), &record)?;
            record.print(&mut std::io::stdout().lock())?;
        }
        Command::Report { records } => {
            let records = records.iter().map(|file| read_record(file)).collect::<Result<Vec<_>>>()?;
            std::io::stdout().lock().write_all(report(&records).as_bytes())?;
        }
        Command::Train(options) => {
            let trained = train(&options, &progress(line_of_training)).await?;
            let text = train::file::text(&trained.weights)?;
            std::fs::write(&options.output, text).with_context(|| options.output.display().to_string())?;
            let tables: Vec<String> = trained.rounds.iter().map(ToString::to_string).collect();
            std::io::stdout().lock().write_all(tables.join("\n").as_bytes())?;
        }
        #[cfg(all(unix, feature = "serve"))]
        Command::Load(options) => {
            let load = quiver_eval::load::load(&options).await?;
            write_record(options.json.as_deref(), &load)?;
            std::io::stdout().lock().write_all(load.to_string().as_bytes())?;
            anyhow::ensure!(load.failed() == 0, "{} requests failed", load.failed());
        }
        #[cfg(all(unix, feature = "server"))]
        Command::Cluster(options) => {
            let cluster = quiver_eval::cluster::cluster(&options).await?;
            std::io::stdout().lock().write_all(cluster.to_string().as_bytes())?;
        }
        #[cfg(unix)]
        Command::Torture(options) => {
            let torture = quiver_eval::torture::torture(&options)?;
            write_record(options.json.as_deref(), &torture)?;
            std::io::stdout().lock().write_all(torture.to_string().as_bytes())?;
            anyhow::ensure!(torture.is_held(), "not everything was as it must be");
        }
        Command::Rank(options) => {
            let ranked = rank(&options, &progress(line_of_training)).await?;
            if let Some(output) = &options.output {
                std::fs::write(output, rank::text(&ranked.ranking)?)
                    .with_context(|| output.display().to_string())?;
            }
            std::io::stdout().lock().write_all(ranked.table.to_string().as_bytes())?;
        }
        Command::Pool(options) => {
            let table = pool(&options, &progress(line_of_training)).await?;
            std::io::stdout().lock().write_all(table.to_string().as_bytes())?;
        }
        Command::Ablate(options) => {
            let ablation = ablate(&options, &progress(line_of_training)).await?;
            write_record(options.json.as_deref(), &ablation)?;
            std::io::stdout().lock().write_all(ablation.to_string().as_bytes())?;
        }
    }
    Ok(())
}

fn write_record(file: Option<&Path>, record: &impl serde::Serialize) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

fn read_record(file: &Path) -> Result<Record> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    parse(&text).with_context(|| file.display().to_string())
}

/// Shows the progress of a run on a terminal, throttled.
fn progress<P>(line: impl Fn(P) -> String + Send + Sync) -> impl Fn(P) + Send + Sync {
    let is_terminal = std::io::stderr().is_terminal();
    let last = Mutex::new(Instant::now());
    move |progress| {
        let Ok(mut last) = last.lock() else { return };
        if !is_terminal || last.elapsed() < Duration::from_millis(200) {
            return;
        }
        *last = Instant::now();
        // Ignore failed writes of the progress.
        let _ = write!(std::io::stderr(), "\r\x1b[K{}\r", line(progress));
    }
}

fn line(progress: Progress) -> String {
    match progress {
        Progress::Indexed(done, all) => format!("indexed {done} of {all} passages"),
        Progress::Asking(method, number) => format!("{method}: question {}", number + 1),
    }
}

fn line_of_training(progress: train::Progress) -> String {
    match progress {
        train::Progress::Indexed(done, all) => format!("indexed {done} of {all} passages"),
        train::Progress::Observed(done, all) => format!("observed {done} of {all} questions"),
        train::Progress::Fitted(done, all) => format!("made {done} of {all} fits"),
    }
}
