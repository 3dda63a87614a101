//! Standard output and standard error, written so that a reader who leaves is no error.

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

/// Whether the one document of this process is out. Whoever prints it holds this until it is.
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

    /// Whether one JSON document is asked for.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a document, in which the version of its form comes first. There is one in a process: what comes after the
    /// first is not printed.
    pub(crate) fn document(&mut self, document: impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&json::Versioned::new(document))?;
        let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *printed, true) {
            writeln!(self.writer, "{}", escaped(&text))?;
            self.writer.flush()?;
        }
        Ok(())
    }

    /// Ends with an error, if nothing else is said yet; from here on nothing is.
    pub(crate) fn last_error(&mut self, error: &anyhow::Error) {
        self.error(error);
        // Never given back: the process is about to end.
        std::mem::forget(PRINTED.lock());
    }

    /// Prints a document in one line, where there will be others.
    pub(crate) fn json_line(&mut self, document: impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(&json::Versioned::new(document))?;
        writeln!(self.writer, "{}", escaped(&text))
    }

    /// Prints a line of text.
    pub(crate) fn line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        writeln!(self.writer, "{}", visible(&line.to_string()))
    }

    /// Prints text that goes on.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.writer, "{}", visible(&text.to_string()))
    }

    /// Where what has a form of its own is written: as it is into files and pipes, visibly on a terminal.
    pub(crate) fn writer(&mut self) -> Box<dyn Write + Send + '_> {
        if io::stdout().is_terminal() {
            Box::new(Shown::new(&mut self.writer))
        } else {
            Box::new(&mut self.writer)
        }
    }

    /// Writes what is still held back.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Says on standard error what went wrong and why, and in the JSON document if one is asked for.
    pub(crate) fn error(&mut self, error: &anyhow::Error) {
        // Text that was printed before the error comes first. Nothing can be said if that fails too.
        if self.json {
            let _ = self.document(json::Failure::of(error));
        }
        let _ = self.finish();
        note(&chain(error).join("\n  because: "));
    }
}

/// An error and its causes; a cause that the one before it quotes is left out.
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

/// Says something on standard error. A closed standard error is no reason to fail.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "quiver: {}", visible(text));
}

/// Standard output. When its reader has gone, writing fails with [`ReaderGone`].
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
