//! Declared cardinalities. Each is stored as an entity of the graph under its own key, and can be withdrawn.

use std::collections::BTreeMap;

use quiver_graph::{Embedded, Entity, EntityId, Graph, Result, Workspace};
use quiver_models::Lexical;
use quiver_store::Vectors;
use serde_json::Value;

use super::{
    known::{MemoryFact, slot},
    left,
    resolve::Declared,
    turn::Cardinality,
    words::words,
};

const CARDINALITY: &str = "cardinality";

/// The key prefix of declarations.
const DECLARED: &str = "cardinality ";

/// Whether an entity is a declaration, or holds the suggestions that were left. They are reachable only by key.
pub(crate) fn is_declaration(entity: &Entity) -> bool {
    entity.key.as_ref().is_some_and(|key| key.starts_with(DECLARED))
        && entity.properties.contains_key(CARDINALITY)
}

fn key(workspace: &Workspace, slot: u64) -> (String, EntityId) {
    let key = format!("{DECLARED}{slot:016x}");
    let id = EntityId::of_key(workspace, &key);
    (key, id)
}

/// Reads the cardinalities declared for the predicates of some facts.
pub(crate) async fn declared(graph: &Graph, facts: &[MemoryFact]) -> Result<Declared> {
    let slots: BTreeMap<EntityId, u64> =
        facts.iter().map(|fact| (key(graph.workspace(), fact.words.slot).1, fact.words.slot)).collect();
    let ids: Vec<EntityId> = slots.keys().copied().collect();
    let declarations = graph.entities(&ids).await?;
    let read = |entity: &Entity| {
        let value = entity.properties.get(CARDINALITY)?;
        serde_json::from_value(value.clone()).ok()
    };
    Ok(declarations.iter().filter_map(|entity| Some((*slots.get(&entity.id)?, read(entity)?))).collect())
}

/// The entity that declares how many values a predicate has; `None` withdraws the declaration.
pub(crate) fn declaration(
    workspace: &Workspace,
    lexical: &Lexical,
    predicate: &str,
    cardinality: Option<Cardinality>,
) -> Embedded<Entity> {
    let (key, _) = key(workspace, slot(&words(lexical, predicate)));
    let mut entity = Entity::named(workspace, None, predicate);
    entity.id = EntityId::of_key(workspace, &key);
    entity.key = Some(key);
    entity.kind = Some("predicate".to_owned());
    entity.pinned = true;
    let cardinality = cardinality.map_or(Value::Null, |cardinality| match cardinality {
        Cardinality::One => "one".into(),
        Cardinality::Many => "many".into(),
    });
    entity.properties.insert(CARDINALITY.to_owned(), cardinality);
    Embedded { record: entity, vectors: Vectors::default() }
}
    left::is_holder(entity) || is_cardinality(entity)
}

fn is_cardinality(entity: &Entity) -> bool {
