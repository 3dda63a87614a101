//! Read operations.

use std::cmp::Reverse;

use qdrant_edge::{
    Condition, CountRequest, FacetRequest, FacetValue, Filter as EngineFilter, HasVectorCondition,
    PointId as EngineId, Record, ScrollRequest, SearchParams, SearchRequest, WithPayloadInterface,
    WithVector,
};

use super::{
    convert::{DENSE, engine_id, field_path, own_id, own_point, own_value, query, with_payload, with_vector},
    shard::Shard,
};
use crate::{
    Filter, Page, Point, PointId, Result, Scored, Search, Select, Target,
    settle::{first_ask, settle},
};

impl Shard {
    pub(super) fn fetch(&self, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        let ids: Vec<_> = ids.iter().copied().map(engine_id).collect();
        let (payload, vector) = (with_payload(select), with_vector(select));
        let records = self.read(|engine| engine.retrieve(&ids, Some(payload), Some(vector)))?;
        records.into_iter().map(|record| self.own_point(record, select)).collect()
    }

    pub(super) fn scroll(
        &self,
        wanted: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        let first = match after.map(|id| id.as_u128().checked_add(1)) {
            None => None,
            Some(Some(next)) => Some(EngineId::Uuid(PointId::from_u128(next))),
            Some(None) => return Ok(Page::default()),
        };
        let readers = self.readers();
        let Some(filter) = self.filter(&readers, wanted)?.filter(|_| limit > 0) else {
            return Ok(Page::default());
        };
        let request = ScrollRequest {
            offset: first,
            limit: Some(limit),
            filter,
            with_payload: Some(with_payload(select)),
            with_vector: with_vector(select),
            order_by: None,
        };
        let (records, next) = self.within(&readers, |engine| engine.scroll(request))?;
        drop(readers);
        let points: Vec<_> =
            records.into_iter().map(|record| self.own_point(record, select)).collect::<Result<_>>()?;
        let next = next.and_then(|_| points.last().map(|point| point.id));
        Ok(Page { points, next })
    }

    /// Finds the IDs first and reads only the points that remain after ties are resolved, since payloads are
    /// expensive.
    pub(super) fn search(&self, search: &Search) -> Result<Vec<Scored>> {
        let readers = self.readers();
        let filter = if cfg!(debug_assertions) && asks_for_missing(&search.filter) {
            // The engine's estimate of points that lack a field ignores deletions, and its search planner asserts
            // that the estimate does not exceed the number of points. Without debug assertions the plan is merely
            // less efficient.
            self.filter(&readers, &Filter::Ids(self.passing_within(&readers, &search.filter)?))?
        } else {
            self.filter(&readers, &search.filter)?
        };
        let no_terms = matches!(&search.target, Target::Sparse(vector) if vector.is_empty());
        let Some(filter) = filter.filter(|_| search.limit > 0 && !no_terms) else { return Ok(Vec::new()) };
        // The engine allocates memory for as many points as requested.
        let points = self.within(&readers, |engine| Ok(engine.info().points_count))?;
        let mut asked = first_ask(search.limit).min(points + 1);
        let mut found = loop {
            let request = SearchRequest {
                query: query(&search.target),
                filter: filter.clone(),
                params: Some(SearchParams { exact: search.exact, ..SearchParams::default() }),
                limit: asked,
                offset: 0,
                with_payload: Some(WithPayloadInterface::Bool(false)),
                with_vector: Some(WithVector::Bool(false)),
                score_threshold: None,
            };
            let scored = self.within(&readers, |engine| engine.search(request))?;
            let mut found: Vec<_> = scored
                .into_iter()
                .map(|scored| Ok(Scored { score: scored.score, point: Point::new(own_id(scored.id)?) }))
                .collect::<Result<_>>()?;
            match settle(&mut found, search.limit, asked) {
                None => break found,
                Some(more) => asked = more.min(points + 1),
            }
        };
        if search.select != Select::ID {
            let ids: Vec<_> = found.iter().map(|scored| engine_id(scored.point.id)).collect();
            let (payload, vector) = (with_payload(&search.select), with_vector(&search.select));
            let records =
                self.within(&readers, |engine| engine.retrieve(&ids, Some(payload), Some(vector)))?;
            for (scored, record) in found.iter_mut().zip(records) {
                scored.point = self.own_point(record, &search.select)?;
            }
        }
        Ok(found)
    }

    pub(super) fn count(&self, wanted: &Filter) -> Result<u64> {
        let readers = self.readers();
        let Some(filter) = self.filter(&readers, wanted)? else { return Ok(0) };
        let request = CountRequest { filter, exact: true };
        Ok(self.within(&readers, |engine| engine.count(request))? as u64)
    }

    pub(super) fn estimate(&self, wanted: &Filter) -> Result<u64> {
        // As in a search, the engine's assertion about its estimate fails after deletions.
        if cfg!(debug_assertions) && asks_for_missing(wanted) {
            return self.count(wanted);
        }
        let readers = self.readers();
        let Some(filter) = self.filter(&readers, wanted)? else { return Ok(0) };
        let request = CountRequest { filter, exact: false };
        let estimated = self.within(&readers, |engine| engine.count(request));
        drop(readers);
        match estimated {
            Err(_) if cfg!(debug_assertions) => self.count(wanted),
            estimated => Ok(estimated? as u64),
        }
    }

    pub(super) fn facet(
        &self,
        field: &'static str,
        wanted: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        let readers = self.readers();
        let found = self.filter(&readers, wanted)?.filter(|_| limit > 0 && !self.is_unused(&readers, field));
        let Some(filter) = found else { return Ok(Vec::new()) };
        let request = FacetRequest { key: field_path(field)?, limit, filter, exact: true };
        let response = self.within(&readers, |engine| engine.facet(request))?;
        let mut counts: Vec<_> = response
            .hits
            .into_iter()
            .filter_map(|hit| match hit.value {
                FacetValue::Keyword(value) if hit.count > 0 => Some((own_value(value), hit.count as u64)),
                _ => None,
            })
            .collect();
        counts.sort_unstable_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        Ok(counts)
    }

    fn own_point(&self, record: Record, select: &Select) -> Result<Point> {
        own_point(self.schema(), self.collection, record, select)
    }

    /// Returns the number of points with a dense vector, and about how many of them the index covers: those that had
    /// one when the index was built.
    pub(super) fn indexed(&self) -> Result<(u64, u64)> {
        if self.schema().dense_dimension.is_none() {
            return Ok((0, 0));
        }
        let dense = self.count_by(Some(has_vector(DENSE)))?;
        Ok((dense, self.dense_indexed().min(dense)))
    }

    pub(super) fn count_by(&self, filter: Option<EngineFilter>) -> Result<u64> {
        let request = CountRequest { filter, exact: true };
        Ok(self.read(|engine| engine.count(request))? as u64)
    }
}

pub(super) fn has_vector(name: &str) -> EngineFilter {
    EngineFilter::new_must(Condition::HasVector(HasVectorCondition::from(name.to_owned())))
}

fn asks_for_missing(filter: &Filter) -> bool {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => filters.iter().any(asks_for_missing),
        Filter::Not(filter) => asks_for_missing(filter),
        Filter::Missing { .. } => true,
        Filter::In { .. } | Filter::Range { .. } | Filter::Ids(_) => false,
    }
}
