//! `quiver verify`.

use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use quiver::{Quiver, graph::Violation};

use super::count;
use crate::{
    Exit,
    arguments::VerifyArguments,
    database, json,
    output::{Output, note},
    settings::{Place, Settings},
};

pub(super) async fn run(
    arguments: &VerifyArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let found = quiver.verify().await?;
    let (left, repair) = if arguments.repair && !found.is_empty() {
        let quiver = if found.iter().any(Violation::is_mended_by_loss) {
            keep_copy(quiver, settings).await?
        } else {
            quiver
        };
        let repair = quiver.repair().await?;
        (quiver.verify().await?, Some(repair))
    } else {
        (found.clone(), None)
    };
    let exit = if left.is_empty() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::Verified::of(&left, repair))?;
        return Ok(exit);
    }
    for violation in &found {
        output.line(violation)?;
    }
    if found.is_empty() {
        output.line("every reference and invariant holds")?;
        return Ok(exit);
    }
    output.line(format_args!("{} found", count(found.len(), "violation")))?;
    let Some(repair) = repair else {
        output.line("`quiver verify --repair` repairs what it can")?;
        return Ok(exit);
    };
    output.line(format_args!(
        "repaired: {} dropped, {} deleted, {}, {} and {} collected; ingest the documents again to restore missing data",
        count(repair.references_dropped, "reference"),
        count(repair.points_deleted, "point"),
        count(repair.collected.passages, "passage"),
        count(repair.collected.entities, "entity"),
        count(repair.collected.relations, "relation"),
    ))?;
    if !left.is_empty() {
        output.line(format_args!("{} left:", count(left.len(), "violation")))?;
        for violation in &left {
            output.line(format_args!("  {violation}"))?;
        }
    }
    Ok(exit)
}

/// Backs up the database before a repair that loses data, and prints where to: a directory as files, a server's
/// workspace as an export.
async fn keep_copy(quiver: Quiver, settings: &Settings) -> Result<Quiver> {
    let Place::Directory(path) = &settings.place else {
        let copy = free_name(Path::new("quiver-before-repair"), ".jsonl");
        let unwritable = || format!("{} can't be written", copy.display());
        let mut file = BufWriter::new(File::create_new(&copy).with_context(unwritable)?);
        quiver.export().vectors().write_to(&mut file).await?;
        note(&format!("the database before the repair has been exported to {}", copy.display()));
        return Ok(quiver);
    };
    // Files must not be open while they are copied.
    drop(quiver);
    let copy = free_name(&with_suffix(path, ".before-repair"), "");
    database::back_up(settings, &copy).await?;
    note(&format!("the database before the repair has been copied to {}", copy.display()));
    database::open(settings).await
}

/// Returns an unused name: this one with the first free number.
fn free_name(name: &Path, extension: &str) -> PathBuf {
    let mut number = 1;
    loop {
        let path = with_suffix(name, &format!("-{number}{extension}"));
        if !path.exists() {
            return path;
        }
        number += 1;
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
