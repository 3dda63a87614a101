//! Two workspaces in one store: no call in one sees or changes the other, whatever it is given.

use quiver_graph::{
    Delta, Direction, Embedded, Entity, EntityId, ErrorKind, ExpandOptions, Graph, Hop, Nearest, Passage,
    PassageId, Relation, RelationId, Removed, Repair, expand, filters,
};
use quiver_store::{Filter, Target};

use crate::support::{Doc, Fault, Probe, counts, delta, export, id_of, memory, raw, run, sparse, workspace};

/// What one workspace knows about itself and another may try.
struct Mine {
    docs: Vec<Doc>,
    entities: Vec<EntityId>,
    relations: Vec<RelationId>,
    passages: Vec<PassageId>,
}

async fn fill(graph: &Graph) -> Mine {
    let docs = vec![
        Doc::new("a", "Marie married Pierre; Marie discovered radium").at(1),
        Doc::new("b", "Pierre taught Paul; Warsaw").at(2),
    ];
    let delta = delta(graph.workspace(), &docs);
    let mine = Mine {
        docs,
        entities: delta.entities.iter().map(|entity| entity.record.id).collect(),
        relations: delta.relations.iter().map(|relation| relation.record.id).collect(),
        passages: delta.passages.iter().map(|passage| passage.record.id).collect(),
    };
    graph.apply(delta).await.unwrap();
    mine
}

/// Tries every read call with what another workspace knows.
async fn read_everything(graph: &Graph, theirs: &Mine) {
    let everything = Filter::everything;
    assert_eq!(graph.entities(&theirs.entities).await.unwrap(), []);
    assert_eq!(graph.relations(&theirs.relations).await.unwrap(), []);
    assert_eq!(graph.passages(&theirs.passages).await.unwrap(), []);
    assert_eq!(graph.embedded_passages(&theirs.passages).await.unwrap(), []);
    assert!(graph.names_of(&theirs.entities).await.unwrap().is_empty());
    let names: Vec<_> = ["marie", "pierre", "radium", "warsaw"].map(str::to_owned).to_vec();
    assert_eq!(graph.entities_named(&names, 100).await.unwrap(), []);
    assert_eq!(graph.list::<Entity>(everything(), 100).await.unwrap(), []);
    assert_eq!(graph.list::<Relation>(everything(), 100).await.unwrap(), []);
    assert_eq!(graph.list::<Passage>(everything(), 100).await.unwrap(), []);
    assert_eq!(graph.all::<Entity>(&everything()).await.unwrap(), []);
    assert_eq!(
        graph.all::<Passage>(&Filter::Any(vec![everything(), filters::of_document("a")])).await.unwrap(),
        []
    );
    let ids = Filter::Ids(theirs.passages.iter().map(|id| id.point()).collect());
    assert_eq!(graph.all::<Passage>(&ids).await.unwrap(), []);
    assert_eq!(graph.count::<Relation>(&everything()).await.unwrap(), 0);
    assert_eq!(graph.count::<Entity>(&Filter::Not(Box::new(Filter::Any(vec![])))).await.unwrap(), 0);
    // A caller cannot ask for another workspace by its name, since the filter also requires its own.
    let sneaky = Filter::Any(vec![Filter::any_of("workspace", ["theirs", "mine"]), everything()]);
    assert_eq!(graph.count::<Passage>(&sneaky).await.unwrap(), 0);
    let target = Target::Sparse(sparse("Marie married Pierre").sparse);
    let nearest = || vec![Nearest { target: target.clone(), among: everything(), limit: 100 }];
    assert_eq!(graph.nearest::<Entity>(nearest()).await.unwrap(), [vec![]]);
    assert_eq!(graph.nearest::<Relation>(nearest()).await.unwrap(), [vec![]]);
    assert_eq!(graph.nearest::<Passage>(nearest()).await.unwrap(), [vec![]]);
    let hop = Hop {
        from: &theirs.entities,
        direction: Direction::Both,
        predicates: &[],
        valid_at: None,
        targets: std::slice::from_ref(&target),
        limit: 100,
    };
    assert_eq!(graph.hop(&hop).await.unwrap(), (vec![], false));
    let seeds: Vec<_> = theirs.entities.iter().map(|&id| (id, 1.0)).collect();
    let subgraph = expand(graph, &seeds, std::slice::from_ref(&target), &ExpandOptions::default(), |_| 0.5)
        .await
        .unwrap();
    assert!(subgraph.relations.is_empty() && subgraph.entities.values().all(|reached| reached.hop == 0));
    assert_eq!(graph.documents().await.unwrap(), []);
    assert_eq!(graph.passages_of("a").await.unwrap(), []);
    for statistics in [graph.statistics().await.unwrap(), graph.refresh_statistics().await.unwrap()] {
        assert_eq!(*statistics, quiver_graph::Statistics::default());
    }
    assert_eq!(graph.verify().await.unwrap(), []);
    assert_eq!(export(graph).await.lines().count(), 1, "nothing but the header");
}

/// Tries every write call with what another workspace knows.
async fn write_everything(graph: &Graph, theirs: &Mine, their_records: &Delta) {
    assert_eq!(graph.remove(&theirs.passages).await.unwrap(), Removed::default());
    assert_eq!(graph.finish_deletions().await.unwrap(), Removed::default());
    assert_eq!(graph.repair().await.unwrap(), Repair::default());
    // Their records can't be written here, since they would get this workspace's stamp.
    for part in 0..3 {
        let mut stolen = Delta::default();
        match part {
            0 => stolen.entities = their_records.entities.clone(),
            1 => stolen.relations = their_records.relations.clone(),
            _ => stolen.passages = their_records.passages.clone(),
        }
        for Embedded { record, .. } in &mut stolen.entities {
            record.pinned = true;
        }
        for Embedded { record, .. } in &mut stolen.relations {
            record.pinned = true;
        }
        let error = graph.apply(stolen).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("\"mine\""), "{error}");
    }
    // A passage here that refers to records of the other workspace does not see them, and takes nothing with it when it
    // is deleted.
    let doc = Doc::new("bridge", "bridge");
    let mut bridge = doc.delta(graph.workspace());
    let passage = &mut bridge.passages[0].record;
    passage.entities.extend(&theirs.entities);
    passage.relations.extend(&theirs.relations);
    graph.apply(bridge).await.unwrap();
    assert!(!graph.verify().await.unwrap().is_empty(), "its references lead nowhere");
    let removed = graph.remove(&[doc.passage(graph.workspace())]).await.unwrap();
    assert_eq!(counts(removed), (1, 0, 1));
}

#[test]
fn no_call_crosses_the_boundary() {
    run(async {
        let store = memory();
        let theirs = Graph::new(store.clone(), workspace("theirs"));
        let their = fill(&theirs).await;
        let their_records = delta(theirs.workspace(), &their.docs);
        let their_statistics = theirs.statistics().await.unwrap();
        let before = raw(&store).await;

        let mine = Graph::new(store.clone(), workspace("mine"));
        read_everything(&mine, &their).await;
        write_everything(&mine, &their, &their_records).await;
        assert_eq!(raw(&store).await, before);

        // The same documents here are different points, and can be deleted without affecting the others.
        let own = fill(&mine).await;
        assert!(raw(&store).await.len() == 2 * before.len());
        assert!(own.entities.iter().all(|id| !their.entities.contains(id)));
        assert_ne!(id_of(mine.workspace(), "Marie"), id_of(theirs.workspace(), "Marie"));
        assert_eq!(*theirs.statistics().await.unwrap(), *their_statistics);
        assert_eq!(*theirs.refresh_statistics().await.unwrap(), *their_statistics);
        mine.remove(&own.passages).await.unwrap();
        assert_eq!(raw(&store).await, before);
    });
}

#[test]
fn a_deletion_that_was_cut_short_is_finished_in_its_own_workspace() {
    run(async {
        for calls in 0..20 {
            let probe = std::sync::Arc::new(Probe::new(memory()));
            let store: std::sync::Arc<dyn quiver_store::PointStore> = probe.clone();
            let theirs = Graph::new(store.clone(), workspace("theirs"));
            let their = fill(&theirs).await;
            probe.fail_after(calls, Fault::After);
            let _ = theirs.remove(&their.passages).await;
            probe.heal();
            let before = raw(&store).await;
            let mine = Graph::new(store.clone(), workspace("mine"));
            assert_eq!(mine.finish_deletions().await.unwrap(), Removed::default());
            assert_eq!(mine.verify().await.unwrap(), []);
            assert_eq!(mine.repair().await.unwrap(), Repair::default());
            assert_eq!(raw(&store).await, before);
            theirs.remove(&their.passages).await.unwrap();
            assert!(raw(&store).await.is_empty());
        }
    });
}

#[test]
fn names_that_could_be_taken_for_something_else_are_refused() {
    for name in ["", " ", "\t", "a\u{1}", "\u{1}default", "a\nb", &"x".repeat(129)] {
        let error = quiver_graph::Workspace::new(name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{name:?}");
        assert!(serde_json::from_value::<quiver_graph::Workspace>(name.into()).is_err(), "{name:?}");
        assert!(name.parse::<quiver_graph::Workspace>().is_err(), "{name:?}");
    }
    for name in ["default", "мой", "工作区", "a b", &"x".repeat(128)] {
        assert_eq!(workspace(name).as_str(), name);
    }
}
