//! The whole process: files, index, questions, record, report.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::{fs, path::Path};

use quiver::{CrossOptions, RerankSetting};
use quiver_eval::{
    arms::Method,
    print::print,
    record::{Record, parse},
    report::report,
    retrieval::{RetrievalOptions, retrieval},
    store::StoreSetting,
};

const CORPUS: &str = r#"{"id": "lighthouse", "title": "Catsholm", "text": "Catsholm is an island in Lake Orrin. Its lighthouse was built by Ilse Vantongeren."}
{"id": "builder", "title": "Ilse Vantongeren", "text": "Ilse Vantongeren was a cartographer. She was born in Dunmere in 1761."}
{"id": "town", "title": "Dunmere", "text": "Dunmere is a town of about 23,000 people. A mint worked here until 1702."}
{"id": "river", "title": "Tamsel", "text": "The Tamsel enters Lake Orrin after 212 kilometres."}
{"id": "bread", "text": "Rye bread of the region is baked twice and keeps for a month."}
"#;
const QUESTIONS: &str = r#"{"id": "q1", "question": "Where was the builder of the Catsholm lighthouse born?", "answers": ["Dunmere"], "type": "bridge", "gold": ["lighthouse", "builder"]}
{"id": "q2", "question": "How long does rye bread keep?", "answers": ["a month"], "type": "single", "gold": ["bread"]}
{"id": "q3", "question": " ", "answers": ["nothing"], "type": "single", "gold": ["town"]}
"#;

fn options(directory: &Path) -> RetrievalOptions {
    let (questions, corpus) = (directory.join("questions.jsonl"), directory.join("corpus.jsonl"));
    fs::write(&questions, QUESTIONS).unwrap();
    fs::write(&corpus, CORPUS).unwrap();
    RetrievalOptions {
        questions,
        corpus,
        triples: None,
        embedder: "lexical".parse().unwrap(),
        rerank: RerankSetting::None,
        rerank_weight: CrossOptions::default().weight,
        store: StoreSetting::Memory,
        method: vec![Method::Graph],
        top: 5,
        limit: None,
        without_titles: false,
        without_answers: false,
        json: None,
    }
}

fn bytes(record: &Record) -> String {
    serde_json::to_string_pretty(&record.clone().comparable()).unwrap()
}

#[tokio::test]
async fn a_run_finds_judges_and_tells() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(directory.path());
    let record = retrieval(&options, &|_| {}).await.unwrap();
    let methods: Vec<&str> = record.methods.iter().map(|summary| summary.method.as_str()).collect();
    assert_eq!(methods, ["bm25", "tfidf", "hybrid", "graph"], "naive arms are always there");
    let graph = record.method("graph").unwrap();
    // Two of three questions find everything they need; the failed one counts as zero and is listed.
    assert!((graph.recall[&5] - 2.0 / 3.0).abs() < 1e-9, "{:?}", graph.recall);
    assert!((graph.all_gold_5 - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!(graph.failed, 1);
    let failed: Vec<(&str, &str)> =
        record.failed.iter().map(|failure| (failure.id.as_str(), failure.method.as_str())).collect();
    assert!(failed.contains(&("q3", "graph")), "{failed:?}");
    assert!(graph.cost.store_calls >= 1.0 && graph.cost.points_read >= 1.0, "{:?}", graph.cost);
    assert!(graph.answers.is_some() && record.method("hybrid").unwrap().answers.is_none());
    assert_eq!((record.index.passages, record.index.passages_written), (5, 5));
    assert_eq!(record.fingerprints.corpus.blake3, blake3::hash(CORPUS.as_bytes()).to_hex().to_string());
    let groups: Vec<&str> = graph.groups.iter().map(|group| group.value.as_str()).collect();
    assert_eq!(groups, ["bridge", "single", "1", "2"]);
    let first = &record.questions[0].methods["graph"];
    assert_eq!(first.retrieved.len(), first.paths.len());
    assert!(first.retrieved[..2].contains(&"lighthouse".to_owned()), "{:?}", first.retrieved);
}

#[tokio::test]
async fn the_same_run_gives_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(directory.path());
    let first = retrieval(&options, &|_| {}).await.unwrap();
    let second = retrieval(&options, &|_| {}).await.unwrap();
    assert_eq!(bytes(&first), bytes(&second));
}

#[cfg(feature = "embedded")]
#[tokio::test]
async fn the_embedded_store_gives_the_same_bytes_as_memory() {
    let directory = tempfile::tempdir().unwrap();
    let memory = options(directory.path());
    let kept = StoreSetting::Embedded(Some(directory.path().join("store")));
    let embedded = RetrievalOptions { store: kept, ..memory.clone() };
    let memory = retrieval(&memory, &|_| {}).await.unwrap();
    let first = retrieval(&embedded, &|_| {}).await.unwrap();
    // If one process holds a store, it need not be asked for decisions again.
    let mut alike = first.clone();
    for (one, other) in alike.methods.iter_mut().zip(&memory.methods) {
        assert!(one.cost.store_calls <= other.cost.store_calls, "{}", one.method);
        one.cost.store_calls = other.cost.store_calls;
    }
    assert_eq!(bytes(&memory), bytes(&alike));
    assert!(first.index.measured.disk_bytes > Some(0));
    let again = retrieval(&embedded, &|_| {}).await.unwrap();
    assert_eq!((again.index.passages_written, again.results_blake3), (0, first.results_blake3));
    // Another corpus in the same directory does not mix with the first one.
    fs::write(&embedded.corpus, CORPUS.replace("\"bread\"", "\"loaf\"")).unwrap();
    fs::write(&embedded.questions, QUESTIONS.replace("\"bread\"", "\"loaf\"")).unwrap();
    let other = retrieval(&embedded, &|_| {}).await.unwrap();
    assert_eq!((other.index.passages, other.index.passages_written), (5, 5));
}

#[tokio::test]
async fn a_report_is_made_of_records_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = options(directory.path());
    let with_titles = retrieval(&options, &|_| {}).await.unwrap();
    options.without_titles = true;
    options.limit = Some(2);
    let without = retrieval(&options, &|_| {}).await.unwrap();
    assert_eq!(without.dataset.questions, 2);
    let read: Vec<Record> = [&with_titles, &without]
        .iter()
        .map(|record| parse(&serde_json::to_string(record).unwrap()).unwrap())
        .collect();
    assert_eq!(bytes(&read[0]), bytes(&with_titles));
    let report = report(&read);
    for part in [
        "| questions, lexical on memory |",
        "## questions, without titles, lexical on memory",
        "--questions questions.jsonl --corpus corpus.jsonl --embedder lexical --store memory --method graph --top 5 --limit 2 --without-titles",
        "| type bridge | 1 | 100.0 |",
        "- `q3` by graph: understanding the question: the question is empty",
    ] {
        assert!(report.contains(part), "{part} is missing in:\n{report}");
    }
}

#[tokio::test]
async fn a_reranker_is_in_the_record_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = RetrievalOptions { rerank: RerankSetting::Chat, ..options(directory.path()) };
    let error = retrieval(&options, &|_| {}).await.unwrap_err();
    assert!(error.to_string().contains("give none or fastembed:NAME_OR_DIRECTORY"), "{error}");
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/quiver-models/tests/cross-encoder");
    options.rerank = RerankSetting::FastEmbed { model: stand_in.to_string_lossy().into_owned() };
    // A build without the feature, or a machine without the ONNX runtime, reports what is missing.
    let record = match retrieval(&options, &|_| {}).await {
        Ok(record) => record,
        Err(error) => {
            let said = format!("{error:#}");
            assert!(said.contains("feature fastembed") || said.contains("pip install"), "{said}");
            return;
        }
    };
    let fingerprint = record.fingerprints.reranker.clone().unwrap();
    assert!(
        fingerprint.starts_with("cross-encoder@") && fingerprint.ends_with("weight 0.25"),
        "{fingerprint}"
    );
    assert_eq!(record.method("graph").unwrap().degraded, 0);
    let mut printed = Vec::new();
    print(&record, &mut printed).unwrap();
    assert!(String::from_utf8(printed).unwrap().contains(&format!("are ordered by {fingerprint}")));
    let report = report(&[parse(&serde_json::to_string(&record).unwrap()).unwrap()]);
    assert!(report.contains("--rerank fastembed:") && report.contains("--rerank-weight 0.25"), "{report}");
}

#[test]
fn other_records_are_refused() {
    assert!(parse("{}").unwrap_err().to_string().contains("no record"));
    let newer = r#"{"record": "quiver-eval retrieval", "version": 99}"#;
    assert!(parse(newer).unwrap_err().to_string().contains("version 99"));
}

#[cfg(feature = "embedded")]
#[tokio::test]
async fn speed_is_measured_on_a_database_of_its_own() {
    use quiver_eval::speed::{SpeedOptions, speed};

    let directory = tempfile::tempdir().unwrap();
    let RetrievalOptions { questions, corpus, embedder, .. } = options(directory.path());
    // The third question can't be asked.
    let speed = speed(&SpeedOptions { questions, corpus, embedder, limit: Some(2) }).await.unwrap();
    assert_eq!((speed.passages, speed.questions), (5, 2));
    assert!(speed.ingest_ms > 0.0 && speed.open_ms > 0.0 && speed.ask_ms.p50 > 0.0, "{speed:?}");
    let mut lines = Vec::new();
    speed.print(&mut lines).unwrap();
    assert_eq!(String::from_utf8(lines).unwrap().lines().count(), 4);
}
