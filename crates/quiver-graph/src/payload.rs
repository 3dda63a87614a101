//! The stored payloads: one struct per collection, separate from the records that the other code uses, so that the
//! records are free to change. Version 1; see [`FORMAT`](crate::FORMAT).

use quiver_store::{
    Collection, Error, ErrorKind, Field, FieldKind, Payload, Point, Result, Select, SparseVector, Vectors,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Embedded, Entity, EntityId, Passage, PassageId, Relation, RelationId, Unsplit, Written,
    property::{metadata_terms, property_ranks, property_terms},
};

pub(crate) const WORKSPACE: &str = "workspace";
pub(crate) const NAMES: &str = "names";
pub(crate) const KIND: &str = "kind";
pub(crate) const LABELS: &str = "labels";
/// The field that stores the properties of an entity or a relation.
pub(crate) const OWN_PROPERTIES: &str = "properties";
/// The plain properties of an entity or an undated relation, for filters; derived from the properties and never read
/// back.
pub(crate) const PROPERTIES: &str = "property_terms";
/// The same properties as numbers in the order of their values, for ranges and prefixes.
pub(crate) const PROPERTY_RANKS: &str = "property_ranks";
pub(crate) const SUBJECT: &str = "subject";
pub(crate) const OBJECT: &str = "object";
pub(crate) const PREDICATE: &str = "predicate_key";
pub(crate) const VALID_FROM: &str = "valid_from";
pub(crate) const VALID_TO: &str = "valid_to";
pub(crate) const RECORDED_AT: &str = "recorded_at";
/// The terms of a dated relation's sparse vector, for filters; derived from the vector and never read back.
pub(crate) const WORDS: &str = "words";
pub(crate) const DOCUMENT: &str = "document";
pub(crate) const SESSION: &str = "session";
pub(crate) const TIME: &str = "time";
pub(crate) const SUBJECTS: &str = "subjects";
pub(crate) const ENTITIES: &str = "entities";
pub(crate) const RELATIONS: &str = "relations";
/// The field that stores the metadata of a passage.
pub(crate) const METADATA: &str = "metadata";
/// The plain metadata of a passage, for filters; derived from the metadata and never read back.
pub(crate) const METADATA_TERMS: &str = "metadata_terms";

const fn field(collection: Collection, name: &'static str, kind: FieldKind) -> Field {
    Field { collection, name, kind }
}

/// The indexed fields: every field that this crate's filters use.
pub(crate) const FIELDS: &[Field] = &[
    field(Collection::Entities, WORKSPACE, FieldKind::Tenant),
    field(Collection::Entities, NAMES, FieldKind::Keyword),
    field(Collection::Entities, KIND, FieldKind::Keyword),
    field(Collection::Entities, LABELS, FieldKind::Keyword),
    field(Collection::Entities, PROPERTIES, FieldKind::Keyword),
    field(Collection::Entities, PROPERTY_RANKS, FieldKind::Integer),
    field(Collection::Relations, WORKSPACE, FieldKind::Tenant),
    field(Collection::Relations, SUBJECT, FieldKind::Keyword),
    field(Collection::Relations, OBJECT, FieldKind::Keyword),
    field(Collection::Relations, PREDICATE, FieldKind::Keyword),
    field(Collection::Relations, VALID_FROM, FieldKind::Integer),
    field(Collection::Relations, VALID_TO, FieldKind::Integer),
    field(Collection::Relations, RECORDED_AT, FieldKind::Integer),
    field(Collection::Relations, WORDS, FieldKind::Keyword),
    field(Collection::Relations, PROPERTIES, FieldKind::Keyword),
    field(Collection::Relations, PROPERTY_RANKS, FieldKind::Integer),
    field(Collection::Passages, WORKSPACE, FieldKind::Tenant),
    field(Collection::Passages, DOCUMENT, FieldKind::Keyword),
    field(Collection::Passages, SESSION, FieldKind::Keyword),
    field(Collection::Passages, TIME, FieldKind::Integer),
    field(Collection::Passages, SUBJECTS, FieldKind::Keyword),
    field(Collection::Passages, ENTITIES, FieldKind::Keyword),
    field(Collection::Passages, RELATIONS, FieldKind::Keyword),
    field(Collection::Passages, METADATA_TERMS, FieldKind::Keyword),
];

/// A record that is stored as a point.
pub(crate) trait Stored: Sized {
    const COLLECTION: Collection;
    /// The fields to read of its point.
    const SELECT: Select = Select::PAYLOAD;
    fn to_point(record: Embedded<Self>) -> Point;
    fn from_point(point: Point) -> Result<Self>;

    fn with_vectors(mut point: Point) -> Result<Embedded<Self>> {
        let vectors: Vectors = std::mem::take(&mut point.vectors);
        Ok(Embedded { record: Self::from_point(point)?, vectors })
    }
}

#[derive(Serialize, Deserialize)]
struct EntityPayload {
    name: String,
    names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Payload::is_empty")]
    properties: Payload,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    property_terms: Vec<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    property_ranks: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    /// The name that a decision gave it; `name` and `aliases` stay as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renamed: Option<RenamedPayload>,
}

#[derive(Serialize, Deserialize)]
struct RenamedPayload {
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct RelationPayload {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    subject: EntityId,
    predicate: String,
    predicate_key: String,
    object: EntityId,
    text: String,
    #[serde(default, skip_serializing_if = "Payload::is_empty")]
    properties: Payload,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valid_from: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valid_to: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded_at: Option<i64>,
    #[serde(default = "certain", skip_serializing_if = "is_certain")]
    confidence: f32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    property_terms: Vec<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    property_ranks: Vec<u64>,
}

fn certain() -> f32 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_certain(confidence: &f32) -> bool {
    *confidence >= 1.0
}

#[derive(Serialize, Deserialize)]
struct PassagePayload {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    document: String,
    position: u64,
    #[serde(default, skip_serializing_if = "is_unknown")]
    ordinal: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
    #[serde(default)]
    subjects: Vec<EntityId>,
    #[serde(default)]
    entities: Vec<EntityId>,
    #[serde(default)]
    relations: Vec<RelationId>,
    #[serde(default, skip_serializing_if = "Payload::is_empty")]
    metadata: Payload,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    metadata_terms: Vec<String>,
    #[serde(default, rename = "weave")]
    extraction_digest: String,
    /// What it referred to before a decision split an entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unsplit: Option<Unsplit>,
}

impl Stored for Entity {
    const COLLECTION: Collection = Collection::Entities;

    fn to_point(record: Embedded<Self>) -> Point {
        let names = record.record.names();
        let Entity { id, name, key, aliases, kind, labels, properties, description, pinned, written } =
            record.record;
        let (name, aliases, renamed) = match written {
            Some(written) => (written.name, written.aliases, Some(RenamedPayload { name, aliases })),
            None => (name, aliases, None),
        };
        let (property_terms, property_ranks) = (property_terms(&properties), property_ranks(&properties));
        let payload = EntityPayload {
            name,
            names,
            key,
            aliases,
            kind,
            labels,
            properties,
            property_terms,
            property_ranks,
            description,
            pinned,
            renamed,
        };
        point(id.point(), record.vectors, &payload)
    }

    fn from_point(point: Point) -> Result<Self> {
        let id = EntityId::from(point.id);
        let EntityPayload {
            name,
            names: _,
            key,
            aliases,
            kind,
            labels,
            properties,
            property_terms: _,
            property_ranks: _,
            description,
            pinned,
            renamed,
        } = payload(Self::COLLECTION, point)?;
        let (name, aliases, written) = match renamed {
            Some(renamed) => (renamed.name, renamed.aliases, Some(Written { name, aliases })),
            None => (name, aliases, None),
        };
        Ok(Self { id, name, key, aliases, kind, labels, properties, description, pinned, written })
    }
}

impl Stored for Relation {
    const COLLECTION: Collection = Collection::Relations;
    const SELECT: Select = Select::fields(&[
        "key",
        SUBJECT,
        "predicate",
        PREDICATE,
        OBJECT,
        "text",
        OWN_PROPERTIES,
        VALID_FROM,
        VALID_TO,
        RECORDED_AT,
        "confidence",
        "pinned",
    ]);

    fn to_point(record: Embedded<Self>) -> Point {
        let Relation {
            id,
            key,
            subject,
            predicate,
            object,
            text,
            properties,
            valid_from,
            valid_to,
            recorded_at,
            confidence,
            pinned,
        } = record.record;
        let predicate_key = crate::name::normalise(&predicate);
        // Facts all have the same few properties, and are found by their words.
        let indexed = valid_from.is_none().then_some(&properties);
        let property_terms = indexed.map(property_terms).unwrap_or_default();
        let property_ranks = indexed.map(property_ranks).unwrap_or_default();
        let payload = RelationPayload {
            key,
            subject,
            predicate,
            predicate_key,
            object,
            text,
            properties,
            valid_from,
            valid_to,
            recorded_at,
            // JSON can't represent NaN; a confidence that can't be compared counts as 0.
            confidence: if confidence.is_nan() { 0.0 } else { confidence },
            pinned,
            words: if valid_from.is_some() { words(&record.vectors.sparse) } else { Vec::new() },
            property_terms,
            property_ranks,
        };
        self::point(id.point(), record.vectors, &payload)
    }

    fn from_point(point: Point) -> Result<Self> {
        let id = RelationId::from(point.id);
        let RelationPayload {
            key,
            subject,
            predicate,
            predicate_key: _,
            object,
            text,
            properties,
            valid_from,
            valid_to,
            recorded_at,
            confidence,
            pinned,
            words: _,
            property_terms: _,
            property_ranks: _,
        } = payload(Self::COLLECTION, point)?;
        Ok(Self {
            id,
            key,
            subject,
            predicate,
            object,
            text,
            properties,
            valid_from,
            valid_to,
            recorded_at,
            confidence,
            pinned,
        })
    }
}

impl Stored for Passage {
    const COLLECTION: Collection = Collection::Passages;

    fn to_point(record: Embedded<Self>) -> Point {
        let Passage {
            id,
            text,
            title,
            document,
            position,
            ordinal,
            speaker,
            session,
            time,
            subjects,
            entities,
            relations,
            metadata,
            extraction_digest,
            unsplit,
        } = record.record;
        let metadata_terms = metadata_terms(&metadata);
        let payload = PassagePayload {
            text,
            title,
            document,
            position,
            ordinal,
            speaker,
            session,
            time,
            subjects,
            entities,
            relations,
            metadata,
            metadata_terms,
            extraction_digest,
            unsplit,
        };
        self::point(id.point(), record.vectors, &payload)
    }

    fn from_point(point: Point) -> Result<Self> {
        let id = PassageId::from(point.id);
        let PassagePayload {
            text,
            title,
            document,
            position,
            ordinal,
            speaker,
            session,
            time,
            subjects,
            entities,
            relations,
            metadata,
            metadata_terms: _,
            extraction_digest,
            unsplit,
        } = payload(Self::COLLECTION, point)?;
        Ok(Self {
            id,
            text,
            title,
            document,
            position,
            ordinal,
            speaker,
            session,
            time,
            subjects,
            entities,
            relations,
            metadata,
            extraction_digest,
            unsplit,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_unknown(ordinal: &u64) -> bool {
    *ordinal == 0
}

/// Encodes a term for the `words` field of dated relations.
pub(crate) fn word(term: u32) -> String {
    format!("{term:x}")
}

/// Encodes the terms of a sparse vector for the `words` field.
pub(crate) fn words(sparse: &SparseVector) -> Vec<String> {
    sparse.indices().iter().copied().map(word).collect()
}

fn point(id: quiver_store::PointId, vectors: Vectors, payload: &impl Serialize) -> Point {
    let payload = match serde_json::to_value(payload) {
        Ok(Value::Object(payload)) => payload,
        other => unreachable!("a payload struct serialises to an object: {other:?}"),
    };
    Point { id, vectors, payload }
}

fn payload<T: DeserializeOwned>(collection: Collection, point: Point) -> Result<T> {
    serde_json::from_value(Value::Object(point.payload)).map_err(|source| {
        Error::new(
            ErrorKind::Corrupt,
            format!(
                "{collection} {}: the payload can't be read; `quiver verify` lists all such points",
                point.id
            ),
        )
        .with_source(source)
    })
}
