use std::{collections::BTreeSet, sync::Arc};

use quiver_store::{
    Collection, Filter, Page, Point, PointId, PointStore, Result, Scored, Search, Select, WriteMode,
};
use serde_json::Value;

use crate::{
    EntityId, Workspace, filters,
    payload::{OBJECT, SUBJECT, WORKSPACE},
};

/// A store restricted to one workspace.
///
/// The graph accesses the store only through this type, so no query can read or write points of another workspace.
/// Every filter gets the workspace added, every written point is stamped with it, and points fetched by ID are checked.
/// Hidden entities and their relations are not read, but can be written and deleted.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    store: Arc<dyn PointStore>,
    workspace: Workspace,
    hidden: Option<Arc<BTreeSet<EntityId>>>,
}

impl Scope {
    pub(crate) fn new(store: Arc<dyn PointStore>, workspace: Workspace) -> Self {
        Self { store, workspace, hidden: None }
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    pub(crate) fn store(&self) -> &Arc<dyn PointStore> {
        &self.store
    }

    /// Returns the same scope without these entities and their relations, or with all of them.
    pub(crate) fn hiding(&self, hidden: Option<Arc<BTreeSet<EntityId>>>) -> Self {
        Self { hidden, ..self.clone() }
    }

    /// Returns the hidden entities; `None` if none were given.
    pub(crate) fn hidden(&self) -> Option<&BTreeSet<EntityId>> {
        self.hidden.as_deref()
    }

    fn within(&self, filter: &Filter) -> Filter {
        Filter::equals(WORKSPACE, self.workspace.as_str()).and(filter.clone())
    }

    /// Restricts a filter to the workspace, for reading.
    fn seen(&self, collection: Collection, filter: &Filter) -> Filter {
        let within = self.within(filter);
        let Some(hidden) = self.hidden().filter(|hidden| !hidden.is_empty()) else { return within };
        let hidden = hidden.iter().copied();
        let without = match collection {
            Collection::Entities => Filter::Ids(hidden.map(EntityId::point).collect()),
            Collection::Relations => filters::touching(hidden),
            Collection::Passages => return within,
        };
        within.and(Filter::Not(Box::new(without)))
    }

    fn is_hidden(&self, collection: Collection, point: &Point) -> bool {
        let Some(hidden) = self.hidden().filter(|hidden| !hidden.is_empty()) else { return false };
        let end = |field: &str| point.payload.get(field).and_then(Value::as_str)?.parse::<EntityId>().ok();
        match collection {
            Collection::Entities => hidden.contains(&EntityId::from(point.id)),
            Collection::Relations => {
                [SUBJECT, OBJECT].into_iter().filter_map(end).any(|end| hidden.contains(&end))
            }
            Collection::Passages => false,
        }
    }

    pub(crate) async fn upsert(
        &self,
        collection: Collection,
        mut points: Vec<Point>,
        mode: WriteMode,
    ) -> Result<()> {
        if points.is_empty() {
            return Ok(());
        }
        for point in &mut points {
            point.payload.insert(WORKSPACE.to_owned(), self.workspace.as_str().into());
        }
        self.store.upsert(collection, points, mode).await
    }

    /// Reads points with whole payloads by ID: the workspace must be among the fields, since it is checked.
    pub(crate) async fn fetch(
        &self,
        collection: Collection,
        ids: &[PointId],
        vectors: bool,
    ) -> Result<Vec<Point>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut points = self.store.fetch(collection, ids, &Select { fields: None, vectors }).await?;
        points.retain(|point| {
            point.payload.get(WORKSPACE).and_then(Value::as_str) == Some(self.workspace.as_str())
                && !self.is_hidden(collection, point)
        });
        Ok(points)
    }

    pub(crate) async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.store.delete(collection, &self.within(filter)).await
    }

    pub(crate) async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        self.store.scroll(collection, &self.seen(collection, filter), after, limit, select).await
    }

    pub(crate) async fn search(&self, mut searches: Vec<Search>) -> Result<Vec<Vec<Scored>>> {
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        for search in &mut searches {
            search.filter = self.seen(search.collection, &search.filter);
        }
        self.store.search(&searches).await
    }

    pub(crate) async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.store.count(collection, &self.seen(collection, filter)).await
    }

    pub(crate) async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.store.estimate(collection, &self.seen(collection, filter)).await
    }

    pub(crate) async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        self.store.facet(collection, field, &self.seen(collection, filter), limit).await
    }
}

#[cfg(test)]
mod tests;
