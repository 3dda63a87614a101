//! The memory on every backend: the same exports, the same lines, and few calls.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(any(feature = "embedded", feature = "server"))]
use quiver::Location;
use quiver::{
    Quiver,
    memory::{Fact, FactsOptions, Forget, RecallOptions, Turn},
};

const QUESTIONS: [&str; 4] = [
    "Who maintains what the importer depends on?",
    "What does Harbour own?",
    "Where is the service that Mo maintains hosted?",
    "Who won the regatta in Cowes?",
];

fn turns() -> Vec<Turn> {
    let said = [
        ("The importer depends on Redis.", Some(Fact::new("importer", "depends on", "Redis"))),
        ("Redis is maintained by Mo.", None),
        ("Harbour owns billing.", Some(Fact::new("Harbour", "owns", "billing"))),
        ("Sounds good.", None),
        ("Harbour owns search.", Some(Fact::new("Harbour", "owns", "search"))),
        ("Redis is hosted in Lund.", None),
        ("From now on Redis is maintained by Ines.", None),
        ("Mo maintains Kafka. It is hosted in Riga.", None),
    ];
    let turns = said.into_iter().enumerate().map(|(at, (text, fact))| {
        let time = i64::try_from(at).unwrap() * 1_000 + 1;
        let turn = Turn::new("s", text).by("Ada").at(time).numbered(at as u64);
        if let Some(fact) = fact { turn.stating(fact) } else { turn }
    });
    turns.collect()
}

/// All that a walk leaves to compare.
async fn walk(quiver: Quiver) -> Vec<String> {
    let mut seen = Vec::new();
    for turn in turns() {
        quiver.remember(vec![turn]).await.unwrap();
    }
    seen.push(export(&quiver).await);
    for question in QUESTIONS {
        for as_of in [None, Some(4_500)] {
            let options = RecallOptions { as_of, session: Some("s".to_owned()), ..RecallOptions::default() };
            let recalled = quiver.recall(question).options(options).await.unwrap();
            seen.push(format!("{} {:?} {:?}", recalled.text(), recalled.path, recalled.no_answer));
        }
    }
    let history = FactsOptions { history: true, ..FactsOptions::default() };
    seen.extend(quiver.facts("Redis").options(history).await.unwrap().iter().map(|fact| format!("{fact:?}")));
    seen.extend(quiver.sessions().await.unwrap().iter().map(|session| format!("{session:?}")));
    quiver.forget(&Forget::About("Harbour".to_owned())).await.unwrap();
    seen.push(export(&quiver).await);
    assert_eq!(quiver.verify().await.unwrap(), []);
    seen
}

async fn export(quiver: &Quiver) -> String {
    let mut lines = Vec::new();
    quiver.export().vectors().write_to(&mut lines).await.unwrap();
    String::from_utf8(lines).unwrap()
}

async fn in_memory() -> Vec<String> {
    walk(Quiver::in_memory().await.unwrap()).await
}

#[tokio::test]
async fn two_runs_see_the_same() {
    let seen = in_memory().await;
    assert!(seen[1].starts_with("importer → ") || seen[1].contains("Ines"), "{seen:#?}");
    assert_eq!(seen, in_memory().await);
}

#[cfg(feature = "embedded")]
#[tokio::test]
async fn the_embedded_engine_sees_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Directory(directory.path().to_owned());
    let embedded = Quiver::builder().location(location).open().await.unwrap();
    assert_eq!(walk(embedded).await, in_memory().await);
}

#[cfg(feature = "server")]
#[tokio::test]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn a_server_sees_the_same() {
    let server = crate::server::Server::find();
    let mut options = quiver::store::ServerOptions::new(&server.url);
    options.prefix = format!("memory_{}", std::process::id());
    let shared = Quiver::builder().location(Location::Server(options)).open().await.unwrap();
    assert_eq!(walk(shared).await, in_memory().await);
}
