//! Writes prepared batches while the next one is prepared: one task writes entities, one relations and one passages.
//!
//! A batch goes through the tasks one after the other, so everything that a readable passage refers to exists. Each task
//! takes the batches in order, so the database ends up as if they had been written one after the other.

use std::collections::{HashMap, HashSet, VecDeque};

use quiver_graph::{Delta, Embedded, Graph, OpenWrite, Passage, PassageId};
use quiver_models::Encoder;
use tokio::{sync::mpsc, task::JoinSet};
use tracing::{Instrument as _, info_span};

use super::Receipt;
use crate::{
    Result,
    error::{Error, ErrorKind, In, Stage},
    memory::{Splits, relink_written},
};

/// How often passages that others write meanwhile are read again.
const REWRITE_ATTEMPTS: usize = 8;
/// Number of batches that wait between two tasks.
const WAITING: usize = 1;

/// A prepared batch: everything to write, in this order.
#[derive(Default)]
pub(super) struct Batch {
    /// Keys of documents that take several writes from this one on. They count as incomplete until their last.
    pub(super) parted: Vec<String>,
    /// The entities and relations to write.
    pub(super) nodes: Delta,
    /// The passages to write.
    pub(super) passages: Vec<Embedded<Passage>>,
    /// The splits that the records follow.
    pub(super) splits: Splits,
    /// Passages to write again with a new position, time or metadata.
    pub(super) moved: Vec<Passage>,
    /// Passages to delete.
    pub(super) stale: Vec<PassageId>,
    /// Keys of documents that were incomplete and are complete after this batch.
    pub(super) whole: Vec<String>,
    /// Keys of all documents that this batch may change.
    pub(super) documents: HashSet<String>,
    /// The receipt of the batch, except for passages removed.
    pub(super) receipt: Receipt,
}

/// The tasks that write. Dropping it stops them.
pub(super) struct Writer {
    /// Closed when everything is prepared.
    batches: Option<mpsc::Sender<Batch>>,
    receipts: mpsc::UnboundedReceiver<Receipt>,
    tasks: JoinSet<Result<()>>,
    /// The documents of the batches that are being written, in order.
    under_way: VecDeque<HashSet<String>>,
}

impl Writer {
    pub(super) fn start(graph: &Graph, encoder: &Encoder) -> Self {
        let (batches, prepared) = mpsc::channel(WAITING);
        let (with_entities, relations) = mpsc::channel(WAITING);
        let (with_relations, passages) = mpsc::channel(WAITING);
        let (complete, ended) = mpsc::unbounded_channel();
        let (written, receipts) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(write_entities(graph.clone(), prepared, with_entities, ended).in_current_span());
        tasks.spawn(write_relations(graph.clone(), relations, with_relations).in_current_span());
        let passages = write_passages(graph.clone(), encoder.clone(), passages, complete, written);
        tasks.spawn(passages.in_current_span());
        Self { batches: Some(batches), receipts, tasks, under_way: VecDeque::new() }
    }

    /// Whether a document is being written.
    pub(super) fn writes(&self, document: &str) -> bool {
        self.under_way.iter().any(|documents| documents.contains(document))
    }

    /// Hands over a batch. Waits while earlier ones are being written.
    pub(super) async fn write(&mut self, mut batch: Batch) -> Result<()> {
        self.under_way.push_back(std::mem::take(&mut batch.documents));
        let batches = self.batches.as_ref().expect("a writer takes batches until it finishes");
        match batches.send(batch).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure().await),
        }
    }

    /// Returns the receipt of the next batch if it was written meanwhile.
    pub(super) fn written(&mut self) -> Option<Receipt> {
        let receipt = self.receipts.try_recv().ok()?;
        self.under_way.pop_front();
        Some(receipt)
    }

    /// Waits for the next batch to be written, and returns its receipt; `None` if no batch is left.
    pub(super) async fn wait(&mut self) -> Result<Option<Receipt>> {
        if self.under_way.is_empty() {
            return Ok(None);
        }
        let Some(receipt) = self.receipts.recv().await else { return Err(self.failure().await) };
        self.under_way.pop_front();
        Ok(Some(receipt))
    }

    /// Ends the tasks, after all batches were written.
    pub(super) async fn finish(mut self) -> Result<()> {
        self.batches = None;
        self.join().await
    }

    /// Returns why a task has ended early.
    async fn failure(&mut self) -> Error {
        let error = self.join().await.err();
        error.unwrap_or_else(|| Error::new(ErrorKind::Other, Stage::Ingest, "the ingest was aborted"))
    }

    /// Waits for all tasks, or for the first that fails.
    async fn join(&mut self) -> Result<()> {
        while let Some(ended) = self.tasks.join_next().await {
            match ended {
                Ok(ended) => ended?,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Notes each batch and writes its entities, and removes the notes of the batches that are complete.
async fn write_entities(
    graph: Graph,
    mut batches: mpsc::Receiver<Batch>,
    with_entities: mpsc::Sender<(Batch, OpenWrite)>,
    mut ended: mpsc::UnboundedReceiver<OpenWrite>,
) -> Result<()> {
    while let Some(mut batch) = batches.recv().await {
        graph
            .end_writes(std::iter::from_fn(|| ended.try_recv().ok()).collect())
            .await
            .stage(Stage::Ingest)?;
        let parted: Vec<&str> = batch.parted.iter().map(String::as_str).collect();
        graph.note_unfinished(&parted).await.stage(Stage::Ingest)?;
        let mut write = graph.begin_write_of(&batch.nodes).await.stage(Stage::Ingest)?;
        let entities = std::mem::take(&mut batch.nodes.entities);
        let delta = Delta { entities, ..Delta::default() };
        let span = info_span!(target: "quiver::stage", "write_entities", entities = delta.entities.len());
        graph.apply_within(&mut write, delta).instrument(span).await.stage(Stage::Ingest)?;
        if with_entities.send((batch, write)).await.is_err() {
            return Ok(()); // another task says why it has ended
        }
    }
    drop(with_entities);
    let mut writes = Vec::new();
    while let Some(write) = ended.recv().await {
        writes.push(write);
    }
    graph.end_writes(writes).await.stage(Stage::Ingest)
}

/// Writes the relations of each batch.
async fn write_relations(
    graph: Graph,
    mut batches: mpsc::Receiver<(Batch, OpenWrite)>,
    with_relations: mpsc::Sender<(Batch, OpenWrite)>,
) -> Result<()> {
    while let Some((mut batch, mut write)) = batches.recv().await {
        let delta = std::mem::take(&mut batch.nodes);
        let span = info_span!(target: "quiver::stage", "write_relations", relations = delta.relations.len());
        graph.apply_within(&mut write, delta).instrument(span).await.stage(Stage::Ingest)?;
        if with_relations.send((batch, write)).await.is_err() {
            break; // the other task says why it has ended
        }
    }
    Ok(())
}

/// Writes the passages of each batch, and removes those that its documents no longer have.
async fn write_passages(
    graph: Graph,
    encoder: Encoder,
    mut batches: mpsc::Receiver<(Batch, OpenWrite)>,
    complete: mpsc::UnboundedSender<OpenWrite>,
    written: mpsc::UnboundedSender<Receipt>,
) -> Result<()> {
    while let Some((batch, mut write)) = batches.recv().await {
        let Batch { passages, splits, moved, mut stale, whole, mut receipt, .. } = batch;
        let ids: Vec<PassageId> = passages.iter().map(|passage| passage.record.id).collect();
        let delta = Delta { passages, ..Delta::default() };
        let span = info_span!(target: "quiver::stage", "write_passages", passages = ids.len());
        graph.apply_within(&mut write, delta).instrument(span).await.stage(Stage::Ingest)?;
        let _ = complete.send(write);
        if !ids.is_empty() {
            relink_written(&graph, &encoder, &splits, &ids).await?;
        }
        rewrite(&graph, moved).await?;
        stale.sort();
        receipt.passages_removed += graph.remove(&stale).await.stage(Stage::Ingest)?.passages;
        let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
        graph.forget_unfinished(&whole).await.stage(Stage::Ingest)?;
        if written.send(receipt).is_err() {
            break; // the ingest was dropped
        }
    }
    Ok(())
}

/// Writes passages again whose position, time or metadata changed, with their stored vectors and their current
/// references.
async fn rewrite(graph: &Graph, moved: Vec<Passage>) -> Result<()> {
    let ids: Vec<_> = moved.iter().map(|passage| passage.id).collect();
    let moved: HashMap<PassageId, Passage> = moved.into_iter().map(|passage| (passage.id, passage)).collect();
    for _ in 0..REWRITE_ATTEMPTS {
        let mut passages = graph.embedded_passages(&ids).await.stage(Stage::Ingest)?;
        let read: Vec<Passage> = passages.iter().map(|passage| passage.record.clone()).collect();
        for Embedded { record, .. } in &mut passages {
            let Passage { position, time, metadata, .. } = &moved[&record.id];
            (record.position, record.time) = (*position, *time);
            record.metadata.clone_from(metadata);
        }
        let delta = Delta { passages, ..Delta::default() };
        if graph.apply_if_unchanged(delta, &read, &[]).await.stage(Stage::Ingest)? {
            return Ok(());
        }
    }
    let what = "these passages are being changed concurrently; run the same ingest again to complete it";
    Err(Error::new(ErrorKind::Conflict, Stage::Ingest, what))
}
