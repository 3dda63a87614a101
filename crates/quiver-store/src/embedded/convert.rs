//! Conversions between the types of the contract and those of the engine.

use std::collections::HashMap;

use qdrant_edge::{
    AnyVariants, Condition as EngineCondition, FieldCondition, Filter as EngineFilter, HasIdCondition,
    IntegerIndexParams, IsEmptyCondition, JsonPath, KeywordIndexParams, Match, MatchAny, MatchExcept,
    NamedQuery, PayloadFieldSchema, PayloadSchemaParams, PointId as EngineId, PointStructPersisted,
    QueryEnum, Range, Record, SparseVector as EngineSparse, VectorInternal, VectorPersisted,
    VectorStructInternal, VectorStructPersisted, WithPayloadInterface, WithVector,
    external::ordered_float::OrderedFloat,
};
use serde_json::Value;

use super::{
    digest::{self, Digest},
    fields::Unused,
    packed,
};
use crate::{
    Collection, Error, ErrorKind, FieldKind, Payload, Point, PointId, Result, Schema, Select, SparseVector,
    Target, Vectors,
    fold::{Condition, Folded, fold_with, integer_bounds},
};

/// A filter for the engine; `None` if every point passes.
pub(super) type Given = Option<EngineFilter>;

/// The name of the dense vector.
pub(super) const DENSE: &str = "dense";
/// The name of the sparse vector.
pub(super) const SPARSE: &str = "sparse";
/// The term stored for points that have none. The engine closes a segment only if it holds vectors of some size, and an
/// open segment is read whole each time the database is opened.
const NO_TERMS: u32 = u32::MAX;

pub(super) fn engine_id(id: PointId) -> EngineId {
    EngineId::Uuid(id)
}

/// Returns the ID of a point written by this crate.
pub(super) fn own_id(id: EngineId) -> Result<PointId> {
    match id {
        EngineId::Uuid(id) => Ok(id),
        EngineId::NumId(number) => Err(Error::new(
            ErrorKind::Mismatch,
            format!("a point with the number {number} in place of a UUID"),
        )),
    }
}

/// Converts the name of a payload field. The name is quoted, so that none of its characters has a special meaning.
pub(super) fn field_path(field: &str) -> Result<JsonPath> {
    format!("\"{field}\"")
        .parse()
        .map_err(|()| Error::new(ErrorKind::Invalid, format!("{field:?} is no name for a payload field")))
}

/// Converts a filter. Returns `None` if no point can pass.
pub(super) fn filter(
    schema: &Schema,
    collection: Collection,
    unused: Unused,
    filter: &crate::Filter,
) -> Result<Option<Given>> {
    Ok(match fold_with(filter, &|field| !unused.contains(schema, collection, field)) {
        Folded::Nothing => None,
        Folded::Everything => Some(None),
        Folded::Condition(found) => Some(Some(match condition(schema, collection, found)? {
            EngineCondition::Filter(filter) => filter,
            condition => EngineFilter::new_must(condition),
        })),
    })
}

fn condition(schema: &Schema, collection: Collection, found: Condition) -> Result<EngineCondition> {
    let all = |conditions: Vec<Condition>| -> Result<Vec<EngineCondition>> {
        conditions.into_iter().map(|inner| condition(schema, collection, inner)).collect()
    };
    Ok(match found {
        Condition::All(conditions) => {
            EngineCondition::Filter(EngineFilter { must: Some(all(conditions)?), ..EngineFilter::default() })
        }
        Condition::Any(conditions) => EngineCondition::Filter(EngineFilter {
            should: Some(all(conditions)?),
            ..EngineFilter::default()
        }),
        Condition::Not(inner) => match *inner {
            Condition::Missing { field } if let Some(kind) = kind_of(schema, collection, field) => {
                has_value(field, kind)?
            }
            inner => not(condition(schema, collection, inner)?),
        },
        Condition::In { field, values } => EngineCondition::Field(FieldCondition::new_match(
            field_path(field)?,
            Match::Any(MatchAny {
                any: AnyVariants::Strings(stored_values(schema, collection, field, values)),
            }),
        )),
        Condition::Range { field, least, most } => {
            let (least, most) = if schema.is_integer(collection, field) {
                integer_bounds(least, most)
            } else {
                (least, most)
            };
            let range =
                Range { gte: least.map(OrderedFloat), lte: most.map(OrderedFloat), gt: None, lt: None };
            EngineCondition::Field(FieldCondition::new_range(field_path(field)?, range))
        }
        Condition::Missing { field } => match kind_of(schema, collection, field) {
            None => EngineCondition::IsEmpty(IsEmptyCondition::from(field_path(field)?)),
            Some(kind) => not(has_value(field, kind)?),
        },
        Condition::Ids(ids) => {
            EngineCondition::HasId(ids.into_iter().map(engine_id).collect::<HasIdCondition>())
        }
    })
}

/// Returns the stored forms of the values of a field.
fn stored_values<T: FromIterator<String>>(
    schema: &Schema,
    collection: Collection,
    field: &str,
    values: Vec<String>,
) -> T {
    let is_packed = kind_of(schema, collection, field) == Some(FieldKind::Keyword);
    let stored = |value: String| if is_packed { packed::pack(&value).unwrap_or(value) } else { value };
    values.into_iter().map(stored).collect()
}

/// Replaces the texts of a payload whose stored form is another. Those of fields without an index are stored as they
/// are.
fn replace_texts(
    payload: &mut Payload,
    schema: &Schema,
    collection: Collection,
    form: fn(&str) -> Option<String>,
) {
    for field in schema.of(collection).filter(|field| field.kind == FieldKind::Keyword) {
        let values = match payload.get_mut(field.name) {
            None => continue,
            Some(Value::Array(values)) => values.as_mut_slice(),
            Some(value) => std::slice::from_mut(value),
        };
        for value in values {
            if let Some(text) = value.as_str().and_then(form) {
                *value = text.into();
            }
        }
    }
}

/// Returns a value of a field from its stored form.
pub(super) fn own_value(value: String) -> String {
    packed::unpack(&value).unwrap_or(value)
}

fn not(condition: EngineCondition) -> EngineCondition {
    EngineCondition::Filter(EngineFilter { must_not: Some(vec![condition]), ..EngineFilter::default() })
}

fn kind_of(schema: &Schema, collection: Collection, field: &str) -> Option<FieldKind> {
    schema.of(collection).find(|known| known.name == field).map(|known| known.kind)
}

/// Returns the condition that an indexed field has a value, in a form that the index of its values answers. The engine
/// has a separate index for that, which is dropped since it slows down opening; see `shed_indexes`.
fn has_value(field: &str, kind: FieldKind) -> Result<EngineCondition> {
    let path = field_path(field)?;
    Ok(EngineCondition::Field(match kind {
        FieldKind::Integer => {
            let any = Range { gte: Some(OrderedFloat(f64::MIN)), lte: None, gt: None, lt: None };
            FieldCondition::new_range(path, any)
        }
        FieldKind::Keyword | FieldKind::Tenant => {
            let none = AnyVariants::Strings(std::iter::empty::<String>().collect());
            FieldCondition::new_match(path, Match::Except(MatchExcept { except: none }))
        }
    }))
}

/// Returns which part of the payload to read: all or nothing. To select fields, the engine compares a path with each of
/// them, which takes longer than reading them; [`own_point`] drops the unselected ones.
pub(super) fn with_payload(select: &Select) -> WithPayloadInterface {
    WithPayloadInterface::Bool(select.fields != Some(&[]))
}

pub(super) fn with_vector(select: &Select) -> WithVector {
    WithVector::Bool(select.vectors)
}

pub(super) fn query(target: &Target) -> QueryEnum {
    let (query, name) = match target {
        Target::Dense(vector) => (VectorInternal::Dense(vector.clone()), DENSE),
        Target::Sparse(vector) => (VectorInternal::Sparse(engine_sparse(vector)), SPARSE),
    };
    QueryEnum::Nearest(NamedQuery { query, using: Some(name.to_owned()) })
}

pub(super) fn engine_point(
    schema: &Schema,
    collection: Collection,
    mut point: Point,
) -> PointStructPersisted {
    let digest = Digest::of(&point);
    replace_texts(&mut point.payload, schema, collection, packed::pack);
    point.payload.insert(digest::FIELD.to_owned(), digest.to_value());
    // A sparse vector without terms is written too, not left out: in an indexed segment a point keeps the vectors that
    // its replacement does not name, and deleting a sparse vector leaves its terms in the engine's index.
    let sparse = stored_sparse(engine_sparse(&point.vectors.sparse));
    let mut vectors = HashMap::from([(SPARSE.to_owned(), VectorPersisted::Sparse(sparse))]);
    if let Some(dense) = point.vectors.dense {
        vectors.insert(DENSE.to_owned(), VectorPersisted::Dense(dense));
    }
    PointStructPersisted {
        id: engine_id(point.id),
        vector: VectorStructPersisted::Named(vectors),
        payload: Some(qdrant_edge::Payload(point.payload)),
    }
}

/// Converts a record. If the whole payload was read, it is checked against the stored digest, and damage is an error.
/// Points of the first format have no digest.
pub(super) fn own_point(
    schema: &Schema,
    collection: Collection,
    record: Record,
    select: &Select,
) -> Result<Point> {
    let mut point = Point {
        id: own_id(record.id)?,
        vectors: record.vector.map_or_else(Vectors::default, own_vectors),
        payload: record.payload.map(|payload| payload.0).unwrap_or_default(),
    };
    if let Some(fields) = select.fields {
        point.payload.retain(|name, _| fields.contains(&name.as_str()));
        replace_texts(&mut point.payload, schema, collection, packed::unpack);
        return Ok(point);
    }
    replace_texts(&mut point.payload, schema, collection, packed::unpack);
    let kept = [digest::FIELD, digest::FIELD_2].into_iter().find_map(|name| point.payload.shift_remove(name));
    let Some(kept) = kept else { return Ok(point) };
    let is_whole = Digest::from_value(&kept).is_some_and(|kept| {
        kept.is_of_payload(&point) && (!select.vectors || kept.is_of_vectors(&point.vectors))
    });
    if is_whole {
        return Ok(point);
    }
    Err(Error::new(
        ErrorKind::Corrupt,
        format!(
            "{collection} {}: what is stored is not what was written; `quiver verify` lists all such points",
            point.id
        ),
    ))
}

/// Converts a record so that it can be written elsewhere, with its stored digest. One of an earlier format gets the
/// stored form of this one; doing so twice changes nothing more.
pub(super) fn same_point(
    schema: &Schema,
    collection: Collection,
    mut record: Record,
) -> PointStructPersisted {
    if let Some(payload) = record.payload.as_mut().map(|payload| &mut payload.0)
        && !payload.contains_key(digest::FIELD)
    {
        replace_texts(payload, schema, collection, packed::pack_id);
        if let Some(digest) = payload.shift_remove(digest::FIELD_2) {
            let digest = Digest::from_value(&digest).map_or(digest, Digest::to_value);
            payload.insert(digest::FIELD.to_owned(), digest);
        }
    }
    let no_terms = stored_sparse(EngineSparse::default());
    let mut vectors = HashMap::from([(SPARSE.to_owned(), VectorPersisted::Sparse(no_terms))]);
    if let Some(VectorStructInternal::Named(named)) = record.vector {
        for (name, vector) in named {
            match vector {
                VectorInternal::Dense(dense) => drop(vectors.insert(name, VectorPersisted::Dense(dense))),
                VectorInternal::Sparse(sparse) => {
                    vectors.insert(name, VectorPersisted::Sparse(stored_sparse(sparse)));
                }
                VectorInternal::MultiDense(_) => {}
            }
        }
    }
    PointStructPersisted {
        id: record.id,
        vector: VectorStructPersisted::Named(vectors),
        payload: record.payload,
    }
}

fn own_vectors(vectors: VectorStructInternal) -> Vectors {
    let mut own = Vectors::default();
    if let VectorStructInternal::Named(vectors) = vectors {
        for (name, vector) in vectors {
            match vector {
                VectorInternal::Dense(dense) if name == DENSE => own.dense = Some(dense),
                VectorInternal::Sparse(sparse) if name == SPARSE && sparse.indices != [NO_TERMS] => {
                    own.sparse = SparseVector::from_pairs(sparse.indices.into_iter().zip(sparse.values));
                }
                _ => {}
            }
        }
    }
    own
}

/// Returns the stored form of a sparse vector: one without terms gets a reserved term.
fn stored_sparse(vector: EngineSparse) -> EngineSparse {
    if !vector.indices.is_empty() {
        return vector;
    }
    EngineSparse { indices: vec![NO_TERMS], values: vec![1.0] }
}

fn engine_sparse(vector: &SparseVector) -> EngineSparse {
    EngineSparse { indices: vector.indices().to_vec(), values: vector.values().to_vec() }
}

/// Returns how a field is indexed. A closed segment keeps its indexes on disk and reads only what it needs; indexes in
/// memory would be read whole each time the database is opened.
pub(super) fn index_schema(kind: FieldKind) -> PayloadFieldSchema {
    let on_disk = Some(true);
    let keyword = |is_tenant| {
        PayloadSchemaParams::Keyword(KeywordIndexParams {
            is_tenant,
            on_disk,
            ..KeywordIndexParams::default()
        })
    };
    PayloadFieldSchema::FieldParams(match kind {
        FieldKind::Integer => {
            PayloadSchemaParams::Integer(IntegerIndexParams { on_disk, ..IntegerIndexParams::default() })
        }
        FieldKind::Keyword => keyword(None),
        FieldKind::Tenant => keyword(Some(true)),
    })
}
