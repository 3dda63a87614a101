//! A corpus on its way into a database, and what that costs.

use std::{collections::HashMap, path::Path, sync::Arc, time::Instant};

use anyhow::{Context, Result};
use quiver::{
    IngestOptions, Location, Quiver, Receipt,
    graph::Graph,
    models::{Counting, Embedder, Encoder, EncoderSetting},
    store::StoreReport,
};

use crate::{
    counting::CountingStore,
    dataset::Corpus,
    store::{OpenStore, StoreSetting, open},
    tfidf::TfIdf,
};

/// A corpus in a database, ready for questions.
#[derive(Debug)]
pub struct Index {
    /// The engine.
    pub quiver: Quiver,
    /// The naive arm without a store.
    pub tfidf: TfIdf,
    /// What the store is asked for.
    pub store: Arc<CountingStore>,
    embedder: Option<Arc<Counting<Arc<dyn Embedder>>>>,
    /// The keys of the corpus by those of the documents.
    keys: HashMap<String, String>,
    /// What it cost.
    pub cost: IndexCost,
    _open: OpenStore,
}

/// What an index cost.
#[derive(Clone, Debug)]
pub struct IndexCost {
    /// What the ingest did.
    pub receipt: Receipt,
    /// How long the ingest took.
    pub index_ms: f64,
    /// How long the statistics took, which the first question reads.
    pub warm_up_ms: f64,
    /// How the store was doing afterwards.
    pub report: StoreReport,
    /// Texts that were embedded.
    pub embeddings: usize,
}

/// What is indexed and how.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// What texts are encoded with.
    pub embedder: EncoderSetting,
    /// Where points are kept.
    pub store: StoreSetting,
    /// Whether documents have their titles.
    pub with_titles: bool,
}

impl Index {
    /// Ingests a corpus. A directory or server that holds it already is read as it is.
    ///
    /// # Errors
    /// Those of the engine, the embedder and the store.
    pub async fn build(
        corpus: &Corpus,
        options: &IndexOptions,
        progress: &(dyn Fn(usize, usize) + Send + Sync),
    ) -> Result<Self> {
        let encoder = options.embedder.open().await.with_context(|| options.embedder.to_string())?;
        let embedder = encoder.embedder().map(|embedder| Arc::new(Counting::new(Arc::clone(embedder))));
        let encoder = match &embedder {
            Some(embedder) => Encoder::with_embedder(Arc::clone(embedder) as Arc<dyn Embedder>),
            None => encoder,
        };
        let prefix = prefix(corpus, options.with_titles, &encoder);
        let open = open(&options.store, &prefix, Graph::schema(encoder.dimension())).await?;
        let store = Arc::new(CountingStore::new(Arc::clone(&open.store)));
        let quiver = Quiver::builder()
            .location(Location::Store(Arc::clone(&store) as _))
            .encoder(encoder)
            .open()
            .await?;
        let total = corpus.passages.len();
        let started = Instant::now();
        let receipt = quiver
            .ingest_with(
                &mut corpus.documents(options.with_titles),
                &IngestOptions::default(),
                &|receipt: &Receipt| {
                    let now =
                        receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged;
                    progress(now, total);
                },
            )
            .await?;
        let index_ms = milliseconds(started);
        let started = Instant::now();
        quiver.graph().refresh_statistics().await?;
        let warm_up_ms = milliseconds(started);
        let report = quiver.graph().store().report().await?;
        let embeddings = embedder.as_ref().map_or(0, |embedder| embedder.texts());
        let keys = (0..total)
            .map(|index| {
                (corpus.document_key(index, options.with_titles), corpus.passages[index].key.clone())
            })
            .collect();
        Ok(Self {
            quiver,
            tfidf: TfIdf::of(corpus, options.with_titles),
            store,
            embedder,
            keys,
            cost: IndexCost { receipt, index_ms, warm_up_ms, report, embeddings },
            _open: open,
        })
    }

    /// The key in the corpus of a document; its own, where the database holds more than the corpus.
    pub fn key(&self, document: &str) -> String {
        self.keys.get(document).map_or(document, String::as_str).to_owned()
    }

    /// Texts embedded until now.
    pub fn embedded(&self) -> usize {
        self.embedder.as_ref().map_or(0, |embedder| embedder.texts())
    }

    /// Whether there are dense vectors.
    pub fn is_dense(&self) -> bool {
        self.embedder.is_some()
    }
}

/// What the collections of a corpus begin with: another corpus, or the same with other vectors, has others. So a
/// directory or a server keeps several, and none is judged with passages of another.
fn prefix(corpus: &Corpus, with_titles: bool, encoder: &Encoder) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(encoder.fingerprint().to_string().as_bytes());
    for document in corpus.documents(with_titles) {
        let title = document.title.unwrap_or_default();
        for part in [&document.key, &title, &document.text] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
    }
    format!("quiver_eval_{}", &hasher.finalize().to_hex()[..12])
}

/// Milliseconds since a moment, in whole microseconds.
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_micros() as f64 / 1000.0
}

/// The most memory that this process had, in bytes, where the system tells.
pub fn memory_peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
