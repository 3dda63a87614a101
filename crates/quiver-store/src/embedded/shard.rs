//! One collection: the engine's shard, the journal in front of it, and the locks that coordinate access.

mod rebuild;

use std::{
    collections::{HashSet, VecDeque},
    fmt, fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use qdrant_edge::{
    CountRequest, EdgeOptimizersConfig, EdgeShard, PointInsertOperations, PointOperations, ScrollRequest,
    UpdateOperation, VectorOperations, WithPayloadInterface, WithVector,
};

use super::{
    codec::{self, Entry},
    convert::{self, DENSE, Given, engine_id, engine_point, own_id},
    fields::Unused,
    guard::{self, MEND, corrupt, from_io},
    journal::{Found, Journal},
    layout::{self, Layout, Upgrade, graph, index_fields, index_fields_of, prune_log, shed_indexes},
    options::Notify,
    pack::pack,
    read::has_vector,
    state::State,
};
use crate::{
    Collection, Error, ErrorKind, Filter, JournalReport, Point, PointId, Result, Schema, Version, WriteMode,
    distinct::distinct,
};

/// Number of points passed to the engine at a time.
const BATCH: usize = Version::POINTS_PER_WRITE;
/// Number of new points that may stay in an open segment at the end of an ingest. Opening the database reads all of
/// them.
const OPEN_POINTS: u64 = 500;
/// Journal length at which the engine is flushed: about a second of replay after a crash.
const JOURNAL_BYTES: u64 = 8 << 20;
/// Number of replaced or deleted points at which a collection is rebuilt automatically, if as many points are garbage
/// as are left.
const GARBAGE_POINTS: u64 = 4096;
/// Free space required before a write is tried. The engine writes through memory maps: if the disk is full when it
/// touches a new page, the system kills the process, so a write cannot simply be tried.
const ROOM_BYTES: u64 = 48 << 20;

/// Free space required to open a database.
const OPENING_BYTES: u64 = 16 << 20;

/// A change to a collection.
#[derive(Debug)]
pub(super) enum Change {
    Put(Vec<Point>, WriteMode),
    Delete(Filter),
}

/// How a collection is opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening<'a> {
    pub(super) schema: Schema,
    /// Receives messages for the user.
    pub(super) notify: &'a Notify,
    /// What has to be done to the files of an earlier version.
    pub(super) upgrade: Upgrade,
    /// Whether to open as much as can be read, from a copy of the database.
    pub(super) salvages: bool,
    /// Whether the process reads a little and ends.
    pub(super) is_brief: bool,
}

/// A collection of the database.
///
/// Readers run in parallel with each other and with a flush. A writer applies its change alone, so that no reader sees
/// half of a batch. Flushing panics if a writer is active, so the journal's lock guards both. A rebuild of the files
/// runs in parallel with readers and writers.
pub(super) struct Shard {
    pub(super) collection: Collection,
    schema: Schema,
    directory: PathBuf,
    engine: RwLock<Engine>,
    queue: Mutex<VecDeque<Arc<Job>>>,
    books: Mutex<Books>,
    /// A copy of the bookkeeping for callers that must not wait until files are up to date. A writer holds it while it
    /// applies its change.
    told: Mutex<Told>,
    /// Held while the files are rebuilt or the index is built. Taken before the books.
    rebuilding: Mutex<()>,
    /// The points written or deleted since a rebuild began, while one is running.
    changed: Mutex<Option<HashSet<PointId>>>,
    layout: Layout,
    dense_indexed: AtomicU64,
    is_brief: bool,
    salvages: bool,
    /// Whether any file of the engine was written since the collection was opened.
    is_written: AtomicBool,
}

/// The journal and the recorded state of the collection.
struct Books {
    journal: Journal,
    /// The state as last saved.
    state: State,
    /// Number of points, including those in the journal.
    points: u64,
    /// Number of points replaced or deleted since the files were last rebuilt.
    garbage: u64,
    /// Number of points written since a segment was last closed.
    unsealed: u64,
    /// The points that are in the journal and not yet in the engine.
    pending: HashSet<PointId>,
    /// Whether the engine failed to apply the journal. The entries then stay there until the next opening.
    has_failed: bool,
}

/// The public state of the journal, available at any time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) version: Version,
    pub(super) journal: JournalReport,
}

/// The engine's shard. Dropping it flushes it, and panics if that fails; so it is not dropped in the middle of another
/// drop.
struct Engine {
    shard: Option<EdgeShard>,
    /// The fields that have no index.
    unused: Unused,
}

impl Engine {
    fn new(shard: EdgeShard, unused: Unused) -> Self {
        Self { shard: Some(shard), unused }
    }
}

impl Deref for Engine {
    type Target = EdgeShard;

    fn deref(&self) -> &EdgeShard {
        self.shard.as_ref().expect("the shard is there until it is dropped")
    }
}

impl Engine {
    /// Closes the shard, if it is open. Returns whether its files are flushed.
    fn close(&mut self) -> bool {
        let shard = self.shard.take();
        let closed = guard::catch(|| drop(shard));
        if let Err(message) = &closed {
            tracing::warn!(%message, "the engine could not flush when it was closed");
        }
        closed.is_ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}

/// A reader of the engine. While one exists, no writer changes anything.
pub(super) struct Readers<'a>(RwLockReadGuard<'a, Engine>);

/// A change that waits, and its result.
struct Job {
    change: Mutex<Option<Change>>,
    outcome: Mutex<Option<Result<()>>>,
}

/// A change resolved to whole points and IDs, with the number of points after each part of it.
struct Resolved {
    entries: Vec<(Entry, u64)>,
    garbage: u64,
}

impl Books {
    /// Whether so much was replaced or deleted that the files are rebuilt automatically.
    fn is_wasteful(&self) -> bool {
        self.garbage >= GARBAGE_POINTS.max(self.points)
    }

    fn told(&self) -> Told {
        let version = Version { writes: self.journal.sequence(), points: self.points };
        let journal = JournalReport { bytes: self.journal.length(), syncs: self.journal.syncs() };
        Told { version, journal }
    }
}

impl Shard {
    /// Opens a collection and replays its journal.
    pub(super) fn open(layout: &Layout, collection: Collection, opening: Opening<'_>) -> Result<Self> {
        let Opening { schema, notify, salvages, .. } = opening;
        let place = layout.journal(collection);
        let is_migrated = opening.upgrade.is_first && !layout.state(collection).exists();
        let state = match State::load(&layout.state(collection)) {
            _ if is_migrated => first_state(layout, collection),
            Err(error) if salvages => {
                notify.tell(&error.to_string());
                let newest =
                    layout.generations(collection).into_iter().filter_map(|(number, _)| number).max();
                State { generation: newest.unwrap_or_default(), ..State::default() }
            }
            state => state?,
        };
        let state = if opening.upgrade.indexes_all && !state.unused.is_empty() {
            let state = State { unused: Unused::default(), ..state };
            state.save(&layout.state(collection))?;
            state
        } else {
            state
        };
        if !salvages {
            layout.remove_others(collection, state.generation)?;
        }
        let (journal, found) = Journal::open(&place, state.sequence)?;
        report(&place, &state, &found, opening, is_migrated)?;
        if found.is_damaged || found.is_missing || salvages || is_migrated {
            // The numbers of lost writes are reused, so they no longer show what was derived from what.
            for path in layout.all_derived(collection) {
                fs::remove_file(&path).map_err(|error| from_io("derived data", &path, error))?;
            }
        }
        let path = layout.shard(collection, state.generation);
        let loaded = layout.load(&schema, collection, &path, state.indexed > 0, state.unused);
        let (engine, is_written) = match loaded {
            Err(error) if salvages => {
                notify.tell(&error.to_string());
                (layout.load_parts(&schema, collection, &path, notify)?, true)
            }
            engine => engine?,
        };
        let dense_indexed = AtomicU64::new(state.indexed);
        let points = engine.info().points_count as u64;
        let (garbage, unsealed) = (state.garbage, state.unsealed);
        let books =
            Books { journal, state, points, garbage, unsealed, pending: HashSet::new(), has_failed: false };
        let shard = Self {
            collection,
            schema,
            directory: layout.directory.clone(),
            engine: RwLock::new(Engine::new(engine, state.unused)),
            queue: Mutex::default(),
            books: Mutex::new(books),
            told: Mutex::default(),
            rebuilding: Mutex::new(()),
            changed: Mutex::new(None),
            dense_indexed,
            layout: layout.clone(),
            is_brief: opening.is_brief,
            salvages,
            is_written: AtomicBool::new(is_written),
        };
        let is_checked = !is_migrated && !found.is_damaged;
        shard.replay(found, opening, is_migrated, is_checked)?;
        if opening.upgrade.rewrites && !salvages {
            shard.rebuild()?;
        }
        Ok(shard)
    }

    /// Returns what the files beside the engine's say of a collection. Returns `None` if opening it has something to
    /// repair or to report, which must not wait.
    pub(super) fn told_closed(layout: &Layout, collection: Collection) -> Option<Told> {
        let state = State::load(&layout.state(collection)).ok()?;
        let is_whole = layout::has_segments(&layout.shard(collection, state.generation)).ok()?;
        if state.is_dirty || !is_whole || !Journal::is_empty(&layout.journal(collection)) {
            return None;
        }
        layout.remove_others(collection, state.generation).ok()?;
        let version = Version { writes: state.sequence, points: state.points };
        Some(Told { version, journal: JournalReport { bytes: 0, syncs: 0 } })
    }

    /// Replays the journal, and compares the number of points with the recorded one.
    fn replay(&self, found: Found, opening: Opening<'_>, is_migrated: bool, is_checked: bool) -> Result<()> {
        let mut books = self.books();
        let is_written = !found.entries.is_empty() || is_migrated || found.is_damaged;
        let mut expected = books.state.points;
        if !found.entries.is_empty() {
            tracing::info!(collection = %self.collection, entries = found.entries.len(), "doing again what the journal says");
            self.has_room(books.journal.length())?;
            for logged in found.entries {
                expected = logged.points.unwrap_or(expected);
                // Better too much than too little: what was done before the crash counts again.
                books.garbage += match &logged.entry {
                    Entry::Put(points) => self.taken(points)?.len() as u64,
                    Entry::Delete(ids) => ids.len() as u64,
                };
                match self.apply(&mut books, logged.entry) {
                    Err(error) if opening.salvages => opening.notify.tell(&error.to_string()),
                    applied => applied?,
                }
            }
        }
        let points = self.points();
        if is_checked && points < expected {
            let what = format!("{} holds {points} points, and {expected} were written", self.collection);
            if !opening.salvages {
                return Err(corrupt(&self.directory, &what));
            }
            opening.notify.tell(&what);
        }
        books.points = points;
        if is_written && !opening.salvages {
            self.checkpoint(&mut books)?;
            if is_migrated {
                books.journal = Journal::create(&self.layout.journal(self.collection), books.state.sequence)?;
                let _ = fs::remove_file(self.layout.index_note(self.collection));
            }
        }
        if !is_written && !opening.salvages && books.journal.length() > 0 {
            // A crash came after recording that the files contain the whole journal, and before clearing it. It may
            // still hold points that were deleted since.
            books.journal.clear()?;
        }
        self.tell(&books);
        drop(books);
        if is_checked && points > expected && !opening.salvages {
            // A crash during an optimisation leaves some points twice. A rebuild leaves each once.
            self.rebuild()?;
        }
        Ok(())
    }

    /// Makes a change. It waits for earlier changes; the first to wait takes the others along, so that their entries
    /// reach the disk together.
    pub(super) fn change(&self, change: Change) -> Result<()> {
        let job = Arc::new(Job { change: Mutex::new(Some(change)), outcome: Mutex::new(None) });
        lock(&self.queue).push_back(Arc::clone(&job));
        let mut books = self.books();
        if let Some(outcome) = lock(&job.outcome).take() {
            return outcome;
        }
        let jobs = std::mem::take(&mut *lock(&self.queue));
        self.commit(&mut books, jobs);
        let is_wasteful = books.is_wasteful();
        drop(books);
        if is_wasteful {
            self.rebuild_if_wasteful();
        }
        lock(&job.outcome).take().expect("a job is in the queue until it has an outcome")
    }

    /// Runs a read in parallel with other readers and without writers.
    pub(super) fn read<T>(
        &self,
        call: impl FnOnce(&EdgeShard) -> qdrant_edge::OperationResult<T>,
    ) -> Result<T> {
        self.within(&self.readers(), call)
    }

    /// Keeps writers out while several reads belong together. These go through [`Self::within`].
    pub(super) fn readers(&self) -> Readers<'_> {
        Readers(self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Converts a filter, for as long as writers are kept out: a write may use a field that had no values. Returns
    /// `None` if no point can pass.
    pub(super) fn filter(&self, readers: &Readers<'_>, wanted: &Filter) -> Result<Option<Given>> {
        convert::filter(&self.schema, self.collection, readers.0.unused, wanted)
    }

    /// Whether no point has a value of a field.
    pub(super) fn is_unused(&self, readers: &Readers<'_>, field: &str) -> bool {
        readers.0.unused.contains(&self.schema, self.collection, field)
    }

    /// Runs a read for a caller that already keeps writers out.
    pub(super) fn within<T>(
        &self,
        readers: &Readers<'_>,
        call: impl FnOnce(&EdgeShard) -> qdrant_edge::OperationResult<T>,
    ) -> Result<T> {
        guard::engine(&self.directory, || call(&readers.0))
    }

    /// Builds the index over dense vectors. Writers wait for it, readers do not.
    pub(super) fn optimize(&self) -> Result<()> {
        let _alone = lock(&self.rebuilding);
        let mut books = self.books();
        self.has_room(0)?;
        self.checkpoint(&mut books)?;
        let dense = self.count_by(Some(has_vector(DENSE)))?;
        // Recorded first: it is safer to believe too early than too late that a point is in an index.
        let state = State { indexed: dense, ..books.state };
        self.note_state(&mut books, state)?;
        self.dense_indexed.store(dense, Ordering::Relaxed);
        self.read(|engine| engine.set_hnsw_config(graph(true)))?;
        self.read(|engine| optimize(engine, layout::while_writing()))?;
        // New points now go to a new segment.
        index_fields(&self.directory, &self.readers().0, &self.schema, self.collection, books.state.unused)?;
        books.unsealed = 0;
        self.checkpoint(&mut books)
    }

    /// Closes the segment that takes new points, if it holds enough to slow down opening, and leaves few segments.
    pub(super) fn seal_if_it_pays(&self) -> Result<()> {
        let mut books = self.books();
        let notices = books.unsealed >= OPEN_POINTS.min(self.layout.seal_points);
        if !notices && self.segments() <= layout::segments_at_rest(books.points) + 1 {
            return Ok(());
        }
        let at_rest = layout::at_rest(books.points);
        self.seal(&mut books, at_rest)
    }

    /// Closes the segment that takes new points. A closed segment is read from disk, and its index costs no memory and
    /// no time when opening. In an open segment each point costs more than the one before it.
    fn seal(&self, books: &mut Books, segments: EdgeOptimizersConfig) -> Result<()> {
        self.checkpoint(books)?;
        self.has_room(0)?;
        self.read(|engine| optimize(engine, segments))?;
        // New points now go to a new segment.
        index_fields(&self.directory, &self.readers().0, &self.schema, self.collection, books.state.unused)?;
        books.unsealed = 0;
        self.checkpoint(books)
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns what is known about the journal, without waiting for more than a write.
    pub(super) fn told(&self) -> Told {
        *lock(&self.told)
    }

    fn tell(&self, books: &Books) {
        *lock(&self.told) = books.told();
    }

    /// Returns how many dense vectors there were when the index was last built.
    pub(super) fn dense_indexed(&self) -> u64 {
        self.dense_indexed.load(Ordering::Relaxed)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        lock(&self.books)
    }

    /// Returns the number of segments, including the one that takes new points.
    fn segments(&self) -> usize {
        self.readers().0.info().segments_count
    }

    /// Returns the number of points in the engine.
    fn points(&self) -> u64 {
        self.readers().0.info().points_count as u64
    }

    fn commit(&self, books: &mut Books, jobs: VecDeque<Arc<Job>>) {
        let mut pending: Vec<(Arc<Job>, Vec<Entry>)> = Vec::new();
        let mut told = lock(&self.told);
        for job in jobs {
            let change = lock(&job.change).take().expect("a job is taken from the queue once");
            // The meaning of such a change depends on the stored points, so earlier changes come first.
            if !matches!(change, Change::Put(_, WriteMode::Replace)) {
                self.settle(books, &mut pending);
            }
            match self.resolve(books, change).and_then(|resolved| self.note(books, resolved)) {
                Ok(entries) => pending.push((job, entries)),
                Err(error) => *lock(&job.outcome) = Some(Err(error)),
            }
        }
        self.settle(books, &mut pending);
        *told = books.told();
        drop(told);
        let kept_up = if books.unsealed >= self.layout.seal_points {
            self.seal(books, layout::while_writing())
        } else if books.journal.length() > JOURNAL_BYTES {
            self.checkpoint(books)
        } else {
            Ok(())
        };
        if let Err(error) = kept_up {
            // The journal has everything, so nothing is lost; the next write tries again.
            tracing::warn!(collection = %self.collection, %error, "the engine's files could not be brought up to date");
        }
        self.tell(books);
    }

    /// Syncs the journal to disk, then applies its new entries.
    fn settle(&self, books: &mut Books, pending: &mut Vec<(Arc<Job>, Vec<Entry>)>) {
        if pending.is_empty() {
            return;
        }
        let synced = books.journal.sync();
        for (job, entries) in pending.drain(..) {
            let outcome = match &synced {
                Ok(()) => entries.into_iter().try_for_each(|entry| self.apply(books, entry)),
                Err(error) => Err(Error::new(error.kind(), error.to_string())),
            };
            books.has_failed |= synced.is_ok() && outcome.is_err();
            *lock(&job.outcome) = Some(outcome);
        }
        books.pending.clear();
        if synced.is_err() {
            books.points = self.points();
        }
    }

    /// Resolves a change to whole points and IDs.
    fn resolve(&self, books: &Books, change: Change) -> Result<Resolved> {
        let mut resolved = Resolved { entries: Vec::new(), garbage: 0 };
        let mut total = books.points;
        match change {
            Change::Put(points, mode) => {
                let mut points = distinct(points, mode);
                let mut taken = self.taken(&points)?;
                taken.extend(points.iter().map(|point| point.id).filter(|id| books.pending.contains(id)));
                if mode == WriteMode::KeepExisting {
                    points.retain(|point| !taken.contains(&point.id));
                } else {
                    resolved.garbage = taken.len() as u64;
                }
                while !points.is_empty() {
                    let rest = points.split_off(points.len().min(BATCH));
                    total += points.iter().filter(|point| !taken.contains(&point.id)).count() as u64;
                    resolved.entries.push((Entry::Put(points), total));
                    points = rest;
                }
            }
            Change::Delete(filter) => {
                let ids = self.passing(&filter)?;
                resolved.garbage = ids.len() as u64;
                for ids in ids.chunks(BATCH * 10) {
                    total = total.saturating_sub(ids.len() as u64);
                    resolved.entries.push((Entry::Delete(ids.to_vec()), total));
                }
            }
        }
        Ok(resolved)
    }

    /// Returns the IDs of those points that already exist.
    fn taken(&self, points: &[Point]) -> Result<HashSet<PointId>> {
        let ids: Vec<_> = points.iter().map(|point| engine_id(point.id)).collect();
        let nothing = (Some(WithPayloadInterface::Bool(false)), Some(WithVector::Bool(false)));
        let taken = self.read(|engine| engine.retrieve(&ids, nothing.0, nothing.1))?;
        taken.into_iter().map(|record| own_id(record.id)).collect()
    }

    fn note(&self, books: &mut Books, resolved: Resolved) -> Result<Vec<Entry>> {
        if !books.state.is_dirty && !resolved.entries.is_empty() {
            let state = State { is_dirty: true, ..books.state };
            self.note_state(books, state)?;
        }
        let mut entries = Vec::with_capacity(resolved.entries.len());
        for (entry, points) in resolved.entries {
            let bytes = codec::encode(&entry);
            if matches!(entry, Entry::Put(_)) {
                self.has_room(bytes.len() as u64)?;
            }
            books.journal.append(&bytes, points)?;
            books.points = points;
            if let Some(changed) = &mut *lock(&self.changed) {
                match &entry {
                    Entry::Put(points) => changed.extend(points.iter().map(|point| point.id)),
                    Entry::Delete(ids) => changed.extend(ids),
                }
            }
            if let Entry::Put(points) = &entry {
                books.pending.extend(points.iter().map(|point| point.id));
                books.unsealed += points.len() as u64;
            }
            entries.push(entry);
        }
        books.garbage += resolved.garbage;
        Ok(entries)
    }

    fn apply(&self, books: &mut Books, entry: Entry) -> Result<()> {
        self.is_written.store(true, Ordering::Relaxed);
        let mut operations = Vec::new();
        match entry {
            Entry::Put(points) => {
                self.use_fields_of(books, &points)?;
                let drop = self.drop_vectors(&points);
                let stored = |point| engine_point(&self.schema, self.collection, point);
                let points = points.into_iter().map(stored).collect();
                operations.push(upsert(points));
                operations.extend(drop);
            }
            Entry::Delete(ids) => {
                let ids = ids.into_iter().map(engine_id).collect();
                operations.push(UpdateOperation::PointOperation(PointOperations::DeletePoints { ids }));
            }
        }
        let engine = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        operations
            .into_iter()
            .try_for_each(|operation| guard::engine(&self.directory, || engine.update(operation)))
    }

    /// Ensures that the fields of these points have an index before the points are written.
    fn use_fields_of(&self, books: &mut Books, points: &[Point]) -> Result<()> {
        if books.state.unused.is_empty() {
            return Ok(());
        }
        let mut engine = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        let payloads = points.iter().map(|point| &point.payload);
        let (of, unused) = ((&self.schema, self.collection), engine.unused);
        engine.unused = index_fields_of(&self.directory, &engine, of, unused, &payloads)?;
        let state = State { unused: engine.unused, ..books.state };
        drop(engine);
        self.note_state(books, state)
    }

    /// Returns the operation that deletes the dense vectors of points that come without one. In a closed segment such a
    /// point would keep its old vector: the engine moves it to another segment and merges the new vectors with the old.
    fn drop_vectors(&self, points: &[Point]) -> Option<UpdateOperation> {
        self.schema.dense_dimension?;
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

    /// Flushes the engine's files, records how many points they hold, and clears the journal.
    fn checkpoint(&self, books: &mut Books) -> Result<()> {
        self.is_written.store(true, Ordering::Relaxed);
        if books.has_failed {
            return Err(Error::new(
                ErrorKind::Other,
                format!(
                    "{} could not take a write; it stays in the journal until the database is opened again",
                    self.collection
                ),
            ));
        }
        self.read(|engine| {
            engine.flush();
            Ok(())
        })?;
        books.points = self.points();
        let state = State {
            points: books.points,
            garbage: books.garbage,
            unsealed: books.unsealed,
            sequence: books.journal.sequence(),
            is_dirty: false,
            ..books.state
        };
        self.note_state(books, state)?;
        books.journal.clear()?;
        // The engine's files contain the log now. It would otherwise grow as large as everything ever written.
        prune_log(&self.layout.shard(self.collection, books.state.generation));
        Ok(())
    }

    fn note_state(&self, books: &mut Books, state: State) -> Result<()> {
        if books.state != state || !self.layout.state(self.collection).exists() {
            state.save(&self.layout.state(self.collection))?;
            books.state = state;
        }
        Ok(())
    }

    /// Returns the IDs of the points that pass a filter, in ascending order.
    pub(super) fn passing(&self, wanted: &Filter) -> Result<Vec<PointId>> {
        self.passing_within(&self.readers(), wanted)
    }

    /// Returns the same for a caller that already keeps writers out.
    pub(super) fn passing_within(&self, readers: &Readers<'_>, wanted: &Filter) -> Result<Vec<PointId>> {
        let Some(filter) = self.filter(readers, wanted)? else { return Ok(Vec::new()) };
        let count = CountRequest { filter: filter.clone(), exact: true };
        let limit = self.within(readers, |engine| engine.count(count))?;
        let request = ScrollRequest {
            offset: None,
            limit: Some(limit),
            filter,
            with_payload: Some(WithPayloadInterface::Bool(false)),
            with_vector: WithVector::Bool(false),
            order_by: None,
        };
        let (records, _) = self.within(readers, |engine| engine.scroll(request))?;
        records.into_iter().map(|record| own_id(record.id)).collect()
    }

    /// Fails if there is too little space for this many bytes.
    fn has_room(&self, bytes: u64) -> Result<()> {
        has_room(&self.directory, bytes)
    }
}

/// Fails if the device has too little space for a write of this many bytes. The engine writes through memory maps: if
/// the device is full when it touches a new page, the system kills the process.
pub(super) fn has_room(directory: &Path, bytes: u64) -> Result<()> {
    // The points go to the engine's log and to its storages, which grow by whole pages.
    has_left(directory, ROOM_BYTES + bytes * 4)
}

/// Fails if the device has too little space to open the database, which writes a little too.
pub(super) fn has_room_to_open(directory: &Path) -> Result<()> {
    has_left(directory, OPENING_BYTES)
}

fn has_left(directory: &Path, wanted: u64) -> Result<()> {
    let room = fs4::available_space(directory).map_err(|error| from_io("directory", directory, error))?;
    if room >= wanted {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Full,
        format!(
            "{} MB are left for the database in {}, and {} are needed to work with it; make room there",
            room >> 20,
            directory.display(),
            wanted >> 20
        ),
    ))
}

/// Returns the state of a collection of the first format, which stores none.
fn first_state(layout: &Layout, collection: Collection) -> State {
    let indexed = fs::read_to_string(layout.index_note(collection)).unwrap_or_default();
    State { indexed: indexed.trim().parse().unwrap_or(0), ..State::default() }
}

/// Reports what was wrong with a journal. Fails if acknowledged writes are lost.
fn report(place: &Path, state: &State, found: &Found, opening: Opening<'_>, is_migrated: bool) -> Result<()> {
    for damage in &found.damage {
        opening.notify.tell(damage);
    }
    if !found.is_missing || is_migrated {
        return Ok(());
    }
    let path = place.display();
    if !state.is_dirty {
        opening.notify.tell(&format!("the journal {path} was gone and is made anew; nothing was in it"));
        return Ok(());
    }
    let what = format!(
        "the journal {path} is gone, and with it writes that were acknowledged; the rest is as it was; {MEND}"
    );
    if opening.salvages {
        opening.notify.tell(&what);
        return Ok(());
    }
    // The next opening must find it missing too.
    let _ = fs::remove_file(place);
    Err(Error::new(ErrorKind::Corrupt, what))
}

/// Closes and merges segments as configured.
fn optimize(engine: &EdgeShard, segments: EdgeOptimizersConfig) -> qdrant_edge::OperationResult<()> {
    engine.set_optimizers_config(segments)?;
    engine.optimize().map(drop)
}

fn upsert(points: Vec<qdrant_edge::PointStructPersisted>) -> UpdateOperation {
    let points = PointInsertOperations::PointsList(points);
    UpdateOperation::PointOperation(PointOperations::UpsertPoints(points))
}

impl Drop for Shard {
    fn drop(&mut self) {
        let collection = self.collection;
        let mut books = lock(&self.books);
        if (books.journal.length() > 0 || books.state.garbage != books.garbage)
            && let Err(error) = self.checkpoint(&mut books)
        {
            tracing::warn!(%collection, %error, "the engine could not flush; the journal keeps what it lacks");
        }
        let state = books.state;
        // What the engine failed to take is in the journal, and belongs to these files.
        let is_whole = !books.has_failed && !state.is_dirty && books.journal.length() == 0;
        drop(books);
        let engine = self.engine.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.is_brief && !self.is_written.load(Ordering::Relaxed) {
            // Closing it would sync each file, though none was written.
            std::mem::forget(engine.shard.take());
            return;
        }
        // Closed first, since an open engine may write the files again.
        let is_flushed = engine.close();
        shed_indexes(&self.layout.shard(collection, state.generation), &self.schema, collection);
        if is_whole
            && is_flushed
            && !self.salvages
            && let Err(error) = pack(&self.layout, collection, state)
        {
            tracing::warn!(%collection, %error, "the engine's files stay as large as they are");
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

/// Locks a mutex. A poisoned lock only means that something panicked, and the engine's panics are caught earlier.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
