use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use lru::LruCache;

use crate::{Embedder, Embedding, Error, ErrorKind, Fingerprint, Input, Result, Role};

type Key = [u8; 32];

/// An embedder with an LRU cache.
///
/// Within a batch, each distinct input is embedded once. Cached inputs are not embedded again, so a batch of cached
/// inputs makes no call. Failures are not cached.
pub struct Cached<E> {
    embedder: E,
    vectors_max: usize,
    kept: Mutex<Kept>,
}

struct Kept {
    embeddings: LruCache<Key, Embedding>,
    vectors: usize,
}

impl<E: Embedder> Cached<E> {
    /// Wraps an embedder. The cache holds at most `vectors_max` vectors of texts and spans.
    pub fn new(embedder: E, vectors_max: usize) -> Self {
        let kept = Kept { embeddings: LruCache::unbounded(), vectors: 0 };
        Self { embedder, vectors_max, kept: Mutex::new(kept) }
    }

    /// Returns the wrapped embedder.
    pub fn inner(&self) -> &E {
        &self.embedder
    }

    /// Returns the number of cached vectors.
    pub fn vectors(&self) -> usize {
        self.kept().vectors
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        // No statement that can panic leaves the cache in an inconsistent state.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl<E: Embedder> Embedder for Cached<E> {
    fn fingerprint(&self) -> &Fingerprint {
        self.embedder.fingerprint()
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        let keys: Vec<Key> = inputs.iter().map(|input| key(role, input)).collect();
        let mut found: HashMap<Key, Embedding> = HashMap::new();
        let mut missing: Vec<(Key, Input<'_>)> = Vec::new();
        {
            let mut kept = self.kept();
            let mut met = std::collections::HashSet::new();
            for (key, input) in keys.iter().zip(inputs).filter(|(key, _)| met.insert(**key)) {
                match kept.embeddings.get(key) {
                    Some(embedding) => drop(found.insert(*key, embedding.clone())),
                    None => missing.push((*key, *input)),
                }
            }
        }
        if !missing.is_empty() {
            let asked: Vec<Input<'_>> = missing.iter().map(|(_, input)| *input).collect();
            let embeddings = self.embedder.embed(role, &asked).await?;
            if embeddings.len() != asked.len() {
                let message = format!(
                    "{} returned {} embeddings for {} texts",
                    self.fingerprint().model,
                    embeddings.len(),
                    asked.len()
                );
                return Err(Error::new(ErrorKind::Invalid, message));
            }
            let mut kept = self.kept();
            for ((key, _), embedding) in missing.into_iter().zip(embeddings) {
                kept.put(key, embedding.clone(), self.vectors_max);
                found.insert(key, embedding);
            }
        }
        Ok(keys.iter().map(|key| found[key].clone()).collect())
    }
}

impl Kept {
    fn put(&mut self, key: Key, embedding: Embedding, vectors_max: usize) {
        let vectors = 1 + embedding.spans.len();
        if vectors > vectors_max {
            return;
        }
        self.vectors += vectors;
        if let Some(replaced) = self.embeddings.put(key, embedding) {
            self.vectors -= 1 + replaced.spans.len();
        }
        while self.vectors > vectors_max {
            let Some((_, oldest)) = self.embeddings.pop_lru() else { break };
            self.vectors -= 1 + oldest.spans.len();
        }
    }
}

impl<E: fmt::Debug> fmt::Debug for Cached<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { embedder, vectors_max, kept: _ } = self;
        f.debug_struct("Cached")
            .field("embedder", embedder)
            .field("vectors_max", vectors_max)
            .finish_non_exhaustive()
    }
}

fn key(role: Role, input: &Input<'_>) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(match role {
        Role::Query => b"q",
        Role::Document => b"d",
    });
    // Hash the text's length first, so that a text with spans can't collide with another text.
    hasher.update(&(input.text.len() as u64).to_le_bytes());
    hasher.update(input.text.as_bytes());
    for span in input.spans {
        hasher.update(&(span.start as u64).to_le_bytes());
        hasher.update(&(span.end as u64).to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}
