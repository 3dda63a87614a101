//! A home for one test, and commands run in it.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The working directory and home of every command that is run in it.
pub(crate) struct Home {
    directory: TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// Returns a home with two documents in its database, one of which is about what the other mentions.
    pub(crate) fn with_documents() -> Self {
        let home = Self::new();
        home.write("ships/aurelia.md", "# Aurelia\n\nThe Aurelia was built at the Norby yard in 1911.\n");
        home.write("ships/norby.txt", "The Norby yard was founded by Ida Holm in the town of Bergen.\n");
        home.run(&["ingest", "ships"]).expect(0);
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the key of the document read from a file.
    pub(crate) fn key(&self, name: &str) -> String {
        self.directory.path().canonicalize().unwrap().join(name).display().to_string()
    }

    /// Returns the output of `quiver documents` for documents of one passage each.
    pub(crate) fn listed(&self, names: &[&str]) -> String {
        names.iter().map(|name| format!("     1  {}\n", self.key(name))).collect()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Returns the command, without environment variables that could influence it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
        command.args(arguments).current_dir(self.directory.path()).env("HOME", self.directory.path());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("QUIVER_") {
                command.env_remove(name);
            }
        }
        command.env_remove("XDG_CONFIG_HOME").env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Exports a database, for comparison.
    pub(crate) fn export(&self, database: &str) -> String {
        self.run(&["export", "--vectors", "--path", database]).expect(0).stdout
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let run = Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!run.stderr.contains("panicked") && !run.stderr.contains("a bug in quiver"), "{run:#?}");
        run
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Asserts that the exit code is one of these.
    #[track_caller]
    pub(crate) fn expect_one_of(self, codes: &[i32]) -> Self {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "{self:#?}");
        self
    }

    /// Asserts that standard error contains a text.
    #[track_caller]
    pub(crate) fn says(self, what: &str) -> Self {
        assert!(self.stderr.contains(what), "{what:?} is not in {self:#?}");
        self
    }

    /// Asserts that standard output contains a text.
    #[track_caller]
    pub(crate) fn prints(self, what: &str) -> Self {
        assert!(self.stdout.contains(what), "{what:?} is not in {self:#?}");
        self
    }

    /// Returns the only JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let document: Value =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"));
        assert_eq!(document["version"], 1);
        document
    }
}

/// Returns lines of JSON with documents about people, towns and works that refer to each other, determined by the seed.
pub(crate) fn generated(documents: usize, seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let places: Vec<String> = (0..40).map(|_| word(&mut random)).collect();
    let names: Vec<String> =
        (0..documents).map(|_| format!("{} {}", word(&mut random), word(&mut random))).collect();
    let mut lines = String::new();
    for (index, name) in names.iter().enumerate() {
        let mut text = String::new();
        for _ in 0..random.usize(1..5) {
            let other = &names[random.usize(..names.len())];
            let place = &places[random.usize(..places.len())];
            let year = random.u32(1700..2000);
            writeln!(
                text,
                "{name} met {other} in {place} in {year}. The house of {other} stands in {place}."
            )
            .unwrap();
        }
        let document = serde_json::json!({ "id": format!("person-{index}"), "title": name, "text": text });
        writeln!(lines, "{document}").unwrap();
    }
    lines
}

fn word(random: &mut fastrand::Rng) -> String {
    let mut word = String::new();
    for _ in 0..random.usize(2..4) {
        word.push(random.choice(*b"bdfgklmnprstv").unwrap().into());
        word.push(random.choice(*b"aeiou").unwrap().into());
    }
    word[..1].to_uppercase() + &word[1..]
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns all files below a directory, in order.
pub(crate) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
