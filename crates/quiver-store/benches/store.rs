//! Measures what writing and reopening a store cost, without a graph on top.
//!
//! Corpus: seeded points that resemble relations: a workspace, two end IDs out of 5,000, a predicate and a sentence in
//! the payload, and a sparse vector of 20 terms out of 30,000; plus 384 dense dimensions if the argument says so.
//! `upsert` is the time for 25,000 of them in batches of 1,000 into an empty database, each batch acknowledged before
//! the next. `open` is the time to open a directory that holds them. Read medians. Only the embedded engine is
//! measured: a store in memory has nothing to open, and a server is measured where it runs.
#![expect(clippy::unwrap_used, reason = "a bench that can't go on fails there")]

use std::path::Path;

use divan::Bencher;
use quiver_store::{
    Collection, EmbeddedStore, Field, FieldKind, Point, PointStore, Schema, SparseVector, WriteMode,
};
use tokio::runtime::Runtime;
use uuid::Uuid;

const POINTS: u64 = 25_000;
const BATCH: u64 = 1000;
const DIMENSION: usize = 384;
/// Sparse vectors alone, or also the dense vectors of an embedder.
const VECTORS: [Option<usize>; 2] = [None, Some(DIMENSION)];

fn main() {
    divan::main();
}

fn schema(dense_dimension: Option<usize>) -> Schema {
    const FIELDS: &[Field] = &[
        Field { collection: Collection::Relations, name: "workspace", kind: FieldKind::Tenant },
        Field { collection: Collection::Relations, name: "subject", kind: FieldKind::Keyword },
        Field { collection: Collection::Relations, name: "object", kind: FieldKind::Keyword },
        Field { collection: Collection::Relations, name: "predicate", kind: FieldKind::Keyword },
    ];
    Schema { dense_dimension, fields: FIELDS }
}

/// Numbers that are the same in every run (the `SplitMix64` generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn share(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }
}

fn batches(dense: Option<usize>) -> Vec<Vec<Point>> {
    let mut numbers = Numbers(1);
    let mut point = |number: u64| {
        let mut entity = || Uuid::from_u128(u128::from(numbers.below(5000)) << 64).to_string();
        let (subject, object) = (entity(), entity());
        let terms: Vec<(u32, f32)> =
            (0..20).map(|_| (u32::try_from(numbers.below(30_000)).unwrap(), 0.5 + numbers.share())).collect();
        let mut point = Point::new(Uuid::from_u128((u128::from(number) << 64) | 1))
            .with_payload("workspace", "bench")
            .with_payload("subject", subject)
            .with_payload("object", object)
            .with_payload("predicate", format!("predicate-{}", numbers.below(50)))
            .with_payload("text", format!("Sentence {number} says what one thing has to do with another."));
        point.vectors.sparse = SparseVector::from_pairs(terms);
        point.vectors.dense = dense.map(|dimension| (0..dimension).map(|_| numbers.share() - 0.5).collect());
        point
    };
    (0..POINTS / BATCH).map(|batch| (batch * BATCH..(batch + 1) * BATCH).map(&mut point).collect()).collect()
}

fn open_at(runtime: &Runtime, directory: &Path, dense: Option<usize>) -> EmbeddedStore {
    runtime.block_on(EmbeddedStore::open(directory, "bench", schema(dense))).unwrap()
}

fn fill(runtime: &Runtime, store: &EmbeddedStore, batches: Vec<Vec<Point>>) {
    for batch in batches {
        runtime.block_on(store.upsert(Collection::Relations, batch, WriteMode::Replace)).unwrap();
    }
}

#[divan::bench(args = VECTORS, sample_count = 5, sample_size = 1)]
fn upsert(bencher: Bencher<'_, '_>, dense: Option<usize>) {
    let runtime = Runtime::new().unwrap();
    let empty = || {
        let home = tempfile::tempdir().unwrap();
        (open_at(&runtime, home.path(), dense), home, batches(dense))
    };
    bencher.with_inputs(empty).bench_values(|(store, home, batches)| {
        fill(&runtime, &store, batches);
        (store, home)
    });
}

#[divan::bench(args = VECTORS, sample_count = 20, sample_size = 1)]
fn open(bencher: Bencher<'_, '_>, dense: Option<usize>) {
    let runtime = Runtime::new().unwrap();
    let home = tempfile::tempdir().unwrap();
    let store = open_at(&runtime, home.path(), dense);
    fill(&runtime, &store, batches(dense));
    drop(store);
    bencher.bench(|| open_at(&runtime, home.path(), dense));
}
