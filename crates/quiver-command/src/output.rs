//! Standard output and standard error, written so that a reader who leaves is no error.

use std::{
    fmt,
    io::{self, BufWriter, Write},
};

use serde::Serialize;

use crate::{exit::ReaderGone, json};

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

    /// Prints a document, in which the version of its form comes first.
    pub(crate) fn document(&mut self, document: impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.writer, &json::Versioned::new(document))?;
        self.writer.write_all(b"\n")
    }

    /// Prints a document in one line, where there will be others.
    pub(crate) fn json_line(&mut self, document: impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.writer, &json::Versioned::new(document))?;
        self.writer.write_all(b"\n")
    }

    /// Prints a line of text.
    pub(crate) fn line(&mut self, line: impl fmt::Display) -> io::Result<()> {
        writeln!(self.writer, "{line}")
    }

    /// The bytes themselves, for what has a form of its own.
    pub(crate) fn writer(&mut self) -> &mut Stdout {
        &mut self.writer
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
    let _ = writeln!(io::stderr(), "quiver: {text}");
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
