//! References are stored once, identity comes from content, and passages are written last.

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, Workspace, filters,
};
use quiver_store::{Collection, Vectors};

use crate::support::{
    Doc, assert_references_resolve, delta, entity, export, graph, id_of, memory, probed, raw, run,
};

fn unembedded<T>(record: T) -> Embedded<T> {
    Embedded { record, vectors: Vectors::default() }
}

#[test]
fn a_reference_is_stored_once_on_the_point_that_owns_it() {
    run(async {
        let graph = graph();
        Doc::new("first", "Marie married Pierre; Marie discovered radium").apply(&graph).await;
        let before = raw(graph.store()).await;
        let second =
            Doc::new("second", "Marie married Pierre; Marie taught Irene; Hannah admired Marie; radium");
        second.apply(&graph).await;
        let after = raw(graph.store()).await;
        assert_eq!(before.len(), 3 + 2 + 1);
        assert_eq!(after.len(), before.len() + 2 + 2 + 1, "two entities, two relations, one passage are new");
        for (point, content) in before {
            assert_eq!(after[&point], content, "{point:?} was rewritten for a neighbour's sake");
        }
    });
}

#[test]
fn references_are_found_from_both_ends() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let docs = [
            Doc::new("a", "Marie married Pierre; Warsaw"),
            Doc::new("b", "Pierre taught Paul; Marie"),
            Doc::new("c", "Marie married Pierre"),
        ];
        graph.apply(delta(&here, &docs)).await.unwrap();
        assert_references_resolve(&graph).await;
        let passages: Vec<Passage> = graph.all(&quiver_store::Filter::everything()).await.unwrap();
        assert_eq!(passages.len(), 3);
        for passage in passages {
            for &entity in &passage.entities {
                let back: Vec<Passage> = graph.all(&filters::mentioning([entity])).await.unwrap();
                assert!(back.contains(&passage), "{entity} does not lead back to {passage:?}");
            }
            for &entity in &passage.subjects {
                let back: Vec<Passage> = graph.all(&filters::about([entity])).await.unwrap();
                assert!(back.contains(&passage), "{entity} does not lead back to {passage:?}");
            }
            for &relation in &passage.relations {
                let back: Vec<Passage> = graph.all(&filters::supporting([relation])).await.unwrap();
                assert!(back.contains(&passage), "{relation} does not lead back to {passage:?}");
            }
            for relation in graph.relations(&passage.relations).await.unwrap() {
                let from: Vec<Relation> = graph.all(&filters::from([relation.subject])).await.unwrap();
                let to: Vec<Relation> = graph.all(&filters::to([relation.object])).await.unwrap();
                assert!(from.contains(&relation) && to.contains(&relation));
            }
        }
        let mentioning: Vec<Passage> =
            graph.all(&filters::mentioning([id_of(&here, "Warsaw")])).await.unwrap();
        assert_eq!(mentioning.len(), 1);
    });
}

#[test]
fn what_was_deleted_or_changed_since_it_was_read_is_not_written_back() {
    run(async {
        let graph = graph();
        Doc::new("a", "Marie married Pierre").apply(&graph).await;
        let read: Vec<Passage> = graph.all(&quiver_store::Filter::everything()).await.unwrap();
        let [passage] = read.as_slice() else { panic!("{read:?}") };
        let relations = graph.relations(&passage.relations).await.unwrap();
        let delta = || {
            let record = Passage { position: 7, ..passage.clone() };
            Delta { passages: vec![unembedded(record)], ..Delta::default() }
        };
        let positions = async || {
            let passages: Vec<Passage> = graph.all(&quiver_store::Filter::everything()).await.unwrap();
            passages.into_iter().map(|passage| passage.position).collect::<Vec<_>>()
        };
        let other = Relation { pinned: true, ..relations[0].clone() };
        assert!(!graph.apply_if_unchanged(delta(), &read, &[other]).await.unwrap());
        assert_eq!(positions().await, [passage.position]);
        assert!(graph.apply_if_unchanged(delta(), &read, &relations).await.unwrap());
        assert_eq!(positions().await, [7]);
        assert!(!graph.apply_if_unchanged(delta(), &read, &relations).await.unwrap());
        graph.remove(&[passage.id]).await.unwrap();
        assert!(!graph.apply_if_unchanged(delta(), &read, &[]).await.unwrap());
        assert!(positions().await.is_empty());
    });
}

#[test]
fn writing_twice_changes_nothing() {
    run(async {
        let graph = graph();
        let docs = [
            Doc::new("a", "Marie married Pierre 1895; Warsaw").at(7),
            Doc::new("b", "Pierre taught Paul; Marie married Pierre 1895"),
        ];
        let first = graph.apply(delta(graph.workspace(), &docs)).await.unwrap();
        assert_eq!((first.passages_added, first.passages_replaced), (2, 0));
        let (exported, stored) = (export(&graph).await, raw(graph.store()).await);
        let second = graph.apply(delta(graph.workspace(), &docs)).await.unwrap();
        assert_eq!((second.passages_added, second.passages_replaced), (0, 2));
        assert_eq!(second.collected, quiver_graph::Removed::default());
        assert_eq!(export(&graph).await, exported);
        assert_eq!(raw(graph.store()).await, stored);
    });
}

#[test]
fn the_first_writer_of_an_entity_stays_unless_the_second_means_it() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let id = id_of(&here, "Marie");
        let write = |document: &str, pinned: bool| {
            let mut record = entity(&here, "Marie", document);
            record.pinned = pinned;
            Delta { entities: vec![unembedded(record)], ..Delta::default() }
        };
        let description = || async { graph.entities(&[id]).await.unwrap()[0].description.clone().unwrap() };
        graph.apply(write("one", false)).await.unwrap();
        graph.apply(write("two", false)).await.unwrap();
        assert_eq!(description().await, "first written by one");
        graph.apply(write("three", true)).await.unwrap();
        assert_eq!(description().await, "first written by three");
        graph.apply(write("four", false)).await.unwrap();
        assert_eq!(description().await, "first written by three");
        assert!(graph.entities(&[id]).await.unwrap()[0].pinned, "what is pinned stays pinned");
    });
}

#[test]
fn the_first_writer_of_a_relation_stays_unless_the_second_means_it() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let write = |text: &str, pinned: bool| {
            let (marie, pierre) = (entity(&here, "Marie", "d"), entity(&here, "Pierre", "d"));
            let mut record = Relation::between(&here, marie.id, "married", pierre.id, text);
            record.pinned = pinned;
            Delta {
                entities: vec![unembedded(marie), unembedded(pierre)],
                relations: vec![unembedded(record)],
                ..Delta::default()
            }
        };
        let id = write("", false).relations[0].record.id;
        let text = || async { graph.relations(&[id]).await.unwrap()[0].text.clone() };
        graph.apply(write("one", false)).await.unwrap();
        graph.apply(write("two", false)).await.unwrap();
        assert_eq!(text().await, "one");
        graph.apply(write("three", true)).await.unwrap();
        assert_eq!(text().await, "three");
        graph.apply(write("four", false)).await.unwrap();
        assert_eq!(text().await, "three");
    });
}

#[test]
fn passages_are_written_last() {
    run(async {
        let (graph, probe) = probed();
        let here = graph.workspace().clone();
        let mut delta = Doc::new("a", "Marie married Pierre; Pierre taught Paul").delta(&here);
        delta.entities[0].record.pinned = true;
        delta.relations[0].record.pinned = true;
        graph.apply(delta).await.unwrap();
        let written: Vec<_> = probe
            .calls()
            .into_iter()
            .filter(|call| call.name == "upsert")
            .map(|call| call.collection)
            .collect();
        assert!(written.is_sorted(), "{written:?}");
        for collection in Collection::ALL {
            assert!(written.contains(&collection), "{collection} are among {written:?}");
        }
    });
}

#[test]
fn ids_follow_from_content_in_every_script() {
    let here = Workspace::default();
    for (one, other) in [
        ("Marie Curie", "  MARIE   curie"),
        ("Москва", "МОСКВА"),
        ("Straße", "STRASSE"),
        ("ﬁancé", "FIANCE\u{301}"),
        ("東京タワー", "東京ﾀﾜｰ"),
        ("《红楼梦》", "红楼梦"),
        ("القاهرة", "\u{200f}القاهرة"),
    ] {
        assert_eq!(id_of(&here, one), id_of(&here, other), "{one} and {other}");
    }
    let names = ["Marie", "Мария", "玛丽", "ماري", "マリー", "Μαρία", "מרי", "मैरी", "C", "C++", "C#"];
    let ids: std::collections::BTreeSet<_> = names.iter().map(|name| id_of(&here, name)).collect();
    assert_eq!(ids.len(), names.len(), "different names are different entities");
}

#[test]
fn what_is_part_of_an_identity_tells_points_apart() {
    let here = Workspace::default();
    let other = Workspace::new("other").unwrap();
    let (a, b) = (id_of(&here, "a"), id_of(&here, "b"));
    let entities = [
        a,
        b,
        EntityId::of_name(&here, Some("person"), "a"),
        EntityId::of_key(&here, "a"),
        id_of(&other, "a"),
        // The parts of an identity do not run together.
        EntityId::of_name(&here, Some("a"), "b"),
        EntityId::of_name(&here, None, "ab"),
    ];
    let relations = [
        RelationId::of(&here, a, "knows", b, None),
        RelationId::of(&here, b, "knows", a, None),
        RelationId::of(&here, a, "likes", b, None),
        RelationId::of(&here, a, "knows", b, Some(0)),
        RelationId::of(&here, a, "knows", b, Some(-1)),
        RelationId::of(&other, a, "knows", b, None),
    ];
    let passages = [
        PassageId::of_document(&here, "d", None, "text"),
        PassageId::of_document(&here, "d", Some("title"), "text"),
        PassageId::of_document(&here, "d", Some(""), "other text"),
        PassageId::of_document(&here, "e", None, "text"),
        PassageId::of_turn(&here, "d", 1),
        PassageId::of_turn(&here, "d", 11),
        PassageId::of_document(&other, "d", None, "text"),
    ];
    let mut ids: Vec<_> = entities.map(EntityId::point).to_vec();
    ids.extend(relations.map(RelationId::point));
    ids.extend(passages.map(PassageId::point));
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert_eq!(
        RelationId::of(&here, a, "Knows", b, None),
        RelationId::of(&here, a, " knows ", b, None),
        "a predicate is known by its normalised form"
    );
}

#[test]
fn a_name_is_found_by_every_alias_and_spelling() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let mut record = Entity::named(&here, Some("person"), "Marie Curie");
        record.aliases = vec!["Maria Skłodowska".to_owned(), "居里夫人".to_owned()];
        record.pinned = true;
        graph.apply(Delta { entities: vec![unembedded(record.clone())], ..Delta::default() }).await.unwrap();
        for spelling in ["MARIE CURIE", "maria  skłodowska", "「居里夫人」"] {
            let name = quiver_graph::name::normalise(spelling);
            assert_eq!(graph.entities_named(&[name], 10).await.unwrap(), [record.clone()], "{spelling}");
        }
        let absent = quiver_graph::name::normalise("Maria Sklodowska");
        assert_eq!(graph.entities_named(&[absent], 10).await.unwrap(), []);
    });
}

#[test]
fn a_record_whose_id_is_not_its_content_s_is_refused_before_anything_is_written() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let good = Doc::new("a", "Marie married Pierre").delta(&here);
        for damage in 0..3 {
            let mut delta = good.clone();
            match damage {
                0 => delta.entities[1].record.name = "Paul".to_owned(),
                1 => delta.relations[0].record.valid_from = Some(3),
                _ => delta.passages[0].record.text.push('!'),
            }
            let error = graph.apply(delta).await.unwrap_err();
            assert_eq!(error.kind(), quiver_graph::ErrorKind::Invalid, "{error}");
            assert!(raw(graph.store()).await.is_empty(), "{error}");
        }
    });
}

#[test]
fn writers_at_once_never_lose_each_other_s_links() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    runtime.block_on(async {
        let store = memory();
        let mut tasks = Vec::new();
        for writer in 0..4 {
            // Each has a graph of its own, like different processes: they share no lock.
            let graph = Graph::new(store.clone(), Workspace::default());
            tasks.push(tokio::spawn(async move {
                for number in 0..25 {
                    let line = format!("n{writer}x{number} links hub");
                    Doc::new(&format!("{writer}/{number}"), &line).apply(&graph).await;
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let graph = Graph::new(store, Workspace::default());
        let hub = id_of(graph.workspace(), "hub");
        assert_eq!(graph.count::<Relation>(&filters::to([hub])).await.unwrap(), 100);
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}
