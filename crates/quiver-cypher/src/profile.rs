//! What each step of a query returned and read.

use std::{cell::RefCell, collections::HashMap, fmt};

use crate::graph::Reads;

/// The cost of one step of a query. Its text form is a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanStep {
    /// What the step does.
    pub text: String,
    /// Number of rows that came out of it; `None` for reads outside of the steps, and for the whole query.
    pub rows: Option<u64>,
    /// What it read.
    pub reads: Reads,
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, rows, reads } = self;
        let rows = rows.map(|rows| format!("{}, ", counted(rows, "row"))).unwrap_or_default();
        let (calls, points) = (counted(reads.calls, "store call"), counted(reads.points, "point"));
        write!(f, "{text}: {rows}{calls}, {points}")
    }
}

/// The costs of a query's steps, in the order in which they first ran. Steps with the same description are combined.
#[derive(Debug, Default)]
pub(crate) struct Profile(RefCell<(Vec<PlanStep>, HashMap<String, usize>)>);

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Profile {
    /// Adds the rows of a step and what it read.
    pub(crate) fn add(&self, text: String, rows: usize, reads: Reads) {
        let (lines, known) = &mut *self.0.borrow_mut();
        let at = *known.entry(text).or_insert_with_key(|text| {
            lines.push(PlanStep { text: text.clone(), rows: Some(0), reads: Reads::default() });
            lines.len() - 1
        });
        lines[at].rows = lines[at].rows.map(|known| known + rows as u64);
        lines[at].reads += reads;
    }

    /// Returns each step, then what was read for the plan and the result, then the whole query.
    pub(crate) fn steps(&self, whole: Reads) -> Vec<PlanStep> {
        let mut steps = self.0.borrow().0.clone();
        let rest = steps.iter().fold(whole, |rest, step| rest - step.reads);
        for (text, reads) in [("plan and result", rest), ("total", whole)] {
            steps.push(PlanStep { text: text.to_owned(), rows: None, reads });
        }
        steps
    }
}
