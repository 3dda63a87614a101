//! The bundled questions: following the graph is never worse than plain search, and costs a bounded number of calls.
//!
//! The set has passages with titles and without, tickets, and questions in German, Spanish, Russian and Chinese.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use quiver::{CrossOptions, RerankSetting};
use quiver_eval::{
    arms::Method,
    record::{Group, Record},
    retrieval::{RetrievalOptions, retrieval},
    store::StoreSetting,
};

/// What a question costs at the most, on average: four round trips of search, at most three hops of two each, the
/// bridges, and what each of these reads.
const STORE_CALLS_MAX: f64 = 20.0;
/// In a group of fewer questions than this one passage is more than a point.
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

fn never_worse(record: &Record, methods: &[&str]) {
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
async fn the_graph_is_never_worse_than_plain_search() {
    never_worse(&run(false).await, &["graph", "graph-fast"]);
}

#[tokio::test]
async fn nor_is_it_where_no_passage_has_a_title() {
    never_worse(&run(true).await, &["graph"]);
}
