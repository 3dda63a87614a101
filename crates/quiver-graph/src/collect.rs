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

    /// Returns those of the relations that no passage supports.
    pub(crate) async fn unsupported(&self, relations: BTreeSet<RelationId>) -> Result<Vec<PointId>> {
        self.unreferenced(relations, &[(Collection::Passages, RELATIONS)]).await
    }

    /// Deletes the suspects that nothing refers to: relations first, then entities.
    pub(crate) async fn collect(&self, suspects: Suspects) -> Result<Removed> {
        let counted_on = self.under_way().await?;
        let Suspects { mut relations, mut entities } = suspects;
        relations.retain(|relation| !counted_on.relations.contains(relation));
        entities.retain(|entity| !counted_on.entities.contains(entity));
        let unsupported = self.unsupported(relations).await?;
        let mut removed = Removed::default();
        for batch in unsupported.chunks(BATCH) {
            let ids: Vec<_> = batch.iter().copied().map(RelationId::from).collect();
            let doomed: Vec<_> =
                self.relations(&ids).await?.into_iter().filter(|relation| !relation.pinned).collect();
            if doomed.is_empty() {
                continue;
            }
            let ids = doomed.iter().map(|relation| relation.id.point()).collect();
            self.scope.delete(Collection::Relations, &Filter::Ids(ids)).await?;
            removed.relations += doomed.len();
        }
        let unreferenced = self.unreferenced_entities(entities).await?;
        for batch in unreferenced.chunks(BATCH) {
            let ids: Vec<_> = batch.iter().copied().map(EntityId::from).collect();
            let doomed: Vec<_> =
                self.entities(&ids).await?.into_iter().filter(|entity| !entity.pinned).collect();
            if doomed.is_empty() {
                continue;
            }
            let ids = doomed.iter().map(|entity| entity.id.point()).collect();
            self.scope.delete(Collection::Entities, &Filter::Ids(ids)).await?;
            removed.entities += doomed.len();
        }
        Ok(removed)
    }

    /// Returns those of the entities that no passage and no relation refers to.
    pub(crate) async fn unreferenced_entities(&self, entities: BTreeSet<EntityId>) -> Result<Vec<PointId>> {
        let references = [
            (Collection::Passages, ENTITIES),
            (Collection::Passages, SUBJECTS),
            (Collection::Relations, SUBJECT),
            (Collection::Relations, OBJECT),
        ];
        self.unreferenced(entities, &references).await
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
