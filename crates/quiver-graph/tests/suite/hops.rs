//! A hop is one filtered search and one filtered listing, whatever the entities' degrees.

use quiver_graph::{Direction, Embedded, EntityId, Graph, Hop, Relation};
use quiver_store::{SparseVector, Target};

use crate::support::{Doc, delta, id_of, probed, run, sparse};

fn hop(from: &[EntityId]) -> Hop<'_> {
    Hop { from, direction: Direction::Both, predicates: &[], valid_at: None, targets: &[], limit: 100 }
}

async fn texts(graph: &Graph, hop: &Hop<'_>) -> Vec<String> {
    let (edges, cut) = graph.hop(hop).await.unwrap();
    assert!(!cut);
    let mut texts: Vec<_> = edges.into_iter().map(|edge| edge.relation.text).collect();
    texts.sort();
    texts
}

fn sparse_target(text: &str) -> Target {
    Target::Sparse(sparse(text).sparse)
}

#[test]
fn a_hop_costs_two_calls_whatever_the_degree() {
    run(async {
        for degree in [1, 10, 500] {
            let (graph, probe) = probed();
            let here = graph.workspace().clone();
            let docs: Vec<_> =
                (0..degree).map(|n| Doc::new(&format!("d{n}"), &format!("hub links n{n}"))).collect();
            graph.apply(delta(&here, &docs)).await.unwrap();
            let from: Vec<_> = [id_of(&here, "hub"), id_of(&here, "n0")].to_vec();
            let targets = [sparse_target("n0"), sparse_target("n1"), sparse_target("hub")];
            probe.calls();
            graph.hop(&Hop { targets: &targets, limit: 8, ..hop(&from) }).await.unwrap();
            let calls = probe.calls();
            assert_eq!(calls.len(), 2, "{calls:?}");
            assert!(calls.iter().all(|call| call.points <= 8 * targets.len()), "{calls:?}");
            graph.hop(&Hop { limit: 8, ..hop(&from) }).await.unwrap();
            assert_eq!(probe.calls().len(), 1, "without targets there is nothing to search for");
        }
    });
}

#[test]
fn direction_predicate_and_time_filter_within_the_hop() {
    run(async {
        let (graph, _) = probed();
        let here = graph.workspace().clone();
        let mut write = Doc::new(
            "d",
            "Marie married Pierre 10; Pierre taught Marie; Marie led Institute 20; Paul met Irene",
        )
        .delta(&here);
        for Embedded { record, .. } in &mut write.relations {
            if record.predicate == "married" {
                record.valid_to = Some(15);
            }
        }
        graph.apply(write).await.unwrap();
        let from = [id_of(&here, "Marie")];
        let (married, led, taught) =
            ("Marie married Pierre 10", "Marie led Institute 20", "Pierre taught Marie");
        assert_eq!(texts(&graph, &hop(&from)).await, [led, married, taught]);
        for (direction, expected) in
            [(Direction::Forward, vec![led, married]), (Direction::Backward, vec![taught])]
        {
            assert_eq!(texts(&graph, &Hop { direction, ..hop(&from) }).await, expected);
        }
        let predicates = ["  MARRIED ".to_owned(), "taught".to_owned()];
        assert_eq!(texts(&graph, &Hop { predicates: &predicates, ..hop(&from) }).await, [married, taught]);
        for (moment, expected) in [
            (9, vec![taught]),
            (10, vec![married, taught]),
            (14, vec![married, taught]),
            (15, vec![taught]),
            (20, vec![led, taught]),
        ] {
            let valid_at = Some(moment);
            assert_eq!(texts(&graph, &Hop { valid_at, ..hop(&from) }).await, expected, "at {moment}");
        }
    });
}

#[test]
fn a_hop_says_whether_its_limit_cut_anything() {
    run(async {
        let (graph, _) = probed();
        let here = graph.workspace().clone();
        Doc::new("d", "a p b; a p c; a p d").apply(&graph).await;
        let from = [id_of(&here, "a")];
        for (limit, found, cut) in [(0, 0, true), (1, 1, true), (2, 2, true), (3, 3, false), (4, 3, false)] {
            let (edges, was_cut) = graph.hop(&Hop { limit, ..hop(&from) }).await.unwrap();
            assert_eq!((edges.len(), was_cut), (found, cut), "limit {limit}");
        }
        assert_eq!(graph.hop(&hop(&[])).await.unwrap(), (Vec::new(), false));
    });
}

#[test]
fn targets_rank_what_the_limit_leaves() {
    run(async {
        let (graph, _) = probed();
        let here = graph.workspace().clone();
        let docs: Vec<_> = (0..50).map(|n| Doc::new(&format!("d{n}"), &format!("hub links n{n}"))).collect();
        graph.apply(delta(&here, &docs)).await.unwrap();
        let from = [id_of(&here, "hub")];
        for wanted in [7, 23, 49] {
            let targets = [Target::Sparse(SparseVector::default()), sparse_target(&format!("n{wanted}"))];
            let (edges, cut) = graph.hop(&Hop { targets: &targets, limit: 1, ..hop(&from) }).await.unwrap();
            assert!(cut);
            let edge = edges.iter().find(|edge| edge.scores[1].is_some()).unwrap();
            assert_eq!(edge.relation.text, format!("hub links n{wanted}"));
            assert_eq!(edge.scores, [None, Some(1.0)]);
            assert!(edges.len() <= 2, "one that is nearest, one that is listed");
        }
    });
}

#[test]
fn every_relation_comes_once_and_by_ascending_id() {
    run(async {
        let (graph, _) = probed();
        let here = graph.workspace().clone();
        Doc::new("d", "a p b; b p a; a q b; a p a; b p c").apply(&graph).await;
        let from = [id_of(&here, "a"), id_of(&here, "b"), id_of(&here, "a")];
        let targets = [sparse_target("a p b"), sparse_target("p")];
        let (edges, _) = graph.hop(&Hop { targets: &targets, ..hop(&from) }).await.unwrap();
        assert_eq!(edges.len(), 5);
        assert!(edges.is_sorted_by(|one, other| one.relation.id < other.relation.id));
        let loops: Vec<&Relation> = edges
            .iter()
            .map(|edge| &edge.relation)
            .filter(|relation| relation.subject == relation.object)
            .collect();
        assert_eq!(loops.len(), 1);
        assert_eq!(loops[0].other_end(id_of(&here, "a")), id_of(&here, "a"));
    });
}
