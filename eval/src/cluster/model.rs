//! A model of the acknowledged writes, which decides what a read may return.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// All keys; each is changed by one writer only.
#[derive(Debug)]
pub(super) struct Model {
    keys: Vec<Mutex<Key>>,
}

#[derive(Debug, Default)]
struct Key {
    /// The kind of each change: `true` for a write, `false` for a deletion. Before the first change the key is
    /// absent.
    wrote: Vec<bool>,
    /// The number of the last acknowledged change, counted from 1.
    acknowledged: usize,
}

impl Model {
    pub(super) fn new(keys: usize) -> Self {
        Self { keys: (0..keys).map(|_| Mutex::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Records the start of a change to a key. Returns the number of the change.
    pub(super) fn begin(&self, key: usize, writes: bool) -> usize {
        let mut key = self.keys[key].lock().unwrap_or_else(PoisonError::into_inner);
        key.wrote.push(writes);
        key.wrote.len()
    }

    pub(super) fn acknowledge(&self, key: usize, change: usize) {
        self.keys[key].lock().unwrap_or_else(PoisonError::into_inner).acknowledged = change;
    }

    /// Returns the last acknowledged change of a key.
    pub(super) fn acknowledged(&self, key: usize) -> usize {
        self.keys[key].lock().unwrap_or_else(PoisonError::into_inner).acknowledged
    }

    /// Returns whether a read may return this result if change `since` was acknowledged when the read began.
    pub(super) fn allows(&self, key: usize, since: usize, found: Option<usize>) -> bool {
        let key = self.keys[key].lock().unwrap_or_else(PoisonError::into_inner);
        let is_absent = |change: usize| change == 0 || !key.wrote[change - 1];
        match found {
            Some(change) => change >= since && change <= key.wrote.len() && !is_absent(change),
            None => (since..=key.wrote.len()).any(is_absent),
        }
    }
}

/// The calls of one kind during a period.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    pub(super) done: usize,
    pub(super) failed: usize,
    /// The longest time that a caller was without an answer.
    pub(super) wait: Duration,
}

/// Counts the calls of all callers of one kind.
#[derive(Debug)]
pub(super) struct Tally {
    calls: Mutex<Calls>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { calls: Mutex::new(Calls { done: 0, failed: 0, wait: Duration::ZERO }) }
    }

    /// Counts a call. A caller waits until one of its calls succeeds.
    pub(super) fn count(&self, done: bool, waits_since: &mut Instant) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.wait = calls.wait.max(waits_since.elapsed());
        if done {
            calls.done += 1;
            *waits_since = Instant::now();
        } else {
            calls.failed += 1;
        }
    }

    /// Returns the counts and resets them.
    pub(super) fn take(&self) -> Calls {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *calls, Calls { done: 0, failed: 0, wait: Duration::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_may_answer_what_was_acknowledged_and_what_is_under_way_and_nothing_older() {
        let model = Model::new(1);
        assert!(model.allows(0, 0, None));
        let written = model.begin(0, true);
        assert!(model.allows(0, 0, None) && model.allows(0, 0, Some(1)));
        model.acknowledge(0, written);
        assert!(!model.allows(0, 1, None) && model.allows(0, 1, Some(1)) && !model.allows(0, 1, Some(2)));
        let deleted = model.begin(0, false);
        assert!(model.allows(0, 1, None) && model.allows(0, 1, Some(1)));
        model.acknowledge(0, deleted);
        assert!(model.allows(0, 2, None) && !model.allows(0, 2, Some(1)) && !model.allows(0, 2, Some(2)));
    }
}
