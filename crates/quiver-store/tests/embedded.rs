//! The embedded store against the contract, and against what happens to directories.
#![cfg(all(feature = "conformance", feature = "embedded"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use async_trait::async_trait;
use quiver_store::{
    Collection, EmbeddedStore, ErrorKind, Filter, Point, PointStore, Schema, Search, Select, SparseVector,
    Target, WriteMode,
    conformance::{SCHEMA, Site, run},
};
use uuid::Uuid;

/// Where a child process is to open its store, and what it is to do there.
const CHILD: &str = "QUIVER_TEST_CHILD";

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

/// What a child process does; in the test run itself, nothing.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let store = open(Path::new(&path)).await;
    println!("\nopened");
    // Until it is killed: the same hundred points again and again, and one that is new each time.
    for version in 1.. {
        let mut points: Vec<_> = (0..100).map(|number| point(number, version)).collect();
        points.push(point(1000 + version, version));
        put(&store, points).await;
        println!("\nacknowledged {version}");
    }
}

fn spawn_child(path: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
        .env(CHILD, path)
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
    let error = EmbeddedStore::open(root.path(), "test", SCHEMA).await.unwrap_err();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
    assert!(error.to_string().contains(&child.id().to_string()), "{error}");
    assert!(error.to_string().contains(&root.path().display().to_string()), "{error}");
    // Another prefix is another database.
    EmbeddedStore::open(root.path(), "other", SCHEMA).await.unwrap();
    let again = open(root.path()).await;
    let error = EmbeddedStore::open(root.path(), "test", SCHEMA).await.unwrap_err();
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
        // What it said before it died and was not read yet counts too.
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

/// Something that can happen to the directory of a database.
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
        assert!(error.to_string().contains("restore"), "{what}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_claimed_for_a_moment_are_waited_for() {
    let root = tempfile::tempdir().unwrap();
    put(&open(root.path()).await, vec![point(1, 1)]).await;
    // As a child process does that is just being started.
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
                    // Its own writes are seen at once.
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
