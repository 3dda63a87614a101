//! Kills: SIGKILL ends a command while it changes the database.

use std::{path::Path, process::Command};

use anyhow::{Result, ensure};

use super::{
    Case,
    sample::{DATABASE, DELETED, FORGOTTEN, export, lines},
};

/// Kills a change once, and possibly again when it is repeated, and compares the result with what was
/// acknowledged.
pub(super) fn run(case: &mut Case<'_>) -> Result<String> {
    let change = case.random.pick(&case.sample.changes);
    let before = lines(&case.sample.export);
    let after = lines(&change.export);
    let mut killed = 0;
    for _ in 0..=case.random.below(2) {
        let delay = change.took.mul_f64(case.random.share());
        let output = case.program.kill_after(case.here(), &change.arguments(), delay)?;
        killed += usize::from(output.killed);
        output.sound()?;
    }
    let left = export(case.program, case.here())?;
    let lost = before.intersection(&after).find(|line| !left.contains(*line));
    ensure!(lost.is_none(), "a killed {} lost what was acknowledged before it: {lost:?}", change.name);
    let erased = match change.name {
        "forget" => Some(FORGOTTEN),
        "delete" => Some(DELETED),
        _ => None,
    };
    // The export opened the database, which completes interrupted work.
    if let Some(word) = erased.filter(|word| !left.contains(word)) {
        check_erased(case, word, "opening the database")?;
    }
    case.run(&["verify", "--path", DATABASE])?.expect(&[0])?;
    if let Some(session) = change.session
        && case.random.below(2) == 0
    {
        // Either undo it: a half-finished session can be forgotten.
        case.run(&["forget", "--session", session, "--path", DATABASE])?.expect(&[0, 1])?;
        ensure!(
            export(case.program, case.here())? == case.sample.export,
            "forgetting a session whose {} was killed leaves something of it",
            change.name
        );
    } else {
        // Or complete it: the same command resumes.
        case.run(&change.arguments())?.expect(&[0, 1])?;
        ensure!(
            export(case.program, case.here())? == change.export,
            "a killed {} that was run again ends with another database",
            change.name
        );
        if let Some(word) = erased {
            check_erased(case, word, "the same command")?;
        }
    }
    Ok(format!("{} {}", change.name, if killed > 0 { "killed" } else { "ended before the kill" }))
}

/// Fails if the database files still contain a word that has disappeared from the export.
fn check_erased(case: &Case<'_>, word: &str, after: &str) -> Result<()> {
    let left = holds(&case.here().join(DATABASE), word)?;
    ensure!(left.is_empty(), "after {after} what is gone still stands in {left}");
    Ok(())
}

/// Returns the files in a directory that contain a word. Uses `grep`, which skips holes in sparse files.
fn holds(directory: &Path, word: &str) -> Result<String> {
    let found = Command::new("grep").args(["-rlaF", word]).arg(directory).output()?;
    Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
}
