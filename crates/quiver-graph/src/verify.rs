//! Verification and repair of every reference and invariant in a workspace.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt,
};

use quiver_store::{Collection, Filter, Point, PointId, Result, Select, WriteMode};

use crate::{
    Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, applied::Removed, batch::BATCH,
    collect::Suspects, filters, payload::Stored,
};

/// A violated invariant, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Violation {
    /// A payload can't be decoded.
    Unreadable(Collection, PointId),
    /// A point's ID differs from the one derived from its content.
    Misidentified(Collection, PointId),
    /// An end of a relation is missing.
    RelationEndMissing(RelationId, EntityId),
    /// A passage is about or mentions an entity that is missing.
    PassageEntityMissing(PassageId, EntityId),
    /// A passage supports a relation that is missing.
    PassageRelationMissing(PassageId, RelationId),
    /// No passage supports a relation, and it is not pinned.
    RelationUnsupported(RelationId),
    /// Nothing refers to an entity, and it is not pinned.
    EntityUnreferenced(EntityId),
    /// A point lacks a dense vector although other points of the database have one.
    VectorMissing(Collection, PointId),
    /// A crash interrupted a deletion.
    DeletionUnfinished(PointId),
    /// A crash interrupted a write.
    WriteUnfinished(PointId),
}

impl Violation {
    /// Returns whether repairing it loses data.
    pub fn is_mended_by_loss(&self) -> bool {
        !matches!(self, Self::VectorMissing(..) | Self::DeletionUnfinished(_) | Self::WriteUnfinished(_))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(collection, id) => write!(f, "{collection} {id}: the payload can't be read"),
            Self::Misidentified(collection, id) => {
                write!(f, "{collection} {id}: the content has another id")
            }
            Self::RelationEndMissing(id, end) => write!(f, "relations {id}: its end {end} is missing"),
            Self::PassageEntityMissing(id, entity) => {
                write!(f, "passages {id}: the entity {entity} that it mentions is missing")
            }
            Self::PassageRelationMissing(id, relation) => {
                write!(f, "passages {id}: the relation {relation} that it supports is missing")
            }
            Self::RelationUnsupported(id) => write!(f, "relations {id}: no passage supports it"),
            Self::EntityUnreferenced(id) => write!(f, "entities {id}: nothing refers to it"),
            Self::VectorMissing(collection, id) => {
                write!(f, "{collection} {id}: its dense vector is missing")
            }
            Self::DeletionUnfinished(id) => write!(f, "note {id}: a deletion was interrupted"),
            Self::WriteUnfinished(id) => write!(f, "note {id}: a write was interrupted"),
        }
    }
}

/// The result of a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// References dropped. Their passages are extracted again when they are next ingested.
    pub references_dropped: usize,
    /// Points deleted because they were unreadable, had the wrong ID, or lacked an end.
    pub points_deleted: usize,
    /// Records deleted because nothing refers to them.
    pub collected: Removed,
}

/// The data of a workspace that the checks need.
#[derive(Default)]
struct Survey {
    with_dense: bool,
    without_dense: Vec<Violation>,
    entities: BTreeMap<EntityId, bool>,
    relations: BTreeMap<RelationId, (EntityId, EntityId, bool)>,
    passages: BTreeMap<PassageId, (BTreeSet<EntityId>, BTreeSet<RelationId>)>,
    violations: BTreeSet<Violation>,
}

impl Graph {
    /// Checks every reference and invariant. Returns all violations, sorted.
    ///
    /// # Errors
    /// Returns an error if the store fails. Unreadable points are reported as violations.
    pub async fn verify(&self) -> Result<Vec<Violation>> {
        let mut survey = Survey::default();
        for noted in self.noted().await? {
            survey.violations.insert(if noted.is_write {
                Violation::WriteUnfinished(noted.id)
            } else {
                Violation::DeletionUnfinished(noted.id)
            });
        }
        self.survey::<Entity>(&mut survey).await?;
        self.survey::<Relation>(&mut survey).await?;
        self.survey::<Passage>(&mut survey).await?;
        // One dense vector anywhere means that the database has a dense embedder.
        if survey.with_dense {
            survey.violations.extend(std::mem::take(&mut survey.without_dense));
        }
        survey.check_references();
        Ok(survey.violations.into_iter().collect())
    }

    /// Repairs what [`verify`](Self::verify) finds: deletes points that can't be read, finishes deletions, drops
    /// references to missing records, and collects records that nothing refers to. Afterwards only missing vectors
    /// are left.
    ///
    /// Reads the workspace once to find the violations and changes only the records involved.
    ///
    /// # Errors
    /// Returns an error if the store fails. Repeating the call resumes the repair.
    pub async fn repair(&self) -> Result<Repair> {
        let _writing = self.writing.lock().await;
        self.statistics.forget();
        let mut repair = Repair::default();
        let Damage { doomed, maimed, endless, mut suspects } = Damage::of(self.verify().await?);
        // Deleting a relation with a missing end may leave its other references without a referrer.
        suspects.relations.extend(&endless);
        self.suspect_ends(&mut suspects).await?;
        for (collection, ids) in doomed {
            repair.points_deleted += ids.len();
            let ids: Vec<_> = ids.into_iter().collect();
            for batch in ids.chunks(BATCH) {
                self.scope.delete(collection, &Filter::Ids(batch.to_vec())).await?;
            }
        }
        repair.collected = self.finish_noted().await?;
        let mut maimed: Vec<_> = maimed.into_iter().collect();
        let endless: Vec<_> = endless.into_iter().collect();
        for batch in endless.chunks(BATCH) {
            maimed.extend(self.passages_supporting(batch).await?);
        }
        for batch in maimed.chunks(BATCH) {
            repair.references_dropped += self.drop_dangling(batch).await?;
        }
        repair.collected += self.collect(suspects).await?;
        Ok(repair)
    }

    async fn passages_supporting(&self, relations: &[RelationId]) -> Result<Vec<PassageId>> {
        let among = filters::supporting(relations.iter().copied());
        let mut passages = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.scope.scroll(Collection::Passages, &among, after, BATCH, &Select::ID).await?;
            passages.extend(page.points.into_iter().map(|point| PassageId::from(point.id)));
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(passages),
            }
        }
    }

    /// Drops references from these passages to missing records. Returns the number of references dropped.
    async fn drop_dangling(&self, passages: &[PassageId]) -> Result<usize> {
        let passages = self.embedded_passages(passages).await?;
        let mut referred = Suspects::default();
        for passage in &passages {
            referred.add(&passage.record);
        }
        let ids: Vec<_> = referred.entities.into_iter().collect();
        let entities: HashSet<_> = self.entities(&ids).await?.into_iter().map(|entity| entity.id).collect();
        let ids: Vec<_> = referred.relations.into_iter().collect();
        let relations: HashSet<_> =
            self.relations(&ids).await?.into_iter().map(|relation| relation.id).collect();
        let mut dropped = 0;
        let mut mended = Vec::new();
        for mut passage in passages {
            let record = &mut passage.record;
            let before = record.entities.len() + record.subjects.len() + record.relations.len();
            record.entities.retain(|id| entities.contains(id));
            record.subjects.retain(|id| entities.contains(id));
            record.relations.retain(|id| relations.contains(id));
            dropped += before - (record.entities.len() + record.subjects.len() + record.relations.len());
            record.extraction_digest.clear();
            mended.push(Passage::to_point(passage));
        }
        self.scope.upsert(Collection::Passages, mended, WriteMode::Replace).await?;
        Ok(dropped)
    }

    async fn survey<T: Surveyed>(&self, survey: &mut Survey) -> Result<()> {
        let mut after: Option<PointId> = None;
        loop {
            let page = self.readable_page(T::COLLECTION, after, &Select::EVERYTHING).await?;
            for unreadable in page.unreadable {
                survey.violations.insert(Violation::Unreadable(T::COLLECTION, unreadable.id));
            }
            for point in page.points {
                survey.with_dense |= point.vectors.dense.is_some();
                let lacks_dense = point.vectors.dense.is_none();
                self.survey_point::<T>(survey, point, lacks_dense);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    fn survey_point<T: Surveyed>(&self, survey: &mut Survey, point: Point, lacks_dense: bool) {
        let id = point.id;
        match T::from_point(point) {
            Err(_) => drop(survey.violations.insert(Violation::Unreadable(T::COLLECTION, id))),
            Ok(record) if record.identity_in(self.workspace()) != id => {
                survey.violations.insert(Violation::Misidentified(T::COLLECTION, id));
            }
            Ok(record) => {
                if lacks_dense && record.is_searched_for() {
                    survey.without_dense.push(Violation::VectorMissing(T::COLLECTION, id));
                }
                record.enter(survey);
            }
        }
    }
}

/// Violations, grouped by how they are repaired.
#[derive(Default)]
struct Damage {
    /// Points to delete.
    doomed: BTreeMap<Collection, BTreeSet<PointId>>,
    /// Passages that refer to missing records.
    maimed: BTreeSet<PassageId>,
    /// Relations with a missing end; they are in `doomed` too.
    endless: BTreeSet<RelationId>,
    /// Records that may have no reference.
    suspects: Suspects,
}

impl Damage {
    fn of(violations: Vec<Violation>) -> Self {
        let mut damage = Self::default();
        for violation in violations {
            match violation {
                Violation::Unreadable(collection, id) | Violation::Misidentified(collection, id) => {
                    damage.doomed.entry(collection).or_default().insert(id);
                }
                Violation::RelationEndMissing(id, _) => {
                    damage.doomed.entry(Collection::Relations).or_default().insert(id.point());
                    damage.endless.insert(id);
                }
                Violation::PassageEntityMissing(id, _) | Violation::PassageRelationMissing(id, _) => {
                    damage.maimed.insert(id);
                }
                Violation::RelationUnsupported(id) => {
                    damage.suspects.relations.insert(id);
                }
                Violation::EntityUnreferenced(id) => {
                    damage.suspects.entities.insert(id);
                }
                Violation::VectorMissing(..)
                | Violation::DeletionUnfinished(_)
                | Violation::WriteUnfinished(_) => {}
            }
        }
        damage
    }
}

trait Surveyed: Stored {
    fn identity_in(&self, workspace: &crate::Workspace) -> PointId;
    fn enter(self, survey: &mut Survey);

    /// Whether the record has vectors.
    fn is_searched_for(&self) -> bool {
        true
    }
}

impl Surveyed for Entity {
    fn identity_in(&self, workspace: &crate::Workspace) -> PointId {
        self.identity(workspace).point()
    }

    fn enter(self, survey: &mut Survey) {
        survey.entities.insert(self.id, self.pinned);
    }
}

impl Surveyed for Relation {
    fn identity_in(&self, workspace: &crate::Workspace) -> PointId {
        self.identity(workspace).point()
    }

    fn enter(self, survey: &mut Survey) {
        survey.relations.insert(self.id, (self.subject, self.object, self.pinned));
    }

    fn is_searched_for(&self) -> bool {
        Relation::is_searched_for(self)
    }
}

impl Surveyed for Passage {
    fn identity_in(&self, workspace: &crate::Workspace) -> PointId {
        self.identity(workspace).point()
    }

    fn enter(self, survey: &mut Survey) {
        let entities = self.entities.into_iter().chain(self.subjects).collect();
        survey.passages.insert(self.id, (entities, self.relations.into_iter().collect()));
    }
}

impl Survey {
    fn check_references(&mut self) {
        let Self { entities, relations, passages, violations, .. } = self;
        let mut referenced: HashSet<EntityId> = HashSet::new();
        let mut supported: HashSet<RelationId> = HashSet::new();
        for (&id, (mentioned, supports)) in &*passages {
            for &entity in mentioned {
                referenced.insert(entity);
                if !entities.contains_key(&entity) {
                    violations.insert(Violation::PassageEntityMissing(id, entity));
                }
            }
            for &relation in supports {
                supported.insert(relation);
                if !relations.contains_key(&relation) {
                    violations.insert(Violation::PassageRelationMissing(id, relation));
                }
            }
        }
        for (&id, &(subject, object, pinned)) in &*relations {
            for end in [subject, object] {
                referenced.insert(end);
                if !entities.contains_key(&end) {
                    violations.insert(Violation::RelationEndMissing(id, end));
                }
            }
            if !pinned && !supported.contains(&id) {
                violations.insert(Violation::RelationUnsupported(id));
            }
        }
        for (&id, &pinned) in &*entities {
            if !pinned && !referenced.contains(&id) {
                violations.insert(Violation::EntityUnreferenced(id));
            }
        }
    }
}
