//! `quiver compact` and `quiver backup`.

use anyhow::Result;

use super::count;
use crate::{Exit, arguments::BackupArguments, database, json, output::Output, settings::Settings};

pub(super) async fn compact(settings: &Settings, output: &mut Output) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let before = quiver.stats().await?.disk_bytes;
    quiver.compact().await?;
    let after = quiver.stats().await?.disk_bytes;
    if output.is_json() {
        output.document(json::Compacted { disk_bytes_before: before, disk_bytes: after })?;
        return Ok(Exit::Done);
    }
    match (before, after) {
        (Some(before), Some(after)) => output.line(format_args!(
            "{:.1} MB on disk, {:.1} MB before",
            after as f64 / 1e6,
            before as f64 / 1e6
        ))?,
        _ => output.line("nothing to do: a server compacts by itself")?,
    }
    Ok(Exit::Done)
}

pub(super) async fn backup(
    arguments: &BackupArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let done = database::back_up(settings, &arguments.target).await?;
    let exit = if done.unreadable.is_empty() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(done)?;
    } else {
        let files = usize::try_from(done.files).unwrap_or(usize::MAX);
        output.line(format_args!("{} copied to {}", count(files, "file"), arguments.target.display()))?;
    }
    Ok(exit)
}
