//! Tests that need an index over few points.

use std::{path::PathBuf, sync::Mutex};

use uuid::Uuid;

use super::{digest::Digest, state::State, *};
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

/// The current directory of a collection's files.
fn files_of(directory: &Path) -> PathBuf {
    let layout = Layout::new(directory, "test");
    let state = State::load(&layout.state(Collection::Entities)).unwrap();
    layout.shard(Collection::Entities, state.generation)
}

/// The versions and configurations of a collection's segments, in order.
fn segments(directory: &Path) -> Vec<String> {
    let segments = fs::read_dir(files_of(directory).join("segments")).unwrap();
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
    let segments = fs::read_dir(files_of(directory).join("segments")).unwrap().flatten();
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
    let listed = |directory: &Path| files_of(directory).join("segments");
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
    let names = fs::read_dir(files_of(path).join("wal")).unwrap().flatten();
    let closed = names.filter(|entry| entry.file_name().to_string_lossy().starts_with("closed-")).count();
    assert!(closed <= 1, "{closed} closed parts of the log were left");
    assert_eq!(open(path).await.count(Collection::Entities, &Filter::everything()).await.unwrap(), 1200);
}

/// A point whose payload and vector have lengths that differ from point to point.
fn uneven(number: u128) -> Point {
    let length = usize::try_from(number * 37 % 1500).unwrap();
    let letters = ('a'..='z').cycle().step_by(usize::try_from(number % 23).unwrap() + 1);
    let text: String = letters.take(length).collect();
    let terms = (0..number % 40).map(|term| (u32::try_from(term * number).unwrap(), term as f32 + 0.5));
    word(number).with_payload("text", text).with_sparse(SparseVector::from_pairs(terms))
}

async fn all_of(directory: &Path) -> Vec<Point> {
    let store = EmbeddedStore::open(directory, "test", WORDS).await.unwrap();
    let all = Filter::everything();
    store.scroll(Collection::Entities, &all, None, usize::MAX >> 1, &Select::EVERYTHING).await.unwrap().points
}

/// The size of the blocks of each closed segment's stores.
fn block_sizes(directory: &Path) -> Vec<u64> {
    let segments = fs::read_dir(files_of(directory).join("segments")).unwrap().flatten();
    let closed =
        segments.map(|segment| segment.path()).filter(|path| path.join("id_tracker.mappings").exists());
    let stores = closed.flat_map(|path| pack::STORES.map(|store| path.join(store).join("config.json")));
    let config = |path| serde_json::from_slice::<serde_json::Value>(&fs::read(path).unwrap()).unwrap();
    stores.map(|path| config(path)["block_size_bytes"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_are_packed_at_closing_and_hold_the_same() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    let put = async |store: &EmbeddedStore, points: Vec<Point>| {
        store.upsert(Collection::Entities, points, WriteMode::Replace).await.unwrap();
    };
    put(&store, (0..3000).map(uneven).collect()).await;
    store.build_index(&|_| {}).await.unwrap();
    let ids = |numbers: std::ops::Range<u128>| Filter::Ids(numbers.map(Uuid::from_u128).collect());
    store.delete(Collection::Entities, &ids(100..200)).await.unwrap();
    put(&store, vec![uneven(7).with_payload("text", "short")]).await;
    let killed = tempfile::tempdir().unwrap();
    copy(path, killed.path());
    assert_eq!(block_sizes(path), [128, 128]);
    drop(store);
    assert_eq!(block_sizes(path), [16, 16]);
    let bytes = |directory: &Path| layout::bytes_in(&files_of(directory));
    assert!(bytes(path) < bytes(killed.path()), "{} of {}", bytes(path), bytes(killed.path()));
    let log: Vec<_> = fs::read_dir(files_of(path).join("wal")).unwrap().flatten().collect();
    assert_eq!(log.iter().map(|part| part.metadata().unwrap().len()).collect::<Vec<_>>(), [8]);

    let mut expected: Vec<Point> = (0..100).chain(200..3000).map(uneven).collect();
    expected[7] = uneven(7).with_payload("text", "short");
    assert_eq!(all_of(path).await, expected);
    // A process is killed while it packs: before the packed files have their name, before the state names them, and
    // before the others are removed.
    for (left, packed) in
        [("test_entities.1.new", false), ("test_entities.1", false), ("test_entities", true)]
    {
        let cut_short = tempfile::tempdir().unwrap();
        let [whole, other] = if packed { [path, killed.path()] } else { [killed.path(), path] };
        copy(whole, cut_short.path());
        copy(&files_of(other), &cut_short.path().join(left));
        assert_eq!(all_of(cut_short.path()).await, expected, "{left} was left");
        assert_eq!(block_sizes(cut_short.path()), [16, 16]);
        let directories = fs::read_dir(cut_short.path()).unwrap().flatten();
        let names = directories.map(|entry| entry.file_name().into_string().unwrap());
        let names: Vec<_> =
            names.filter(|name| name.starts_with("test_entities") && !name.ends_with(".journal")).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }

    // Packed segments take deletions and replacements like others.
    let packed = files_of(path);
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    store.delete(Collection::Entities, &ids(1000..2000)).await.unwrap();
    put(&store, (2000..2010).map(|number| uneven(number + 1).with_payload("number", 1)).collect()).await;
    put(&store, (5000..5040).map(uneven).collect()).await;
    drop(store);
    assert_eq!(files_of(path), packed, "there was little to gain");
    expected.retain(|point| !(1000..2000).contains(&point.id.as_u128()));
    for point in expected.iter_mut().filter(|point| (2001..2011).contains(&point.id.as_u128())) {
        *point = point.clone().with_payload("number", 1);
    }
    expected.extend((5000..5040).map(uneven));
    assert_eq!(all_of(path).await, expected);
}

/// The configuration of each closed segment's store of sparse vectors, and the number of its blocks in use.
fn sparse_stores(directory: &Path) -> Vec<(serde_json::Value, u32)> {
    let segments = fs::read_dir(files_of(directory).join("segments")).unwrap().flatten();
    let closed =
        segments.map(|segment| segment.path()).filter(|path| path.join("id_tracker.mappings").exists());
    let stores = closed.map(|path| path.join(pack::SPARSE));
    let read = |store: PathBuf| {
        let config = serde_json::from_slice(&fs::read(store.join("config.json")).unwrap()).unwrap();
        let used = fs::read(store.join("bitmask.dat")).unwrap();
        (config, used.into_iter().map(u8::count_ones).sum())
    };
    stores.map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_vectors_are_packed_once_and_compressed_where_it_pays() {
    let short = |number: u128| SparseVector::from_pairs([(1, (number % 3) as f32 + 1.0)]);
    // As many different vectors as points, each with one weight for all of its terms.
    let long = |number: u128| {
        let first = u32::try_from(number).unwrap() * 100;
        SparseVector::from_pairs((first..first + 40).map(|term| (term, number as f32 + 0.3)))
    };
    let alike = |number| word(number).with_sparse(short(number));
    let different = |number| word(number).with_sparse(long(number));
    // Each of the three short vectors takes two blocks of 16 bytes.
    for (compression, blocks, make) in
        [("None", 0..7, &alike as &dyn Fn(u128) -> Point), ("LZ4", 600..6000, &different)]
    {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        let open = async || EmbeddedStore::open(path, "test", WORDS).await.unwrap();
        let store = open().await;
        store.upsert(Collection::Entities, (0..600).map(make).collect(), WriteMode::Replace).await.unwrap();
        store.build_index(&|_| {}).await.unwrap();
        drop(store);
        let stores = sparse_stores(path);
        assert_eq!(stores.len(), 1);
        assert_eq!(stores[0].0["compression"], compression);
        assert!(blocks.contains(&stores[0].1), "{} blocks", stores[0].1);
        let mut expected: Vec<Point> = (0..600).map(make).collect();
        assert_eq!(all_of(path).await, expected);

        // Points that share a vector are deleted and replaced, and the others keep it; when they are written anew too.
        let store = open().await;
        let gone = Filter::Ids((0..300).map(Uuid::from_u128).collect());
        store.delete(Collection::Entities, &gone).await.unwrap();
        let other = |number| word(number).with_sparse(SparseVector::from_pairs([(9, number as f32)]));
        let replaced: Vec<Point> = (300..400).map(other).collect();
        store.upsert(Collection::Entities, replaced.clone(), WriteMode::Replace).await.unwrap();
        expected.drain(..400);
        expected.splice(0..0, replaced);
        drop(store);
        assert_eq!(all_of(path).await, expected);
        let store = open().await;
        store.compact().await.unwrap();
        drop(store);
        assert_eq!(all_of(path).await, expected);
    }
}

const LINKS: Schema = Schema {
    dense_dimension: None,
    fields: &[
        Field { collection: Collection::Entities, name: "team", kind: FieldKind::Tenant },
        Field { collection: Collection::Entities, name: "links", kind: FieldKind::Keyword },
        Field { collection: Collection::Entities, name: "number", kind: FieldKind::Integer },
    ],
};

/// The ID that a point refers to.
fn target(number: u128) -> String {
    Uuid::from_u128(0x7ef5_e338_ce4b_5814_8d32_7ae6_ad8c_0000 + number).to_string()
}

/// A point that refers to another one, and to a text that is no ID.
fn link(number: u128) -> Point {
    let links = [target(number), format!("\u{7f}{number}")];
    Point { payload: word(number).payload, ..Point::new(Uuid::from_u128(number)) }
        .with_payload("links", links.to_vec())
}

/// What a question about links finds.
async fn links_to(store: &EmbeddedStore, value: &str) -> Vec<Point> {
    let filter = Filter::equals("links", value);
    let page = store.scroll(Collection::Entities, &filter, None, 9, &Select::EVERYTHING).await.unwrap();
    assert_eq!(store.count(Collection::Entities, &filter).await.unwrap(), page.points.len() as u64);
    page.points
}

fn payload_files_with(directory: &Path, text: &str) -> usize {
    let segments = fs::read_dir(directory).unwrap().flatten().flat_map(|collection| {
        fs::read_dir(collection.path().join("segments")).into_iter().flatten().flatten().collect::<Vec<_>>()
    });
    let pages =
        segments.filter_map(|segment| fs::read(segment.path().join("payload_storage/page_0.dat")).ok());
    pages.filter(|page| page.windows(text.len()).any(|part| part == text.as_bytes())).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_in_fields_are_stored_short_and_read_as_they_were_written() {
    let root = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(root.path(), "test", LINKS).await.unwrap();
    store.upsert(Collection::Entities, (0..600).map(link).collect(), WriteMode::Replace).await.unwrap();
    store.build_index(&|_| {}).await.unwrap();
    assert_eq!(links_to(&store, &target(7)).await, [link(7)]);
    assert_eq!(links_to(&store, "\u{7f}7").await, [link(7)]);
    let seven = Filter::Ids(vec![link(7).id]);
    let mut named: Vec<_> = store.facet(Collection::Entities, "links", &seven, 9).await.unwrap();
    named.sort();
    assert_eq!(named, [(target(7), 1), ("\u{7f}7".to_owned(), 1)]);
    let some = Select::fields(&["links"]);
    let read = store.fetch(Collection::Entities, &[link(7).id], &some).await.unwrap();
    assert_eq!(read[0].payload["links"], link(7).payload["links"]);
    drop(store);
    assert_eq!(payload_files_with(root.path(), "7ef5e338-ce4b"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_second_format_opens_and_is_rewritten() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let store = EmbeddedStore::open(path, "test", LINKS).await.unwrap();
    // The points as that format stored them.
    let stored = |number| {
        let digest = Digest::of(&link(number));
        let digest = format!("{:08x}{:08x}", digest.payload, digest.vectors);
        let mut point = convert::engine_point(&WORDS, Collection::Entities, link(number));
        point.payload.as_mut().unwrap().0.shift_remove(digest::FIELD);
        point.payload.as_mut().unwrap().0.insert(digest::FIELD_2.to_owned(), digest.into());
        point
    };
    let points = qdrant_edge::PointInsertOperations::PointsList((0..20).map(stored).collect());
    let upsert = qdrant_edge::PointOperations::UpsertPoints(points);
    let shard = store.inside.shard(Collection::Entities).unwrap();
    shard.read(|engine| engine.update(qdrant_edge::UpdateOperation::PointOperation(upsert))).unwrap();
    // One more in the journal, which a kill left.
    store.upsert(Collection::Entities, vec![link(20)], WriteMode::Replace).await.unwrap();
    let killed = tempfile::tempdir().unwrap();
    let flush = |engine: &qdrant_edge::EdgeShard| {
        engine.flush();
        Ok(())
    };
    shard.read(flush).unwrap();
    copy(path, killed.path());
    drop(store);
    let path = killed.path();
    assert_eq!(payload_files_with(path, "7ef5e338-ce4b"), 1);
    fs::write(path.join("test.json"), r#"{"format":2,"dense_dimension":null}"#).unwrap();
    let state = path.join("test_entities.state");
    State { unused: fields::Unused::default(), ..State::load(&state).unwrap() }.save(&state).unwrap();

    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&told);
    let notify = Notify::new(move |sentence| notes.lock().unwrap().push(sentence.to_owned()));
    let options = EmbeddedOptions { notify, is_brief: true, ..EmbeddedOptions::default() };
    for _ in 0..2 {
        let store = EmbeddedStore::open_with(path, "test", LINKS, options.clone()).await.unwrap();
        for number in [0, 7, 20] {
            assert_eq!(links_to(&store, &target(number)).await, [link(number)]);
            assert_eq!(links_to(&store, &format!("\u{7f}{number}")).await, [link(number)]);
        }
        assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 21);
        drop(store);
        assert_eq!(payload_files_with(path, "7ef5e338-ce4b"), 0);
    }
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("is rewritten, once"), "{told:?}");
}

/// The indexed fields of the collection's closed segments.
fn indexed(directory: &Path) -> Vec<String> {
    let closed = segments(directory).into_iter().filter(|segment| !segment.contains("MutableRam"));
    let fields = closed.flat_map(|one| {
        ["team", "links", "number"].into_iter().filter(move |field| {
            one.contains(&format!("{field}\\\":")) || one.contains(&format!("\"{field}\":"))
        })
    });
    fields.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_gets_an_index_with_its_first_value_and_loses_it_with_its_last() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let open = async || EmbeddedStore::open(path, "test", LINKS).await.unwrap();
    let found = async |store: &EmbeddedStore| {
        let number = Filter::Range { field: "number", least: None, most: None };
        let missing = Filter::Missing { field: "number" };
        let mut counts = Vec::new();
        for filter in
            [number.clone(), missing.clone(), Filter::Not(Box::new(number)), Filter::Not(missing.into())]
        {
            counts.push(store.count(Collection::Entities, &filter).await.unwrap());
        }
        counts
    };
    let plain = |number: u128| Point::new(Uuid::from_u128(number)).with_payload("team", "a");
    let store = open().await;
    store.upsert(Collection::Entities, (0..600).map(plain).collect(), WriteMode::Replace).await.unwrap();
    store.build_index(&|_| {}).await.unwrap();
    assert_eq!(found(&store).await, [0, 600, 600, 0]);
    assert_eq!(store.facet(Collection::Entities, "links", &Filter::everything(), 9).await.unwrap(), []);
    drop(store);
    assert_eq!(indexed(path), ["team"]);

    // The first value goes to the open segment; the closed one gets an index without values.
    let store = open().await;
    store.upsert(Collection::Entities, vec![word(1), word(1000)], WriteMode::Replace).await.unwrap();
    assert_eq!(found(&store).await, [2, 599, 599, 2]);
    let killed = tempfile::tempdir().unwrap();
    copy(path, killed.path());
    drop(store);
    for path in [killed.path(), path] {
        let store = EmbeddedStore::open(path, "test", LINKS).await.unwrap();
        assert_eq!(found(&store).await, [2, 599, 599, 2]);
        drop(store);
        assert_eq!(indexed(path), ["team", "number"]);
    }

    // An index whose list was damaged is made again.
    let config = fs::read_dir(files_of(path).join("segments")).unwrap().flatten();
    for config in config.map(|segment| segment.path().join("payload_index/config.json")) {
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, text.replace("number", "mumber")).unwrap();
    }
    let store = open().await;
    assert_eq!(found(&store).await, [2, 599, 599, 2]);

    let gone = Filter::Ids(vec![word(1).id, word(1000).id]);
    store.delete(Collection::Entities, &gone).await.unwrap();
    store.compact().await.unwrap();
    assert_eq!(found(&store).await, [0, 599, 599, 0]);
    drop(store);
    let unused = State::load(&path.join("test_entities.state")).unwrap().unused;
    assert!(unused.contains(&LINKS, Collection::Entities, "number"));

    // A schema with other fields: points may have values of them, so each is indexed.
    let store = EmbeddedStore::open(path, "test", WORDS).await.unwrap();
    assert_eq!(found(&store).await, [0, 599, 599, 0]);
    drop(store);
    let unused = State::load(&path.join("test_entities.state")).unwrap().unused;
    assert!(unused.is_empty());
}
