//! A hub: the cost of using one of its relations does not depend on how many it has.

use std::sync::Arc;

use quiver_graph::{Direction, ExpandOptions, Hop, expand};
use quiver_store::{PointStore, Target};

use crate::support::{Call, Doc, Probe, delta, id_of, memory, probed_on, run, sparse};

/// How many points were read and written, and in how many calls.
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

/// Returns the costs for a hub of this degree: add a relation, hop, hop to a target, expand, delete.
async fn costs(store: Arc<dyn PointStore>, degree: usize) -> Vec<(&'static str, Cost)> {
    let (graph, probe) = probed_on(store);
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
    costs.push(("hop to a target", cost(&probe)));

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

/// Asserts that the costs of a small and a large hub are the same, each in an empty store.
pub(crate) async fn assert_bounded(stores: [Arc<dyn PointStore>; 2], degrees: [usize; 2]) {
    let [one, other] = stores;
    let (few, many) = (costs(one, degrees[0]).await, costs(other, degrees[1]).await);
    assert_eq!(few, many, "costs with {degrees:?} relations");
    for (what, cost) in few {
        // Removing takes 18 calls. Two of them ask which current writes rely on relations and entities to be collected.
        assert!(cost.calls <= 18 && cost.read <= 150 && cost.written <= 8, "{what}: {cost:?}");
    }
}

#[test]
fn costs_are_the_same_for_any_degree() {
    run(assert_bounded([memory(), memory()], [200, 4000]));
}

#[test]
#[ignore = "takes half a minute in the dev profile"]
fn costs_are_the_same_for_a_hundred_thousand_relations() {
    run(assert_bounded([memory(), memory()], [200, 100_000]));
}
