use std::collections::BTreeMap;

use serde::Serialize;

use super::{Times, mix::Kind};

/// What was counted of one kind of request.
#[derive(Clone, Debug, Default)]
struct Counted {
    /// By status; 0 is a connection that broke.
    statuses: BTreeMap<u16, usize>,
    /// Of those that were answered.
    times: Vec<f64>,
}

/// What was counted of all requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<Kind, Counted>,
    /// The first reason of each status that is neither 200 nor 429.
    pub(super) whys: BTreeMap<u16, String>,
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) request: &'static str,
    /// By status; 0 is a connection that broke.
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

    /// How many requests were answered neither well nor with "come back later".
    pub(super) fn failed(&self) -> usize {
        let all = self.kinds.values().flat_map(|counted| &counted.statuses);
        all.filter(|(status, _)| !matches!(status, 200 | 429)).map(|(_, count)| count).sum()
    }
}
