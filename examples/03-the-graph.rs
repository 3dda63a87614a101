//! The graph below the questions: entities and relations written by hand, hops with filters, and a path.

use std::collections::HashMap;

use quiver::{
    Quiver,
    graph::{
        Delta, Direction, Embedded, Entity, EntityId, ExpandOptions, Hop, Relation, Workspace, expand, name,
    },
    models::Input,
    store::{SparseVector, Target, Vectors},
};

/// The first of January of a year, in milliseconds since 1970; near enough for an example.
fn year(year: i64) -> i64 {
    (year - 1970) * 31_556_952_000
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quiver = Quiver::in_memory().await?;
    let graph = quiver.graph();
    let workspace = Workspace::default();

    // Facts: subject, predicate, object, and the years in which they held.
    let facts = [
        ("Ida Holm", "founded", "Norby yard", None, None),
        ("Norby yard", "built", "Aurelia", None, None),
        ("Aurelia", "home port", "Bergen", Some(1911), Some(1920)),
        ("Aurelia", "home port", "Hull", Some(1920), None),
    ];
    let mut delta = Delta::default();
    for (subject, predicate, object, from, to) in facts {
        let mut ends = Vec::new();
        for name in [subject, object] {
            let entity = Entity { pinned: true, ..Entity::named(&workspace, None, name) };
            ends.push(entity.id);
            delta.entities.push(Embedded { record: entity, vectors: vectors(&quiver, name).await? });
        }
        let text = format!("{subject} {predicate} {object}");
        let mut relation = Relation::between(&workspace, ends[0], predicate, ends[1], text.as_str());
        relation.valid_from = from.map(year);
        relation.valid_to = to.map(year);
        relation.pinned = true; // no passage supports it, and it stays all the same
        // The date is part of what a dated fact is, so its id is made from it too.
        let date = relation.valid_from;
        relation.id = quiver::graph::RelationId::of(&workspace, ends[0], predicate, ends[1], date);
        delta.relations.push(Embedded { record: relation, vectors: vectors(&quiver, &text).await? });
    }
    graph.apply(delta).await?;

    // A hop is one filtered search: which way, along which predicates, and what held when.
    let aurelia = EntityId::of_name(&workspace, None, "AURELIA"); // spelling does not matter
    for moment in [1915, 1930] {
        let hop = Hop {
            from: &[aurelia],
            direction: Direction::Forward,
            predicates: &["home port".to_owned()],
            valid_at: Some(year(moment)),
            targets: &[],
            limit: 10,
        };
        let (edges, _) = graph.hop(&hop).await?;
        for edge in edges {
            println!("{moment}: {}", edge.relation.text);
        }
    }

    // An expansion makes several hops, the best relations first, and remembers how everything was reached.
    let ida = graph.entities_named(&[name::normalise("Ida Holm")], 1).await?;
    let seeds: Vec<(EntityId, f32)> = ida.iter().map(|entity| (entity.id, 1.0)).collect();
    let target = Target::Sparse(vectors(&quiver, "home port").await?.sparse);
    let options = ExpandOptions { hops_max: 3, valid_at: Some(year(1930)), ..ExpandOptions::default() };
    let subgraph =
        expand(graph, &seeds, &[target], &options, |edge| if edge.scores[0].is_some() { 0.9 } else { 0.5 })
            .await?;
    let ids: Vec<EntityId> = subgraph.entities.keys().copied().collect();
    let names: HashMap<EntityId, String> = graph.names_of(&ids).await?;
    let mut reached: Vec<_> = subgraph.entities.iter().collect();
    reached.sort_by_key(|(id, reached)| (reached.hop, **id));
    for (id, reached) in reached {
        println!("hop {}: {} (score {:.2})", reached.hop, names[id], reached.score);
        for (_, relation) in subgraph.path(*id) {
            println!("    {}", subgraph.relations[&relation].relation.text);
        }
    }
    Ok(())
}

/// What a text is found by.
async fn vectors(quiver: &Quiver, text: &str) -> Result<Vectors, quiver::models::Error> {
    let encoded = quiver.encoder().encode_documents(&[Input::new(text)]).await?.remove(0);
    Ok(Vectors { dense: encoded.dense, sparse: SparseVector::from_pairs(encoded.sparse) })
}
