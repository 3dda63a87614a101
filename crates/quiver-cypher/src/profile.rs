//! What each step of a query gave and read.

use std::{cell::RefCell, collections::HashMap};

use crate::graph::Reads;

/// What one step came to.
#[derive(Debug, Default)]
struct Line {
    text: String,
    rows: usize,
    reads: Reads,
}

/// What the steps of a query came to, in the order in which they first ran. Steps that are described alike are one.
#[derive(Debug, Default)]
pub(crate) struct Profile(RefCell<(Vec<Line>, HashMap<String, usize>)>);

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn cost(reads: Reads) -> String {
    format!("{}, {}", counted(reads.calls, "store call"), counted(reads.points, "point"))
}

impl Profile {
    /// Adds what came out of a step and what it read.
    pub(crate) fn add(&self, text: String, rows: usize, reads: Reads) {
        let (lines, known) = &mut *self.0.borrow_mut();
        let at = *known.entry(text).or_insert_with_key(|text| {
            lines.push(Line { text: text.clone(), ..Line::default() });
            lines.len() - 1
        });
        lines[at].rows += rows;
        lines[at].reads += reads;
    }

    /// A line for each step, and one for all of them with what was read for the plan and the result.
    pub(crate) fn lines(&self, whole: Reads) -> Vec<String> {
        let (lines, _) = &*self.0.borrow();
        let mut shown = Vec::new();
        let mut rest = whole;
        for Line { text, rows, reads } in lines {
            shown.push(format!("{text}: {}, {}", counted(*rows as u64, "row"), cost(*reads)));
            rest = rest - *reads;
        }
        shown.push(format!("plan and result: {}", cost(rest)));
        shown.push(format!("whole: {}", cost(whole)));
        shown
    }
}
