//! Writes of several deltas as one unit. If a crash interrupts a write, its unsupported records are removed.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
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
    /// The entities and relations that the notes name.
    noted: Suspects,
    /// Set if the write is dropped before its end, so that the next one cleans up.
    has_unfinished: Arc<AtomicBool>,
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

    /// Marks the write as complete, once its notes are gone from the store.
    pub(crate) fn close(mut self) {
        release(&std::mem::take(&mut self.notes));
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

/// Registers notes as no longer those of a current write.
fn release(notes: &[PointId]) {
    let mut under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    for note in notes {
        under_way.remove(note);
    }
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        if !self.notes.is_empty() {
            release(&self.notes);
            self.has_unfinished.store(true, Ordering::Relaxed);
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
        let has_unfinished = Arc::clone(&self.has_unfinished);
        OpenWrite { notes: Vec::new(), noted: Suspects::default(), has_unfinished }
    }

    /// Starts a write of a delta that is applied in parts, with one note for all of them.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn begin_write_of(&self, delta: &Delta) -> Result<OpenWrite> {
        let mut write = self.begin_write();
        self.note(&mut write, delta).await?;
        Ok(write)
    }

    /// Applies a delta like [`Graph::apply`], as part of a write. Entities and relations that are not pinned are written
    /// beside other writes of this process, passages only one delta at a time.
    ///
    /// # Errors
    /// The same errors as [`Graph::apply`].
    pub async fn apply_within(&self, write: &mut OpenWrite, delta: Delta) -> Result<Applied> {
        self.check_delta(&delta)?;
        // Of other records, those that exist stay as they are, and nobody collects what the note names.
        let is_alone = !delta.passages.is_empty() || delta.has_pinned();
        if is_alone || self.has_unfinished.load(Ordering::Relaxed) {
            let _writing = self.writing.lock().await;
            return self.apply_noted(write, delta).await;
        }
        self.note(write, &delta).await?;
        self.apply_delta(delta).await
    }

    /// Records a delta and applies it. The caller holds the write lock.
    pub(crate) async fn apply_noted(&self, write: &mut OpenWrite, delta: Delta) -> Result<Applied> {
        self.finish_before_writing().await?;
        self.note(write, &delta).await?;
        self.apply_delta(delta).await
    }

    /// Records the entities and relations that a delta is about to add.
    async fn note(&self, write: &mut OpenWrite, delta: &Delta) -> Result<()> {
        let mut suspects = Suspects {
            relations: delta.relations.iter().map(|relation| relation.record.id).collect(),
            entities: delta.entities.iter().map(|entity| entity.record.id).collect(),
        };
        suspects.relations.retain(|relation| !write.noted.relations.contains(relation));
        suspects.entities.retain(|entity| !write.noted.entities.contains(entity));
        if suspects.is_empty() {
            return Ok(());
        }
        let (note, point) = self.note_of_write(&suspects, &Writer::here());
        let _collecting = self.collecting.lock().await;
        // Registered as current before anybody can read it.
        write.hold(note);
        self.put_note(point).await?;
        write.noted.relations.extend(suspects.relations);
        write.noted.entities.extend(suspects.entities);
        Ok(())
    }

    /// Ends a write successfully.
    ///
    /// # Errors
    /// Returns an error if the store fails. Records that no passage supports may then be removed.
    pub async fn end_write(&self, write: OpenWrite) -> Result<()> {
        self.end_writes(vec![write]).await
    }

    /// Ends several writes successfully, with one call of the store.
    ///
    /// # Errors
    /// As for [`Graph::end_write`].
    pub async fn end_writes(&self, writes: Vec<OpenWrite>) -> Result<()> {
        let notes: Vec<PointId> = writes.iter().flat_map(|write| &write.notes).copied().collect();
        if notes.is_empty() {
            return Ok(());
        }
        self.forget_notes(Filter::Ids(notes)).await?;
        writes.into_iter().for_each(OpenWrite::close);
        Ok(())
    }

    /// Cleans up after failed or interrupted writes. It checks before the first write of a process, and before the
    /// next write after a failure.
    pub(crate) async fn finish_before_writing(&self) -> Result<()> {
        if !self.has_unfinished.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let finished = match self.finish_changes().await {
            Ok(()) => self.finish_noted().await.map(drop),
            Err(error) => Err(error),
        };
        if finished.is_err() {
            self.has_unfinished.store(true, Ordering::Relaxed);
        }
        finished
    }
}
