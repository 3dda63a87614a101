//! Deleting: what nothing supports is collected, what others support stays, and deletion undoes ingestion.

use proptest::prelude::*;
use quiver_graph::{Delta, Embedded, Entity, Graph, Removed};
use quiver_store::Vectors;

use crate::support::{Doc, counts, delta, export, graph, id_of, passages, probed, run};

#[test]
fn what_nothing_supports_is_collected_and_what_others_support_stays() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let stays = Doc::new("stays", "Marie married Pierre");
        stays.apply(&graph).await;
        let alone = export(&graph).await;
        let goes =
            Doc::new("goes", "Marie married Pierre; Marie discovered radium; Pierre taught Paul; Warsaw");
        goes.apply(&graph).await;
        let removed = graph.remove(&[goes.passage(&here)]).await.unwrap();
        assert_eq!(counts(removed), (1, 2, 3));
        assert_eq!(export(&graph).await, alone);
        let removed = graph.remove(&[stays.passage(&here)]).await.unwrap();
        assert_eq!(counts(removed), (1, 1, 2));
        assert_eq!(export(&graph).await.lines().count(), 1, "nothing but the header is left");
    });
}

#[test]
fn what_is_pinned_stays() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let mut pinned = Entity::named(&here, None, "Marie");
        pinned.pinned = true;
        let entities = vec![Embedded { record: pinned, vectors: Vectors::default() }];
        graph.apply(Delta { entities, ..Delta::default() }).await.unwrap();
        let doc = Doc::new("doc", "Marie married Pierre; Paul knew Warsaw");
        let mut delta = doc.delta(&here);
        delta.relations[1].record.pinned = true;
        graph.apply(delta).await.unwrap();
        let removed = graph.remove(&[doc.passage(&here)]).await.unwrap();
        assert_eq!(counts(removed), (1, 1, 1), "only Pierre and his marriage go");
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}

#[test]
fn the_ends_of_a_relation_go_with_it_though_no_passage_mentions_them() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let doc = Doc::new("doc", "Marie married Pierre");
        let mut delta = doc.delta(&here);
        delta.passages[0].record.entities.clear();
        delta.passages[0].record.subjects.clear();
        graph.apply(delta).await.unwrap();
        let removed = graph.remove(&[doc.passage(&here)]).await.unwrap();
        assert_eq!(counts(removed), (1, 1, 2));
    });
}

#[test]
fn an_entity_that_a_passage_is_about_stays_though_it_does_not_mention_it() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let mut about = Doc::new("about", "Marie").delta(&here);
        about.passages[0].record.entities.clear();
        graph.apply(about).await.unwrap();
        let mentions = Doc::new("mentions", "Marie");
        mentions.apply(&graph).await;
        mentions.remove(&graph).await;
        assert_eq!(graph.entities(&[id_of(&here, "Marie")]).await.unwrap().len(), 1);
        assert_eq!(graph.verify().await.unwrap(), []);
    });
}

#[test]
fn replacing_a_passage_collects_what_only_the_old_one_referred_to() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let doc = Doc::new("doc", "Marie married Pierre; Pierre taught Paul");
        let old = doc.delta(&here);
        let mut new = old.clone();
        new.relations.truncate(1);
        new.entities.truncate(2);
        new.passages[0].record.relations.truncate(1);
        new.passages[0].record.entities.truncate(2);
        new.passages[0].record.subjects.truncate(1);
        graph.apply(new.clone()).await.unwrap();
        let expected = export(&graph).await;
        graph.apply(old).await.unwrap();
        assert_ne!(export(&graph).await, expected);
        let applied = graph.apply(new).await.unwrap();
        assert_eq!(counts(applied.collected), (0, 1, 1));
        assert_eq!(export(&graph).await, expected);
    });
}

#[test]
fn replacing_a_passage_collects_the_ends_of_the_relations_it_gave_up() {
    run(async {
        let graph = graph();
        let mut old = Doc::new("doc", "Marie married Pierre").delta(graph.workspace());
        old.passages[0].record.entities.clear();
        old.passages[0].record.subjects.clear();
        let mut new = old.clone();
        (new.entities, new.relations) = (Vec::new(), Vec::new());
        new.passages[0].record.relations.clear();
        graph.apply(old).await.unwrap();
        let applied = graph.apply(new).await.unwrap();
        assert_eq!(counts(applied.collected), (0, 1, 2));
    });
}

#[test]
fn what_few_refer_to_stays_though_many_refer_to_something_else() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        // Nearly all passages that refer to any of the suspects refer to the hub.
        let mut docs: Vec<_> = (0..100).map(|n| Doc::new(&format!("many{n}"), "hub links hub")).collect();
        docs.extend(
            (0..10).map(|n| Doc::new(&format!("few{n}"), &format!("hub links hub; hub links rare{n}"))),
        );
        graph.apply(delta(&here, &docs)).await.unwrap();
        let before = export(&graph).await;
        for n in 0..10 {
            let doc = Doc::new("goes", &format!("hub links hub; hub links rare{n}"));
            doc.apply(&graph).await;
            doc.remove(&graph).await;
        }
        assert_eq!(export(&graph).await, before);
    });
}

#[test]
fn removing_what_is_not_there_does_nothing() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        Doc::new("doc", "Marie married Pierre").apply(&graph).await;
        let before = export(&graph).await;
        let absent = Doc::new("absent", "Marie").passage(&here);
        assert_eq!(graph.remove(&[absent]).await.unwrap(), Removed::default());
        assert_eq!(graph.remove(&[]).await.unwrap(), Removed::default());
        assert_eq!(graph.finish_deletions().await.unwrap(), Removed::default());
        assert_eq!(export(&graph).await, before);
    });
}

#[test]
fn writing_and_deleting_at_once_leaves_nothing_dangling() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    runtime.block_on(async {
        let (graph, _) = probed();
        let mut tasks = Vec::new();
        for writer in 0..4 {
            let graph = graph.clone();
            tasks.push(tokio::spawn(async move {
                for round in 0..20 {
                    // All write and delete documents of their own about the same few entities.
                    let doc = Doc::new(&format!("{writer}"), &format!("n{} links n{}", round % 3, round % 2));
                    doc.apply(&graph).await;
                    assert_supported(&graph, &doc).await;
                    if round < 19 {
                        doc.remove(&graph).await;
                    }
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(graph.verify().await.unwrap(), []);
        assert_eq!(graph.statistics().await.unwrap().passages, 4);
    });
}

/// Asserts that if the passage exists, everything it refers to does.
async fn assert_supported(graph: &Graph, doc: &Doc) {
    let [passage] = graph.passages(&[doc.passage(graph.workspace())]).await.unwrap().try_into().unwrap();
    assert_eq!(graph.entities(&passage.entities).await.unwrap().len(), passage.entities.len());
    assert_eq!(graph.relations(&passage.relations).await.unwrap().len(), passage.relations.len());
}

/// Documents over few names, so that they share many.
pub(crate) fn documents(key: &'static str, count: usize) -> impl Strategy<Value = Vec<Doc>> {
    let clause = (0..6_u8, 0..3_u8, 0..6_u8, proptest::option::of(0..2_u8)).prop_map(|(s, p, o, date)| {
        let date = date.map(|date| format!(" {date}")).unwrap_or_default();
        if p == 2 { format!("n{s}") } else { format!("n{s} p{p} n{o}{date}") }
    });
    let doc = (proptest::collection::vec(clause, 0..4), proptest::option::of(0..5_i64));
    proptest::collection::vec(doc, 0..=count).prop_map(move |docs| {
        docs.into_iter()
            .enumerate()
            .map(|(number, (clauses, time))| {
                let mut doc = Doc::new(&format!("{key}{number}"), &clauses.join("; "));
                doc.time = time;
                doc
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deletion_undoes_ingestion(first in documents("a", 5), second in documents("b", 5)) {
        run(async {
            let graph = graph();
            let here = graph.workspace().clone();
            graph.apply(delta(&here, &first)).await.unwrap();
            let before = export(&graph).await;
            graph.apply(delta(&here, &second)).await.unwrap();
            assert_eq!(graph.verify().await.unwrap(), []);
            let removed = graph.remove(&passages(&here, &second)).await.unwrap();
            assert_eq!(removed.passages, second.len());
            assert_eq!(export(&graph).await, before);
            assert_eq!(graph.verify().await.unwrap(), []);
        });
    }

    #[test]
    fn the_order_of_deletions_does_not_matter(docs in documents("a", 6), one_by_one: bool) {
        run(async {
            let graph = graph();
            let here = graph.workspace().clone();
            graph.apply(delta(&here, &docs)).await.unwrap();
            if one_by_one {
                for doc in docs.iter().rev() {
                    doc.remove(&graph).await;
                }
            } else {
                graph.remove(&passages(&here, &docs)).await.unwrap();
            }
            assert_eq!(export(&graph).await.lines().count(), 1, "nothing but the header is left");
        });
    }
}
