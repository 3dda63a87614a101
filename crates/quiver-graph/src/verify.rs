//! Verification: every reference and invariant of a workspace, checked; and what breaks them, mended.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt,
};

use quiver_store::{Collection, Filter, Point, PointId, Result, Select, WriteMode};

use crate::{
    Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId,
    payload::Stored,
    write::{BATCH, Removed, Suspects},
};

/// A rule that is broken, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// A payload can't be read.
    Unreadable(Collection, PointId),
    /// A point's id is not the one that its content gives it.
    Misidentified(Collection, PointId),
    /// A relation starts or ends at an entity that is absent.
    RelationEndMissing(RelationId, EntityId),
    /// A passage is about or mentions an entity that is absent.
    PassageEntityMissing(PassageId, EntityId),
    /// A passage supports a relation that is absent.
    PassageRelationMissing(PassageId, RelationId),
    /// A relation that no passage supports and nobody pinned.
    RelationUnsupported(RelationId),
    /// An entity that nothing refers to and nobody pinned.
    EntityUnreferenced(EntityId),
    /// A point without the dense vector that its database has.
    VectorMissing(Collection, PointId),
    /// A deletion that a crash cut short.
    DeletionUnfinished(PointId),
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
            Self::DeletionUnfinished(id) => write!(f, "note {id}: a deletion was cut short"),
        }
    }
}

/// What a repair did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// References that were dropped. The passages that had them are woven anew when they are ingested next.
    pub references_dropped: usize,
    /// Points that can't be read, or not under their id, and were deleted.
    pub points_deleted: usize,
    /// What was deleted because nothing refers to it.
    pub collected: Removed,
}

/// Everything of a workspace that its rules speak of.
#[derive(Default)]
struct Survey {
    entities: BTreeMap<EntityId, bool>,
    relations: BTreeMap<RelationId, (EntityId, EntityId, bool)>,
    passages: BTreeMap<PassageId, (BTreeSet<EntityId>, BTreeSet<RelationId>)>,
    violations: BTreeSet<Violation>,
}

impl Graph {
    /// Checks every reference and invariant; answers all violations, sorted.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn verify(&self) -> Result<Vec<Violation>> {
        let mut survey = Survey::default();
        for (note, _) in self.noted_deletions().await? {
            survey.violations.insert(Violation::DeletionUnfinished(note));
        }
        let dense = self.has_dense_vectors().await?;
        self.survey::<Entity>(&mut survey, dense).await?;
        self.survey::<Relation>(&mut survey, dense).await?;
        self.survey::<Passage>(&mut survey, dense).await?;
        survey.check_references();
        Ok(survey.violations.into_iter().collect())
    }

    /// Mends what [`verify`](Self::verify) finds: finishes deletions, deletes points that can't be read, drops
    /// references to what is absent, collects what nothing refers to. Afterwards nothing but missing vectors is left.
    ///
    /// # Errors
    /// Those of the store. The same call again goes on.
    pub async fn repair(&self) -> Result<Repair> {
        let mut repair = Repair { collected: self.finish_deletions().await?, ..Repair::default() };
        let mut suspects = Suspects::default();
        let mut doomed: BTreeMap<Collection, Vec<PointId>> = BTreeMap::new();
        let mut maimed: BTreeSet<PassageId> = BTreeSet::new();
        let violations = self.verify().await?;
        // A relation that goes for want of an end takes with it what passages say of it.
        let gone: HashSet<RelationId> = violations
            .iter()
            .filter_map(|violation| match violation {
                Violation::RelationEndMissing(id, _) => Some(*id),
                Violation::Unreadable(Collection::Relations, id)
                | Violation::Misidentified(Collection::Relations, id) => Some(RelationId::from(*id)),
                _ => None,
            })
            .collect();
        for violation in violations {
            match violation {
                Violation::Unreadable(collection, id) | Violation::Misidentified(collection, id) => {
                    doomed.entry(collection).or_default().push(id);
                }
                Violation::RelationEndMissing(id, _) => {
                    doomed.entry(Collection::Relations).or_default().push(id.point());
                }
                Violation::PassageEntityMissing(id, _) | Violation::PassageRelationMissing(id, _) => {
                    maimed.insert(id);
                }
                Violation::RelationUnsupported(id) => {
                    suspects.relations.insert(id);
                }
                Violation::EntityUnreferenced(id) => {
                    suspects.entities.insert(id);
                }
                Violation::VectorMissing(..) | Violation::DeletionUnfinished(_) => {}
            }
        }
        for (collection, mut ids) in doomed {
            ids.dedup();
            repair.points_deleted += ids.len();
            self.scope.delete(collection, &Filter::Ids(ids)).await?;
        }
        if !gone.is_empty() {
            let supporting = self.all::<Passage>(&crate::among::supporting(gone.iter().copied())).await?;
            maimed.extend(supporting.into_iter().map(|passage| passage.id));
        }
        let maimed: Vec<_> = maimed.into_iter().collect();
        for batch in maimed.chunks(BATCH) {
            repair.references_dropped += self.drop_dangling(batch).await?;
        }
        repair.collected += self.collect(suspects).await?;
        // What was deleted or dropped may have been the last reference to something else.
        let mut loose = Suspects::default();
        for violation in self.verify().await? {
            match violation {
                Violation::RelationUnsupported(id) => drop(loose.relations.insert(id)),
                Violation::EntityUnreferenced(id) => drop(loose.entities.insert(id)),
                _ => {}
            }
        }
        repair.collected += self.collect(loose).await?;
        self.refresh_statistics().await?;
        Ok(repair)
    }

    /// Drops what these passages refer to and is absent; answers how many references went.
    async fn drop_dangling(&self, passages: &[PassageId]) -> Result<usize> {
        let mut dropped = 0;
        let mut mended = Vec::new();
        for mut passage in self.embedded_passages(passages).await? {
            let record = &mut passage.record;
            let ends: Vec<_> = record.entities.iter().chain(&record.subjects).copied().collect();
            let entities: HashSet<_> = self.entities(&ends).await?.into_iter().map(|e| e.id).collect();
            let relations: HashSet<_> =
                self.relations(&record.relations).await?.into_iter().map(|r| r.id).collect();
            let before = record.entities.len() + record.subjects.len() + record.relations.len();
            record.entities.retain(|id| entities.contains(id));
            record.subjects.retain(|id| entities.contains(id));
            record.relations.retain(|id| relations.contains(id));
            dropped += before - (record.entities.len() + record.subjects.len() + record.relations.len());
            record.weave.clear();
            mended.push(Passage::to_point(passage));
        }
        self.scope.upsert(Collection::Passages, mended, WriteMode::Replace).await?;
        Ok(dropped)
    }

    async fn has_dense_vectors(&self) -> Result<bool> {
        let page = self
            .scope
            .scroll(Collection::Passages, &Filter::everything(), None, 1, &Select::EVERYTHING)
            .await?;
        Ok(page.points.iter().any(|point| point.vectors.dense.is_some()))
    }

    async fn survey<T: Surveyed>(&self, survey: &mut Survey, dense: bool) -> Result<()> {
        let mut after: Option<PointId> = None;
        loop {
            let select = Select { fields: None, vectors: dense };
            let page = self.scope.scroll(T::COLLECTION, &Filter::everything(), after, BATCH, &select).await?;
            for point in page.points {
                let id = point.id;
                if dense && point.vectors.dense.is_none() {
                    survey.violations.insert(Violation::VectorMissing(T::COLLECTION, id));
                }
                self.survey_point::<T>(survey, point);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    fn survey_point<T: Surveyed>(&self, survey: &mut Survey, point: Point) {
        let id = point.id;
        match T::from_point(point) {
            Err(_) => drop(survey.violations.insert(Violation::Unreadable(T::COLLECTION, id))),
            Ok(record) if record.identity_in(self.workspace()) != id => {
                survey.violations.insert(Violation::Misidentified(T::COLLECTION, id));
            }
            Ok(record) => record.enter(survey),
        }
    }
}

trait Surveyed: Stored {
    fn identity_in(&self, workspace: &crate::Workspace) -> PointId;
    fn enter(self, survey: &mut Survey);
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
        let Self { entities, relations, passages, violations } = self;
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
