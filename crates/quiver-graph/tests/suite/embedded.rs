//! The graph in the embedded engine: the same as in memory, before and after reopening.

use std::{path::Path, sync::Arc};

use quiver_graph::{Direction, ExpandOptions, Graph, Hop, Meta, Relation, Workspace, expand};
use quiver_store::{EmbeddedStore, Filter, PointStore, Target};

use crate::{
    hub::assert_bounded,
    support::{
        Doc, EMBEDDER, assert_references_resolve, delta, export, graph, id_of, passages, probed_on, sparse,
        workspace,
    },
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

/// Prints everything that can be asked of a graph.
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

/// Counts the documents in a fresh process. Returns how many store calls that took.
async fn calls_to_count_documents(directory: &Path) -> usize {
    let (graph, probe) = probed_on(open(directory).await);
    probe.calls();
    let counted = graph.count_documents().await.unwrap();
    let calls = probe.calls().len();
    assert_eq!(counted, graph.documents().await.unwrap().len() as u64);
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_documents_is_kept_and_agrees_with_their_list() {
    let directory = tempfile::tempdir().unwrap();
    let write = async |docs: &[Doc]| {
        let graph = Graph::new(open(directory.path()).await, Workspace::default());
        graph.apply(delta(graph.workspace(), docs)).await.unwrap();
        // The documents of another workspace are not counted.
        let other = Graph::new(graph.store().clone(), workspace("other"));
        other.apply(delta(other.workspace(), docs)).await.unwrap();
    };
    write(&docs()[..2]).await;
    let counting = calls_to_count_documents(directory.path()).await;
    let reading = calls_to_count_documents(directory.path()).await;
    assert!(reading < counting, "{reading} calls, and {counting} to count");
    write(&docs()).await;
    assert_eq!(calls_to_count_documents(directory.path()).await, counting, "a write came between");
    assert_eq!(calls_to_count_documents(directory.path()).await, reading);

    let graph = Graph::new(open(directory.path()).await, Workspace::default());
    assert_eq!(graph.count_documents().await.unwrap(), 3);
    graph.note_unfinished(&["a", "unknown"]).await.unwrap();
    assert_eq!(graph.count_documents().await.unwrap(), 2, "one of them is incomplete");
    graph.forget_unfinished(&["a", "unknown"]).await.unwrap();
    graph.remove(&passages(graph.workspace(), &docs()[1..])).await.unwrap();
    assert_eq!(graph.count_documents().await.unwrap(), 1);
    drop(graph);

    // A damaged number, or one of other passages, is not believed.
    let file = kept(directory.path(), "documents");
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert!(calls_to_count_documents(directory.path()).await > reading);
    assert_eq!(calls_to_count_documents(directory.path()).await, reading);
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

/// Returns the file in which something derived from the default workspace is stored.
fn kept(directory: &Path, what: &str) -> std::path::PathBuf {
    let name = format!(".derived-{what}-");
    let mut found = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    found.find(|path| path.to_string_lossy().contains(&name)).unwrap()
}

/// Opens the database and compares its statistics with those computed from the points. Returns how many store calls the
/// former took.
async fn calls_for_exact_statistics(directory: &Path) -> usize {
    let (graph, probe) = probed_on(open(directory).await);
    probe.calls();
    let statistics = graph.statistics().await.unwrap();
    let calls = probe.calls().len();
    assert_eq!(statistics, graph.refresh_statistics().await.unwrap());
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_reads_kept_statistics_and_no_point() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let texts = ["Marie married Pierre 10", "Pierre taught Paul; Paul admired Marie", "Irene studied радий"];
    for step in 0..12_u8 {
        let graph = Graph::new(open(path).await, Workspace::default());
        // Each step adds two documents, one of which replaces an older one, and sometimes deletes one.
        let text = |number: u8| texts[usize::from(step + number) % 3];
        for number in [step, step / 2] {
            Doc::new(&format!("d{number}"), text(number)).at(step.into()).apply(&graph).await;
        }
        if step % 4 == 3 {
            let last = texts[usize::from(2 * step - 2) % 3];
            Doc::new(&format!("d{}", step - 1), last).remove(&graph).await;
        }
        drop(graph);
        assert_eq!(calls_for_exact_statistics(path).await, 0, "step {step}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_that_are_gone_damaged_or_stale_are_read_from_the_points() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let graph = Graph::new(open(path).await, Workspace::default());
    graph.apply(delta(graph.workspace(), &docs()[..2])).await.unwrap();
    let file = kept(path, "statistics");
    let stale = std::fs::read(&file).unwrap();
    graph.apply(delta(graph.workspace(), &docs()[2..])).await.unwrap();
    drop(graph);
    let fresh = std::fs::read(&file).unwrap();
    let mut damaged = fresh.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    for bytes in [&stale[..], &damaged, &fresh[..last], &[]] {
        std::fs::write(&file, bytes).unwrap();
        assert!(calls_for_exact_statistics(path).await > 0);
        assert_eq!(calls_for_exact_statistics(path).await, 0, "it keeps what it read");
        std::fs::remove_file(&file).unwrap();
        assert!(calls_for_exact_statistics(path).await > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_wrong_is_kept_where_two_graphs_write_or_a_write_passes_the_graph_by() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = open(path).await;
    let [one, two] = [0, 1].map(|_| Graph::new(Arc::clone(&store), Workspace::default()));
    let other = Graph::new(Arc::clone(&store), workspace("other"));
    for (number, graph) in [&one, &two, &one, &other, &one, &two].into_iter().enumerate() {
        Doc::new(&format!("d{number}"), "Marie married Pierre 10").apply(graph).await;
    }
    drop((one, two, other, store));
    calls_for_exact_statistics(path).await;
    let store = open(path).await;
    let id = passages(&Workspace::default(), &[Doc::new("d0", "Marie married Pierre 10")])[0];
    store.delete(quiver_store::Collection::Passages, &Filter::Ids(vec![id.point()])).await.unwrap();
    drop(store);
    assert!(calls_for_exact_statistics(path).await > 0);
}
