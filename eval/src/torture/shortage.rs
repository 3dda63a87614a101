//! Shortages: a command runs with too few open files, too little memory, or too little space.

use anyhow::{Context as _, Result, ensure};

use super::{
    Case,
    process::Shortage,
    sample::{DATABASE, QUESTION, export, lines},
};

/// Runs a command under a shortage. It must succeed or say what it lacks, and nothing may be lost.
///
/// A failed allocation may end the process, but even then nothing may be lost.
pub(super) fn run(case: &mut Case<'_>, of_memory: bool) -> Result<String> {
    let (shortage, words): (_, &[&str]) = match case.random.below(2) {
        _ if of_memory => (Shortage::Memory(64 + case.random.below(4_000)), &["memory", "address space"]),
        0 => (Shortage::Files(6 + case.random.below(60)), &["open files", "too few files"]),
        _ => {
            (Shortage::FileSize(case.random.below(20_000)), &["room", "space", "too large", "File too large"])
        }
    };
    let change = case.random.pick(&case.sample.changes);
    let asks = case.random.below(3) == 0;
    let arguments = if asks { vec!["ask", QUESTION, "--path", DATABASE] } else { change.arguments() };
    let what = format!("{shortage:?}");
    let output = case.program.short(case.here(), &arguments, shortage)?;
    let outcome = if matches!(shortage, Shortage::Memory(_)) && output.lacks_memory() {
        "ended because an allocation failed"
    } else {
        let output = output.expect(&[0, 1, 3, 4, 5]).context(what.clone())?;
        let worked = matches!(output.code, Some(0 | 1));
        let advice = ["remove it", "ingest again", "damaged"];
        let advice = advice.into_iter().find(|advice| output.stderr.contains(advice));
        ensure!(advice.is_none(), "{what}: {output} calls the database damaged");
        ensure!(
            worked || words.iter().any(|word| output.stderr.contains(word)),
            "{what}: {output} does not say what is short"
        );
        if worked { "enough to work" } else { "says what is short" }
    };
    let left = export(case.program, case.here())?;
    if asks {
        ensure!(left == case.sample.export, "{what}: a question changed the database");
    } else {
        let before = lines(&case.sample.export);
        let after = lines(&change.export);
        let lost = before.intersection(&after).find(|line| !left.contains(*line));
        ensure!(lost.is_none(), "{what}: {} lost what was acknowledged before it: {lost:?}", change.name);
        case.run(&change.arguments())?.expect(&[0, 1])?;
        ensure!(
            export(case.program, case.here())? == change.export,
            "{what}: {} that was run again ends with another database",
            change.name
        );
    }
    Ok(outcome.to_owned())
}
