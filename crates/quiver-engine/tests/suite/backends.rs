//! The whole walk, in and out, on every backend: the same graph, the same answers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use crate::common::{engine, handbook};
use quiver::{Location, Quiver, Stats, memory::Turn};

const QUESTIONS: [&str; 3] = [
    "What must be monitored with the first-line drug for type 2 diabetes?",
    "Who directs the laboratory that measures what must be monitored with metformin?",
    "What lowers the urate in gout?",
];

/// All that a walk leaves to compare: the exports on the way, and the evidence with its scores.
async fn walk(quiver: Quiver) -> Vec<String> {
    let mut seen = Vec::new();
    quiver.ingest(handbook()).await.unwrap();
    seen.push(export(&quiver).await);
    for question in QUESTIONS {
        let answer = quiver.ask(question).await.unwrap();
        for ranked in &answer.evidence.passages {
            seen.push(format!("{} {:?}", ranked.passage.document, ranked.score));
        }
        seen.push(format!("{:?}", answer.text));
    }
    quiver.ingest(handbook()).await.unwrap();
    quiver.delete("renal-function").await.unwrap();
    assert_eq!(quiver.verify().await.unwrap(), []);
    seen.push(export(&quiver).await);
    for document in quiver.documents().await.unwrap() {
        quiver.delete(&document.key).await.unwrap();
    }
    let stats = quiver.stats().await.unwrap();
    assert_eq!((stats.entities, stats.relations, stats.passages), (0, 0, 0));
    seen
}

async fn export(quiver: &Quiver) -> String {
    let mut lines = Vec::new();
    quiver.export().vectors().write_to(&mut lines).await.unwrap();
    String::from_utf8(lines).unwrap()
}

async fn in_memory() -> Vec<String> {
    walk(engine(Vec::new()).await).await
}

#[cfg(any(feature = "embedded", feature = "server"))]
async fn at(location: Location, prefix: &str) -> Quiver {
    Quiver::builder().location(location).prefix(prefix).open().await.unwrap()
}

fn directory(path: &Path) -> Location {
    Location::Directory(path.to_owned())
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn stats_read_points_only_after_a_write() {
    let root = tempfile::tempdir().unwrap();
    let open = async || at(directory(root.path()), "test").await;
    // What a fresh process reports, and how many calls it took that read points.
    let stats = async || {
        let quiver = open().await;
        let stats = Stats { disk_bytes: None, ..quiver.stats().await.unwrap() };
        let turns = quiver.graph().count_turns().await.unwrap();
        let report = quiver.graph().store().report().await.unwrap();
        let beside = ["version", "read_derived", "write_derived", "report"];
        let reading = report.calls.iter().filter(|call| !beside.contains(&call.operation));
        (stats, turns, reading.map(|call| call.calls).sum::<u64>())
    };
    let quiver = open().await;
    quiver.ingest(handbook()).await.unwrap();
    drop(quiver);
    let (first, turns, reading) = stats().await;
    assert!(reading > 0 && turns == 0, "{reading} calls, {turns} turns");
    assert_eq!(stats().await, (first.clone(), 0, 0));

    let quiver = open().await;
    quiver.delete("renal-function").await.unwrap();
    quiver.remember([Turn::new("s", "Max moved to Oslo.").by("Ada")]).await.unwrap();
    drop(quiver);
    let (second, turns, reading) = stats().await;
    assert!(reading > 0 && turns > 0, "{reading} calls, {turns} turns");
    assert_eq!(second.documents, first.documents - 1);
    assert_eq!(stats().await, (second, turns, 0));
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_engine_walks_as_memory_does() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(walk(at(directory(home.path()), "quiver").await).await, in_memory().await);
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_there_after_opening_again() {
    let home = tempfile::tempdir().unwrap();
    let quiver = at(directory(home.path()), "quiver").await;
    quiver.ingest(handbook()).await.unwrap();
    let before = export(&quiver).await;
    drop(quiver);
    assert_eq!(export(&at(directory(home.path()), "quiver").await).await, before);
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn another_embedder_is_refused_with_both_names_and_the_mend() {
    use std::sync::Arc;

    use quiver::models::{Encoder, testing::HashEmbedder};

    let home = tempfile::tempdir().unwrap();
    drop(at(directory(home.path()), "quiver").await);
    let encoder = Encoder::with_embedder(Arc::new(HashEmbedder::default()));
    let name = encoder.embedder().unwrap().fingerprint().model.clone();
    let opened = Quiver::builder().location(directory(home.path())).encoder(encoder).open().await;
    let error = opened.unwrap_err();
    assert_eq!(error.kind(), quiver::ErrorKind::Mismatch);
    let text = error.to_string();
    assert!(text.contains("lexical") && text.contains(&name) && text.contains("import"), "{text}");
}

#[cfg(not(feature = "embedded"))]
#[tokio::test]
async fn a_directory_needs_the_embedded_engine() {
    let opened = Quiver::builder().location(directory(Path::new("anywhere"))).open().await;
    assert!(opened.unwrap_err().to_string().contains("feature `embedded`"));
    assert!(!in_memory().await.is_empty());
}

#[cfg(feature = "server")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn a_server_walks_as_memory_does() {
    let server = crate::server::Server::find();
    let prefix = format!("walk_{}", std::process::id());
    let options = quiver::store::ServerOptions::new(&server.url);
    let quiver = at(Location::Server(options), &prefix).await;
    assert_eq!(walk(quiver).await, in_memory().await);
}

#[cfg(feature = "server")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn databases_of_two_prefixes_on_one_server_know_nothing_of_each_other() {
    let server = crate::server::Server::find();
    let options = || quiver::store::ServerOptions::new(&server.url);
    let [by_builder, by_options] = ["builder", "options"].map(|way| format!("{way}_{}", std::process::id()));
    let full = at(Location::Server(options()), &by_builder).await;
    full.ingest(handbook()).await.unwrap();
    let mut of_options = options();
    of_options.prefix.clone_from(&by_options);
    let empty = Quiver::builder().location(Location::Server(of_options.clone())).open().await.unwrap();
    assert_eq!(empty.documents().await.unwrap(), []);
    empty.ingest(handbook().into_iter().take(1)).await.unwrap();
    assert_eq!(empty.documents().await.unwrap().len(), 1);
    assert_eq!(full.documents().await.unwrap().len(), handbook().len());
    // What the builder says goes before what the options say.
    let again = at(Location::Server(of_options), &by_builder).await;
    assert_eq!(export(&again).await, export(&full).await);
}
