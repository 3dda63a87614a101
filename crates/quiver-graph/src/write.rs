//! Writing: entities, then relations, then passages. Deleting goes the other way.

use std::collections::BTreeMap;

use quiver_store::{Collection, Error, ErrorKind, Filter, Payload, PointId, Result, WriteMode};

use crate::{
    Delta, Embedded, EntityId, Graph, NESTING_MAX, Passage, PassageId, Relation, RelationId,
    applied::{Applied, Removed},
    batch::BATCH,
    collect::{Pinned, Suspects},
    payload::Stored,
    record::nesting,
    statistics::{Counted, Following},
};

impl Graph {
    /// Applies a delta: its entities, then its relations, then its passages, so that everything a readable passage
    /// refers to exists.
    ///
    /// An existing entity or relation stays as it is, so that writers of the same one never undo each other, unless the
    /// new one is pinned: then the caller means it. Passages are replaced, and what only the replaced passage referred
    /// to is collected.
    ///
    /// A note of the write is stored first. If the process ends or the store fails before everything is written, the
    /// next write or opening removes what no passage supports. [`Graph::begin_write`] does so for several deltas.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if metadata is nested deeper than [`NESTING_MAX`], or if a record's ID does not match its
    /// content in this workspace, because it belongs to another workspace or by mistake; then nothing is written.
    /// Errors of the store: what was already written stays, and repeating the call completes it.
    pub async fn apply(&self, delta: Delta) -> Result<Applied> {
        let mut write = self.begin_write();
        let applied = self.apply_within(&mut write, delta).await?;
        self.end_write(write).await?;
        Ok(applied)
    }

    /// Applies a delta like [`Graph::apply`] if all records that it was made from are still as they were read. Returns
    /// whether it was applied; if not, nothing was written.
    ///
    /// The records are compared under the lock on writing, which writers of the same process share. On a server, another
    /// process may still change a record between the comparison and the write. Qdrant can make an update depend on a
    /// filter, but no indexed field says which version of a record is stored.
    ///
    /// # Errors
    /// The same errors as [`Graph::apply`].
    pub async fn apply_if_unchanged(
        &self,
        delta: Delta,
        passages: &[Passage],
        relations: &[Relation],
    ) -> Result<bool> {
        self.check_delta(&delta)?;
        let mut write = self.begin_write();
        let writing = self.writing.lock().await;
        let ids: Vec<PassageId> = passages.iter().map(|passage| passage.id).collect();
        if self.passages(&ids).await? != passages {
            return Ok(false);
        }
        let ids: Vec<RelationId> = relations.iter().map(|relation| relation.id).collect();
        if self.relations(&ids).await? != relations {
            return Ok(false);
        }
        self.apply_noted(&mut write, delta).await?;
        drop(writing);
        self.end_write(write).await?;
        Ok(true)
    }

    /// Applies a delta. The caller holds the write lock.
    pub(crate) async fn apply_delta(&self, delta: Delta) -> Result<Applied> {
        let Delta { entities, relations, passages } = delta;
        let ids: Vec<_> = passages.iter().map(|passage| passage.record.id).collect();
        let replaced = self.embedded_passages(&ids).await?;
        if !replaced.is_empty() {
            // An earlier replacement may have been interrupted, and its note may cover what is now written again.
            self.finish_noted().await?;
        }
        let mut applied =
            Applied { entities: entities.len(), relations: relations.len(), ..Applied::default() };
        let (pinned, found) = entities.into_iter().partition(|entity| entity.record.pinned);
        self.put(found, WriteMode::KeepExisting).await?;
        self.put(pinned, WriteMode::Replace).await?;
        let (pinned, found) = relations.into_iter().partition(|relation| relation.record.pinned);
        self.put(found, WriteMode::KeepExisting).await?;
        self.put(pinned, WriteMode::Replace).await?;
        self.put_passages(passages, &replaced, &mut applied).await?;
        Ok(applied)
    }

    /// Writes passages, replacing existing ones, and collects what only the replaced ones referred to.
    async fn put_passages(
        &self,
        passages: Vec<Embedded<Passage>>,
        replaced: &[Embedded<Passage>],
        applied: &mut Applied,
    ) -> Result<()> {
        if passages.is_empty() {
            return Ok(());
        }
        // If several have the same ID, the last counts, as in the store.
        let passages: BTreeMap<PassageId, Embedded<Passage>> =
            passages.into_iter().map(|passage| (passage.record.id, passage)).collect();
        applied.passages_replaced = replaced.len();
        applied.passages_added = passages.len() - replaced.len();

        let mut suspects = Suspects::default();
        for passage in replaced {
            suspects.add(&passage.record);
        }
        for passage in passages.values() {
            suspects.acquit(&passage.record);
        }
        self.suspect_ends(&mut suspects).await?;
        let note = if suspects.is_empty() { None } else { Some(self.note_deletion(&suspects).await?) };
        let following = Following::start(self).await;
        let before: Vec<_> = replaced.iter().filter_map(Counted::of).collect();
        let after: Vec<_> = passages.values().filter_map(Counted::of).collect();
        let calls = passages.len().div_ceil(BATCH) as u64;
        self.put(passages.into_values().collect(), WriteMode::Replace).await?;
        following.complete(&before, &after, calls).await;
        if let Some(note) = note {
            applied.collected = self.collect(suspects).await?;
            self.forget_note(note).await?;
        }
        Ok(())
    }

    /// Rejects records of another workspace, since a write would stamp their points with this one, and records that an
    /// import would reject.
    pub(crate) fn check_delta(&self, delta: &Delta) -> Result<()> {
        for Embedded { record, .. } in &delta.entities {
            check_nesting(Collection::Entities, record.id.point(), &record.properties)?;
        }
        for Embedded { record, .. } in &delta.relations {
            check_nesting(Collection::Relations, record.id.point(), &record.properties)?;
        }
        for Embedded { record, .. } in &delta.passages {
            check_nesting(Collection::Passages, record.id.point(), &record.metadata)?;
        }
        self.check_identities(delta)
    }

    fn check_identities(&self, delta: &Delta) -> Result<()> {
        let workspace = self.workspace();
        let check = |collection: Collection, id: PointId, identity: PointId| {
            if id == identity {
                return Ok(());
            }
            Err(Error::new(
                ErrorKind::Invalid,
                format!(
                    "{collection} {id}: the content has the id {identity} in workspace {:?}; derive the id from the \
                     content, with the workspace that the graph is seen from",
                    workspace.as_str()
                ),
            ))
        };
        for Embedded { record, .. } in &delta.entities {
            check(Collection::Entities, record.id.point(), record.identity(workspace).point())?;
        }
        for Embedded { record, .. } in &delta.relations {
            check(Collection::Relations, record.id.point(), record.identity(workspace).point())?;
        }
        for Embedded { record, .. } in &delta.passages {
            check(Collection::Passages, record.id.point(), record.identity(workspace).point())?;
        }
        Ok(())
    }

    async fn put<T: Stored>(&self, records: Vec<Embedded<T>>, mode: WriteMode) -> Result<()> {
        let mut records = records.into_iter();
        loop {
            let points: Vec<_> = records.by_ref().take(BATCH).map(T::to_point).collect();
            if points.is_empty() {
                return Ok(());
            }
            self.scope.upsert(T::COLLECTION, points, mode).await?;
        }
    }

    /// Deletes passages, then the relations that no passage supports any more, then the entities that nothing refers to
    /// any more. Pinned relations and entities stay. The cost depends on what the passages refer to, not on how often
    /// others refer to that too.
    ///
    /// What is about to be collected is recorded in the store first. If a crash interrupts the deletion, the next
    /// deletion, or [`Graph::finish_deletions`], resumes it.
    ///
    /// # Errors
    /// Errors of the store. The same call again, or [`Graph::finish_deletions`], completes it.
    pub async fn remove(&self, passages: &[PassageId]) -> Result<Removed> {
        let _writing = self.writing.lock().await;
        let mut removed = self.finish_noted().await?;
        for batch in passages.chunks(BATCH) {
            let found = self.embedded_passages(batch).await?;
            if found.is_empty() {
                continue;
            }
            let mut suspects = Suspects::default();
            for passage in &found {
                suspects.add(&passage.record);
            }
            self.suspect_ends(&mut suspects).await?;
            let note = self.note_deletion(&suspects).await?;
            let following = Following::start(self).await;
            let ids = found.iter().map(|passage| passage.record.id.point()).collect();
            self.scope.delete(Collection::Passages, &Filter::Ids(ids)).await?;
            let gone: Vec<_> = found.iter().filter_map(Counted::of).collect();
            following.complete(&gone, &[], 1).await;
            removed.passages += found.len();
            removed += self.collect(suspects).await?;
            self.forget_note(note).await?;
        }
        Ok(removed)
    }

    /// Deletes relations that a caller created, even pinned ones, if no passage supports them, and entities that
    /// nothing refers to afterwards.
    ///
    /// # Errors
    /// Errors of the store. The same call again completes it.
    pub async fn retract(&self, relations: &[RelationId]) -> Result<Removed> {
        let _writing = self.writing.lock().await;
        let mut removed = self.finish_noted().await?;
        let mut suspects = Suspects { relations: relations.iter().copied().collect(), ..Suspects::default() };
        self.suspect_ends(&mut suspects).await?;
        let note = self.note_deletion(&suspects).await?;
        let relations = std::mem::take(&mut suspects.relations);
        removed.relations += self.delete_unsupported(relations, Pinned::Go).await?;
        removed += self.collect(suspects).await?;
        self.forget_note(note).await?;
        Ok(removed)
    }

    /// Deletes entities that a caller created, even pinned ones, if nothing refers to them. Returns those that stay.
    ///
    /// # Errors
    /// Errors of the store. The same call again completes it.
    pub async fn delete_entities(&self, entities: &[EntityId]) -> Result<Vec<EntityId>> {
        let _writing = self.writing.lock().await;
        let doomed = self.delete_unreferenced(entities.iter().copied().collect(), Pinned::Go).await?;
        Ok(entities.iter().copied().filter(|id| !doomed.contains(&id.point())).collect())
    }

    /// Completes interrupted deletions and changes, and undoes interrupted writes. Costs one read if there were none.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn finish_deletions(&self) -> Result<Removed> {
        let _writing = self.writing.lock().await;
        self.finish_changes().await?;
        self.finish_noted().await
    }

    pub(crate) async fn finish_noted(&self) -> Result<Removed> {
        let noted = self.noted().await?;
        if noted.is_empty() {
            return Ok(Removed::default());
        }
        // All notes at once: relations of one write may still refer to entities of another.
        let mut suspects = Suspects::default();
        let mut notes = Vec::new();
        for note in noted {
            suspects.relations.extend(note.suspects.relations);
            suspects.entities.extend(note.suspects.entities);
            notes.push(note.id);
        }
        let removed = self.collect(suspects).await?;
        self.forget_notes(Filter::Ids(notes)).await?;
        Ok(removed)
    }
}

/// Rejects metadata or properties that are nested too deep.
pub(crate) fn check_nesting(collection: Collection, id: PointId, values: &Payload) -> Result<()> {
    let levels = nesting(values);
    if levels <= NESTING_MAX {
        return Ok(());
    }
    let what = if collection == Collection::Passages { "metadata" } else { "properties" };
    Err(Error::new(
        ErrorKind::Invalid,
        format!(
            "{collection} {id}: the {what} is nested {levels} levels deep, and {NESTING_MAX} are allowed"
        ),
    ))
}
