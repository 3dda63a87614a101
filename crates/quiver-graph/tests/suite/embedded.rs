//! The graph in the embedded engine: the same as in memory, before and after reopening.

use std::{path::Path, sync::Arc};

use quiver_graph::{Direction, ExpandOptions, Graph, Hop, Meta, Relation, Workspace, expand};
use quiver_store::{EmbeddedStore, Filter, PointStore, Target};

use crate::{
    hub::assert_bounded,
    support::{Doc, EMBEDDER, assert_references_resolve, delta, export, graph, id_of, passages, sparse},
};

async fn open(path: &Path) -> Arc<dyn PointStore> {
    Arc::new(EmbeddedStore::open(path, "tests", Graph::schema(None)).await.unwrap())
}

fn docs() -> Vec<Doc> {
    vec![
        Doc::new("a", "Marie married Pierre 10; Marie discovered радий; 居里夫人").at(3),
        Doc::new("b", "Pierre taught Paul; Paul admired Marie").at(1),
        Doc::new("c", "Marie married Pierre 10; Irene studied радий; Warsaw"),
    ]
}

/// What can be asked of a graph, printed.
async fn answers(graph: &Graph) -> String {
    let here = graph.workspace();
    let from = [id_of(here, "Marie"), id_of(here, "Paul")];
    let targets = [Target::Sparse(sparse("discovered радий").sparse)];
    let hop = Hop {
        from: &from,
        direction: Direction::Both,
        predicates: &[],
        valid_at: Some(20),
        targets: &targets,
        limit: 3,
    };
    let seeds = [(from[0], 1.0)];
    let subgraph = expand(graph, &seeds, &targets, &ExpandOptions::default(), |_| 0.5).await.unwrap();
    let names = ["marie", "居里夫人", "nobody"].map(str::to_owned);
    let statistics = graph.refresh_statistics().await.unwrap();
    format!(
        "{:?}\n{subgraph:?}\n{:?}\n{:?}\n{}\n{} {:?} {}",
        graph.hop(&hop).await.unwrap(),
        graph.entities_named(&names, 10).await.unwrap(),
        graph.documents().await.unwrap(),
        graph.count::<Relation>(&Filter::everything()).await.unwrap(),
        statistics.passages,
        statistics.newest,
        statistics.passages_mentioning(from[0]),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_as_in_memory_before_and_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let memory = graph();
    let store = open(directory.path()).await;
    Meta::check(&store, EMBEDDER).await.unwrap();
    let embedded = Graph::new(store, Workspace::default());
    for graph in [&memory, &embedded] {
        graph.apply(delta(graph.workspace(), &docs())).await.unwrap();
    }
    let (exported, answered) = (export(&memory).await, answers(&memory).await);
    assert_eq!(export(&embedded).await, exported);
    assert_eq!(answers(&embedded).await, answered);
    assert_eq!(embedded.verify().await.unwrap(), []);
    drop(embedded);

    let store = open(directory.path()).await;
    Meta::check(&store, EMBEDDER).await.unwrap();
    assert!(Meta::check(&store, "another").await.is_err());
    let embedded = Graph::new(store, Workspace::default());
    assert_eq!(export(&embedded).await, exported);
    assert_eq!(answers(&embedded).await, answered);

    for graph in [&memory, &embedded] {
        graph.remove(&passages(graph.workspace(), &docs()[1..])).await.unwrap();
    }
    assert_eq!(export(&embedded).await, export(&memory).await);
    assert_references_resolve(&embedded).await;
    assert_eq!(embedded.verify().await.unwrap(), []);
}

async fn assert_bounded_on_disk(degrees: [usize; 2]) {
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_bounded([open(small.path()).await, open(large.path()).await], degrees).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_costs_the_same_for_any_degree() {
    assert_bounded_on_disk([200, 1000]).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes in the dev profile"]
async fn a_hub_costs_the_same_for_a_hundred_thousand_relations() {
    assert_bounded_on_disk([200, 100_000]).await;
}
