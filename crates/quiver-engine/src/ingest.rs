//! A document's way in: `chunk → extract → weave → embed → apply`.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use quiver_graph::{Delta, Embedded, Graph, Passage, PassageId, among};
use quiver_models::{
    Encoder,
    chat::{Ledger, Tally},
};
use quiver_store::Vectors;
use serde::Serialize;

use crate::{
    Result,
    chunk::{ChunkOptions, chunk},
    document::{Chunk, Document, Triple},
    embed::embed,
    error::{Error, ErrorKind, In, Room},
    extract::{Extraction, Extractor, Fallback},
    language::ModelExtractor,
    weave::{deal, weave},
};

/// How documents are ingested.
#[derive(Clone, Debug)]
pub struct IngestOptions {
    /// How long chunks may be.
    pub chunk: ChunkOptions,
    /// How many passages are extracted, embedded and written at once. Default 256.
    pub passages_per_batch: usize,
    /// Set from elsewhere, it ends the ingest after the batch that is under way; the same ingest goes on from there.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for IngestOptions {
    fn default() -> Self {
        Self { chunk: ChunkOptions::default(), passages_per_batch: 256, stop: None }
    }
}

/// What an ingest did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// Documents that were not there before.
    pub documents_added: usize,
    /// Documents that were there with other content.
    pub documents_replaced: usize,
    /// Documents that were there as they are.
    pub documents_unchanged: usize,
    /// Passages that were written.
    pub passages_written: usize,
    /// Passages that were there as they are, and were neither extracted nor embedded again.
    pub passages_kept: usize,
    /// Passages of former versions that were deleted.
    pub passages_removed: usize,
    /// Entities that the written passages refer to, new or known.
    pub entities: usize,
    /// Relations that the written passages refer to, new or known.
    pub relations: usize,
    /// Written passages of which the extractor read less than it does as a rule: a language model's reply could not
    /// be read, or there was none. The problems say why.
    pub passages_fallen_back: usize,
    /// What could not be understood, each with its document.
    pub problems: Vec<String>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// Which budget stopped it, where one did. The same ingest with another budget goes on from there.
    pub out_of_budget: Option<String>,
    /// What a language model was asked for and what it took.
    pub ledger: Ledger,
}

/// What an ingest would take of a language model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IngestEstimate {
    /// Documents that were read.
    pub documents: usize,
    /// Passages that are new or changed, and would be written.
    pub passages: usize,
    /// The calls for them and what these take at the most: the tokens sent are estimated, and every reply is as long as
    /// it may be. Calls that a cache answers cost nothing.
    pub most: Tally,
}

/// The ways of a document through the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mill<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) extractor: &'a dyn Extractor,
    pub(crate) options: &'a IngestOptions,
}

/// What a passage has for a digest whose extraction is to be tried again: no digest is like it.
const UNFINISHED: &str = "unfinished";

/// Why an ingest ends before its end.
enum Halt {
    Error(Error),
    Budget(String),
    Stopped,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What is to be done for a batch of documents.
#[derive(Default)]
pub(crate) struct Plan<'a> {
    /// How many documents and passages are new, changed or known.
    pub(crate) counts: Receipt,
    /// What is to be extracted and written.
    fresh: Vec<Piece<'a>>,
    /// What is to be deleted.
    stale: Vec<PassageId>,
    /// What is to be written again as it is, with another place or other metadata.
    moved: Vec<Passage>,
    /// The keys of documents of which something is both written and deleted.
    mixed: HashSet<&'a str>,
}

impl<'a> Plan<'a> {
    /// The keys of the documents that take more than one write, between which a crash would leave a part of them.
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
    /// Adds the documents of a batch, and the passages that stay.
    fn count(&mut self, batch: &Self) {
        self.documents_added += batch.documents_added;
        self.documents_replaced += batch.documents_replaced;
        self.documents_unchanged += batch.documents_unchanged;
        self.passages_kept += batch.passages_kept;
        self.problems.extend_from_slice(&batch.problems);
    }
}

/// A chunk on its way, with what it belongs to.
struct Piece<'a> {
    document: &'a Document,
    chunk: Chunk,
    triples: Vec<&'a Triple>,
    id: PassageId,
    digest: String,
}

impl Mill<'_> {
    /// Adds documents, batch by batch. A document that is there as it is costs one look; of one that changed, only
    /// the changed chunks are extracted and embedded.
    pub(crate) async fn ingest(
        self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        progress: &(dyn Fn(&Receipt) + Send + Sync),
    ) -> Result<Receipt> {
        self.graph.finish_deletions().await.room(Room::Ingest)?;
        let mut unfinished: HashSet<String> =
            self.graph.unfinished_documents().await.room(Room::Ingest)?.into_iter().collect();
        let mut receipt = Receipt::default();
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            if self.is_stopped() {
                receipt.stopped = true;
                break;
            }
            let batch = self.next_batch(&mut documents);
            match self.ingest_batch(&batch, &mut unfinished, &mut receipt, progress).await {
                Err(Halt::Stopped) => {
                    receipt.stopped = true;
                    break;
                }
                Err(Halt::Budget(why)) => {
                    receipt.stopped = true;
                    receipt.out_of_budget = Some(why);
                    break;
                }
                Err(Halt::Error(error)) => return Err(error),
                Ok(()) => progress(&receipt),
            }
        }
        Ok(receipt)
    }

    /// As many documents as make about one batch of passages, no two with one key, each with its chunks.
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

    /// Adds up what a language model would be asked for.
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

    async fn ingest_batch(
        self,
        batch: &[(Document, Vec<Chunk>)],
        unfinished: &mut HashSet<String>,
        receipt: &mut Receipt,
        progress: &(dyn Fn(&Receipt) + Send + Sync),
    ) -> Result<(), Halt> {
        let plan = self.plan(batch).await?;
        let passages_per_batch = self.options.passages_per_batch.max(1);
        let mut parted: Vec<&str> = plan.parted(passages_per_batch).into_iter().collect();
        parted.sort_unstable();
        self.graph.note_unfinished(&parted).await.room(Room::Ingest)?;
        unfinished.extend(parted.into_iter().map(str::to_owned));
        let Plan { counts, fresh, mut stale, moved, .. } = plan;
        for (at, pieces) in fresh.chunks(passages_per_batch).enumerate() {
            if at > 0 {
                if self.is_stopped() {
                    return Err(Halt::Stopped);
                }
                progress(receipt);
            }
            let extractions = self.extract(pieces).await?;
            self.write(pieces, &extractions, receipt).await?;
        }
        receipt.count(&counts);
        self.rewrite(moved).await?;
        stale.sort();
        receipt.passages_removed += self.graph.remove(&stale).await.room(Room::Ingest)?.passages;
        let whole: Vec<&str> = batch
            .iter()
            .map(|(document, _)| document.key.as_str())
            .filter(|key| unfinished.remove(*key))
            .collect();
        self.graph.forget_unfinished(&whole).await.room(Room::Ingest)?;
        Ok(())
    }

    /// What is to be done for a batch of documents.
    async fn plan<'d>(&self, batch: &'d [(Document, Vec<Chunk>)]) -> Result<Plan<'d>> {
        let keys: Vec<&str> = batch.iter().map(|(document, _)| document.key.as_str()).collect();
        let stored = self.stored(&keys).await?;
        let mut plan = Plan::default();
        let Plan { counts, fresh, stale, moved, mixed } = &mut plan;
        for (document, chunks) in batch {
            let known = stored.get(document.key.as_str()).map(Vec::as_slice).unwrap_or_default();
            let by_id: HashMap<PassageId, &Passage> = known.iter().map(|p| (p.id, p)).collect();
            let mut kept: HashSet<PassageId> = HashSet::new();
            let (fresh_before, moved_before) = (fresh.len(), moved.len());
            for piece in self.pieces(document, chunks)? {
                if !kept.insert(piece.id) {
                    continue; // the same text twice in one document is one passage
                }
                match by_id.get(&piece.id) {
                    Some(passage) if passage.weave == piece.digest => {
                        moved.extend(differs(passage, &piece));
                    }
                    _ => fresh.push(piece),
                }
            }
            if kept.is_empty() && known.is_empty() {
                counts
                    .problems
                    .push(format!("{}: it has no word to find it by; nothing is kept of it", document.key));
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
        Ok(plan)
    }

    /// The passages that are stored of these documents, by the document's key.
    async fn stored(&self, keys: &[&str]) -> Result<HashMap<String, Vec<Passage>>> {
        let passages: Vec<Passage> =
            self.graph.all(&among::of_documents(keys.iter().copied())).await.room(Room::Ingest)?;
        let mut stored: HashMap<String, Vec<Passage>> = HashMap::new();
        for passage in passages {
            stored.entry(passage.document.clone()).or_default().push(passage);
        }
        Ok(stored)
    }

    fn pieces<'d>(&self, document: &'d Document, chunks: &[Chunk]) -> Result<Vec<Piece<'d>>> {
        if document.key.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, Room::Ingest, "a document has an empty key"));
        }
        if quiver_graph::nesting(&document.metadata) > quiver_graph::NESTING_MAX {
            let key = &document.key;
            let what = format!(
                "the metadata of {key:?} is nested more than {} levels deep; flatten it",
                quiver_graph::NESTING_MAX
            );
            return Err(Error::new(ErrorKind::Invalid, Room::Ingest, what));
        }
        let fingerprint = self.extractor.fingerprint();
        let pieces = chunks.iter().cloned().zip(deal(chunks, &document.triples));
        Ok(pieces
            .map(|(chunk, triples)| {
                let title = chunk.title.as_deref();
                let workspace = self.graph.workspace();
                let id = PassageId::of_document(workspace, &document.key, title, &chunk.text);
                let digest = digest(&fingerprint, &triples);
                Piece { document, chunk, triples, id, digest }
            })
            .collect())
    }

    /// Extracts from pieces.
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
            Ok(error) => Err::<Vec<Extraction>, _>(*error).room(Room::Ingest).map_err(Halt::Error),
            Err(source) => {
                let message = format!("the extractor {} failed: {source}", self.extractor.fingerprint());
                let error = Error::new(ErrorKind::Other, Room::Ingest, message).with_source(source);
                Err(Halt::Error(error))
            }
        }
    }

    /// Weaves, embeds and applies pieces with what was extracted from them.
    async fn write(
        &self,
        pieces: &[Piece<'_>],
        extractions: &[Extraction],
        receipt: &mut Receipt,
    ) -> Result<()> {
        let mut woven = Vec::with_capacity(pieces.len());
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
            woven.push(weave(self.graph.workspace(), piece.document, chunk, extraction, triples, digest));
        }
        let delta = embed(self.encoder, woven).await?;
        let applied = self.graph.apply(delta).await.room(Room::Ingest)?;
        receipt.passages_written += pieces.len();
        receipt.entities += applied.entities;
        receipt.relations += applied.relations;
        Ok(())
    }

    /// Writes passages again whose place or metadata changed, with the vectors that they have.
    async fn rewrite(&self, moved: Vec<Passage>) -> Result<()> {
        let ids: Vec<_> = moved.iter().map(|passage| passage.id).collect();
        let stored = self.graph.embedded_passages(&ids).await.room(Room::Ingest)?;
        let mut vectors: HashMap<PassageId, Vectors> =
            stored.into_iter().map(|passage| (passage.record.id, passage.vectors)).collect();
        let passages = moved
            .into_iter()
            .filter_map(|record| Some(Embedded { vectors: vectors.remove(&record.id)?, record }))
            .collect();
        self.graph.apply(Delta { passages, ..Delta::default() }).await.room(Room::Ingest)?;
        Ok(())
    }
}

/// The stored passage as the document has it now, where they differ in what no vector is made from.
fn differs(stored: &Passage, piece: &Piece<'_>) -> Option<Passage> {
    let now = Passage {
        position: u64::from(piece.chunk.position),
        time: piece.document.time,
        metadata: piece.document.metadata.clone(),
        ..stored.clone()
    };
    (now != *stored).then_some(now)
}

/// What a passage's entities and relations are derived from beside its text.
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
