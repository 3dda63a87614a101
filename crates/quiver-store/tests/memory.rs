//! The store in memory against the contract.
#![cfg(feature = "conformance")]

use std::sync::Arc;

use async_trait::async_trait;
use quiver_store::{
    Collection, Filter, MemoryStore, MeteredStore, PointStore,
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
    let counted: Vec<_> =
        calls.iter().map(|call| (call.operation, call.collection, call.calls, call.failed)).collect();
    let passages = Some(Collection::Passages);
    assert_eq!(counted, [("count", passages, 2, 0), ("facet", passages, 1, 1), ("compact", None, 1, 0)]);
}
