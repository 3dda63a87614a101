use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{Filter, PointId};

/// For each indexed field: for each of its values, the points that have it.
pub(super) type Keywords = HashMap<&'static str, BTreeMap<String, BTreeSet<PointId>>>;

/// Sets of points, among which are all that can pass a filter.
#[derive(Default)]
pub(super) struct Plan<'a> {
    sets: Vec<&'a BTreeSet<PointId>>,
    ids: Vec<PointId>,
}

impl<'a> Plan<'a> {
    /// The smallest plan for a filter, or `None` where no index helps.
    pub(super) fn new(filter: &Filter, keywords: &'a Keywords) -> Option<Self> {
        match filter {
            Filter::All(filters) => {
                filters.iter().filter_map(|filter| Self::new(filter, keywords)).min_by_key(Self::size)
            }
            Filter::Any(filters) => {
                let mut all = Self::default();
                for filter in filters {
                    let plan = Self::new(filter, keywords)?;
                    all.sets.extend(plan.sets);
                    all.ids.extend(plan.ids);
                }
                Some(all)
            }
            Filter::In { field, values } => {
                let index = keywords.get(field)?;
                Some(Self {
                    sets: values.iter().filter_map(|value| index.get(value)).collect(),
                    ids: Vec::new(),
                })
            }
            Filter::Ids(ids) => Some(Self { sets: Vec::new(), ids: ids.clone() }),
            Filter::Not(_) | Filter::Range { .. } | Filter::Missing { .. } => None,
        }
    }

    /// The number of candidates at the most.
    pub(super) fn size(&self) -> usize {
        self.ids.len() + self.sets.iter().map(|set| set.len()).sum::<usize>()
    }

    /// The candidates, ascending and distinct. Some of them may not exist.
    pub(super) fn candidates(self) -> Vec<PointId> {
        let mut ids = self.ids;
        ids.reserve(self.sets.iter().map(|set| set.len()).sum());
        for set in self.sets {
            ids.extend(set);
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}
