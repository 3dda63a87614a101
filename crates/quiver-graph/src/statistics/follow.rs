//! How the statistics follow the writes of this process, in memory and in the stored copy.

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use quiver_store::{BlockMode, Collection, Derived, Version};

use super::{Counted, Statistics, block_of};
use crate::{Graph, conversation};

/// Age after which statistics of a store that other processes write to are compared with it.
const STALE_AFTER: Duration = Duration::from_secs(30);
/// Size of the changes in bytes at which the stored statistics are rewritten, if the changes are at least half as large
/// as what they change.
const CHANGES_BYTES: usize = 256 << 10;

/// The statistics that this process knows.
#[derive(Debug, Default)]
pub(crate) struct StatisticsCache {
    cached: RwLock<Option<Cached>>,
    /// Whether the stored copy of the statistics was found to be stale.
    is_stale: AtomicBool,
}

#[derive(Debug)]
struct Cached {
    statistics: Arc<Statistics>,
    checked: Instant,
    kept: Option<Kept>,
}

/// The stored copy of the statistics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// The version of the passages that it was derived from.
    version: Version,
    /// The sizes in bytes of its first block, and of those that change it.
    bytes: (usize, usize),
}

impl StatisticsCache {
    /// Returns the known statistics, and whether they were compared with the store recently.
    pub(super) fn get(&self) -> Option<(Arc<Statistics>, bool)> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        let cached = cached.as_ref()?;
        Some((Arc::clone(&cached.statistics), cached.checked.elapsed() < STALE_AFTER))
    }

    pub(super) fn set(&self, statistics: Arc<Statistics>, kept: Option<Kept>) {
        let cached = Cached { statistics, checked: Instant::now(), kept };
        *self.cached.write().unwrap_or_else(PoisonError::into_inner) = Some(cached);
    }

    /// Drops the known statistics, so that the next use reads them again.
    pub(crate) fn forget(&self) {
        *self.cached.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.is_stale.store(false, Ordering::Relaxed);
    }

    fn kept(&self) -> Option<Kept> {
        self.cached.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.kept
    }

    fn set_kept(&self, kept: Option<Kept>) {
        if let Some(cached) = self.cached.write().unwrap_or_else(PoisonError::into_inner).as_mut() {
            cached.kept = kept;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Statistics) -> T) -> Option<T> {
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.as_mut().map(|cached| change(Arc::make_mut(&mut cached.statistics)))
    }
}

/// A write of this process that the statistics follow. If it does not complete, because the store failed or the future
/// was dropped, it may have written anything or nothing; then the statistics are dropped.
pub(crate) struct Following<'a> {
    graph: Option<&'a Graph>,
    before: Option<Version>,
}

impl<'a> Following<'a> {
    /// Starts to follow a write. The caller holds the write lock.
    pub(crate) async fn start(graph: &'a Graph) -> Self {
        if graph.statistics.get().is_none() && !graph.statistics.is_stale.load(Ordering::Relaxed) {
            graph.kept_statistics().await;
        }
        let before = graph.passages_version().await;
        if graph.statistics.kept().is_some_and(|kept| before != Some(kept.version)) {
            // Another part of this process wrote passages that the known statistics may lack.
            graph.statistics.set_kept(None);
        }
        Self { graph: Some(graph), before }
    }

    /// Follows the write, exactly. Does nothing if the statistics are not known. `calls` is the number of store calls
    /// of the write, each of which changed something.
    pub(crate) async fn complete(mut self, removed: &[Counted], added: &[Counted], calls: u64) {
        let Some(graph) = self.graph.take() else { return };
        let changed = graph.statistics.change(|statistics| {
            removed.iter().for_each(|passage| statistics.subtract(passage));
            added.iter().for_each(|passage| statistics.add(passage));
        });
        let Some((kept, before)) = graph.statistics.kept().zip(self.before) else { return };
        if changed.is_none() {
            return;
        }
        graph.statistics.set_kept(None);
        match graph.passages_version().await {
            Some(version) if version.writes == before.writes + calls => {
                graph.keep_change(kept, version, removed, added).await;
            }
            _ => {}
        }
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        if let Some(graph) = self.graph {
            graph.statistics.forget();
        }
    }
}

impl Graph {
    /// Returns the stored copy of the statistics, if it was derived from the current passages. The caller holds the
    /// write lock. If the copy can't be read, it is derived again, so this is not an error.
    pub(super) async fn kept_statistics(&self) -> Option<Arc<Statistics>> {
        let version = self.passages_version().await?;
        let found = self.store().read_derived(Collection::Passages, &self.kept_name()).await.ok().flatten();
        let fresh = found.filter(|derived| derived.version == version);
        let (statistics, bytes) = match fresh {
            Some(Derived { blocks, .. }) => {
                let lengths = blocks.iter().map(Bytes::len);
                let bytes = (blocks[0].len(), lengths.skip(1).sum());
                (Statistics::read(&blocks)?, bytes)
            }
            None => {
                let passages = self.scope.count(Collection::Passages, &conversation::others()).await.ok()?;
                if passages > 0 {
                    self.statistics.is_stale.store(true, Ordering::Relaxed);
                    return None;
                }
                (Statistics::default(), (0, 0))
            }
        };
        let statistics = Arc::new(statistics);
        self.statistics.set(Arc::clone(&statistics), Some(Kept { version, bytes }));
        Some(statistics)
    }

    /// Stores statistics that were computed from the points.
    pub(super) async fn keep_statistics(&self, version: Version, block: Vec<u8>) {
        let bytes = (block.len(), 0);
        self.keep(Kept { version, bytes }, block, BlockMode::Replace).await;
    }

    /// Appends a change to the stored copy of the statistics, or rewrites all of it when that is due.
    async fn keep_change(&self, kept: Kept, version: Version, removed: &[Counted], added: &[Counted]) {
        let Kept { bytes: (base, changes), .. } = kept;
        let block = block_of(removed, added);
        let changes = changes + block.len();
        // After a removal, nothing of what was removed may remain.
        if base == 0 || changes > CHANGES_BYTES.max(base / 2) || !removed.is_empty() {
            if let Some(block) = self.statistics.change(Statistics::settle) {
                self.keep_statistics(version, block).await;
            }
        } else {
            self.keep(Kept { version, bytes: (base, changes) }, block, BlockMode::Append).await;
        }
    }

    async fn keep(&self, kept: Kept, block: Vec<u8>, mode: BlockMode) {
        let name = self.kept_name();
        match self.store().write_derived(Collection::Passages, &name, kept.version, block, mode).await {
            Ok(()) => self.statistics.set_kept(Some(kept)),
            Err(error) => {
                tracing::warn!(%error, "the statistics could not be kept; the next opening reads them from the points");
            }
        }
    }

    /// Returns the number of the last write to the passages, if the store counts them.
    pub(crate) async fn passages_version(&self) -> Option<Version> {
        self.store().version(Collection::Passages).await.ok().flatten()
    }
}
