use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
    ops::Bound,
};

use serde_json::Value;

use super::{
    matcher::Matcher,
    plan::{Indexes, Plan},
    top::Top,
};
use crate::{
    Collection, FieldKind, Filter, Page, Point, PointId, Schema, Scored, Search, Select, SparseVector,
    Target, Vectors, WriteMode, filter::members,
};

/// A collection: its points and their indexes.
pub(super) struct Table {
    points: BTreeMap<PointId, Point>,
    indexes: Indexes,
    postings: HashMap<u32, BTreeMap<PointId, f32>>,
}

impl Table {
    pub(super) fn new(schema: &Schema, collection: Collection) -> Self {
        let mut indexes = Indexes::default();
        for field in schema.fields.iter().filter(|field| field.collection == collection) {
            if field.kind == FieldKind::Integer {
                indexes.numbers.insert(field.name, BTreeMap::new());
            } else {
                indexes.keywords.insert(field.name, BTreeMap::new());
            }
        }
        Self { points: BTreeMap::new(), indexes, postings: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    pub(super) fn put(&mut self, point: Point, mode: WriteMode) {
        if mode == WriteMode::KeepExisting && self.points.contains_key(&point.id) {
            return;
        }
        self.remove(point.id);
        self.indexes.insert(point.id, &point.payload);
        for (term, weight) in point.vectors.sparse.pairs() {
            self.postings.entry(term).or_default().insert(point.id, weight);
        }
        self.points.insert(point.id, point);
    }

    pub(super) fn fetch(&self, ids: &[PointId], select: &Select) -> Vec<Point> {
        let mut seen = HashSet::with_capacity(ids.len());
        ids.iter()
            .filter(|id| seen.insert(**id))
            .filter_map(|id| self.points.get(id))
            .map(|point| read(point, select))
            .collect()
    }

    pub(super) fn delete(&mut self, filter: &Filter) {
        let ids: Vec<_> = self.passing(filter).map(|point| point.id).collect();
        for id in ids {
            self.remove(id);
        }
    }

    pub(super) fn scroll(
        &self,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Page {
        let mut points = self.passing_after(filter, after);
        let page: Vec<_> = points.by_ref().take(limit).map(|point| read(point, select)).collect();
        let next = page.last().map(|point| point.id).filter(|_| points.next().is_some());
        Page { points: page, next }
    }

    pub(super) fn search(&self, search: &Search) -> Vec<Scored> {
        let mut top = Top::new(search.limit);
        match &search.target {
            Target::Dense(target) => {
                for point in self.passing(&search.filter) {
                    if let Some(dense) = &point.vectors.dense {
                        top.offer(point.id, dot(dense, target));
                    }
                }
            }
            Target::Sparse(target) => self.search_sparse(target, &search.filter, &mut top),
        }
        top.into_sorted()
            .filter_map(|(id, score)| {
                Some(Scored { score, point: read(self.points.get(&id)?, &search.select) })
            })
            .collect()
    }

    pub(super) fn count(&self, filter: &Filter) -> u64 {
        self.passing(filter).count() as u64
    }

    pub(super) fn facet(&self, field: &str, filter: &Filter, limit: usize) -> Vec<(String, u64)> {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for point in self.passing(filter) {
            for value in members(&point.payload, field).filter_map(Value::as_str).collect::<BTreeSet<_>>() {
                *counts.entry(value).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(value, count)| (Reverse(*count), *value));
        counts.truncate(limit);
        counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect()
    }

    fn remove(&mut self, id: PointId) {
        let Some(point) = self.points.remove(&id) else { return };
        self.indexes.remove(id, &point.payload);
        for term in point.vectors.sparse.indices() {
            if let Some(posting) = self.postings.get_mut(term) {
                posting.remove(&id);
                if posting.is_empty() {
                    self.postings.remove(term);
                }
            }
        }
    }

    /// Sums the postings in ascending order of terms, which gives exactly the sums of [`SparseVector::dot`]. If the
    /// filter leaves far fewer points than there are postings, scores each of those points instead.
    fn search_sparse(&self, target: &SparseVector, filter: &Filter, top: &mut Top) {
        let postings =
            || target.pairs().filter_map(|(term, weight)| Some((self.postings.get(&term)?, weight)));
        let postings_size: usize = postings().map(|(posting, _)| posting.len()).sum();
        if Plan::new(filter, &self.indexes).is_some_and(|plan| plan.size() < postings_size / 4) {
            for point in self.passing(filter) {
                if let Some(score) = point.vectors.sparse.dot(target) {
                    top.offer(point.id, score);
                }
            }
            return;
        }
        let mut scores: HashMap<PointId, f32, BuildHasherDefault<IdHasher>> = HashMap::default();
        for (posting, weight) in postings() {
            for (id, own_weight) in posting {
                *scores.entry(*id).or_default() += own_weight * weight;
            }
        }
        let matcher = Matcher::new(filter);
        for (id, score) in scores {
            // Most points score too low, which is cheaper to check than the filter.
            if top.admits(id, score)
                && self.points.get(&id).is_some_and(|point| matcher.matches(id, &point.payload))
            {
                top.offer(id, score);
            }
        }
    }

    fn passing(&self, filter: &Filter) -> impl Iterator<Item = &Point> {
        self.passing_after(filter, None)
    }

    /// Returns the points that pass a filter and have an ID above `after`, in ascending order of ID.
    fn passing_after(&self, filter: &Filter, after: Option<PointId>) -> impl Iterator<Item = &Point> {
        let matcher = Matcher::new(filter);
        // Scanning all points in order is faster than looking up more than half of them one by one.
        let plan = Plan::new(filter, &self.indexes).filter(|plan| plan.size() < self.points.len() / 2);
        let (few, many) = if let Some(plan) = plan {
            (Some(plan.candidates(after).filter_map(|id| self.points.get(&id))), None)
        } else {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            (None, Some(self.points.range((from, Bound::Unbounded)).map(|(_, point)| point)))
        };
        few.into_iter()
            .flatten()
            .chain(many.into_iter().flatten())
            .filter(move |point| matcher.matches(point.id, &point.payload))
    }
}

/// IDs are digests, so folding their bits makes a good enough hash.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
}

fn read(point: &Point, select: &Select) -> Point {
    Point {
        id: point.id,
        vectors: if select.vectors { point.vectors.clone() } else { Vectors::default() },
        payload: select.project(&point.payload),
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight independent sums let the compiler vectorise the loop; a single sum would fix the order of additions.
    let (a_chunks, a_rest) = a.as_chunks::<8>();
    let (b_chunks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}
