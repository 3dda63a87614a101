//! Writes of several deltas as one unit. If a crash interrupts a write, its unsupported records are removed.

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

/// Age after which another process's note of a write on a server counts as interrupted. An embedded database is used
/// by one process at a time, so there any note of another process is from an interrupted write.
const STALE_AFTER: Duration = Duration::from_hours(6);

/// The notes of this process's current writes.
static UNDER_WAY: Mutex<BTreeSet<PointId>> = Mutex::new(BTreeSet::new());
/// Identifies this process among all that write or wrote to the same database.
static PROCESS: LazyLock<String> =
    LazyLock::new(|| format!("{}-{}", std::process::id(), since_1970().as_nanos()));
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A write of several deltas as one unit. If the process ends or the write fails before [`Graph::end_write`], the
/// next write or opening removes those of its records that no passage supports.
#[derive(Debug, Default)]
#[must_use = "a write that is not ended is undone"]
pub struct OpenWrite {
    notes: Vec<PointId>,
}

impl OpenWrite {
    /// Registers a note as one of a current write.
    pub(crate) fn hold(&mut self, note: PointId) {
        self.notes.push(note);
        UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }

    /// Returns the registered notes.
    pub(crate) fn notes(&self) -> &[PointId] {
        &self.notes
    }
}

/// A deletion after which no file of the store may contain what was deleted. If it is dropped before
/// [`Graph::end_erasure`], the next opening of the workspace ends it.
#[derive(Debug, Default)]
#[must_use = "an erasure that is not ended leaves what was deleted in the files until the next opening"]
pub struct Erasure(pub(crate) OpenWrite);

/// Whether a note belongs to a current write of this process.
pub(crate) fn is_under_way(note: PointId) -> bool {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).contains(&note)
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        let mut under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        for note in &self.notes {
            under_way.remove(note);
        }
    }
}

/// The process that wrote a note, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) process: String,
    pub(crate) number: u64,
    pub(crate) at: u64,
}

impl Writer {
    pub(crate) fn here() -> Self {
        let at = u64::try_from(since_1970().as_millis()).unwrap_or_default();
        Self { process: PROCESS.clone(), number: NUMBER.fetch_add(1, Ordering::Relaxed), at }
    }

    /// Whether the write of a note was interrupted.
    pub(crate) fn is_gone(&self, note: PointId, kind: StoreKind) -> bool {
        if self.process == *PROCESS {
            return !is_under_way(note);
        }
        let age = since_1970().saturating_sub(Duration::from_millis(self.at));
        kind != StoreKind::Server || age > STALE_AFTER
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Graph {
    /// Starts a write of several deltas as one unit.
    pub fn begin_write(&self) -> OpenWrite {
        OpenWrite::default()
    }

    /// Applies a delta like [`Graph::apply`], as part of a write.
    ///
    /// # Errors
    /// The same errors as [`Graph::apply`].
    pub async fn apply_within(&self, write: &mut OpenWrite, delta: Delta) -> Result<Applied> {
        self.check_delta(&delta)?;
        let _writing = self.writing.lock().await;
        self.apply_noted(write, delta).await
    }

    /// Records a delta and applies it. The caller holds the write lock.
    pub(crate) async fn apply_noted(&self, write: &mut OpenWrite, delta: Delta) -> Result<Applied> {
        self.finish_before_writing().await?;
        let mut suspects = Suspects::default();
        suspects.relations.extend(delta.relations.iter().map(|relation| relation.record.id));
        suspects.entities.extend(delta.entities.iter().map(|entity| entity.record.id));
        if !suspects.is_empty() {
            let writer = Writer::here();
            let (note, point) = self.note_of_write(&suspects, &writer);
            // Registered as current before anybody can read it.
            write.hold(note);
            self.has_unfinished.store(true, Ordering::Relaxed);
            self.put_note(point).await?;
        }
        self.apply_delta(delta).await
    }

    /// Ends a write successfully.
    ///
    /// # Errors
    /// Returns an error if the store fails. Records that no passage supports may then be removed.
    pub async fn end_write(&self, write: OpenWrite) -> Result<()> {
        if write.notes.is_empty() {
            return Ok(());
        }
        let _writing = self.writing.lock().await;
        self.forget_notes(Filter::Ids(write.notes.clone())).await?;
        self.has_unfinished.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Cleans up after failed or interrupted writes. It checks before the first write of a process, and before the
    /// next write after a failure.
    pub(crate) async fn finish_before_writing(&self) -> Result<()> {
        if self.has_unfinished.load(Ordering::Relaxed) {
            self.finish_changes().await?;
            self.finish_noted().await?;
            self.has_unfinished.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}
