//! `quiver load`.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::Result;
use quiver::query::{Loaded, NodeTable, RelationshipTable, TableFormat, read_table};
use serde::Serialize;

use super::{count, shared::Shared};
use crate::{
    Exit,
    arguments::{LoadArguments, NodeKey},
    database,
    exit::Failed,
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

pub(super) async fn run(arguments: &LoadArguments, settings: &Settings, output: &mut Output) -> Result<Exit> {
    let LoadArguments { file, label, key, kind, from, to, quiet } = arguments;
    let is_standard_input = file.as_os_str() == "-";
    let (format, reader): (_, Box<dyn Read>) = if is_standard_input {
        (TableFormat::Csv, Box::new(io::stdin()))
    } else {
        let format = format_of(file)?;
        let opened = File::open(file);
        let opened =
            opened.map_err(|error| Failed::usage(format!("{} can't be read: {error}", file.display())))?;
        (format, Box::new(opened))
    };
    let source = if is_standard_input { "stdin".to_owned() } else { file.display().to_string() };
    let rows = read_table(&source, format, reader)?;
    let shared = Shared::of(database::open_or_create(settings).await?, settings).await?;
    let quiver = &shared.quiver;
    let (what, loaded) = match (label, key, kind, from, to) {
        (Some(label), Some(key), ..) => {
            let table = NodeTable { source, label: label.clone(), key: key.clone(), rows };
            ("node", quiver.load_nodes(table).await?)
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
