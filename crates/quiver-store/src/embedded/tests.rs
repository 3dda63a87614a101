//! Tests that need an index over few points.

use std::sync::Mutex;

use uuid::Uuid;

use super::*;
use crate::{Field, FieldKind, SparseVector, Target, Vectors};

const SCHEMA: Schema = Schema { dense_dimension: Some(4), fields: &[] };

fn point(number: u128) -> Point {
    Point::new(Uuid::from_u128(number))
        .with_dense(vec![number as f32, 1.0, 0.0, 0.0])
        .with_sparse(SparseVector::from_pairs([(1, number as f32 + 1.0)]))
}

async fn open(path: &Path) -> EmbeddedStore {
    let how = How { options: EmbeddedOptions::default(), salvages: false, index_pays: 500 };
    EmbeddedStore::open_how(path, "test", SCHEMA, how).await.unwrap()
}

async fn best(store: &EmbeddedStore, target: Target, exact: bool) -> Vec<u128> {
    let search = Search {
        collection: Collection::Entities,
        target,
        filter: Filter::everything(),
        limit: 3,
        exact,
        select: Select::ID,
    };
    let found = store.search(&[search]).await.unwrap().remove(0);
    found.into_iter().map(|scored| scored.point.id.as_u128()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_changes_no_contract() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).await;
    let upsert = async |store: &EmbeddedStore, points: Vec<Point>| {
        store.upsert(Collection::Entities, points, WriteMode::Replace).await.unwrap();
    };
    upsert(&store, (0..1000).map(point).collect()).await;
    let steps = Mutex::new(Vec::new());
    store.build_index(&|step| steps.lock().unwrap().push((step.done, step.total))).await.unwrap();
    assert_eq!(*steps.lock().unwrap(), [(0, 1000), (1000, 1000)]);
    assert_eq!(store.report().await.unwrap().indexed, [1000, 0, 0]);
    let along = Target::Dense(vec![1.0, 0.0, 0.0, 0.0]);
    assert_eq!(best(&store, along.clone(), false).await, [999, 998, 997]);

    // A point in the index is replaced whole: it does not keep a vector that its replacement lacks.
    let bare = Point::new(Uuid::from_u128(999)).with_payload("new", true);
    upsert(&store, vec![bare.clone(), Point { vectors: Vectors::default(), ..point(998) }, point(2000)])
        .await;
    let read = store.fetch(Collection::Entities, &[bare.id], &Select::EVERYTHING).await.unwrap();
    assert_eq!(read, [bare]);
    for exact in [true, false] {
        assert_eq!(best(&store, along.clone(), exact).await, [2000, 997, 996]);
    }
    let term = Target::Sparse(SparseVector::from_pairs([(1, 1.0)]));
    assert_eq!(best(&store, term.clone(), true).await, [2000, 997, 996]);

    // None of its old terms come back with a new sparse vector.
    let other = SparseVector::from_pairs([(2, 1.0)]);
    upsert(&store, vec![Point::new(Uuid::from_u128(998)).with_sparse(other)]).await;
    assert_eq!(best(&store, term.clone(), true).await, [2000, 997, 996]);

    drop(store);
    let store = open(root.path()).await;
    assert_eq!(best(&store, along, true).await, [2000, 997, 996]);
    assert_eq!(best(&store, term, true).await, [2000, 997, 996]);
    assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 1001);
    store.build_index(&|_| panic!("nothing has grown enough")).await.unwrap();
}

const WORDS: Schema = Schema {
    dense_dimension: None,
    fields: &[
        Field { collection: Collection::Entities, name: "team", kind: FieldKind::Tenant },
        Field { collection: Collection::Entities, name: "number", kind: FieldKind::Integer },
    ],
};

fn word(number: u128) -> Point {
    Point::new(Uuid::from_u128(number))
        .with_payload("team", if number.is_multiple_of(2) { "even" } else { "odd" })
        .with_payload("number", i64::try_from(number).unwrap())
        .with_sparse(SparseVector::from_pairs([(1, number as f32 + 1.0)]))
}

/// The versions and configurations of a collection's segments, in order.
fn segments(directory: &Path) -> Vec<String> {
    let segments = fs::read_dir(directory.join("test_entities/segments")).unwrap();
    let mut segments: Vec<_> = segments
        .flatten()
        .filter(|segment| segment.path().is_dir())
        .map(|segment| {
            ["segment.json", "payload_index/config.json"]
                .map(|name| fs::read_to_string(segment.path().join(name)).unwrap())
                .concat()
        })
        .collect();
    segments.sort();
    segments
}

/// Copies a directory whose files are open, as a kill would leave them.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The number of indexes of which points have a value.
fn unused_files(directory: &Path) -> usize {
    let segments = fs::read_dir(directory.join("test_entities/segments")).unwrap().flatten();
    let indexes = segments.filter_map(|segment| fs::read_dir(segment.path().join("payload_index")).ok());
    let names = indexes.flat_map(|indexes| indexes.flatten().map(|index| index.file_name()));
    names.filter(|name| name.to_string_lossy().ends_with("-null")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_ingest_wrote_lies_on_the_disk_and_an_opening_changes_nothing_of_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let open = async || EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    let store = open().await;
    store.upsert(Collection::Entities, (0..600).map(word).collect(), WriteMode::Replace).await.unwrap();
    assert!(segments(path).iter().all(|segment| segment.contains("MutableRam")));
    store.build_index(&|_| {}).await.unwrap();
    let killed = tempfile::tempdir().unwrap();
    copy(path, killed.path());
    drop(store);
    let closed: Vec<_> =
        segments(path).into_iter().filter(|segment| !segment.contains("MutableRam")).collect();
    assert_eq!(closed.len(), 1, "the points are in one closed segment");
    assert!(
        closed[0].contains(
            r#""keyword_index","mutability":"immutable","storage_type":{"mmap":{"is_on_disk":true}}"#
        )
    );

    // Indexes that no query uses are dropped at closing, or at the next opening after a kill.
    let has_unused = |segments: &[String]| segments.iter().any(|one| one.contains("null_index"));
    assert!(!has_unused(&segments(path)) && has_unused(&segments(killed.path())));
    let torn = tempfile::tempdir().unwrap();
    copy(killed.path(), torn.path());
    let left = EmbeddedStore::open(killed.path(), "test", WORDS).await.unwrap();
    assert!(!has_unused(&segments(killed.path())));
    assert_eq!(unused_files(killed.path()), 0);
    for (field, number) in [("team", 0), ("number", 0), ("other", 600)] {
        assert_eq!(
            left.count(Collection::Entities, &Filter::Missing { field }).await.unwrap(),
            number,
            "{field}"
        );
    }
    drop(left);

    // A kill between the new list of indexes and the removal of the files.
    let listed = |directory: &Path| directory.join("test_entities/segments");
    for segment in fs::read_dir(listed(torn.path())).unwrap().flatten() {
        let (config, name) = ("payload_index/config.json", segment.file_name());
        let _ = fs::copy(listed(killed.path()).join(name).join(config), segment.path().join(config));
    }
    assert!(!has_unused(&segments(torn.path())) && unused_files(torn.path()) > 0);
    let left = EmbeddedStore::open(torn.path(), "test", WORDS).await.unwrap();
    assert_eq!(unused_files(torn.path()), 0);
    assert_eq!(left.count(Collection::Entities, &Filter::equals("team", "even")).await.unwrap(), 300);
    drop(left);

    let before = segments(path);
    let store = open().await;
    let even = Filter::equals("team", "even");
    assert_eq!(store.count(Collection::Entities, &even).await.unwrap(), 300);
    let few = Filter::Range { field: "number", least: Some(597.0), most: None }.and(even);
    let search = Search {
        collection: Collection::Entities,
        target: Target::Sparse(SparseVector::from_pairs([(1, 1.0)])),
        filter: few,
        limit: 3,
        exact: true,
        select: Select::ID,
    };
    let found = store.search(&[search]).await.unwrap().remove(0);
    assert_eq!(found.iter().map(|scored| scored.point.id.as_u128()).collect::<Vec<_>>(), [598]);
    drop(store);
    assert_eq!(segments(path), before, "what is only read keeps its version");

    // A few more points stay where they are: they cost little when opening.
    let store = open().await;
    store.upsert(Collection::Entities, (600..610).map(word).collect(), WriteMode::Replace).await.unwrap();
    store.build_index(&|_| {}).await.unwrap();
    drop(store);
    assert_eq!(segments(path).len(), 2);
    assert_eq!(open().await.count(Collection::Entities, &Filter::everything()).await.unwrap(), 610);
}

#[tokio::test(flavor = "multi_thread")]
async fn points_without_vectors_are_closed_like_others_and_stay_without() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let bare = |number| Point { vectors: Vectors::default(), ..word(number) };
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    store.upsert(Collection::Entities, (0..600).map(bare).collect(), WriteMode::Replace).await.unwrap();
    store.build_index(&|_| {}).await.unwrap();
    let read = store.fetch(Collection::Entities, &[bare(7).id], &Select::EVERYTHING).await.unwrap();
    assert_eq!(read, [bare(7)]);
    drop(store);
    let closed = segments(path).into_iter().filter(|segment| !segment.contains("MutableRam")).count();
    assert_eq!(closed, 1, "{:?}", segments(path));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ingest_leaves_one_closed_segment_of_a_small_collection() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    for round in 0..4 {
        let words = (round * 600..(round + 1) * 600).map(word).collect();
        store.upsert(Collection::Entities, words, WriteMode::Replace).await.unwrap();
        store.build_index(&|_| {}).await.unwrap();
    }
    drop(store);
    assert_eq!(segments(path).len(), 2, "a closed one, and one that takes new points");
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 2400);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_the_engine_does_not_grow_with_what_is_written() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let store = open(path).await;
    let text = "what the engine writes to its log. ".repeat(200);
    for batch in 0..12 {
        let points =
            (batch * 100..(batch + 1) * 100).map(|number| point(number).with_payload("text", &*text));
        store.upsert(Collection::Entities, points.collect(), WriteMode::Replace).await.unwrap();
    }
    drop(store);
    let names = fs::read_dir(path.join("test_entities/wal")).unwrap().flatten();
    let closed = names.filter(|entry| entry.file_name().to_string_lossy().starts_with("closed-")).count();
    assert!(closed <= 1, "{closed} closed parts of the log were left");
    assert_eq!(open(path).await.count(Collection::Entities, &Filter::everything()).await.unwrap(), 1200);
}
