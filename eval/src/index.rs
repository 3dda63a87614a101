//! Indexes a corpus and measures the cost.

use std::{collections::HashMap, path::Path, sync::Arc, time::Instant};

use anyhow::{Context, Result};
use quiver::{
    Location, Quiver, Receipt,
    graph::Graph,
    models::{Counting, Embedder, Encoder, EncoderSetting},
    store::{MeteredStore, StoreReport},
};

use crate::{
    dataset::Corpus,
    store::{OpenStore, StoreSetting, open},
    tfidf::TfIdf,
};

/// An indexed corpus, ready for questions.
#[derive(Debug)]
pub struct Index {
    /// The engine.
    pub quiver: Quiver,
    /// The TF-IDF method, which needs no store.
    pub tfidf: TfIdf,
    store: Arc<MeteredStore>,
    embedder: Option<Arc<Counting<Arc<dyn Embedder>>>>,
    /// The corpus keys by document key.
    keys: HashMap<String, String>,
    /// The cost of indexing.
    pub cost: IndexCost,
    _open: OpenStore,
}

/// Counts of store operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls; each is a round trip if the store is a server.
    pub calls: u64,
    /// Searches in these calls.
    pub searches: u64,
    /// Points returned.
    pub points: u64,
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            calls: self.calls - before.calls,
            searches: self.searches - before.searches,
            points: self.points - before.points,
        }
    }
}

/// The cost of an index.
#[derive(Clone, Debug)]
pub struct IndexCost {
    /// The report of the ingest.
    pub receipt: Receipt,
    /// Duration of the ingest.
    pub index_ms: f64,
    /// Time to read the statistics, which the first question needs.
    pub warm_up_ms: f64,
    /// The store's report afterwards.
    pub report: StoreReport,
    /// Number of texts embedded.
    pub embeddings: usize,
}

/// What to index, and how.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// The encoder.
    pub embedder: EncoderSetting,
    /// The store.
    pub store: StoreSetting,
    /// Whether documents keep their titles.
    pub with_titles: bool,
}

impl Index {
    /// Ingests a corpus. A directory or server that already contains it is reused.
    ///
    /// # Errors
    /// Returns an error if the engine, the embedder or the store fails.
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
        let store = Arc::new(MeteredStore::new(Arc::clone(&open.store)));
        let quiver = Quiver::builder()
            .location(Location::Store(Arc::clone(&store) as _))
            .encoder(encoder)
            .open()
            .await?;
        let total = corpus.passages.len();
        let started = Instant::now();
        let receipt = quiver
            .ingest(corpus.documents(options.with_titles))
            .on_progress(&|receipt: &Receipt| {
                let now = receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged;
                progress(now, total);
            })
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

    /// Returns the corpus key of a document, or the document's own key if it is not in the corpus.
    pub fn key(&self, document: &str) -> String {
        self.keys.get(document).map_or(document, String::as_str).to_owned()
    }

    /// Returns the counts of store operations so far.
    pub fn counts(&self) -> Counts {
        self.store.calls().iter().fold(Counts::default(), |sum, call| Counts {
            calls: sum.calls + call.calls,
            searches: sum.searches + call.searches,
            points: sum.points + call.points,
        })
    }

    /// Returns the number of texts embedded so far.
    pub fn embedded(&self) -> usize {
        self.embedder.as_ref().map_or(0, |embedder| embedder.texts())
    }

    /// Returns whether there are dense vectors.
    pub fn is_dense(&self) -> bool {
        self.embedder.is_some()
    }
}

/// Returns the collection prefix of a corpus. It depends on the corpus and the encoder, so that a directory or server
/// can hold several without mixing their passages.
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

/// Returns the milliseconds since a moment, truncated to microseconds.
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_micros() as f64 / 1000.0
}

/// Returns the peak memory of this process in bytes, if the system reports it.
pub fn memory_peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
