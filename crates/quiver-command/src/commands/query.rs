//! `quiver query`.

use std::{io, time::Duration};

use super::{count, lines::Lines};
use crate::{
    Exit,
    arguments::QueryArguments,
    caller, database,
    exit::Failed,
    json,
    output::{Output, note},
    settings::{Place, Settings},
};
use anyhow::{Context, Result};
use quiver::{
    Quiver,
    cypher::{Budget, Map, Options, Query, Rows, Value},
    query::{Queried, QueryOptions},
};

fn parameters(given: &[String]) -> Result<Map, Failed> {
    let mut found = Map::new();
    for one in given {
        let Some((name, value)) = one.split_once('=') else {
            return Err(Failed::usage(format!("{one:?} is not a parameter; write --param name=value")));
        };
        let value = match serde_json::from_str(value) {
            Ok(json) => Value::from_json(&json),
            Err(_) => Value::from(value),
        };
        if found.insert(name.trim_start_matches('$').to_owned(), value).is_some() {
            return Err(Failed::usage(format!("the parameter {name:?} is given twice")));
        }
    }
    Ok(found)
}

pub(super) async fn run(
    arguments: &QueryArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let parameters = parameters(&arguments.parameters)?;
    let mut budget = Budget::default();
    if let Some(seconds) = arguments.seconds {
        budget.time_max = Duration::from_secs(seconds);
    }
    let read_only = arguments.read_only || arguments.question;
    let cypher = Options { budget, proof: arguments.proof, read_only, ..Options::default() };
    let options = QueryOptions {
        cypher,
        why_empty: true,
        explain: arguments.explain,
        profile: arguments.profile,
        asker: arguments.asker.clone(),
        now: arguments.now.map(|moment| moment.0),
    };
    if arguments.is_typed() {
        return prompt(arguments, &parameters, &options, settings, output).await;
    }
    let text = match (arguments.text(), caller::input()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(input)) => input,
        (None, None) => io::read_to_string(io::stdin()).context("standard input can't be read")?,
    };
    if arguments.question {
        let quiver = database::open(settings).await?;
        return ask(&quiver, &text, arguments, options, output).await;
    }
    // A write may be the first thing in a database.
    let writes = Query::parse(&text).is_ok_and(|query| query.writes()) && !arguments.read_only;
    let quiver =
        if writes { database::open_or_create(settings).await? } else { database::open(settings).await? };
    let queried = quiver.query(&text).parameters(parameters).options(options).await?;
    if output.is_json() {
        output.document(json::Queried::of(queried))?;
    } else {
        write(&queried, arguments, output)?;
    }
    Ok(Exit::Done)
}

/// Runs each typed line until the end of the input. An invalid line does not end the prompt.
async fn prompt(
    arguments: &QueryArguments,
    parameters: &Map,
    options: &QueryOptions,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let history = match &settings.place {
        Place::Directory(path) => Some(path.join("query-history")),
        _ => None,
    };
    let mut lines = Lines::open(history);
    note("one query per line; Ctrl-D ends");
    while let Some(text) = lines.next().await? {
        let ran = if arguments.question {
            ask(&quiver, &text, arguments, options.clone(), output).await.map(drop)
        } else {
            match quiver.query(&text).parameters(parameters.clone()).options(options.clone()).await {
                Ok(queried) if output.is_json() => Ok(output.json_line(json::Queried::of(queried))?),
                Ok(queried) => write(&queried, arguments, output),
                Err(error) => Err(error.into()),
            }
        };
        if let Err(error) = ran {
            note(&format!("{error:#}"));
        }
        output.finish()?;
    }
    Ok(Exit::Done)
}

fn write(queried: &Queried, arguments: &QueryArguments, output: &mut Output) -> Result<()> {
    if arguments.explain || (queried.steps.is_empty() && !queried.plan.is_empty()) {
        queried.plan.iter().try_for_each(|line| output.line(line))?;
        return Ok(());
    }
    if arguments.csv {
        write_csv(&queried.rows, output)?;
    } else {
        write_table(queried, output)?;
    }
    queried.plan.iter().for_each(|line| note(line));
    Ok(())
}

/// Reads an English question as a query, shows what each word became, and runs it.
async fn ask(
    quiver: &Quiver,
    question: &str,
    arguments: &QueryArguments,
    options: QueryOptions,
    output: &mut Output,
) -> Result<Exit> {
    let found = quiver.query_question(question, options).await?;
    let exit = if found.queried.is_some() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::Queried::of_question(found))?;
        return Ok(exit);
    }
    if found.readings.is_empty() {
        let unknown = found.unknown.join(", ");
        let why = if unknown.is_empty() {
            String::new()
        } else {
            format!(": nothing in the graph matches {unknown}")
        };
        note(&format!("the question can't be read as a query{why}; `quiver ask` answers it from passages"));
    }
    let is_one = found.queried.is_some();
    if !is_one && found.readings.len() > 1 {
        note("the question is ambiguous; run the intended query:");
    }
    let shown = if is_one { 1 } else { found.readings.len() };
    for reading in &found.readings[..shown] {
        reading.cypher.lines().for_each(note);
        reading.words.iter().for_each(|one| note(&format!("  {}: {}", one.words, one.meaning)));
        reading.shared_names.iter().for_each(|shared| note(&format!("ambiguous name: {shared}")));
    }
    if let Some(queried) = &found.queried {
        write(queried, arguments, output)?;
    }
    Ok(exit)
}

/// Returns a value for a cell: text without quotation marks.
fn cell(rows: &Rows, value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Null => String::new(),
        Value::Moment(_) | Value::Duration(_) => value.to_string(),
        value => rows.text(value),
    }
}

fn write_csv(rows: &Rows, output: &mut Output) -> Result<()> {
    let quoted = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    let mut lines = vec![rows.columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(",")];
    for row in &rows.rows {
        lines.push(row.iter().map(|value| quoted(&cell(rows, value))).collect::<Vec<_>>().join(","));
    }
    let mut writer = output.writer();
    for line in lines {
        writeln!(writer, "{line}")?;
    }
    Ok(())
}

pub(super) fn write_table(queried: &Queried, output: &mut Output) -> Result<()> {
    let Queried { rows, why_empty, .. } = queried;
    if !rows.columns.is_empty() {
        let line = |text: &str| text.replace(['\n', '\r'], " ");
        let cells: Vec<Vec<String>> =
            rows.rows.iter().map(|row| row.iter().map(|value| line(&cell(rows, value))).collect()).collect();
        let mut widths: Vec<usize> = rows.columns.iter().map(|column| column.chars().count()).collect();
        for row in &cells {
            for (width, text) in widths.iter_mut().zip(row) {
                *width = (*width).max(text.chars().count().min(60));
            }
        }
        let shown = |row: &[String]| {
            let padded = row.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}"));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        output.line(shown(&rows.columns))?;
        output.line(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  "))?;
        for (index, row) in cells.iter().enumerate() {
            output.line(shown(row))?;
            for proof in rows.proof_lines(index) {
                output.line(format_args!("    {proof}"))?;
            }
        }
        note(&count(rows.rows.len(), "row"));
    }
    if let Some(why) = why_empty {
        note(why);
    }
    let written = &rows.written;
    if !written.is_empty() {
        let nodes =
            format!("{} created, {} deleted", count(written.nodes_created, "node"), written.nodes_deleted);
        let relationships = format!(
            "{} created, {} deleted",
            count(written.relationships_created, "relationship"),
            written.relationships_deleted
        );
        note(&format!("{nodes}; {relationships}; {} set", super::count(written.properties_set, "property")));
    }
    Ok(())
}
