//! Commands that fail: each must explain why, and print one JSON document if asked to.

use std::fs;

use anyhow::{Result, ensure};

use super::{Case, sample::DATABASE};

/// Runs a failing command with `--json`.
pub(super) fn run(case: &mut Case<'_>) -> Result<String> {
    let word = case.random.name();
    let deep = format!("{}1{}", "[".repeat(3000), "]".repeat(3000));
    fs::write(case.here().join("broken.jsonl"), format!("{{\"text\": {deep}}}\n{{\"text\"\n\u{1b}[31m\n"))?;
    fs::write(case.here().join("occupied"), "no directory")?;
    let commands: [&[&str]; 24] = [
        &["ask"],
        &["ask", "why", "--path", "nowhere"],
        &["ask", "why", "--hops", &word],
        &["asks", "why"],
        &["search", "why", "--passages", "0"],
        &["delete", &word],
        &["forget", "--session", &word],
        &["forget"],
        &["sessions", "--archive", &word],
        &["facts", &word, "--as-of", "yesterday"],
        &["recall", "Who?", "--tokens", "none"],
        &["remember", "--from", &word],
        &["remember", "--from", "broken.jsonl"],
        &["import", &word],
        &["import", "broken.jsonl"],
        &["import", "occupied"],
        &["ingest", &word],
        &["ingest", "broken.jsonl"],
        &["ingest", "broken.jsonl", "--on-error", "stop"],
        &["export", "--output", "nowhere/all.jsonl"],
        &["export", "--format", &word],
        &["decide", "undo", &word],
        &["stats", "--path", "occupied"],
        &["stats", "--url", "http://127.0.0.1:1"],
    ];
    let command = *case.random.pick(&commands);
    let mut arguments = command.to_vec();
    if !arguments.contains(&"--path") && !arguments.contains(&"--url") {
        arguments.extend(["--path", DATABASE]);
    }
    arguments.push("--json");
    let output = case.run(&arguments)?.expect(&[0, 1, 2, 3, 4, 5])?;
    output.json()?;
    ensure!(
        output.code == Some(0) || !output.stderr.trim().is_empty() || output.code == Some(1),
        "{output} does not say why it failed"
    );
    Ok(format!("exit code {}", output.code.unwrap_or_default()))
}
