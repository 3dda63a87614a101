//! The measured processes.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use crate::index::milliseconds;

/// A running `quiver serve`.
#[derive(Debug)]
pub(super) struct Serving {
    child: Child,
    pub(super) address: String,
}

impl Serving {
    pub(super) fn start(quiver: &Path, path: &Path, flags: &[String]) -> Result<Self> {
        let child = Command::new(quiver)
            .args(["serve", "--listen", "127.0.0.1:0", "--path"])
            .arg(path)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| quiver.display().to_string())?;
        // From here on, dropping this value ends the process.
        let mut serving = Self { child, address: String::new() };
        let mut line = String::new();
        let output = serving.child.stdout.as_mut().context("it prints nothing")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on ");
        address.with_context(|| format!("`quiver serve` printed {line:?}"))?.clone_into(&mut serving.address);
        Ok(serving)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Terminates the server as a supervisor would. Returns how long that took, in milliseconds.
    pub(super) fn end(mut self) -> Result<f64> {
        let began = Instant::now();
        let told = Command::new("kill").args(["-TERM", &self.id().to_string()]).status()?;
        ensure!(told.success(), "the server was gone");
        let status = self.child.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(milliseconds(began))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Killing a process that has already ended fails, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command and returns how long it took, in milliseconds.
pub(super) fn time_of(quiver: &Path, arguments: &[&str], codes: &[i32]) -> Result<f64> {
    let began = Instant::now();
    let output = Command::new(quiver).args(arguments).stdin(Stdio::null()).output()?;
    let took = milliseconds(began);
    let is_well = output.status.code().is_some_and(|code| codes.contains(&code));
    ensure!(is_well, "quiver {} ended with {}", arguments.join(" "), output.status);
    Ok(took)
}

/// The resident memory of a process, in megabytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Memory {
    pub(super) start: f64,
    pub(super) peak: f64,
    pub(super) end: f64,
}

impl Memory {
    pub(super) fn of(process: u32) -> Result<Self> {
        let now = resident(process)?;
        Ok(Self { start: now, peak: now, end: now })
    }

    pub(super) fn look(&mut self, process: u32) -> Result<()> {
        self.end = resident(process)?;
        self.peak = self.peak.max(self.end);
        Ok(())
    }
}

fn resident(process: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).context("the server has ended")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no memory is told")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1000.0)
}
