use std::{
    borrow::Borrow,
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
};

use serde_json::Value;

use crate::{Filter, Payload, PointId, filter::members};

/// Maximum number of sets that are merged lazily; more are collected and sorted first.
const MERGED_MAX: usize = 16;
/// Maximum number of distinct numbers in a range for which an index is used.
const NUMBERS_MAX: usize = 4096;

/// Inverted indexes over payload fields: for each value of a field, the points that have it.
#[derive(Default)]
pub(super) struct Indexes {
    pub(super) keywords: HashMap<&'static str, BTreeMap<String, BTreeSet<PointId>>>,
    pub(super) numbers: HashMap<&'static str, BTreeMap<Number, BTreeSet<PointId>>>,
}

/// A number with a total order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(f64);

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Number {
    /// Turns negative zero into zero.
    fn of(number: f64) -> Self {
        Self(number + 0.0)
    }
}

impl Indexes {
    pub(super) fn insert(&mut self, id: PointId, payload: &Payload) {
        for (field, index) in &mut self.keywords {
            for value in members(payload, field).filter_map(Value::as_str) {
                index.entry(value.to_owned()).or_default().insert(id);
            }
        }
        for (field, index) in &mut self.numbers {
            for value in members(payload, field).filter_map(Value::as_f64) {
                index.entry(Number::of(value)).or_default().insert(id);
            }
        }
    }

    pub(super) fn remove(&mut self, id: PointId, payload: &Payload) {
        for (field, index) in &mut self.keywords {
            for value in members(payload, field).filter_map(Value::as_str) {
                take_out(index, value, id);
            }
        }
        for (field, index) in &mut self.numbers {
            for value in members(payload, field).filter_map(Value::as_f64) {
                take_out(index, &Number::of(value), id);
            }
        }
    }

    /// Returns a plan for a range with a lower bound, if it contains few distinct numbers.
    fn since(&self, field: &str, least: f64, most: Option<f64>) -> Option<Plan<'_>> {
        let index = self.numbers.get(field)?;
        let (least, most) = (Number::of(least), most.map(Number::of));
        if most.is_some_and(|most| most < least) {
            return Some(Plan::default());
        }
        let most = most.map_or(Bound::Unbounded, Bound::Included);
        let mut within = index.range((Bound::Included(least), most)).map(|(_, ids)| ids);
        let sets = within.by_ref().take(NUMBERS_MAX).collect();
        within.next().is_none().then_some(Plan { sets, ids: Vec::new() })
    }
}

/// Removes a point from the set of a value, and the value if its set becomes empty.
fn take_out<K: Borrow<Q> + Ord, Q: Ord + ?Sized>(
    index: &mut BTreeMap<K, BTreeSet<PointId>>,
    value: &Q,
    id: PointId,
) {
    if let Some(ids) = index.get_mut(value) {
        ids.remove(&id);
        if ids.is_empty() {
            index.remove(value);
        }
    }
}

/// Sets of points that contain every point that can pass a filter.
#[derive(Default)]
pub(super) struct Plan<'a> {
    sets: Vec<&'a BTreeSet<PointId>>,
    ids: Vec<PointId>,
}

impl<'a> Plan<'a> {
    /// Returns the smallest plan for a filter, or `None` if no index helps.
    pub(super) fn new(filter: &Filter, indexes: &'a Indexes) -> Option<Self> {
        match filter {
            Filter::All(filters) => {
                filters.iter().filter_map(|filter| Self::new(filter, indexes)).min_by_key(Self::size)
            }
            Filter::Any(filters) => {
                let mut all = Self::default();
                for filter in filters {
                    let plan = Self::new(filter, indexes)?;
                    all.sets.extend(plan.sets);
                    all.ids.extend(plan.ids);
                }
                Some(all)
            }
            Filter::In { field, values } => {
                let index = indexes.keywords.get(field)?;
                Some(Self {
                    sets: values.iter().filter_map(|value| index.get(value)).collect(),
                    ids: Vec::new(),
                })
            }
            Filter::Ids(ids) => Some(Self { sets: Vec::new(), ids: ids.clone() }),
            Filter::Range { field, least: Some(least), most } => indexes.since(field, *least, *most),
            Filter::Not(_) | Filter::Range { .. } | Filter::Missing { .. } => None,
        }
    }

    /// Returns an upper bound on the number of candidates.
    pub(super) fn size(&self) -> usize {
        self.ids.len() + self.sets.iter().map(|set| set.len()).sum::<usize>()
    }

    /// Returns the candidates after an ID, distinct and in ascending order. Some may not exist. The sets are merged
    /// lazily, so taking a few of many candidates is cheap.
    pub(super) fn candidates(self, after: Option<PointId>) -> impl Iterator<Item = PointId> + 'a {
        let Self { mut sets, mut ids } = self;
        if sets.len() > MERGED_MAX {
            ids.reserve(sets.iter().map(|set| set.len()).sum());
            for set in sets.drain(..) {
                ids.extend(set);
            }
        }
        ids.sort_unstable();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let passed = after.map_or(0, |after| ids.partition_point(|id| *id <= after));
        let mut ids = ids.into_iter().skip(passed).peekable();
        let mut sets: Vec<_> =
            sets.into_iter().map(|set| set.range((from, Bound::Unbounded)).copied().peekable()).collect();
        std::iter::from_fn(move || {
            let heads = sets.iter_mut().filter_map(|set| set.peek().copied());
            let next = heads.chain(ids.peek().copied()).min()?;
            for set in &mut sets {
                set.next_if_eq(&next);
            }
            while ids.next_if_eq(&next).is_some() {}
            Some(next)
        })
    }
}
