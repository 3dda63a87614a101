//! Administration of a database: statistics, verification, export, import.

use std::{
    fmt,
    future::IntoFuture,
    io::{BufRead, Read as _, Write},
};

use futures::{FutureExt, future::BoxFuture};
use quiver_graph::{
    DUMP_VERSION, Delta, DumpHeader, DumpLine, Dumped, Erasure, OpenWrite, Repair, Unreadable, Violation,
    Workspace, conversation,
};
use quiver_models::{Encoded, Input};
use quiver_store::{IndexProgress, StoreKind, Vectors};
use serde::Serialize;
use tracing::instrument;

use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, In, Stage},
    llm::{Spent, spent},
    memory,
    records::embedded_text,
};

/// Number of records imported at once.
const IMPORT_BATCH: usize = 512;

/// The state of a database.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// `memory`, `embedded` or `server`.
    pub backend: String,
    /// Its location.
    pub location: String,
    /// The workspace that the counts refer to.
    pub workspace: String,
    /// The encoder.
    pub embedder: String,
    /// Documents.
    pub documents: u64,
    /// Passages.
    pub passages: u64,
    /// Entities.
    pub entities: u64,
    /// Relations.
    pub relations: u64,
    /// Points, over all workspaces.
    pub points: u64,
    /// Indexed dense vectors, over all workspaces.
    pub indexed: u64,
    /// Bytes on disk, if known.
    pub disk_bytes: Option<u64>,
    /// Bytes of writes that would be replayed after a crash, if the backend keeps a journal.
    pub journal_bytes: Option<u64>,
    /// What language models have cost for this database, over all workspaces.
    pub spent: Spent,
}

impl Stats {
    /// Removes what covers all workspaces, for callers who may learn about one only: counts only its own points, and
    /// leaves out the index, the disk and language models.
    #[must_use]
    pub fn of_its_workspace(self) -> Self {
        let points = self.passages + self.entities + self.relations;
        Self { points, indexed: 0, disk_bytes: None, journal_bytes: None, spent: Spent::default(), ..self }
    }
}

/// The result of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// Entities read.
    pub entities: usize,
    /// Relations read.
    pub relations: usize,
    /// Passages read.
    pub passages: usize,
    /// Records whose vectors were computed again.
    pub encoded: usize,
    /// Lines that were skipped because they are invalid.
    pub lines_skipped: usize,
}

impl Quiver {
    /// Returns the state of the database.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn stats(&self) -> Result<Stats> {
        use quiver_graph::{Entity, Passage, Relation};
        let graph = &self.graph;
        if let Some(llm) = &self.llm {
            llm.write_ledger().await;
        }
        let read = async {
            tokio::try_join!(
                graph.count_documents(),
                graph.count_all::<Entity>(),
                graph.count_all::<Relation>(),
                graph.count_all::<Passage>(),
                spent(graph),
            )
        };
        // Boxed, since five calls make a large future, which servers would put into their own.
        let (documents, entities, relations, passages, spent) =
            Box::pin(read).await.stage(Stage::Administer)?;
        // Last, since what was counted may be kept, which takes space on the disk.
        let report = graph.store().report().await.stage(Stage::Administer)?;
        Ok(Stats {
            backend: format!("{:?}", report.kind).to_lowercase(),
            location: report.location,
            workspace: graph.workspace().to_string(),
            embedder: self.encoder.fingerprint().to_string(),
            documents,
            passages,
            entities,
            relations,
            points: report.points.iter().sum(),
            indexed: report.indexed.iter().sum(),
            disk_bytes: report.disk_bytes,
            journal_bytes: report.journals.map(|journals| journals.iter().map(|journal| journal.bytes).sum()),
            spent,
        })
    }

    /// Returns what language models have cost for this database, over all workspaces.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn spent(&self) -> Result<Spent> {
        if let Some(llm) = &self.llm {
            llm.write_ledger().await;
        }
        spent(&self.graph).await.stage(Stage::Administer)
    }

    /// Checks every reference and invariant of the workspace.
    ///
    /// # Errors
    /// Fails if the database fails.
    #[instrument(target = "quiver::stage", skip_all)]
    pub async fn verify(&self) -> Result<Vec<Violation>> {
        self.graph.verify().await.stage(Stage::Administer)
    }

    /// Repairs what [`Quiver::verify`] finds.
    ///
    /// # Errors
    /// Fails if the database fails. Repeat the call to resume the repair.
    pub async fn repair(&self) -> Result<Repair> {
        self.graph.repair().await.stage(Stage::Administer)
    }

    /// Brings new data into a form that opens quickly, and builds the index for dense vectors if the database is large
    /// enough for it to pay. This is the last step of an ingest.
    ///
    /// # Errors
    /// Fails if the database fails.
    #[instrument(target = "quiver::stage", skip_all)]
    pub async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        self.graph.store().build_index(progress).await.stage(Stage::Administer)?;
        if self.graph.store().kind() == StoreKind::Embedded {
            self.graph.statistics().await.stage(Stage::Administer)?;
            self.graph.count_documents().await.stage(Stage::Administer)?;
        }
        Ok(())
    }

    /// Rebuilds the files if anything was replaced or deleted, so that they are as small as possible and contain
    /// nothing that was deleted or forgotten. Reads and writes continue meanwhile. The embedded database does so
    /// automatically when as much was deleted as is left; a server does it in its own time.
    ///
    /// # Errors
    /// Errors of the database, which stays usable.
    #[instrument(target = "quiver::stage", skip_all)]
    pub async fn compact(&self) -> Result<()> {
        self.graph.compact().await.stage(Stage::Administer)
    }

    /// Begins an erasure: no file of an embedded database may contain what is deleted or forgotten from now on.
    /// [`Quiver::end_erasure`] ensures that; if the process ends before, the next opening of this workspace does.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn begin_erasure(&self) -> Result<Erasure> {
        self.graph.begin_erasure().await.stage(Stage::Administer)
    }

    /// Ends an erasure: afterwards no file of the database contains what was deleted or forgotten since it began. Reads
    /// and writes continue meanwhile, and erasures that end at once share the rebuild.
    ///
    /// # Errors
    /// Fails if the database fails. It stays usable, and the next opening ends the erasure.
    #[instrument(target = "quiver::stage", skip_all)]
    pub async fn end_erasure(&self, erasure: Erasure) -> Result<()> {
        self.graph.end_erasure(erasure).await.stage(Stage::Administer)
    }

    /// Exports the workspace as lines of JSON in a byte-stable order. Set options, then await
    /// [`ExportRequest::write_to`].
    ///
    /// # Errors
    /// Fails if the database or the writer fails.
    pub fn export(&self) -> ExportRequest<'_> {
        ExportRequest { quiver: self, vectors: false }
    }

    async fn export_to(&self, vectors: bool, writer: &mut (dyn Write + Send)) -> Result<Vec<Unreadable>> {
        let unwritable = |source: std::io::Error| {
            let kind = match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorKind::Full,
                _ => ErrorKind::Other,
            };
            Error::new(kind, Stage::Administer, format!("the export can't be written: {source}"))
                .with_source(source)
        };
        let fingerprint = self.encoder.fingerprint().to_string();
        let unreadable = self
            .graph
            .export(&fingerprint, vectors, |line| writeln!(writer, "{line}").map_err(Unwritten::Writer))
            .await
            .map_err(|unwritten| match unwritten {
                Unwritten::Writer(source) => unwritable(source),
                Unwritten::Graph(error) => {
                    Err::<(), _>(error).stage(Stage::Administer).expect_err("it is an error")
                }
            })?;
        writer.flush().map_err(unwritable)?;
        Ok(unreadable)
    }

    /// Reads an [export](Quiver::export) into this workspace, which must have the name of the exported one. Vectors that
    /// are missing, or come from another embedder, are computed again: this is how a database changes its embedder. Await
    /// the returned request; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
    /// # let mut lines = Vec::new();
    /// # quiver.export().write_to(&mut lines).await?;
    /// let copy = Quiver::in_memory().await?;
    /// let report = copy.import(lines.as_slice()).await?;
    /// assert_eq!(report.passages, 1);
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`], which names the line and the problem; errors of the database. What was already read
    /// stays if a passage supports it; the same import again completes it.
    pub fn import<'a>(&'a self, reader: impl BufRead + Send + 'a) -> ImportRequest<'a> {
        ImportRequest { quiver: self, reader: Box::new(reader), on_skip: None }
    }

    async fn import_from(
        &self,
        reader: &mut (dyn BufRead + Send),
        mut on_skip: Option<OnSkip<'_>>,
    ) -> Result<ImportReport> {
        let mut report = ImportReport::default();
        let mut lines = Lines { reader, number: 0, is_broken: false };
        let header: DumpHeader = lines.next()?.ok_or_else(|| lines.wrong("the export is empty", None))?;
        if header.quiver_dump != DUMP_VERSION || header.format != quiver_graph::FORMAT {
            return Err(lines.wrong("the export's version is not supported", None));
        }
        let workspace = self.graph.workspace();
        if header.workspace != *workspace {
            let what = format!(
                "the export is of the workspace {:?} and can't be imported into {:?}; open the database with that workspace",
                header.workspace.as_str(),
                workspace.as_str()
            );
            return Err(lines.wrong(&what, None));
        }
        let keeps_vectors = header.embedder == self.encoder.fingerprint().to_string();
        let mut batch: Vec<Dumped> = Vec::new();
        // The entities and relations come long before the passages that support them.
        let mut write = self.graph.begin_write();
        loop {
            let record = match lines.next::<DumpLine>() {
                Ok(None) => break,
                Ok(Some(line)) => lines.record(line, workspace),
                Err(error) => Err(error),
            };
            match record {
                Ok(record) => batch.push(record),
                Err(error) => match &mut on_skip {
                    Some(on_skip) if !lines.is_broken => {
                        on_skip(&error);
                        report.lines_skipped += 1;
                    }
                    _ => return Err(error),
                },
            }
            if batch.len() >= IMPORT_BATCH {
                let batch = std::mem::take(&mut batch);
                self.import_batch(&mut write, batch, keeps_vectors, &mut report).await?;
            }
        }
        self.import_batch(&mut write, batch, keeps_vectors, &mut report).await?;
        self.graph.end_write(write).await.stage(Stage::Administer)?;
        Ok(report)
    }

    async fn import_batch(
        &self,
        write: &mut OpenWrite,
        batch: Vec<Dumped>,
        keeps_vectors: bool,
        report: &mut ImportReport,
    ) -> Result<()> {
        let texts: Vec<String> = batch.iter().map(text).collect();
        let has_vectors =
            |record: &Dumped| !is_searched_for(record) || (keeps_vectors && vectors(record).is_some());
        let inputs: Vec<Input<'_>> = batch
            .iter()
            .zip(&texts)
            .filter(|(record, _)| !has_vectors(record))
            .map(|(_, text)| Input { text, spans: &[] })
            .collect();
        let mut encoded = self.encoder.encode_documents(&inputs).await.stage(Stage::Administer)?.into_iter();
        report.encoded += inputs.len();
        let mut delta = Delta::default();
        for record in batch {
            let vectors = match vectors(&record).filter(|_| keeps_vectors) {
                _ if !is_searched_for(&record) => Vectors::default(),
                Some(vectors) => vectors.clone(),
                None => {
                    let encoded = encoded.next().expect("every record without vectors was encoded");
                    self.vectors(&record, encoded)
                }
            };
            match &record {
                Dumped::Entity(..) => report.entities += 1,
                Dumped::Relation(..) => report.relations += 1,
                Dumped::Passage(..) => report.passages += 1,
            }
            delta.push(record, vectors);
        }
        self.graph.apply_within(write, delta).await.stage(Stage::Administer)?;
        Ok(())
    }

    /// Returns the vectors of a record. What the memory remembers is also found by the beginnings of long words; what
    /// it declared or archived is not found by words.
    fn vectors(&self, record: &Dumped, encoded: Encoded) -> Vectors {
        let remembered = match record {
            Dumped::Entity(entity, _) if memory::is_declaration(entity) => return Vectors::default(),
            Dumped::Passage(turn, _) if memory::is_archived(turn) => {
                return Vectors { dense: encoded.dense, ..Vectors::default() };
            }
            Dumped::Relation(relation, _) => memory::text_of_fact(relation),
            Dumped::Passage(turn, _) if conversation::is_turn(turn) => Some(turn.text.clone()),
            _ => None,
        };
        memory::vectors(self.encoder.analysis(), encoded, remembered.as_deref())
    }
}

/// An export that has not been written yet.
#[derive(Debug)]
#[must_use = "a request does nothing unless it is written"]
pub struct ExportRequest<'a> {
    quiver: &'a Quiver,
    vectors: bool,
}

impl ExportRequest<'_> {
    /// Includes the vectors, so that an import into a database with the same embedder does not compute them again.
    pub fn vectors(mut self) -> Self {
        self.vectors = true;
        self
    }

    /// Writes the export. Returns the records that can't be read, which are left out.
    ///
    /// # Errors
    /// Errors of the database and of the writer.
    pub async fn write_to(self, mut writer: impl Write + Send) -> Result<Vec<Unreadable>> {
        self.quiver.export_to(self.vectors, &mut writer).await
    }
}

/// Receives the error of each line that an import skips.
type OnSkip<'a> = Box<dyn FnMut(&Error) + Send + 'a>;

/// An export that has not been imported yet. Methods set options, and awaiting it imports.
#[must_use = "a request does nothing unless it is awaited"]
pub struct ImportRequest<'a> {
    quiver: &'a Quiver,
    reader: Box<dyn BufRead + Send + 'a>,
    on_skip: Option<OnSkip<'a>>,
}

impl<'a> ImportRequest<'a> {
    /// Skips invalid lines, and calls a function with the error of each. A header that can't be read still ends the
    /// import.
    pub fn skip_invalid(mut self, on_skip: impl FnMut(&Error) + Send + 'a) -> Self {
        self.on_skip = Some(Box::new(on_skip));
        self
    }
}

impl<'a> IntoFuture for ImportRequest<'a> {
    type Output = Result<ImportReport>;
    type IntoFuture = BoxFuture<'a, Result<ImportReport>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, mut reader, on_skip } = self;
        async move { quiver.import_from(&mut reader, on_skip).await }.boxed()
    }
}

impl fmt::Debug for ImportRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportRequest").field("skips", &self.on_skip.is_some()).finish_non_exhaustive()
    }
}

/// Why an export stopped.
enum Unwritten {
    Graph(quiver_graph::Error),
    Writer(std::io::Error),
}

impl From<quiver_graph::Error> for Unwritten {
    fn from(error: quiver_graph::Error) -> Self {
        Self::Graph(error)
    }
}

/// Whether a record has vectors.
fn is_searched_for(record: &Dumped) -> bool {
    match record {
        Dumped::Relation(relation, _) => relation.is_searched_for(),
        Dumped::Entity(..) | Dumped::Passage(..) => true,
    }
}

fn vectors(record: &Dumped) -> Option<&Vectors> {
    match record {
        Dumped::Entity(_, vectors) | Dumped::Relation(_, vectors) | Dumped::Passage(_, vectors) => {
            vectors.as_ref()
        }
    }
}

/// Returns the text from which a record's vectors are computed if its passage is not available.
fn text(record: &Dumped) -> String {
    match record {
        Dumped::Entity(entity, _) => entity.name.clone(),
        Dumped::Relation(relation, _) => {
            memory::text_of_fact(relation).unwrap_or_else(|| relation.text.clone())
        }
        Dumped::Passage(turn, _) if turn.session.is_some() && !conversation::is_turn(turn) => {
            quiver_memory::turns::index_text(turn)
        }
        Dumped::Passage(passage, _) => embedded_text(passage.title.as_deref(), &passage.text),
    }
}

/// Maximum length of a line, so that an endless device does not fill the memory.
const LINE_BYTES_MAX: u64 = 256 << 20;

/// The lines of an export, counted.
struct Lines<'a> {
    reader: &'a mut (dyn BufRead + Send),
    number: usize,
    /// Whether the reader failed, so that reading can't continue.
    is_broken: bool,
}

impl Lines<'_> {
    fn record(&self, line: DumpLine, workspace: &Workspace) -> Result<Dumped> {
        line.into_record(workspace).map_err(|source| {
            let what = source.to_string();
            self.wrong(&what, Some(source.into()))
        })
    }

    fn next<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>> {
        loop {
            let mut line = Vec::new();
            self.number += 1;
            let mut limited = (&mut *self.reader).take(LINE_BYTES_MAX + 1);
            let read = limited.read_until(b'\n', &mut line).map_err(|source| {
                self.is_broken = true;
                self.wrong(&format!("can't be read: {source}"), Some(source.into()))
            })?;
            if read as u64 > LINE_BYTES_MAX {
                self.is_broken = true;
                return Err(self.wrong("the line is longer than any line of an export", None));
            }
            if read == 0 {
                return Ok(None);
            }
            let line = String::from_utf8(line)
                .map_err(|source| self.wrong("not UTF-8 text", Some(source.into())))?;
            if !line.trim().is_empty() {
                let parsed = serde_json::from_str(&line);
                return parsed.map(Some).map_err(|source| {
                    self.wrong(&format!("not a line of an export: {source}"), Some(source.into()))
                });
            }
        }
    }

    fn wrong(&self, what: &str, source: Option<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let error = Error::new(
            ErrorKind::Invalid,
            Stage::Administer,
            format!("line {} of the export: {what}", self.number),
        );
        match source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}
