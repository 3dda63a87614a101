//! `quiver verify`.

use anyhow::Result;

use super::count;
use crate::{Exit, arguments::VerifyArguments, database, json, output::Output, settings::Settings};

pub(super) async fn run(
    arguments: &VerifyArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let found = quiver.verify().await?;
    let (left, repair) = if arguments.repair && !found.is_empty() {
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
        output.line("`quiver verify --repair` mends what can be mended")?;
        return Ok(exit);
    };
    output.line(format_args!(
        "mended: {} dropped, {} deleted, {}, {} and {} collected; ingest the documents again to weave them anew",
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
