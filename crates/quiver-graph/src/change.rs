//! Changes to several records as one unit. Each is recorded before it is made, so that a crash leaves all of it or
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use quiver_store::{Collection, Error, ErrorKind, Filter, Point, PointId, Result, Select, StoreKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Delta, DumpLine, Dumped, Embedded, Entity, EntityId, Graph, Relation, RelationId,
    batch::BATCH,
    collect::{Pinned, Suspects},
    dump::line_of,
    payload::{Stored, WORKSPACE},
};

/// The field of the point which marks a change as fully recorded, and says what it deletes.
const CHANGE: &str = "change";
/// The fields of a point that holds one record which a change writes, and the change it belongs to.
const PART: &str = "part";
const PART_OF: &str = "part_of";

/// What a change deletes.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Doomed {
    relations: BTreeSet<RelationId>,
    entities: BTreeSet<EntityId>,
    /// The ends of the relations. They are deleted too if nobody created them explicitly and nothing refers to them any
    /// more.
    ends: BTreeSet<EntityId>,
}

/// The points that record a change.
#[derive(Debug)]
struct Journal {
    head: PointId,
    parts: Vec<PointId>,
}

impl Graph {
    /// Writes entities and relations, then deletes relations that no passage supports and entities that nothing refers
    /// to, pinned ones too, as one unit.
    ///
    /// In memory and in a directory, the change is recorded first. If the process ends or the store fails before it is
    /// complete, the next opening or change completes it; if that happens before it is fully recorded, none of it is
    /// made. On a server, where others write at the same time, it is made in steps, and a crash may leave a part.
    ///
    /// # Errors
    /// Those of [`Graph::apply`], and [`ErrorKind::Invalid`] for a delta with passages.
    pub async fn change(&self, delta: Delta, relations: &[RelationId], entities: &[EntityId]) -> Result<()> {
        self.check_delta(&delta)?;
        if !delta.passages.is_empty() {
            return Err(Error::new(ErrorKind::Invalid, "a change has no passages; `Graph::apply` adds them"));
        }
        if self.store().kind() == StoreKind::Server {
            self.apply(delta).await?;
            self.retract(relations).await?;
            self.delete_entities(entities).await?;
            return Ok(());
        }
        let mut write = self.begin_write();
        let _writing = self.writing.lock().await;
        self.finish_before_writing().await?;
        let mut suspects = Suspects { relations: relations.iter().copied().collect(), ..Suspects::default() };
        self.suspect_ends(&mut suspects).await?;
        let doomed = Doomed {
            relations: suspects.relations,
            entities: entities.iter().copied().collect(),
            ends: suspects.entities,
        };
        let head = self.id_of_change();
        // Registered as current before anybody can read it.
        write.hold(head);
        let journal = self.write_down(head, &delta, &doomed).await?;
        self.carry_out(delta, doomed).await?;
        self.forget_journal(journal).await?;
        write.close();
        Ok(())
    }

    /// Completes the changes that were fully recorded, and drops the others.
    pub(crate) async fn finish_changes(&self) -> Result<()> {
        let here = Filter::equals(WORKSPACE, self.workspace_of_notes());
        let select = Select::fields(&[CHANGE, PART, PART_OF]);
        let mut heads: Vec<(PointId, Value)> = Vec::new();
        let mut parts: BTreeMap<PointId, Vec<(PointId, Value)>> = BTreeMap::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.store().scroll(Collection::Entities, &here, after, BATCH, &select).await?;
            for mut point in page.points {
                let of = point.payload.get(PART_OF).and_then(Value::as_str).and_then(|of| of.parse().ok());
                if let Some(change) = point.payload.remove(CHANGE) {
                    heads.push((point.id, change));
                } else if let (Some(of), Some(part)) = (of, point.payload.remove(PART)) {
                    parts.entry(of).or_default().push((point.id, part));
                }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let is_held = |head: &PointId| crate::open_write::is_under_way(*head);
        heads.retain(|(head, _)| !is_held(head));
        parts.retain(|head, _| !is_held(head));
        for (head, change) in heads {
            let (ids, lines): (Vec<_>, Vec<_>) = parts.remove(&head).unwrap_or_default().into_iter().unzip();
            let delta = self.delta_of(&lines)?;
            self.carry_out(delta, read(&change)?).await?;
            self.forget_journal(Journal { head, parts: ids }).await?;
        }
        let left: Vec<PointId> = parts.into_values().flatten().map(|(id, _)| id).collect();
        if left.is_empty() { Ok(()) } else { self.forget_notes(Filter::Ids(left)).await }
    }

    /// Records a change: first its records, then a marker that all of them are there.
    async fn write_down(&self, head: PointId, delta: &Delta, doomed: &Doomed) -> Result<Journal> {
        let entities =
            delta.entities.iter().cloned().map(Entity::to_point).map(|point| (Entity::COLLECTION, point));
        let relations = delta.relations.iter().cloned().map(Relation::to_point);
        let relations = relations.map(|point| (Relation::COLLECTION, point));
        let mut parts = Vec::new();
        for (number, (collection, point)) in entities.chain(relations).enumerate() {
            let text = json!(line_of(collection, point, true)).to_string();
            let part = Point::new(Uuid::new_v5(&head, number.to_string().as_bytes()))
                .with_payload(WORKSPACE, self.workspace_of_notes())
                .with_payload(PART_OF, head.to_string())
                .with_payload(PART, text);
            parts.push(part);
        }
        let ids = parts.iter().map(|part| part.id).collect();
        let mut parts = parts.into_iter();
        loop {
            let batch: Vec<Point> = parts.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            self.put_notes(batch).await?;
        }
        let note = Point::new(head)
            .with_payload(WORKSPACE, self.workspace_of_notes())
            .with_payload(CHANGE, json!(doomed).to_string());
        self.put_note(note).await?;
        Ok(Journal { head, parts: ids })
    }

    /// Makes a change. Making it again changes nothing more.
    async fn carry_out(&self, delta: Delta, doomed: Doomed) -> Result<()> {
        self.apply_delta(delta).await?;
        let Doomed { relations, entities, ends } = doomed;
        self.delete_unsupported(relations, Pinned::Go).await?;
        self.delete_unreferenced(ends, Pinned::Stay).await?;
        self.delete_unreferenced(entities, Pinned::Go).await?;
        Ok(())
    }

    /// Deletes the record of a completed change: first the marker, then its parts.
    async fn forget_journal(&self, journal: Journal) -> Result<()> {
        let Journal { head, parts } = journal;
        self.forget_note(head).await?;
        if parts.is_empty() { Ok(()) } else { self.forget_notes(Filter::Ids(parts)).await }
    }

    /// Returns the records that the parts of a change hold.
    fn delta_of(&self, parts: &[Value]) -> Result<Delta> {
        let mut delta = Delta::default();
        for part in parts {
            let line: DumpLine = read(part)?;
            match line.into_record(self.workspace())? {
                Dumped::Entity(record, vectors) => {
                    delta.entities.push(Embedded { record, vectors: vectors.unwrap_or_default() });
                }
                Dumped::Relation(record, vectors) => {
                    delta.relations.push(Embedded { record, vectors: vectors.unwrap_or_default() });
                }
                Dumped::Passage(..) => {}
            }
        }
        Ok(delta)
    }
}

/// Decodes a recorded change.
fn read<T: serde::de::DeserializeOwned>(text: &Value) -> Result<T> {
    serde_json::from_str(text.as_str().unwrap_or_default()).map_err(|source| {
        let message = "an interrupted change can't be read; restore a backup, or rescue the data with \
                       `quiver export --salvage`";
        Error::new(ErrorKind::Corrupt, message).with_source(source)
    })
}
