//! Formats that are read by a process of its own, so that a file made to break its parser breaks nothing else.

#[cfg(feature = "spreadsheets")]
use super::workbook;
use super::{ReadOptions, ReadProblem, book, pdf, slides, word};
use crate::document::Document;
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// How to read formats whose parsers can't be trusted with every file: PDF and workbooks. Archives whose parsers always
/// terminate (Word, `PowerPoint`, EPUB) are read by the program if there is one, or else in this process.
///
/// A PDF file can send its parser into an endless loop or unbounded recursion, or make it use gigabytes of memory. A
/// library can't stop that within its own process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Untrusted {
    /// Does not read them; each such file is reported as a problem. The default.
    #[default]
    Refuse,
    /// Has a program read them, which limits its own memory and CPU time and then calls [`serve`].
    Program(ReaderProgram),
    /// Reads them in this process, on a thread with its own stack. Use this only for trusted files.
    InProcess,
}

/// A program that reads one file from standard input and writes the output of [`serve`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments. The extension of the file is appended to them.
    pub arguments: Vec<OsString>,
    /// Maximum time for a file.
    pub time_max: Duration,
}

/// What the program writes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Document(Box<Document>),
    Problem { what: String, mend: String },
}

/// Reads a file from `input`, in the format given by its extension, and writes its text or the problem to `output`.
/// This is all the work of a [`ReaderProgram`]. The caller must set resource limits first, and use a process for one
/// file only.
///
/// # Errors
/// Fails if reading or writing fails.
pub fn serve(ending: &str, input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let reply = match document(Path::new(""), ending, bytes, ReadOptions::default().file_bytes_max) {
        Ok(document) => Reply::Document(Box::new(document)),
        Err(ReadProblem { what, mend, .. }) => Reply::Problem { what, mend },
    };
    serde_json::to_writer(&mut *output, &reply)?;
    output.flush()
}

/// Whether files with this ending are read by a [`ReaderProgram`], where there is one.
pub(super) fn is_served(ending: &str) -> bool {
    stops_by_itself(ending) || is_unbounded(ending)
}

/// Whether the parser for this ending bounds what it unpacks, and never recurs.
fn stops_by_itself(ending: &str) -> bool {
    matches!(ending, "docx" | "epub" | "pptx")
}

/// Whether nothing bounds the parser for this ending but a process of its own.
pub(super) fn is_unbounded(ending: &str) -> bool {
    matches!(ending, "pdf" | "xlsx" | "xlsm" | "ods")
}

/// Reads a file that is untrusted in this process.
pub(super) fn document(
    path: &Path,
    ending: &str,
    bytes: Vec<u8>,
    unpacked_max: u64,
) -> Result<Document, ReadProblem> {
    if bytes.is_empty() {
        return Err(ReadProblem::new(path, None, "the file is empty", "save it again, or omit it"));
    }
    match ending {
        "docx" => word::document(path, &bytes, unpacked_max),
        "epub" => book::document(path, &bytes, unpacked_max),
        "pptx" => slides::document(path, &bytes, unpacked_max),
        _ => on_a_thread(path, ending, bytes),
    }
}

/// Broken files send these parsers into panics and deep recursion, so they have a thread and a large stack of their
/// own.
fn on_a_thread(path: &Path, ending: &str, bytes: Vec<u8>) -> Result<Document, ReadProblem> {
    const STACK_BYTES: usize = 64 << 20;
    let (of, name) = (path.to_owned(), ending.to_owned());
    let parse = move || match name.as_str() {
        "pdf" => pdf::document(&of, &bytes),
        #[cfg(feature = "spreadsheets")]
        name => workbook::document(&of, name, bytes),
        #[cfg(not(feature = "spreadsheets"))]
        _ => {
            let mend = "build with the feature `spreadsheets`, or save it as CSV";
            Err(ReadProblem::new(&of, None, "this build can't read workbooks", mend))
        }
    };
    let parser = thread::Builder::new()
        .name(ending.to_owned())
        .stack_size(STACK_BYTES)
        .spawn(parse)
        .map_err(|error| ReadProblem::io(path, &error))?;
    parser.join().unwrap_or_else(|_| {
        let mend = "open it and save it again, or convert it to text";
        Err(ReadProblem::new(path, None, "the parser crashed on this file", mend))
    })
}

/// What a program is given to read.
pub(super) enum Content {
    File(File),
    Bytes(Vec<u8>),
}

impl ReaderProgram {
    /// What a file holds.
    pub(super) fn document(
        &self,
        path: &Path,
        ending: &str,
        content: Content,
        bytes_max: u64,
    ) -> Result<Document, ReadProblem> {
        let mend = "convert it to text, or omit it";
        let failed = |what: String| ReadProblem::new(path, None, what, mend);
        let began = Instant::now();
        let (stdin, bytes) = match content {
            Content::File(file) => (file.into(), None),
            Content::Bytes(bytes) => (Stdio::piped(), Some(bytes)),
        };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(ending).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        {
            // Ctrl-C is for the one who started the reading, which ends in good order.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let child = command.spawn().map_err(|error| {
            failed(format!("can't start the reader program {}: {error}", self.program.display()))
        })?;
        let mut child = Ended(child);
        if let (Some(mut stdin), Some(bytes)) = (child.0.stdin.take(), bytes) {
            // One that ends without reading says so otherwise.
            thread::spawn(move || stdin.write_all(&bytes));
        }
        let Some(output) = child.0.stdout.take() else {
            return Err(failed("the reader program has no output".to_owned()));
        };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut reply = Vec::new();
            let read = output.take(bytes_max.saturating_add(1)).read_to_end(&mut reply);
            let _ = sender.send(read.map(|_| reply));
        });
        let too_slow = || failed(format!("reading takes more than {} s", self.time_max.as_secs_f64()));
        let reply = match receiver.recv_timeout(self.time_max) {
            Ok(reply) => reply.map_err(|error| ReadProblem::io(path, &error))?,
            Err(_) => return Err(too_slow()),
        };
        if reply.len() as u64 > bytes_max {
            return Err(failed(format!("the text exceeds the limit of {bytes_max} bytes")));
        }
        let left = self.time_max.saturating_sub(began.elapsed());
        let Some(status) = child.end(left).map_err(|error| ReadProblem::io(path, &error))? else {
            return Err(too_slow());
        };
        if !status.success() {
            return Err(failed(format!("the reader program failed with {}", said(status))));
        }
        match serde_json::from_slice(&reply) {
            Ok(Reply::Document(document)) => Ok(*document),
            Ok(Reply::Problem { what, mend }) => Err(ReadProblem::new(path, None, what, mend)),
            Err(error) => Err(failed(format!("the reader program gave an invalid reply: {error}"))),
        }
    }
}

/// A child that is gone, at the latest, with this.
struct Ended(Child);

impl Ended {
    /// Waits for the end, for so long at the most.
    fn end(&mut self, time_max: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + time_max;
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended already is no error.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn said(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let limits = "the file exceeds the limits on memory, time or depth";
        return format!("signal {signal}: {limits}");
    }
    status.to_string()
}
