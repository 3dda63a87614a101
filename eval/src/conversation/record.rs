//! The record of a run of the conversation benchmark, and its printed form.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::{Deserialize, Serialize};

use super::scenario::Scenario;

/// A run of `quiver-eval conversation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConversationRecord {
    /// Always `quiver-eval conversation`.
    pub record: String,
    /// The version of the format.
    pub version: u32,
    /// The names of the scenarios.
    pub scenarios: Vec<String>,
    /// Number of turns graded.
    pub follow_ups: usize,
    /// Number of turns that were named and found correctly.
    pub right: usize,
    /// Number of turns whose rewritten question names the expected entities.
    pub named: usize,
    /// Number of turns whose gold passages were found.
    pub found: usize,
    /// The results by kind of difficulty.
    pub by_kind: BTreeMap<String, Share>,
    /// The results by scenario.
    pub by_scenario: BTreeMap<String, Share>,
    /// Every turn.
    pub turns: Vec<TurnRecord>,
}

/// The share of follow-ups that were correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Number of follow-ups.
    pub follow_ups: usize,
    /// Number of correct ones.
    pub right: usize,
}

/// A turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The scenario.
    pub scenario: String,
    /// The conversation.
    pub conversation: String,
    /// The number of the turn, from 1.
    pub turn: usize,
    /// The kind of difficulty.
    pub kind: String,
    /// Whether it is graded.
    pub is_graded: bool,
    /// The question as asked.
    pub question: String,
    /// The rewritten question.
    pub standalone: String,
    /// The options of the clarifying question.
    pub options: Vec<String>,
    /// The first passages found, by document.
    pub found: Vec<String>,
    /// The gold passages.
    pub gold: Vec<String>,
    /// The entities that the rewritten question must name.
    pub entities: Vec<String>,
    /// Whether it names all of these and none that it must not name.
    pub is_named: bool,
    /// Whether the gold passages were found.
    pub is_found: bool,
}

impl TurnRecord {
    /// Returns whether the turn is correct.
    pub fn is_right(&self) -> bool {
        self.is_named && self.is_found
    }
}

impl ConversationRecord {
    pub(super) fn of(scenarios: &[Scenario], turns: Vec<TurnRecord>) -> Self {
        let mut record = Self {
            record: "quiver-eval conversation".to_owned(),
            version: 1,
            scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
            follow_ups: 0,
            right: 0,
            named: 0,
            found: 0,
            by_kind: BTreeMap::new(),
            by_scenario: BTreeMap::new(),
            turns,
        };
        for turn in record.turns.iter().filter(|turn| turn.is_graded) {
            let right = usize::from(turn.is_right());
            record.follow_ups += 1;
            record.right += right;
            record.named += usize::from(turn.is_named);
            record.found += usize::from(turn.is_found);
            let by_kind = record.by_kind.entry(turn.kind.clone()).or_default();
            let by_scenario = record.by_scenario.entry(turn.scenario.clone()).or_default();
            for share in [by_kind, by_scenario] {
                share.follow_ups += 1;
                share.right += right;
            }
        }
        record
    }

    /// Returns the share of correct follow-ups.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.follow_ups.max(1) as f64
    }

    /// Prints the shares and every miss.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let line = |out: &mut dyn Write, name: &str, share: &Share| {
            let percent = 100.0 * share.right as f64 / share.follow_ups.max(1) as f64;
            writeln!(out, "{name:14} {:>4} of {:>4}  {percent:>5.1} %", share.right, share.follow_ups)
        };
        let all = Share { follow_ups: self.follow_ups, right: self.right };
        line(out, "follow-ups", &all)?;
        line(out, "  named", &Share { right: self.named, ..all })?;
        line(out, "  found", &Share { right: self.found, ..all })?;
        for (title, shares) in [("by kind", &self.by_kind), ("by scenario", &self.by_scenario)] {
            writeln!(out, "\n{title}")?;
            for (name, share) in shares {
                line(out, name, share)?;
            }
        }
        let misses: Vec<&TurnRecord> =
            self.turns.iter().filter(|turn| turn.is_graded && !turn.is_right()).collect();
        writeln!(out, "\n{} misses", misses.len())?;
        for turn in misses {
            let TurnRecord { scenario, conversation, turn: at, kind, question, standalone, .. } = turn;
            writeln!(out, "{scenario}/{conversation} {at} ({kind}): {question}")?;
            writeln!(out, "  became: {standalone}")?;
            if !turn.options.is_empty() {
                writeln!(out, "  asked back: {}", turn.options.join("; "))?;
            }
            if !turn.is_named {
                writeln!(out, "  had to name: {}", turn.entities.join("; "))?;
            }
            if !turn.is_found {
                writeln!(out, "  had to find: {}; found {}", turn.gold.join("; "), turn.found.join("; "))?;
            }
        }
        Ok(())
    }
}
