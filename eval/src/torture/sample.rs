//! A sample database: documents, turns and the commands that add them, with the expected results.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::{process::Program, random::Random};

/// The name of the database in the directory of every run.
pub(super) const DATABASE: &str = "data";
/// A question that the sample answers.
pub(super) const QUESTION: &str = "Who built the first tower?";

/// A word that occurs in only one session. No trace of it may remain after that session is forgotten.
pub(super) const FORGOTTEN: &str = "Xyloquartz";

/// A word that occurs in only one document. No trace of it may remain after that document is deleted.
pub(super) const DELETED: &str = "Vexidorium";
/// The document with that word.
const TO_DELETE: usize = 11;

/// A complete database, and commands that change it.
#[derive(Debug)]
pub(super) struct Sample {
    /// Contains the inputs and the database.
    directory: PathBuf,
    pub(super) export: String,
    pub(super) changes: Vec<Change>,
}

/// A command that changes the sample.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) name: &'static str,
    arguments: Vec<String>,
    /// The duration without interruption.
    pub(super) took: Duration,
    /// The export after it.
    pub(super) export: String,
    /// The session it adds, if any: forgetting that session undoes the change.
    pub(super) session: Option<&'static str>,
}

impl Change {
    pub(super) fn arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }
}

impl Sample {
    /// Creates the sample in a directory.
    pub(super) fn new(program: &Program, directory: &Path, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed, usize::MAX);
        let names: Vec<String> = (0..60).map(|_| random.name()).collect();
        fs::write(directory.join("first.jsonl"), documents(&mut random, &names, 0..20))?;
        fs::write(directory.join("second.jsonl"), documents(&mut random, &names, 20..60))?;
        fs::write(directory.join("plan.jsonl"), turns(&mut random, &names, "plan", 12))?;
        fs::write(directory.join("later.jsonl"), turns(&mut random, &names, "later", 20))?;
        let run = |arguments: &[&str]| program.run(directory, arguments)?.expect(&[0]);
        run(&["ingest", "second.jsonl", "--source", "sample", "--path", "other"])?;
        run(&["export", "--path", "other", "--output", "other.jsonl"])?;
        fs::remove_dir_all(directory.join("other"))?;
        run(&["ingest", "first.jsonl", "--source", "sample", "--path", DATABASE])?;
        run(&["remember", "--from", "plan.jsonl", "--path", DATABASE])?;
        let export = export(program, directory)?;
        let listed = run(&["documents", "--json", "--path", DATABASE])?.json()?;
        let keys = listed["documents"].as_array().into_iter().flatten().filter_map(|one| one["key"].as_str());
        let key = { keys }
            .find(|key| key.ends_with(&format!("tower-{TO_DELETE}")))
            .context("the document to delete is not listed")?
            .to_owned();
        let mut sample = Self { directory: directory.to_owned(), export, changes: Vec::new() };
        let changes: [(&str, &[&str], Option<&str>); 6] = [
            ("ingest", &["ingest", "second.jsonl", "--source", "sample", "--batch", "8"], None),
            ("remember", &["remember", "--from", "later.jsonl"], Some("later")),
            ("import", &["import", "other.jsonl"], None),
            ("delete", &["delete", &key], None),
            ("forget", &["forget", "--session", "plan"], None),
            ("compact", &["compact"], None),
        ];
        for (name, arguments, session) in changes {
            let arguments = [arguments, &["--path", DATABASE]].concat();
            let copy = tempfile::tempdir()?;
            sample.copy_to(copy.path())?;
            let done = program.run(copy.path(), &arguments)?.expect(&[0])?;
            sample.changes.push(Change {
                name,
                arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
                took: done.took,
                export: self::export(program, copy.path())?,
                session,
            });
        }
        Ok(sample)
    }

    /// Copies the inputs and the database.
    pub(super) fn copy_to(&self, to: &Path) -> Result<()> {
        copy(&self.directory, to).with_context(|| to.display().to_string())
    }
}

/// Exports the database in a directory, which must be readable.
pub(super) fn export(program: &Program, here: &Path) -> Result<String> {
    Ok(program.run(here, &["export", "--path", DATABASE])?.expect(&[0])?.stdout)
}

pub(super) fn lines(export: &str) -> BTreeSet<&str> {
    export.lines().collect()
}

/// Copies a directory and keeps its files sparse, because database files are mostly empty.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut command = Command::new("cp");
    let copied = command.args(["-R", "--sparse=always"]).arg(from.join(".")).arg(to).status()?;
    ensure!(copied.success(), "cp failed");
    Ok(())
}

/// Returns lines of JSON with documents that refer to each other.
fn documents(random: &mut Random, names: &[String], range: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for number in range {
        let [maker, town, other] = [(); 3].map(|()| random.pick(names).clone());
        let name = &names[number];
        let built = 1700 + random.below(300);
        let body = format!(
            "{name} Tower was built by {maker} Works in {built}. It stands in the town of {town}. {name} Tower \
             replaced {other} Tower, which had burnt down. Its keeper is {town} {maker}."
        );
        let seen = if number == TO_DELETE { format!(" It was seen from {DELETED}.") } else { String::new() };
        let body = body + &seen;
        let line = json!({ "id": format!("tower-{number}"), "title": format!("{name} Tower"), "text": body });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

/// Returns lines of JSON with the turns of a session.
fn turns(random: &mut Random, names: &[String], session: &str, count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let [one, other] = [(); 2].map(|()| random.pick(names).clone());
        let said = match random.below(3) {
            _ if session == "plan" && number == 0 => format!("{one} depends on {FORGOTTEN}."),
            0 => format!("{one} is owned by {other}."),
            1 => format!("From now on {one} is run by {other}."),
            _ => format!("{one} depends on {other}."),
        };
        let line = json!({
            "text": said,
            "session": session,
            "turn": number,
            "speaker": "Ada",
            "time": format!("2026-03-{:02}", 1 + number % 28),
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
