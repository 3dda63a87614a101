//! Reads lines from a terminal, with editing and a history, or from a pipe.

use std::{
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
};

use anyhow::Result;
use rustyline::{DefaultEditor, error::ReadlineError};
use tokio::task::spawn_blocking;

use crate::caller;

/// The prompt on a terminal.
const PROMPT: &str = "> ";

/// The next input.
enum Line {
    Said(String),
    /// Ctrl-C: the line is discarded.
    Interrupted,
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
}

impl Lines {
    /// Reads from the terminal, with the history of earlier lines, or from a pipe.
    pub(super) fn open(history: Option<PathBuf>) -> Self {
        if let Some(input) = caller::input() {
            let given = input.lines().rev().map(str::to_owned).collect();
            return Self { editor: None, history: None, given: Some(given) };
        }
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let mut editor = is_terminal.then(DefaultEditor::new).and_then(Result::ok);
        if let (Some(editor), Some(history)) = (&mut editor, &history) {
            // An unreadable history is ignored.
            let _ = editor.load_history(history);
        }
        Self { editor, history, given: None }
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
                Line::Said(_) | Line::Interrupted => {}
                Line::End => return Ok(None),
            }
        }
    }

    async fn next_line(&mut self) -> Result<Line> {
        if let Some(given) = &mut self.given {
            return Ok(given.pop().map_or(Line::End, Line::Said));
        }
        let Some(mut editor) = self.editor.take() else {
            return spawn_blocking(piped).await?;
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

fn piped() -> Result<Line> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line)?;
    Ok(if read == 0 { Line::End } else { Line::Said(line) })
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
        Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
        Err(ReadlineError::Eof) => Ok(Line::End),
        Err(error) => Err(error.into()),
    }
}
