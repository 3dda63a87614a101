//! The bundled questions: Recall@5 of the graph, overall and in each larger group, is at least that of plain search, with
//! a limited number of calls.
//!
//! The set has passages with and without titles, tickets, and questions in German, Spanish, Russian and Chinese.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use quiver::{AskOptions, CrossOptions, Document, Question, Quiver, Ranked, RerankSetting};
use quiver_eval::{
    arms::Method,
    record::{Group, Record},
    retrieval::{RetrievalOptions, retrieval},
    store::StoreSetting,
};
use serde_json::Value;

/// Maximum mean number of calls per question: four round trips of search, at most three hops of two each, the bridges,
/// and what each of these reads.
const STORE_CALLS_MAX: f64 = 20.0;
/// In a smaller group, one passage is more than a point.
const GROUP_MIN: usize = 40;

async fn run(without_titles: bool) -> Record {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/multihop");
    let options = RetrievalOptions {
        questions: set.join("questions.jsonl"),
        corpus: set.join("corpus.jsonl"),
        triples: None,
        embedder: "lexical".parse().unwrap(),
        rerank: RerankSetting::None,
        rerank_weight: CrossOptions::default().weight,
        store: StoreSetting::Memory,
        method: vec![Method::GraphFast, Method::Graph],
        top: 5,
        limit: None,
        without_titles,
        without_answers: true,
        json: None,
    };
    retrieval(&options, &|_| {}).await.unwrap()
}

fn is_at_least_hybrid(record: &Record, methods: &[&str]) {
    let hybrid = record.method("hybrid").unwrap();
    for method in methods {
        let graph = record.method(method).unwrap();
        assert!(graph.recall[&5] >= hybrid.recall[&5], "{method}: {:?}, {:?}", graph.recall, hybrid.recall);
        for group in graph.groups.iter().filter(|group| group.questions >= GROUP_MIN) {
            let is_same = |plain: &&Group| (&plain.by, &plain.value) == (&group.by, &group.value);
            let plain = hybrid.groups.iter().find(is_same).unwrap();
            assert!(group.recall[&5] >= plain.recall[&5], "{method}: {group:?}, {plain:?}");
        }
        assert!(graph.cost.store_calls <= STORE_CALLS_MAX, "{method}: {} calls", graph.cost.store_calls);
    }
}

#[tokio::test]
async fn recall_at_5_of_the_graph_is_at_least_that_of_plain_search() {
    is_at_least_hybrid(&run(false).await, &["graph", "graph-fast"]);
}

#[tokio::test]
async fn so_it_is_where_no_passage_has_a_title() {
    is_at_least_hybrid(&run(true).await, &["graph", "graph-fast"]);
}

/// All passages are paragraphs of one document without a title, in file order, so the subject of a passage has to be
/// read from its text.
#[tokio::test]
async fn so_it_is_in_sum_over_one_long_document() {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/multihop");
    let read = |file: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(set.join(file)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let passages = read("corpus.jsonl");
    let texts: Vec<&str> = passages.iter().map(|passage| passage["text"].as_str().unwrap()).collect();
    // Maps the beginning of a passage to its ID, so that any chunk with that beginning counts as found.
    let begins = |id: &Value| {
        let passage = passages.iter().find(|passage| passage["id"] == *id).unwrap();
        passage["text"].as_str().unwrap().chars().take(40).collect::<String>()
    };
    let quiver = Quiver::in_memory().await.unwrap();
    let receipt = quiver.ingest([Document::new("book", texts.join("\n\n"))]).await.unwrap();
    assert!(receipt.passages_written > 50, "{receipt:?}");
    let (mut graph, mut plain) = (0.0, 0.0);
    for question in read("questions.jsonl") {
        let options = AskOptions { passages_limit: 1000, ..AskOptions::default() };
        let text = question["question"].as_str().unwrap();
        let evidence = quiver.retrieve(Question::new(text).with_options(options)).await.unwrap();
        let gold: Vec<String> = question["gold"].as_array().unwrap().iter().map(begins).collect();
        let recall = |ranked: &[Ranked]| {
            let top = &ranked[..ranked.len().min(5)];
            let is_found =
                |gold: &&String| top.iter().any(|ranked| ranked.passage.text.contains(gold.as_str()));
            gold.iter().filter(is_found).count() as f64 / gold.len().max(1) as f64
        };
        let mut by_plain_search = evidence.passages.clone();
        graph += recall(&evidence.passages);
        by_plain_search.sort_by(|a, b| b.plain.total_cmp(&a.plain));
        plain += recall(&by_plain_search);
    }
    assert!(graph >= plain, "graph {graph:.1}, plain search {plain:.1}");
    println!(
        "one long document: graph {graph:.1}, plain search {plain:.1} questions' worth of passages found"
    );
}
