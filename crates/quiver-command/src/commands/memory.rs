//! `quiver remember`, `recall`, `facts`, `forget`, `sessions` and `decide`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read as _},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use anyhow::Result;
use quiver::{
    ErrorKind, Quiver, cypher,
    graph::{EntityId, Erasure, PassageId, Relation, RelationId, filters, name},
    memory::{
        Archive, Cardinality, DecisionKind, Fact, FactsOptions, Forget, ForgetPreview, RecallOptions,
        RecalledFact, SplitTexts, Turn,
    },
    store::Collection,
};
use quiver_forms::{Moment, memory::End};
use serde::Deserialize;
use serde_json::Value;

use super::{count, suggest, wrong_in_line};
use crate::{
    Exit,
    arguments::{
        DecideCommand, FactsArguments, ForgetArguments, RecallArguments, RememberArguments, SessionsArguments,
    },
    caller, database,
    exit::Failed,
    interrupt::{self, interruption},
    json,
    output::{Output, note},
    settings::Settings,
};

/// Number of turns remembered at once.
const BATCH: usize = 64;

/// A line of a file of turns.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    session: String,
    #[serde(default, alias = "number")]
    turn: Option<u64>,
    #[serde(default, alias = "role", alias = "author")]
    speaker: Option<String>,
    #[serde(default, alias = "at", alias = "date")]
    time: Option<Time>,
    #[serde(default, alias = "content")]
    text: String,
    #[serde(default)]
    facts: Option<Vec<Fact>>,
    /// Unknown fields.
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// The time of a turn: milliseconds since 1970, or a moment as people type it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Time {
    Milliseconds(i64),
    Typed(String),
}

pub(super) async fn remember(
    arguments: &RememberArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let turns = match (&arguments.text, &arguments.from) {
        (Some(text), None) => vec![turn(arguments, text)],
        (None, Some(file)) => read(file, arguments)?,
        _ => return Err(Failed::usage("give the text of a turn, or a file of turns with --from").into()),
    };
    let quiver = database::open_or_create(settings).await?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::handle();
    let listener = tokio::spawn(listen(stop.clone(), output.is_json()));
    let mut remembered = Vec::new();
    let mut stopped = false;
    for batch in turns.chunks(BATCH) {
        if stop.load(Ordering::Relaxed) {
            stopped = true;
            break;
        }
        remembered.extend(quiver.remember(batch.to_vec()).await?);
    }
    listener.abort();
    let exit = if stopped { Exit::Interrupted } else { Exit::Done };
    if output.is_json() {
        output.document(json::memory::Remembered::of(&remembered, stopped))?;
        return Ok(exit);
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
    for turn in &remembered {
        for dropped in &turn.dropped {
            note(&format!("turn {}: dropped from the model's reply: {dropped}", turn.number));
        }
        if let Some(why) = &turn.unread {
            note(&format!("turn {}: only the rules read it: {why}", turn.number));
        }
    }
    let facts: usize = remembered.iter().map(|turn| turn.facts.len()).sum();
    note(&format!("remembered {} with {}", count(remembered.len(), "turn"), count(facts, "fact")));
    if stopped {
        note("stopped; the work reported above is kept, and the same command resumes");
    }
    Ok(exit)
}

/// Waits for an interruption. The first one stops after the current batch, the second one at once.
async fn listen(stop: Arc<AtomicBool>, json: bool) {
    loop {
        interruption().await;
        if stop.swap(true, Ordering::Relaxed) {
            interrupt::end(json, "aborted; the same command resumes after the last batch");
        }
        note("stopping after the current batch; interrupt again to abort");
    }
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

/// Maximum length of a line, so that an endless device does not fill the memory.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// Returns the next line, or `None` at the end.
fn next_line(reader: &mut Box<dyn BufRead>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = reader.take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    if read as u64 > LINE_BYTES_MAX {
        return Err(invalid("the line is longer than 64 MiB"));
    }
    let line = String::from_utf8(line).map_err(|_| invalid("not UTF-8 text"))?;
    Ok((read > 0).then_some(line))
}

/// Reads turns, one JSON object per line. An invalid line is an error before anything is remembered.
fn read(file: &Path, arguments: &RememberArguments) -> Result<Vec<Turn>> {
    let name = file.display();
    let unreadable = |error: io::Error| Failed::input(format!("{name} can't be read: {error}"));
    let mut reader: Box<dyn BufRead> = if let Some(input) = caller::input() {
        Box::new(Cursor::new(input))
    } else if file.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(file).map_err(unreadable)?))
    };
    let mut turns = Vec::new();
    let mut ignored = BTreeSet::new();
    for at in 0.. {
        let line = match next_line(&mut reader) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) if at == 0 && error.kind() != io::ErrorKind::InvalidData => {
                return Err(unreadable(error).into());
            }
            Err(error) => {
                let message = format!("{name}, line {}: {error}; nothing was remembered", at + 1);
                return Err(Failed::input(message).into());
            }
        };
        if !line.trim().is_empty() {
            let wrong = |Wrong { column, what }: Wrong| {
                let column = column.map_or_else(String::new, |column| format!(", column {column}"));
                let line = at + 1;
                Failed::input(format!(
                    "{name}, line {line}{column}: {what}; correct the line; nothing was remembered"
                ))
            };
            let turn = read_line(&line, arguments, &mut ignored).map_err(wrong)?;
            turns.push(turn);
        }
    }
    if !ignored.is_empty() {
        let ignored: Vec<String> = ignored.into_iter().collect();
        note(&format!("{name}: ignored unknown fields: {}", ignored.join(", ")));
    }
    Ok(turns)
}

/// What is wrong with a line.
struct Wrong {
    column: Option<usize>,
    what: String,
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self { column: None, what }
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Self { column: Some(error.column()), what: wrong_in_line(&error) }
    }
}

fn read_line(
    line: &str,
    arguments: &RememberArguments,
    ignored: &mut BTreeSet<String>,
) -> Result<Turn, Wrong> {
    let Line { session, turn, speaker, time, text, facts, rest } = serde_json::from_str(line)?;
    ignored.extend(rest.into_keys());
    let time = match time {
        None => None,
        Some(time) => {
            let typed = match time {
                Time::Milliseconds(time) => time.to_string(),
                Time::Typed(typed) => typed,
            };
            Some(typed.parse::<Moment>().map_err(|wrong| format!("`time`: {wrong}"))?.0)
        }
    };
    if text.trim().is_empty() && facts.as_ref().is_none_or(Vec::is_empty) {
        return Err("the turn has neither text nor facts; give `text`".to_owned().into());
    }
    let session = if session.is_empty() { arguments.session.clone().unwrap_or_default() } else { session };
    Ok(Turn {
        session,
        number: turn,
        speaker: speaker.or_else(|| arguments.speaker.clone()),
        time,
        text,
        facts: facts.or_else(|| arguments.no_facts.then(Vec::new)),
    })
}

pub(super) async fn recall(
    arguments: &RecallArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    if arguments.question.trim().is_empty() {
        return Err(Failed::usage("the question is empty").into());
    }
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    let defaults = RecallOptions::default();
    let options = RecallOptions {
        as_of: arguments.moments.as_of.map(|moment| moment.0),
        known_at: arguments.moments.known_at.map(|moment| moment.0),
        now: arguments.now.map(|moment| moment.0),
        session: arguments.session.clone(),
        predicates: arguments.predicate.clone(),
        restated: settings.restated.into(),
        tokens_max: arguments.tokens.unwrap_or(defaults.tokens_max),
        ..defaults
    };
    let recalled = quiver.recall(&arguments.question).options(options.clone()).await?;
    let found = recalled.answer.is_some() || (recalled.no_answer.is_none() && recalled.ambiguity.is_none());
    let exit = if found { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::memory::Recalled::of(&recalled, arguments.trace))?;
        return Ok(exit);
    }
    if let Some(reason) = &recalled.no_answer {
        output.line(format_args!("No answer: {reason}."))?;
        for (index, found) in recalled.found.iter().enumerate() {
            if index == 0 {
                output.line("\nThe most relevant turns, which may not answer the question:")?;
            }
            output.line(format_args!("  {}", found.line))?;
        }
    } else if recalled.text().is_empty() {
        note(&format!(
            "the answer needs more than {}; increase --tokens",
            count(options.tokens_max, "token")
        ));
    } else {
        // A fact is shown as a line of a few words; in whole turns, the answer may be anywhere.
        let is_of_turn = |answer: &&String| recalled.facts.is_empty() && !recalled.lines.contains(answer);
        if let Some(answer) = recalled.answer.as_ref().filter(is_of_turn) {
            output.line(format_args!("Answer: {answer}\n"))?;
        }
        if recalled.is_uncertain() {
            output.line("No certain answer. The nearest facts:\n")?;
        } else if recalled.answer.is_none() && recalled.ambiguity.is_none() {
            output.line("No certain answer. The nearest turns:\n")?;
        }
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
    if arguments.about.trim().is_empty() {
        return Err(Failed::usage("name the entity whose facts to list").into());
    }
    let options = FactsOptions {
        as_of: arguments.moments.as_of.map(|moment| moment.0),
        known_at: arguments.moments.known_at.map(|moment| moment.0),
        history: arguments.history,
    };
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    let facts = quiver.facts(&arguments.about).options(options.clone()).await?;
    let exit = if facts.is_empty() { Exit::Negative } else { Exit::Done };
    let nearest = if facts.is_empty() { nearest(&quiver, &arguments.about).await? } else { None };
    let all = with_ends(&quiver, &facts, options).await?;
    if output.is_json() {
        let form = json::memory::Facts::part(&arguments.about, &facts, &all, None);
        output.document(form.with_nearest(nearest))?;
        return Ok(exit);
    }
    let moment = arguments.moments.as_of.map_or_else(now, |moment| moment.0);
    for fact in &facts {
        output.line(line(fact, &all, moment))?;
    }
    match (facts.len(), nearest) {
        (0, Some(nearest)) => {
            note(&format!("no fact is known about {:?}; did you mean {nearest:?}?", arguments.about));
        }
        (0, None) if arguments.history => note(&format!("no fact is known about {:?}", arguments.about)),
        (0, None) => {
            note(&format!(
                "no fact about {:?} holds; --history also lists those that have ended",
                arguments.about
            ));
        }
        (found, _) => note(&count(found, "fact")),
    }
    Ok(exit)
}

/// Maximum number of facts whose names are compared with an unknown one, and of names whose facts are read to find out
/// what ended others.
const COMPARED_MAX: usize = 10_000;
const SUBJECTS_MAX: usize = 16;

/// Returns the name that is most like one without facts, if the name itself is unknown.
async fn nearest(quiver: &Quiver, about: &str) -> Result<Option<String>> {
    let seen = quiver.without_deleted().await?;
    let normalised = name::normalise(about);
    let called = [format!("the {normalised}"), normalised];
    if !seen.graph().entities_named(&called, 1).await?.is_empty() {
        return Ok(None);
    }
    let facts: Vec<Relation> = seen.graph().list(filters::begun(None, Some(i64::MAX)), COMPARED_MAX).await?;
    let ends: BTreeSet<EntityId> = facts.iter().flat_map(|fact| [fact.subject, fact.object]).collect();
    let names = seen.graph().names_of(&ends.into_iter().collect::<Vec<_>>()).await?;
    Ok(cypher::nearest(about, names.values().map(String::as_str)).map(str::to_owned))
}

/// Returns the facts with those about their subjects, if what ended some of them is not among them.
async fn with_ends(
    quiver: &Quiver,
    facts: &[RecalledFact],
    options: FactsOptions,
) -> Result<Vec<RecalledFact>> {
    let mut all = facts.to_vec();
    let is_open = |fact: &&RecalledFact| !fact.holds && !fact.denied && End::of(fact, facts).by.is_none();
    let subjects: BTreeSet<&str> = facts.iter().filter(is_open).map(|fact| fact.subject.as_str()).collect();
    for subject in subjects.into_iter().take(SUBJECTS_MAX) {
        all.extend(quiver.facts(subject).options(options.clone()).await?);
    }
    Ok(all)
}

fn line(fact: &RecalledFact, all: &[RecalledFact], moment: i64) -> String {
    let is_later = fact.valid_from.is_some_and(|begin| begin > moment);
    let state = match (fact.denied, fact.holds) {
        (true, _) => "denied ",
        (false, true) => "       ",
        (false, false) if is_later => "later  ",
        (false, false) => "ended  ",
    };
    let reader = fact.reader.as_ref().map(|reader| format!("read by {reader}"));
    let said = [fact.session.as_deref(), fact.speaker.as_deref(), reader.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let said = if said.is_empty() { fact.sentence.as_str() } else { &said };
    let end = if is_later { String::new() } else { ending(End::of(fact, all)) };
    format!("{state}{} | {} | {}  ({said}){end}  [{}]", fact.subject, fact.predicate, fact.object, fact.id)
}

/// Says when a fact ended, and by what.
fn ending(end: End<'_>) -> String {
    let at = end.at.map(|at| format!(" {}", day(at))).unwrap_or_default();
    match end.by {
        Some(by) => {
            let denied = if by.denied { "not: " } else { "" };
            format!("  ended{at} by: {denied}{} | {} | {}", by.subject, by.predicate, by.object)
        }
        None if end.at.is_some() => format!("  ended{at}"),
        None => String::new(),
    }
}

/// A moment as a day, if it is the start of one.
fn day(moment: i64) -> String {
    let written = Moment(moment).to_string();
    written.strip_suffix("T00:00:00Z").map_or_else(|| written.clone(), str::to_owned)
}

/// Now, in milliseconds since 1970.
fn now() -> i64 {
    let passed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
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
    let quiver = database::open(settings).await?;
    // Fails if there is nothing to forget.
    let preview = quiver.forget_preview(&what).await?;
    if arguments.dry_run {
        return show_preview(&preview, output);
    }
    let erasure = quiver.begin_erasure().await?;
    let forgotten = end_erasure(&quiver, erasure, quiver.forget(&what).await).await?;
    if output.is_json() {
        output.document(json::memory::Forgotten::from(forgotten))?;
    } else {
        output.line(format_args!(
            "forgot {}, {} and {} that nothing else mentions",
            count(forgotten.turns, "turn"),
            count(forgotten.facts, "fact"),
            count(forgotten.entities, "thing"),
        ))?;
    }
    Ok(Exit::Done)
}

/// Shows what would be forgotten.
fn show_preview(preview: &ForgetPreview, output: &mut Output) -> Result<Exit> {
    if output.is_json() {
        output.document(json::memory::WouldForget::of(preview))?;
        return Ok(Exit::Done);
    }
    for turn in &preview.turns {
        let speaker = turn.speaker.as_deref().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
        output.line(format_args!("{} {}  {speaker}{}", turn.session, turn.turn, turn.text))?;
    }
    let of = if preview.things.is_empty() {
        String::new()
    } else {
        format!(" that state facts about {}", preview.things.join(", "))
    };
    note(&format!("would forget {}{of}; nothing was forgotten", count(preview.turns.len(), "turn")));
    Ok(Exit::Done)
}

/// Ensures that no file contains what was forgotten. If only a part was forgotten, the next opening does.
async fn end_erasure<T>(quiver: &Quiver, erasure: Erasure, done: Result<T, quiver::Error>) -> Result<T> {
    if done.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::NotFound) {
        quiver.end_erasure(erasure).await?;
    }
    Ok(done?)
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
        let erasure = quiver.begin_erasure().await?;
        let archived = end_erasure(&quiver, erasure, quiver.archive(session, which).await).await?;
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

/// The evidence of a decision if none is given.
const EVIDENCE: &str = "decided by hand";

pub(super) async fn decide(
    command: &DecideCommand,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let id = |text: &str| {
        let wrong = |_| {
            Failed::usage(format!(
                "{text:?} is not an ID; `quiver decide list` lists decisions with their IDs, and `quiver facts NAME \
                 --history` facts"
            ))
        };
        text.parse::<RelationId>().map_err(wrong)
    };
    let done = match command {
        DecideCommand::Undo { id: fact } => {
            quiver.undo(id(fact)?).await?;
            format!("undone: {fact}")
        }
        DecideCommand::Redo { id: fact } => {
            quiver.redo(id(fact)?).await?;
            format!("redone: {fact}")
        }
        DecideCommand::Merge { one, other, evidence } => {
            let id = quiver.merge_known(one, other, evidence.as_deref().unwrap_or(EVIDENCE)).await?;
            format!("{one} and {other} are the same  [{id}]")
        }
        DecideCommand::Split { entity, name, document, session, passage, evidence } => {
            let id = |id: &String| {
                let wrong = |_| {
                    Failed::usage(format!(
                        "{id:?} is not an ID; `quiver search --json` lists passages with their IDs"
                    ))
                };
                id.parse::<PassageId>().map_err(wrong)
            };
            let texts = SplitTexts {
                documents: document.iter().cloned().collect(),
                sessions: session.iter().cloned().collect(),
                passages: passage.iter().map(id).collect::<Result<_, _>>()?,
            };
            let evidence = evidence.as_deref().unwrap_or(EVIDENCE);
            let (id, moved) = quiver.split_entity(entity, name, texts, evidence).await?;
            let refer = if moved == 1 { "refers" } else { "refer" };
            let moved = count(moved, "passage");
            format!("split off as {}; {moved} now {refer} to it  [{id}]", name.trim())
        }
        DecideCommand::Rename { entity, name, evidence } => {
            let evidence = evidence.as_deref().unwrap_or(EVIDENCE);
            let id = quiver.rename_entity(entity, name, evidence).await?;
            format!("{entity} is now called {}  [{id}]", name.trim())
        }
        DecideCommand::Delete { entity, evidence } => {
            let id = quiver.delete_entity(entity, evidence.as_deref().unwrap_or(EVIDENCE)).await?;
            format!("{entity} is hidden; `quiver decide undo {id}` restores it")
        }
        DecideCommand::Leave { kind, one, other, evidence } => {
            let kind = suggest::kind(kind);
            let evidence = evidence.as_deref().unwrap_or(EVIDENCE);
            let id = quiver.leave_suggestion(kind, one, other, evidence).await?;
            format!("left; `quiver decide undo {id}` lets it be suggested again")
        }
        DecideCommand::List => return list_decisions(&quiver, output).await,
        DecideCommand::Values { predicate, values, evidence } => {
            let cardinality = match values.as_str() {
                "one" => Some(Cardinality::One),
                "many" => Some(Cardinality::Many),
                _ => None,
            };
            let evidence = evidence.as_deref().unwrap_or(EVIDENCE);
            quiver.declare_with_evidence(predicate, cardinality, evidence).await?;
            format!("{predicate} is declared: {values}")
        }
    };
    if output.is_json() {
        output.document(json::memory::Done { decision: done })?;
    } else {
        output.line(done)?;
    }
    Ok(Exit::Done)
}

async fn list_decisions(quiver: &Quiver, output: &mut Output) -> Result<Exit> {
    let (decisions, declarations) = (quiver.decisions().await?, quiver.declarations().await?);
    if output.is_json() {
        output.document(json::memory::AllDecisions::of(&decisions, &declarations))?;
        return Ok(Exit::Done);
    }
    for decision in &decisions {
        let (name, other) = (&decision.name, decision.other.as_deref().unwrap_or_default());
        let what = match decision.kind {
            DecisionKind::Merge => format!("{name} is the same as {other}"),
            DecisionKind::Rename => format!("{name} is called {other}"),
            DecisionKind::Split => format!("{name} was split: some texts are about {other}"),
            DecisionKind::LeaveMerge => format!("{name} and {other} are not suggested as the same"),
            DecisionKind::LeaveRelation => format!("no relation of {name} and {other} is suggested"),
            _ => format!("{name} is hidden"),
        };
        let state = if decision.is_undone { ", undone" } else { "" };
        output.line(format_args!("{what} ({}{state})  [{}]", decision.evidence, decision.id))?;
    }
    for declared in &declarations {
        let values = if declared.cardinality == Cardinality::One { "one value" } else { "many values" };
        let evidence = declared.evidence.as_deref().map_or_else(String::new, |why| format!(" ({why})"));
        output.line(format_args!("{} has {values} at a time{evidence}", declared.predicate))?;
    }
    note(&count(decisions.len() + declarations.len(), "decision"));
    Ok(Exit::Done)
}
