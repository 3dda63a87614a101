//! A hop: from a set of entities along relations to their other ends.

use std::collections::BTreeMap;

use quiver_store::{Filter, Result, Target};

use crate::{EntityId, Graph, Nearest, Relation, RelationId, TermSearch, filters, payload::Stored};

/// The direction in which relations are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From subject to object.
    Forward,
    /// From object to subject.
    Backward,
    /// In both directions.
    #[default]
    Both,
}

/// A request for a hop.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop<'a> {
    /// The entities it starts from.
    pub from: &'a [EntityId],
    /// The direction in which relations are followed.
    pub direction: Direction,
    /// The predicates to follow; an empty list means all.
    pub predicates: &'a [String],
    /// Follow only relations that were valid at this moment, in milliseconds since 1970.
    pub valid_at: Option<i64>,
    /// Targets that rank the relations: for each target, the nearest are read.
    pub targets: &'a [Target],
    /// Maximum number of relations read per target, and maximum number read in addition in order of ID.
    pub limit: usize,
}

/// A relation that a hop found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// The relation.
    pub relation: Relation,
    /// Its score for each target of the hop; `None` if it was not among the nearest.
    pub scores: Vec<Option<f32>>,
}

impl Hop<'_> {
    fn filter(&self) -> Filter {
        let ends = match self.direction {
            Direction::Forward => filters::from(self.from.iter().copied()),
            Direction::Backward => filters::to(self.from.iter().copied()),
            Direction::Both => filters::touching(self.from.iter().copied()),
        };
        let mut filters = vec![ends];
        if !self.predicates.is_empty() {
            filters.push(filters::saying(self.predicates.iter().map(String::as_str)));
        }
        if let Some(moment) = self.valid_at {
            filters.push(filters::valid_at(moment));
        }
        Filter::All(filters)
    }

    fn searches(&self, filter: &Filter) -> Vec<Nearest> {
        let targets = self.targets.iter();
        targets
            .map(|target| Nearest { target: target.clone(), among: filter.clone(), limit: self.limit })
            .collect()
    }
}

impl Graph {
    /// Makes a hop. Its cost is bounded by the limit, not by how many relations the entities have. Returns the
    /// relations in ascending order of ID, without duplicates, and whether the limit cut off any.
    ///
    /// # Errors
    /// Returns an error if the store fails or a relation can't be decoded.
    pub async fn hop(&self, hop: &Hop<'_>) -> Result<(Vec<Edge>, bool)> {
        if hop.from.is_empty() || hop.limit == 0 {
            return Ok((Vec::new(), !hop.from.is_empty()));
        }
        let filter = hop.filter();
        let (ranked, listed) = tokio::try_join!(
            self.nearest::<Relation>(hop.searches(&filter)),
            self.scope.scroll(Relation::COLLECTION, &filter, None, hop.limit, &Relation::SELECT)
        )?;
        let cut = listed.next.is_some();
        let mut edges: BTreeMap<RelationId, Edge> = BTreeMap::new();
        let unranked = vec![None; hop.targets.len()];
        for point in listed.points {
            let relation = Relation::from_point(point)?;
            edges.insert(relation.id, Edge { relation, scores: unranked.clone() });
        }
        for (target, hits) in ranked.into_iter().enumerate() {
            for hit in hits {
                let edge = edges
                    .entry(hit.record.id)
                    .or_insert_with(|| Edge { relation: hit.record, scores: unranked.clone() });
                edge.scores[target] = Some(hit.score);
            }
        }
        Ok((edges.into_values().collect(), cut))
    }

    /// Finds the relations along a hop that also match a term search. The search is made only if there are more
    /// relations than the hop's limit, so a small number costs one read. The hop's targets are ignored. Returns the
    /// relations in ascending order of ID, and whether the limit cut off any.
    ///
    /// # Errors
    /// Returns an error if the store fails or a relation can't be decoded.
    pub async fn hop_matching(
        &self,
        hop: &Hop<'_>,
        search: &TermSearch<'_>,
    ) -> Result<(Vec<Relation>, bool)> {
        if hop.from.is_empty() || hop.limit == 0 {
            return Ok((Vec::new(), !hop.from.is_empty()));
        }
        let filter = hop.filter().and(search.among.clone());
        let listed =
            self.scope.scroll(Relation::COLLECTION, &filter, None, hop.limit, &Relation::SELECT).await?;
        let cut = listed.next.is_some();
        let mut found: BTreeMap<RelationId, Relation> = BTreeMap::new();
        for point in listed.points {
            let relation = Relation::from_point(point)?;
            found.insert(relation.id, relation);
        }
        if cut {
            let said = self.search_terms(&TermSearch { among: filter, ..search.clone() }).await?;
            found.extend(said.into_iter().map(|relation| (relation.id, relation)));
        }
        Ok((found.into_values().collect(), cut))
    }
}
