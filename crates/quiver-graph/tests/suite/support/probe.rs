use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use quiver_graph::Graph;
use quiver_store::{
    BlockMode, Collection, Derived, Error, ErrorKind, Field, Filter, IndexProgress, Page, Point, PointId,
    PointStore, Result, Scored, Search, Select, StoreKind, StoreReport, Version, WriteMode,
};

/// A call that went through a [`Probe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) collection: Collection,
    /// Number of points read or written.
    pub(crate) points: usize,
}

impl Call {
    pub(crate) fn is_write(&self) -> bool {
        matches!(self.name, "upsert" | "delete")
    }
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Without any effect.
    Before,
    /// After half of its points were written or deleted.
    Halfway,
    /// After all of its effect, without the caller learning of it.
    After,
}

impl Fault {
    pub(crate) const ALL: [Self; 3] = [Self::Before, Self::Halfway, Self::After];
}

/// A store that records its calls, yields before each of them, and fails on demand. It asserts that filters use only
/// indexed fields.
#[derive(Debug)]
pub(crate) struct Probe {
    inner: Arc<dyn PointStore>,
    calls: Mutex<Vec<Call>>,
    /// Counts down to the call that fails. After it all calls fail, as after a crash.
    left: AtomicUsize,
    fault: Mutex<Fault>,
}

impl Probe {
    pub(crate) fn new(inner: Arc<dyn PointStore>) -> Self {
        Self {
            inner,
            calls: Mutex::default(),
            left: AtomicUsize::new(usize::MAX),
            fault: Mutex::new(Fault::Before),
        }
    }

    /// Lets this many calls pass, fails the next one in this way, and all later ones without any effect.
    pub(crate) fn fail_after(&self, calls: usize, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
        self.left.store(calls, Ordering::SeqCst);
    }

    /// Stops failing. Returns whether any call has failed.
    pub(crate) fn heal(&self) -> bool {
        self.left.swap(usize::MAX, Ordering::SeqCst) == DEAD
    }

    /// Returns the calls since this was last called.
    pub(crate) fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    fn record(&self, name: &'static str, collection: Collection, points: usize) {
        self.calls.lock().unwrap().push(Call { name, collection, points });
    }

    /// Returns whether and how this call fails.
    async fn turn(&self) -> Option<Fault> {
        tokio::task::yield_now().await;
        let left = self.left.load(Ordering::SeqCst);
        match left {
            usize::MAX => None,
            DEAD => Some(Fault::Before),
            0 => {
                self.left.store(DEAD, Ordering::SeqCst);
                Some(*self.fault.lock().unwrap())
            }
            _ => {
                self.left.store(left - 1, Ordering::SeqCst);
                None
            }
        }
    }

    async fn read_turn(&self) -> Result<()> {
        self.turn().await.map_or(Ok(()), |_| Err(crash()))
    }
}

/// Asserts that a filter uses only indexed fields of the collection.
fn assert_indexed(collection: Collection, filter: &Filter) {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => {
            filters.iter().for_each(|filter| assert_indexed(collection, filter));
        }
        Filter::Not(filter) => assert_indexed(collection, filter),
        Filter::In { field, .. } | Filter::Range { field, .. } | Filter::Missing { field } => {
            let fields = Graph::schema(None).fields;
            let is_indexed = |known: &Field| known.collection == collection && known.name == *field;
            assert!(fields.iter().any(is_indexed), "{field} of {collection} is no indexed field");
        }
        Filter::Ids(_) => {}
    }
}

const DEAD: usize = usize::MAX - 1;

fn crash() -> Error {
    Error::new(ErrorKind::Unavailable, "the probe was told to fail")
}

#[async_trait]
impl PointStore for Probe {
    fn kind(&self) -> StoreKind {
        self.inner.kind()
    }

    async fn upsert(&self, collection: Collection, mut points: Vec<Point>, mode: WriteMode) -> Result<()> {
        let fault = self.turn().await;
        match fault {
            Some(Fault::Before) => return Err(crash()),
            Some(Fault::Halfway) => points.truncate(points.len() / 2),
            Some(Fault::After) | None => {}
        }
        self.record("upsert", collection, points.len());
        self.inner.upsert(collection, points, mode).await?;
        fault.map_or(Ok(()), |_| Err(crash()))
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        self.read_turn().await?;
        let points = self.inner.fetch(collection, ids, select).await?;
        self.record("fetch", collection, points.len());
        Ok(points)
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        assert_indexed(collection, filter);
        let fault = self.turn().await;
        if fault == Some(Fault::Before) {
            return Err(crash());
        }
        let doomed = self.inner.scroll(collection, filter, None, 1_000_000, &Select::ID).await?.points;
        let mut ids: Vec<_> = doomed.into_iter().map(|point| point.id).collect();
        if fault == Some(Fault::Halfway) {
            ids.truncate(ids.len() / 2);
        }
        self.record("delete", collection, ids.len());
        self.inner.delete(collection, &Filter::Ids(ids)).await?;
        fault.map_or(Ok(()), |_| Err(crash()))
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        assert_indexed(collection, filter);
        self.read_turn().await?;
        let page = self.inner.scroll(collection, filter, after, limit, select).await?;
        self.record("scroll", collection, page.points.len());
        Ok(page)
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        searches.iter().for_each(|search| assert_indexed(search.collection, &search.filter));
        self.read_turn().await?;
        let found = self.inner.search(searches).await?;
        self.record("search", searches[0].collection, found.iter().map(Vec::len).sum());
        Ok(found)
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        assert_indexed(collection, filter);
        self.read_turn().await?;
        self.record("count", collection, 0);
        self.inner.count(collection, filter).await
    }

    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        assert_indexed(collection, filter);
        self.read_turn().await?;
        self.record("estimate", collection, 0);
        self.inner.estimate(collection, filter).await
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        assert_indexed(collection, filter);
        self.read_turn().await?;
        self.record("facet", collection, 0);
        self.inner.facet(collection, field, filter, limit).await
    }

    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        self.inner.build_index(progress).await
    }

    async fn compact(&self) -> Result<()> {
        self.inner.compact().await
    }

    async fn version(&self, collection: Collection) -> Result<Option<Version>> {
        self.inner.version(collection).await
    }

    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>> {
        self.inner.read_derived(collection, name).await
    }

    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()> {
        self.inner.write_derived(collection, name, version, block, mode).await
    }

    async fn report(&self) -> Result<StoreReport> {
        self.inner.report().await
    }
}
