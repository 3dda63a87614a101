//! Writing: entities, then relations, then passages; and deleting the other way.

use std::collections::{BTreeSet, HashSet};

use quiver_store::{Collection, Filter, PointId, Result, Select, WriteMode};
use serde_json::Value;

use crate::{
    Delta, Embedded, EntityId, Graph, PassageId, RelationId,
    payload::{ENTITIES, OBJECT, RELATIONS, SUBJECT, Stored},
};

/// How many points are read or written in one call.
pub(crate) const BATCH: usize = 1024;

/// How many records a delta wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Entities written, or found to be there.
    pub entities: usize,
    /// Relations written, or found to be there.
    pub relations: usize,
    /// Passages that were not there before.
    pub passages_added: usize,
    /// Passages that were there and were written anew.
    pub passages_replaced: usize,
}

/// How many records a deletion removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Passages deleted.
    pub passages: usize,
    /// Relations that no passage supported any more.
    pub relations: usize,
    /// Entities that no passage and no relation referred to any more.
    pub entities: usize,
}

impl std::ops::AddAssign for Removed {
    fn add_assign(&mut self, other: Self) {
        self.passages += other.passages;
        self.relations += other.relations;
        self.entities += other.entities;
    }
}

impl Graph {
    /// Adds a delta: its entities, then its relations, then its passages, so that a passage that can be read has all
    /// that it refers to.
    ///
    /// An entity or relation that is there stays as it is, so that writers of the same one never undo each other,
    /// unless the new one is pinned: then the caller means it. Passages are replaced.
    ///
    /// # Errors
    /// Those of the store. What was written until then stays; the same call again completes it.
    pub async fn apply(&self, delta: Delta) -> Result<Applied> {
        let _writing = self.writing.lock().await;
        let mut applied = Applied {
            entities: delta.entities.len(),
            relations: delta.relations.len(),
            ..Applied::default()
        };
        let (pinned, found) = delta.entities.into_iter().partition(|entity| entity.record.pinned);
        self.put(found, WriteMode::KeepExisting).await?;
        self.put(pinned, WriteMode::Replace).await?;
        let (pinned, found) = delta.relations.into_iter().partition(|relation| relation.record.pinned);
        self.put(found, WriteMode::KeepExisting).await?;
        self.put(pinned, WriteMode::Replace).await?;

        let ids: Vec<_> = delta.passages.iter().map(|passage| passage.record.id).collect();
        let replaced = self.embedded_passages(&ids).await?;
        applied.passages_replaced = replaced.len();
        applied.passages_added = ids.iter().collect::<HashSet<_>>().len() - replaced.len();
        self.put(delta.passages.clone(), WriteMode::Replace).await?;
        self.statistics.change(&replaced, &delta.passages);
        Ok(applied)
    }

    async fn put<T: Stored>(&self, records: Vec<Embedded<T>>, mode: WriteMode) -> Result<()> {
        let mut points: Vec<_> = records.into_iter().map(T::to_point).collect();
        while !points.is_empty() {
            let rest = points.split_off(points.len().min(BATCH));
            self.scope.upsert(T::COLLECTION, points, mode).await?;
            points = rest;
        }
        Ok(())
    }

    /// Deletes passages, then the relations that no passage supports any more, then the entities that nothing refers
    /// to any more. Pinned relations and entities stay. Its cost grows with what the passages refer to and not with
    /// how often others refer to that too.
    ///
    /// What is about to be collected is noted in the store first, so that a crash between the steps leaves nothing
    /// behind: [`Graph::finish_deletions`] goes on where it stopped.
    ///
    /// # Errors
    /// Those of the store. The same call again, or [`Graph::finish_deletions`], completes it.
    pub async fn remove(&self, passages: &[PassageId]) -> Result<Removed> {
        let _writing = self.writing.lock().await;
        let mut removed = Removed::default();
        for batch in passages.chunks(BATCH) {
            let found = self.embedded_passages(batch).await?;
            let mut suspects = Suspects::default();
            for passage in &found {
                suspects.relations.extend(&passage.record.relations);
                suspects.entities.extend(passage.record.entities.iter().chain(&passage.record.subjects));
            }
            let note = self.note_deletion(&suspects).await?;
            let ids = found.iter().map(|passage| passage.record.id.point()).collect();
            self.scope.delete(Collection::Passages, &Filter::Ids(ids)).await?;
            self.statistics.change(&found, &[]);
            removed.passages += found.len();
            removed += self.collect(suspects).await?;
            self.forget_note(note).await?;
        }
        Ok(removed)
    }

    /// Completes the deletions that a crash cut short. Costs one look where there were none.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn finish_deletions(&self) -> Result<Removed> {
        let _writing = self.writing.lock().await;
        let mut removed = Removed::default();
        for (note, suspects) in self.noted_deletions().await? {
            removed += self.collect(suspects).await?;
            self.forget_note(note).await?;
        }
        Ok(removed)
    }

    /// Deletes those of the suspects that nothing refers to.
    pub(crate) async fn collect(&self, suspects: Suspects) -> Result<Removed> {
        let Suspects { relations, mut entities } = suspects;
        let unsupported = self.unreferenced(relations, &[(Collection::Passages, RELATIONS)]).await?;
        let mut removed = Removed::default();
        for batch in unsupported.chunks(BATCH) {
            let ids: Vec<_> = batch.iter().copied().map(RelationId::from).collect();
            let doomed: Vec<_> =
                self.relations(&ids).await?.into_iter().filter(|relation| !relation.pinned).collect();
            entities.extend(doomed.iter().flat_map(|relation| [relation.subject, relation.object]));
            let ids = doomed.iter().map(|relation| relation.id.point()).collect();
            self.scope.delete(Collection::Relations, &Filter::Ids(ids)).await?;
            removed.relations += doomed.len();
        }
        let references = [
            (Collection::Passages, ENTITIES),
            (Collection::Relations, SUBJECT),
            (Collection::Relations, OBJECT),
        ];
        let unreferenced = self.unreferenced(entities, &references).await?;
        for batch in unreferenced.chunks(BATCH) {
            let ids: Vec<_> = batch.iter().copied().map(EntityId::from).collect();
            let doomed: Vec<_> =
                self.entities(&ids).await?.into_iter().filter(|entity| !entity.pinned).collect();
            let ids = doomed.iter().map(|entity| entity.id.point()).collect();
            self.scope.delete(Collection::Entities, &Filter::Ids(ids)).await?;
            removed.entities += doomed.len();
        }
        Ok(removed)
    }

    /// Those of the ids that no point names in any of the fields.
    ///
    /// Reads pages of points that name any id still in question and strikes out what they name. An id that a million
    /// points name is struck out by the first page that holds one of them, so the cost follows the number of ids.
    async fn unreferenced(
        &self,
        ids: BTreeSet<impl Into<PointId> + Copy>,
        references: &[(Collection, &'static str)],
    ) -> Result<Vec<PointId>> {
        const PAGE: usize = 128;
        let ids: Vec<PointId> = ids.into_iter().map(Into::into).collect();
        let mut unreferenced = Vec::new();
        for batch in ids.chunks(BATCH) {
            let mut open: BTreeSet<String> = batch.iter().map(PointId::to_string).collect();
            for &(collection, field) in references {
                while !open.is_empty() {
                    let select = Select::fields(reference_fields(field));
                    let filter = Filter::any_of(field, &open);
                    let page = self.scope.scroll(collection, &filter, None, PAGE, &select).await?;
                    for value in page.points.iter().filter_map(|point| point.payload.get(field)) {
                        strike_out(&mut open, value);
                    }
                    if page.next.is_none() {
                        break;
                    }
                }
            }
            unreferenced.extend(batch.iter().filter(|id| open.contains(&id.to_string())));
        }
        Ok(unreferenced)
    }
}

/// Relations and entities that may have lost their last reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suspects {
    pub(crate) relations: BTreeSet<RelationId>,
    pub(crate) entities: BTreeSet<EntityId>,
}

impl From<EntityId> for PointId {
    fn from(id: EntityId) -> Self {
        id.point()
    }
}

impl From<RelationId> for PointId {
    fn from(id: RelationId) -> Self {
        id.point()
    }
}

fn reference_fields(field: &'static str) -> &'static [&'static str] {
    match field {
        ENTITIES => &[ENTITIES],
        RELATIONS => &[RELATIONS],
        SUBJECT => &[SUBJECT],
        OBJECT => &[OBJECT],
        other => unreachable!("{other} holds no reference"),
    }
}

fn strike_out(open: &mut BTreeSet<String>, value: &Value) {
    match value {
        Value::String(id) => {
            open.remove(id);
        }
        Value::Array(ids) => ids.iter().for_each(|id| strike_out(open, id)),
        _ => {}
    }
}
