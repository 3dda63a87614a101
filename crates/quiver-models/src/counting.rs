use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;

use crate::{Embedder, Embedding, Fingerprint, Input, Result, Role};

/// An embedder that counts its calls, so that tests can assert budgets.
#[derive(Debug)]
pub struct Counting<E> {
    embedder: E,
    calls: AtomicUsize,
    texts: AtomicUsize,
    spans: AtomicUsize,
}

impl<E: Embedder> Counting<E> {
    /// Wraps an embedder.
    pub fn new(embedder: E) -> Self {
        let [calls, texts, spans] = std::array::from_fn(|_| AtomicUsize::new(0));
        Self { embedder, calls, texts, spans }
    }

    /// Returns the wrapped embedder.
    pub fn inner(&self) -> &E {
        &self.embedder
    }

    /// Returns the number of calls to [`Embedder::embed`], including failed ones.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Returns the number of texts in these calls.
    pub fn texts(&self) -> usize {
        self.texts.load(Ordering::Relaxed)
    }

    /// Returns the number of spans in these texts.
    pub fn spans(&self) -> usize {
        self.spans.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl<E: Embedder> Embedder for Counting<E> {
    fn fingerprint(&self) -> &Fingerprint {
        self.embedder.fingerprint()
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.texts.fetch_add(inputs.len(), Ordering::Relaxed);
        self.spans.fetch_add(inputs.iter().map(|input| input.spans.len()).sum(), Ordering::Relaxed);
        self.embedder.embed(role, inputs).await
    }
}
