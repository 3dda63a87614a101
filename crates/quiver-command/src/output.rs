//! Standard output and standard error. A reader that closes the pipe does not count as an error.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Write},
    sync::{Mutex, PoisonError},
};

use serde::Serialize;

use crate::{
    exit::ReaderGone,
    json,
    visible::{Shown, escaped, visible},
};

/// Whether the one document of this process has been printed. Held while it is being printed.
static PRINTED: Mutex<bool> = Mutex::new(false);

/// Where results go: text for people, or one JSON document.
pub(crate) struct Output {
    json: bool,
    writer: Stdout,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, writer: Stdout(BufWriter::new(io::stdout())) }
    }

    /// Whether JSON output was requested.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a document, starting with the format version. A process prints only one; later ones are dropped.
    pub(crate) fn document(&mut self, document: impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&json::Versioned::new(document))?;
        let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *printed, true) {
            writeln!(self.writer, "{}", escaped(&text))?;
            self.writer.flush()?;
        }
        Ok(())
    }

    /// Ends with an error document, unless a document has been printed. Nothing is printed afterwards.
    pub(crate) fn last_error(&mut self, error: &anyhow::Error) {
        self.error(error);
        // Never released: the process is about to end.
        std::mem::forget(PRINTED.lock());
    }

    /// Prints a document on one line, for commands that print several.
    pub(crate) fn json_line(&mut self, document: impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(&json::Versioned::new(document))?;
        writeln!(self.writer, "{}", escaped(&text))
    }

    /// Prints a line of text.
    pub(crate) fn line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        writeln!(self.writer, "{}", visible(&line.to_string()))
    }

    /// Prints text without a line break.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.writer, "{}", visible(&text.to_string()))
    }

    /// Returns a writer for formatted data: raw for files and pipes, with control characters made visible on a
    /// terminal.
    pub(crate) fn writer(&mut self) -> Box<dyn Write + Send + '_> {
        if io::stdout().is_terminal() {
            Box::new(Shown::new(&mut self.writer))
        } else {
            Box::new(&mut self.writer)
        }
    }

    /// Flushes the buffer.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Prints an error and its causes to standard error, and as the JSON document if JSON was requested.
    pub(crate) fn error(&mut self, error: &anyhow::Error) {
        // Text printed before the error must come first. If that fails too, nothing can be printed.
        if self.json {
            let _ = self.document(json::Failure::of(error));
        }
        let _ = self.finish();
        note(&chain(error).join("\n  because: "));
    }
}

/// Returns an error and its causes, without causes that an earlier message already contains.
pub(crate) fn chain(error: &anyhow::Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !causes.iter().any(|said| said.contains(&cause)) {
            causes.push(cause);
        }
    }
    causes
}

/// Prints a message to standard error. A closed standard error is ignored.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "quiver: {}", visible(text));
}

/// Standard output. If its reader has closed the pipe, writing fails with [`ReaderGone`].
pub(crate) struct Stdout(BufWriter<io::Stdout>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(reader_gone)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(reader_gone)
    }
}

fn reader_gone(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, ReaderGone),
        _ => error,
    }
}
