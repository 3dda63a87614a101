//! Reads lines from a terminal, with editing and a history, or from a pipe.

use std::{
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
};

use anyhow::Result;
use rustyline::{DefaultEditor, error::ReadlineError};
use tokio::task::spawn_blocking;

use crate::{caller, output::note};

/// The prompt on a terminal.
const PROMPT: &str = "> ";

/// The next input.
enum Line {
    Said(String),
    /// The line is discarded: Ctrl-C, or it is not UTF-8 text.
    Discarded,
    /// Ctrl-D, or the end of the pipe.
    End,
}

/// The lines of a conversation, or the queries at a prompt.
pub(super) struct Lines {
    /// The line editor of a terminal; `None` while a line is being read.
    editor: Option<DefaultEditor>,
    history: Option<PathBuf>,
    /// The lines of the process that the command runs for, in reverse order.
    given: Option<Vec<String>>,
    /// The number of lines read from a pipe.
    read: usize,
}

impl Lines {
    /// Reads from the terminal, with the history of earlier lines, or from a pipe.
    pub(super) fn open(history: Option<PathBuf>) -> Self {
        if let Some(input) = caller::input() {
            let given = input.lines().rev().map(str::to_owned).collect();
            return Self { editor: None, history: None, given: Some(given), read: 0 };
        }
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let mut editor = is_terminal.then(DefaultEditor::new).and_then(Result::ok);
        if let (Some(editor), Some(history)) = (&mut editor, &history) {
            // An unreadable history is ignored.
            let _ = editor.load_history(history);
        }
        Self { editor, history, given: None, read: 0 }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.editor.is_some()
    }

    /// Waits for the next line that is not blank, and trims it. Returns `None` at the end. Ctrl-C discards only the
    /// line. Background writes of turns continue meanwhile.
    pub(super) async fn next(&mut self) -> Result<Option<String>> {
        loop {
            match self.next_line().await? {
                Line::Said(line) if !line.trim().is_empty() => return Ok(Some(line.trim().to_owned())),
                Line::Said(_) | Line::Discarded => {}
                Line::End => return Ok(None),
            }
        }
    }

    async fn next_line(&mut self) -> Result<Line> {
        if let Some(given) = &mut self.given {
            return Ok(given.pop().map_or(Line::End, Line::Said));
        }
        let Some(mut editor) = self.editor.take() else {
            let Some(line) = spawn_blocking(piped).await?? else { return Ok(Line::End) };
            self.read += 1;
            return Ok(text_of(line, self.read).map_or(Line::Discarded, Line::Said));
        };
        let history = self.history.clone();
        let (editor, line) = spawn_blocking(move || {
            let line = typed(&mut editor, history.as_deref());
            (editor, line)
        })
        .await?;
        self.editor = Some(editor);
        line
    }
}

/// Reads the next line of a pipe; returns `None` at its end.
fn piped() -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

/// Returns the text of a line. A line that is not UTF-8 is reported, and the conversation goes on without it.
fn text_of(line: Vec<u8>, number: usize) -> Option<String> {
    let text = String::from_utf8(line).ok();
    if text.is_none() {
        note(&format!("line {number} is not UTF-8 text and was left out"));
    }
    text
}

/// Returns the text of all lines that are UTF-8, and reports the others.
#[cfg(feature = "serve")]
pub(super) fn text_of_all(bytes: &[u8]) -> String {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    // A line that is left out stays as an empty one.
    lines.map(|(at, line)| text_of(line.to_vec(), at + 1).unwrap_or_else(|| "\n".to_owned())).collect()
}

fn typed(editor: &mut DefaultEditor, history: Option<&Path>) -> Result<Line> {
    match editor.readline(PROMPT) {
        Ok(line) => {
            // An entry that can't be saved is ignored.
            if !line.trim().is_empty() && editor.add_history_entry(&line).is_ok() {
                let _ = history.map(|history| editor.save_history(history));
            }
            Ok(Line::Said(line))
        }
        Err(ReadlineError::Interrupted) => Ok(Line::Discarded),
        Err(ReadlineError::Eof) => Ok(Line::End),
        Err(error) => Err(error.into()),
    }
}
