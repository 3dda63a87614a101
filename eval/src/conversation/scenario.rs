//! Scripted conversations, each over a small corpus.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A corpus with conversations about it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The corpus.
    #[serde(alias = "corpus", alias = "passages")]
    pub documents: Vec<ScenarioDocument>,
    /// The conversations.
    pub conversations: Vec<Conversation>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ScenarioDocument {
    /// Its key.
    #[serde(alias = "key")]
    pub id: String,
    /// Its title, if it has one.
    #[serde(default)]
    pub title: Option<String>,
    /// Its text.
    pub text: String,
}

/// A conversation, in a new session.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Conversation {
    /// Its name.
    #[serde(alias = "id")]
    pub name: String,
    /// The questions, in order.
    pub turns: Vec<ScenarioTurn>,
}

/// A question with its expected results.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ScenarioTurn {
    /// The question as asked.
    #[serde(alias = "ask", alias = "text")]
    pub question: String,
    /// The kind of difficulty; an `opening` is not a follow-up and is not graded.
    #[serde(default)]
    pub kind: String,
    /// The entities that the rewritten question must name.
    #[serde(default, alias = "expected_entities")]
    pub entities: Vec<String>,
    /// The entities that it must not name.
    #[serde(default)]
    pub not_entities: Vec<String>,
    /// The keys of the documents to find; `key#2` is the third passage of a longer document.
    #[serde(default, alias = "gold_passages")]
    pub gold: Vec<String>,
    /// The options, if a clarifying question is expected.
    #[serde(default, alias = "asks")]
    pub options: Vec<String>,
    /// The right answer, or an empty text if the documents don't say. Not graded if it is missing.
    #[serde(default)]
    pub answer: Option<String>,
}

impl ScenarioTurn {
    /// Returns whether the turn is graded.
    pub fn is_graded(&self) -> bool {
        self.kind != "opening"
    }
}

/// Reads scenarios from files, and from the `.json` files of directories in order of name.
///
/// # Errors
/// Returns an error if a file can't be read or parsed, if there is no scenario, or if gold names no document.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for path in paths {
        let mut files = Vec::new();
        if path.is_dir() {
            for entry in path.read_dir().with_context(|| path.display().to_string())? {
                let file = entry?.path();
                if file.extension().is_some_and(|extension| extension == "json") {
                    files.push(file);
                }
            }
            files.sort();
        } else {
            files.push(path.clone());
        }
        for file in files {
            scenarios.push(read_file(&file).with_context(|| file.display().to_string())?);
        }
    }
    if scenarios.is_empty() {
        bail!("there is no conversation in {paths:?}");
    }
    Ok(scenarios)
}

fn read_file(file: &Path) -> Result<Scenario> {
    let scenario: Scenario = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let known = |gold: &str| {
        let key = gold.rsplit_once('#').map_or(gold, |(key, _)| key);
        scenario.documents.iter().any(|document| document.id == key || document.id == gold)
    };
    let turns = scenario.conversations.iter().flat_map(|conversation| &conversation.turns);
    if let Some(gold) = turns.flat_map(|turn| &turn.gold).find(|gold| !known(gold)) {
        bail!("no document has the key {gold:?}");
    }
    Ok(scenario)
}
