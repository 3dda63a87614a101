//! One collection: the engine's shard, the journal before it, and who may touch them when.

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    ops::Deref,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use qdrant_edge::{
    CountRequest, EdgeShard, PointInsertOperations, PointOperations, ScrollRequest, UpdateOperation,
    VectorOperations, WithPayloadInterface, WithVector,
};

use super::{
    codec::{self, Entry},
    convert::{DENSE, engine_id, engine_point, filter, own_id},
    guard::{self, from_io},
    journal::Journal,
    layout::{Layout, index_fields},
    read::has_vector,
};
use crate::{
    Collection, Error, ErrorKind, Filter, Point, PointId, Result, Schema, WriteMode, distinct::distinct,
};

/// The number of points that go to the engine at a time.
const BATCH: usize = 1000;
/// The journal's length from which on the engine is told to flush: a second or so of work after a crash.
const JOURNAL_BYTES: u64 = 8 << 20;
/// The room that a write needs to be tried. The engine writes through memory maps, and where the disk is full when it
/// touches a new page, the system kills the process: so there is no trying out.
const ROOM_BYTES: u64 = 48 << 20;

/// A change to a collection.
#[derive(Debug)]
pub(super) enum Change {
    Put(Vec<Point>, WriteMode),
    Delete(Filter),
}

/// A collection of the database.
///
/// Readers run beside each other, and beside a flush. A writer applies its change alone, so that no reader meets half
/// of a batch. Flushing panics where it meets a writer, so both are behind the one lock of the journal.
pub(super) struct Shard {
    pub(super) collection: Collection,
    schema: Schema,
    directory: PathBuf,
    engine: Engine,
    gate: RwLock<()>,
    queue: Mutex<VecDeque<Arc<Job>>>,
    journal: Mutex<Journal>,
    layout: Layout,
    dense_indexed: AtomicU64,
}

/// The engine's shard. To drop it is to flush it, and where that fails it panics: not in the middle of a drop.
struct Engine(Option<EdgeShard>);

impl Deref for Engine {
    type Target = EdgeShard;

    fn deref(&self) -> &EdgeShard {
        self.0.as_ref().expect("the shard is there until it is dropped")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let shard = self.0.take();
        if let Err(message) = guard::catch(|| drop(shard)) {
            tracing::warn!(%message, "the engine could not flush when it was closed");
        }
    }
}

/// A change that waits, and what became of it.
struct Job {
    change: Mutex<Option<Change>>,
    outcome: Mutex<Option<Result<()>>>,
}

impl Shard {
    /// Opens a collection and does again what the journal says.
    pub(super) fn open(layout: &Layout, schema: Schema, collection: Collection) -> Result<Self> {
        let engine = layout.load(&schema, collection)?;
        let (journal, entries) = Journal::open(layout.journal(collection))?;
        let shard = Self {
            collection,
            schema,
            directory: layout.directory.clone(),
            engine: Engine(Some(engine)),
            gate: RwLock::new(()),
            queue: Mutex::new(VecDeque::new()),
            journal: Mutex::new(journal),
            dense_indexed: AtomicU64::new(layout.dense_indexed(collection)),
            layout: layout.clone(),
        };
        if !entries.is_empty() {
            tracing::info!(%collection, entries = entries.len(), "doing again what the journal says");
            for entry in entries {
                shard.apply(entry)?;
            }
            shard.checkpoint(&mut shard.journal())?;
        }
        Ok(shard)
    }

    /// Makes a change. It waits for those before it, and whoever waits first takes the others along: their entries
    /// reach the disk together.
    pub(super) fn change(&self, change: Change) -> Result<()> {
        let job = Arc::new(Job { change: Mutex::new(Some(change)), outcome: Mutex::new(None) });
        lock(&self.queue).push_back(Arc::clone(&job));
        let mut journal = self.journal();
        if let Some(outcome) = lock(&job.outcome).take() {
            return outcome;
        }
        let jobs = std::mem::take(&mut *lock(&self.queue));
        self.commit(&mut journal, jobs);
        lock(&job.outcome).take().expect("a job is in the queue until it has an outcome")
    }

    /// Runs a reading call beside other readers and no writer.
    pub(super) fn read<T>(
        &self,
        call: impl FnOnce(&EdgeShard) -> qdrant_edge::OperationResult<T>,
    ) -> Result<T> {
        let _readers = self.readers();
        guard::engine(&self.directory, || call(&self.engine))
    }

    /// Keeps writers out while several reading calls belong together. They go through [`Self::within`].
    pub(super) fn readers(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a reading call of someone who keeps writers out already.
    pub(super) fn within<T>(
        &self,
        _readers: &RwLockReadGuard<'_, ()>,
        call: impl FnOnce(&EdgeShard) -> qdrant_edge::OperationResult<T>,
    ) -> Result<T> {
        guard::engine(&self.directory, || call(&self.engine))
    }

    /// Builds the index over dense vectors. Writers wait for it, readers do not.
    pub(super) fn optimize(&self) -> Result<()> {
        let mut journal = self.journal();
        self.has_room(0)?;
        let dense = self.count_by(Some(has_vector(DENSE)))?;
        // Noted first: that a point is in an index is to be believed rather too early than too late.
        self.layout.note_indexed(self.collection, dense)?;
        self.dense_indexed.store(dense, Ordering::Relaxed);
        guard::engine(&self.directory, || self.engine.optimize())?;
        // The segment that takes new points from now on is a new one.
        index_fields(&self.directory, &self.engine, &self.schema, self.collection)?;
        self.checkpoint(&mut journal)
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many dense vectors there were when the index was last built.
    pub(super) fn dense_indexed(&self) -> u64 {
        self.dense_indexed.load(Ordering::Relaxed)
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }

    fn commit(&self, journal: &mut Journal, jobs: VecDeque<Arc<Job>>) {
        let mut pending: Vec<(Arc<Job>, Vec<Entry>)> = Vec::new();
        for job in jobs {
            let change = lock(&job.change).take().expect("a job is taken from the queue once");
            // What such a change means depends on what is there, so those before it come first.
            if !matches!(change, Change::Put(_, WriteMode::Replace)) {
                self.settle(journal, &mut pending);
            }
            match self.resolve(change).and_then(|entries| self.note(journal, entries)) {
                Ok(entries) => pending.push((job, entries)),
                Err(error) => *lock(&job.outcome) = Some(Err(error)),
            }
        }
        self.settle(journal, &mut pending);
        if journal.length() > JOURNAL_BYTES
            && let Err(error) = self.checkpoint(journal)
        {
            // All of it is in the journal, so nothing is lost; the next write tries again.
            tracing::warn!(collection = %self.collection, %error, "the engine could not flush");
        }
    }

    /// Brings the journal to the disk, then applies what was noted there.
    fn settle(&self, journal: &Journal, pending: &mut Vec<(Arc<Job>, Vec<Entry>)>) {
        if pending.is_empty() {
            return;
        }
        let synced = journal.sync();
        for (job, entries) in pending.drain(..) {
            let outcome = match &synced {
                Ok(()) => entries.into_iter().try_for_each(|entry| self.apply(entry)),
                Err(error) => Err(Error::new(error.kind(), error.to_string())),
            };
            *lock(&job.outcome) = Some(outcome);
        }
    }

    /// Says in whole points and in ids what a change means now.
    fn resolve(&self, change: Change) -> Result<Vec<Entry>> {
        match change {
            Change::Put(points, mode) => {
                let mut points = distinct(points, mode);
                if mode == WriteMode::KeepExisting {
                    let ids: Vec<_> = points.iter().map(|point| engine_id(point.id)).collect();
                    let nothing = (Some(WithPayloadInterface::Bool(false)), Some(WithVector::Bool(false)));
                    let taken = self.read(|engine| engine.retrieve(&ids, nothing.0, nothing.1))?;
                    let taken: HashSet<_> = taken.into_iter().map(|record| record.id).collect();
                    points.retain(|point| !taken.contains(&engine_id(point.id)));
                }
                let mut entries = Vec::new();
                while !points.is_empty() {
                    let rest = points.split_off(points.len().min(BATCH));
                    entries.push(Entry::Put(points));
                    points = rest;
                }
                Ok(entries)
            }
            Change::Delete(filter) => {
                let ids = self.passing(&filter)?;
                Ok(ids.chunks(BATCH * 10).map(|ids| Entry::Delete(ids.to_vec())).collect())
            }
        }
    }

    fn note(&self, journal: &mut Journal, entries: Vec<Entry>) -> Result<Vec<Entry>> {
        for entry in &entries {
            let bytes = codec::encode(entry);
            if matches!(entry, Entry::Put(_)) {
                self.has_room(bytes.len() as u64)?;
            }
            journal.append(&bytes)?;
        }
        Ok(entries)
    }

    fn apply(&self, entry: Entry) -> Result<()> {
        let mut operations = Vec::new();
        match entry {
            Entry::Put(points) => {
                let drop = self.drop_vectors(&points);
                let points = points.into_iter().map(engine_point).collect();
                let upsert = PointOperations::UpsertPoints(PointInsertOperations::PointsList(points));
                operations.push(UpdateOperation::PointOperation(upsert));
                operations.extend(drop);
            }
            Entry::Delete(ids) => {
                let ids = ids.into_iter().map(engine_id).collect();
                operations.push(UpdateOperation::PointOperation(PointOperations::DeletePoints { ids }));
            }
        }
        let _writer = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        operations
            .into_iter()
            .try_for_each(|operation| guard::engine(&self.directory, || self.engine.update(operation)))
    }

    /// What takes the dense vector from the points that come without one. A point in an indexed segment would keep its
    /// old one: the engine moves it to another segment then, and adds the new vectors to the old.
    fn drop_vectors(&self, points: &[Point]) -> Option<UpdateOperation> {
        if self.dense_indexed() == 0 {
            return None;
        }
        let bare: Vec<_> =
            points.iter().filter(|p| p.vectors.dense.is_none()).map(|p| engine_id(p.id)).collect();
        if bare.is_empty() {
            return None;
        }
        Some(UpdateOperation::VectorOperation(VectorOperations::DeleteVectors(
            bare.into(),
            vec![DENSE.to_owned()],
        )))
    }

    /// Brings the engine's files up to date, so that the journal can be forgotten.
    fn checkpoint(&self, journal: &mut Journal) -> Result<()> {
        guard::engine(&self.directory, || {
            self.engine.flush();
            Ok(())
        })?;
        journal.clear()
    }

    /// The ids of the points that pass a filter, ascending.
    pub(super) fn passing(&self, wanted: &Filter) -> Result<Vec<PointId>> {
        let Some(filter) = filter(&self.schema, self.collection, wanted)? else { return Ok(Vec::new()) };
        let readers = self.readers();
        let count = CountRequest { filter: filter.clone(), exact: true };
        let limit = self.within(&readers, |engine| engine.count(count))?;
        let request = ScrollRequest {
            offset: None,
            limit: Some(limit),
            filter,
            with_payload: Some(WithPayloadInterface::Bool(false)),
            with_vector: WithVector::Bool(false),
            order_by: None,
        };
        let (records, _) = self.within(&readers, |engine| engine.scroll(request))?;
        records.into_iter().map(|record| own_id(record.id)).collect()
    }

    fn has_room(&self, bytes: u64) -> Result<()> {
        let room = fs4::available_space(&self.directory)
            .map_err(|error| from_io("directory", &self.directory, error))?;
        // The points go to the engine's log and to its storages, which grow by whole pages.
        let wanted = ROOM_BYTES + bytes * 4;
        if room >= wanted {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Full,
            format!(
                "{} MB are left for the database in {}, and a write needs {}; make room there",
                room >> 20,
                self.directory.display(),
                wanted >> 20
            ),
        ))
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        let collection = self.collection;
        let mut journal = lock(&self.journal);
        if journal.length() > 0
            && let Err(error) = self.checkpoint(&mut journal)
        {
            tracing::warn!(%collection, %error, "the engine could not flush; the journal keeps what it lacks");
        }
    }
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard")
            .field("collection", &self.collection)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// Poison only says that a panic went through, and those of the engine are caught before they come here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
