//! A store that counts what it is asked for.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use quiver::store::{
    BlockMode, Collection, Derived, Filter, IndexProgress, Page, Point, PointId, PointStore, Result, Scored,
    Search, Select, StoreKind, StoreReport, Version, WriteMode,
};

/// What a store was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls: round trips, where the store is a server.
    pub calls: u64,
    /// Searches in these calls.
    pub searches: u64,
    /// Points that came back.
    pub points: u64,
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            calls: self.calls - before.calls,
            searches: self.searches - before.searches,
            points: self.points - before.points,
        }
    }
}

/// A store that counts what it is asked for, and passes everything on.
#[derive(Debug)]
pub struct CountingStore {
    store: Arc<dyn PointStore>,
    calls: AtomicU64,
    searches: AtomicU64,
    points: AtomicU64,
}

impl CountingStore {
    /// Wraps a store.
    pub fn new(store: Arc<dyn PointStore>) -> Self {
        let [calls, searches, points] = std::array::from_fn(|_| AtomicU64::new(0));
        Self { store, calls, searches, points }
    }

    /// What it was asked for until now.
    pub fn counts(&self) -> Counts {
        Counts {
            calls: self.calls.load(Ordering::Relaxed),
            searches: self.searches.load(Ordering::Relaxed),
            points: self.points.load(Ordering::Relaxed),
        }
    }

    fn call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self, points: usize) {
        self.points.fetch_add(points as u64, Ordering::Relaxed);
    }
}

#[async_trait]
impl PointStore for CountingStore {
    fn kind(&self) -> StoreKind {
        self.store.kind()
    }

    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        self.call();
        self.store.upsert(collection, points, mode).await
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        self.call();
        let points = self.store.fetch(collection, ids, select).await?;
        self.read(points.len());
        Ok(points)
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.call();
        self.store.delete(collection, filter).await
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        self.call();
        let page = self.store.scroll(collection, filter, after, limit, select).await?;
        self.read(page.points.len());
        Ok(page)
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        self.call();
        self.searches.fetch_add(searches.len() as u64, Ordering::Relaxed);
        let answers = self.store.search(searches).await?;
        self.read(answers.iter().map(Vec::len).sum());
        Ok(answers)
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.call();
        self.store.count(collection, filter).await
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        self.call();
        self.store.facet(collection, field, filter, limit).await
    }

    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        self.store.build_index(progress).await
    }

    async fn compact(&self) -> Result<()> {
        self.store.compact().await
    }

    async fn version(&self, collection: Collection) -> Result<Option<Version>> {
        self.store.version(collection).await
    }

    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>> {
        self.store.read_derived(collection, name).await
    }

    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()> {
        self.store.write_derived(collection, name, version, block, mode).await
    }

    async fn report(&self) -> Result<StoreReport> {
        self.store.report().await
    }
}

#[cfg(test)]
mod tests {
    use quiver::store::{MemoryStore, Schema, SparseVector, Target};

    use super::*;

    #[tokio::test]
    async fn calls_searches_and_points_are_counted() {
        let store = CountingStore::new(Arc::new(MemoryStore::open(Schema::default())));
        let point =
            |id: u128| Point::new(PointId::from_u128(id)).with_sparse(SparseVector::from_pairs([(1, 1.0)]));
        let points = vec![point(1), point(2)];
        store.upsert(Collection::Passages, points, WriteMode::Replace).await.unwrap();
        let before = store.counts();
        assert_eq!(before, Counts { calls: 1, searches: 0, points: 0 });
        let search = Search {
            collection: Collection::Passages,
            target: Target::Sparse(SparseVector::from_pairs([(1, 1.0)])),
            filter: Filter::everything(),
            limit: 5,
            exact: true,
            select: Select::ID,
        };
        store.search(&[search.clone(), search]).await.unwrap();
        let ids = [PointId::from_u128(1), PointId::from_u128(9)];
        store.fetch(Collection::Passages, &ids, &Select::ID).await.unwrap();
        assert_eq!(store.counts() - before, Counts { calls: 2, searches: 2, points: 5 });
    }
}
