use std::sync::Arc;

use quiver_store::{
    Collection, Filter, Page, Point, PointId, PointStore, Result, Scored, Search, Select, WriteMode,
};
use serde_json::Value;

use crate::{Workspace, payload::WORKSPACE};

/// A store restricted to one workspace.
///
/// The graph accesses the store only through this type, so no query can read or write points of another workspace.
/// Every filter gets the workspace added, every written point is stamped with it, and points fetched by ID are
/// checked.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    store: Arc<dyn PointStore>,
    workspace: Workspace,
}

impl Scope {
    pub(crate) fn new(store: Arc<dyn PointStore>, workspace: Workspace) -> Self {
        Self { store, workspace }
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    pub(crate) fn store(&self) -> &Arc<dyn PointStore> {
        &self.store
    }

    fn within(&self, filter: &Filter) -> Filter {
        Filter::equals(WORKSPACE, self.workspace.as_str()).and(filter.clone())
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

    /// Reads points with whole payloads by ID: the workspace must be among the fields to be checked.
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
        self.store.scroll(collection, &self.within(filter), after, limit, select).await
    }

    pub(crate) async fn search(&self, mut searches: Vec<Search>) -> Result<Vec<Vec<Scored>>> {
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        for search in &mut searches {
            search.filter = self.within(&search.filter);
        }
        self.store.search(&searches).await
    }

    pub(crate) async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.store.count(collection, &self.within(filter)).await
    }

    pub(crate) async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.store.estimate(collection, &self.within(filter)).await
    }

    pub(crate) async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        self.store.facet(collection, field, &self.within(filter), limit).await
    }
}

#[cfg(test)]
mod tests;
