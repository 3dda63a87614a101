//! Documents are the passages that share a key.

use quiver_graph::{Delta, PassageId};

use crate::support::{Doc, graph, run};

#[test]
fn documents_are_listed_by_key_and_turns_of_sessions_are_none() {
    run(async {
        let graph = graph();
        let here = graph.workspace().clone();
        let mut delta = Delta::default();
        for (key, line) in [("b", "x"), ("a", "y"), ("Ж", "x"), ("a", "z"), ("a", "x"), ("session", "x")] {
            let more = Doc::new(key, line).delta(&here);
            delta.entities.extend(more.entities);
            delta.passages.extend(more.passages);
        }
        let turn = &mut delta.passages[5].record;
        turn.session = Some("session".to_owned());
        turn.id = PassageId::of_turn(&here, "session", turn.position);
        graph.apply(delta).await.unwrap();
        let documents = graph.documents().await.unwrap();
        let listed: Vec<_> =
            documents.iter().map(|document| (document.key.as_str(), document.passages)).collect();
        assert_eq!(listed, [("a", 3), ("b", 1), ("Ж", 1)]);
    });
}

#[test]
fn a_document_is_read_in_the_order_of_its_positions() {
    run(async {
        let graph = graph();
        let mut delta = Delta::default();
        for (position, line) in [(2, "third"), (0, "first"), (1, "second"), (10, "last")] {
            let mut more = Doc::new("d", line).delta(graph.workspace());
            more.passages[0].record.position = position;
            delta.entities.extend(more.entities);
            delta.passages.extend(more.passages);
        }
        graph.apply(delta).await.unwrap();
        let texts: Vec<_> =
            graph.passages_of("d").await.unwrap().into_iter().map(|passage| passage.text).collect();
        assert_eq!(texts, ["first", "second", "third", "last"]);
        assert_eq!(graph.passages_of("e").await.unwrap(), []);
    });
}
