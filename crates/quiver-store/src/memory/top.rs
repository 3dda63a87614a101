use std::{cmp::Ordering, collections::BinaryHeap};

use crate::PointId;

/// The best results so far, by score descending and then ID ascending, in memory proportional to the limit.
pub(super) struct Top {
    limit: usize,
    // The worst result kept is on top.
    heap: BinaryHeap<Entry>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new() }
    }

    /// Returns whether a point with this score would be among the best so far.
    pub(super) fn admits(&self, id: PointId, score: f32) -> bool {
        self.heap.len() < self.limit
            || self.heap.peek().is_some_and(|worst| Entry { score: score + 0.0, id } < *worst)
    }

    pub(super) fn offer(&mut self, id: PointId, score: f32) {
        // Adding zero turns negative zero into positive zero; the total order would distinguish them.
        let entry = Entry { score: score + 0.0, id };
        if self.heap.len() < self.limit {
            self.heap.push(entry);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// Returns the results, best first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (PointId, f32)> {
        self.heap.into_sorted_vec().into_iter().map(|entry| (entry.id, entry.score))
    }
}

struct Entry {
    score: f32,
    id: PointId,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}
