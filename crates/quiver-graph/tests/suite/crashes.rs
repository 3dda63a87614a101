//! If the store fails at any call, in any way, the next call completes what is left.

use quiver_graph::{Delta, Embedded, Entity, EntityId, Graph, Relation, RelationId};
use quiver_store::Vectors;

use crate::support::{Doc, Fault, Probe, assert_references_resolve, delta, export, probed, raw, run};

/// Fails the first call, then the second and so on, each in every way, until there is none left to fail. Passes each
/// failed graph to `after`.
async fn at_every_call(
    before: impl AsyncFn(&Graph),
    act: impl AsyncFn(&Graph) -> bool,
    after: impl AsyncFn(&Graph, String),
) -> usize {
    let mut failures = 0;
    for fault in Fault::ALL {
        for calls in 0.. {
            assert!(calls < 100, "it ends at some time");
            let (graph, probe) = probed();
            before(&graph).await;
            probe.fail_after(calls, fault);
            let completed = act(&graph).await;
            let failed = probe.heal();
            assert_eq!(failed, !completed, "a failure of the store is not kept secret");
            if !failed {
                break;
            }
            failures += 1;
            after(&graph, format!("{fault:?} at call {calls}")).await;
        }
    }
    failures
}

fn before() -> Doc {
    Doc::new("before", "Marie married Pierre; Warsaw").at(1)
}

fn goes() -> [Doc; 2] {
    [
        Doc::new("one", "Marie married Pierre; Marie discovered radium; Pierre taught Paul").at(2),
        Doc::new("two", "Irene studied radium; Paul admired Irene").at(3),
    ]
}

#[test]
fn a_write_that_fails_anywhere_leaves_no_dangling_passage_and_is_completed_by_the_same_call() {
    run(async {
        let (undisturbed, _) = probed();
        before().apply(&undisturbed).await;
        undisturbed.apply(delta(undisturbed.workspace(), &goes())).await.unwrap();
        let (expected, stored) = (export(&undisturbed).await, raw(undisturbed.store()).await);

        let failures = at_every_call(
            async |graph| {
                before().apply(graph).await;
                graph.statistics().await.unwrap();
            },
            async |graph| graph.apply(delta(graph.workspace(), &goes())).await.is_ok(),
            async |graph, when| {
                assert_references_resolve(graph).await;
                let counted = graph.statistics().await.unwrap();
                assert_eq!(counted, graph.refresh_statistics().await.unwrap(), "{when}");
                graph.apply(delta(graph.workspace(), &goes())).await.unwrap();
                assert_eq!(export(graph).await, expected, "{when}");
                assert_eq!(raw(graph.store()).await, stored, "{when}");
                assert_eq!(graph.verify().await.unwrap(), [], "{when}");
            },
        )
        .await;
        assert!(failures >= 3 * 4, "a look and three writes can fail, each in three ways: {failures}");
    });
}

/// The same passage in two versions; the second refers to fewer and different things.
fn rewoven(graph: &Graph) -> (Delta, Delta) {
    let here = graph.workspace();
    let mut old = Doc::new("doc", "Marie married Pierre; Pierre taught Paul").delta(here);
    let mut new = Doc::new("doc", "Marie married Pierre; Pierre met Hannah").delta(here);
    let passage = &mut new.passages[0].record;
    let as_before = &old.passages[0].record;
    (passage.id, passage.text) = (as_before.id, as_before.text.clone());
    old.passages[0].record.time = Some(1);
    new.passages[0].record.time = Some(2);
    (old, new)
}

#[test]
fn a_replacement_that_fails_anywhere_is_completed_by_the_same_call() {
    run(async {
        let (undisturbed, _) = probed();
        undisturbed.apply(rewoven(&undisturbed).1).await.unwrap();
        let (expected, stored) = (export(&undisturbed).await, raw(undisturbed.store()).await);
        let failures = at_every_call(
            async |graph| {
                graph.apply(rewoven(graph).0).await.unwrap();
                graph.statistics().await.unwrap();
            },
            async |graph| graph.apply(rewoven(graph).1).await.is_ok(),
            async |graph, when| {
                assert_references_resolve(graph).await;
                graph.apply(rewoven(graph).1).await.unwrap();
                assert_eq!(export(graph).await, expected, "{when}");
                assert_eq!(raw(graph.store()).await, stored, "{when}");
                let counted = graph.statistics().await.unwrap();
                assert_eq!(counted, graph.refresh_statistics().await.unwrap(), "{when}");
            },
        )
        .await;
        assert!(failures > 3 * 8, "{failures}");
    });
}

async fn remove_goes(graph: &Graph) -> quiver_graph::Result<quiver_graph::Removed> {
    graph.remove(&crate::support::passages(graph.workspace(), &goes())).await
}

async fn fail_removals(complete: impl AsyncFn(&Graph)) {
    let (undisturbed, _) = probed();
    before().apply(&undisturbed).await;
    let (expected, stored) = (export(&undisturbed).await, raw(undisturbed.store()).await);
    let failures = at_every_call(
        async |graph| {
            before().apply(graph).await;
            graph.apply(delta(graph.workspace(), &goes())).await.unwrap();
            graph.statistics().await.unwrap();
        },
        async |graph| remove_goes(graph).await.is_ok(),
        async |graph, when| {
            assert_references_resolve(graph).await;
            complete(graph).await;
            assert_eq!(export(graph).await, expected, "{when}");
            assert_eq!(raw(graph.store()).await, stored, "{when}: nothing is left behind, notes neither");
            assert_eq!(graph.verify().await.unwrap(), [], "{when}");
            let counted = graph.statistics().await.unwrap();
            assert_eq!(counted, graph.refresh_statistics().await.unwrap(), "{when}");
        },
    )
    .await;
    assert!(failures > 3 * 8, "{failures}");
}

#[test]
fn a_deletion_that_fails_anywhere_is_completed_by_the_same_call() {
    run(fail_removals(async |graph| {
        remove_goes(graph).await.unwrap();
    }));
}

#[test]
fn a_deletion_that_fails_anywhere_is_completed_by_finishing_and_calling_again() {
    run(fail_removals(async |graph| {
        graph.finish_deletions().await.unwrap();
        remove_goes(graph).await.unwrap();
    }));
}

#[test]
fn a_deletion_that_fails_anywhere_is_completed_by_another_process() {
    run(fail_removals(async |graph| {
        let other = Graph::new(graph.store().clone(), graph.workspace().clone());
        other.finish_deletions().await.unwrap();
        remove_goes(&other).await.unwrap();
        // The statistics of this process are its own. There is no other process on an embedded or memory store.
        graph.refresh_statistics().await.unwrap();
    }));
}

#[test]
fn finishing_a_deletion_can_fail_too() {
    run(async {
        let (undisturbed, _) = probed();
        before().apply(&undisturbed).await;
        let expected = export(&undisturbed).await;
        for first in 0.. {
            let (graph, probe) = probed();
            before().apply(&graph).await;
            graph.apply(delta(graph.workspace(), &goes())).await.unwrap();
            probe.fail_after(first, Fault::After);
            let _ = remove_goes(&graph).await;
            if !probe.heal() {
                break;
            }
            fail_finishing(&graph, &probe).await;
            assert_eq!(export(&graph).await, expected, "after a failure at call {first}");
        }
    });
}

/// Fails at the first call, then at the second and so on, until the deletion completes.
async fn fail_finishing(graph: &Graph, probe: &Probe) {
    for calls in 0.. {
        probe.fail_after(calls, Fault::Halfway);
        let _ = remove_goes(graph).await;
        if !probe.heal() {
            return;
        }
    }
}

#[test]
fn what_a_noted_deletion_suspects_stays_when_a_passage_came_to_refer_to_it() {
    run(async {
        for calls in 0..40 {
            let (graph, probe) = probed();
            let [one, two] = goes();
            one.apply(&graph).await;
            probe.fail_after(calls, Fault::Before);
            let _ = graph.remove(&[one.passage(graph.workspace())]).await;
            probe.heal();
            two.apply(&graph).await;
            one.apply(&graph).await;
            graph.finish_deletions().await.unwrap();
            assert_references_resolve(&graph).await;
            assert_eq!(graph.verify().await.unwrap(), []);
            assert_eq!(
                graph.count::<quiver_graph::Passage>(&quiver_store::Filter::everything()).await.unwrap(),
                2
            );
        }
    });
}

/// A write of two deltas, as an import makes it: the records first, then the passages that support them.
async fn write_in_parts(graph: &Graph) -> quiver_graph::Result<()> {
    let Delta { entities, relations, passages } = delta(graph.workspace(), &goes());
    let mut write = graph.begin_write();
    graph.apply_within(&mut write, Delta { entities, relations, ..Delta::default() }).await?;
    graph.apply_within(&mut write, Delta { passages, ..Delta::default() }).await?;
    graph.end_write(write).await
}

async fn fail_writes(write: impl AsyncFn(&Graph) -> bool) {
    let (undisturbed, _) = probed();
    before().apply(&undisturbed).await;
    let nothing = raw(undisturbed.store()).await;
    assert!(write(&undisturbed).await);
    let (expected, all) = (export(&undisturbed).await, raw(undisturbed.store()).await);
    let failures = at_every_call(
        async |graph| {
            before().apply(graph).await;
        },
        async |graph| write(graph).await,
        async |graph, when| {
            // As the next opening does.
            let other = Graph::new(graph.store().clone(), graph.workspace().clone());
            other.finish_deletions().await.unwrap();
            assert_eq!(other.verify().await.unwrap(), [], "{when}: something is left that nothing supports");
            let left = raw(graph.store()).await;
            if when.contains("Before at call 0") {
                assert_eq!(left, nothing, "{when}");
            }
            assert!(left.len() <= all.len(), "{when}: notes stay");
            assert!(write(graph).await, "{when}");
            assert_eq!(export(graph).await, expected, "{when}");
            assert_eq!(raw(graph.store()).await, all, "{when}: notes stay");
        },
    )
    .await;
    assert!(failures >= 3 * 6, "{failures}");
}

#[test]
fn what_a_failed_write_left_is_undone_by_the_next_opening() {
    run(fail_writes(async |graph| graph.apply(delta(graph.workspace(), &goes())).await.is_ok()));
}

#[test]
fn a_write_of_several_parts_is_undone_as_one() {
    run(fail_writes(async |graph| write_in_parts(graph).await.is_ok()));
}

#[test]
fn what_a_write_that_is_under_way_has_added_stays_when_others_write() {
    run(async {
        let (graph, _) = probed();
        let other = Graph::new(graph.store().clone(), graph.workspace().clone());
        let Delta { entities, relations, passages } = delta(graph.workspace(), &goes());
        let mut write = graph.begin_write();
        graph.apply_within(&mut write, Delta { entities, relations, ..Delta::default() }).await.unwrap();
        other.finish_deletions().await.unwrap();
        before().apply(&other).await;
        before().apply(&graph).await;
        graph.remove(&[before().passage(graph.workspace())]).await.unwrap();
        graph.apply_within(&mut write, Delta { passages, ..Delta::default() }).await.unwrap();
        graph.end_write(write).await.unwrap();
        assert_references_resolve(&graph).await;
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}

#[test]
fn a_write_that_is_not_ended_is_undone_by_the_next_one() {
    run(async {
        let (graph, _) = probed();
        before().apply(&graph).await;
        let expected = raw(graph.store()).await;
        let Delta { entities, relations, .. } = delta(graph.workspace(), &goes());
        let mut write = graph.begin_write();
        graph.apply_within(&mut write, Delta { entities, relations, ..Delta::default() }).await.unwrap();
        assert!(raw(graph.store()).await.len() > expected.len());
        drop(write);
        before().apply(&graph).await;
        assert_eq!(raw(graph.store()).await, expected);
    });
}

/// Each part has its own note, and notes have no order: the relations of one refer to the entities of the other.
#[test]
fn entities_and_relations_of_separate_parts_are_undone_together() {
    run(async {
        for _ in 0..8 {
            let (graph, _) = probed();
            before().apply(&graph).await;
            let expected = raw(graph.store()).await;
            let Delta { entities, relations, .. } = delta(graph.workspace(), &goes());
            let mut write = graph.begin_write();
            graph.apply_within(&mut write, Delta { entities, ..Delta::default() }).await.unwrap();
            graph.apply_within(&mut write, Delta { relations, ..Delta::default() }).await.unwrap();
            drop(write);
            graph.finish_deletions().await.unwrap();
            assert_eq!(raw(graph.store()).await, expected);
        }
    });
}

/// A change of several things: entities set and created, a relation created, one deleted, and a pinned entity deleted.
fn changed(graph: &Graph) -> (Delta, Delta, Vec<RelationId>, Vec<EntityId>) {
    let here = graph.workspace();
    let pinned = |name: &str, grade: i64| {
        let mut record = Entity::named(here, None, name);
        record.pinned = true;
        record.properties.insert("grade".to_owned(), grade.into());
        Embedded { record, vectors: Vectors::default() }
    };
    let linked = |from: &str, to: &str| {
        let (from, to) = (Entity::named(here, None, from).id, Entity::named(here, None, to).id);
        let mut record = Relation::between(here, from, "leads to", to, "one leads to another");
        record.pinned = true;
        Embedded { record, vectors: Vectors::default() }
    };
    let before = Delta {
        entities: vec![pinned("a", 1), pinned("b", 1), pinned("c", 1)],
        relations: vec![linked("a", "b"), linked("b", "c")],
        passages: Vec::new(),
    };
    let after = Delta {
        entities: vec![pinned("a", 2), pinned("d", 2)],
        relations: vec![linked("a", "d")],
        passages: Vec::new(),
    };
    let relations = before.relations.iter().map(|one| one.record.id).collect();
    let entities = before.entities[1..].iter().map(|one| one.record.id).collect();
    (before, after, relations, entities)
}

#[test]
fn a_change_that_fails_anywhere_is_whole_or_absent_once_it_is_finished() {
    run(async {
        let prepare = async |graph: &Graph| {
            before().apply(graph).await;
            graph.apply(changed(graph).0).await.unwrap();
        };
        let change = async |graph: &Graph| {
            let (_, delta, relations, entities) = changed(graph);
            graph.change(delta, &relations, &entities).await
        };
        let (undisturbed, _) = probed();
        prepare(&undisturbed).await;
        let (absent, stored_before) = (export(&undisturbed).await, raw(undisturbed.store()).await);
        change(&undisturbed).await.unwrap();
        let (whole, stored) = (export(&undisturbed).await, raw(undisturbed.store()).await);
        assert_ne!(absent, whole);
        let mut ends = [0, 0];
        let counts = std::cell::RefCell::new(&mut ends);
        let failures = at_every_call(
            prepare,
            async |graph| change(graph).await.is_ok(),
            async |graph, when| {
                // Like a process that opens the database next.
                let reopened = Graph::new(std::sync::Arc::clone(graph.store()), graph.workspace().clone());
                reopened.finish_deletions().await.unwrap();
                let found = export(&reopened).await;
                let is_whole = found == whole;
                assert!(is_whole || found == absent, "{when}: {found}");
                counts.borrow_mut()[usize::from(is_whole)] += 1;
                let left = raw(reopened.store()).await;
                assert_eq!(left, if is_whole { stored.clone() } else { stored_before.clone() }, "{when}");
                assert_eq!(reopened.verify().await.unwrap(), [], "{when}");
                change(&reopened).await.unwrap();
                assert_eq!(export(&reopened).await, whole, "{when}");
                assert_eq!(raw(reopened.store()).await, stored, "{when}");
            },
        )
        .await;
        assert!(failures > 3 * 6 && ends.iter().all(|count| *count > 5), "{failures}: {ends:?}");
    });
}
