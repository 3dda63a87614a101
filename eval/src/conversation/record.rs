//! What a run of the conversation benchmark leaves behind, and how it is printed.

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
    /// The scenarios, by name.
    pub scenarios: Vec<String>,
    /// How many turns were graded.
    pub follow_ups: usize,
    /// How many were right: named what they had to and found what they had to.
    pub right: usize,
    /// How many named what they had to, whatever was found.
    pub named: usize,
    /// How many found what they had to, whatever was named.
    pub found: usize,
    /// By what is difficult in them.
    pub by_kind: BTreeMap<String, Share>,
    /// By scenario.
    pub by_scenario: BTreeMap<String, Share>,
    /// Every turn.
    pub turns: Vec<TurnRecord>,
}

/// How many of some follow-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// All of them.
    pub follow_ups: usize,
    /// Those that were right.
    pub right: usize,
}

/// A turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The scenario.
    pub scenario: String,
    /// The conversation.
    pub conversation: String,
    /// Its place in it, from 1.
    pub turn: usize,
    /// What is difficult in it.
    pub kind: String,
    /// Whether it counts.
    pub is_graded: bool,
    /// The question as it was asked.
    pub question: String,
    /// The question as it was rewritten.
    pub standalone: String,
    /// The options of the question asked back.
    pub options: Vec<String>,
    /// The first passages found, by document.
    pub found: Vec<String>,
    /// Those that had to be found.
    pub gold: Vec<String>,
    /// What the rewritten question had to name.
    pub entities: Vec<String>,
    /// Whether it names what it has to and nothing that it must not.
    pub is_named: bool,
    /// Whether what had to be found was.
    pub is_found: bool,
}

impl TurnRecord {
    /// Whether all is right.
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

    /// The share of follow-ups that were right.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.follow_ups.max(1) as f64
    }

    /// Prints the record for the eye: the shares, and every miss.
    ///
    /// # Errors
    /// Those of the writer.
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
