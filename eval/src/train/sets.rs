//! The sets to learn from, and the conditions under which their questions are asked.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use quiver::models::EncoderSetting;

use crate::dataset::{Dataset, attach, read_file};

/// Options shared by `train` and `ablate`.
#[derive(Args, Clone, Debug)]
pub struct SetOptions {
    /// A set: its name, its questions, its passages and, if there are any, triples; repeat for each set
    #[arg(long = "set", required = true, value_name = "NAME=QUESTIONS,CORPUS[,TRIPLES]")]
    pub sets: Vec<SetSetting>,
    /// The embedder: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// How the questions of each set are asked: on its own corpus, on all corpora in one index (needs several sets),
    /// on its own corpus without titles
    #[arg(long, value_delimiter = ',', default_values_t = Condition::ALL, value_name = "CONDITION,..")]
    pub conditions: Vec<Condition>,
    /// Asks only the first questions of each set
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Number of folds for cross-validation of each set
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub folds: usize,
    /// The weights with which questions are observed, and whose other part is kept; those of this program unless
    /// given
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
}

/// A set given on the command line: `NAME=QUESTIONS,CORPUS[,TRIPLES]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetSetting {
    /// The name in tables.
    pub name: String,
    /// The questions.
    pub questions: PathBuf,
    /// The passages.
    pub corpus: PathBuf,
    /// Triples of the passages.
    pub triples: Option<PathBuf>,
}

/// How questions are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// On the set's own corpus.
    Alone,
    /// On the corpora of all sets in one index.
    Joined,
    /// On the set's own corpus, without titles.
    Untitled,
}

/// A set that has been read.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its questions and passages.
    pub dataset: Dataset,
    /// Its files, each with the first digits of its BLAKE3 digest.
    pub files: Vec<(String, String)>,
}

impl SetOptions {
    /// Reads the sets.
    ///
    /// # Errors
    /// Returns an error if a file is missing, with where the public sets are published; if it can't be parsed; if two
    /// sets share a name; or if there are fewer than two folds.
    pub fn read(&self) -> Result<Vec<Set>> {
        if self.folds < 2 {
            bail!("--folds {}: what is judged must not be learned from, so there are at least 2", self.folds);
        }
        for (at, set) in self.sets.iter().enumerate() {
            if self.sets[..at].iter().any(|other| other.name == set.name) {
                bail!("two sets are called {:?}", set.name);
            }
        }
        self.sets.iter().map(|set| set.read(self.limit)).collect()
    }

    /// Returns the conditions, sorted and without duplicates. With one set, `joined` is dropped.
    ///
    /// # Errors
    /// Returns an error if none is left.
    pub fn conditions(&self) -> Result<Vec<Condition>> {
        let mut conditions = self.conditions.clone();
        conditions.sort_unstable();
        conditions.dedup();
        conditions.retain(|condition| self.sets.len() > 1 || *condition != Condition::Joined);
        if conditions.is_empty() {
            bail!("--conditions: joined needs several sets; give more of them, or other conditions");
        }
        Ok(conditions)
    }
}

impl SetSetting {
    fn read(&self, limit: Option<usize>) -> Result<Set> {
        let mut dataset = Dataset::read(&self.questions, &self.corpus, limit)?;
        if let Some(file) = &self.triples {
            attach(&read_file(file)?, &mut dataset.corpus).with_context(|| file.display().to_string())?;
        }
        let files = [Some(&self.questions), Some(&self.corpus), self.triples.as_ref()];
        let files = files.into_iter().flatten().map(|file| digest(file)).collect::<Result<_>>()?;
        Ok(Set { name: self.name.clone(), dataset, files })
    }
}

fn digest(path: &Path) -> Result<(String, String)> {
    let content = std::fs::read(path).with_context(|| path.display().to_string())?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((file, short_digest(&content)))
}

/// Lists the files of a set with the first digits of their digests.
pub(crate) fn digests(set: &Set) -> String {
    let files: Vec<String> = set.files.iter().map(|(file, digest)| format!("{file} {digest}")).collect();
    files.join(", ")
}

/// Returns the first digits of a BLAKE3 digest, enough to distinguish files.
pub(super) fn short_digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..16].to_owned()
}

impl FromStr for SetSetting {
    type Err = anyhow::Error;

    fn from_str(setting: &str) -> Result<Self> {
        let parts = setting.split_once('=').map(|(name, files)| (name, files.split(',').collect::<Vec<_>>()));
        match parts {
            Some((name, files))
                if !name.is_empty()
                    && (2..=3).contains(&files.len())
                    && files.iter().all(|file| !file.is_empty()) =>
            {
                Ok(Self {
                    name: name.to_owned(),
                    questions: files[0].into(),
                    corpus: files[1].into(),
                    triples: files.get(2).map(PathBuf::from),
                })
            }
            _ => bail!("a set is NAME=QUESTIONS,CORPUS[,TRIPLES] with files without commas, not {setting:?}"),
        }
    }
}

impl Condition {
    /// All conditions.
    pub const ALL: [Self; 3] = [Self::Alone, Self::Joined, Self::Untitled];

    /// Returns the name in commands and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Joined => "joined",
            Self::Untitled => "untitled",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Condition {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|condition| condition.name() == name) {
            Some(condition) => Ok(condition),
            None => bail!("a condition is one of {}, not {name:?}", Self::ALL.map(Self::name).join(", ")),
        }
    }
}
