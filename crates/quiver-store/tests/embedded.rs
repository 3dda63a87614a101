//! Tests the embedded store against the contract, and against damage to its directory.
#![cfg(all(feature = "conformance", feature = "embedded"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use quiver_store::{
    Collection, EmbeddedOptions, EmbeddedStore, Error, ErrorKind, Filter, Notify, Point, PointStore, Schema,
    Search, Select, SparseVector, Target, WriteMode,
    conformance::{SCHEMA, Site, run},
};
use uuid::Uuid;

/// Where a child process opens its store, and what it does there.
const CHILD: &str = "QUIVER_TEST_CHILD";
/// Whether the child writes many points.
const MANY: &str = "QUIVER_TEST_MANY";
/// Whether the child keeps rebuilding its files during the writes.
const BESIDE: &str = "QUIVER_TEST_BESIDE";

struct Directory {
    root: tempfile::TempDir,
    opened: usize,
}

impl Directory {
    fn path(&self) -> PathBuf {
        self.root.path().join(self.opened.to_string())
    }
}

#[async_trait]
impl Site for Directory {
    async fn open(&mut self) -> Box<dyn PointStore> {
        self.opened += 1;
        Box::new(open(&self.path()).await)
    }

    async fn reopen(&mut self, store: Box<dyn PointStore>) -> Box<dyn PointStore> {
        drop(store);
        Box::new(open(&self.path()).await)
    }
}

async fn open(path: &Path) -> EmbeddedStore {
    EmbeddedStore::open(path, "test", SCHEMA).await.unwrap()
}

/// Opens without waiting for another process that holds the database.
async fn open_at_once(path: &Path) -> Result<EmbeddedStore, Error> {
    let options = EmbeddedOptions { wait: std::time::Duration::ZERO, ..EmbeddedOptions::default() };
    EmbeddedStore::open_with(path, "test", SCHEMA, options).await
}

fn point(number: u64, version: u64) -> Point {
    Point::new(Uuid::from_u128(number.into()))
        .with_payload("workspace", "w")
        .with_payload("version", version)
        .with_dense(vec![version as f32; 4])
        .with_sparse(SparseVector::from_pairs([(1, version as f32 + 1.0)]))
}

async fn put(store: &dyn PointStore, points: Vec<Point>) {
    store.upsert(Collection::Entities, points, WriteMode::Replace).await.unwrap();
}

async fn count(store: &dyn PointStore) -> u64 {
    store.count(Collection::Entities, &Filter::everything()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_store_keeps_the_contract() {
    run(&mut Directory { root: tempfile::tempdir().unwrap(), opened: 0 }).await;
}

/// The work of a child process; does nothing in the test run itself.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let store = open(Path::new(&path)).await;
    println!("\nopened");
    if std::env::var_os(MANY).is_some() {
        // Enough for segments to be closed.
        for version in 1.. {
            let first = version * 2000;
            put(&store, (first..first + 2000).map(|number| point(number, version)).collect()).await;
            println!("\nacknowledged {version}");
        }
    }
    if std::env::var_os(BESIDE).is_some() {
        let store = Arc::new(store);
        let rebuilding = Arc::clone(&store);
        tokio::spawn(async move {
            loop {
                rebuilding.compact().await.unwrap();
            }
        });
        // Repeatedly: all 400 points again, one new point, and the previous new point deleted.
        for version in 1.. {
            put(&*store, (0..400).map(|number| point(number, version)).collect()).await;
            put(&*store, vec![point(10_000 + version, version).with_payload("text", "zxqvwk")]).await;
            let ids = vec![Uuid::from_u128((9_999 + version).into())];
            store.delete(Collection::Entities, &Filter::Ids(ids)).await.unwrap();
            println!("\nacknowledged {version}");
        }
        return;
    }
    // Until it is killed: the same hundred points again and again, and one new point each time.
    for version in 1.. {
        let mut points: Vec<_> = (0..100).map(|number| point(number, version)).collect();
        points.push(point(1000 + version, version));
        put(&store, points).await;
        println!("\nacknowledged {version}");
        if version % 5 == 0 {
            store.compact().await.unwrap();
        }
    }
}

fn spawn_child(path: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    spawn_child_with(path, &[])
}

fn spawn_child_with(path: &Path, settings: &[(&str, &str)]) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
        .env(CHILD, path)
        .envs(settings.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

fn wait_for(output: &mut impl BufRead, wanted: &str) -> String {
    let mut line = String::new();
    while !line.starts_with(wanted) {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the child ended before it said {wanted:?}");
    }
    line.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_told_who_holds_the_directory() {
    let root = tempfile::tempdir().unwrap();
    let (mut child, mut output) = spawn_child(root.path());
    wait_for(&mut output, "opened");
    let error = open_at_once(root.path()).await.unwrap_err();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
    assert!(error.to_string().contains(&child.id().to_string()), "{error}");
    assert!(error.to_string().contains(&root.path().display().to_string()), "{error}");
    // Another prefix is another database.
    EmbeddedStore::open(root.path(), "other", SCHEMA).await.unwrap();
    let again = open(root.path()).await;
    let error = open_at_once(root.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked, "a second store in one process: {error}");
    drop(again);
    open(root.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_kill() {
    let root = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..4 {
        let (mut child, mut output) = spawn_child(root.path());
        for _ in 0..=(7 * round) {
            wait_for(&mut output, "acknowledged");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Messages it wrote before it died, and that were not read yet, count too.
        let mut rest = String::new();
        let _ = std::io::Read::read_to_string(&mut output, &mut rest);
        let last =
            rest.lines().filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok()).max();
        let last = last.unwrap_or(7 * round + 1);
        acknowledged = acknowledged.max(last);
        let store = open(root.path()).await;
        let fresh: Vec<_> = (1..=last).map(|version| Uuid::from_u128((1000 + version).into())).collect();
        let found = store.fetch(Collection::Entities, &fresh, &Select::EVERYTHING).await.unwrap();
        assert_eq!(found.len(), fresh.len(), "round {round}: of {last} acknowledged points some are missing");
        let ids: Vec<_> = (0..100).map(Uuid::from_u128).collect();
        for found in store.fetch(Collection::Entities, &ids, &Select::EVERYTHING).await.unwrap() {
            let version = found.payload["version"].as_u64().unwrap();
            assert!(version >= last, "round {round}: version {version} after {last} was acknowledged");
            let number = u64::try_from(found.id.as_u128()).unwrap();
            assert_eq!(found, point(number, version), "round {round}: half a point");
        }
        assert!(count(&store).await >= 100 + acknowledged);
    }
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Damage to the directory of a database.
type Damage = fn(&Path);

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_directory_is_named_with_the_mend() {
    let damages: [(&str, Damage); 5] = [
        ("the manifest is garbage", |root| std::fs::write(root.join("test.json"), b"{").unwrap()),
        ("a shard is gone", |root| std::fs::remove_dir_all(root.join("test_entities")).unwrap()),
        ("its segments are gone", |root| {
            std::fs::remove_dir_all(root.join("test_entities/segments")).unwrap();
        }),
        ("all its segment files are empty", |root| {
            for file in files_in(&root.join("test_entities/segments")) {
                std::fs::write(file, b"").unwrap();
            }
        }),
        ("the segment's state is garbage", |root| {
            for file in files_in(&root.join("test_entities/segments")) {
                if file.extension().is_some_and(|extension| extension == "json") {
                    std::fs::write(file, b"garbage").unwrap();
                }
            }
        }),
    ];
    for (what, damage) in damages {
        let root = tempfile::tempdir().unwrap();
        put(&open(root.path()).await, vec![point(1, 1)]).await;
        damage(root.path());
        let error = EmbeddedStore::open(root.path(), "test", SCHEMA).await.expect_err(what);
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{what}: {error}");
        assert!(error.to_string().contains(&root.path().display().to_string()), "{what}: {error}");
        assert!(error.to_string().contains("quiver backup"), "{what}: {error}");
        assert!(error.to_string().contains("--salvage"), "{what}: {error}");
        assert!(!error.to_string().contains("remove"), "{what}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_claimed_for_a_moment_are_waited_for() {
    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, vec![point(1, 1)]).await;
    // Like a child process that is just being started.
    let log = std::fs::File::open(root.path().join("test_entities/wal")).unwrap();
    log.try_lock().unwrap();
    let claimed = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        log.unlock().unwrap();
    });
    let store = open(root.path()).await;
    assert_eq!(count(&store).await, 1);
    claimed.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_dimension_names_both() {
    let root = tempfile::tempdir().unwrap();
    drop(open(root.path()).await);
    for (dimension, words) in [(Some(8), "8 dimensions"), (None, "no dense vectors")] {
        let schema = Schema { dense_dimension: dimension, ..SCHEMA };
        let error = EmbeddedStore::open(root.path(), "test", schema).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
        assert!(error.to_string().contains("4 dimensions") && error.to_string().contains(words), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root: it mounts a small file system"]
async fn a_full_disk_is_an_error_and_loses_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=160m", "tmpfs"]).arg(root.path()).output();
    assert!(mounted.is_ok_and(|output| output.status.success()), "root mounts a small file system");
    let outcome = tokio::spawn(fill(root.path().to_owned())).await;
    let unmounted = Command::new("umount").arg(root.path()).status();
    outcome.unwrap();
    assert!(unmounted.unwrap().success());
}

async fn fill(root: PathBuf) {
    let store = open(&root).await;
    let mut written = 0;
    let error = loop {
        let points =
            (0..50).map(|n| point(written + n, 1).with_payload("text", "x".repeat(20_000))).collect();
        match store.upsert(Collection::Entities, points, WriteMode::Replace).await {
            Ok(()) => written += 50,
            Err(error) => break error,
        }
        assert!(written < 20_000, "the disk is never full");
    };
    assert_eq!(error.kind(), ErrorKind::Full, "{error}");
    assert!(written > 0);
    assert_eq!(count(&store).await, written, "reading goes on");
    store.delete(Collection::Entities, &Filter::Ids(vec![Uuid::from_u128(0)])).await.unwrap();
    drop(store);
    assert_eq!(count(&open(&root).await).await, written - 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_and_readers_meet_without_loss() {
    const WRITERS: u64 = 8;
    const ROUNDS: u64 = 25;
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(open(root.path()).await);
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for round in 0..ROUNDS {
                    let first = (writer * ROUNDS + round) * 20;
                    let mode = if writer % 2 == 0 { WriteMode::Replace } else { WriteMode::KeepExisting };
                    let points = (first..first + 20).map(|number| point(number, 1)).collect();
                    store.upsert(Collection::Entities, points, mode).await.unwrap();
                    // A client sees its own writes at once.
                    let mine: Vec<_> =
                        (first..first + 20).map(|number| Uuid::from_u128(number.into())).collect();
                    assert_eq!(
                        store.fetch(Collection::Entities, &mine, &Select::ID).await.unwrap().len(),
                        20
                    );
                }
            })
        })
        .collect();
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for _ in 0..40 {
                    let search = Search {
                        collection: Collection::Entities,
                        target: Target::Dense(vec![1.0; 4]),
                        filter: Filter::everything(),
                        limit: 10,
                        exact: true,
                        select: Select::EVERYTHING,
                    };
                    for found in &store.search(&[search]).await.unwrap()[0] {
                        let number = u64::try_from(found.point.id.as_u128()).unwrap();
                        assert_eq!(found.point, point(number, 1));
                    }
                    assert_eq!(count(store.as_ref()).await % 20, 0, "no reader meets half of a batch");
                }
            })
        })
        .collect();
    for task in writers.into_iter().chain(readers) {
        task.await.unwrap();
    }
    assert_eq!(count(store.as_ref()).await, WRITERS * ROUNDS * 20);
    drop(store);
    assert_eq!(count(&open(root.path()).await).await, WRITERS * ROUNDS * 20);
}

/// Returns options that record the messages for the user.
fn told() -> (EmbeddedOptions, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let notify = Notify::new({
        let told = Arc::clone(&told);
        move |sentence| told.lock().unwrap().push(sentence.to_owned())
    });
    (EmbeddedOptions { notify, ..EmbeddedOptions::default() }, told)
}

/// Returns a database that a kill left with writes in the journal only.
async fn killed() -> (tempfile::TempDir, u64) {
    let root = tempfile::tempdir().unwrap();
    let (mut child, mut output) = spawn_child(root.path());
    wait_for(&mut output, "acknowledged 3");
    child.kill().unwrap();
    child.wait().unwrap();
    let copy = tempfile::tempdir().unwrap();
    EmbeddedStore::back_up(root.path(), "test", copy.path(), EmbeddedOptions::default()).await.unwrap();
    let points = count(&open(copy.path()).await).await;
    (root, points)
}

/// Returns the files below a directory that contain a text.
fn files_with(root: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = files_in(root);
    found.retain(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(text));
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_was_deleted_is_missed_where_it_held_writes_and_made_anew_where_not() {
    let (root, points) = killed().await;
    let journal = root.path().join("test_entities.journal");
    assert!(std::fs::metadata(&journal).unwrap().len() > 8, "the kill left writes in it");
    std::fs::remove_file(&journal).unwrap();
    for _ in 0..2 {
        let error = open_at_once(root.path()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("test_entities.journal"), "{error}");
    }
    // What is left can be read from a copy.
    let copy = tempfile::tempdir().unwrap();
    EmbeddedStore::back_up(root.path(), "test", copy.path(), EmbeddedOptions::default()).await.unwrap();
    let (options, told) = told();
    let store = EmbeddedStore::salvage(copy.path(), "test", SCHEMA, options).await.unwrap();
    assert!(count(&store).await < points);
    assert!(told.lock().unwrap().iter().any(|sentence| sentence.contains("journal")), "{told:?}");

    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, vec![point(1, 1)]).await;
    std::fs::remove_file(root.path().join("test_entities.journal")).unwrap();
    let (options, told) = self::told();
    let store = EmbeddedStore::open_with(root.path(), "test", SCHEMA, options).await.unwrap();
    assert_eq!(count(&store).await, 1);
    assert_eq!(told.lock().unwrap().len(), 1, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_journal_is_told_and_kept_and_what_follows_the_damage_is_done() {
    let (root, points) = killed().await;
    let journal = root.path().join("test_entities.journal");
    let mut bytes = std::fs::read(&journal).unwrap();
    // The high bit of the length of the first entry that the engine lacks.
    bytes[8 + 7] ^= 0x80;
    std::fs::write(&journal, bytes).unwrap();
    let (options, told) = told();
    let store = EmbeddedStore::open_with(root.path(), "test", SCHEMA, options).await.unwrap();
    let left = count(&store).await;
    // Only the one point that no later entry has is missing.
    assert_eq!(left, points - 1);
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("test_entities.journal.cut-1"), "{told:?}");
    assert!(root.path().join("test_entities.journal.cut-1").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_a_stored_text_is_an_error_that_names_the_point() {
    let root = tempfile::tempdir().unwrap();
    let marked =
        |number| point(number, 1).with_payload("text", format!("the marker zxqvwk{number} stands here"));
    put(&open(root.path()).await, vec![marked(1), marked(2)]).await;
    let mut flipped = 0;
    for file in files_with(&root.path().join("test_entities/segments"), "zxqvwk2") {
        let mut bytes = std::fs::read(&file).unwrap();
        let at = bytes.windows(7).position(|window| window == b"zxqvwk2").unwrap();
        bytes[at] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        flipped += 1;
    }
    assert!(flipped > 0, "the text stands in no file");
    let store = open(root.path()).await;
    let read = async |number: u128| {
        store.fetch(Collection::Entities, &[Uuid::from_u128(number)], &Select::PAYLOAD).await
    };
    assert_eq!(read(1).await.unwrap()[0].payload, marked(1).payload);
    let error = read(2).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains(&Uuid::from_u128(2).to_string()), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fractions_are_read_back_bit_by_bit() {
    let root = tempfile::tempdir().unwrap();
    // The halves of a hash are as good as random bits.
    let fractions = (0..1000_u128)
        .map(|number| f64::from_bits(Uuid::new_v5(&Uuid::nil(), &number.to_le_bytes()).as_u64_pair().0));
    let points: Vec<Point> = fractions
        .filter(|fraction| fraction.is_finite())
        .zip(0..)
        .map(|(fraction, number)| point(number, 1).with_payload("fraction", fraction))
        .collect();
    put(&open(root.path()).await, points.clone()).await;
    let store = open(root.path()).await;
    for written in points {
        let read =
            store.fetch(Collection::Entities, &[written.id], &Select::PAYLOAD).await.unwrap().remove(0);
        assert_eq!(read.payload, written.payload);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_id_tracker_is_no_smaller_database() {
    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, (0..100).map(|number| point(number, 1)).collect()).await;
    let trackers: Vec<_> = files_in(&root.path().join("test_entities/segments"))
        .into_iter()
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().contains("id_tracker.mappings"))
        })
        .collect();
    assert!(!trackers.is_empty(), "{:?}", files_in(&root.path().join("test_entities/segments")));
    for tracker in trackers {
        let bytes = std::fs::read(&tracker).unwrap();
        std::fs::write(&tracker, &bytes[..bytes.len() / 2]).unwrap();
    }
    let error = open_at_once(root.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    // A copy yields the remaining points.
    let copy = tempfile::tempdir().unwrap();
    EmbeddedStore::back_up(root.path(), "test", copy.path(), EmbeddedOptions::default()).await.unwrap();
    let store =
        EmbeddedStore::salvage(copy.path(), "test", SCHEMA, EmbeddedOptions::default()).await.unwrap();
    assert!(count(&store).await < 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_brief_process_opens_what_it_uses_and_finds_the_damage_of_that() {
    let root = tempfile::tempdir().unwrap();
    let written: Vec<Point> = (0..100).map(|number| point(number, 1)).collect();
    let store = open(root.path()).await;
    put(&store, written.clone()).await;
    store.upsert(Collection::Relations, written, WriteMode::Replace).await.unwrap();
    let versions = [store.version(Collection::Entities).await, store.version(Collection::Relations).await];
    drop(store);
    for tracker in files_in(&root.path().join("test_relations/segments")) {
        if tracker.file_name().is_some_and(|name| name.to_string_lossy().contains("id_tracker.mappings")) {
            let bytes = std::fs::read(&tracker).unwrap();
            std::fs::write(&tracker, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    let brief = EmbeddedOptions { is_brief: true, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open_with(root.path(), "test", SCHEMA, brief.clone()).await.unwrap();
    let same = [store.version(Collection::Entities).await, store.version(Collection::Relations).await];
    assert_eq!(versions.map(Result::unwrap), same.map(Result::unwrap));
    assert_eq!(count(&store).await, 100);
    for _ in 0..2 {
        let error = store.count(Collection::Relations, &Filter::everything()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    }
    // A collection that was written to is closed, so it can be opened again.
    put(&store, vec![point(100, 1)]).await;
    drop(store);
    // What no call needs stays closed.
    let brief = EmbeddedOptions { needed: Vec::new(), ..brief };
    let store = EmbeddedStore::open_with(root.path(), "test", SCHEMA, brief).await.unwrap();
    assert_eq!(count(&store).await, 101);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_stands_in_no_file_after_a_compaction() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).await;
    let marked =
        |number| point(number, 1).with_payload("text", format!("the marker zxqvwk stands here {number}"));
    put(&store, (0..50).map(marked).chain((50..80).map(|number| point(number, 2))).collect()).await;
    let ids = (0..50).map(Uuid::from_u128).collect();
    store.delete(Collection::Entities, &Filter::Ids(ids)).await.unwrap();
    assert!(!files_with(root.path(), "zxqvwk").is_empty(), "the engine leaves it where it was");
    store.compact().await.unwrap();
    assert_eq!(files_with(root.path(), "zxqvwk"), Vec::<PathBuf>::new());
    let all = |store| async move {
        let store: EmbeddedStore = store;
        let page = store
            .scroll(Collection::Entities, &Filter::everything(), None, 100, &Select::EVERYTHING)
            .await
            .unwrap();
        (store, page.points)
    };
    let expected: Vec<_> = (50..80).map(|number| point(number, 2)).collect();
    let (store, points) = all(store).await;
    assert_eq!(points, expected);
    // What follows it is kept, and a point is replaced whole.
    put(&store, vec![point(50, 3), point(90, 3)]).await;
    drop(store);
    let (store, points) = all(open(root.path()).await).await;
    assert_eq!(points.len(), 31);
    assert_eq!(points[0], point(50, 3));
    drop(store);
    assert_eq!(files_with(root.path(), "zxqvwk"), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_and_deleting_again_and_again_takes_no_more_room() {
    // Not in the directory for temporary files: in memory, the holes that the engine reserves in its files are filled.
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut largest = 0;
    for round in 0..30_u64 {
        let store = open(root.path()).await;
        let points =
            (0..600).map(|n| point(round * 600 + n, 1).with_payload("text", "x y z ".repeat(100))).collect();
        put(&store, points).await;
        let ids = (0..600).map(|n| Uuid::from_u128((round * 600 + n).into())).collect();
        store.delete(Collection::Entities, &Filter::Ids(ids)).await.unwrap();
        largest = largest.max(store.report().await.unwrap().disk_bytes.unwrap());
    }
    let store = open(root.path()).await;
    println!("at most {largest} bytes, {} in the end", store.report().await.unwrap().disk_bytes.unwrap());
    assert!(largest < 40 << 20, "{largest} bytes");
    put(&store, vec![point(1, 1)]).await;
    store.compact().await.unwrap();
    let left = store.report().await.unwrap().disk_bytes.unwrap();
    assert!(left < 12 << 20, "{left} bytes with one point");
}

/// The engine would make the file as long as that and read it.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_length_is_damage_and_no_file_of_terabytes() {
    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, vec![point(1, 7)]).await;
    let found = files_in(root.path()).into_iter();
    let found: Vec<PathBuf> = found.filter(|file| file.ends_with("deleted/status.dat")).collect();
    assert!(!found.is_empty());
    for status in &found {
        let whole = std::fs::read(status).unwrap();
        let mut damaged = whole.clone();
        damaged[5] ^= 0x80;
        std::fs::write(status, damaged).unwrap();
        let error = open_at_once(root.path()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("status.dat"), "{error}");
        std::fs::write(status, whole).unwrap();
    }
    open(root.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_first_format_opens_and_is_written_anew() {
    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, vec![point(1, 7), point(5, 5)]).await;
    // As the first format left it: no states, journals without a magic, and an entry that a crash truncated.
    std::fs::write(root.path().join("test.json"), r#"{"format":1,"dense_dimension":4}"#).unwrap();
    let mut journal = std::fs::read("tests/data/format-1.journal").unwrap();
    journal.extend([200, 0, 0, 0, 1, 2, 3, 4, 5]);
    for collection in Collection::ALL {
        std::fs::remove_file(root.path().join(format!("test_{collection}.state"))).unwrap();
        std::fs::write(root.path().join(format!("test_{collection}.journal")), b"").unwrap();
    }
    std::fs::write(root.path().join("test_entities.journal"), journal).unwrap();
    for _ in 0..2 {
        let store = open(root.path()).await;
        let page = store
            .scroll(Collection::Entities, &Filter::everything(), None, 9, &Select::EVERYTHING)
            .await
            .unwrap();
        let second =
            Point::new(Uuid::from_u128(2)).with_payload("workspace", "w").with_payload("text", "Zoë");
        assert_eq!(page.points, [second, point(3, 3), point(5, 5)]);
    }
    let manifest = std::fs::read_to_string(root.path().join("test.json")).unwrap();
    assert!(manifest.contains("\"format\":3"), "{manifest}");
    assert!(std::fs::read(root.path().join("test_entities.journal")).unwrap().starts_with(b"QVJRNL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_the_same_database_and_takes_no_other_one_s_place() {
    let root = tempfile::tempdir().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let back_up =
        async || EmbeddedStore::back_up(root.path(), "test", copy.path(), EmbeddedOptions::default()).await;
    assert_eq!(back_up().await.unwrap_err().kind(), ErrorKind::Invalid, "there is nothing to copy");
    put(&open(root.path()).await, (0..20).map(|number| point(number, 3)).collect()).await;
    let done = back_up().await.unwrap();
    assert!(done.files > 10 && done.unreadable.is_empty(), "{done:?}");
    assert_eq!(count(&open(copy.path()).await).await, 20);
    assert_eq!(back_up().await.unwrap_err().kind(), ErrorKind::Invalid, "there is a database");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root: it mounts a small file system"]
async fn twenty_megabytes_are_too_few_and_no_signal() {
    let root = tempfile::tempdir().unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=20m", "tmpfs"]).arg(root.path());
    assert!(mount.status().unwrap().success());
    let error = open_at_once(root.path()).await.map(drop);
    let grown = Command::new("mount").args(["-o", "remount,size=200m"]).arg(root.path()).status().unwrap();
    let store = open(root.path()).await;
    put(&store, (0..100).map(|number| point(number, 1)).collect()).await;
    drop(store);
    // Something else filled it: points can be read, and nothing can be written.
    let filler = root.path().join("filler");
    let _ = std::fs::write(&filler, vec![1_u8; 220 << 20]);
    let store = open_at_once(root.path()).await;
    let outcome = match &store {
        Ok(store) => {
            let read = store.count(Collection::Entities, &Filter::everything()).await;
            Ok((read, store.upsert(Collection::Entities, vec![point(7, 7)], WriteMode::Replace).await))
        }
        Err(error) => Err(error.kind()),
    };
    drop(store);
    let unmounted = Command::new("umount").arg(root.path()).status().unwrap();
    assert!(grown.success() && unmounted.success());
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Full);
    match outcome {
        Ok((read, written)) => {
            assert_eq!(read.unwrap(), 100);
            assert_eq!(written.unwrap_err().kind(), ErrorKind::Full);
        }
        Err(kind) => assert_eq!(kind, ErrorKind::Full),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_segments_are_closed_and_merged_loses_nothing_and_leaves_nothing_twice() {
    for (rounds, delay) in [(3, 100), (4, 0), (4, 300), (8, 50)] {
        let root = tempfile::tempdir().unwrap();
        let (mut child, mut output) = spawn_child_with(root.path(), &[(MANY, "1")]);
        for _ in 0..rounds {
            wait_for(&mut output, "acknowledged");
        }
        std::thread::sleep(std::time::Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = open(root.path()).await;
        let found = count(&store).await;
        assert!(found >= rounds * 2000, "{found} points, of {} that were acknowledged", rounds * 2000);
        let mut after = None;
        let mut read = 0;
        loop {
            let everything = Filter::everything();
            let page = store
                .scroll(Collection::Entities, &everything, after, 1000, &Select::EVERYTHING)
                .await
                .unwrap();
            for found in &page.points {
                let number = u64::try_from(found.id.as_u128()).unwrap();
                assert_eq!(*found, point(number, number / 2000));
            }
            read += page.points.len() as u64;
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!(read, found, "some points are there twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_a_closed_segment_is_found_replaced_and_deleted_as_before() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).await;
    for first in (0..20_000).step_by(2000) {
        put(&store, (first..first + 2000).map(|number| point(number, number)).collect()).await;
    }
    let best = async |store: &EmbeddedStore| {
        let target = Target::Sparse(SparseVector::from_pairs([(1, 1.0)]));
        let filter = Filter::everything();
        let search = Search {
            collection: Collection::Entities,
            target,
            filter,
            limit: 3,
            exact: true,
            select: Select::ID,
        };
        let found = store.search(&[search]).await.unwrap().remove(0);
        found.into_iter().map(|scored| scored.point.id.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(best(&store).await, [19_999, 19_998, 19_997]);
    put(&store, vec![point(19_998, 1), point(5, 30_000)]).await;
    store.delete(Collection::Entities, &Filter::Ids(vec![Uuid::from_u128(19_999)])).await.unwrap();
    assert_eq!(best(&store).await, [5, 19_997, 19_996]);
    assert_eq!(count(&store).await, 19_999);
    drop(store);
    let store = open(root.path()).await;
    assert_eq!(best(&store).await, [5, 19_997, 19_996]);
    assert_eq!(count(&store).await, 19_999);
    let read = store
        .fetch(Collection::Entities, &[5, 19_998].map(Uuid::from_u128), &Select::EVERYTHING)
        .await
        .unwrap();
    assert_eq!(read, [point(5, 30_000), point(19_998, 1)]);
}

/// Prints the cost of each two thousand points, and of opening after them.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: run it with --release --nocapture"]
async fn what_writing_and_opening_cost_as_a_collection_grows() {
    let root = tempfile::tempdir().unwrap();
    let text = "The cutter was built at the yard in the spring and sailed to the islands. ".repeat(8);
    let mut store = open(root.path()).await;
    for first in (0..24_000_u64).step_by(2000) {
        let points = (first..first + 2000)
            .map(|number| {
                // A few frequent terms, and many rare ones.
                let terms = (1..60_u64).map(|place| {
                    let term = number.wrapping_mul(0x9e37_79b9).wrapping_add(place * place * 7919);
                    (u32::try_from(term % (place * place + 5)).unwrap(), 1.0 + (term % 7) as f32)
                });
                Point::new(Uuid::from_u128(u128::from(number) << 64 | u128::from(number)))
                    .with_payload("text", text.clone())
                    .with_sparse(SparseVector::from_pairs(terms))
            })
            .collect();
        let began = std::time::Instant::now();
        put(&store, points).await;
        let written = began.elapsed();
        drop(store);
        let began = std::time::Instant::now();
        store = open(root.path()).await;
        let opened = began.elapsed();
        let bytes = store.report().await.unwrap().disk_bytes.unwrap();
        println!("{first:>6}: written in {written:.2?}, opened in {opened:.2?}, {} MB", bytes >> 20);
    }
}

/// Returns how often the files of the entities were rebuilt.
fn generation(root: &Path) -> u64 {
    let state = std::fs::read(root.join("test_entities.state")).unwrap();
    let state: serde_json::Value = serde_json::from_slice(&state).unwrap();
    state["state"]["generation"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn deletes_at_once_share_a_rebuild_and_each_is_gone_from_the_files_when_it_says_so() {
    const DELETES: u64 = 24;
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).await;
    let marked = |number: u64| point(number, 1).with_payload("text", format!("zxqvwk{number}mark"));
    put(&store, (0..DELETES).map(marked).chain((100..400).map(|number| point(number, 2))).collect()).await;
    let before = generation(root.path());
    let delete = async |number: u64| {
        let ids = vec![Uuid::from_u128(number.into())];
        store.delete(Collection::Entities, &Filter::Ids(ids)).await.unwrap();
        store.compact().await.unwrap();
        if !number.is_multiple_of(6) {
            return; // Reading all files takes time.
        }
        // A rebuild by another call may remove files while they are being read.
        let mark = format!("zxqvwk{number}mark");
        let holds = |path: &PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(&mark)
        };
        let found: Vec<_> = files_still_in(root.path()).into_iter().filter(holds).collect();
        assert_eq!(found, Vec::<PathBuf>::new(), "{number}");
    };
    futures::future::join_all((0..DELETES).map(delete)).await;
    let rebuilds = generation(root.path()) - before;
    assert!((1..=3).contains(&rebuilds), "{rebuilds} rebuilds for {DELETES} deletes");
    assert_eq!(count(&store).await, 300);
}

/// Returns the files of a directory while others are being removed from it.
fn files_still_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_still_in(&path)) } else { files.push(path) }
    }
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_go_on_during_a_rebuild_which_loses_nothing_of_theirs() {
    const POINTS: u64 = 4000;
    const ROUNDS: u64 = 3;
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(open(root.path()).await);
    put(&*store, (0..POINTS).map(|number| point(number, 1)).collect()).await;
    let model = quiver_store::MemoryStore::open(SCHEMA);
    put(&model, (0..POINTS).map(|number| point(number, 1)).collect()).await;
    let (mut version, mut meanwhile) = (1, 0);
    for round in 0..ROUNDS {
        let ids: Vec<_> =
            (round * 10..round * 10 + 10).map(|number| Uuid::from_u128(number.into())).collect();
        for store in [&*store as &dyn PointStore, &model] {
            store.delete(Collection::Entities, &Filter::Ids(ids.clone())).await.unwrap();
        }
        let rebuilding = Arc::clone(&store);
        let rebuild = tokio::spawn(async move { rebuilding.compact().await.unwrap() });
        let began = generation(root.path());
        while !rebuild.is_finished() {
            version += 1;
            // At both ends of the copied range, and new points: replaced, without vectors, deleted, deleted and created
            // again.
            let at = version * 37 % (POINTS - 200);
            let mut points: Vec<_> =
                [at, at + 1, POINTS - 1 - at, POINTS + version].map(|n| point(n, version)).to_vec();
            points.push(Point::new(Uuid::from_u128((at + 2).into())).with_payload("version", version));
            let ids = [at + 3, at + 4, POINTS + version - 1].map(|number| Uuid::from_u128(number.into()));
            for store in [&*store as &dyn PointStore, &model] {
                store.delete(Collection::Entities, &Filter::Ids(ids.to_vec())).await.unwrap();
                put(store, points.clone()).await;
                put(store, vec![point(at + 4, version)]).await;
            }
            meanwhile += u64::from(generation(root.path()) == began && !rebuild.is_finished());
        }
        rebuild.await.unwrap();
        assert!(generation(root.path()) > began, "there was something to rebuild");
    }
    assert!(meanwhile > ROUNDS, "only {meanwhile} writes ended before the rebuild that they met");
    let everything = async |store: &dyn PointStore| {
        let everything = Filter::everything();
        store
            .scroll(Collection::Entities, &everything, None, 99_999, &Select::EVERYTHING)
            .await
            .unwrap()
            .points
    };
    let expected = everything(&model).await;
    assert_eq!(everything(&*store).await, expected);
    drop(store);
    assert_eq!(everything(&open(root.path()).await).await, expected, "and when it is opened again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_files_are_rebuilt_beside_writers_loses_nothing_that_was_acknowledged() {
    let root = tempfile::tempdir().unwrap();
    for round in 0..6_u64 {
        let (mut child, mut output) = spawn_child_with(root.path(), &[(BESIDE, "1")]);
        for _ in 0..=(3 * round) {
            wait_for(&mut output, "acknowledged");
        }
        std::thread::sleep(std::time::Duration::from_millis(17 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        let _ = std::io::Read::read_to_string(&mut output, &mut rest);
        let store = open(root.path()).await;
        let acknowledged =
            rest.lines().filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok());
        let last = acknowledged.max().unwrap_or(3 * round + 1);
        let ids: Vec<_> = (0..400).map(Uuid::from_u128).collect();
        let found = store.fetch(Collection::Entities, &ids, &Select::EVERYTHING).await.unwrap();
        assert_eq!(found.len(), 400, "round {round}");
        for found in found {
            let version = found.payload["version"].as_u64().unwrap();
            assert!(version >= last, "round {round}: version {version} after {last} was acknowledged");
            assert_eq!(found, point(u64::try_from(found.id.as_u128()).unwrap(), version), "round {round}");
        }
        // What was deleted before the last writes stays deleted, and a rebuild removes it from the files.
        let gone: Vec<_> = (1..last).map(|version| Uuid::from_u128((10_000 + version).into())).collect();
        assert_eq!(store.fetch(Collection::Entities, &gone, &Select::ID).await.unwrap(), [], "round {round}");
        store.delete(Collection::Entities, &Filter::Not(Box::new(Filter::Ids(ids)))).await.unwrap();
        store.compact().await.unwrap();
        assert_eq!(files_with(root.path(), "zxqvwk"), Vec::<PathBuf>::new(), "round {round}");
    }
}
