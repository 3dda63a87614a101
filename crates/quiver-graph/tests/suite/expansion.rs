//! Expansion tests: the graph, the seeds and the printed subgraph.

use std::{fmt::Write, time::Duration};

use quiver_graph::{
    Delta, Direction, Embedded, Entity, ExpandOptions, Graph, Relation, RelationId, Subgraph, expand,
};
use quiver_store::{PointStore, Vectors};

use crate::support::{graph, id_of, probed, run, sparse};

/// Reads a graph: one relation per line, `subject predicate object`, then `strength=0.5`, `from=10` and `to=20` if they
/// matter. The strength is stored as the relation's confidence.
async fn draw(graph: &Graph, lines: &str) {
    let here = graph.workspace();
    let mut delta = Delta::default();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [subject, predicate, object, settings @ ..] = words.as_slice() else { panic!("{line:?}") };
        for name in [subject, object] {
            let mut record = Entity::named(here, None, *name);
            record.pinned = true;
            delta.entities.push(Embedded { record, vectors: Vectors::default() });
        }
        let text = format!("{subject} {predicate} {object}");
        let mut relation =
            Relation::between(here, id_of(here, subject), *predicate, id_of(here, object), text.clone());
        relation.confidence = 0.5;
        relation.pinned = true;
        for setting in settings {
            match setting.split_once('=').unwrap() {
                ("strength", value) => relation.confidence = value.parse().unwrap(),
                ("from", value) => relation.valid_from = Some(value.parse().unwrap()),
                ("to", value) => relation.valid_to = Some(value.parse().unwrap()),
                other => panic!("{other:?}"),
            }
        }
        let Relation { subject, object, valid_from, .. } = relation;
        relation.id = RelationId::of(here, subject, predicate, object, valid_from);
        delta.relations.push(Embedded { record: relation, vectors: sparse(&text) });
    }
    graph.apply(delta).await.unwrap();
}

/// Prints entities by descending score and then ID, each with its path, and checks that the paths are consistent.
async fn print(graph: &Graph, subgraph: &Subgraph) -> String {
    let ids: Vec<_> = subgraph.entities.keys().copied().collect();
    let names = graph.names_of(&ids).await.unwrap();
    let mut order: Vec<_> = subgraph.entities.iter().collect();
    order.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(b.0)));
    let mut text = String::new();
    for (&entity, reached) in order {
        let path = subgraph.path(entity);
        assert_eq!(path.len(), reached.hop, "a path is as long as hops were made");
        assert_eq!(subgraph.entities[&subgraph.seed(entity)].parent, None, "a path starts at a seed");
        write!(text, "{:.3} {}", reached.score, names[&entity]).unwrap();
        for (from, relation) in path.iter().rev() {
            let relation = &subgraph.relations[relation].relation;
            assert!([relation.subject, relation.object].contains(from));
            let (start, end) = if relation.subject == *from { ("<-", "-") } else { ("-", "->") };
            write!(text, " {start}{}{end} {}", relation.predicate, names[from]).unwrap();
        }
        text.push('\n');
    }
    for (number, hop) in subgraph.hops.iter().enumerate() {
        write!(
            text,
            "hop {}: {} entities, {} relations, {} reached",
            number + 1,
            hop.entities_asked,
            hop.relations_found,
            hop.entities_reached
        )
        .unwrap();
        if hop.entities_cut > 0 {
            write!(text, ", {} entities cut", hop.entities_cut).unwrap();
        }
        if hop.relations_cut {
            text.push_str(", relations cut");
        }
        if hop.steps_cut > 0 {
            write!(text, ", {} steps cut", hop.steps_cut).unwrap();
        }
        text.push('\n');
    }
    if subgraph.out_of_time {
        text.push_str("out of time\n");
    }
    text
}

/// Expands seeds in a graph and prints the subgraph. A seed is followed by `=` and its score unless that is 1.
fn check(lines: &str, seeds: &str, options: &ExpandOptions) -> String {
    run(async {
        let graph = graph();
        draw(&graph, lines).await;
        print(&graph, &expanded(&graph, seeds, options).await).await
    })
}

async fn expanded(graph: &Graph, seeds: &str, options: &ExpandOptions) -> Subgraph {
    let seeds: Vec<_> = seeds
        .split_whitespace()
        .map(|seed| {
            let (name, score) = seed.split_once('=').unwrap_or((seed, "1"));
            (id_of(graph.workspace(), name), score.parse().unwrap())
        })
        .collect();
    expand(graph, &seeds, &[], options, |edge| edge.relation.confidence).await.unwrap()
}

const CHAIN: &str = "
    film director woman strength=0.9
    woman married man strength=0.8
    man born town strength=0.7
    film genre drama strength=0.3
";

#[test]
fn a_chain_is_followed_as_far_as_hops_go() {
    insta::assert_snapshot!(check(CHAIN, "film", &ExpandOptions::default()), @r"
    1.000 film
    0.900 woman <-director- film
    0.720 man <-married- woman <-director- film
    0.300 drama <-genre- film
    hop 1: 1 entities, 2 relations, 2 reached
    hop 2: 2 entities, 3 relations, 1 reached
    ");
    let options = ExpandOptions { hops_max: 3, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(CHAIN, "film", &options), @r"
    1.000 film
    0.900 woman <-director- film
    0.720 man <-married- woman <-director- film
    0.504 town <-born- man <-married- woman <-director- film
    0.300 drama <-genre- film
    hop 1: 1 entities, 2 relations, 2 reached
    hop 2: 2 entities, 3 relations, 1 reached
    hop 3: 1 entities, 2 relations, 1 reached
    ");
    let options = ExpandOptions { hops_max: 0, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(CHAIN, "film", &options), @"1.000 film");
}

#[test]
fn direction_and_predicates_filter_within_the_hop() {
    let options = ExpandOptions { direction: Direction::Backward, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(CHAIN, "man", &options), @r"
    1.000 man
    0.800 woman -married-> man
    0.720 film -director-> woman -married-> man
    hop 1: 1 entities, 1 relations, 1 reached
    hop 2: 1 entities, 1 relations, 1 reached
    ");
    let options = ExpandOptions { direction: Direction::Forward, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(CHAIN, "man", &options), @r"
    1.000 man
    0.700 town <-born- man
    hop 1: 1 entities, 1 relations, 1 reached
    hop 2: 1 entities, 0 relations, 0 reached
    ");
    let predicates = vec!["Director".to_owned(), "born".to_owned()];
    let options = ExpandOptions { predicates, hops_max: 5, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(CHAIN, "film", &options), @r"
    1.000 film
    0.900 woman <-director- film
    hop 1: 1 entities, 1 relations, 1 reached
    hop 2: 1 entities, 1 relations, 0 reached
    ");
}

#[test]
fn time_filters_within_the_hop_so_that_paths_hold_at_one_moment() {
    let lines = "
        ann works acme from=10 to=20
        ann works bolt from=20
        acme owner carl from=0
        bolt owner dora from=30
    ";
    let at = |moment| ExpandOptions { valid_at: Some(moment), ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "ann", &at(15)), @r"
    1.000 ann
    0.500 acme <-works- ann
    0.250 carl <-owner- acme <-works- ann
    hop 1: 1 entities, 1 relations, 1 reached
    hop 2: 1 entities, 2 relations, 1 reached
    ");
    insta::assert_snapshot!(check(lines, "ann", &at(20)), @r"
    1.000 ann
    0.500 bolt <-works- ann
    hop 1: 1 entities, 1 relations, 1 reached
    hop 2: 1 entities, 1 relations, 0 reached
    ");
    insta::assert_snapshot!(check(lines, "ann", &at(5)), @r"
    1.000 ann
    hop 1: 1 entities, 0 relations, 0 reached
    ");
}

#[test]
fn the_best_of_several_ways_wins_and_shorter_ways_come_first() {
    let lines = "
        a p b strength=0.9
        a q c strength=0.4
        b p d strength=0.2
        c p d strength=0.9
        b p c strength=0.9
        a r b strength=0.3
    ";
    // By way of b, c would score 0.81, but it was reached in an earlier hop, and paths have no cycles.
    insta::assert_snapshot!(check(lines, "a", &ExpandOptions::default()), @r"
    1.000 a
    0.900 b <-p- a
    0.400 c <-q- a
    0.360 d <-p- c <-q- a
    hop 1: 1 entities, 3 relations, 2 reached
    hop 2: 2 entities, 6 relations, 1 reached
    ");
}

#[test]
fn cycles_and_self_loops_end() {
    let lines = "
        a p b
        b p c
        c p a
        a likes a strength=0.9
    ";
    let options = ExpandOptions { hops_max: 9, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @r"
    1.000 a
    0.500 b <-p- a
    0.500 c -p-> a
    hop 1: 1 entities, 3 relations, 2 reached
    hop 2: 2 entities, 3 relations, 0 reached
    ");
}

#[test]
fn every_budget_says_what_it_cut() {
    let lines = "
        a p b strength=0.9
        a p c strength=0.8
        a p d strength=0.7
        b p e
        c p f
        d p g
    ";
    let options = ExpandOptions { frontier_limit: 2, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @r"
    1.000 a
    0.900 b <-p- a
    0.800 c <-p- a
    0.700 d <-p- a
    0.450 e <-p- b <-p- a
    0.400 f <-p- c <-p- a
    hop 1: 1 entities, 3 relations, 3 reached
    hop 2: 2 entities, 4 relations, 2 reached, 1 entities cut
    ");
    let options = ExpandOptions { relations_per_entity: 1, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @r"
    1.000 a
    0.900 b <-p- a
    0.450 e <-p- b <-p- a
    hop 1: 1 entities, 3 relations, 1 reached, 2 steps cut
    hop 2: 1 entities, 2 relations, 1 reached
    ");
    let options = ExpandOptions { relations_limit: 2, hops_max: 1, ..ExpandOptions::default() };
    let cut = check(lines, "a", &options);
    assert!(cut.ends_with("hop 1: 1 entities, 2 relations, 2 reached, relations cut\n"), "{cut}");
    let options = ExpandOptions { frontier_limit: 0, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @r"
    1.000 a
    hop 1: 0 entities, 0 relations, 0 reached, 1 entities cut
    ");
    let options = ExpandOptions { time_max: Duration::ZERO, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @r"
    1.000 a
    out of time
    ");
    let options = ExpandOptions { time_max: Duration::ZERO, hops_max: 0, ..ExpandOptions::default() };
    insta::assert_snapshot!(check(lines, "a", &options), @"1.000 a");
}

#[test]
fn time_that_runs_out_between_hops_is_said() {
    run(async {
        let graph = graph();
        draw(&graph, CHAIN).await;
        let options =
            ExpandOptions { time_max: Duration::from_millis(20), hops_max: 3, ..ExpandOptions::default() };
        let seeds = [(id_of(graph.workspace(), "film"), 1.0)];
        let slow = |_: &quiver_graph::Edge| {
            std::thread::sleep(Duration::from_millis(30));
            0.5
        };
        let subgraph = expand(&graph, &seeds, &[], &options, slow).await.unwrap();
        assert!(subgraph.out_of_time && subgraph.hops.len() == 1, "{:?}", subgraph.hops);
        // An expansion that had nothing left to do is not out of time.
        let alone = [(id_of(graph.workspace(), "nobody"), 1.0)];
        let subgraph = expand(&graph, &alone, &[], &options, slow).await.unwrap();
        assert!(!subgraph.out_of_time && subgraph.hops.len() == 1);
    });
}

#[test]
fn the_order_of_seeds_does_not_matter_and_the_best_score_of_one_counts() {
    run(async {
        let graph = graph();
        draw(&graph, CHAIN).await;
        let options = ExpandOptions { frontier_limit: 2, ..ExpandOptions::default() };
        let expected = expanded(&graph, "film=0.5 man=0.5 woman=0.9 drama=0.5 film=0.1", &options).await;
        for seeds in [
            "drama=0.5 woman=0.9 man=0.5 film=0.5",
            "film=0.1 film=0.5 woman=0.2 drama=0.5 man=0.5 woman=0.9",
            "man=0.5 drama=0.5 film=0.5 woman=0.9 woman=0.9",
        ] {
            assert_eq!(expanded(&graph, seeds, &options).await, expected, "{seeds}");
        }
    });
}

#[test]
fn ties_are_broken_by_id() {
    run(async {
        let graph = graph();
        let here = graph.workspace();
        let names: Vec<_> = (0..40).map(|n| format!("n{n}")).collect();
        let spokes: Vec<_> = names.iter().map(|name| format!("a p {name}\n{name} p z")).collect();
        draw(&graph, &spokes.join("\n")).await;
        let options = ExpandOptions { frontier_limit: 5, hops_max: 2, ..ExpandOptions::default() };
        let subgraph = expanded(&graph, "a", &options).await;

        let mut spokes: Vec<_> = names.iter().map(|name| id_of(here, name)).collect();
        let relation = |end| RelationId::of(here, id_of(here, "a"), "p", end, None);
        spokes.sort_by_key(|&end| relation(end));
        let mut followed: Vec<_> = spokes.into_iter().take(options.relations_per_entity).collect();
        followed.sort();
        let mut reached: Vec<_> =
            subgraph.entities.iter().filter(|(_, r)| r.hop == 1).map(|(id, _)| *id).collect();
        reached.sort();
        assert_eq!(reached, followed, "of equally strong relations those of the least ids are followed");
        let (z, by) = (id_of(here, "z"), followed[0]);
        assert_eq!(
            subgraph.entities[&z].parent,
            Some((by, RelationId::of(here, by, "p", z, None))),
            "of equally good ways the one by the least id is kept"
        );
        assert_eq!(subgraph.hops[1].entities_cut, 32 - 5);
    });
}

#[test]
fn ranking_is_total_even_where_strengths_are_no_numbers() {
    run(async {
        let graph = graph();
        draw(&graph, "a p b\na p c\na p d\nb p e\nc p f").await;
        let seeds = [(id_of(graph.workspace(), "a"), 1.0), (id_of(graph.workspace(), "a"), f32::NAN)];
        let options = ExpandOptions { frontier_limit: 2, ..ExpandOptions::default() };
        let strength = |edge: &quiver_graph::Edge| match edge.relation.text.as_str() {
            "a p b" => f32::NAN,
            "a p c" => f32::INFINITY,
            "a p d" => -0.0,
            _ => 0.5,
        };
        let print = |subgraph: Subgraph| format!("{subgraph:?}");
        let expected = print(expand(&graph, &seeds, &[], &options, strength).await.unwrap());
        let reversed = [seeds[1], seeds[0]];
        assert_eq!(print(expand(&graph, &reversed, &[], &options, strength).await.unwrap()), expected);
    });
}

#[test]
fn a_hop_of_an_expansion_costs_two_calls_at_the_most() {
    run(async {
        let (graph, probe) = probed();
        draw(&graph, CHAIN).await;
        probe.calls();
        let options = ExpandOptions { hops_max: 3, ..ExpandOptions::default() };
        let target = quiver_store::Target::Sparse(sparse("born").sparse);
        let seeds = [(id_of(graph.workspace(), "film"), 1.0)];
        let subgraph = expand(&graph, &seeds, &[target], &options, |_| 0.5).await.unwrap();
        assert_eq!(probe.calls().len(), 2 * subgraph.hops.len());
        assert_eq!(graph.store().kind(), probe.kind());
    });
}
