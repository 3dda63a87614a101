//! Ingesting documents: `chunk → extract → build_records → embed → apply`.

mod writer;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use quiver_documents::{
    Chunk, Document, Triple,
    chunk::{ChunkOptions, chunk},
};
use quiver_graph::{Delta, EntityId, Graph, Passage, PassageId, RelationId, filters};
use quiver_models::{
    Encoder,
    chat::{Ledger, Tally},
};
use quiver_store::Filter;
use serde::{Deserialize, Serialize};
use tracing::{Span, instrument};

use self::writer::{Batch, Writer};
use crate::{
    Result,
    embed::embed,
    error::{Error, ErrorKind, In, Stage},
    extract::{Extraction, Extractor, Fallback},
    llm::ModelExtractor,
    memory::Splits,
    records::{assign_triples, build_records},
};

// What a document that was read holds can be written.
const _: () = assert!(quiver_documents::NESTING_MAX <= quiver_graph::NESTING_MAX);

/// Options for ingesting documents.
#[derive(Clone, Debug)]
pub struct IngestOptions {
    /// Limits on the length of chunks.
    pub chunk: ChunkOptions,
    /// Number of passages that are extracted, embedded and written at once. Default 256.
    pub passages_per_batch: usize,
    /// Set from elsewhere, this flag stops the ingest: what is prepared is still written, which may be a few batches.
    /// Repeating the ingest resumes there.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for IngestOptions {
    fn default() -> Self {
        Self { chunk: ChunkOptions::default(), passages_per_batch: 256, stop: None }
    }
}

/// The result of an ingest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// Documents taken from the input, up to the last that is completely written. The ingest reads ahead of them.
    #[serde(skip)]
    pub documents_read: usize,
    /// Documents that are new.
    pub documents_added: usize,
    /// Documents whose content changed.
    pub documents_replaced: usize,
    /// Documents that are unchanged.
    pub documents_unchanged: usize,
    /// Passages written.
    pub passages_written: usize,
    /// Passages that were already stored, and were neither extracted nor embedded again.
    pub passages_kept: usize,
    /// Passages of earlier versions that were deleted.
    pub passages_removed: usize,
    /// Entities referenced by the written passages, new or known.
    pub entities: usize,
    /// Relations referenced by the written passages, new or known.
    pub relations: usize,
    /// The counted entities and relations, so that those of several ingests can be counted together.
    #[serde(skip)]
    pub referenced: Referenced,
    /// Written passages for which the extractor used its fallback, because a language model's reply was missing or
    /// could not be parsed. The problems give the reasons.
    pub passages_fallen_back: usize,
    /// The parts that could not be understood, each with the document's key, and the notes of the documents.
    pub problems: Vec<String>,
    /// Whether the ingest stopped before the end.
    pub stopped: bool,
    /// The budget that stopped the ingest, if one did. Repeating the ingest with a new budget resumes there.
    pub out_of_budget: Option<String>,
    /// The language model calls and their cost.
    pub ledger: Ledger,
}

/// The entities and relations that passages refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referenced {
    /// The entities.
    pub entities: BTreeSet<EntityId>,
    /// The relations.
    pub relations: BTreeSet<RelationId>,
}

/// The estimated language model usage of an ingest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IngestEstimate {
    /// Documents read.
    pub documents: usize,
    /// Passages that are new or changed, and would be written.
    pub passages: usize,
    /// Upper bound on the calls and their cost. Input tokens are estimated, and every reply is assumed to have its
    /// maximum length. Calls answered from a cache cost nothing.
    pub most: Tally,
}

/// The parts that the ingest pipeline needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IngestPipeline<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) extractor: &'a dyn Extractor,
    pub(crate) options: &'a IngestOptions,
}

/// Stored as the digest of a passage whose extraction must be retried; it equals no real digest.
const UNFINISHED: &str = "unfinished";

/// Why an ingest stops early.
enum Halt {
    /// A batch could not be prepared.
    Error(Error),
    /// A batch could not be written.
    Failed(Error),
    Budget(String),
    Stopped,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The work to do for a batch of documents.
#[derive(Default)]
pub(crate) struct Plan<'a> {
    /// The number of new, changed and unchanged documents and passages.
    pub(crate) counts: Receipt,
    /// Chunks to extract and write.
    fresh: Vec<Piece<'a>>,
    /// Passages to delete.
    stale: Vec<PassageId>,
    /// Passages to write again with a new position, time or metadata.
    moved: Vec<Passage>,
    /// Keys of documents that have both chunks to write and passages to delete.
    mixed: HashSet<&'a str>,
}

impl<'a> Plan<'a> {
    /// Returns the keys of documents that need more than one write. A crash between these writes would leave a
    /// document incomplete.
    fn parted(&self, passages_per_batch: usize) -> HashSet<&'a str> {
        let mut parted = self.mixed.clone();
        let mut first_write: HashMap<&str, usize> = HashMap::new();
        for (at, pieces) in self.fresh.chunks(passages_per_batch).enumerate() {
            for piece in pieces {
                let key = piece.document.key.as_str();
                if *first_write.entry(key).or_insert(at) != at {
                    parted.insert(key);
                }
            }
        }
        parted
    }
}

impl Receipt {
    /// Counts entities and relations that passages refer to, each once however many passages do.
    pub fn refer(&mut self, referenced: Referenced) {
        self.referenced.entities.extend(referenced.entities);
        self.referenced.relations.extend(referenced.relations);
        self.entities = self.referenced.entities.len();
        self.relations = self.referenced.relations.len();
    }

    /// Returns the number of documents that were read.
    fn documents(&self) -> usize {
        self.documents_added + self.documents_replaced + self.documents_unchanged
    }

    /// Adds the receipt of a later ingest of other documents.
    pub fn add(&mut self, later: &Self) {
        self.count(later);
        self.passages_written += later.passages_written;
        self.passages_removed += later.passages_removed;
        self.passages_fallen_back += later.passages_fallen_back;
        self.refer(later.referenced.clone());
        self.stopped |= later.stopped;
        self.out_of_budget = later.out_of_budget.clone().or(self.out_of_budget.take());
        self.ledger.add_ledger(&later.ledger);
    }

    /// Adds the document counts, kept passages and problems of a batch.
    fn count(&mut self, batch: &Self) {
        self.documents_read += batch.documents_read;
        self.documents_added += batch.documents_added;
        self.documents_replaced += batch.documents_replaced;
        self.documents_unchanged += batch.documents_unchanged;
        self.passages_kept += batch.passages_kept;
        self.problems.extend_from_slice(&batch.problems);
    }
}

/// An ingest in progress.
struct Run<'p> {
    writer: Writer,
    /// Keys of incomplete documents.
    unfinished: HashSet<String>,
    /// What was written so far.
    receipt: Receipt,
    progress: &'p (dyn Fn(&Receipt) + Send + Sync),
    /// The ordinal of the last new document.
    ordinal: u64,
}

impl Run<'_> {
    /// Reports the batches that were written meanwhile.
    fn collect(&mut self) {
        while let Some(written) = self.writer.written() {
            self.report(&written);
        }
    }

    /// Waits for a batch to be written, and reports it. Returns whether there was one.
    async fn wait(&mut self) -> Result<bool> {
        let Some(written) = self.writer.wait().await? else { return Ok(false) };
        self.report(&written);
        Ok(true)
    }

    fn report(&mut self, written: &Receipt) {
        self.receipt.add(written);
        (self.progress)(&self.receipt);
    }
}

/// A chunk to ingest, with its document.
struct Piece<'a> {
    document: &'a Document,
    chunk: Chunk,
    triples: Vec<&'a Triple>,
    id: PassageId,
    digest: String,
    /// The ordinal of its document, if passages of it are stored.
    ordinal: Option<u64>,
}

impl IngestPipeline<'_> {
    /// Adds documents in batches. An unchanged document costs one lookup; for a changed one, only the changed chunks
    /// are extracted and embedded. While a batch is being written, the next one is prepared.
    #[instrument(target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), documents, passages, entities, relations))]
    pub(crate) async fn ingest(
        self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        progress: &(dyn Fn(&Receipt) + Send + Sync),
    ) -> Result<Receipt> {
        self.graph.finish_deletions().await.stage(Stage::Ingest)?;
        let unfinished = self.graph.unfinished_documents().await.stage(Stage::Ingest)?.into_iter().collect();
        let writer = Writer::start(self.graph, self.encoder);
        let ordinal = self.graph.count::<Passage>(&Filter::everything()).await.stage(Stage::Ingest)?;
        let mut run = Run { writer, unfinished, receipt: Receipt::default(), progress, ordinal };
        let prepared = self.prepare(documents, &mut run).await;
        if let Err(Halt::Failed(error)) = prepared {
            return Err(error);
        }
        // What was prepared is written, however the preparation of the rest ended.
        while run.wait().await? {}
        run.writer.finish().await?;
        let mut receipt = run.receipt;
        match prepared {
            Ok(()) => {}
            Err(Halt::Error(error) | Halt::Failed(error)) => return Err(error),
            Err(Halt::Stopped) => receipt.stopped = true,
            Err(Halt::Budget(why)) => {
                receipt.stopped = true;
                receipt.out_of_budget = Some(why);
            }
        }
        Span::current()
            .record("documents", receipt.documents())
            .record("passages", receipt.passages_written)
            .record("entities", receipt.entities)
            .record("relations", receipt.relations);
        Ok(receipt)
    }

    /// Prepares the documents, and hands them to the writer.
    async fn prepare(
        self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        run: &mut Run<'_>,
    ) -> Result<(), Halt> {
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
            let batch = self.next_batch(&mut documents);
            // A document is compared with what is stored of it, so earlier versions must be there.
            while batch.iter().any(|(document, _)| run.writer.writes(&document.key)) {
                run.wait().await.map_err(Halt::Failed)?;
            }
            self.prepare_batch(&batch, run).await?;
            run.collect();
        }
        Ok(())
    }

    /// Takes documents for about one batch of passages, without duplicate keys, and splits each into chunks.
    fn next_batch(
        &self,
        documents: &mut std::iter::Peekable<impl Iterator<Item = Document>>,
    ) -> Vec<(Document, Vec<Chunk>)> {
        let mut batch: Vec<(Document, Vec<Chunk>)> = Vec::new();
        let mut keys: HashSet<String> = HashSet::new();
        let mut passages = 0;
        while passages < self.options.passages_per_batch {
            let Some(document) = documents.next_if(|document| !keys.contains(&document.key)) else { break };
            let chunks = chunk(&document, &self.options.chunk);
            passages += chunks.len().max(1);
            keys.insert(document.key.clone());
            batch.push((document, chunks));
        }
        batch
    }

    /// Estimates the language model usage.
    pub(crate) async fn estimate(
        self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        model: Option<&ModelExtractor>,
    ) -> Result<IngestEstimate> {
        let mut estimate = IngestEstimate::default();
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            let batch = self.next_batch(&mut documents);
            let Plan { fresh, .. } = self.plan(&batch).await?;
            estimate.documents += batch.len();
            estimate.passages += fresh.len();
            let Some(model) = model else { continue };
            for pieces in fresh.chunks(self.options.passages_per_batch.max(1)) {
                let chunks: Vec<Chunk> = pieces.iter().map(|piece| piece.chunk.clone()).collect();
                estimate.most.add(&model.estimate(&chunks).await);
            }
        }
        Ok(estimate)
    }

    fn is_stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    #[instrument(name = "batch", target = "quiver::stage", skip_all, fields(documents = documents.len()))]
    async fn prepare_batch(
        self,
        documents: &[(Document, Vec<Chunk>)],
        run: &mut Run<'_>,
    ) -> Result<(), Halt> {
        let plan = self.plan(documents).await?;
        let passages_per_batch = self.options.passages_per_batch.max(1);
        let mut parted: Vec<String> =
            plan.parted(passages_per_batch).into_iter().map(str::to_owned).collect();
        parted.sort_unstable();
        run.unfinished.extend(parted.iter().cloned());
        let Plan { counts, fresh, stale, moved, .. } = plan;
        let mut batch = Batch { parted, ..Batch::default() };
        let mut ordinals: HashMap<&str, u64> = HashMap::new();
        for (at, pieces) in fresh.chunks(passages_per_batch).enumerate() {
            if at > 0 {
                // The documents of these pieces may have more to come.
                run.writer.write(std::mem::take(&mut batch)).await.map_err(Halt::Failed)?;
                run.collect();
                if self.is_stopped() {
                    return Err(Halt::Stopped);
                }
            }
            batch.documents = pieces.iter().map(|piece| piece.document.key.clone()).collect();
            let extractions = self.extract(pieces).await?;
            self.build(pieces, &extractions, &mut batch).await?;
            for (piece, passage) in pieces.iter().zip(&mut batch.passages) {
                let key = piece.document.key.as_str();
                passage.record.ordinal = piece.ordinal.unwrap_or_else(|| {
                    *ordinals.entry(key).or_insert_with(|| {
                        run.ordinal += 1;
                        run.ordinal
                    })
                });
            }
        }
        batch.receipt.count(&counts);
        batch.receipt.documents_read = documents.len();
        (batch.moved, batch.stale) = (moved, stale);
        let keys = documents.iter().map(|(document, _)| &document.key);
        batch.whole = keys.clone().filter(|key| run.unfinished.remove(*key)).cloned().collect();
        batch.documents = keys.cloned().collect();
        run.writer.write(batch).await.map_err(Halt::Failed)
    }

    /// Compares a batch of documents with the stored passages.
    #[instrument(target = "quiver::stage", skip_all, fields(documents = batch.len(), fresh, stale, moved))]
    async fn plan<'d>(&self, batch: &'d [(Document, Vec<Chunk>)]) -> Result<Plan<'d>> {
        let keys: Vec<&str> = batch.iter().map(|(document, _)| document.key.as_str()).collect();
        let stored = self.stored(&keys).await?;
        let mut plan = Plan::default();
        let Plan { counts, fresh, stale, moved, mixed } = &mut plan;
        for (document, chunks) in batch {
            counts.problems.extend_from_slice(&document.notes);
            let known = stored.get(document.key.as_str()).map(Vec::as_slice).unwrap_or_default();
            let by_id: HashMap<PassageId, &Passage> = known.iter().map(|p| (p.id, p)).collect();
            let mut kept: HashSet<PassageId> = HashSet::new();
            let (fresh_before, moved_before) = (fresh.len(), moved.len());
            for mut piece in self.pieces(document, chunks)? {
                if !kept.insert(piece.id) {
                    continue; // a text that occurs twice in a document is one passage
                }
                match by_id.get(&piece.id) {
                    Some(passage) if passage.extraction_digest == piece.digest => {
                        moved.extend(changed_metadata(passage, &piece));
                    }
                    _ => {
                        piece.ordinal = known.iter().map(|passage| passage.ordinal).min();
                        fresh.push(piece);
                    }
                }
            }
            if kept.is_empty() && known.is_empty() {
                counts.problems.push(format!("{}: skipped: it contains no searchable word", document.key));
                continue;
            }
            let gone: Vec<_> = by_id.keys().copied().filter(|id| !kept.contains(id)).collect();
            let written = fresh.len() - fresh_before;
            counts.passages_kept += kept.len() - written;
            if known.is_empty() {
                counts.documents_added += 1;
            } else if written == 0 && gone.is_empty() && moved.len() == moved_before {
                counts.documents_unchanged += 1;
            } else {
                counts.documents_replaced += 1;
            }
            if written > 0 && !gone.is_empty() {
                mixed.insert(document.key.as_str());
            }
            stale.extend(gone);
        }
        Span::current()
            .record("fresh", fresh.len())
            .record("stale", stale.len())
            .record("moved", moved.len());
        Ok(plan)
    }

    /// Returns the stored passages of these documents, by document key.
    async fn stored(&self, keys: &[&str]) -> Result<HashMap<String, Vec<Passage>>> {
        let passages: Vec<Passage> =
            self.graph.all(&filters::of_documents(keys.iter().copied())).await.stage(Stage::Ingest)?;
        let mut stored: HashMap<String, Vec<Passage>> = HashMap::new();
        for passage in passages {
            stored.entry(passage.document.clone()).or_default().push(passage);
        }
        Ok(stored)
    }

    fn pieces<'d>(&self, document: &'d Document, chunks: &[Chunk]) -> Result<Vec<Piece<'d>>> {
        if document.key.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, Stage::Ingest, "a document has an empty key"));
        }
        if quiver_graph::nesting(&document.metadata) > quiver_graph::NESTING_MAX {
            let key = &document.key;
            let what = format!(
                "the metadata of {key:?} is nested more than {} levels deep; flatten it",
                quiver_graph::NESTING_MAX
            );
            return Err(Error::new(ErrorKind::Invalid, Stage::Ingest, what));
        }
        let fingerprint = self.extractor.fingerprint();
        let pieces = chunks.iter().cloned().zip(assign_triples(chunks, &document.triples));
        Ok(pieces
            .map(|(chunk, triples)| {
                let title = chunk.title.as_deref();
                let workspace = self.graph.workspace();
                let id = PassageId::of_document(workspace, &document.key, title, &chunk.text);
                let digest = digest(&fingerprint, &triples);
                Piece { document, chunk, triples, id, digest, ordinal: None }
            })
            .collect())
    }

    /// Runs the extractor on the pieces.
    #[instrument(target = "quiver::stage", skip_all, fields(passages = pieces.len()))]
    async fn extract(&self, pieces: &[Piece<'_>]) -> Result<Vec<Extraction>, Halt> {
        let chunks: Vec<Chunk> = pieces.iter().map(|piece| piece.chunk.clone()).collect();
        let failed = match self.extractor.extract(&chunks).await {
            Ok(extractions) => return Ok(extractions),
            Err(failed) => failed,
        };
        match failed.downcast::<quiver_models::Error>() {
            Ok(error) if error.kind() == quiver_models::ErrorKind::Budget => {
                Err(Halt::Budget(error.to_string()))
            }
            Ok(error) => Err::<Vec<Extraction>, _>(*error).stage(Stage::Ingest).map_err(Halt::Error),
            Err(source) => {
                let message = format!("the extractor {} failed: {source}", self.extractor.fingerprint());
                let error = Error::new(ErrorKind::Other, Stage::Ingest, message).with_source(source);
                Err(Halt::Error(error))
            }
        }
    }

    /// Builds the records of the pieces from their extractions, and embeds them.
    #[instrument(target = "quiver::stage", skip_all, fields(passages = pieces.len(), entities, relations))]
    async fn build(&self, pieces: &[Piece<'_>], extractions: &[Extraction], batch: &mut Batch) -> Result<()> {
        let mut records = Vec::with_capacity(pieces.len());
        let splits = Splits::read(self.graph).await.stage(Stage::Ingest)?;
        let receipt = &mut batch.receipt;
        for (piece, extraction) in pieces.iter().zip(extractions) {
            let key = &piece.document.key;
            receipt.problems.extend(extraction.problems.iter().map(|what| format!("{key}: {what}")));
            if let Some(Fallback { why, .. }) = &extraction.fallback {
                receipt.passages_fallen_back += 1;
                receipt.problems.push(format!("{key}: {why}"));
            }
            let digest = match extraction.fallback {
                Some(Fallback { is_final: false, .. }) => UNFINISHED.to_owned(),
                _ => piece.digest.clone(),
            };
            let (chunk, triples) = (&piece.chunk, &piece.triples);
            let workspace = self.graph.workspace();
            let mut built = build_records(workspace, piece.document, chunk, extraction, triples, digest);
            built.follow(workspace, self.encoder.analysis(), &splits);
            records.push(built);
        }
        let Delta { entities, relations, passages } = embed(self.encoder, records).await?;
        Span::current().record("entities", entities.len()).record("relations", relations.len());
        receipt.passages_written += pieces.len();
        receipt.refer(Referenced {
            entities: entities.iter().map(|entity| entity.record.id).collect(),
            relations: relations.iter().map(|relation| relation.record.id).collect(),
        });
        (batch.passages, batch.splits) = (passages, splits);
        batch.nodes = Delta { entities, relations, ..Delta::default() };
        Ok(())
    }
}

/// Returns the stored passage updated to the document, if position, time or metadata differ. No vector depends on
/// these.
fn changed_metadata(stored: &Passage, piece: &Piece<'_>) -> Option<Passage> {
    let now = Passage {
        position: u64::from(piece.chunk.position),
        time: piece.document.time,
        metadata: piece.document.metadata.clone(),
        ..stored.clone()
    };
    (now != *stored).then_some(now)
}

/// Digest of the inputs, other than the text, from which a passage's entities and relations are derived.
fn digest(extractor: &str, triples: &[&Triple]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(extractor.as_bytes());
    for triple in triples {
        for part in [&triple.subject, &triple.predicate, &triple.object] {
            hasher.update(&[0xff]).update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
