//! Rebuilding a collection's files while it is read and written.
//!
//! All points are copied to new files, page by page. The IDs of points written or deleted meanwhile are recorded, and
//! these points are copied in further rounds. Writers wait only for the last round, in which the copy replaces the
//! files. A point deleted after it was copied is still in the new files, and counts as garbage there.

use std::{
    collections::HashSet,
    fs,
    path::Path,
    sync::{PoisonError, TryLockError},
};

use qdrant_edge::{
    EdgeShard, PointOperations, Record, ScrollRequest, UpdateOperation, WithPayloadInterface, WithVector,
};

use super::{
    super::{
        convert::{engine_id, own_id, same_point},
        fields::Unused,
        guard::{self, from_io},
        layout::{self, drop_shard, index_fields, index_fields_of, prune_log},
        state::{State, sync_directory, sync_tree},
    },
    BATCH, Books, Engine, Shard, lock, optimize, upsert,
};
use crate::{Error, ErrorKind, PointId, Result};

/// Number of rounds that copy changes while writers continue. The rest is left to the round that writers wait for.
const ROUNDS: usize = 4;

/// Number of points that are copied at a time. The last of them stay in the engine's log.
const COPIED: usize = 100;

/// A copy of the collection that will replace its files.
struct Copied<'a> {
    of: &'a Shard,
    engine: Engine,
    points: u64,
    garbage: u64,
    unsealed: u64,
}

impl Shard {
    /// Rebuilds the collection's files, if anything in them was replaced or deleted. Returns whether that was needed.
    /// Afterwards no file contains what was deleted before. Readers and writers continue meanwhile.
    pub(in super::super) fn compact(&self) -> Result<bool> {
        let _alone = lock(&self.rebuilding);
        let is_needed = self.books().garbage > 0;
        if is_needed {
            self.rebuild_alone()?;
        }
        Ok(is_needed)
    }

    /// Rebuilds the files if much of them is garbage and nobody else is doing so.
    pub(super) fn rebuild_if_wasteful(&self) {
        let _alone = match self.rebuilding.try_lock() {
            Ok(alone) => alone,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if self.books().is_wasteful()
            && let Err(error) = self.rebuild_alone()
        {
            // Nothing is lost; the next write tries again.
            tracing::warn!(collection = %self.collection, %error, "the engine's files could not be rebuilt");
        }
    }

    /// Writes all points to new files, replaces the old files with them, and removes the old ones. The state says which
    /// files are current, so a crash leaves the old ones or the new ones.
    pub(super) fn rebuild(&self) -> Result<()> {
        let _alone = lock(&self.rebuilding);
        self.rebuild_alone()
    }

    fn rebuild_alone(&self) -> Result<()> {
        let mut books = self.books();
        self.checkpoint(&mut books)?;
        *lock(&self.changed) = Some(HashSet::new());
        let generation = books.state.generation + 1;
        drop(books);
        let copied = self.copy(generation);
        let placed = copied.and_then(|copied| self.put_in_place(copied, generation));
        *lock(&self.changed) = None;
        placed
    }

    /// Copies the collection to the files of a new generation, with most of the changes made meanwhile.
    fn copy(&self, generation: u64) -> Result<Copied<'_>> {
        // The new files are no larger than the old ones, except for what is written in the process.
        self.has_room(self.layout.bytes_of(self.collection) / 2)?;
        let path = self.layout.shard(self.collection, generation);
        let aside = path.with_extension(format!("{generation}.new"));
        let copied = self.copy_to(&aside, &path);
        if copied.is_err() {
            let _ = fs::remove_dir_all(&aside);
            let _ = fs::remove_dir_all(&path);
        }
        copied
    }

    fn copy_to(&self, aside: &Path, path: &Path) -> Result<Copied<'_>> {
        let with_index = self.dense_indexed() > 0;
        let copy = self.layout.make_shard(&self.schema, aside, with_index)?;
        let copied = self.copy_points(&copy);
        drop_shard(copy, &self.directory)?;
        let (points, unused) = copied?;
        let failed = |error| from_io("directory", path, error);
        sync_tree(aside).map_err(failed)?;
        fs::rename(aside, path).map_err(failed)?;
        sync_directory(&self.directory).map_err(failed)?;
        let (engine, _) = self.layout.load(&self.schema, self.collection, path, with_index, unused)?;
        let engine = Engine::new(engine, unused);
        let mut copied = Copied { of: self, engine, points, garbage: 0, unsealed: 0 };
        copied.check()?;
        for _ in 0..ROUNDS {
            let changed = self.take_changed(&self.books());
            let is_little = changed.len() <= BATCH;
            copied.catch_up(&changed)?;
            if is_little {
                break;
            }
        }
        Ok(copied)
    }

    /// Copies all points. Returns their number, and the fields that none of them has a value of.
    fn copy_points(&self, copy: &EdgeShard) -> Result<(u64, Unused)> {
        let (mut points, mut after) = (0, None);
        let mut unused = Unused::all(&self.schema, self.collection);
        loop {
            let request = ScrollRequest {
                offset: after,
                limit: Some(COPIED),
                filter: None,
                with_payload: Some(WithPayloadInterface::Bool(true)),
                with_vector: WithVector::Bool(true),
                order_by: None,
            };
            // Each page separately, so that writers can continue between two of them.
            let (mut records, next) = self.read(|engine| engine.scroll(request))?;
            if let Some(changed) = &*lock(&self.changed) {
                records.retain(|record| !own_id(record.id).is_ok_and(|id| changed.contains(&id)));
            }
            let before = points;
            points += records.len() as u64;
            if !records.is_empty() {
                unused = self.copy_records(copy, unused, records)?;
            }
            let seal = self.layout.seal_points;
            if before / seal != points / seal {
                guard::engine(&self.directory, || optimize(copy, layout::while_writing()))?;
            }
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        guard::engine(&self.directory, || optimize(copy, layout::at_rest(points)))?;
        index_fields(&self.directory, copy, &self.schema, self.collection, unused)?;
        Ok((points, unused))
    }

    /// Writes points to a copy, after the indexes of their fields. Returns the fields that still have none.
    fn copy_records(&self, copy: &EdgeShard, unused: Unused, records: Vec<Record>) -> Result<Unused> {
        let payloads = records.iter().filter_map(|record| record.payload.as_ref().map(|payload| &payload.0));
        let of = (&self.schema, self.collection);
        let unused = index_fields_of(&self.directory, copy, of, unused, &payloads)?;
        let points = records.into_iter().map(|record| same_point(of.0, of.1, record)).collect();
        guard::engine(&self.directory, || copy.update(upsert(points)))?;
        Ok(unused)
    }

    /// Takes the points that changed since the last call. All recorded changes are applied: holding the books keeps
    /// writers out.
    fn take_changed(&self, _: &Books) -> Vec<PointId> {
        let mut changed = lock(&self.changed);
        changed.as_mut().map(std::mem::take).unwrap_or_default().into_iter().collect()
    }

    /// Replaces the files with a copy. Writers wait for that.
    fn put_in_place(&self, mut copied: Copied<'_>, generation: u64) -> Result<()> {
        let mut books = self.books();
        let old = self.layout.shard(self.collection, books.state.generation);
        let path = self.layout.shard(self.collection, generation);
        let changed = self.take_changed(&books);
        if let Err(error) = copied.finish(&changed, &books) {
            drop(copied);
            let _ = fs::remove_dir_all(&path);
            return Err(error);
        }
        let Copied { engine, points, garbage, unsealed, .. } = copied;
        let (sequence, unused) = (books.journal.sequence(), engine.unused);
        let state =
            State { generation, points, garbage, unsealed, sequence, unused, is_dirty: false, ..books.state };
        self.note_state(&mut books, state)?;
        (books.points, books.garbage, books.unsealed) = (points, garbage, unsealed);
        let mut place = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, engine);
        drop(place);
        // The new files contain all of it.
        let cleared = books.journal.clear();
        prune_log(&path);
        self.tell(&books);
        drop(books);
        drop(before);
        fs::remove_dir_all(&old).map_err(|error| from_io("directory", &old, error))?;
        cleared
    }
}

impl Copied<'_> {
    /// Copies the current state of these points.
    fn catch_up(&mut self, changed: &[PointId]) -> Result<()> {
        let directory = &self.of.directory;
        for ids in changed.chunks(BATCH) {
            let ids: Vec<_> = ids.iter().copied().map(engine_id).collect();
            let nothing = (Some(WithPayloadInterface::Bool(false)), Some(WithVector::Bool(false)));
            let everything = (Some(WithPayloadInterface::Bool(true)), Some(WithVector::Bool(true)));
            let had = guard::engine(directory, || self.engine.retrieve(&ids, nothing.0, nothing.1))?;
            let has = self.of.read(|engine| engine.retrieve(&ids, everything.0, everything.1))?;
            self.points = self.points - had.len() as u64 + has.len() as u64;
            self.garbage += had.len() as u64;
            self.unsealed += has.len() as u64;
            if !had.is_empty() {
                // A replaced point could keep a vector that its replacement lacks.
                let ids = had.into_iter().map(|record| record.id).collect();
                let delete = UpdateOperation::PointOperation(PointOperations::DeletePoints { ids });
                guard::engine(directory, || self.engine.update(delete))?;
            }
            if !has.is_empty() {
                self.engine.unused = self.of.copy_records(&self.engine, self.engine.unused, has)?;
            }
        }
        Ok(())
    }

    /// Copies the last changes and syncs the copy to disk, while there are no writers.
    fn finish(&mut self, changed: &[PointId], books: &Books) -> Result<()> {
        self.catch_up(changed)?;
        if books.has_failed {
            let message = format!("{} could not take a write meanwhile", self.of.collection);
            return Err(Error::new(ErrorKind::Other, message));
        }
        guard::engine(&self.of.directory, || {
            self.engine.flush();
            Ok(())
        })?;
        self.check()
    }

    /// Checks that all copied points exist.
    fn check(&self) -> Result<()> {
        let found = self.engine.info().points_count as u64;
        if found == self.points {
            return Ok(());
        }
        let Self { of, points, .. } = self;
        let message = format!("of {points} {} that were copied {found} are there", of.collection);
        Err(Error::new(ErrorKind::Other, message))
    }
}
