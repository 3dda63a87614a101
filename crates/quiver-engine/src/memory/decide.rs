//! Declared cardinalities. Each is stored as an entity of the graph under its own key, and can be withdrawn.

use std::collections::BTreeMap;

use quiver_graph::{Embedded, Entity, EntityId, Graph, Result, Workspace, filters};
use quiver_models::Lexical;
use quiver_store::Vectors;
use serde::Serialize;
use serde_json::Value;

use super::{
    known::{MemoryFact, slot},
    left,
    resolve::Declared,
    turn::{Cardinality, now},
    words::words,
};

const CARDINALITY: &str = "cardinality";
const EVIDENCE: &str = "evidence";
const DECLARED_AT: &str = "declared_at";

/// The kind of the entities that are declarations.
const KIND: &str = "predicate";

/// A declared cardinality.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Declaration {
    /// The predicate.
    pub predicate: String,
    /// How many values it has at a time.
    pub cardinality: Cardinality,
    /// The reason, if one was given.
    pub evidence: Option<String>,
    /// When it was declared, in milliseconds since 1970; `None` if an earlier version declared it.
    pub declared_at: Option<i64>,
}

impl Declaration {
    /// Reads a declaration; `None` if it is another entity or was withdrawn.
    fn of(entity: &Entity) -> Option<Self> {
        let evidence = entity.properties.get(EVIDENCE).and_then(Value::as_str).map(str::to_owned);
        let declared_at = entity.properties.get(DECLARED_AT).and_then(Value::as_i64);
        let (predicate, cardinality) = (entity.name.clone(), cardinality(entity)?);
        is_cardinality(entity).then_some(Self { predicate, cardinality, evidence, declared_at })
    }
}

fn cardinality(entity: &Entity) -> Option<Cardinality> {
    serde_json::from_value(entity.properties.get(CARDINALITY)?.clone()).ok()
}

/// Lists the declarations in effect, by predicate.
pub(super) async fn declarations(graph: &Graph) -> Result<Vec<Declaration>> {
    let entities: Vec<Entity> = graph.all(&filters::of_kind([KIND])).await?;
    let mut declarations: Vec<Declaration> = entities.iter().filter_map(Declaration::of).collect();
    declarations.sort_by(|a, b| a.predicate.cmp(&b.predicate));
    Ok(declarations)
}

/// The key prefix of declarations.
const DECLARED: &str = "cardinality ";

/// Whether an entity is a declaration, or holds the suggestions that were left. They are reachable only by key.
pub(crate) fn is_declaration(entity: &Entity) -> bool {
    left::is_holder(entity) || is_cardinality(entity)
}

fn is_cardinality(entity: &Entity) -> bool {
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
    let known = |entity: &Entity| Some((*slots.get(&entity.id)?, cardinality(entity)?));
    Ok(declarations.iter().filter_map(known).collect())
}

/// The entity that declares how many values a predicate has; `None` withdraws the declaration.
pub(crate) fn declaration(
    workspace: &Workspace,
    lexical: &Lexical,
    predicate: &str,
    cardinality: Option<Cardinality>,
    evidence: Option<&str>,
) -> Embedded<Entity> {
    let (key, _) = key(workspace, slot(&words(lexical, predicate)));
    let mut entity = Entity::named(workspace, None, predicate);
    entity.id = EntityId::of_key(workspace, &key);
    entity.key = Some(key);
    entity.kind = Some(KIND.to_owned());
    entity.pinned = true;
    let cardinality = cardinality.map_or(Value::Null, |cardinality| match cardinality {
        Cardinality::One => "one".into(),
        Cardinality::Many => "many".into(),
    });
    entity.properties.insert(CARDINALITY.to_owned(), cardinality);
    entity.properties.insert(DECLARED_AT.to_owned(), now().into());
    if let Some(evidence) = evidence {
        entity.properties.insert(EVIDENCE.to_owned(), evidence.into());
    }
    Embedded { record: entity, vectors: Vectors::default() }
}
