//! Tests the in-memory store against the contract.
#![cfg(feature = "conformance")]

use std::sync::Arc;

use async_trait::async_trait;
use quiver_store::{
    Collection, Filter, MemoryStore, MeteredStore, Point, PointId, PointStore, Search, Select, SparseVector,
    Target, WriteMode,
    conformance::{SCHEMA, Site, run},
};

struct Memory;

#[async_trait]
impl Site for Memory {
    async fn open(&mut self) -> Box<dyn PointStore> {
        Box::new(MemoryStore::open(SCHEMA))
    }

    async fn reopen(&mut self, store: Box<dyn PointStore>) -> Box<dyn PointStore> {
        store
    }
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract() {
    run(&mut Memory).await;
}

struct Metered;

#[async_trait]
impl Site for Metered {
    async fn open(&mut self) -> Box<dyn PointStore> {
        Box::new(MeteredStore::new(Arc::new(MemoryStore::open(SCHEMA))))
    }

    async fn reopen(&mut self, store: Box<dyn PointStore>) -> Box<dyn PointStore> {
        store
    }
}

#[tokio::test]
async fn a_metered_store_keeps_the_contract() {
    run(&mut Metered).await;
}

#[tokio::test]
async fn calls_are_counted_by_operation_and_collection() {
    let store = MeteredStore::new(Arc::new(MemoryStore::open(SCHEMA)));
    assert_eq!(store.report().await.unwrap().calls, []);
    for _ in 0..2 {
        store.count(Collection::Passages, &Filter::everything()).await.unwrap();
    }
    store.facet(Collection::Passages, "no such field", &Filter::everything(), 3).await.unwrap_err();
    store.compact().await.unwrap();
    let calls = store.report().await.unwrap().calls;
    assert_eq!(calls, store.calls());
    let counted: Vec<_> =
        calls.iter().map(|call| (call.operation, call.collection, call.calls, call.failed)).collect();
    let passages = Some(Collection::Passages);
    assert_eq!(counted, [("count", passages, 2, 0), ("facet", passages, 1, 1), ("compact", None, 1, 0)]);
}

#[tokio::test]
async fn searches_and_returned_points_are_counted() {
    let store = MeteredStore::new(Arc::new(MemoryStore::open(SCHEMA)));
    let vector = || SparseVector::from_pairs([(1, 1.0)]);
    let points = [1, 2].map(|id| Point::new(PointId::from_u128(id)).with_sparse(vector()));
    store.upsert(Collection::Passages, points.to_vec(), WriteMode::Replace).await.unwrap();
    let search = Search {
        collection: Collection::Passages,
        target: Target::Sparse(vector()),
        filter: Filter::everything(),
        limit: 5,
        exact: true,
        select: Select::ID,
    };
    store.search(&[search.clone(), search]).await.unwrap();
    let ids = [PointId::from_u128(1), PointId::from_u128(9)];
    store.fetch(Collection::Passages, &ids, &Select::ID).await.unwrap();
    let counted: Vec<_> =
        store.calls().iter().map(|call| (call.operation, call.searches, call.points)).collect();
    assert_eq!(counted, [("upsert", 0, 0), ("fetch", 0, 1), ("search", 2, 4)]);
}
