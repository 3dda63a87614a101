//! Writes of several deltas that count as one: what a crash leaves of them is undone.

use std::{
    collections::BTreeSet,
    sync::{
        LazyLock, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use quiver_store::{Filter, PointId, Result, StoreKind};

use crate::{Applied, Delta, Graph, collect::Suspects};

/// After this long, what another process left of a write on a server counts as cut short. An embedded database has one
/// process, so there what another one left is cut short in any case.
const STALE_AFTER: Duration = Duration::from_hours(6);

/// The notes of writes that are under way in this process.
static UNDER_WAY: Mutex<BTreeSet<PointId>> = Mutex::new(BTreeSet::new());
/// What tells this process from all others that write or wrote to the same database.
static PROCESS: LazyLock<String> =
    LazyLock::new(|| format!("{}-{}", std::process::id(), since_1970().as_nanos()));
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A write of several deltas that counts as one. Until [`Graph::end_write`], what of it no passage supports is undone by
/// the next write or opening, should the process end or the write fail.
#[derive(Debug, Default)]
#[must_use = "a write that is not ended is undone"]
pub struct OpenWrite {
    notes: Vec<PointId>,
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        let mut under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        for note in &self.notes {
            under_way.remove(note);
        }
    }
}

/// Who made a note of a write, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) process: String,
    pub(crate) number: u64,
    pub(crate) at: u64,
}

impl Writer {
    fn here() -> Self {
        let at = u64::try_from(since_1970().as_millis()).unwrap_or_default();
        Self { process: PROCESS.clone(), number: NUMBER.fetch_add(1, Ordering::Relaxed), at }
    }

    /// Whether the write that left a note was cut short.
    pub(crate) fn is_gone(&self, note: PointId, kind: StoreKind) -> bool {
        if self.process == *PROCESS {
            return !UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).contains(&note);
        }
        let age = since_1970().saturating_sub(Duration::from_millis(self.at));
        kind != StoreKind::Server || age > STALE_AFTER
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Graph {
    /// Begins a write of several deltas that counts as one.
    pub fn begin_write(&self) -> OpenWrite {
        OpenWrite::default()
    }

    /// Adds a delta as [`Graph::apply`] does, as a part of a write.
    ///
    /// # Errors
    /// Those of [`Graph::apply`].
    pub async fn apply_within(&self, write: &mut OpenWrite, delta: Delta) -> Result<Applied> {
        self.check_delta(&delta)?;
        let _writing = self.writing.lock().await;
        self.finish_before_writing().await?;
        let mut suspects = Suspects::default();
        suspects.relations.extend(delta.relations.iter().map(|relation| relation.record.id));
        suspects.entities.extend(delta.entities.iter().map(|entity| entity.record.id));
        if !suspects.is_empty() {
            let writer = Writer::here();
            let (note, point) = self.note_of_write(&suspects, &writer);
            // Known as being under way before anybody can read it.
            write.notes.push(note);
            UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
            self.has_unfinished.store(true, Ordering::Relaxed);
            self.put_note(point).await?;
        }
        self.apply_delta(delta).await
    }

    /// Ends a write: all of it stays.
    ///
    /// # Errors
    /// Those of the store. What no passage supports may be undone then.
    pub async fn end_write(&self, write: OpenWrite) -> Result<()> {
        if write.notes.is_empty() {
            return Ok(());
        }
        let _writing = self.writing.lock().await;
        self.forget_notes(Filter::Ids(write.notes.clone())).await?;
        self.has_unfinished.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Undoes what writes left that failed or were cut short: looks at the first write of a process, and at the first
    /// after one that failed.
    async fn finish_before_writing(&self) -> Result<()> {
        if self.has_unfinished.load(Ordering::Relaxed) {
            self.finish_noted().await?;
            self.has_unfinished.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}
