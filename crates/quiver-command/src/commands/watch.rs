//! `quiver watch`.
//!
//! The folder is scanned at intervals: that works on every file system, and no system watcher does. A scan reads the
//! metadata of each file, and the intervals grow with the time it takes. The database is opened for each change and
//! closed after it, so that others can use it in between.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use quiver::{
    read::{self, FileState, ReadOptions},
    store,
};
use tokio::{sync::Notify, time::sleep};

use super::ingest::{self, Changes};
use crate::{
    Arguments, Exit,
    arguments::{IngestArguments, WatchArguments},
    exit::Failed,
    interrupt::{self, interruption},
    output::{Output, message, note},
    settings::Settings,
};

/// Default number of seconds between two scans.
const EVERY_S: f64 = 1.0;
/// Scans take at most one over this of the time.
const SHARE_MAX: u32 = 20;
/// Pause between two scans while changes settle.
const SETTLE: Duration = Duration::from_millis(300);
/// A file that is written constantly is read anyway after this many scans.
const SETTLE_TIMES: usize = 10;

/// The files of the folder, with what shows whether one has changed.
type Files = BTreeMap<std::path::PathBuf, FileState>;

pub(crate) async fn run(
    arguments: &Arguments,
    watch: &WatchArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let folder = watch.folder.canonicalize().ok().filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        let message = format!("{}: there is no such folder; check the path", watch.folder.display());
        return Err(Failed::input(message).into());
    };
    let ended = listen(output.is_json());
    let ingest = watch.ingest();
    let options = ReadOptions {
        include: watch.include.clone(),
        exclude: watch.exclude.clone(),
        is_database: store::is_database,
        ..ReadOptions::default()
    };
    let (mut before, mut took) = look(&folder, &options).await?;
    let all = Changes::default();
    let exit = apply(arguments, &ingest, &all, settings, output).await?;
    if matches!(exit, Exit::Interrupted | Exit::Budget) {
        return Ok(exit);
    }
    if !watch.quiet {
        note(&format!("watching {} until Ctrl-C", watch.folder.display()));
    }
    let every = Duration::from_secs_f64(watch.every.unwrap_or(EVERY_S));
    let mut is_missed = false;
    loop {
        tokio::select! {
            () = ended.notified() => return Ok(Exit::Done),
            () = sleep(every.max(took * SHARE_MAX)) => {}
        }
        // An unmounted disk is not a folder with all files deleted.
        if !folder.is_dir() {
            if !std::mem::replace(&mut is_missed, true) {
                note(&format!(
                    "{} does not exist; waiting for it, and deleting nothing",
                    watch.folder.display()
                ));
            }
            continue;
        }
        is_missed = false;
        let (now, spent) = look(&folder, &options).await?;
        took = spent;
        if now == before {
            continue;
        }
        let now = settled(now, &folder, &options).await?;
        if !folder.is_dir() {
            continue;
        }
        let changes = changes(&before, &now);
        match apply(arguments, &ingest, &changes, settings, output).await {
            Ok(exit @ (Exit::Interrupted | Exit::Budget)) => return Ok(exit),
            Ok(_) => before = now,
            // The next scan tries again.
            Err(error) => note(&message(&error)),
        }
    }
}

/// Waits for signals. The second one ends the process at once.
fn listen(json: bool) -> Arc<Notify> {
    interrupt::handle();
    let ended = Arc::new(Notify::new());
    let asked = Arc::clone(&ended);
    tokio::spawn(async move {
        interruption().await;
        asked.notify_one();
        interruption().await;
        interrupt::end(json, "aborted; the same command resumes after the last batch");
    });
    ended
}

/// Scans the folder, and returns how long that took.
async fn look(folder: &Path, options: &ReadOptions) -> Result<(Files, Duration)> {
    let (folder, options, began) = (folder.to_owned(), options.clone(), Instant::now());
    let files = tokio::task::spawn_blocking(move || read::files(&folder, &options)).await?;
    Ok((files, began.elapsed()))
}

/// Waits until changes have settled: an editor writes a file in several steps, a checkout writes many files.
async fn settled(mut files: Files, folder: &Path, options: &ReadOptions) -> Result<Files> {
    for _ in 0..SETTLE_TIMES {
        sleep(SETTLE).await;
        let (now, _) = look(folder, options).await?;
        if now == files {
            break;
        }
        files = now;
    }
    Ok(files)
}

fn changes(before: &Files, now: &Files) -> Changes {
    let changed = now.iter().filter(|(path, state)| before.get(*path) != Some(state));
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let files: BTreeSet<_> = changed.map(|(path, _)| path.clone()).collect();
    Changes { files: Some(files), gone: gone.cloned().collect() }
}

/// Ingests what changed, and deletes what is gone.
async fn apply(
    arguments: &Arguments,
    ingest: &IngestArguments,
    changes: &Changes,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    #[cfg(feature = "serve")]
    {
        // A server may have taken the directory meanwhile, or released it.
        let as_ingest =
            Arguments { command: crate::arguments::Command::Ingest(ingest.clone()), ..arguments.clone() };
        if let Some(mut reached) = super::remote::find(&as_ingest, settings).await? {
            let exit = ingest::run_over(&mut reached, ingest, Some(changes), settings, output).await;
            reached.end().await;
            output.finish()?;
            return exit;
        }
    }
    let _ = arguments;
    let exit = ingest::run(ingest, Some(changes), settings, output).await;
    output.finish()?;
    exit
}
