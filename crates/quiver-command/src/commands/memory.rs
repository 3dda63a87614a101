//! `quiver remember`, `recall`, `facts`, `forget`, `sessions` and `decide`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::Result;
use quiver::{
    ErrorKind,
    graph::RelationId,
    memory::{Archive, Cardinality, Fact, FactsOptions, Forget, RecallOptions, RecalledFact, Turn},
};
use serde::Deserialize;

use super::count;
use crate::{
    Exit,
    arguments::{
        DecideCommand, FactsArguments, ForgetArguments, RecallArguments, RememberArguments, SessionsArguments,
    },
    database,
    exit::Failed,
    json,
    output::{Output, note},
    settings::Settings,
};

/// How many turns are remembered at once.
const BATCH: usize = 256;

/// A line of a file of turns.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    session: String,
    #[serde(default, alias = "number")]
    turn: Option<u64>,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    time: Option<i64>,
    text: String,
    #[serde(default)]
    facts: Option<Vec<Fact>>,
}

pub(super) async fn remember(
    arguments: &RememberArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let turns = match (&arguments.text, &arguments.from) {
        (Some(text), None) => vec![turn(arguments, text)],
        (None, Some(file)) => read(file)?,
        _ => return Err(Failed::usage("give the text of a turn, or a file of turns with --from").into()),
    };
    let quiver = database::open_or_create(settings).await?;
    let mut remembered = Vec::new();
    for batch in turns.chunks(BATCH) {
        remembered.extend(quiver.remember(batch.to_vec()).await?);
    }
    if output.is_json() {
        output.document(json::memory::Remembered::of(&remembered))?;
        return Ok(Exit::Done);
    }
    for turn in &remembered {
        for (id, fact) in &turn.facts {
            let denied = if fact.denied { "not: " } else { "" };
            output.line(format_args!(
                "{denied}{} | {} | {}  [{id}]",
                fact.subject, fact.predicate, fact.object
            ))?;
        }
        for decision in &turn.decisions {
            output.line(format_args!("  {decision}"))?;
        }
    }
    let facts: usize = remembered.iter().map(|turn| turn.facts.len()).sum();
    note(&format!("remembered {} with {}", count(remembered.len(), "turn"), count(facts, "fact")));
    Ok(Exit::Done)
}

fn turn(arguments: &RememberArguments, text: &str) -> Turn {
    let given = arguments.fact.chunks_exact(3).map(|parts| Fact::new(&parts[0], &parts[1], &parts[2]));
    let given: Vec<Fact> = given.collect();
    Turn {
        session: arguments.session.clone().unwrap_or_default(),
        number: arguments.turn,
        speaker: arguments.speaker.clone(),
        time: arguments.at.map(|moment| moment.0),
        text: text.to_owned(),
        facts: (!given.is_empty() || arguments.no_facts).then_some(given),
    }
}

/// Reads turns, one JSON object a line.
fn read(file: &Path) -> Result<Vec<Turn>> {
    let name = file.display();
    let reader: Box<dyn BufRead> = if file.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let opened =
            File::open(file).map_err(|error| Failed::input(format!("{name} can't be read: {error}")))?;
        Box::new(BufReader::new(opened))
    };
    let mut turns = Vec::new();
    for (at, line) in reader.lines().enumerate() {
        let wrong =
            |error: &dyn std::fmt::Display| Failed::input(format!("{name}, line {}: {error}", at + 1));
        let line = line.map_err(|error| wrong(&error))?;
        if line.trim().is_empty() {
            continue;
        }
        let Line { session, turn, speaker, time, text, facts } =
            serde_json::from_str(&line).map_err(|error| wrong(&error))?;
        turns.push(Turn { session, number: turn, speaker, time, text, facts });
    }
    Ok(turns)
}

pub(super) async fn recall(
    arguments: &RecallArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    if arguments.question.trim().is_empty() {
        return Err(Failed::usage("the question is empty").into());
    }
    let quiver = database::open(settings).await?;
    let defaults = RecallOptions::default();
    let options = RecallOptions {
        as_of: arguments.moments.as_of.map(|moment| moment.0),
        known_at: arguments.moments.known_at.map(|moment| moment.0),
        session: arguments.session.clone(),
        predicates: arguments.predicate.clone(),
        tokens_max: arguments.tokens.unwrap_or(defaults.tokens_max),
        ..defaults
    };
    let recalled = quiver.recall_with(&arguments.question, &options).await?;
    let exit = if recalled.answer.is_some() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::memory::Recalled::of(&recalled, arguments.trace))?;
        return Ok(exit);
    }
    if let Some(silence) = &recalled.silence {
        output.line(format_args!("No answer: {silence}."))?;
    } else {
        output.line(recalled.text())?;
        note(&count(recalled.tokens, "token"));
    }
    if arguments.trace {
        if !recalled.path.is_empty() {
            output.line(format_args!("\nPath: {}", recalled.path.join(" → ")))?;
        }
        output.line("\nTrace:")?;
        for line in recalled.trace.to_string().lines() {
            output.line(format_args!("  {line}"))?;
        }
    }
    Ok(exit)
}

pub(super) async fn facts(
    arguments: &FactsArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let options = FactsOptions {
        as_of: arguments.moments.as_of.map(|moment| moment.0),
        known_at: arguments.moments.known_at.map(|moment| moment.0),
        history: arguments.history,
    };
    let facts = database::open(settings).await?.facts(&arguments.about, &options).await?;
    let exit = if facts.is_empty() { Exit::Negative } else { Exit::Done };
    if output.is_json() {
        output.document(json::memory::Facts::of(&arguments.about, &facts))?;
        return Ok(exit);
    }
    for fact in &facts {
        output.line(line(fact))?;
    }
    note(&count(facts.len(), "fact"));
    Ok(exit)
}

fn line(fact: &RecalledFact) -> String {
    let state = match (fact.denied, fact.holds) {
        (true, _) => "denied ",
        (false, true) => "       ",
        (false, false) => "ended  ",
    };
    let said = [fact.session.as_deref(), fact.speaker.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    format!("{state}{} | {} | {}  ({said})  [{}]", fact.subject, fact.predicate, fact.object, fact.id)
}

pub(super) async fn forget(
    arguments: &ForgetArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let what = match (&arguments.session, arguments.turn, &arguments.about) {
        (Some(session), Some(turn), None) => Forget::Turn(session.clone(), turn),
        (Some(session), None, None) => Forget::Session(session.clone()),
        (None, None, Some(about)) => Forget::About(about.clone()),
        _ => {
            return Err(
                Failed::usage("say what to forget: --session, --session and --turn, or --about").into()
            );
        }
    };
    let forgotten = match database::open(settings).await?.forget(&what).await {
        Ok(forgotten) => forgotten,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            note(&error.to_string());
            return Ok(Exit::Negative);
        }
        Err(error) => return Err(error.into()),
    };
    if output.is_json() {
        output.document(json::memory::Forgotten::from(forgotten))?;
    } else {
        output.line(format_args!(
            "forgot {}, {} and {} that nothing else speaks of",
            count(forgotten.turns, "turn"),
            count(forgotten.facts, "fact"),
            count(forgotten.entities, "thing"),
        ))?;
    }
    Ok(Exit::Done)
}

pub(super) async fn sessions(
    arguments: &SessionsArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    if let Some(session) = &arguments.archive {
        let which = match (arguments.keep, arguments.before) {
            (Some(keep), None) => Archive::KeepLatest(keep),
            (None, Some(moment)) => Archive::Before(moment.0),
            _ => return Err(Failed::usage("say which turns to archive: --keep or --before").into()),
        };
        let archived = quiver.archive(session, which).await?;
        note(&format!("archived {}", count(archived, "turn")));
    }
    let sessions = quiver.sessions().await?;
    if output.is_json() {
        output.document(json::memory::Sessions::of(&sessions))?;
        return Ok(Exit::Done);
    }
    for session in &sessions {
        output.line(format_args!("{:>6}  {}", session.turns, session.name))?;
    }
    note(&count(sessions.len(), "session"));
    Ok(Exit::Done)
}

pub(super) async fn decide(
    command: &DecideCommand,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let id = |text: &str| text.parse::<RelationId>().map_err(|error| Failed::usage(error.to_string()));
    let done = match command {
        DecideCommand::Undo { id: fact } => {
            quiver.undo(id(fact)?).await?;
            format!("undone: {fact}")
        }
        DecideCommand::Redo { id: fact } => {
            quiver.redo(id(fact)?).await?;
            format!("done again: {fact}")
        }
        DecideCommand::Merge { one, other, evidence } => {
            let id = quiver.merge(one, other, evidence.as_deref().unwrap_or("decided by hand")).await?;
            format!("{one} and {other} are one thing  [{id}]")
        }
        DecideCommand::Values { predicate, values } => {
            let cardinality = match values.as_str() {
                "one" => Some(Cardinality::One),
                "many" => Some(Cardinality::Many),
                _ => None,
            };
            quiver.declare(predicate, cardinality).await?;
            format!("{predicate} has {values} at once")
        }
    };
    if output.is_json() {
        output.document(json::memory::Decided { decision: done })?;
    } else {
        output.line(done)?;
    }
    Ok(Exit::Done)
}
