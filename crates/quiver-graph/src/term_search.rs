//! Finding dated relations by terms, at a cost independent of how many relations have common terms.

use std::collections::BTreeSet;

use futures::future::try_join_all;
use quiver_store::{Filter, PointId, Result, Select, SparseVector, Target};

use crate::{
    Graph, Nearest, Relation, RelationId,
    payload::{Stored, WORDS, word},
};

/// Maximum number of relations with any of the terms for all of them to be ranked, as a multiple of the limit.
const WIDE: usize = 2;
/// Maximum number of relations that a term may bring in, as a multiple of the limit; a term with more is common.
const FEW: usize = 2;
/// Share of the limit that is filled with the latest relations if only common terms match: one over this.
const LATEST: usize = 4;
/// Maximum number of common terms that are combined.
const COMMON_MAX: usize = 6;
/// Maximum number of sets of common terms that are looked up.
const SETS_MAX: usize = 24;

/// A search for dated relations by terms.
#[derive(Clone, Debug)]
pub struct TermSearch<'a> {
    /// The words, each as its alternative terms; the most significant first.
    pub words: &'a [Vec<u32>],
    /// Alternative terms that may hint at a word; used only if few relations have them.
    pub hints: &'a [Vec<u32>],
    /// Whether the words describe one thing, so that common ones may be combined. If they are names of several
    /// things, a common one brings in nothing.
    pub together: bool,
    /// The vector that ranks the relations found.
    pub target: &'a SparseVector,
    /// The filter; see [`filters`](crate::filters).
    pub among: Filter,
    /// Maximum number of relations to rank.
    pub limit: usize,
}

/// The points that match, up to a limit.
struct Found {
    ids: Vec<PointId>,
    cut: bool,
}

impl Graph {
    /// Finds dated relations by terms. If few relations have any of the terms, the nearest to the target are
    /// returned. If many have, rare terms decide: a term that few relations have brings those in, and combinations of
    /// common terms bring in the few relations that have them all. If only common terms match, the latest relations
    /// are added.
    ///
    /// The cost is bounded by the limit and the number of words, not by the number of relations.
    ///
    /// # Errors
    /// Returns an error if the store fails or a relation can't be decoded.
    pub async fn search_terms(&self, search: &TermSearch<'_>) -> Result<Vec<Relation>> {
        let all: Vec<u32> = search.words.iter().chain(search.hints).flatten().copied().collect();
        if all.is_empty() || search.limit == 0 {
            return Ok(Vec::new());
        }
        let Found { ids, cut } = self.having(&[&all], &search.among, search.limit * WIDE).await?;
        if !cut {
            return self.nearest_of(search, ids).await;
        }
        let (ids, common) = self.rare(search).await?;
        let mut found = self.nearest_of(search, ids.into_iter().collect()).await?;
        if let Some(common) = common {
            let sets: Vec<&[u32]> = common.iter().map(std::slice::from_ref).collect();
            let limit = search.limit.div_ceil(LATEST);
            let mut latest = self.latest::<Relation>(&having(&sets, &search.among), limit).await?;
            let seen: BTreeSet<RelationId> = found.iter().map(|relation| relation.id).collect();
            latest.retain(|relation| !seen.contains(&relation.id));
            found.extend(latest);
        }
        Ok(found)
    }

    /// Returns the relations that rare terms bring in. If no word brings in any, also returns the largest common set
    /// of terms.
    async fn rare(&self, search: &TermSearch<'_>) -> Result<(BTreeSet<PointId>, Option<Vec<u32>>)> {
        let few = search.limit * FEW;
        let mut ids = BTreeSet::new();
        let common = self.one_by_one(search.words, search, few, &mut ids).await?;
        let mut sets: Vec<Vec<u32>> = common.iter().take(COMMON_MAX).map(|term| vec![*term]).collect();
        if !search.together {
            sets.clear();
        }
        let mut widest = sets.first().cloned();
        let mut looked_up = 0;
        while !sets.is_empty() && looked_up < SETS_MAX {
            let longer: Vec<Vec<u32>> = longer(&sets).into_iter().take(SETS_MAX - looked_up).collect();
            looked_up += longer.len();
            let looking = longer.iter().map(|set| async {
                let each: Vec<&[u32]> = set.iter().map(std::slice::from_ref).collect();
                self.having(&each, &search.among, few).await
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
        self.one_by_one(search.hints, search, few, &mut ids).await?;
        Ok((ids, widest.filter(|_| !by_words)))
    }

    /// Looks words up one by one and adds the results of rare ones. Returns the common terms, in the order of the
    /// words.
    async fn one_by_one(
        &self,
        words: &[Vec<u32>],
        search: &TermSearch<'_>,
        few: usize,
        ids: &mut BTreeSet<PointId>,
    ) -> Result<Vec<u32>> {
        let whole = words.iter().map(|word| async move { self.having(&[word], &search.among, few).await });
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
            .map(|term| async move { self.having(&[std::slice::from_ref(term)], &search.among, few).await });
        for (term, found) in parts.iter().zip(try_join_all(each).await?) {
            if found.cut {
                common.push(*term);
            } else {
                ids.extend(found.ids);
            }
        }
        Ok(common)
    }

    /// Returns relations that have at least one term of each set.
    async fn having(&self, sets: &[&[u32]], among: &Filter, limit: usize) -> Result<Found> {
        let filter = having(sets, among);
        let page = self.scope.scroll(Relation::COLLECTION, &filter, None, limit, &Select::ID).await?;
        Ok(Found { cut: page.next.is_some(), ids: page.points.into_iter().map(|point| point.id).collect() })
    }

    async fn nearest_of(&self, search: &TermSearch<'_>, ids: Vec<PointId>) -> Result<Vec<Relation>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let target = Target::Sparse(search.target.clone());
        let nearest = Nearest { target, among: Filter::Ids(ids), limit: search.limit };
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

/// Combines sets that differ in the last term into sets with one more term, as the Apriori algorithm does: relations
/// that have all terms of a longer set also have all terms of the shorter ones.
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
