//! Runs the command under test with a timeout, a kill after a delay, or a resource shortage.

use std::{
    fs::File,
    io::{Read as _, Seek as _},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// How the command is run.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) quiver: PathBuf,
    /// Timeout of every command.
    pub(super) limit: Duration,
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct Output {
    /// The command line, for messages.
    line: String,
    pub(super) code: Option<i32>,
    signal: Option<i32>,
    pub(super) killed: bool,
    hangs: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

/// A resource limit of a command, as set by `ulimit`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shortage {
    /// Open files.
    Files(usize),
    /// Megabytes of address space.
    Memory(usize),
    /// Blocks of 512 bytes per file.
    FileSize(usize),
}

impl Program {
    /// Runs a command in a directory and waits for its end.
    pub(super) fn run(&self, here: &Path, arguments: &[&str]) -> Result<Output> {
        self.start(here, arguments, None, None)
    }

    /// Runs a command and kills it after a delay.
    pub(super) fn kill_after(&self, here: &Path, arguments: &[&str], delay: Duration) -> Result<Output> {
        self.start(here, arguments, Some(delay), None)
    }

    /// Runs a command with a resource limit.
    pub(super) fn short(&self, here: &Path, arguments: &[&str], shortage: Shortage) -> Result<Output> {
        self.start(here, arguments, None, Some(shortage))
    }

    fn start(
        &self,
        here: &Path,
        arguments: &[&str],
        kill_after: Option<Duration>,
        shortage: Option<Shortage>,
    ) -> Result<Output> {
        let mut command = self.command(shortage);
        command.args(arguments).current_dir(here).env_clear();
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        // Use files, because a full pipe would block the command.
        let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command.env("HOME", here).stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| self.quiver.display().to_string())?;
        let (killed, hangs) = self.wait(&mut child, began, kill_after)?;
        let status = child.wait()?;
        Ok(Output {
            line: format!("quiver {}", arguments.join(" ")),
            code: status.code(),
            signal: status.signal(),
            killed,
            hangs,
            stdout: text(&mut out)?,
            stderr: text(&mut err)?,
            took: began.elapsed(),
        })
    }

    fn command(&self, shortage: Option<Shortage>) -> Command {
        let limit = match shortage {
            None => return Command::new(&self.quiver),
            Some(Shortage::Files(files)) => format!("ulimit -n {files}"),
            Some(Shortage::Memory(megabytes)) => format!("ulimit -v {}", megabytes * 1024),
            // Without the trap, a write beyond the limit ends the process with a signal.
            Some(Shortage::FileSize(blocks)) => format!("trap '' XFSZ; ulimit -f {blocks}"),
        };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(&self.quiver);
        command
    }

    /// Waits for the end. Returns whether the command was killed as planned, and whether it timed out.
    fn wait(&self, child: &mut Child, began: Instant, kill_after: Option<Duration>) -> Result<(bool, bool)> {
        loop {
            if child.try_wait()?.is_some() {
                return Ok((false, false));
            }
            let took = began.elapsed();
            if kill_after.is_some_and(|delay| took >= delay) {
                child.kill()?;
                return Ok((true, false));
            }
            if took >= self.limit {
                child.kill()?;
                return Ok((false, true));
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

impl Output {
    /// Fails if the command crashed, hung, or printed control characters of a document to the terminal, which
    /// no command may do.
    pub(super) fn sound(self) -> Result<Self> {
        if self.hangs {
            bail!("{self} took longer than {:?}", self.took);
        }
        if let Some(signal) = self.signal
            && !self.killed
        {
            bail!("{self} was ended by signal {signal}");
        }
        ensure!(self.code != Some(101) && !self.stderr.contains("panicked at"), "{self} panicked");
        for text in [&self.stdout, &self.stderr] {
            if let Some(raw) = text.chars().find(|&character| is_dangerous(character)) {
                bail!("{self} printed U+{:04X} as it is", u32::from(raw));
            }
        }
        Ok(self)
    }

    /// Returns whether the process ended because it ran out of memory.
    pub(super) fn lacks_memory(&self) -> bool {
        const ABORT: i32 = 6;
        const SEGMENTATION_FAULT: i32 = 11; // For the stack of a new thread.
        matches!(self.signal, Some(ABORT | SEGMENTATION_FAULT)) && !self.killed
    }

    /// Checks the exit code and fails on a crash, a hang or dangerous output.
    pub(super) fn expect(self, codes: &[i32]) -> Result<Self> {
        let sound = self.sound()?;
        ensure!(
            sound.code.is_some_and(|code| codes.contains(&code)),
            "{sound} ended with {:?}, not one of {codes:?}",
            sound.code
        );
        Ok(sound)
    }

    /// Parses the one JSON document on standard output.
    pub(super) fn json(&self) -> Result<Value> {
        let document: Value =
            serde_json::from_str(&self.stdout).with_context(|| format!("{self} printed no JSON document"))?;
        ensure!(document["version"].is_number(), "{self} printed JSON without a version");
        Ok(document)
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let start = |text: &str| text.chars().take(400).collect::<String>().escape_debug().to_string();
        write!(f, "`{}` (said: {} | {})", self.line, start(&self.stdout), start(&self.stderr))
    }
}

/// Whether a character is a control character that affects a terminal, or changes the direction of text.
fn is_dangerous(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}
