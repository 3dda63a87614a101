//! The store in memory: exact, fast, not persistent, and the reference for the other backends.

mod matcher;
mod plan;
mod table;
mod top;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use async_trait::async_trait;

use self::table::Table;
use crate::{
    BlockMode, Collection, CollectionState, Derived, Filter, IndexProgress, Page, Point, PointId, PointStore,
    Result, Schema, Scored, Search, Select, StoreKind, StoreReport, Version, WriteMode, check,
};

/// A store in memory.
///
/// Every search is exact. Keyword fields of the schema and sparse vectors have inverted indexes; dense vectors are
/// compared one by one.
pub struct MemoryStore {
    schema: Schema,
    tables: [RwLock<Table>; 3],
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn open(schema: Schema) -> Self {
        let tables = Collection::ALL.map(|collection| RwLock::new(Table::new(&schema, collection)));
        Self { schema, tables }
    }

    // No step of a write can panic, so a poisoned lock still guards a consistent table.
    fn read(&self, collection: Collection) -> RwLockReadGuard<'_, Table> {
        self.tables[collection as usize].read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, collection: Collection) -> RwLockWriteGuard<'_, Table> {
        self.tables[collection as usize].write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = Collection::ALL.map(|collection| self.read(collection).len());
        f.debug_struct("MemoryStore")
            .field("schema", &self.schema)
            .field("points", &points)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl PointStore for MemoryStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Memory
    }

    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        check::points(&self.schema, collection, &points)?;
        let mut table = self.write(collection);
        for point in points {
            table.put(point, mode);
        }
        Ok(())
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        Ok(self.read(collection).fetch(ids, select))
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.write(collection).delete(filter);
        Ok(())
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        Ok(self.read(collection).scroll(filter, after, limit, select))
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        check::searches(&self.schema, searches)?;
        Ok(searches.iter().map(|search| self.read(search.collection).search(search)).collect())
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        Ok(self.read(collection).count(filter))
    }

    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.count(collection, filter).await
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        check::facet(&self.schema, collection, field)?;
        Ok(self.read(collection).facet(field, filter, limit))
    }

    async fn build_index(&self, _progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        Ok(())
    }

    async fn compact(&self) -> Result<()> {
        Ok(())
    }

    async fn version(&self, _: Collection) -> Result<Option<Version>> {
        Ok(None)
    }

    async fn read_derived(&self, _: Collection, _: &str) -> Result<Option<Derived>> {
        Ok(None)
    }

    async fn write_derived(
        &self,
        _: Collection,
        _: &str,
        _: Version,
        _: Vec<u8>,
        _: BlockMode,
    ) -> Result<()> {
        Ok(())
    }

    async fn report(&self) -> Result<StoreReport> {
        Ok(StoreReport {
            kind: StoreKind::Memory,
            location: "memory".to_owned(),
            points: Collection::ALL.map(|collection| self.read(collection).len() as u64),
            indexed: [0; 3],
            states: [CollectionState::Ready; 3],
            disk_bytes: None,
            journals: None,
            calls: Vec::new(),
        })
    }
}
