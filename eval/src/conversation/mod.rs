//! The conversation benchmark: scripted follow-ups, graded by the entities that the rewritten question names
//! and by the passages found for it.

pub mod record;
pub mod scenario;

use std::path::PathBuf;

use anyhow::Result;
use quiver::{Document, Quiver, graph::name::normalise, session::Reply};

use self::{
    record::{ConversationRecord, TurnRecord},
    scenario::{Scenario, ScenarioTurn, read},
};

/// The project's conversations.
const CONVERSATIONS: &str = "datasets/conversation";
/// The gold passages must be among this many, or among as many as there are gold passages if there are more.
pub const PASSAGES: usize = 3;

/// Options of `quiver-eval conversation`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConversationOptions {
    /// Files with conversations, or directories of them [default: datasets/conversation]
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub file: Vec<PathBuf>,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Runs every conversation, each in its own session, with the rules only.
///
/// # Errors
/// Returns an error if a file can't be read or parsed, or if the engine fails.
pub async fn conversation(options: &ConversationOptions) -> Result<ConversationRecord> {
    let default = [PathBuf::from(CONVERSATIONS)];
    let scenarios = read(if options.file.is_empty() { &default } else { &options.file })?;
    let mut turns = Vec::new();
    for scenario in &scenarios {
        turns.extend(hold(scenario).await?);
    }
    Ok(ConversationRecord::of(&scenarios, turns))
}

async fn hold(scenario: &Scenario) -> Result<Vec<TurnRecord>> {
    let quiver = Quiver::in_memory().await?;
    let documents = scenario.documents.iter().map(|document| {
        let new = Document::new(&document.id, &document.text);
        match &document.title {
            Some(title) => new.with_title(title),
            None => new,
        }
    });
    quiver.ingest(documents).await?;
    let mut turns = Vec::new();
    for conversation in &scenario.conversations {
        let mut session = quiver.session(&conversation.name);
        for (at, turn) in conversation.turns.iter().enumerate() {
            let reply = session.ask(turn.question.as_str()).await?;
            turns.push(graded(scenario, &conversation.name, at, turn, &reply));
        }
        session.close().await?;
    }
    Ok(turns)
}

/// Grades a turn. If a clarifying question is expected, grades its options; otherwise grades the entities
/// that the rewritten question names, and whether its gold passages are found.
fn graded(
    scenario: &Scenario,
    conversation: &str,
    at: usize,
    turn: &ScenarioTurn,
    reply: &Reply,
) -> TurnRecord {
    let found: Vec<String> = reply
        .answer
        .iter()
        .flat_map(|answer| &answer.evidence.passages)
        .map(|ranked| match ranked.passage.position {
            0 => ranked.passage.document.clone(),
            position => format!("{}#{position}", ranked.passage.document),
        })
        .collect();
    let standalone = normalise(&reply.read.standalone);
    let names = |name: &String| standalone.contains(&normalise(name));
    let options: Vec<String> =
        reply.asks().iter().flat_map(|asks| &asks.options).map(|option| option.name.clone()).collect();
    let (is_named, is_found) = if turn.options.is_empty() {
        let among = &found[..found.len().min(PASSAGES.max(turn.gold.len()))];
        let is_named = turn.entities.iter().all(names) && !turn.not_entities.iter().any(names);
        (is_named && options.is_empty(), turn.gold.iter().all(|gold| holds(among, gold)))
    } else {
        let same = set(&options) == set(&turn.options);
        (same, same)
    };
    TurnRecord {
        scenario: scenario.name.clone(),
        conversation: conversation.to_owned(),
        turn: at + 1,
        kind: turn.kind.clone(),
        is_graded: turn.is_graded(),
        question: turn.question.clone(),
        standalone: reply.read.standalone.clone(),
        options,
        found: found.into_iter().take(PASSAGES).collect(),
        gold: turn.gold.clone(),
        entities: turn.entities.clone(),
        is_named,
        is_found,
        answer: turn.answer.clone(),
        answered: reply.answer.as_ref().and_then(|answer| answer.text.clone()),
    }
}

/// Whether the gold passage was found. `gold` is a document, of which any passage counts, or one passage by
/// position.
fn holds(found: &[String], gold: &str) -> bool {
    found.iter().any(|found| found == gold || found.rsplit_once('#').is_some_and(|(key, _)| key == gold))
}

fn set(names: &[String]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| normalise(name)).collect();
    names.sort();
    names
}
