//! The store in memory against the contract.
#![cfg(feature = "conformance")]

use async_trait::async_trait;
use quiver_store::{
    MemoryStore, PointStore,
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
