//! The record of a run of the conversation benchmark, and its printed form.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use quiver::graph::name::normalise;
use serde::{Deserialize, Serialize};

use crate::metric::contains;

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
    /// Number of turns that were rewritten but name something else than expected, or were asked back without need.
    pub misread: usize,
    /// The answers to the turns for which the scenario gives one.
    pub answers: Answers,
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

/// The answers to turns that have one in the scenario, which may be that the documents don't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// Number of answers that contain the right one.
    pub right: usize,
    /// Number of other answers.
    pub wrong: usize,
    /// Number of turns without an answer that should have one.
    pub missing: usize,
    /// Number of turns without an answer that should have none.
    pub rightly_missing: usize,
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
    /// The right answer, if the scenario gives one: empty if the documents don't say.
    pub answer: Option<String>,
    /// The answer given.
    pub answered: Option<String>,
}

impl Answers {
    fn add(&mut self, turn: &TurnRecord) {
        let Some(right) = &turn.answer else { return };
        let count = match (right.as_str(), &turn.answered) {
            ("", None) => &mut self.rightly_missing,
            (_, None) => &mut self.missing,
            (right, Some(answer)) if !right.is_empty() && contains(answer, &[right.to_owned()]) => {
                &mut self.right
            }
            _ => &mut self.wrong,
        };
        *count += 1;
    }
}

impl TurnRecord {
    /// Returns whether the turn is correct.
    pub fn is_right(&self) -> bool {
        self.is_named && self.is_found
    }

    /// Returns whether the question was rewritten, or asked back, but not as expected.
    pub fn is_misread(&self) -> bool {
        let is_left = normalise(&self.standalone) == normalise(&self.question) && self.options.is_empty();
        !self.is_named && !is_left
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
            misread: 0,
            answers: Answers::default(),
            by_kind: BTreeMap::new(),
            by_scenario: BTreeMap::new(),
            turns,
        };
        for turn in &record.turns {
            record.answers.add(turn);
        }
        for turn in record.turns.iter().filter(|turn| turn.is_graded) {
            let right = usize::from(turn.is_right());
            record.follow_ups += 1;
            record.right += right;
            record.named += usize::from(turn.is_named);
            record.found += usize::from(turn.is_found);
            record.misread += usize::from(turn.is_misread());
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
        line(out, "  misread", &Share { right: self.misread, ..all })?;
        let Answers { right, wrong, missing, rightly_missing } = self.answers;
        if self.answers != Answers::default() {
            writeln!(
                out,
                "answers: {right} right, {wrong} wrong, {missing} missing, {rightly_missing} rightly missing"
            )?;
        }
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
            if let Some(right) = turn.answered.as_ref().and(turn.answer.as_ref()) {
                let answered = turn.answered.as_deref().unwrap_or_default();
                writeln!(out, "  answered: {answered}; right: {right}")?;
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
