//! Statistics of a workspace: derived from the points, rebuilt when stale, never the truth.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use quiver_store::{Collection, Filter, PointId, Result, Select, StoreKind};
use serde_json::Value;

use crate::{
    Embedded, EntityId, Graph, Passage,
    payload::{ENTITIES, Stored, TIME},
    write::BATCH,
};

/// How often something occurs in the passages of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many passages there are.
    pub passages: u64,
    /// The time of the newest passage, in milliseconds since 1970.
    pub newest: Option<i64>,
    /// How many passages each term occurs in, by the term's index in the sparse vectors.
    term_passages: HashMap<u32, u32>,
    /// How many passages mention each entity.
    entity_passages: HashMap<EntityId, u32>,
}

impl Statistics {
    /// How many passages a term occurs in.
    pub fn passages_with_term(&self, term: u32) -> u32 {
        self.term_passages.get(&term).copied().unwrap_or_default()
    }

    /// How many passages mention an entity.
    pub fn passages_mentioning(&self, entity: EntityId) -> u32 {
        self.entity_passages.get(&entity).copied().unwrap_or_default()
    }

    /// How rare a term is: the inverse document frequency of BM25 (Robertson and Zaragoza, 2009), never negative.
    pub fn inverse_document_frequency(&self, term: u32) -> f32 {
        let (all, with) = (self.passages as f32, self.passages_with_term(term) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn add(&mut self, terms: &[u32], entities: impl Iterator<Item = EntityId>, time: Option<i64>) {
        self.passages += 1;
        self.newest = self.newest.max(time);
        for &term in terms {
            *self.term_passages.entry(term).or_default() += 1;
        }
        for entity in entities {
            *self.entity_passages.entry(entity).or_default() += 1;
        }
    }

    fn subtract(&mut self, terms: &[u32], entities: impl Iterator<Item = EntityId>) {
        self.passages = self.passages.saturating_sub(1);
        for term in terms {
            decrement(&mut self.term_passages, term);
        }
        for entity in entities {
            decrement(&mut self.entity_passages, &entity);
        }
    }
}

fn decrement<K: Eq + std::hash::Hash>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

/// What this process knows of the statistics.
#[derive(Debug, Default)]
pub(crate) struct StatisticsCache(RwLock<Option<Cached>>);

#[derive(Debug)]
struct Cached {
    statistics: Arc<Statistics>,
    checked: Instant,
}

impl StatisticsCache {
    fn get(&self) -> Option<(Arc<Statistics>, Instant)> {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().map(|cached| (Arc::clone(&cached.statistics), cached.checked))
    }

    fn set(&self, statistics: Arc<Statistics>) {
        let cached = Cached { statistics, checked: Instant::now() };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(cached);
    }

    /// Follows a write of this process, exactly; does nothing where the statistics have not been asked for yet.
    pub(crate) fn change(&self, removed: &[Embedded<Passage>], added: &[Embedded<Passage>]) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(cached) = cached.as_mut() else { return };
        let statistics = Arc::make_mut(&mut cached.statistics);
        for Embedded { record, vectors } in removed {
            statistics.subtract(vectors.sparse.indices(), record.entities.iter().copied());
        }
        for Embedded { record, vectors } in added {
            statistics.add(vectors.sparse.indices(), record.entities.iter().copied(), record.time);
        }
    }
}

impl Graph {
    /// After this long, statistics of a store that other processes write to are compared with it.
    const STALE_AFTER: Duration = Duration::from_secs(30);

    /// The statistics: read from the points at the first call, then kept up with this process's writes. On a server
    /// they are read again when the number of passages has drifted by more than a tenth.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn statistics(&self) -> Result<Arc<Statistics>> {
        let Some((statistics, checked)) = self.statistics.get() else {
            return self.refresh_statistics().await;
        };
        if checked.elapsed() < Self::STALE_AFTER || self.store().kind() != StoreKind::Server {
            return Ok(statistics);
        }
        let passages = self.scope.count(Collection::Passages, &Filter::everything()).await?;
        if passages.abs_diff(statistics.passages) * 10 > passages {
            return self.refresh_statistics().await;
        }
        self.statistics.set(Arc::clone(&statistics));
        Ok(statistics)
    }

    /// Reads the statistics from the points, exactly.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn refresh_statistics(&self) -> Result<Arc<Statistics>> {
        let _writing = self.writing.lock().await;
        let mut statistics = Statistics::default();
        let select = Select { fields: Some(&[ENTITIES, TIME]), vectors: true };
        let mut after: Option<PointId> = None;
        loop {
            let everything = Filter::everything();
            let page = self.scope.scroll(Passage::COLLECTION, &everything, after, BATCH, &select).await?;
            for point in &page.points {
                let entities = point.payload.get(ENTITIES).and_then(Value::as_array).into_iter().flatten();
                let entities = entities.filter_map(Value::as_str).filter_map(|id| id.parse().ok());
                let time = point.payload.get(TIME).and_then(Value::as_i64);
                statistics.add(point.vectors.sparse.indices(), entities, time);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let statistics = Arc::new(statistics);
        self.statistics.set(Arc::clone(&statistics));
        Ok(statistics)
    }
}
