//! Every violation: created by hand, found and repaired.

use std::{future::Future, pin::Pin};

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, Repair, Violation,
};
use quiver_store::{Collection, Filter, Point, PointId, Select, Vectors, WriteMode};
use serde_json::json;

use crate::support::{Doc, Fault, assert_references_resolve, export, graph, id_of, probed, raw, run};

fn docs() -> [Doc; 2] {
    [
        Doc::new("a", "Marie married Pierre; Marie discovered radium"),
        Doc::new("b", "Pierre taught Paul; Warsaw"),
    ]
}

async fn filled() -> Graph {
    let graph = graph();
    for doc in docs() {
        doc.apply(&graph).await;
    }
    graph
}

fn relation(graph: &Graph, subject: &str, predicate: &str, object: &str) -> RelationId {
    let here = graph.workspace();
    RelationId::of(here, id_of(here, subject), predicate, id_of(here, object), None)
}

fn passage(graph: &Graph, number: usize) -> PassageId {
    docs()[number].passage(graph.workspace())
}

/// Changes a point behind the graph's back.
async fn tamper(graph: &Graph, collection: Collection, id: PointId, change: impl FnOnce(&mut Point)) {
    let found = graph.store().fetch(collection, &[id], &Select::EVERYTHING).await.unwrap();
    let [mut point] = found.try_into().unwrap();
    change(&mut point);
    graph.store().upsert(collection, vec![point], WriteMode::Replace).await.unwrap();
}

async fn strike(graph: &Graph, collection: Collection, id: PointId) {
    graph.store().delete(collection, &Filter::Ids(vec![id])).await.unwrap();
}

/// Copies a point to an ID that is not its own.
async fn misplace(graph: &Graph, collection: Collection, id: PointId, to: PointId) {
    let found = graph.store().fetch(collection, &[id], &Select::EVERYTHING).await.unwrap();
    let [mut point] = found.try_into().unwrap();
    point.id = to;
    graph.store().upsert(collection, vec![point], WriteMode::Replace).await.unwrap();
}

/// Returns the name of a violation's variant. A new variant needs a test here.
fn variant(violation: &Violation) -> &'static str {
    match violation {
        Violation::Unreadable(..) => "Unreadable",
        Violation::Misidentified(..) => "Misidentified",
        Violation::RelationEndMissing(..) => "RelationEndMissing",
        Violation::PassageEntityMissing(..) => "PassageEntityMissing",
        Violation::PassageRelationMissing(..) => "PassageRelationMissing",
        Violation::RelationUnsupported(..) => "RelationUnsupported",
        Violation::EntityUnreferenced(..) => "EntityUnreferenced",
        Violation::VectorMissing(..) => "VectorMissing",
        Violation::DeletionUnfinished(..) => "DeletionUnfinished",
        Violation::WriteUnfinished(..) => "WriteUnfinished",
        other => panic!("no test has {other:?}"),
    }
}

/// A kind of damage and the violations that follow from it.
type Damage = for<'a> fn(&'a Graph) -> Pin<Box<dyn Future<Output = Vec<Violation>> + 'a>>;

const STRAY: PointId = PointId::from_u128(7);

const DAMAGES: &[(&str, Damage)] = &[
    ("an entity that can't be read", |graph| {
        Box::pin(async move {
            let marie = id_of(graph.workspace(), "Marie");
            tamper(graph, Collection::Entities, marie.point(), |point| drop(point.payload.remove("name")))
                .await;
            vec![
                Violation::Unreadable(Collection::Entities, marie.point()),
                Violation::RelationEndMissing(relation(graph, "Marie", "married", "Pierre"), marie),
                Violation::RelationEndMissing(relation(graph, "Marie", "discovered", "radium"), marie),
                Violation::PassageEntityMissing(passage(graph, 0), marie),
            ]
        })
    }),
    ("a relation that can't be read", |graph| {
        Box::pin(async move {
            let id = relation(graph, "Pierre", "taught", "Paul");
            tamper(graph, Collection::Relations, id.point(), |point| {
                point.payload.insert("confidence".to_owned(), json!("high"));
            })
            .await;
            vec![
                Violation::Unreadable(Collection::Relations, id.point()),
                Violation::PassageRelationMissing(passage(graph, 1), id),
            ]
        })
    }),
    ("a passage that can't be read", |graph| {
        Box::pin(async move {
            let id = passage(graph, 1);
            tamper(graph, Collection::Passages, id.point(), |point| {
                point.payload.insert("position".to_owned(), json!(-1));
            })
            .await;
            let here = graph.workspace();
            vec![
                Violation::Unreadable(Collection::Passages, id.point()),
                Violation::RelationUnsupported(relation(graph, "Pierre", "taught", "Paul")),
                Violation::EntityUnreferenced(id_of(here, "Warsaw")),
            ]
        })
    }),
    ("an entity under another id", |graph| {
        Box::pin(async move {
            misplace(graph, Collection::Entities, id_of(graph.workspace(), "Marie").point(), STRAY).await;
            vec![Violation::Misidentified(Collection::Entities, STRAY)]
        })
    }),
    ("a relation under another id", |graph| {
        Box::pin(async move {
            let id = relation(graph, "Marie", "married", "Pierre").point();
            misplace(graph, Collection::Relations, id, STRAY).await;
            vec![Violation::Misidentified(Collection::Relations, STRAY)]
        })
    }),
    ("a passage under another id", |graph| {
        Box::pin(async move {
            misplace(graph, Collection::Passages, passage(graph, 0).point(), STRAY).await;
            vec![Violation::Misidentified(Collection::Passages, STRAY)]
        })
    }),
    ("a relation without its object, which nothing else mentions", |graph| {
        Box::pin(async move {
            let here = graph.workspace();
            let (marie, ghost) = (id_of(here, "Marie"), id_of(here, "ghost"));
            let lonely =
                Embedded { record: Entity::named(here, None, "lonely"), vectors: Vectors::default() };
            let between = |subject, predicate: &str, object| {
                let mut record = Relation::between(here, subject, predicate, object, "");
                record.pinned = true;
                Embedded { record, vectors: Vectors::default() }
            };
            let relations = vec![between(marie, "saw", ghost), between(lonely.record.id, "saw", ghost)];
            let ids: Vec<_> = relations.iter().map(|relation| relation.record.id).collect();
            graph.apply(Delta { entities: vec![lonely], relations, ..Delta::default() }).await.unwrap();
            ids.into_iter().map(|id| Violation::RelationEndMissing(id, ghost)).collect()
        })
    }),
    ("a relation without its object, which a passage supports and does not mention", |graph| {
        Box::pin(async move {
            let here = graph.workspace();
            let mut write = Doc::new("c", "Marie saw ghost").delta(here);
            let ghost = id_of(here, "ghost");
            write.entities.retain(|entity| entity.record.id != ghost);
            write.passages[0].record.entities.retain(|&entity| entity != ghost);
            graph.apply(write).await.unwrap();
            vec![Violation::RelationEndMissing(relation(graph, "Marie", "saw", "ghost"), ghost)]
        })
    }),
    ("an entity that is gone", |graph| {
        Box::pin(async move {
            let warsaw = id_of(graph.workspace(), "Warsaw");
            strike(graph, Collection::Entities, warsaw.point()).await;
            vec![Violation::PassageEntityMissing(passage(graph, 1), warsaw)]
        })
    }),
    ("a relation that is gone", |graph| {
        Box::pin(async move {
            let id = relation(graph, "Pierre", "taught", "Paul");
            strike(graph, Collection::Relations, id.point()).await;
            vec![Violation::PassageRelationMissing(passage(graph, 1), id)]
        })
    }),
    ("a passage that is gone", |graph| {
        Box::pin(async move {
            strike(graph, Collection::Passages, passage(graph, 1).point()).await;
            vec![
                Violation::RelationUnsupported(relation(graph, "Pierre", "taught", "Paul")),
                Violation::EntityUnreferenced(id_of(graph.workspace(), "Warsaw")),
            ]
        })
    }),
    ("an entity that nothing refers to", |graph| {
        Box::pin(async move {
            let record = Entity::named(graph.workspace(), None, "lonely");
            let id = record.id;
            let entities = vec![Embedded { record, vectors: Vectors::default() }];
            graph.apply(Delta { entities, ..Delta::default() }).await.unwrap();
            vec![Violation::EntityUnreferenced(id)]
        })
    }),
];

#[test]
fn what_is_whole_has_no_violation_and_nothing_is_repaired() {
    run(async {
        let graph = filled().await;
        let before = raw(graph.store()).await;
        assert_eq!(graph.verify().await.unwrap(), []);
        assert_eq!(graph.repair().await.unwrap(), Repair::default());
        assert_eq!(raw(graph.store()).await, before);
    });
}

#[test]
fn every_damage_is_found_and_mended() {
    run(async {
        let mut seen = std::collections::BTreeSet::new();
        for (what, damage) in DAMAGES {
            let graph = filled().await;
            let statistics = graph.statistics().await.unwrap();
            assert_eq!(statistics.passages, 2);
            let mut expected = damage(&graph).await;
            expected.sort();
            assert_eq!(graph.verify().await.unwrap(), expected, "{what}");
            seen.extend(expected.iter().map(variant));
            let repair = graph.repair().await.unwrap();
            assert_ne!(repair, Repair::default(), "{what}");
            assert_eq!(graph.verify().await.unwrap(), [], "{what}");
            assert_references_resolve(&graph).await;
            let counted = graph.statistics().await.unwrap();
            assert_eq!(counted, graph.refresh_statistics().await.unwrap(), "{what}");

            // Ingesting again restores what was lost, and nothing foreign stays.
            graph.remove(&[Doc::new("c", "Marie saw ghost").passage(graph.workspace())]).await.unwrap();
            for doc in docs() {
                doc.apply(&graph).await;
            }
            assert_eq!(export(&graph).await, export(&filled().await).await, "{what}");
        }
        let of_vectors_and_notes = ["DeletionUnfinished", "VectorMissing"];
        seen.extend(of_vectors_and_notes);
        assert_eq!(seen.len(), 9, "{seen:?}");
    });
}

#[test]
fn many_damages_at_once_are_mended_at_once() {
    run(async {
        let graph = filled().await;
        for (_, damage) in DAMAGES.iter().filter(|(what, _)| !what.contains("gone")) {
            damage(&graph).await;
        }
        graph.repair().await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
        graph.remove(&[Doc::new("c", "Marie saw ghost").passage(graph.workspace())]).await.unwrap();
        for doc in docs() {
            doc.apply(&graph).await;
        }
        assert_eq!(export(&graph).await, export(&filled().await).await);
    });
}

#[test]
fn a_repair_that_fails_anywhere_is_completed_by_the_next() {
    run(async {
        for fault in Fault::ALL {
            for calls in 0.. {
                let (graph, probe) = probed();
                for doc in docs() {
                    doc.apply(&graph).await;
                }
                for (_, damage) in DAMAGES.iter().filter(|(what, _)| !what.contains("gone")) {
                    damage(&graph).await;
                }
                probe.fail_after(calls, fault);
                let _ = graph.repair().await;
                if !probe.heal() {
                    break;
                }
                graph.repair().await.unwrap();
                assert_eq!(graph.verify().await.unwrap(), [], "{fault:?} at call {calls}");
            }
        }
    });
}

#[test]
fn passages_that_lost_a_reference_are_extracted_again() {
    run(async {
        let graph = filled().await;
        strike(&graph, Collection::Entities, id_of(graph.workspace(), "Warsaw").point()).await;
        let repair = graph.repair().await.unwrap();
        let mut expected = Repair::default();
        expected.references_dropped = 2;
        assert_eq!(repair, expected, "mentioned, and what it is about");
        let weaves: Vec<_> = graph
            .embedded_passages(&[passage(&graph, 0), passage(&graph, 1)])
            .await
            .unwrap()
            .into_iter()
            .map(|passage| (passage.record.extraction_digest, passage.vectors.sparse.is_empty()))
            .collect();
        assert_eq!(weaves, [("tests".to_owned(), false), (String::new(), false)], "the vectors stay");
    });
}

#[test]
fn missing_vectors_are_told_wherever_they_are_missing_and_are_left() {
    run(async {
        let store = std::sync::Arc::new(quiver_store::MemoryStore::open(Graph::schema(Some(2))));
        let graph = Graph::new(store, quiver_graph::Workspace::default());
        let mut write = docs()[0].delta(graph.workspace());
        let dense = Some(vec![0.6, 0.8]);
        write.entities.iter_mut().for_each(|entity| entity.vectors.dense = dense.clone());
        write.passages.iter_mut().for_each(|passage| passage.vectors.dense = dense.clone());
        // Relations that are not searched for by their text need no vectors.
        graph.apply(write.clone()).await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
        for relation in &mut write.relations {
            relation.record.pinned = true;
            relation.vectors.dense = dense.clone();
        }
        graph.apply(write).await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
        let entity: EntityId = id_of(graph.workspace(), "Marie");
        let relation = relation(&graph, "Marie", "married", "Pierre");
        let mut expected = Vec::new();
        for (collection, id) in [
            (Collection::Passages, passage(&graph, 0).point()),
            (Collection::Entities, entity.point()),
            (Collection::Relations, relation.point()),
        ] {
            tamper(&graph, collection, id, |point| point.vectors.dense = None).await;
            expected.push(Violation::VectorMissing(collection, id));
        }
        expected.sort();
        assert_eq!(graph.verify().await.unwrap(), expected);
        assert_eq!(graph.repair().await.unwrap(), Repair::default());
        assert_eq!(graph.verify().await.unwrap(), expected);
    });
}

#[test]
fn a_deletion_that_was_cut_short_is_told_and_finished() {
    run(async {
        let mut told = 0;
        for calls in 0.. {
            let (graph, probe) = probed();
            for doc in docs() {
                doc.apply(&graph).await;
            }
            probe.fail_after(calls, Fault::Before);
            let _ = graph.remove(&[passage(&graph, 1)]).await;
            if !probe.heal() {
                break;
            }
            let violations = graph.verify().await.unwrap();
            told += usize::from(violations.iter().any(|v| matches!(v, Violation::DeletionUnfinished(_))));
            graph.repair().await.unwrap();
            assert_eq!(graph.verify().await.unwrap(), [], "at call {calls}");
        }
        assert!(told > 5, "{told}");
    });
}

#[test]
fn a_deletion_that_was_cut_short_is_finished_though_what_it_suspects_can_t_be_read() {
    run(async {
        let (graph, probe) = probed();
        for doc in docs() {
            doc.apply(&graph).await;
        }
        for calls in 0.. {
            probe.fail_after(calls, Fault::Before);
            let _ = graph.remove(&[passage(&graph, 1)]).await;
            assert!(probe.heal());
            if graph.count::<Passage>(&Filter::everything()).await.unwrap() == 1 {
                break;
            }
        }
        let taught = relation(&graph, "Pierre", "taught", "Paul").point();
        tamper(&graph, Collection::Relations, taught, |point| drop(point.payload.remove("text"))).await;
        graph.repair().await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}

#[test]
fn violations_are_told_in_words_that_name_the_point() {
    let (entity, passage, link) = (EntityId::from(STRAY), PassageId::from(STRAY), RelationId::from(STRAY));
    for violation in [
        Violation::Unreadable(Collection::Entities, STRAY),
        Violation::Misidentified(Collection::Passages, STRAY),
        Violation::RelationEndMissing(link, entity),
        Violation::PassageEntityMissing(passage, entity),
        Violation::PassageRelationMissing(passage, link),
        Violation::RelationUnsupported(link),
        Violation::EntityUnreferenced(entity),
        Violation::VectorMissing(Collection::Relations, STRAY),
        Violation::DeletionUnfinished(STRAY),
    ] {
        let words = violation.to_string();
        assert!(words.contains(&STRAY.to_string()) && words == words.to_lowercase(), "{words}");
    }
}

#[test]
fn a_write_that_was_cut_short_is_found() {
    run(async {
        let graph = filled().await;
        let delta = Doc::new("c", "Marie saw ghost").delta(graph.workspace());
        let mut write = graph.begin_write();
        let records = Delta { entities: delta.entities, relations: delta.relations, ..Delta::default() };
        graph.apply_within(&mut write, records).await.unwrap();
        assert!(!graph.verify().await.unwrap().iter().any(|found| variant(found) == "WriteUnfinished"));
        drop(write);
        let found = graph.verify().await.unwrap();
        assert_eq!(found.iter().filter(|found| variant(found) == "WriteUnfinished").count(), 1, "{found:?}");
        graph.repair().await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}
