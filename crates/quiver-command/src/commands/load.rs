//! `quiver load`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::Result;
use quiver::{
    ErrorKind,
    query::{Loaded, NodeTable, RelationshipTable, TableFormat, read_table},
};
use serde::Serialize;

use super::{count, shared::Shared};
use crate::{
    Exit,
    arguments::{LoadArguments, NodeKey},
    database,
    exit::{Failed, causes},
    output::Output,
    settings::Settings,
};

/// The output of `quiver load --json`.
#[derive(Serialize)]
struct Report {
    created: usize,
    updated: usize,
}

fn format_of(path: &Path) -> Result<TableFormat, Failed> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "csv" => Ok(TableFormat::Csv),
        "tsv" | "tab" => Ok(TableFormat::Tsv),
        "jsonl" | "ndjson" => Ok(TableFormat::JsonLines),
        _ => Err(Failed::usage(format!(
            "{}: the file name of a table must end in .csv, .tsv or .jsonl",
            path.display()
        ))),
    }
}

/// Rejects a table whose first line has semicolons or tabs, and no comma.
fn check_separator(source: &str, reader: &mut dyn BufRead) -> Result<(), Failed> {
    // What can't be read is reported with the rows.
    let start = reader.fill_buf().unwrap_or_default();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.contains(&b',') {
        return Ok(());
    }
    let (what, mend) = if line.contains(&b';') {
        ("semicolons", "separate them by commas, or by tabs in a .tsv file")
    } else if line.contains(&b'\t') {
        ("tabs", "name the file .tsv")
    } else {
        return Ok(());
    };
    Err(Failed::input(format!(
        "{source}:1: the columns seem to be separated by {what}; {mend}; nothing was loaded"
    )))
}

/// Adds to an error about a row that nothing was loaded: all rows of nodes are checked first.
fn unloaded(error: quiver::Error) -> anyhow::Error {
    if error.kind() != ErrorKind::Invalid {
        return error.into();
    }
    Failed::input(format!("{}; nothing was loaded", causes(&error.into()).join(": "))).into()
}

pub(super) async fn run(arguments: &LoadArguments, settings: &Settings, output: &mut Output) -> Result<Exit> {
    let LoadArguments { file, label, key, kind, from, to, quiet } = arguments;
    let is_standard_input = file.as_os_str() == "-";
    let (format, mut reader): (_, Box<dyn BufRead + Send>) = if is_standard_input {
        (TableFormat::Csv, Box::new(BufReader::new(io::stdin())))
    } else {
        let format = format_of(file)?;
        let opened = File::open(file);
        let opened =
            opened.map_err(|error| Failed::usage(format!("{} can't be read: {error}", file.display())))?;
        (format, Box::new(BufReader::new(opened)))
    };
    let source = if is_standard_input { "stdin".to_owned() } else { file.display().to_string() };
    if format == TableFormat::Csv {
        check_separator(&source, &mut reader)?;
    }
    let rows = read_table(&source, format, reader).map_err(unloaded)?;
    let shared = Shared::of(database::open_or_create(settings).await?, settings).await?;
    let quiver = &shared.quiver;
    let (what, loaded) = match (label, key, kind, from, to) {
        (Some(label), Some(key), ..) => {
            let table = NodeTable { source, label: label.clone(), key: key.clone(), rows };
            ("node", quiver.load_nodes(table).await.map_err(unloaded)?)
        }
        (_, _, Some(kind), Some(NodeKey(from, from_key)), Some(NodeKey(to, to_key))) => {
            let (from, to) = ((from.clone(), from_key.clone()), (to.clone(), to_key.clone()));
            let table = RelationshipTable { source, kind: kind.clone(), from, to, key: key.clone(), rows };
            ("relationship", quiver.load_relationships(table).await?)
        }
        _ => {
            return Err(Failed::usage(
                "give --label and --key for nodes, or --type, --from and --to for relationships",
            )
            .into());
        }
    };
    shared.end().await;
    let Loaded { created, updated } = loaded;
    if output.is_json() {
        output.document(Report { created, updated })?;
    } else if !quiet {
        output.line(format_args!("{} created, {updated} updated", count(created, what)))?;
    }
    Ok(Exit::Done)
}
