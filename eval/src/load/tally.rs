use std::collections::BTreeMap;

use serde::Serialize;

use super::{Times, mix::Kind};

/// The counts of one kind of request.
#[derive(Clone, Debug, Default)]
struct Counted {
    /// Counts by status; 0 is a broken connection.
    statuses: BTreeMap<u16, usize>,
    /// Times of the answered requests.
    times: Vec<f64>,
}

/// The counts of all requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<Kind, Counted>,
    /// The first error message for each status other than 200 and 429.
    pub(super) whys: BTreeMap<u16, String>,
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) request: &'static str,
    /// Counts by status; 0 is a broken connection.
    pub(super) statuses: BTreeMap<u16, usize>,
    pub(super) times: Times,
}

impl Tally {
    pub(super) fn count(&mut self, kind: Kind, status: u16, took: f64, why: String) {
        let counted = self.kinds.entry(kind).or_default();
        *counted.statuses.entry(status).or_default() += 1;
        match status {
            200 => counted.times.push(took),
            429 => {}
            _ => drop(self.whys.entry(status).or_insert(why)),
        }
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let line = |(kind, counted): (&Kind, &Counted)| Line {
            request: kind.title(),
            statuses: counted.statuses.clone(),
            times: Times::of(counted.times.clone()),
        };
        self.kinds.iter().map(line).collect()
    }

    /// Returns the number of requests that got neither a success nor 429.
    pub(super) fn failed(&self) -> usize {
        let all = self.kinds.values().flat_map(|counted| &counted.statuses);
        all.filter(|(status, _)| !matches!(status, 200 | 429)).map(|(_, count)| count).sum()
    }
}
