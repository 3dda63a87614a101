//! Conversations as files: one turn per line, as `quiver remember --from` reads them.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use quiver::{Quiver, memory::Turn};
use serde::{Deserialize, de::DeserializeOwned};

/// A turn.
#[derive(Clone, Debug, Deserialize)]
pub struct TurnLine {
    /// The text.
    pub text: String,
    /// The session.
    pub session: String,
    /// The number in the session.
    pub turn: u64,
    /// The speaker.
    pub speaker: String,
    /// When it was said: `2023-05-08T13:56:00Z`.
    pub time: String,
}

/// Parses a file with one JSON value per line.
///
/// # Errors
/// Returns an error if the file is missing or a line can't be parsed.
pub fn read_lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("{}, line {}", file.display(), at + 1))
        })
        .collect()
}

/// Returns the time of the last turn, in milliseconds since 1970.
///
/// # Errors
/// Returns an error if a time can't be parsed.
pub fn last(turns: &[TurnLine]) -> Result<Option<i64>> {
    Ok(turns.iter().map(|turn| moment(&turn.time)).collect::<Result<Vec<_>>>()?.into_iter().max())
}

/// Parses a timestamp such as 2023-05-08T13:56:00Z into milliseconds since 1970.
fn moment(text: &str) -> Result<i64> {
    let wrong = || format!("{text:?} is not a date or time; write 2023-05-08T13:56:00Z");
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().with_context(wrong))
        .collect::<Result<_>>()?;
    let [year, month, day, hour, minute, second] = numbers[..] else { bail!(wrong()) };
    Ok(quiver::memory::calendar::from_civil(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000)
}

/// Stores the turns, and returns the number of facts read from them.
///
/// # Errors
/// Returns an error if a time can't be parsed, and errors of the engine.
pub async fn remember(quiver: &Quiver, turns: Vec<TurnLine>) -> Result<usize> {
    let mut said = Vec::with_capacity(turns.len());
    for turn in turns {
        said.push(
            Turn::new(turn.session, turn.text).by(turn.speaker).at(moment(&turn.time)?).numbered(turn.turn),
        );
    }
    Ok(quiver.remember(said).await?.iter().map(|turn| turn.facts.len()).sum())
}
