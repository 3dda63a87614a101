//! Question sets: the formats of the three benchmarks, and a plain one for your own sets.

mod corpus;
mod published;
mod questions;
mod triples;

#[cfg(test)]
mod tests;

use std::{collections::HashSet, path::Path};

use anyhow::{Context, Result, bail};

pub use corpus::{Corpus, CorpusPassage};
pub use published::PUBLISHED;
pub use questions::{Gold, Item};
pub use triples::attach;

/// The questions of a set and their corpus.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The passages.
    pub corpus: Corpus,
    /// The questions, in file order.
    pub questions: Vec<Item>,
}

impl Dataset {
    /// Reads a set in any of the supported formats.
    ///
    /// # Errors
    /// Returns an error if a file is missing, with where the public sets are published; if it can't be parsed, with
    /// the expected format; if there are no questions; or if two questions share an ID.
    pub fn read(questions: &Path, corpus: &Path, limit: Option<usize>) -> Result<Self> {
        let (questions_text, corpus_text) = (read_file(questions)?, read_file(corpus)?);
        let corpus = Corpus::parse(&corpus_text).with_context(|| format!("{}", corpus.display()))?;
        let mut items =
            questions::parse(&questions_text, &corpus).with_context(|| format!("{}", questions.display()))?;
        items.truncate(limit.unwrap_or(usize::MAX));
        if items.is_empty() {
            bail!("{}: there are no questions in it", questions.display());
        }
        let mut seen = HashSet::new();
        for item in &items {
            if !seen.insert(item.id.as_str()) {
                bail!("{}: two questions have the id {:?}", questions.display(), item.id);
            }
        }
        Ok(Self { corpus, questions: items })
    }

    /// Parses questions in the plain format whose passages are in a folder instead of a corpus. Their gold, which
    /// names passages of a corpus, is dropped.
    ///
    /// # Errors
    /// Returns an error if the text can't be parsed, or if there are no questions.
    pub fn questions_alone(text: &str) -> Result<Vec<Item>> {
        let mut rows = values(text)?;
        for row in rows.iter_mut().filter_map(serde_json::Value::as_object_mut) {
            row.insert("gold".to_owned(), serde_json::json!([]));
        }
        let items = questions::parse(&serde_json::to_string(&rows)?, &Corpus::default())?;
        if items.is_empty() {
            bail!("there are no questions in it");
        }
        Ok(items)
    }

    /// Returns the number of gold passages that are missing from the corpus; no method can find them.
    pub fn gold_absent(&self) -> usize {
        self.questions.iter().flat_map(|item| &item.gold).filter(|gold| gold.keys.is_empty()).count()
    }
}

/// Reads a file. If it is missing, the error says where the public sets are published.
///
/// # Errors
/// Returns an error if the file is missing or not text.
pub fn read_file(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{}: there is no such file\n\n{PUBLISHED}", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("{}", path.display())),
    }
}

/// Parses the lines of a JSON Lines file, or the members of a JSON list.
fn values(text: &str) -> Result<Vec<serde_json::Value>> {
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str(text)?);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| serde_json::from_str(line).with_context(|| format!("line {}", index + 1)))
        .collect()
}
