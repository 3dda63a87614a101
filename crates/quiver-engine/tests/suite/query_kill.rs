//! A process that is killed while it applies a query leaves all of what the query writes, or nothing of it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use quiver::Quiver;

/// Names the directory in which the child writes.
const DIRECTORY: &str = "QUIVER_TEST_QUERY_KILL";
/// Sets properties, deletes nodes with their relationships, creates others, and merges one: the next generation.
const NEXT: &str = "MATCH (s:State) SET s.g = s.g + 1
    WITH s OPTIONAL MATCH (s)-[:HAS]->(old:Item) DETACH DELETE old
    WITH DISTINCT s UNWIND range(1, 25) AS i
    CREATE (s)-[:HAS {g: s.g}]->(item:Item {g: s.g, i: i})
    MERGE (t:Total {name: 'total'})
    SET t.g = s.g
    CREATE (t)-[:COUNTS {g: s.g}]->(item)";

async fn one(quiver: &Quiver, query: &str) -> String {
    let found = quiver.query(query).await.unwrap();
    found.rows.iter().flatten().map(|value| found.text(value)).collect::<Vec<_>>().join(" ")
}

/// Asserts that all that is there is of one generation, and returns it.
async fn generation(quiver: &Quiver) -> String {
    assert_eq!(quiver.verify().await.unwrap(), []);
    let generation = one(quiver, "MATCH (s:State) RETURN s.g").await;
    if generation == "0" {
        assert_eq!(one(quiver, "MATCH (n) RETURN count(n)").await, "1");
        return generation;
    }
    let all = [
        ("MATCH (n:Item) RETURN count(n), min(n.g), max(n.g), count(DISTINCT n.i)", "25"),
        ("MATCH (:State)-[r:HAS]->(n:Item) RETURN count(r), min(r.g), max(r.g), count(DISTINCT n)", "25"),
        ("MATCH (:Total)-[r:COUNTS]->(n:Item) RETURN count(r), min(r.g), max(r.g), count(DISTINCT n)", "25"),
        ("MATCH (t:Total) RETURN count(t), min(t.g), max(t.g), count(DISTINCT t.name)", "1"),
    ];
    for (query, count) in all {
        assert_eq!(one(quiver, query).await, format!("{count} {generation} {generation} {count}"), "{query}");
    }
    assert_eq!(one(quiver, "MATCH ()-[r]->() RETURN count(r)").await, "50");
    assert_eq!(one(quiver, "MATCH (n) RETURN count(n)").await, "27", "nothing else is counted");
    generation
}

/// What is killed: it writes one generation after the other.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the other test starts it, and kills it"]
async fn writes_until_it_is_killed() {
    let Some(directory) = env::var_os(DIRECTORY) else { return };
    let directory = Path::new(&directory);
    let quiver = Quiver::open(directory.join("database")).await.unwrap();
    fs::write(directory.join("open"), "").unwrap();
    loop {
        quiver.query(NEXT).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_killed_is_whole_or_absent() {
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("database");
    let quiver = Quiver::open(&database).await.unwrap();
    quiver.query("CREATE (:State {g: 0})").await.unwrap();
    drop(quiver);
    let mut generations = vec!["0".to_owned()];
    for round in 0..10_u64 {
        let _ = fs::remove_file(home.path().join("open"));
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "query_kill::writes_until_it_is_killed", "--ignored"])
            .env(DIRECTORY, home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while !home.path().join("open").exists() {
            assert!(began.elapsed() < Duration::from_mins(1), "the child opens the database");
            assert!(child.try_wait().unwrap().is_none(), "the child goes on until it is killed");
            sleep(Duration::from_millis(2));
        }
        // Moments that are spread over what one query takes.
        sleep(Duration::from_millis(20 + round * 37));
        child.kill().unwrap();
        child.wait().unwrap();
        let quiver = Quiver::open(&database).await.unwrap();
        generations.push(generation(&quiver).await);
        quiver.query(NEXT).await.unwrap();
        generations.push(generation(&quiver).await);
    }
    assert!(generations.is_sorted_by_key(|generation| generation.parse::<u64>().unwrap()), "{generations:?}");
}
