//! Conversions between records and nodes or relationships.

use std::collections::BTreeSet;

use quiver_cypher::{Map, Moment, Node, NodeId, Relationship, RelationshipId, Value};
use quiver_graph::{Entity, EntityId, Passage, Relation, RelationId};
use quiver_language::token::words;
use serde_json::Value as Json;

/// The label of passages.
pub(super) const PASSAGE: &str = "Passage";
/// The label of entities without a kind and without labels.
pub(super) const ENTITY: &str = "Entity";

/// The separator of the parts of an entity's key, which no typed text contains.
const SEPARATOR: char = '\u{1f}';

pub(super) fn node_id(id: EntityId) -> NodeId {
    NodeId(id.point().as_u128())
}

pub(super) fn entity_id(id: NodeId) -> EntityId {
    EntityId::from(quiver_store::PointId::from_u128(id.0))
}

pub(super) fn passage_node_id(passage: &Passage) -> NodeId {
    NodeId(passage.id.point().as_u128())
}

pub(super) fn relationship_id(id: RelationId) -> RelationshipId {
    RelationshipId(id.point().as_u128())
}

pub(super) fn relation_id(id: RelationshipId) -> RelationId {
    RelationId::from(quiver_store::PointId::from_u128(id.0))
}

/// Returns the key of an entity that is loaded with a label and a key.
pub(super) fn loaded_key(label: &str, key: &str, value: &Value) -> String {
    format!("{label}{SEPARATOR}{key}{SEPARATOR}{}", value.to_json())
}

/// Returns the label and the property in an entity's key, if it was loaded.
pub(super) fn loaded_by(key: &str) -> Option<(String, String)> {
    let mut words = key.split(SEPARATOR);
    match (words.next(), words.next(), words.next()) {
        (Some(label), Some(key), Some(_)) => Some((label.to_owned(), key.to_owned())),
        _ => None,
    }
}

/// Returns the key of a loaded relationship: from the column that identifies it, or from a number if there is none.
pub(super) fn relationship_key(column: &str, value: &Value) -> String {
    format!("{column}{SEPARATOR}{}", value.to_json())
}

/// Returns the label of a kind: `MedicalDevice` for `medical device`.
pub(super) fn label_of_kind(kind: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    words(kind).map(capital).collect()
}

fn moment(milliseconds: i64) -> Value {
    Value::Moment(Moment::from_unix_nanos(i128::from(milliseconds) * 1_000_000))
}

fn properties(payload: &serde_json::Map<String, Json>) -> Map {
    let values = payload.iter().map(|(key, value)| (key.clone(), Value::from_json(value)));
    values.filter(|(_, value)| !value.is_null()).collect()
}

pub(super) fn payload(properties: &Map) -> serde_json::Map<String, Json> {
    properties.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
}

pub(super) fn node_of_entity(entity: &Entity) -> Node {
    let mut node =
        Node { labels: entity.labels.iter().cloned().collect(), properties: properties(&entity.properties) };
    if entity.labels.is_empty() && entity.key.is_none() {
        node.labels =
            BTreeSet::from([entity.kind.as_deref().map_or_else(|| ENTITY.to_owned(), label_of_kind)]);
        node.properties.entry("name".to_owned()).or_insert_with(|| Value::from(entity.name.as_str()));
        if let Some(description) = &entity.description {
            node.properties
                .entry("description".to_owned())
                .or_insert_with(|| Value::from(description.as_str()));
        }
        if !entity.aliases.is_empty() {
            let aliases = entity.aliases.iter().map(|alias| Value::from(alias.as_str())).collect();
            node.properties.entry("aliases".to_owned()).or_insert_with(|| Value::list(aliases));
        }
    }
    node
}

pub(super) fn node_of_passage(passage: &Passage) -> Node {
    let mut node =
        Node { labels: BTreeSet::from([PASSAGE.to_owned()]), properties: properties(&passage.metadata) };
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            node.properties.insert(key.to_owned(), value);
        }
    };
    set("text", Some(passage.text.as_str().into()));
    set("title", passage.title.as_deref().map(Value::from));
    set("document", Some(passage.document.as_str().into()));
    set("position", i64::try_from(passage.position).ok().map(Value::Integer));
    set("speaker", passage.speaker.as_deref().map(Value::from));
    set("session", passage.session.as_deref().map(Value::from));
    set("time", passage.time.map(moment));
    node
}

pub(super) fn relationship_of(relation: &Relation) -> Relationship {
    let mut properties = properties(&relation.properties);
    for (key, at) in [("valid_from", relation.valid_from), ("valid_to", relation.valid_to)] {
        if let Some(at) = at {
            properties.entry(key.to_owned()).or_insert_with(|| moment(at));
        }
    }
    Relationship {
        kind: relation.predicate.clone(),
        start: node_id(relation.subject),
        end: node_id(relation.object),
        properties,
    }
}

/// Returns a readable name of a node: one of its properties, or its label.
pub(super) fn display_name(node: &Node) -> String {
    let text = |key: &str| {
        node.properties.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let named = ["name", "title", "id", "key"].into_iter().find_map(text);
    let other = || node.properties.values().find_map(|value| value.as_str().map(str::to_owned));
    let found = named.or_else(other).or_else(|| node.labels.first().cloned());
    found.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "node".to_owned())
}
