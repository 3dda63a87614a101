//! A hub: what touches one of its relations costs the same, however many it has.

use quiver_graph::{Direction, ExpandOptions, Hop, expand};
use quiver_store::Target;

use crate::support::{Call, Doc, Probe, delta, id_of, probed, run, sparse};

/// How many points were read and written, in how many calls.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    calls: usize,
    read: usize,
    written: usize,
}

fn cost(probe: &Probe) -> Cost {
    let calls = probe.calls();
    let points = |writes: bool| -> usize {
        calls.iter().filter(|call: &&Call| call.is_write() == writes).map(|call| call.points).sum()
    };
    Cost { calls: calls.len(), read: points(false), written: points(true) }
}

/// The costs of what one does with a hub of this degree: add a relation, hop, hop to a target, expand, delete.
async fn costs(degree: usize) -> Vec<(&'static str, Cost)> {
    let (graph, probe) = probed();
    let here = graph.workspace().clone();
    for start in (0..degree).step_by(5000) {
        let docs: Vec<_> = (start..degree.min(start + 5000))
            .map(|n| Doc::new(&format!("d{n}"), &format!("spoke{n} links hub")))
            .collect();
        graph.apply(delta(&here, &docs)).await.unwrap();
    }
    let mut costs = Vec::new();
    probe.calls();

    let added = Doc::new("added", "newcomer links hub");
    added.apply(&graph).await;
    costs.push(("add", cost(&probe)));

    let hub = [id_of(&here, "hub")];
    let hop = Hop {
        from: &hub,
        direction: Direction::Both,
        predicates: &[],
        valid_at: None,
        targets: &[],
        limit: 64,
    };
    let (edges, cut) = graph.hop(&hop).await.unwrap();
    assert_eq!((edges.len(), cut), (64, true));
    costs.push(("hop", cost(&probe)));

    let wanted = degree / 2;
    let targets = [Target::Sparse(sparse(&format!("spoke{wanted}")).sparse)];
    let (edges, cut) = graph.hop(&Hop { targets: &targets, ..hop }).await.unwrap();
    assert!(cut, "that there are more is said");
    let best = edges.iter().max_by(|a, b| a.scores[0].partial_cmp(&b.scores[0]).unwrap()).unwrap();
    assert_eq!(best.relation.text, format!("spoke{wanted} links hub"), "it is found among all");
    // Whether the wanted one is among the listed too depends on its id.
    let Cost { calls, written, .. } = cost(&probe);
    costs.push((
        "hop to a target",
        Cost { calls, read: edges.len().clamp(64, 65) - edges.len() % 2, written },
    ));

    let options = ExpandOptions { relations_limit: 64, relations_per_entity: 16, ..ExpandOptions::default() };
    let subgraph = expand(&graph, &[(hub[0], 1.0)], &[], &options, |_| 0.5).await.unwrap();
    let first = &subgraph.hops[0];
    assert_eq!((first.relations_found, first.relations_cut), (64, true));
    assert_eq!((first.entities_reached, first.steps_cut), (16, 48));
    assert!(subgraph.hops.len() == 2 && subgraph.entities.len() == 17);
    let Cost { calls, written, .. } = cost(&probe);
    costs.push(("expand", Cost { calls, read: 0, written }));

    added.remove(&graph).await;
    costs.push(("remove", cost(&probe)));
    assert_eq!(graph.entities(&[id_of(&here, "newcomer")]).await.unwrap(), []);
    assert_eq!(graph.entities(&hub).await.unwrap().len(), 1);
    costs
}

fn assert_bounded(small: usize, large: usize) {
    run(async {
        let (few, many) = (costs(small).await, costs(large).await);
        assert_eq!(few, many, "costs with {small} relations and with {large}");
        for (what, cost) in few {
            assert!(cost.calls <= 16 && cost.read <= 150 && cost.written <= 8, "{what}: {cost:?}");
        }
    });
}

#[test]
fn costs_are_the_same_for_any_degree() {
    assert_bounded(200, 4000);
}

#[test]
#[ignore = "takes half a minute in the dev profile"]
fn costs_are_the_same_for_a_hundred_thousand_relations() {
    assert_bounded(200, 100_000);
}
