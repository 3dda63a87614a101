//! Public futures can move between threads.

use quiver_graph::{Delta, Entity, ExpandOptions, Graph, Hop, Meta, Passage, Relation, expand};
use quiver_store::Filter;

fn assert_send(_: impl Send) {}

#[test]
fn public_futures_are_send() {
    fn check(graph: &Graph) {
        let hop = Hop {
            from: &[],
            direction: quiver_graph::Direction::Both,
            predicates: &[],
            valid_at: None,
            targets: &[],
            limit: 1,
        };
        let everything = Filter::everything();
        assert_send(graph.apply(Delta::default()));
        assert_send(graph.remove(&[]));
        assert_send(graph.finish_deletions());
        assert_send(graph.entities(&[]));
        assert_send(graph.relations(&[]));
        assert_send(graph.passages(&[]));
        assert_send(graph.embedded_passages(&[]));
        assert_send(graph.entities_named(&[], 1));
        assert_send(graph.list::<Entity>(Filter::everything(), 1));
        assert_send(graph.all::<Relation>(&everything));
        assert_send(graph.count::<Passage>(&everything));
        assert_send(graph.nearest::<Passage>(Vec::new()));
        assert_send(graph.names_of(&[]));
        assert_send(graph.hop(&hop));
        assert_send(expand(graph, &[], &[], &ExpandOptions::default(), |_| 0.5));
        assert_send(graph.documents());
        assert_send(graph.passages_of("document"));
        assert_send(graph.statistics());
        assert_send(graph.refresh_statistics());
        assert_send(graph.export("embedder", false, |_| quiver_graph::Result::<()>::Ok(())));
        assert_send(graph.verify());
        assert_send(graph.repair());
        assert_send(Meta::read(graph.store()));
        assert_send(Meta::check(graph.store(), "embedder"));
    }
    check(&crate::support::graph());
}
