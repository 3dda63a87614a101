//! `quiver schema`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use quiver::query::{GraphSchema, PropertySchema, SchemaReport};
use serde::Serialize;

use super::count;
use crate::{
    Exit,
    arguments::SchemaCommand,
    database,
    exit::Failed,
    output::{Output, note},
    settings::Settings,
};

/// The output of `quiver schema show --json`.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    found: GraphSchema,
    declared: Option<GraphSchema>,
    is_whole: bool,
}

pub(super) async fn run(command: &SchemaCommand, settings: &Settings, output: &mut Output) -> Result<Exit> {
    match command {
        SchemaCommand::Show => show(database::open(settings).await?.schema().await?, output)?,
        SchemaCommand::Set { file } => {
            let schema = read(file)?;
            database::open_or_create(settings).await?.set_schema(schema.clone()).await?;
            if output.is_json() {
                output.document(&schema)?;
            } else {
                let (labels, types) = (schema.labels.len(), schema.relationships.len());
                let what = format!("{}, {}", count(labels, "label"), count(types, "type of relationship"));
                output.line(if schema.is_empty() { "no schema is declared".to_owned() } else { what })?;
            }
        }
        SchemaCommand::Infer { file } => {
            let schema = without_counts(database::open(settings).await?.schema().await?.found);
            let text = toml::to_string(&schema).context("the schema can't be written as TOML")?;
            if let Some(file) = file {
                if file.exists() {
                    return Err(Failed::usage(format!("{} exists; name another file", file.display())).into());
                }
                fs::write(file, &text).with_context(|| format!("{} can't be written", file.display()))?;
            }
            if output.is_json() {
                output.document(&schema)?;
            } else if file.is_none() {
                output.text(&text)?;
            }
        }
    }
    Ok(Exit::Done)
}

fn read(file: &Path) -> Result<GraphSchema, Failed> {
    let named = |what: String| Failed::usage(format!("{}: {what}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| named(format!("can't be read: {error}")))?;
    toml::from_str(&text).map_err(|error| named(error.to_string()))
}

/// Returns the part of the inferred schema that can be declared: passages come from documents.
fn without_counts(mut schema: GraphSchema) -> GraphSchema {
    schema.labels.remove("Passage");
    schema.relationships.retain(|_, one| !one.ends.iter().any(|(from, _)| from == "Passage"));
    let clear = |properties: &mut BTreeMap<String, PropertySchema>| {
        properties.values_mut().for_each(|property| property.count = None);
    };
    for label in schema.labels.values_mut() {
        label.count = None;
        clear(&mut label.properties);
    }
    for one in schema.relationships.values_mut() {
        one.count = None;
        clear(&mut one.properties);
    }
    schema
}

fn show(report: SchemaReport, output: &mut Output) -> Result<()> {
    let SchemaReport { found, declared, is_whole, .. } = report;
    if output.is_json() {
        return Ok(output.document(Shown { found, declared, is_whole })?);
    }
    let declared = declared.unwrap_or_default();
    let labels: BTreeSet<&String> = found.labels.keys().chain(declared.labels.keys()).collect();
    for label in labels {
        let (there, wanted) = (found.labels.get(label), declared.labels.get(label));
        output.line(format_args!("{label}: {}", counted(there.and_then(|one| one.count), "node")))?;
        let properties = [there, wanted].map(|one| one.map(|one| &one.properties));
        show_properties(properties, output)?;
    }
    let types: BTreeSet<&String> = found.relationships.keys().chain(declared.relationships.keys()).collect();
    for kind in types {
        let (there, wanted) = (found.relationships.get(kind), declared.relationships.get(kind));
        let is_declared = wanted.is_some_and(|one| !one.ends.is_empty());
        let ends = if is_declared { wanted } else { there };
        let ends: Vec<_> =
            ends.iter().flat_map(|one| &one.ends).map(|(from, to)| format!("{from} -> {to}")).collect();
        let number = there.and_then(|one| one.count);
        let number = number.map(|number| counted(Some(number), "relationship") + ", ").unwrap_or_default();
        let mark = if is_declared { " (declared)" } else { "" };
        output.line(format_args!("{kind}: {number}{}{mark}", ends.join(", ")))?;
        let properties = [there, wanted].map(|one| one.map(|one| &one.properties));
        show_properties(properties, output)?;
    }
    if !is_whole {
        note(
            "properties are counted in the first 10,000 nodes of each label and 10,000 of their relationships",
        );
    }
    Ok(())
}

fn counted(number: Option<u64>, what: &str) -> String {
    count(usize::try_from(number.unwrap_or_default()).unwrap_or(usize::MAX), what)
}

/// Shows the existing and the declared properties.
fn show_properties(
    [found, declared]: [Option<&BTreeMap<String, PropertySchema>>; 2],
    output: &mut Output,
) -> Result<()> {
    let keys: BTreeSet<&String> = found.into_iter().chain(declared).flat_map(BTreeMap::keys).collect();
    let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
    for key in keys {
        let (there, wanted) = (found.and_then(|all| all.get(key)), declared.and_then(|all| all.get(key)));
        let number = there.and_then(|property| property.count).unwrap_or_default();
        let kind = wanted.or(there).map(|property| property.kind.to_string()).unwrap_or_default();
        let marks = wanted.map(|property| {
            let required = if property.required { ", required" } else { "" };
            let unique = if property.unique { ", unique" } else { "" };
            format!(" (declared{required}{unique})")
        });
        output.line(format_args!("  {key:<width$}  {kind:<8}  {number}{}", marks.unwrap_or_default()))?;
    }
    Ok(())
}
