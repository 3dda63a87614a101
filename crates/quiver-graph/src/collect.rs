//! Garbage collection: deletes relations and entities that nothing refers to any more.

use std::collections::BTreeSet;

use quiver_store::{Collection, Filter, PointId, Result, Select};
use serde_json::Value;

use crate::{
    EntityId, Graph, Passage, RelationId,
    applied::Removed,
    batch::BATCH,
    payload::{ENTITIES, OBJECT, RELATIONS, SUBJECT, SUBJECTS},
};

/// Relations and entities that may have lost their last reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suspects {
    pub(crate) relations: BTreeSet<RelationId>,
    pub(crate) entities: BTreeSet<EntityId>,
}

impl Suspects {
    /// Adds everything that a passage refers to.
    pub(crate) fn add(&mut self, passage: &Passage) {
        self.relations.extend(&passage.relations);
        self.entities.extend(passage.entities.iter().chain(&passage.subjects));
    }

    /// Removes everything that a passage refers to.
    pub(crate) fn acquit(&mut self, passage: &Passage) {
        for relation in &passage.relations {
            self.relations.remove(relation);
        }
        for entity in passage.entities.iter().chain(&passage.subjects) {
            self.entities.remove(entity);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.relations.is_empty() && self.entities.is_empty()
    }
}

/// Whether a deletion leaves pinned records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pinned {
    Stay,
    Go,
}

impl Graph {
    /// Adds the ends of the suspected relations while these still exist: whoever finishes an interrupted deletion can
    /// no longer read them.
    pub(crate) async fn suspect_ends(&self, suspects: &mut Suspects) -> Result<()> {
        let relations: Vec<_> = suspects.relations.iter().copied().collect();
        for batch in relations.chunks(BATCH) {
            for relation in self.relations(batch).await? {
                suspects.entities.extend([relation.subject, relation.object]);
            }
        }
        Ok(())
    }

    /// Deletes the suspects that nothing refers to, unless they are pinned: relations first, then entities.
    pub(crate) async fn collect(&self, suspects: Suspects) -> Result<Removed> {
        let relations = self.delete_unsupported(suspects.relations, Pinned::Stay).await?;
        let entities = self.delete_unreferenced(suspects.entities, Pinned::Stay).await?.len();
        Ok(Removed { relations, entities, ..Removed::default() })
    }

    /// Deletes those of the relations that no passage supports and no current write relies on. Returns their number.
    pub(crate) async fn delete_unsupported(
        &self,
        relations: BTreeSet<RelationId>,
        pinned: Pinned,
    ) -> Result<usize> {
        if relations.is_empty() {
            return Ok(0);
        }
        let _collecting = self.collecting.lock().await;
        let counted_on = self.under_way().await?.relations;
        let relations: BTreeSet<_> = relations.difference(&counted_on).copied().collect();
        let mut deleted = 0;
        for batch in self.unreferenced(relations, &[(Collection::Passages, RELATIONS)]).await?.chunks(BATCH) {
            let mut doomed = batch.to_vec();
            if pinned == Pinned::Stay {
                let ids: Vec<_> = batch.iter().copied().map(RelationId::from).collect();
                let found = self.relations(&ids).await?.into_iter().filter(|relation| !relation.pinned);
                doomed = found.map(|relation| relation.id.point()).collect();
            }
            deleted += doomed.len();
            self.delete_points(Collection::Relations, doomed).await?;
        }
        Ok(deleted)
    }

    /// Deletes those of the entities that no passage and no relation refers to and no current write relies on. Returns
    /// them.
    pub(crate) async fn delete_unreferenced(
        &self,
        entities: BTreeSet<EntityId>,
        pinned: Pinned,
    ) -> Result<Vec<PointId>> {
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let references = [
            (Collection::Passages, ENTITIES),
            (Collection::Passages, SUBJECTS),
            (Collection::Relations, SUBJECT),
            (Collection::Relations, OBJECT),
        ];
        let _collecting = self.collecting.lock().await;
        let counted_on = self.under_way().await?.entities;
        let entities: BTreeSet<_> = entities.difference(&counted_on).copied().collect();
        let mut deleted = Vec::new();
        for batch in self.unreferenced(entities, &references).await?.chunks(BATCH) {
            let mut doomed = batch.to_vec();
            if pinned == Pinned::Stay {
                let ids: Vec<_> = batch.iter().copied().map(EntityId::from).collect();
                let found = self.entities(&ids).await?.into_iter().filter(|entity| !entity.pinned);
                doomed = found.map(|entity| entity.id.point()).collect();
            }
            deleted.extend_from_slice(&doomed);
            self.delete_points(Collection::Entities, doomed).await?;
        }
        Ok(deleted)
    }

    async fn delete_points(&self, collection: Collection, ids: Vec<PointId>) -> Result<()> {
        if ids.is_empty() { Ok(()) } else { self.scope.delete(collection, &Filter::Ids(ids)).await }
    }

    /// Returns those of the IDs that no point refers to in any of the fields.
    ///
    /// Reads pages of points that refer to any ID still open, and removes the IDs they refer to. Every page removes
    /// at least one ID and is no longer than the number of open IDs, so the cost depends on the number of IDs and not
    /// on the number of points that refer to one of them.
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
                    let limit = open.len().min(PAGE);
                    let page = self.scope.scroll(collection, &filter, None, limit, &select).await?;
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
        SUBJECTS => &[SUBJECTS],
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
