//! A store that counts its calls, their results and their time.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;

use crate::{
    BlockMode, CallReport, Collection, Derived, Filter, IndexProgress, Page, Point, PointId, PointStore,
    Result, Scored, Search, Select, StoreKind, StoreReport, Version, WriteMode,
};

/// The calls that are counted.
#[derive(Clone, Copy, Debug)]
enum Call {
    Upsert,
    Fetch,
    Delete,
    Scroll,
    Search,
    Count,
    Estimate,
    Facet,
    BuildIndex,
    Compact,
}

impl Call {
    const ALL: [Self; 10] = [
        Self::Upsert,
        Self::Fetch,
        Self::Delete,
        Self::Scroll,
        Self::Search,
        Self::Count,
        Self::Estimate,
        Self::Facet,
        Self::BuildIndex,
        Self::Compact,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Upsert => "upsert",
            Self::Fetch => "fetch",
            Self::Delete => "delete",
            Self::Scroll => "scroll",
            Self::Search => "search",
            Self::Count => "count",
            Self::Estimate => "estimate",
            Self::Facet => "facet",
            Self::BuildIndex => "build_index",
            Self::Compact => "compact",
        }
    }
}

/// Number of tallies per call: one for each collection, and one for calls that concern several.
const PLACES: usize = Collection::ALL.len() + 1;

#[derive(Debug, Default)]
struct Tally {
    calls: AtomicU64,
    failed: AtomicU64,
    searches: AtomicU64,
    points: AtomicU64,
    microseconds: AtomicU64,
}

/// Counts the calls of a store by operation and collection, and passes them on. [`PointStore::report`] has the counts.
#[derive(Debug)]
pub struct MeteredStore {
    store: Arc<dyn PointStore>,
    tallies: [[Tally; PLACES]; Call::ALL.len()],
}

impl MeteredStore {
    /// Wraps a store.
    pub fn new(store: Arc<dyn PointStore>) -> Self {
        Self { store, tallies: Default::default() }
    }

    fn tally(&self, call: Call, collection: Option<Collection>) -> &Tally {
        &self.tallies[call as usize][collection.map_or(PLACES - 1, |collection| collection as usize)]
    }

    /// Counts the points that a call returned.
    fn returned(&self, call: Call, collection: Option<Collection>, points: usize) {
        self.tally(call, collection).points.fetch_add(points as u64, Ordering::Relaxed);
    }

    async fn metered<T>(
        &self,
        call: Call,
        collection: Option<Collection>,
        answer: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        let began = Instant::now();
        let answer = answer.await;
        let tally = self.tally(call, collection);
        tally.calls.fetch_add(1, Ordering::Relaxed);
        tally.failed.fetch_add(u64::from(answer.is_err()), Ordering::Relaxed);
        let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        tally.microseconds.fetch_add(took, Ordering::Relaxed);
        answer
    }

    /// Returns the calls so far by operation and collection, leaving out zeros.
    pub fn calls(&self) -> Vec<CallReport> {
        let mut reports = Vec::new();
        for call in Call::ALL {
            for (place, tally) in self.tallies[call as usize].iter().enumerate() {
                let calls = tally.calls.load(Ordering::Relaxed);
                if calls > 0 {
                    reports.push(CallReport {
                        operation: call.name(),
                        collection: Collection::ALL.get(place).copied(),
                        calls,
                        failed: tally.failed.load(Ordering::Relaxed),
                        searches: tally.searches.load(Ordering::Relaxed),
                        points: tally.points.load(Ordering::Relaxed),
                        time: Duration::from_micros(tally.microseconds.load(Ordering::Relaxed)),
                    });
                }
            }
        }
        reports
    }
}

#[async_trait]
impl PointStore for MeteredStore {
    fn kind(&self) -> StoreKind {
        self.store.kind()
    }

    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        self.metered(Call::Upsert, Some(collection), self.store.upsert(collection, points, mode)).await
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        let fetched = self.store.fetch(collection, ids, select);
        let points = self.metered(Call::Fetch, Some(collection), fetched).await?;
        self.returned(Call::Fetch, Some(collection), points.len());
        Ok(points)
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.metered(Call::Delete, Some(collection), self.store.delete(collection, filter)).await
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        let page = self.store.scroll(collection, filter, after, limit, select);
        let page = self.metered(Call::Scroll, Some(collection), page).await?;
        self.returned(Call::Scroll, Some(collection), page.points.len());
        Ok(page)
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        let first = searches.first().map(|search| search.collection);
        let only = first.filter(|first| searches.iter().all(|search| search.collection == *first));
        self.tally(Call::Search, only).searches.fetch_add(searches.len() as u64, Ordering::Relaxed);
        let found = self.metered(Call::Search, only, self.store.search(searches)).await?;
        self.returned(Call::Search, only, found.iter().map(Vec::len).sum());
        Ok(found)
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.metered(Call::Count, Some(collection), self.store.count(collection, filter)).await
    }

    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.metered(Call::Estimate, Some(collection), self.store.estimate(collection, filter)).await
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        let counts = self.store.facet(collection, field, filter, limit);
        self.metered(Call::Facet, Some(collection), counts).await
    }

    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        self.metered(Call::BuildIndex, None, self.store.build_index(progress)).await
    }

    async fn compact(&self) -> Result<()> {
        self.metered(Call::Compact, None, self.store.compact()).await
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
        let report = self.store.report().await?;
        Ok(StoreReport { calls: self.calls(), ..report })
    }
}
