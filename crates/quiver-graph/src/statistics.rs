//! Statistics of a workspace: derived from the points, rebuilt when stale, never the truth.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use quiver_store::{Collection, PointId, Result, Select, StoreKind};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::{
    Embedded, EntityId, Graph, Passage, conversation,
    payload::{ENTITIES, SUBJECTS, Stored, TIME},
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
    term_passages: FxHashMap<u32, u32>,
    /// How many passages mention each entity.
    entity_passages: FxHashMap<EntityId, u32>,
    /// How many passages are about each entity.
    subject_passages: FxHashMap<EntityId, u32>,
    /// How many passages have each time, by which the newest is known when the newest goes.
    time_passages: BTreeMap<i64, u32>,
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

    /// How many passages are about an entity.
    pub fn passages_about(&self, entity: EntityId) -> u32 {
        self.subject_passages.get(&entity).copied().unwrap_or_default()
    }

    /// How rare a term is: the inverse document frequency of BM25 (Robertson and Zaragoza, 2009), never negative.
    pub fn inverse_document_frequency(&self, term: u32) -> f32 {
        let (all, with) = (self.passages as f32, self.passages_with_term(term) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn add(&mut self, passage: &Counted) {
        self.passages += 1;
        for &term in &passage.terms {
            *self.term_passages.entry(term).or_default() += 1;
        }
        for &entity in &passage.entities {
            *self.entity_passages.entry(entity).or_default() += 1;
        }
        for &subject in &passage.subjects {
            *self.subject_passages.entry(subject).or_default() += 1;
        }
        if let Some(time) = passage.time {
            *self.time_passages.entry(time).or_default() += 1;
            self.newest = self.newest.max(Some(time));
        }
    }

    fn subtract(&mut self, passage: &Counted) {
        self.passages = self.passages.saturating_sub(1);
        for term in &passage.terms {
            decrement(&mut self.term_passages, term);
        }
        for entity in &passage.entities {
            decrement(&mut self.entity_passages, entity);
        }
        for subject in &passage.subjects {
            decrement(&mut self.subject_passages, subject);
        }
        if let Some(time) = passage.time
            && let Entry::Occupied(mut count) = self.time_passages.entry(time)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
            self.newest = self.time_passages.last_key_value().map(|(time, _)| *time);
        }
    }
}

/// What the statistics count of a passage.
pub(crate) struct Counted {
    terms: Vec<u32>,
    entities: BTreeSet<EntityId>,
    subjects: BTreeSet<EntityId>,
    time: Option<i64>,
}

impl Counted {
    /// Nothing of a turn of a conversation: what was asked before is no reason to rank documents otherwise.
    pub(crate) fn of(passage: &Embedded<Passage>) -> Option<Self> {
        (!conversation::is_turn(&passage.record)).then(|| Self {
            terms: passage.vectors.sparse.indices().to_vec(),
            entities: passage.record.entities.iter().copied().collect(),
            subjects: passage.record.subjects.iter().copied().collect(),
            time: passage.record.time,
        })
    }
}

fn ids(list: Option<&Value>) -> BTreeSet<EntityId> {
    let ids = list.and_then(Value::as_array).into_iter().flatten();
    ids.filter_map(Value::as_str).filter_map(|id| id.parse().ok()).collect()
}

fn decrement<K: Eq + std::hash::Hash>(counts: &mut FxHashMap<K, u32>, key: &K) {
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

    /// Forgets what is known, so that it is read again when it is asked for.
    pub(crate) fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn change(&self, removed: &[Counted], added: &[Counted]) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(cached) = cached.as_mut() else { return };
        let statistics = Arc::make_mut(&mut cached.statistics);
        removed.iter().for_each(|passage| statistics.subtract(passage));
        added.iter().for_each(|passage| statistics.add(passage));
    }
}

/// A write of this process that the statistics follow. One that does not complete, because the store failed or the
/// future was dropped, may have written anything or nothing: the statistics are forgotten then.
pub(crate) struct Following<'a> {
    cache: Option<&'a StatisticsCache>,
}

impl<'a> Following<'a> {
    pub(crate) fn start(cache: &'a StatisticsCache) -> Self {
        Self { cache: Some(cache) }
    }

    /// Follows the write, exactly; does nothing where the statistics have not been asked for yet.
    pub(crate) fn complete(mut self, removed: &[Counted], added: &[Counted]) {
        if let Some(cache) = self.cache.take() {
            cache.change(removed, added);
        }
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        if let Some(cache) = self.cache {
            cache.forget();
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
        let passages = self.scope.count(Collection::Passages, &conversation::others()).await?;
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
        self.read_statistics().await
    }

    /// Reads the statistics while the caller holds the lock on writing.
    pub(crate) async fn read_statistics(&self) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::default();
        let select = Select { fields: Some(&[ENTITIES, SUBJECTS, TIME]), vectors: true };
        let others = conversation::others();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.scope.scroll(Passage::COLLECTION, &others, after, BATCH, &select).await?;
            for point in &page.points {
                statistics.add(&Counted {
                    terms: point.vectors.sparse.indices().to_vec(),
                    entities: ids(point.payload.get(ENTITIES)),
                    subjects: ids(point.payload.get(SUBJECTS)),
                    time: point.payload.get(TIME).and_then(Value::as_i64),
                });
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
