//! Statistics that follow writes equal those read from the points.

use proptest::prelude::*;
use quiver_graph::{Graph, Statistics};

use crate::{
    collecting::documents,
    support::{Doc, delta, graph, id_of, passages, probed, run},
};

/// Returns the statistics as read by a graph that saw none of the writes.
async fn rebuilt(graph: &Graph) -> Statistics {
    let fresh = Graph::new(graph.store().clone(), graph.workspace().clone());
    (*fresh.statistics().await.unwrap()).clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn following_writes_equals_reading_the_points(
        docs in documents("d", 8),
        steps in proptest::collection::vec((any::<bool>(), 0..8_usize, 1..4_usize), 1..12),
        asked_first in 0..4_usize,
    ) {
        run(async {
            let graph = graph();
            let here = graph.workspace().clone();
            for (number, (add, start, count)) in steps.into_iter().enumerate() {
                let some: Vec<_> = docs.iter().skip(start).take(count).cloned().collect();
                if add {
                    graph.apply(delta(&here, &some)).await.unwrap();
                } else {
                    graph.remove(&passages(&here, &some)).await.unwrap();
                }
                if number >= asked_first {
                    assert_eq!(*graph.statistics().await.unwrap(), rebuilt(&graph).await);
                }
            }
            assert_eq!(*graph.statistics().await.unwrap(), rebuilt(&graph).await);
        });
    }
}

#[test]
fn counts_are_what_they_say() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        Doc::new("a", "Marie married Pierre; Marie").at(5).apply(&graph).await;
        Doc::new("b", "Marie taught Irene").at(9).apply(&graph).await;
        let statistics = graph.statistics().await.unwrap();
        assert_eq!((statistics.passages, statistics.newest), (2, Some(9)));
        let mentioning = |name| statistics.passages_mentioning(id_of(&here, name));
        assert_eq!((mentioning("Marie"), mentioning("Irene"), mentioning("nobody")), (2, 1, 0));
        let term = |word| crate::support::sparse(word).sparse.indices()[0];
        assert_eq!(statistics.passages_with_term(term("Marie")), 2);
        assert_eq!(statistics.passages_with_term(term("taught")), 1);
        let rarity = |word| statistics.inverse_document_frequency(term(word));
        assert!(rarity("unheard") > rarity("taught") && rarity("taught") > rarity("Marie"));
        assert!(rarity("Marie") >= 0.0);
    });
}

#[test]
fn the_newest_is_known_when_the_newest_goes() {
    run(async {
        let graph = graph();
        let docs = [Doc::new("a", "x").at(1), Doc::new("b", "x").at(3), Doc::new("c", "x").at(3)];
        graph.apply(delta(graph.workspace(), &docs)).await.unwrap();
        let newest = || async { graph.statistics().await.unwrap().newest };
        assert_eq!(newest().await, Some(3));
        docs[1].remove(&graph).await;
        assert_eq!(newest().await, Some(3));
        docs[2].remove(&graph).await;
        assert_eq!(newest().await, Some(1));
        docs[0].remove(&graph).await;
        assert_eq!(newest().await, None);
    });
}

#[test]
fn a_passage_that_comes_twice_in_one_delta_counts_once() {
    run(async {
        let graph = graph();
        graph.statistics().await.unwrap();
        let mut delta = Doc::new("a", "Marie married Pierre").delta(graph.workspace());
        delta.passages.push(delta.passages[0].clone());
        delta.passages[1].record.time = Some(4);
        graph.apply(delta).await.unwrap();
        let statistics = graph.statistics().await.unwrap();
        assert_eq!((statistics.passages, statistics.newest), (1, Some(4)), "the last stands");
        assert_eq!(*statistics, rebuilt(&graph).await);
    });
}

#[test]
fn a_write_that_is_dropped_half_way_is_not_guessed_at() {
    run(async {
        let (graph, _) = probed();
        let doc = Doc::new("a", "Marie married Pierre");
        graph.statistics().await.unwrap();
        // The probe yields before each call, so the write can be dropped before each of them.
        for polls in 0..12 {
            let mut write = Box::pin(graph.apply(doc.delta(graph.workspace())));
            for _ in 0..polls {
                if futures::poll!(&mut write).is_ready() {
                    break;
                }
            }
            drop(write);
            assert_eq!(*graph.statistics().await.unwrap(), rebuilt(&graph).await, "after {polls} polls");
        }
    });
}

#[test]
fn they_are_read_once_and_then_kept() {
    run(async {
        let (graph, probe) = probed();
        Doc::new("a", "Marie married Pierre").apply(&graph).await;
        graph.statistics().await.unwrap();
        Doc::new("b", "Marie taught Irene").apply(&graph).await;
        probe.calls();
        assert_eq!(graph.clone().statistics().await.unwrap().passages, 2);
        assert_eq!(probe.calls(), []);
    });
}
