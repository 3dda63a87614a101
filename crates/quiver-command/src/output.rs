//! Standard output and standard error. A reader that closes the pipe does not count as an error.

use std::{
    env, fmt,
    io::{self, BufWriter, IsTerminal, Write},
    ops::Range,
    sync::{Mutex, PoisonError},
};

use serde::Serialize;

use crate::{
    caller,
    exit::{ReaderGone, causes},
    json,
    visible::{Shown, escaped, visible},
};

/// Whether the one document of this process has been printed. Held while it is being printed.
static PRINTED: Mutex<bool> = Mutex::new(false);

/// Where results go: text for people, or one JSON document.
pub(crate) struct Output {
    json: bool,
    writer: Sink,
}

/// Standard output, or a buffer for another process.
enum Sink {
    Standard(Stdout),
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "commands run for this process alone"))]
    Kept {
        text: Vec<u8>,
        /// Whether the one document has been printed.
        printed: bool,
    },
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(writer) => writer.write(bytes),
            Self::Kept { text, .. } => text.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(writer) => writer.flush(),
            Self::Kept { .. } => Ok(()),
        }
    }
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, writer: Sink::Standard(Stdout(BufWriter::new(io::stdout()))) }
    }

    /// Creates an output that keeps its text for another process.
    #[cfg(feature = "serve")]
    pub(crate) fn kept(json: bool) -> Self {
        Self { json, writer: Sink::Kept { text: Vec::new(), printed: false } }
    }

    /// Returns the kept text.
    #[cfg(feature = "serve")]
    pub(crate) fn into_text(self) -> String {
        match self.writer {
            Sink::Standard(_) => String::new(),
            Sink::Kept { text, .. } => String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// Prints the output of another process unchanged.
    #[cfg(feature = "serve")]
    pub(crate) fn pass_on(&mut self, text: &str) -> io::Result<()> {
        if self.json {
            // The one document of this process.
            let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
            if text.is_empty() || std::mem::replace(&mut *printed, true) {
                return Ok(());
            }
        }
        self.writer().write_all(text.as_bytes())?;
        self.writer.flush()
    }

    /// Whether JSON output was requested.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a document, starting with the format version. A process prints only one; later ones are dropped.
    pub(crate) fn document(&mut self, document: impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&json::Versioned::new(document))?;
        if let Sink::Kept { text: kept, printed } = &mut self.writer {
            if !std::mem::replace(printed, true) {
                writeln!(kept, "{}", escaped(&text))?;
            }
            return Ok(());
        }
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

    /// Prints a line of text with some of its bytes in bold, on a terminal.
    pub(crate) fn marked_line(&mut self, line: &str, marked: &[Range<usize>]) -> io::Result<()> {
        let has_style = matches!(self.writer, Sink::Standard(_))
            && io::stdout().is_terminal()
            && env::var_os("NO_COLOR").is_none();
        if !has_style {
            return self.line(line);
        }
        let mut from = 0;
        for range in marked {
            let (before, bold) = (&line[from..range.start], &line[range.clone()]);
            write!(self.writer, "{}\x1b[1m{}\x1b[0m", visible(before), visible(bold))?;
            from = range.end;
        }
        self.line(&line[from..])
    }

    /// Prints text without a line break.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.writer, "{}", visible(&text.to_string()))
    }

    /// Returns a writer for formatted data: raw for files and pipes, with control characters made visible on a
    /// terminal.
    pub(crate) fn writer(&mut self) -> Box<dyn Write + Send + '_> {
        if matches!(self.writer, Sink::Standard(_)) && io::stdout().is_terminal() {
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
        note(&message(error));
    }

    /// Prints an error as the JSON document if JSON was requested, and returns the message for people.
    #[cfg(feature = "serve")]
    pub(crate) fn error_document(&mut self, error: &anyhow::Error) -> String {
        if self.json {
            // Kept in memory for another process.
            let _ = self.document(json::Failure::of(error));
        }
        message(error)
    }
}

/// An error and its causes, for people.
pub(crate) fn message(error: &anyhow::Error) -> String {
    causes(error).join("\n  because: ")
}

/// Prints a message to standard error, or passes it to the process that the command runs for. A closed standard error
/// is ignored.
pub(crate) fn note(text: &str) {
    if caller::told(text) {
        return;
    }
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
