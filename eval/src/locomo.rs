//! Long conversations: whether recall returns the turns that support an answer, and whether the memory
//! abstains on unanswerable questions.
//!
//! The files are those of `LoCoMo` (Maharana et al., 2024): `N_turns.jsonl` as `quiver remember --from` reads it, one
//! turn per line; `N_corpus.jsonl` with the IDs of the turns in the same order; `N_questions.jsonl` with the IDs that
//! support each answer; and `N_adversarial.json` with questions that the conversation does not answer.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt, fs,
    path::PathBuf,
};

use anyhow::{Context, Result, bail, ensure};
use quiver::{
    Quiver,
    context::{ContextKind, ContextOptions},
    memory::{RecallOptions, Recollection},
    models::EncoderSetting,
};
use serde::{Deserialize, Serialize};

use crate::turns::{TurnLine, last, read_lines, remember};

/// Number of top turns that are judged.
const FIRST: usize = 5;
/// Token limit of the lines of a recall.
const LINE_TOKENS: usize = 100;
/// Token limit of a context.
const CONTEXT_TOKENS: usize = 1_000;

/// Options of `quiver-eval locomo`.
#[derive(Clone, Debug, clap::Args)]
pub struct LocomoOptions {
    /// The directory with the files of the conversations
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The conversations, by file name prefix [default: all in the directory]
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub conversations: Vec<String>,
    /// The embedder: lexical, fastembed:DIR, or an endpoint
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// Skips the contexts, which take the most time
    #[arg(long)]
    pub no_context: bool,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Deserialize)]
struct CorpusLine {
    id: String,
}

#[derive(Deserialize)]
struct QuestionLine {
    question: String,
    #[serde(rename = "type")]
    kind: String,
    gold: Vec<String>,
}

#[derive(Deserialize)]
struct Unanswerable {
    question: String,
}

/// The results; shares are from 0 to 1.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LocomoRecord {
    /// The conversations.
    pub conversations: Vec<String>,
    /// The embedder.
    pub embedder: String,
    /// Number of answerable questions.
    pub questions: usize,
    /// Number of unanswerable questions.
    pub unanswerable: usize,
    /// The share of the evidence among the first 5 recalled turns.
    pub first: f64,
    /// The same by type of question.
    pub first_by_type: BTreeMap<String, f64>,
    /// The share of the evidence among the turns in the lines at 100 tokens.
    pub lines: f64,
    /// Mean number of tokens in these lines.
    pub lines_tokens: f64,
    /// The share of the evidence in a context of 1,000 tokens.
    pub context: Option<f64>,
    /// The share of answerable questions on which the memory abstains.
    pub silent_answerable: f64,
    /// The share of unanswerable questions on which it abstains.
    pub silent_unanswerable: f64,
    /// Number of facts read from the turns.
    pub facts: usize,
    /// Number of turns.
    pub turns: usize,
}

impl fmt::Display for LocomoRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} with {} turns and {} facts read, {} questions, {} without an answer, {}",
            self.conversations.join(", "),
            self.turns,
            self.facts,
            self.questions,
            self.unanswerable,
            self.embedder
        )?;
        writeln!(f, "evidence among the first {FIRST} turns: {:.1} %", self.first * 100.0)?;
        for (kind, share) in &self.first_by_type {
            writeln!(f, "  {kind}: {:.1} %", share * 100.0)?;
        }
        writeln!(
            f,
            "evidence in the lines at {LINE_TOKENS} tokens: {:.1} %, {:.1} tokens",
            self.lines * 100.0,
            self.lines_tokens
        )?;
        if let Some(context) = self.context {
            writeln!(f, "evidence in a context of {CONTEXT_TOKENS} tokens: {:.1} %", context * 100.0)?;
        }
        writeln!(
            f,
            "silence: {:.1} % of the questions without an answer, {:.1} % of the others",
            self.silent_unanswerable * 100.0,
            self.silent_answerable * 100.0
        )
    }
}

/// Remembers the conversations, asks their questions and measures the results.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, or if the engine fails.
pub async fn locomo(options: &LocomoOptions) -> Result<LocomoRecord> {
    let names = names(options)?;
    let mut record = LocomoRecord {
        conversations: names.clone(),
        embedder: options.embedder.to_string(),
        ..LocomoRecord::default()
    };
    let mut by_type: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    let (mut first, mut lines, mut contexts, mut tokens) = (0.0, 0.0, 0.0, 0);
    let (mut silent, mut silent_unanswerable) = (0, 0);
    for name in &names {
        let file = |ending: &str| options.data.join(format!("{name}_{ending}"));
        let turns: Vec<TurnLine> = read_lines(&file("turns.jsonl"))?;
        let ids: Vec<CorpusLine> = read_lines(&file("corpus.jsonl"))?;
        ensure!(turns.len() == ids.len(), "{name}: there are {} turns and {} ids", turns.len(), ids.len());
        let id_of: HashMap<(String, u64), String> =
            turns.iter().zip(ids).map(|(turn, line)| ((turn.session.clone(), turn.turn), line.id)).collect();
        let quiver = Quiver::builder().memory().encoder(options.embedder.open().await?).open().await?;
        record.turns += turns.len();
        let now = last(&turns)?;
        record.facts += remember(&quiver, turns).await?;
        for QuestionLine { question, kind, gold } in read_lines::<QuestionLine>(&file("questions.jsonl"))? {
            let gold: BTreeSet<&str> = gold.iter().map(String::as_str).collect();
            let share =
                |found: &BTreeSet<&str>| gold.intersection(found).count() as f64 / gold.len().max(1) as f64;
            let recalled = recall(&quiver, &question, now).await?;
            silent += usize::from(recalled.no_answer.is_some());
            let ranked: BTreeSet<&str> = ranked(&recalled, &id_of).into_iter().take(FIRST).collect();
            first += share(&ranked);
            let sum = by_type.entry(kind).or_default();
            *sum = (sum.0 + share(&ranked), sum.1 + 1);
            lines += share(&shown(&recalled, &id_of));
            tokens += recalled.tokens;
            if !options.no_context {
                contexts += share(&in_context(&quiver, &question, now, &id_of).await?);
            }
            record.questions += 1;
        }
        let text = fs::read_to_string(file("adversarial.json"))
            .with_context(|| file("adversarial.json").display().to_string())?;
        for Unanswerable { question } in serde_json::from_str::<Vec<Unanswerable>>(&text)? {
            silent_unanswerable += usize::from(recall(&quiver, &question, now).await?.no_answer.is_some());
            record.unanswerable += 1;
        }
    }
    let questions = record.questions.max(1) as f64;
    record.first = first / questions;
    record.first_by_type =
        by_type.into_iter().map(|(kind, (sum, count))| (kind, sum / count as f64)).collect();
    record.lines = lines / questions;
    record.lines_tokens = tokens as f64 / questions;
    record.context = (!options.no_context).then_some(contexts / questions);
    record.silent_answerable = silent as f64 / questions;
    record.silent_unanswerable = silent_unanswerable as f64 / record.unanswerable.max(1) as f64;
    Ok(record)
}

/// Returns the conversations to measure: those named, or all in the directory.
fn names(options: &LocomoOptions) -> Result<Vec<String>> {
    if !options.conversations.is_empty() {
        return Ok(options.conversations.clone());
    }
    let entries = fs::read_dir(&options.data).with_context(|| options.data.display().to_string())?;
    let mut names = Vec::new();
    for entry in entries {
        let file = entry?.file_name().to_string_lossy().into_owned();
        names.extend(file.strip_suffix("_turns.jsonl").map(str::to_owned));
    }
    names.sort();
    if names.is_empty() {
        bail!("{}: the directory has no file that ends in _turns.jsonl", options.data.display());
    }
    Ok(names)
}

async fn recall(quiver: &Quiver, question: &str, now: Option<i64>) -> Result<Recollection> {
    let options = RecallOptions { as_of: now, tokens_max: LINE_TOKENS, ..RecallOptions::default() };
    Ok(quiver.recall(question).options(options).await?)
}

/// Returns the IDs of the recalled turns, best first.
fn ranked<'a>(recalled: &Recollection, id_of: &'a HashMap<(String, u64), String>) -> Vec<&'a str> {
    let ids = recalled.turns.iter().filter_map(|turn| id_of.get(&(turn.session.clone(), turn.turn)));
    ids.map(String::as_str).collect()
}

/// Returns the IDs of the turns that the lines contain: those with a sentence in a line, and those whose facts are
/// shown.
fn shown<'a>(recalled: &Recollection, id_of: &'a HashMap<(String, u64), String>) -> BTreeSet<&'a str> {
    let of_facts = recalled.facts.iter().filter_map(|fact| id_of.get(&(fact.session.clone()?, fact.turn?)));
    let of_lines = recalled.turns.iter().filter(|turn| {
        let words = turn.text.split_whitespace().collect::<Vec<_>>().join(" ");
        recalled.lines.iter().any(|line| {
            let said = line.split_once(": ").map_or(line.as_str(), |(_, said)| said);
            let whole = line.ends_with(&words);
            let speaker = turn.speaker.as_deref().is_none_or(|speaker| line.starts_with(speaker));
            // An ellipsis marks an omission from a sentence.
            let said = said.trim_matches(['…', ' ']);
            let first = said.split_inclusive(['.', '!', '?']).next().unwrap_or_default().trim();
            whole || (speaker && !first.is_empty() && words.contains(first))
        })
    });
    let of_lines = of_lines.filter_map(|turn| id_of.get(&(turn.session.clone(), turn.turn)));
    of_facts.chain(of_lines).map(String::as_str).collect()
}

async fn in_context<'a>(
    quiver: &Quiver,
    question: &str,
    now: Option<i64>,
    id_of: &'a HashMap<(String, u64), String>,
) -> Result<BTreeSet<&'a str>> {
    let options = ContextOptions { tokens_max: CONTEXT_TOKENS, now, ..ContextOptions::default() };
    let context = quiver.context(question).options(options).await?;
    let workspace = quiver::graph::Workspace::default();
    let ids: HashMap<quiver::graph::PassageId, &str> = id_of
        .iter()
        .map(|((session, turn), id)| {
            (quiver::graph::PassageId::of_turn(&workspace, session, *turn), id.as_str())
        })
        .collect();
    let turns = context.items.iter().filter(|item| item.kind != ContextKind::Path);
    Ok(turns.flat_map(|item| &item.passages).filter_map(|id| ids.get(id).copied()).collect())
}
