//! `quiver-eval torture`: kills, resource shortages, damaged files and hostile inputs. Checks the outcome
//! against what was acknowledged.
//!
//! Every run uses its own directory and the `quiver` command. Its class and details follow from the seed and
//! its number, so a failed run can be repeated.

mod damage;
mod hostile;
mod kill;
mod process;
mod random;
mod sample;
mod shortage;
mod usage;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;
use tempfile::TempDir;

use self::{
    process::{Output, Program},
    random::Random,
    sample::Sample,
};

/// What is tortured, and how often.
#[derive(Args, Clone, Debug)]
pub struct TortureOptions {
    /// The command to torture [default: the `quiver` next to this program]
    #[arg(long, value_name = "FILE")]
    pub quiver: Option<PathBuf>,
    /// Number of runs, in which the classes take turns
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub runs: usize,
    /// The seed, which determines the runs
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Makes only runs of these classes
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CLASSES")]
    pub class: Vec<Class>,
    /// Makes only one run, with the number that a report gives it
    #[arg(long, value_name = "NUMBER")]
    pub only: Option<usize>,
    /// Number of concurrent runs
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub jobs: usize,
    /// Maximum number of seconds for one command
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub limit_s: u64,
    /// A file to write the results to as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// What is done to the command or its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A command that writes is killed
    Kill,
    /// A command has too few open files or too little space
    Shortage,
    /// A command has too little memory
    Memory,
    /// A file of the database is damaged
    Damage,
    /// A folder with an attack on its reader is ingested
    Hostile,
    /// A command fails
    Usage,
}

impl Class {
    /// Returns the guarantee that must hold for every run of the class.
    fn promise(self) -> &'static str {
        match self {
            Self::Kill => {
                "nothing acknowledged is lost, and the same command ends as if it had not been killed"
            }
            Self::Shortage => "it works or says what is short, and nothing acknowledged is lost",
            Self::Memory => {
                "it works, says what is short or ends because an allocation failed, and nothing acknowledged is lost"
            }
            Self::Damage => "what is read is whole, or the damage is reported",
            Self::Hostile => "other documents are read, and an export can be imported",
            Self::Usage => "it says why, in one JSON document with `--json`",
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The results of all runs.
#[derive(Debug, Serialize)]
pub struct Torture {
    seed: u64,
    runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
struct Run {
    number: usize,
    class: Class,
    /// What happened, if the guarantee held.
    held: Option<String>,
    /// How the guarantee was violated.
    broken: Option<String>,
}

/// One run.
struct Case<'a> {
    program: &'a Program,
    sample: &'a Sample,
    random: Random,
    directory: TempDir,
}

impl Case<'_> {
    fn here(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, arguments: &[&str]) -> Result<Output> {
        self.program.run(self.here(), arguments)
    }
}

impl Torture {
    /// Whether the guarantees held in all runs.
    pub fn is_held(&self) -> bool {
        self.runs.iter().all(|run| run.broken.is_none())
    }
}

/// Runs all cases.
///
/// # Errors
/// Returns an error if there is no working `quiver` command, or if directories can't be created.
pub fn torture(options: &TortureOptions) -> Result<Torture> {
    let quiver = match &options.quiver {
        Some(quiver) => quiver.clone(),
        None => std::env::current_exe()?.with_file_name("quiver"),
    };
    let quiver = quiver.canonicalize().with_context(|| {
        format!("{}: there is no command to torture; `cargo build --bin quiver` makes one", quiver.display())
    })?;
    let program = Program { quiver, limit: Duration::from_secs(options.limit_s) };
    let home = tempfile::tempdir()?;
    let sample =
        Sample::new(&program, home.path(), options.seed).context("the sample that nothing disturbs")?;
    let classes = if options.class.is_empty() { Class::value_variants() } else { &options.class };
    let numbers: Vec<usize> = match options.only {
        Some(number) => vec![number],
        None => (0..options.runs).collect(),
    };
    let (next, runs) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let class = classes[number % classes.len()];
            let directory = tempfile::tempdir()?;
            sample.copy_to(directory.path())?;
            let random = Random::new(options.seed, number);
            let mut case = Case { program: &program, sample: &sample, random, directory };
            let (held, broken) = match run(class, &mut case) {
                Ok(held) => (Some(held), None),
                Err(error) => (None, Some(format!("{error:#}"))),
            };
            let run = Run { number, class, held, broken };
            runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let ended = worker.join();
            ensure!(ended.is_ok(), "a run panicked");
            ended.unwrap_or(Ok(()))?;
        }
        Ok(())
    })?;
    let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
    runs.sort_by_key(|run| run.number);
    Ok(Torture { seed: options.seed, runs })
}

fn run(class: Class, case: &mut Case<'_>) -> Result<String> {
    match class {
        Class::Kill => kill::run(case),
        Class::Shortage => shortage::run(case, false),
        Class::Memory => shortage::run(case, true),
        Class::Damage => damage::run(case),
        Class::Hostile => hostile::run(case),
        Class::Usage => usage::run(case),
    }
}

impl fmt::Display for Torture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| class | runs | what must hold | what happened | broken |")?;
        writeln!(f, "| --- | --- | --- | --- | --- |")?;
        for &class in Class::value_variants() {
            let runs: Vec<_> = self.runs.iter().filter(|run| run.class == class).collect();
            if runs.is_empty() {
                continue;
            }
            let mut outcomes = BTreeMap::<&str, usize>::new();
            runs.iter()
                .filter_map(|run| run.held.as_deref())
                .for_each(|held| *outcomes.entry(held).or_default() += 1);
            let outcomes: Vec<String> =
                outcomes.iter().map(|(what, times)| format!("{what} {times}")).collect();
            let broken = runs.iter().filter(|run| run.broken.is_some()).count();
            let (name, promise, outcomes) = (class.name(), class.promise(), outcomes.join(", "));
            writeln!(f, "| {name} | {} | {promise} | {outcomes} | {broken} |", runs.len())?;
        }
        for run in &self.runs {
            if let Some(broken) = &run.broken {
                writeln!(f, "\nrun {} of seed {} ({}): {broken}", run.number, self.seed, run.class.name())?;
            }
        }
        Ok(())
    }
}
