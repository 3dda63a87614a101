//! Helpers for the tests: documents in a line of text, stores that record and fail, prints of all that is stored.

mod documents;
mod probe;

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::Arc,
};

use quiver_graph::{Entity, EntityId, Graph, Passage, Relation, RelationId, Removed, Result, Workspace};
use quiver_store::{Collection, Filter, MemoryStore, PointId, PointStore, Select};

pub(crate) use self::{
    documents::{Doc, delta, entity, id_of, passages, sparse},
    probe::{Call, Fault, Probe},
};

/// The embedder name that the tests use.
pub(crate) const EMBEDDER: &str = "tests";

/// Runs a future to completion.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn workspace(name: &str) -> Workspace {
    Workspace::new(name).unwrap()
}

/// How many passages, relations and entities were removed.
pub(crate) fn counts(removed: Removed) -> (usize, usize, usize) {
    (removed.passages, removed.relations, removed.entities)
}

/// Returns an empty graph in memory.
pub(crate) fn graph() -> Graph {
    Graph::new(memory(), Workspace::default())
}

/// Returns an empty store in memory.
pub(crate) fn memory() -> Arc<dyn PointStore> {
    Arc::new(MemoryStore::open(Graph::schema(None)))
}

/// Returns an empty graph in memory, and the probe that its store calls go through.
pub(crate) fn probed() -> (Graph, Arc<Probe>) {
    probed_on(memory())
}

/// Returns the graph in a store, and the probe that its store calls go through.
pub(crate) fn probed_on(store: Arc<dyn PointStore>) -> (Graph, Arc<Probe>) {
    let probe = Arc::new(Probe::new(store));
    (Graph::new(Arc::clone(&probe) as Arc<dyn PointStore>, Workspace::default()), probe)
}

/// Returns the workspace as a dump, with vectors.
pub(crate) async fn export(graph: &Graph) -> String {
    export_lines(graph, true).await.join("\n")
}

/// Returns the lines of a dump of the workspace.
pub(crate) async fn export_lines(graph: &Graph, vectors: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let sink = |line| -> Result<()> {
        lines.push(line);
        Ok(())
    };
    graph.export(EMBEDDER, vectors, sink).await.unwrap();
    lines
}

/// Returns every point of a store in any workspace as text, by collection and ID.
pub(crate) async fn raw(store: &Arc<dyn PointStore>) -> BTreeMap<(Collection, PointId), String> {
    let mut points = BTreeMap::new();
    for collection in Collection::ALL {
        let page = store
            .scroll(collection, &Filter::everything(), None, 1_000_000, &Select::EVERYTHING)
            .await
            .unwrap();
        assert_eq!(page.next, None, "a test of this size fits on a page");
        for point in page.points {
            points.insert((collection, point.id), format!("{point:?}"));
        }
    }
    points
}

/// Asserts that everything a readable passage or relation refers to can be read.
pub(crate) async fn assert_references_resolve(graph: &Graph) {
    let entities: Vec<Entity> = graph.list(Filter::everything(), 1_000_000).await.unwrap();
    let relations: Vec<Relation> = graph.list(Filter::everything(), 1_000_000).await.unwrap();
    let passages: Vec<Passage> = graph.list(Filter::everything(), 1_000_000).await.unwrap();
    let known: BTreeSet<EntityId> = entities.into_iter().map(|entity| entity.id).collect();
    let supported: BTreeSet<RelationId> = relations.iter().map(|relation| relation.id).collect();
    for relation in &relations {
        for end in [relation.subject, relation.object] {
            assert!(known.contains(&end), "the end {end} of {relation:?} is missing");
        }
    }
    for passage in passages {
        for entity in passage.entities.iter().chain(&passage.subjects) {
            assert!(known.contains(entity), "{:?} refers to a missing entity {entity}", passage.text);
        }
        for relation in &passage.relations {
            assert!(
                supported.contains(relation),
                "{:?} supports a missing relation {relation}",
                passage.text
            );
        }
    }
}
