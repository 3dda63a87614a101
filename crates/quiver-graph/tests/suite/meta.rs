//! The database remembers its format and its embedder.

use std::sync::Arc;

use quiver_graph::{ErrorKind, FORMAT, Graph, Meta};
use quiver_store::{Collection, Point, PointStore, WriteMode};
use serde_json::{Value, json};

use crate::support::{Doc, Probe, delta, export, graph, memory, run};

#[test]
fn a_new_database_remembers_what_it_was_made_with() {
    run(async {
        let store = memory();
        assert_eq!(Meta::read(&store).await.unwrap(), None);
        Meta::check(&store, "model-a/384").await.unwrap();
        Meta::check(&store, "model-a/384").await.unwrap();
        let meta = Meta::read(&store).await.unwrap().unwrap();
        assert_eq!(
            meta,
            Meta {
                format: FORMAT,
                embedder: "model-a/384".to_owned(),
                has_words: true,
                has_ranks: true,
                has_metadata: true,
            }
        );
    });
}

#[test]
fn another_embedder_is_refused_with_both_named_and_the_way_out() {
    run(async {
        let store = memory();
        Meta::check(&store, "model-a/384").await.unwrap();
        let error = Meta::check(&store, "model-b/768").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        let message = error.to_string();
        for part in ["model-a/384", "model-b/768", "quiver export", "quiver import"] {
            assert!(message.contains(part), "{part:?} in {message:?}");
        }
        assert_eq!(Meta::read(&store).await.unwrap().unwrap().embedder, "model-a/384", "it stays as it was");
    });
}

async fn remembering(meta: Value) -> Arc<dyn PointStore> {
    let store = memory();
    Meta::check(&store, "model").await.unwrap();
    let everything = quiver_store::Select::EVERYTHING;
    let filter = quiver_store::Filter::everything();
    let points = store.scroll(Collection::Entities, &filter, None, 10, &everything).await.unwrap().points;
    let [point] = points.try_into().unwrap();
    let changed = Point { payload: [("quiver".to_owned(), meta)].into_iter().collect(), ..point };
    store.upsert(Collection::Entities, vec![changed], WriteMode::Replace).await.unwrap();
    store
}

#[test]
fn another_format_is_refused_with_both_named_and_the_way_out() {
    run(async {
        // A later format may store its embedder differently.
        for meta in
            [json!({"format": 2, "embedder": "model"}), json!({"format": 2, "embedder": {"name": "model"}})]
        {
            let error = Meta::check(&remembering(meta).await, "model").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Mismatch);
            let message = error.to_string();
            for part in ["format 2", "format 1", "export", "import"] {
                assert!(message.contains(part), "{part:?} in {message:?}");
            }
        }
        let error = Meta::check(&remembering(json!("nonsense")).await, "model").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    });
}

#[test]
fn of_two_that_open_a_new_database_at_once_both_know_what_it_was_made_with() {
    run(async {
        let store: Arc<dyn PointStore> = Arc::new(Probe::new(memory()));
        let (one, other) = tokio::join!(Meta::check(&store, "same"), Meta::check(&store, "same"));
        one.unwrap();
        other.unwrap();

        let store: Arc<dyn PointStore> = Arc::new(Probe::new(memory()));
        let (one, other) = tokio::join!(Meta::check(&store, "one"), Meta::check(&store, "other"));
        let remembered = Meta::read(&store).await.unwrap().unwrap().embedder;
        let (won, lost) = if remembered == "one" { (one, other) } else { (other, one) };
        won.unwrap();
        assert_eq!(lost.unwrap_err().kind(), ErrorKind::Mismatch);
    });
}

#[test]
fn whoever_opens_a_new_database_late_changes_nothing() {
    run(async {
        let store: Arc<dyn PointStore> = Arc::new(Probe::new(memory()));
        let mut late = Box::pin(Meta::check(&store, "late"));
        // The probe waits before each call. This process has found nothing and is about to write.
        for _ in 0..2 {
            assert!(futures::poll!(&mut late).is_pending());
        }
        Meta::check(&store, "early").await.unwrap();
        assert_eq!(late.await.unwrap_err().kind(), ErrorKind::Mismatch);
        assert_eq!(Meta::read(&store).await.unwrap().unwrap().embedder, "early");
    });
}

#[test]
fn no_query_sees_what_the_database_remembers() {
    run(async {
        let graph = graph();
        let empty = export(&graph).await;
        Meta::check(graph.store(), "model").await.unwrap();
        assert_eq!(export(&graph).await, empty);
        assert_eq!(graph.verify().await.unwrap(), []);
        Doc::new("doc", "Marie").apply(&graph).await;
        Doc::new("doc", "Marie").remove(&graph).await;
        graph.repair().await.unwrap();
        assert!(Meta::read(graph.store()).await.unwrap().is_some(), "and nothing deletes it");
        let everything: Vec<quiver_graph::Entity> =
            graph.all(&quiver_store::Filter::everything()).await.unwrap();
        assert_eq!(everything, []);
        assert_eq!(Graph::schema(None).fields.iter().filter(|field| field.name == "quiver").count(), 0);
    });
}

#[test]
fn an_account_has_a_point_of_each_writer_which_no_workspace_sees() {
    run(async {
        let store = memory();
        let [here, there] = ["here", "there"]
            .map(|name| Graph::new(Arc::clone(&store), quiver_graph::Workspace::new(name).unwrap()));
        let before = export(&here).await;
        here.write_account("chat", "a", json!(1)).await.unwrap();
        there.write_account("chat", "b", json!({"calls": 2})).await.unwrap();
        there.write_account("other", "a", json!(7)).await.unwrap();
        here.write_account("chat", "a", json!(3)).await.unwrap();
        let mut entries = there.read_account("chat").await.unwrap();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(entries, [("a".to_owned(), json!(3)), ("b".to_owned(), json!({"calls": 2}))]);
        assert_eq!(here.read_account("chat").await.unwrap().len(), 2, "it is the database's");
        assert_eq!(export(&here).await, before, "an export has nothing of it");
        assert_eq!(here.verify().await.unwrap(), []);
        assert_eq!(here.count::<quiver_graph::Entity>(&quiver_store::Filter::everything()).await.unwrap(), 0);
    });
}

#[test]
fn a_database_that_was_made_before_properties_had_an_order_is_completed() {
    use quiver_graph::{Delta, Embedded, Entity, Relation, filters};
    use quiver_store::{Filter, Select, Vectors};

    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let mut delta = Delta::default();
        let with = |size: i64| [("size".to_owned(), json!(size))].into_iter().collect();
        for size in 1..=9 {
            let mut entity = Entity::named(&here, None, format!("entity {size}"));
            entity.properties = with(size);
            entity.pinned = true;
            let mut relation = Relation::between(&here, entity.id, "is", entity.id, "itself");
            relation.properties = with(size);
            relation.pinned = true;
            delta.entities.push(Embedded { record: entity, vectors: Vectors::default() });
            delta.relations.push(Embedded { record: relation, vectors: Vectors::default() });
        }
        graph.apply(delta).await.unwrap();
        Meta::check(graph.store(), "model").await.unwrap();
        let found = async || {
            let above = filters::with_property_within("size", Some(&json!(7)), None).unwrap();
            let equal = filters::with_property("size", &[json!(1)]).unwrap();
            let among = Filter::Any(vec![above, equal]);
            (graph.count::<Entity>(&among).await.unwrap(), graph.count::<Relation>(&among).await.unwrap())
        };
        assert_eq!(found().await, (4, 4));

        // As an earlier version left it.
        for collection in [Collection::Entities, Collection::Relations] {
            let all = Filter::everything();
            let page = graph.store().scroll(collection, &all, None, 100, &Select::EVERYTHING).await.unwrap();
            let mut points = page.points;
            for point in &mut points {
                point.payload.retain(|field, _| !field.starts_with("property_"));
                if let Some(meta) = point.payload.get_mut("quiver") {
                    *meta = json!({ "format": FORMAT, "embedder": "model", "has_words": true });
                }
            }
            graph.store().upsert(collection, points, WriteMode::Replace).await.unwrap();
        }
        assert_eq!(found().await, (0, 0));
        Meta::check(graph.store(), "model").await.unwrap();
        assert_eq!(found().await, (4, 4));
        assert_eq!(graph.verify().await.unwrap(), []);
        assert!(Meta::read(graph.store()).await.unwrap().unwrap().has_ranks);
    });
}

#[test]
fn a_database_that_was_made_before_metadata_were_indexed_is_completed() {
    use quiver_graph::{Passage, filters};
    use quiver_store::{Filter, Select};

    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let docs = ["a", "b", "c"].map(|key| Doc::new(key, "Marie married Pierre"));
        let mut delta = delta(&here, &docs);
        for (number, passage) in delta.passages.iter_mut().enumerate().skip(1) {
            let tags = json!(["harbour", number]);
            passage.record.metadata = [("tags".to_owned(), tags)].into_iter().collect();
        }
        graph.apply(delta).await.unwrap();
        Meta::check(graph.store(), "model").await.unwrap();
        let count = async |key: &str, values: &[Value]| {
            graph.count::<Passage>(&filters::with_metadata(key, values)).await.unwrap()
        };
        let found = async || {
            let mut found = Vec::new();
            for value in
                [json!("harbour"), json!(2), json!("2"), json!("harbou"), Value::Null, json!(["harbour"])]
            {
                found.push(count("tags", &[value]).await);
            }
            found
        };
        assert_eq!(found().await, [2, 1, 0, 0, 0, 0]);
        let exported = export(&graph).await;
        assert!(!exported.contains("metadata_terms"), "it is derived: {exported}");

        // As an earlier version left it.
        let meta = Meta::read(graph.store()).await.unwrap().unwrap();
        let mut before = json!(meta);
        before.as_object_mut().unwrap().remove("has_metadata");
        for collection in [Collection::Entities, Collection::Passages] {
            let all = Filter::everything();
            let page = graph.store().scroll(collection, &all, None, 100, &Select::EVERYTHING).await.unwrap();
            let mut points = page.points;
            for point in &mut points {
                point.payload.remove("metadata_terms");
                if let Some(meta) = point.payload.get_mut("quiver") {
                    *meta = before.clone();
                }
            }
            graph.store().upsert(collection, points, WriteMode::Replace).await.unwrap();
        }
        assert_eq!(found().await, [0; 6]);
        Meta::check(graph.store(), "model").await.unwrap();
        assert_eq!(found().await, [2, 1, 0, 0, 0, 0]);
        assert_eq!(graph.verify().await.unwrap(), []);
        assert_eq!(export(&graph).await, exported);
        assert!(Meta::read(graph.store()).await.unwrap().unwrap().has_metadata);
    });
}

#[test]
fn a_document_that_is_noted_as_unfinished_is_told_from_others() {
    run(async {
        let graph = graph();
        graph.note_unfinished(&["a", "b"]).await.unwrap();
        assert!(graph.is_unfinished("a").await.unwrap());
        assert!(!graph.is_unfinished("c").await.unwrap());
        graph.forget_unfinished(&["a"]).await.unwrap();
        assert!(!graph.is_unfinished("a").await.unwrap());
        assert_eq!(graph.unfinished_documents().await.unwrap(), ["b"]);
    });
}
