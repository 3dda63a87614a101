//! Conversions between the types of this crate and those of the client.

use qdrant_client::{
    Payload as ClientPayload,
    qdrant::{
        Condition as ClientCondition, Filter as ClientFilter, NamedVectors, PointId as ClientId, PointStruct,
        Query, Range, RetrievedPoint, ScoredPoint, Value as ClientValue, Vector, VectorsOutput,
        WithPayloadSelector, WithVectorsSelector, point_id::PointIdOptions, value::Kind, vector_output,
    },
};
use serde_json::Value;

use crate::{
    Collection, Error, ErrorKind, Filter, Payload, Point, PointId, Result, Schema, Scored, Select,
    SparseVector, Target, Vectors,
    fold::{Condition, Folded, fold, integer_bounds},
};

/// The name of the dense vector.
pub(super) const DENSE: &str = "dense";
/// The name of the sparse vector.
pub(super) const SPARSE: &str = "sparse";

pub(super) fn client_id(id: PointId) -> ClientId {
    id.to_string().into()
}

fn own_id(id: Option<ClientId>) -> Result<PointId> {
    match id.and_then(|id| id.point_id_options) {
        Some(PointIdOptions::Uuid(id)) => id.parse().map_err(|error| {
            Error::new(ErrorKind::Mismatch, format!("a point with the id {id:?}")).with_source(error)
        }),
        other => {
            Err(Error::new(ErrorKind::Mismatch, format!("a point with the id {other:?} instead of a UUID")))
        }
    }
}

/// Converts a filter. Returns `None` if no point can match.
pub(super) fn filter(schema: &Schema, collection: Collection, wanted: &Filter) -> Option<ClientFilter> {
    match fold(wanted) {
        Folded::Nothing => None,
        Folded::Everything => Some(ClientFilter::default()),
        Folded::Condition(found) => Some(ClientFilter::must([condition(schema, collection, found)])),
    }
}

fn condition(schema: &Schema, collection: Collection, found: Condition) -> ClientCondition {
    let all =
        |conditions: Vec<Condition>| conditions.into_iter().map(|inner| condition(schema, collection, inner));
    match found {
        Condition::All(conditions) => ClientFilter::must(all(conditions)).into(),
        Condition::Any(conditions) => ClientFilter::should(all(conditions)).into(),
        Condition::Not(inner) => ClientFilter::must_not([condition(schema, collection, *inner)]).into(),
        Condition::In { field, values } => ClientCondition::matches(field, values),
        Condition::Range { field, least, most } => {
            let (gte, lte) = if schema.is_integer(collection, field) {
                integer_bounds(least, most)
            } else {
                (least, most)
            };
            ClientCondition::range(field, Range { gte, lte, gt: None, lt: None })
        }
        Condition::Missing { field } => ClientCondition::is_empty(field),
        Condition::Ids(ids) => ClientCondition::has_id(ids.into_iter().map(client_id)),
    }
}

pub(super) fn with_payload(select: &Select) -> WithPayloadSelector {
    match select.fields {
        None => true.into(),
        Some([]) => false.into(),
        Some(fields) => fields.to_vec().into(),
    }
}

pub(super) fn with_vectors(select: &Select) -> WithVectorsSelector {
    select.vectors.into()
}

pub(super) fn query(target: &Target) -> (Query, &'static str) {
    match target {
        Target::Dense(vector) => (vector.clone().into(), DENSE),
        Target::Sparse(vector) => (vector.pairs().collect::<Vec<_>>().into(), SPARSE),
    }
}

pub(super) fn client_point(point: Point) -> PointStruct {
    // An empty sparse vector is written explicitly: in an indexed segment a point keeps the vectors that its
    // replacement does not name, and deleting a sparse vector leaves its terms in the server's index.
    let sparse = &point.vectors.sparse;
    let mut vectors =
        NamedVectors::default().add_vector(SPARSE, Vector::new_sparse(sparse.indices(), sparse.values()));
    if let Some(dense) = point.vectors.dense {
        vectors = vectors.add_vector(DENSE, Vector::new_dense(dense));
    }
    PointStruct::new(client_id(point.id), vectors, ClientPayload::from(point.payload))
}

pub(super) fn own_point(point: RetrievedPoint) -> Result<Point> {
    Ok(Point {
        id: own_id(point.id)?,
        vectors: own_vectors(point.vectors.as_ref()),
        payload: own_payload(point.payload),
    })
}

pub(super) fn own_scored(point: ScoredPoint) -> Result<Scored> {
    Ok(Scored {
        score: point.score,
        point: Point {
            id: own_id(point.id)?,
            vectors: own_vectors(point.vectors.as_ref()),
            payload: own_payload(point.payload),
        },
    })
}

fn own_payload(payload: impl IntoIterator<Item = (String, ClientValue)>) -> Payload {
    payload.into_iter().map(|(field, value)| (field, own_value(value))).collect()
}

fn own_value(value: ClientValue) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(truth)) => truth.into(),
        Some(Kind::IntegerValue(number)) => number.into(),
        Some(Kind::DoubleValue(number)) => number.into(),
        Some(Kind::StringValue(text)) => text.into(),
        Some(Kind::ListValue(list)) => list.values.into_iter().map(own_value).collect(),
        Some(Kind::StructValue(object)) => own_payload(object.fields).into(),
    }
}

fn own_vectors(vectors: Option<&VectorsOutput>) -> Vectors {
    let mut own = Vectors::default();
    let Some(vectors) = vectors else { return own };
    if let Some(vector_output::Vector::Dense(dense)) = vectors.get_vector_by_name(DENSE) {
        own.dense = Some(dense.data);
    }
    if let Some(vector_output::Vector::Sparse(sparse)) = vectors.get_vector_by_name(SPARSE) {
        own.sparse = SparseVector::from_pairs(sparse.indices.into_iter().zip(sparse.values));
    }
    own
}

/// Estimates the size of a point in a message, in bytes.
pub(super) fn size(point: &Point) -> usize {
    let dense = point.vectors.dense.as_ref().map_or(0, Vec::len);
    let payload: usize =
        point.payload.iter().map(|(field, value)| field.len() + 16 + value_size(value)).sum();
    64 + dense * 4 + point.vectors.sparse.indices().len() * 9 + payload
}

fn value_size(value: &Value) -> usize {
    16 + match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(value_size).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(field, value)| field.len() + 16 + value_size(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
