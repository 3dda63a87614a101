//! What the database remembers of itself, in points of no workspace, which no query of a graph can see.

use std::sync::Arc;

use quiver_store::{
    Collection, Error, ErrorKind, Filter, Point, PointId, PointStore, Result, Select, WriteMode,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Graph, payload::WORKSPACE, write::Suspects};

/// The version of the payloads that this code writes.
pub const FORMAT: u32 = 1;

const META: PointId = Uuid::from_u128(0x9175_6976_6572_8d65_b461_0000_0000_0001);
const META_FIELD: &str = "quiver";
const NOTE_FIELD: &str = "deletion";

/// What the database remembers of how it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The version of the payloads.
    pub format: u32,
    /// What the vectors were made with: the model, its dimension, its normalisation, the tokenizer.
    pub embedder: String,
}

impl Meta {
    /// Reads what a database remembers; `None` for one that was never written to.
    ///
    /// # Errors
    /// Those of the store; [`ErrorKind::Corrupt`] where it can't be read.
    pub async fn read(store: &Arc<dyn PointStore>) -> Result<Option<Self>> {
        let found = store.fetch(Collection::Entities, &[META], &Select::PAYLOAD).await?;
        let Some(mut point) = found.into_iter().next() else { return Ok(None) };
        let meta = point.payload.remove(META_FIELD).unwrap_or_default();
        serde_json::from_value(meta).map(Some).map_err(|source| {
            Error::new(ErrorKind::Corrupt, "what the database remembers of itself can't be read")
                .with_source(source)
        })
    }

    /// Checks that the database can be used with an embedder; a new database remembers it.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`], which names both and what to do, where format or embedder differ.
    pub async fn check(store: &Arc<dyn PointStore>, embedder: &str) -> Result<()> {
        let Some(meta) = Self::read(store).await? else {
            let meta = json!(Self { format: FORMAT, embedder: embedder.to_owned() });
            let point = Point::new(META).with_payload(META_FIELD, meta);
            store.upsert(Collection::Entities, vec![point], WriteMode::KeepExisting).await?;
            // Of two processes that open a new database at once, the one that came second sees what the first wrote.
            return match Self::read(store).await? {
                Some(meta) => meta.agree(embedder),
                None => Err(Error::new(ErrorKind::Other, "the database does not keep what is written to it")),
            };
        };
        meta.agree(embedder)
    }

    fn agree(&self, embedder: &str) -> Result<()> {
        if self.format != FORMAT {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!(
                    "the database has format {}, this version reads format {FORMAT}; export it with the version that \
                     wrote it and import it with this one",
                    self.format
                ),
            ));
        }
        if self.embedder != embedder {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!(
                    "the database was made with the embedder {:?} and opened with {embedder:?}; open it with the \
                     first, or migrate it: `quiver export` with the first, `quiver import` into a new database with \
                     the second",
                    self.embedder
                ),
            ));
        }
        Ok(())
    }
}

impl Graph {
    /// Notes what a deletion is about to collect.
    pub(crate) async fn note_deletion(&self, suspects: &Suspects) -> Result<PointId> {
        let note = json!({
            "workspace": self.workspace().as_str(),
            "relations": suspects.relations,
            "entities": suspects.entities,
        });
        let id = Uuid::new_v5(&META, note.to_string().as_bytes());
        let point = Point::new(id).with_payload(NOTE_FIELD, note);
        self.store().upsert(Collection::Entities, vec![point], WriteMode::Replace).await?;
        Ok(id)
    }

    pub(crate) async fn forget_note(&self, note: PointId) -> Result<()> {
        self.store().delete(Collection::Entities, &Filter::Ids(vec![note])).await
    }

    /// The deletions that were noted in this workspace and not completed.
    pub(crate) async fn noted_deletions(&self) -> Result<Vec<(PointId, Suspects)>> {
        let of_no_workspace = Filter::Missing { field: WORKSPACE };
        let select = Select::fields(&[NOTE_FIELD]);
        let page = self.store().scroll(Collection::Entities, &of_no_workspace, None, 1024, &select).await?;
        let mut notes = Vec::new();
        for point in page.points {
            let Some(note) = point.payload.get(NOTE_FIELD) else { continue };
            if note["workspace"] == self.workspace().as_str() {
                let relations = ids(&note["relations"]).collect();
                let entities = ids(&note["entities"]).collect();
                notes.push((point.id, Suspects { relations, entities }));
            }
        }
        Ok(notes)
    }
}

fn ids<T: std::str::FromStr>(list: &Value) -> impl Iterator<Item = T> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).filter_map(|id| id.parse().ok())
}
