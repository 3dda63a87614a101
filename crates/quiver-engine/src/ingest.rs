//! A document's way in: `chunk → extract → weave → embed → apply`.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use quiver_graph::{Delta, Embedded, Graph, Passage, PassageId, among};
use quiver_models::{Encoded, Encoder, Input};
use quiver_store::{SparseVector, Vectors};
use serde::Serialize;

use crate::{
    Result,
    chunk::{ChunkOptions, chunk},
    document::{Chunk, Document, Triple},
    error::{Error, ErrorKind, In, Room},
    extract::Extractor,
    weave::{Source, Woven, deal, embedded_text, weave},
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
    /// What could not be understood, each with its document.
    pub problems: Vec<String>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// The ways of a document through the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mill<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) extractor: &'a dyn Extractor,
    pub(crate) options: &'a IngestOptions,
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
        let mut receipt = Receipt::default();
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            if self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                receipt.stopped = true;
                break;
            }
            let batch = self.next_batch(&mut documents);
            self.ingest_batch(&batch, &mut receipt).await?;
            progress(&receipt);
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

    async fn ingest_batch(self, batch: &[(Document, Vec<Chunk>)], receipt: &mut Receipt) -> Result<()> {
        let keys: Vec<&str> = batch.iter().map(|(document, _)| document.key.as_str()).collect();
        let stored = self.stored(&keys).await?;
        let mut fresh: Vec<Piece<'_>> = Vec::new();
        let mut stale: Vec<PassageId> = Vec::new();
        let mut moved: Vec<Passage> = Vec::new();
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
            let gone: Vec<_> = by_id.keys().copied().filter(|id| !kept.contains(id)).collect();
            let written = fresh.len() - fresh_before;
            receipt.passages_kept += kept.len() - written;
            if known.is_empty() {
                receipt.documents_added += 1;
            } else if written == 0 && gone.is_empty() && moved.len() == moved_before {
                receipt.documents_unchanged += 1;
            } else {
                receipt.documents_replaced += 1;
            }
            stale.extend(gone);
        }
        receipt.passages_written += fresh.len();
        self.write(&fresh, receipt).await?;
        self.rewrite(moved).await?;
        stale.sort();
        receipt.passages_removed += self.graph.remove(&stale).await.room(Room::Ingest)?.passages;
        Ok(())
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

    /// Extracts, weaves, embeds and applies pieces.
    async fn write(&self, pieces: &[Piece<'_>], receipt: &mut Receipt) -> Result<()> {
        for pieces in pieces.chunks(self.options.passages_per_batch.max(1)) {
            let chunks: Vec<Chunk> = pieces.iter().map(|piece| piece.chunk.clone()).collect();
            let extractions = self.extractor.extract(&chunks).await.map_err(|source| {
                let message = format!("the extractor {} failed: {source}", self.extractor.fingerprint());
                Error::new(ErrorKind::Other, Room::Ingest, message).with_source(source)
            })?;
            let mut woven = Vec::with_capacity(pieces.len());
            for (piece, extraction) in pieces.iter().zip(&extractions) {
                let key = &piece.document.key;
                receipt.problems.extend(extraction.problems.iter().map(|what| format!("{key}: {what}")));
                let (chunk, triples) = (&piece.chunk, &piece.triples);
                let workspace = self.graph.workspace();
                woven.push(weave(
                    workspace,
                    piece.document,
                    chunk,
                    extraction,
                    triples,
                    piece.digest.clone(),
                ));
            }
            let delta = embed(self.encoder, woven).await?;
            let applied = self.graph.apply(delta).await.room(Room::Ingest)?;
            receipt.entities += applied.entities;
            receipt.relations += applied.relations;
        }
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

/// Makes the vectors of all records: one pass over each passage gives its own, its sentences' and its names'; texts
/// that stand in no passage are embedded once each.
pub(crate) async fn embed(encoder: &Encoder, woven: Vec<Woven>) -> Result<Delta> {
    let mut delta = Delta::default();
    let mut seen_entities = HashSet::new();
    let mut seen_relations = HashSet::new();
    let mut texts: Vec<(String, Vec<Range<usize>>)> = Vec::new();
    let mut places: Vec<(Kind, usize, usize)> = Vec::new(); // record, text, span + 1, or 0 for the whole text
    for Woven { passage, entities, relations } in woven {
        let whole = embedded_text(passage.title.as_deref(), &passage.text);
        let text = texts.len();
        texts.push((whole, Vec::new()));
        places.push((Kind::Passage(delta.passages.len()), text, 0));
        delta.passages.push(Embedded { record: passage, vectors: Vectors::default() });
        for (id, (record, source)) in entities {
            if seen_entities.insert(id) {
                let kind = Kind::Entity(delta.entities.len());
                delta.entities.push(Embedded { record, vectors: Vectors::default() });
                place(kind, source, text, &mut texts, &mut places);
            }
        }
        for (id, (record, source)) in relations {
            if seen_relations.insert(id) {
                let kind = Kind::Relation(delta.relations.len());
                delta.relations.push(Embedded { record, vectors: Vectors::default() });
                place(kind, source, text, &mut texts, &mut places);
            }
        }
    }
    let inputs: Vec<Input<'_>> = texts.iter().map(|(text, spans)| Input { text, spans }).collect();
    let encoded = encoder.encode_documents(&inputs).await.room(Room::Ingest)?;
    for (kind, text, span) in places {
        let vectors = vectors(&encoded[text], span);
        match kind {
            Kind::Passage(index) => delta.passages[index].vectors = vectors,
            Kind::Entity(index) => delta.entities[index].vectors = vectors,
            Kind::Relation(index) => delta.relations[index].vectors = vectors,
        }
    }
    Ok(delta)
}

#[derive(Clone, Copy)]
enum Kind {
    Passage(usize),
    Entity(usize),
    Relation(usize),
}

fn place(
    kind: Kind,
    source: Source,
    passage: usize,
    texts: &mut Vec<(String, Vec<Range<usize>>)>,
    places: &mut Vec<(Kind, usize, usize)>,
) {
    match source {
        Source::Span(range) => {
            let spans = &mut texts[passage].1;
            let known = spans.iter().position(|span| *span == range);
            let span = known.unwrap_or_else(|| {
                spans.push(range);
                spans.len() - 1
            });
            places.push((kind, passage, span + 1));
        }
        Source::Text(text) => {
            places.push((kind, texts.len(), 0));
            texts.push((text, Vec::new()));
        }
    }
}

fn vectors(encoded: &Encoded, span: usize) -> Vectors {
    let (sparse, dense) = match span.checked_sub(1) {
        None => (&encoded.sparse, &encoded.dense),
        Some(span) => (&encoded.spans[span].sparse, &encoded.spans[span].dense),
    };
    Vectors { dense: dense.clone(), sparse: SparseVector::from_pairs(sparse.iter().copied()) }
}
