//! Scripted conversations, each over a small corpus of its own.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A corpus with the conversations about it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// What is known.
    #[serde(alias = "corpus", alias = "passages")]
    pub documents: Vec<ScenarioDocument>,
    /// What is asked about it.
    pub conversations: Vec<Conversation>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ScenarioDocument {
    /// Its key.
    #[serde(alias = "key")]
    pub id: String,
    /// Its title, where it has one.
    #[serde(default)]
    pub title: Option<String>,
    /// Its text.
    pub text: String,
}

/// A conversation, which begins anew.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Conversation {
    /// What it is called.
    #[serde(alias = "id")]
    pub name: String,
    /// What is asked, in order.
    pub turns: Vec<ScenarioTurn>,
}

/// A question with what has to become of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ScenarioTurn {
    /// The question as it is asked.
    #[serde(alias = "ask", alias = "text")]
    pub question: String,
    /// What is difficult in it; `opening` follows up on nothing and is not graded.
    #[serde(default)]
    pub kind: String,
    /// What the question has to name once it stands alone.
    #[serde(default, alias = "expected_entities")]
    pub entities: Vec<String>,
    /// What it must not name.
    #[serde(default)]
    pub not_entities: Vec<String>,
    /// The documents to be found, by key; `key#2` is the third passage of a longer one.
    #[serde(default, alias = "gold_passages")]
    pub gold: Vec<String>,
    /// The options, where it has to be asked back.
    #[serde(default, alias = "asks")]
    pub options: Vec<String>,
}

impl ScenarioTurn {
    /// Whether it is graded.
    pub fn is_graded(&self) -> bool {
        self.kind != "opening"
    }
}

/// Reads scenarios from files, and from the files of directories, in the order of their names.
///
/// # Errors
/// A file that can't be read or is no scenario; a scenario without conversations; gold that is no document.
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
