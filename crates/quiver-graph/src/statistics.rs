//! Statistics of a workspace: derived from the points, updated by the writers, rebuilt when stale, never authoritative.

mod follow;
mod table;

use std::{collections::BTreeSet, sync::Arc};

use bytes::{Buf as _, Bytes};
use quiver_store::{Collection, PointId, Result, Select, StoreKind};
use serde_json::Value;

pub(crate) use self::follow::{Following, StatisticsCache};
use self::table::Table;
use crate::{
    Embedded, EntityId, Graph, Passage,
    batch::BATCH,
    conversation,
    payload::{ENTITIES, SUBJECTS, Stored, TIME},
};

/// How often things occur in the passages of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Number of passages.
    pub passages: u64,
    /// The time of the newest passage, in milliseconds since 1970.
    pub newest: Option<i64>,
    /// Number of passages that each term occurs in, by the term's index in the sparse vectors.
    term_passages: Table<u32>,
    /// Number of passages that mention each entity.
    entity_passages: Table<u128>,
    /// Number of passages about each entity.
    subject_passages: Table<u128>,
    /// Number of passages with each time. It shows which time is the newest after the newest passage was deleted.
    time_passages: Table<i64>,
}

impl Statistics {
    /// Returns the number of passages that a term occurs in.
    pub fn passages_with_term(&self, term: u32) -> u32 {
        self.term_passages.get(&term)
    }

    /// Returns the number of passages that mention an entity.
    pub fn passages_mentioning(&self, entity: EntityId) -> u32 {
        self.entity_passages.get(&number(entity))
    }

    /// Returns the number of passages about an entity.
    pub fn passages_about(&self, entity: EntityId) -> u32 {
        self.subject_passages.get(&number(entity))
    }

    /// Returns how rare a term is: the inverse document frequency of BM25 (Robertson and Zaragoza, 2009), never
    /// negative.
    pub fn inverse_document_frequency(&self, term: u32) -> f32 {
        let (all, with) = (self.passages as f32, self.passages_with_term(term) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn add(&mut self, passage: &Counted) {
        self.passages += 1;
        self.count(passage, 1);
        self.newest = self.newest.max(passage.time);
    }

    fn subtract(&mut self, passage: &Counted) {
        self.passages = self.passages.saturating_sub(1);
        self.count(passage, -1);
        if passage.time.is_some() && passage.time == self.newest {
            self.newest = self.time_passages.last();
        }
    }

    fn count(&mut self, passage: &Counted, by: i32) {
        passage.terms.iter().for_each(|&term| self.term_passages.add(term, by));
        passage.entities.iter().for_each(|&entity| self.entity_passages.add(number(entity), by));
        passage.subjects.iter().for_each(|&subject| self.subject_passages.add(number(subject), by));
        passage.time.iter().for_each(|&time| self.time_passages.add(time, by));
    }

    /// Merges all changes into the sorted tables, and returns them as a complete block.
    fn settle(&mut self) -> Vec<u8> {
        let mut block = self.passages.to_le_bytes().to_vec();
        self.term_passages.settle(&mut block);
        self.entity_passages.settle(&mut block);
        self.subject_passages.settle(&mut block);
        self.time_passages.settle(&mut block);
        block
    }

    /// Reads blocks: a complete one, then changes. Returns `None` for blocks that this version did not write.
    fn read(blocks: &[Bytes]) -> Option<Self> {
        let mut statistics = Self::default();
        for (at, block) in blocks.iter().enumerate() {
            let mut rest = block.clone();
            let passages = rest.try_get_i64_le().ok()?;
            statistics.passages = statistics.passages.checked_add_signed(passages)?;
            let is_base = at == 0;
            statistics.term_passages.read(&mut rest, is_base)?;
            statistics.entity_passages.read(&mut rest, is_base)?;
            statistics.subject_passages.read(&mut rest, is_base)?;
            statistics.time_passages.read(&mut rest, is_base)?;
            if !rest.is_empty() {
                return None;
            }
        }
        statistics.newest = statistics.time_passages.last();
        Some(statistics)
    }
}

/// Returns a block with the effect of changed passages on the statistics.
fn block_of(removed: &[Counted], added: &[Counted]) -> Vec<u8> {
    let mut change = Statistics::default();
    removed.iter().for_each(|passage| change.count(passage, -1));
    added.iter().for_each(|passage| change.count(passage, 1));
    let long =
        |passages: &[Counted]| i64::try_from(passages.len()).expect("fewer passages than there are bytes");
    let passages = long(added) - long(removed);
    let mut block = passages.to_le_bytes().to_vec();
    change.term_passages.write_changes(&mut block);
    change.entity_passages.write_changes(&mut block);
    change.subject_passages.write_changes(&mut block);
    change.time_passages.write_changes(&mut block);
    block
}

fn number(entity: EntityId) -> u128 {
    entity.point().as_u128()
}

/// What the statistics count in a passage.
pub(crate) struct Counted {
    terms: Vec<u32>,
    entities: BTreeSet<EntityId>,
    subjects: BTreeSet<EntityId>,
    time: Option<i64>,
}

impl Counted {
    /// Nothing in a turn of a conversation is counted: earlier questions must not change how documents are ranked.
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

impl Graph {
    /// Returns the statistics. The first call reads them from the stored copy, or from the points if the copy is stale;
    /// then they follow this process's writes. On a server they are read again once the number of passages has drifted
    /// by more than a tenth.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn statistics(&self) -> Result<Arc<Statistics>> {
        let Some((statistics, is_fresh)) = self.statistics.get() else {
            let _writing = self.writing.lock().await;
            if let Some((statistics, _)) = self.statistics.get() {
                return Ok(statistics);
            }
            return match self.kept_statistics().await {
                Some(statistics) => Ok(statistics),
                None => self.read_statistics().await,
            };
        };
        if is_fresh || self.store().kind() != StoreKind::Server {
            return Ok(statistics);
        }
        let passages = self.scope.count(Collection::Passages, &conversation::others()).await?;
        if passages.abs_diff(statistics.passages) * 10 > passages {
            return self.refresh_statistics().await;
        }
        self.statistics.set(Arc::clone(&statistics), None);
        Ok(statistics)
    }

    /// Computes the statistics from the points, exactly.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn refresh_statistics(&self) -> Result<Arc<Statistics>> {
        let _writing = self.writing.lock().await;
        self.read_statistics().await
    }

    /// Computes the statistics and stores a copy next to the points. The caller holds the write lock.
    async fn read_statistics(&self) -> Result<Arc<Statistics>> {
        let before = self.store().version(Collection::Passages).await?;
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
        let block = statistics.settle();
        let statistics = Arc::new(statistics);
        self.statistics.set(Arc::clone(&statistics), None);
        let version = self.store().version(Collection::Passages).await?;
        if let Some(version) = version.filter(|_| version == before) {
            self.keep_statistics(version, block).await;
        }
        Ok(statistics)
    }

    /// Returns the name under which a workspace's statistics are stored.
    fn kept_name(&self) -> String {
        format!("statistics-{}", self.workspace().namespace().simple())
    }
}
