//! Dated relations are found by their words, at the same cost however many relations share the common ones.

use std::sync::Arc;

use quiver_graph::{
    Delta, Embedded, Entity, Graph, Meta, Relation, RelationId, TermSearch, Workspace, filters,
};
use quiver_store::{Collection, Filter, PointStore, Select, Vectors, WriteMode};

use crate::support::{memory, probed_on, run, sparse};

fn fact(here: &Workspace, text: &str, at: i64) -> Delta {
    let [subject, object] = [text, "other end"].map(|name| Entity::named(here, None, name));
    let relation = Relation {
        id: RelationId::of(here, subject.id, "says", object.id, Some(at)),
        valid_from: Some(at),
        recorded_at: Some(at),
        ..Relation::between(here, subject.id, "says", object.id, text)
    };
    let vectors = sparse(text);
    let entities = [subject, object].map(|record| Embedded { record, vectors: Vectors::default() });
    Delta {
        entities: entities.into(),
        relations: vec![Embedded { record: relation, vectors }],
        ..Delta::default()
    }
}

/// Creates boats: every second one red, every second one broken, and one of them both.
async fn boats(store: Arc<dyn PointStore>, count: i64) -> Graph {
    let graph = Graph::new(store, Workspace::default());
    let mut all = Delta::default();
    for at in 0..count {
        let state = if at % 2 == 0 { "red" } else { "broken" };
        let delta = fact(graph.workspace(), &format!("boat n{at} {state}"), at);
        all.entities.extend(delta.entities);
        all.relations.extend(delta.relations);
    }
    for text in ["boat petrel torn sail", "boat tern red broken"] {
        let delta = fact(graph.workspace(), text, 1);
        all.entities.extend(delta.entities);
        all.relations.extend(delta.relations);
    }
    graph.apply(all).await.unwrap();
    graph
}

/// Returns the texts found by words, which are searched for in this order.
async fn found(graph: &Graph, words: &str, among: Filter) -> Vec<String> {
    let terms: Vec<Vec<u32>> = words.split(' ').map(|word| sparse(word).sparse.indices().to_vec()).collect();
    let target = sparse(words).sparse;
    let search = TermSearch { words: &terms, hints: &[], together: true, target: &target, among, limit: 8 };
    graph.search_terms(&search).await.unwrap().into_iter().map(|relation| relation.text).collect()
}

fn dated() -> Filter {
    filters::begun(None, Some(i64::MAX))
}

#[test]
fn where_few_have_any_word_the_nearest_are_found() {
    run(async {
        let graph = boats(memory(), 4).await;
        let texts = found(&graph, "boat red broken", dated()).await;
        assert_eq!((texts.len(), texts[0].as_str()), (6, "boat tern red broken"));
        assert_eq!(found(&graph, "submarine", dated()).await, [""; 0]);
    });
}

#[test]
fn rare_words_decide_and_common_ones_by_what_few_have_together() {
    run(async {
        let graph = boats(memory(), 300).await;
        assert_eq!(found(&graph, "boat torn sail", dated()).await, ["boat petrel torn sail"]);
        assert_eq!(found(&graph, "boat red broken", dated()).await, ["boat tern red broken"]);
        let both = found(&graph, "boat torn broken red", dated()).await;
        assert_eq!(both, ["boat tern red broken", "boat petrel torn sail"]);
    });
}

#[test]
fn names_of_several_things_are_looked_for_one_by_one() {
    run(async {
        let graph = boats(memory(), 300).await;
        let terms: Vec<Vec<u32>> =
            ["red", "broken", "petrel"].iter().map(|name| sparse(name).sparse.indices().to_vec()).collect();
        let target = sparse("red broken petrel").sparse;
        let search = TermSearch {
            words: &terms,
            hints: &[],
            together: false,
            target: &target,
            among: dated(),
            limit: 8,
        };
        let found = graph.search_terms(&search).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "boat petrel torn sail");
    });
}

#[test]
fn what_nothing_tells_apart_is_left_to_the_latest() {
    run(async {
        let graph = boats(memory(), 300).await;
        let latest = found(&graph, "boat red", dated()).await;
        assert_eq!(latest, ["boat n298 red", "boat n296 red"]);
        let by_then = found(&graph, "boat red", filters::begun(None, Some(100))).await;
        assert_eq!(by_then[0], "boat n100 red");
    });
}

#[test]
fn the_cost_is_the_same_for_any_number() {
    run(async {
        let mut costs = Vec::new();
        for count in [300, 3_000] {
            let store = memory();
            boats(Arc::clone(&store), count).await;
            let (graph, probe) = probed_on(store);
            found(&graph, "boat torn sail", dated()).await;
            let calls = probe.calls();
            costs.push((calls.len(), calls.iter().map(|call| call.points).sum::<usize>()));
        }
        assert_eq!(costs[0], costs[1], "calls and points read");
    });
}

#[test]
fn a_database_from_before_is_completed_when_it_is_opened() {
    run(async {
        let store = memory();
        let graph = boats(Arc::clone(&store), 300).await;
        Meta::check(&store, "model").await.unwrap();
        // As written before: without words and without the note that they exist.
        let everything = Filter::everything();
        let relations =
            store.scroll(Collection::Relations, &everything, None, 1_000, &Select::EVERYTHING).await.unwrap();
        let mut points = relations.points;
        for point in &mut points {
            assert!(point.payload.remove("words").is_some());
        }
        store.upsert(Collection::Relations, points, WriteMode::Replace).await.unwrap();
        let entities =
            store.scroll(Collection::Entities, &everything, None, 1_000, &Select::EVERYTHING).await.unwrap();
        let mut notes = entities.points;
        notes.retain(|point| point.payload.contains_key("quiver"));
        for point in &mut notes {
            point.payload["quiver"].as_object_mut().unwrap().remove("has_words");
        }
        store.upsert(Collection::Entities, notes, WriteMode::Replace).await.unwrap();
        assert_eq!(found(&graph, "torn", dated()).await, [""; 0]);

        Meta::check(&store, "model").await.unwrap();
        assert_eq!(found(&graph, "torn", dated()).await, ["boat petrel torn sail"]);
        assert!(Meta::read(&store).await.unwrap().unwrap().has_words);
    });
}
