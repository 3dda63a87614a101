//! Metadata that the database stores about itself, in points that no query of a graph can see: how it was created, in a
//! point without a workspace; current deletions, and accounts of spending, in points of workspaces with names that no
//! [`Workspace`](crate::Workspace) can have.

use std::sync::Arc;

use quiver_store::{
    Collection, Error, ErrorKind, Filter, Payload, Point, PointId, PointStore, Result, Select, StoreKind,
    WriteMode,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Graph,
    batch::BATCH,
    collect::Suspects,
    filters,
    kept::kept,
    open_write::{Erasure, Writer},
    payload::{
        METADATA, METADATA_TERMS, OWN_PROPERTIES, PROPERTIES, PROPERTY_RANKS, VALID_FROM, WORDS, WORKSPACE,
        words,
    },
    property::{metadata_terms, property_ranks, property_terms},
};

/// The payload version that this code writes.
pub const FORMAT: u32 = 1;

const META: PointId = Uuid::from_u128(0x9175_6976_6572_8d65_b461_0000_0000_0001);
const META_FIELD: &str = "quiver";
const NOTE_FIELD: &str = "deletion";
const ACCOUNT_FIELD: &str = "account";
const UNFINISHED_FIELD: &str = "unfinished";
const ERASURE_FIELD: &str = "erasure";
const SCHEMA_FIELD: &str = "schema";

/// How the database was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The payload version.
    pub format: u32,
    /// What computed the vectors: the model, its dimension, its normalisation, the tokenizer.
    pub embedder: String,
    /// Whether dated relations are indexed by their words. The first databases did not do this.
    #[serde(default)]
    pub has_words: bool,
    /// Whether properties are indexed by their order, and properties of relations at all. This came later still.
    #[serde(default)]
    pub has_ranks: bool,
    /// Whether the metadata of passages are indexed. This came last.
    #[serde(default)]
    pub has_metadata: bool,
}

impl Meta {
    /// Reads the metadata. Returns `None` if the database was never written to.
    ///
    /// # Errors
    /// Errors of the store; [`ErrorKind::Mismatch`] if the format differs, with a message that names both and the
    /// remedy; [`ErrorKind::Corrupt`] if the metadata can't be read.
    pub async fn read(store: &Arc<dyn PointStore>) -> Result<Option<Self>> {
        let stored = async {
            let found = store.fetch(Collection::Entities, &[META], &Select::PAYLOAD).await?;
            let meta = |mut point: Point| point.payload.remove(META_FIELD).unwrap_or_default();
            Ok(found.into_iter().map(meta).collect::<Vec<_>>())
        };
        let stored = kept(store, Collection::Entities, "meta", stored).await?;
        let Some(meta) = stored.into_iter().next() else { return Ok(None) };
        // Another format may store other metadata. It is corrupt only if it has this format and can't be read.
        if let Some(format) = meta["format"].as_u64()
            && format != u64::from(FORMAT)
        {
            return Err(other_format(format));
        }
        serde_json::from_value(meta).map(Some).map_err(|source| {
            Error::new(ErrorKind::Corrupt, "the database's metadata can't be read").with_source(source)
        })
    }

    /// Checks that the database can be used with an embedder. A new database records the embedder. One from before
    /// dated relations were indexed by words, properties by order, or metadata at all, is upgraded.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the format or the embedder differs. The message names both and the remedy.
    pub async fn check(store: &Arc<dyn PointStore>, embedder: &str) -> Result<()> {
        let Some(meta) = Self::read(store).await? else {
            let meta = Self {
                format: FORMAT,
                embedder: embedder.to_owned(),
                has_words: true,
                has_ranks: true,
                has_metadata: true,
            };
            store.upsert(Collection::Entities, vec![meta.point()], WriteMode::KeepExisting).await?;
            // If two processes open a new database at once, the second one sees what the first one wrote.
            return match Self::read(store).await? {
                Some(meta) => meta.agree(embedder),
                None => Err(Error::new(ErrorKind::Other, "the database does not keep what is written to it")),
            };
        };
        meta.agree(embedder)?;
        if meta.has_words && meta.has_ranks && meta.has_metadata {
            return Ok(());
        }
        if !meta.has_words {
            tracing::info!("noting the words of dated relations");
            complete_words(store).await?;
        }
        if !meta.has_ranks {
            tracing::info!("indexing the properties of entities and relations");
            complete_properties(store).await?;
        }
        if !meta.has_metadata {
            tracing::info!("indexing the metadata of documents");
            complete_metadata(store).await?;
        }
        let meta = Self { has_words: true, has_ranks: true, has_metadata: true, ..meta };
        store.upsert(Collection::Entities, vec![meta.point()], WriteMode::Replace).await
    }

    fn point(&self) -> Point {
        Point::new(META).with_payload(META_FIELD, json!(self))
    }

    fn agree(&self, embedder: &str) -> Result<()> {
        if self.embedder != embedder {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!(
                    "the database was made with the embedder {:?} and opened with {embedder:?}; open it with the \
                     first, or migrate it: `quiver export` with the first (and the version of Quiver that has it), \
                     `quiver import` into a new database with the second; or ingest its documents into a new one",
                    self.embedder
                ),
            ));
        }
        Ok(())
    }
}

impl Graph {
    /// Records what a deletion is about to collect.
    pub(crate) async fn note_deletion(&self, suspects: &Suspects) -> Result<PointId> {
        let note = json!({ "relations": suspects.relations, "entities": suspects.entities });
        let workspace = self.workspace_of_notes();
        let id = Uuid::new_v5(&META, format!("{workspace}{note}").as_bytes());
        let point = Point::new(id).with_payload(WORKSPACE, workspace).with_payload(NOTE_FIELD, note);
        self.store().upsert(Collection::Entities, vec![point], WriteMode::Replace).await?;
        Ok(id)
    }

    /// Returns a note of what a write is about to add, and the note's ID.
    pub(crate) fn note_of_write(&self, suspects: &Suspects, writer: &Writer) -> (PointId, Point) {
        let Writer { process, number, at } = writer;
        let note = json!({
            "relations": suspects.relations,
            "entities": suspects.entities,
            "writer": { "process": process, "number": number, "at": at },
        });
        let workspace = self.workspace_of_notes();
        let id = Uuid::new_v5(&META, format!("{workspace}{process}-{number}").as_bytes());
        (id, Point::new(id).with_payload(WORKSPACE, workspace).with_payload(NOTE_FIELD, note))
    }

    pub(crate) async fn put_note(&self, note: Point) -> Result<()> {
        self.put_notes(vec![note]).await
    }

    pub(crate) async fn put_notes(&self, notes: Vec<Point>) -> Result<()> {
        self.store().upsert(Collection::Entities, notes, WriteMode::Replace).await
    }

    /// Returns a new, unique ID for a change.
    pub(crate) fn id_of_change(&self) -> PointId {
        let Writer { process, number, .. } = Writer::here();
        Uuid::new_v5(&META, format!("{}\u{6}{process}-{number}", self.workspace_of_notes()).as_bytes())
    }

    pub(crate) async fn forget_note(&self, note: PointId) -> Result<()> {
        self.forget_notes(Filter::Ids(vec![note])).await
    }

    pub(crate) async fn forget_notes(&self, notes: Filter) -> Result<()> {
        self.store().delete(Collection::Entities, &notes).await
    }

    /// Returns the deletions and writes recorded in this workspace that are neither completed nor current.
    pub(crate) async fn noted(&self) -> Result<Vec<Noted>> {
        let mut notes = self.notes().await?;
        notes.retain(|note| !note.is_under_way);
        Ok(notes)
    }

    /// Returns what current writes have added or found. They rely on it, though no passage supports it yet.
    pub(crate) async fn under_way(&self) -> Result<Suspects> {
        let mut counted_on = Suspects::default();
        for note in self.notes().await?.into_iter().filter(|note| note.is_under_way) {
            counted_on.relations.extend(note.suspects.relations);
            counted_on.entities.extend(note.suspects.entities);
        }
        Ok(counted_on)
    }

    /// Whether this workspace has notes. Without any, nothing was interrupted and no document is incomplete. The answer
    /// is kept, so it is not for a process that writes.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn has_notes(&self) -> Result<bool> {
        let notes_here = Filter::equals(WORKSPACE, self.workspace_of_notes());
        let count = async { Ok(self.store().count(Collection::Entities, &notes_here).await? > 0) };
        self.kept(Collection::Entities, "notes", count).await
    }

    async fn notes(&self) -> Result<Vec<Noted>> {
        let notes_here = Filter::equals(WORKSPACE, self.workspace_of_notes());
        let select = Select::fields(&[NOTE_FIELD]);
        let mut notes = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.store().scroll(Collection::Entities, &notes_here, after, BATCH, &select).await?;
            for point in page.points {
                let Some(note) = point.payload.get(NOTE_FIELD) else { continue };
                let writer = writer(&note["writer"]);
                let kind = self.store().kind();
                let is_under_way = writer.as_ref().is_some_and(|writer| !writer.is_gone(point.id, kind));
                let relations = ids(&note["relations"]).collect();
                let entities = ids(&note["entities"]).collect();
                let suspects = Suspects { relations, entities };
                notes.push(Noted { id: point.id, suspects, is_write: writer.is_some(), is_under_way });
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(notes),
            }
        }
    }

    /// Marks documents that are about to be written in more than one write. Until [`Graph::forget_unfinished`] they
    /// count as incomplete, whatever happens to the writer.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn note_unfinished(&self, documents: &[&str]) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let note = |document: &&str| {
            Point::new(self.id_of_unfinished(document))
                .with_payload(WORKSPACE, self.workspace_of_notes())
                .with_payload(UNFINISHED_FIELD, *document)
        };
        let notes = documents.iter().map(note).collect();
        self.store().upsert(Collection::Entities, notes, WriteMode::Replace).await
    }

    /// Removes the mark from documents that are complete or deleted.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn forget_unfinished(&self, documents: &[&str]) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let notes = documents.iter().map(|document| self.id_of_unfinished(document)).collect();
        self.store().delete(Collection::Entities, &Filter::Ids(notes)).await
    }

    /// Returns whether a document is marked as incomplete.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn is_unfinished(&self, document: &str) -> Result<bool> {
        let note = [self.id_of_unfinished(document)];
        let select = Select::fields(&[UNFINISHED_FIELD]);
        let found = self.store().fetch(Collection::Entities, &note, &select).await?;
        Ok(found.iter().any(|point| point.payload.contains_key(UNFINISHED_FIELD)))
    }

    /// Returns the keys of incomplete documents, in ascending order.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn unfinished_documents(&self) -> Result<Vec<String>> {
        let notes_here = Filter::equals(WORKSPACE, self.workspace_of_notes());
        let select = Select::fields(&[UNFINISHED_FIELD]);
        let mut unfinished = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.store().scroll(Collection::Entities, &notes_here, after, BATCH, &select).await?;
            let keys = page.points.iter().filter_map(|point| point.payload.get(UNFINISHED_FIELD)?.as_str());
            unfinished.extend(keys.map(str::to_owned));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        unfinished.sort();
        Ok(unfinished)
    }

    /// Begins an erasure: whatever is deleted from now on must not remain in any file of the store. If the process ends
    /// before [`Graph::end_erasure`], [`Graph::finish_erasure`] rebuilds the files. Only the embedded store needs that:
    /// a server rebuilds its files itself, and memory has none. Several erasures may run at once.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn begin_erasure(&self) -> Result<Erasure> {
        let mut erasure = Erasure::default();
        if self.store().kind() != StoreKind::Embedded {
            return Ok(erasure);
        }
        let Writer { process, number, at } = Writer::here();
        let id = self.id_of_erasure(&format!("{process}-{number}"));
        // Registered as current before anybody can read it.
        erasure.0.hold(id);
        let writer = json!({ "process": process, "number": number, "at": at });
        let note = Point::new(id)
            .with_payload(WORKSPACE, self.workspace_of_notes())
            .with_payload(ERASURE_FIELD, json!({ "writer": writer }));
        self.put_note(note).await?;
        Ok(erasure)
    }

    /// Ends an erasure. Afterwards no file contains what was deleted since it began. Erasures that end at once share
    /// the rebuild.
    ///
    /// # Errors
    /// Errors of the store, which stays usable. The next opening then ends the erasure.
    pub async fn end_erasure(&self, erasure: Erasure) -> Result<()> {
        self.compact().await?;
        if erasure.0.notes().is_empty() {
            return Ok(());
        }
        self.forget_notes(Filter::Ids(erasure.0.notes().to_vec())).await
    }

    /// Rebuilds the files without what was replaced or deleted.
    ///
    /// # Errors
    /// Errors of the store, which stays usable.
    pub async fn compact(&self) -> Result<()> {
        self.store().compact().await
    }

    /// Ends interrupted erasures. Returns whether there were any. Current ones of this process are left alone.
    /// Deletions must be [finished](Graph::finish_deletions) first.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn finish_erasure(&self) -> Result<bool> {
        let cut_short = self.erasures_cut_short().await?;
        if cut_short.is_empty() {
            return Ok(false);
        }
        self.compact().await?;
        self.forget_notes(Filter::Ids(cut_short)).await?;
        Ok(true)
    }

    async fn erasures_cut_short(&self) -> Result<Vec<PointId>> {
        let kind = self.store().kind();
        if kind != StoreKind::Embedded {
            return Ok(Vec::new());
        }
        let notes_here = Filter::equals(WORKSPACE, self.workspace_of_notes());
        let select = Select::fields(&[ERASURE_FIELD]);
        let mut found = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.store().scroll(Collection::Entities, &notes_here, after, BATCH, &select).await?;
            for point in page.points {
                let Some(note) = point.payload.get(ERASURE_FIELD) else { continue };
                // The first notes named no writer; all erasures of a workspace shared one note.
                if writer(&note["writer"]).is_none_or(|writer| writer.is_gone(point.id, kind)) {
                    found.push(point.id);
                }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(found),
            }
        }
    }

    fn id_of_erasure(&self, name: &str) -> PointId {
        Uuid::new_v5(&META, format!("{}\u{4}{name}", self.workspace_of_notes()).as_bytes())
    }

    fn id_of_unfinished(&self, document: &str) -> PointId {
        Uuid::new_v5(&META, format!("{}\u{3}{document}", self.workspace_of_notes()).as_bytes())
    }

    /// Stores the declared schema of this workspace's graph, replacing the previous one. `None` removes it.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn write_schema(&self, schema: Option<Value>) -> Result<()> {
        let Some(schema) = schema else { return self.forget_note(self.id_of_schema()).await };
        let note = Point::new(self.id_of_schema())
            .with_payload(WORKSPACE, self.workspace_of_notes())
            .with_payload(SCHEMA_FIELD, schema);
        self.put_note(note).await
    }

    /// Reads the declared schema of this workspace's graph.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn read_schema(&self) -> Result<Option<Value>> {
        let select = Select::fields(&[SCHEMA_FIELD]);
        let found = self.store().fetch(Collection::Entities, &[self.id_of_schema()], &select).await?;
        Ok(found.into_iter().next().and_then(|mut point| point.payload.remove(SCHEMA_FIELD)))
    }

    fn id_of_schema(&self) -> PointId {
        Uuid::new_v5(&META, format!("{}\u{5}", self.workspace_of_notes()).as_bytes())
    }

    /// Writes the sums of an account, over all workspaces. Each writer has a point of its own, so that two never
    /// overwrite each other. A writer that may share the database needs a unique name.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn write_account(&self, account: &str, writer: &str, sums: Value) -> Result<()> {
        let id = account_id(account, writer);
        let point = Point::new(id)
            .with_payload(WORKSPACE, workspace_of_account(account))
            .with_payload(ACCOUNT_FIELD, json!({ "writer": writer, "sums": sums }));
        self.store().upsert(Collection::Entities, vec![point], WriteMode::Replace).await
    }

    /// Reads what each writer wrote to an account, in ascending order of ID.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn read_account(&self, account: &str) -> Result<Vec<(String, Value)>> {
        let name = format!("account-{}", Uuid::new_v5(&META, account.as_bytes()).simple());
        kept(self.store(), Collection::Entities, &name, self.account(account)).await
    }

    async fn account(&self, account: &str) -> Result<Vec<(String, Value)>> {
        let here = Filter::equals(WORKSPACE, workspace_of_account(account));
        let select = Select::fields(&[ACCOUNT_FIELD]);
        let mut entries = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.store().scroll(Collection::Entities, &here, after, BATCH, &select).await?;
            for mut point in page.points {
                let Some(mut entry) = point.payload.remove(ACCOUNT_FIELD) else { continue };
                let writer = entry["writer"].as_str().unwrap_or_default().to_owned();
                entries.push((writer, entry["sums"].take()));
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(entries),
            }
        }
    }

    /// Returns the workspace in which this one's notes are stored. No workspace name contains a control character, so
    /// no query sees them, and an indexed value finds them.
    pub(crate) fn workspace_of_notes(&self) -> String {
        format!("\u{1}{}", self.workspace())
    }
}

/// Adds the indexed words to the dated relations of all workspaces.
async fn complete_words(store: &Arc<dyn PointStore>) -> Result<()> {
    let dated = filters::begun(None, Some(i64::MAX));
    let lacks = |payload: &Payload| !payload.contains_key(WORDS);
    complete(store, Collection::Relations, &dated, &Select::fields(&[WORDS]), lacks, |point| {
        let words = words(&point.vectors.sparse);
        point.payload.insert(WORDS.to_owned(), words.into());
    })
    .await
}

/// Adds the indexed properties to the entities and undated relations of all workspaces.
async fn complete_properties(store: &Arc<dyn PointStore>) -> Result<()> {
    let lacks = |payload: &Payload| {
        payload.contains_key(OWN_PROPERTIES) && payload.get(VALID_FROM).is_none_or(Value::is_null)
    };
    for collection in [Collection::Entities, Collection::Relations] {
        let select = Select::fields(&[OWN_PROPERTIES, VALID_FROM]);
        complete(store, collection, &Filter::everything(), &select, lacks, |point| {
            let Some(Value::Object(properties)) = point.payload.get(OWN_PROPERTIES) else { return };
            let (terms, ranks) = (property_terms(properties), property_ranks(properties));
            point.payload.insert(PROPERTIES.to_owned(), terms.into());
            point.payload.insert(PROPERTY_RANKS.to_owned(), ranks.into());
        })
        .await?;
    }
    Ok(())
}

/// Adds the indexed metadata to the passages of all workspaces.
async fn complete_metadata(store: &Arc<dyn PointStore>) -> Result<()> {
    let lacks = |payload: &Payload| payload.contains_key(METADATA);
    complete(
        store,
        Collection::Passages,
        &Filter::everything(),
        &Select::fields(&[METADATA]),
        lacks,
        |point| {
            let Some(Value::Object(metadata)) = point.payload.get(METADATA) else { return };
            let terms = metadata_terms(metadata);
            if !terms.is_empty() {
                point.payload.insert(METADATA_TERMS.to_owned(), terms.into());
            }
        },
    )
    .await
}

/// Reads the selected fields of points, and adds something to those that lack it.
async fn complete(
    store: &Arc<dyn PointStore>,
    collection: Collection,
    among: &Filter,
    select: &Select,
    lacks: impl Fn(&Payload) -> bool,
    add: impl Fn(&mut Point),
) -> Result<()> {
    let mut after: Option<PointId> = None;
    loop {
        let page = store.scroll(collection, among, after, BATCH, select).await?;
        let lacking = page.points.iter().filter(|point| lacks(&point.payload));
        let ids: Vec<PointId> = lacking.map(|point| point.id).collect();
        let mut points = store.fetch(collection, &ids, &Select::EVERYTHING).await?;
        points.iter_mut().for_each(&add);
        store.upsert(collection, points, WriteMode::Replace).await?;
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}

fn account_id(account: &str, writer: &str) -> PointId {
    Uuid::new_v5(&META, format!("{}\u{2}{writer}", workspace_of_account(account)).as_bytes())
}

/// Returns the workspace of an account. No caller can name it, and it holds no notes.
fn workspace_of_account(account: &str) -> String {
    format!("\u{2}{account}")
}

fn other_format(format: u64) -> Error {
    Error::new(
        ErrorKind::Mismatch,
        format!(
            "the database has format {format}, this version reads format {FORMAT}; export it with the version that \
             wrote it and import it with this one"
        ),
    )
}

/// A recorded deletion or write.
pub(crate) struct Noted {
    pub(crate) id: PointId,
    pub(crate) suspects: Suspects,
    pub(crate) is_write: bool,
    /// Whether it is a current write.
    pub(crate) is_under_way: bool,
}

fn writer(note: &Value) -> Option<Writer> {
    let process = note["process"].as_str()?.to_owned();
    Some(Writer { process, number: note["number"].as_u64()?, at: note["at"].as_u64()? })
}

fn ids<T: std::str::FromStr>(list: &Value) -> impl Iterator<Item = T> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).filter_map(|id| id.parse().ok())
}
