//! Finding dated relations by their words, at a cost that does not grow with how many have the common ones.

use std::collections::BTreeSet;

use futures::future::try_join_all;
use quiver_store::{Filter, PointId, Result, Select, SparseVector, Target};

use crate::{
    Graph, Nearest, Relation, RelationId,
    payload::{Stored, WORDS, word},
};

/// How many relations may have any of the words for all of them to be compared, in multiples of the limit.
const WIDE: usize = 2;
/// How many relations a word may bring in, in multiples of the limit: one that more have is common.
const FEW: usize = 2;
/// How many are taken for the latest where nothing tells them apart, as a share of the limit.
const LATEST: usize = 4;
/// How many common words are looked at together.
const COMMON_MAX: usize = 6;
/// How many sets of common words are looked up.
const SETS_MAX: usize = 24;

/// A search for dated relations by words.
#[derive(Clone, Debug)]
pub struct Worded<'a> {
    /// The words, each as the terms that will do for it; what says most comes first.
    pub words: &'a [Vec<u32>],
    /// Terms that may hint at a word, where few relations have them.
    pub hints: &'a [Vec<u32>],
    /// Whether the words describe one thing, so that common ones tell something together. Where they are names of
    /// several, a common one brings in nothing.
    pub together: bool,
    /// What ranks the relations that are found.
    pub target: &'a SparseVector,
    /// What they must satisfy; see [`among`](crate::among).
    pub among: Filter,
    /// How many to return at the most.
    pub limit: usize,
}

/// The points that have certain words, or as many as were asked for.
struct Found {
    ids: Vec<PointId>,
    cut: bool,
}

impl Graph {
    /// Finds dated relations by words. Where few relations have any of the words, the nearest to the target are found.
    /// Where many have, the rare words decide: one that few relations have brings in those, words that are common
    /// bring in what few relations have together, and what nothing tells apart is left to the latest.
    ///
    /// The cost is bounded by the limit and the number of words, not by how many relations there are.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn worded(&self, worded: &Worded<'_>) -> Result<Vec<Relation>> {
        let all: Vec<u32> = worded.words.iter().chain(worded.hints).flatten().copied().collect();
        if all.is_empty() || worded.limit == 0 {
            return Ok(Vec::new());
        }
        let Found { ids, cut } = self.having(&[&all], &worded.among, worded.limit * WIDE).await?;
        if !cut {
            return self.nearest_of(worded, ids).await;
        }
        let (ids, common) = self.rare(worded).await?;
        let mut found = self.nearest_of(worded, ids.into_iter().collect()).await?;
        if let Some(common) = common {
            let sets: Vec<&[u32]> = common.iter().map(std::slice::from_ref).collect();
            let limit = worded.limit.div_ceil(LATEST);
            let mut latest = self.latest::<Relation>(&having(&sets, &worded.among), limit).await?;
            let seen: BTreeSet<RelationId> = found.iter().map(|relation| relation.id).collect();
            latest.retain(|relation| !seen.contains(&relation.id));
            found.extend(latest);
        }
        Ok(found)
    }

    /// What the rare words bring in; and, where no word does, the common ones that most relations of interest share.
    async fn rare(&self, worded: &Worded<'_>) -> Result<(BTreeSet<PointId>, Option<Vec<u32>>)> {
        let few = worded.limit * FEW;
        let mut ids = BTreeSet::new();
        let common = self.one_by_one(worded.words, worded, few, &mut ids).await?;
        let mut sets: Vec<Vec<u32>> = common.iter().take(COMMON_MAX).map(|term| vec![*term]).collect();
        if !worded.together {
            sets.clear();
        }
        let mut widest = sets.first().cloned();
        let mut looked_up = 0;
        while !sets.is_empty() && looked_up < SETS_MAX {
            let longer: Vec<Vec<u32>> = longer(&sets).into_iter().take(SETS_MAX - looked_up).collect();
            looked_up += longer.len();
            let looking = longer.iter().map(|set| async {
                let each: Vec<&[u32]> = set.iter().map(std::slice::from_ref).collect();
                self.having(&each, &worded.among, few).await
            });
            let mut still_common = Vec::new();
            for (set, found) in longer.iter().zip(try_join_all(looking).await?) {
                if found.cut {
                    still_common.push(set.clone());
                } else {
                    ids.extend(found.ids);
                }
            }
            widest = still_common.first().cloned().or(widest);
            sets = still_common;
        }
        let by_words = !ids.is_empty();
        self.one_by_one(worded.hints, worded, few, &mut ids).await?;
        Ok((ids, widest.filter(|_| !by_words)))
    }

    /// Looks words up one by one. Answers the terms that are common, the words in their order.
    async fn one_by_one(
        &self,
        words: &[Vec<u32>],
        worded: &Worded<'_>,
        few: usize,
        ids: &mut BTreeSet<PointId>,
    ) -> Result<Vec<u32>> {
        let whole = words.iter().map(|word| async move { self.having(&[word], &worded.among, few).await });
        let mut parts: Vec<u32> = Vec::new();
        let mut common: Vec<u32> = Vec::new();
        for (word, found) in words.iter().zip(try_join_all(whole).await?) {
            match word.as_slice() {
                _ if !found.cut => ids.extend(found.ids),
                [term] => common.push(*term),
                terms => parts.extend(terms),
            }
        }
        let each = parts
            .iter()
            .map(|term| async move { self.having(&[std::slice::from_ref(term)], &worded.among, few).await });
        for (term, found) in parts.iter().zip(try_join_all(each).await?) {
            if found.cut {
                common.push(*term);
            } else {
                ids.extend(found.ids);
            }
        }
        Ok(common)
    }

    /// The relations that have one term of each set.
    async fn having(&self, sets: &[&[u32]], among: &Filter, limit: usize) -> Result<Found> {
        let filter = having(sets, among);
        let page = self.scope.scroll(Relation::COLLECTION, &filter, None, limit, &Select::ID).await?;
        Ok(Found { cut: page.next.is_some(), ids: page.points.into_iter().map(|point| point.id).collect() })
    }

    async fn nearest_of(&self, worded: &Worded<'_>, ids: Vec<PointId>) -> Result<Vec<Relation>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let target = Target::Sparse(worded.target.clone());
        let nearest = Nearest { target, among: Filter::Ids(ids), limit: worded.limit };
        let found = self.nearest::<Relation>(vec![nearest]).await?;
        Ok(found.into_iter().flatten().map(|hit| hit.record).collect())
    }
}

fn having(sets: &[&[u32]], among: &Filter) -> Filter {
    let mut filters: Vec<Filter> =
        sets.iter().map(|terms| Filter::any_of(WORDS, terms.iter().map(|term| word(*term)))).collect();
    filters.push(among.clone());
    Filter::All(filters)
}

/// The sets of one more, all but the first or the last of which are common: what few have, fewer have with more words.
fn longer(sets: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut longer = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        for other in &sets[at + 1..] {
            let ((last, start), (other_last, other_start)) =
                (set.split_last().expect("no set is empty"), other.split_last().expect("no set is empty"));
            if start == other_start && last != other_last {
                longer.push([set.as_slice(), &[*other_last]].concat());
            }
        }
    }
    longer
}
