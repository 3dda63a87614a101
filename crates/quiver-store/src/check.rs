//! Validation shared by all backends, so that they reject the same input with the same messages.

use crate::{Collection, Error, ErrorKind, FieldKind, Point, Result, Schema, Search, Target};

/// Rejects points that do not match the schema, before any of them is written.
pub(crate) fn points(schema: &Schema, collection: Collection, points: &[Point]) -> Result<()> {
    for point in points {
        if let Some(dense) = &point.vectors.dense {
            dense_vector(schema, dense)
                .map_err(|what| invalid(format!("{collection} {}: {what}", point.id)))?;
        }
        if !point.vectors.sparse.values().iter().all(|value| value.is_finite()) {
            return Err(invalid(format!("{collection} {}: a sparse weight is not finite", point.id)));
        }
    }
    Ok(())
}

/// Rejects searches that do not match the schema.
pub(crate) fn searches(schema: &Schema, searches: &[Search]) -> Result<()> {
    for search in searches {
        let collection = search.collection;
        match &search.target {
            Target::Dense(dense) => {
                dense_vector(schema, dense)
                    .map_err(|what| invalid(format!("search of {collection}: {what}")))?;
            }
            Target::Sparse(sparse) if sparse.values().iter().all(|value| value.is_finite()) => {}
            Target::Sparse(_) => {
                return Err(invalid(format!("search of {collection}: a sparse weight is not finite")));
            }
        }
    }
    Ok(())
}

/// Rejects a facet over a field that is not an indexed keyword.
pub(crate) fn facet(schema: &Schema, collection: Collection, name: &str) -> Result<()> {
    let found = schema.fields.iter().any(|field| {
        field.collection == collection && field.name == name && field.kind != FieldKind::Integer
    });
    if found {
        Ok(())
    } else {
        Err(invalid(format!("{collection} have no indexed keyword field {name:?}; add it to the schema")))
    }
}

fn dense_vector(schema: &Schema, vector: &[f32]) -> Result<(), String> {
    match schema.dense_dimension {
        None => Err("a dense vector in a database that was opened without dense vectors".to_owned()),
        Some(dimension) if vector.len() != dimension => Err(format!(
            "a dense vector of {} dimensions in a database of {dimension}; embed with the model that the database was created with",
            vector.len()
        )),
        Some(_) if !vector.iter().all(|value| value.is_finite()) => {
            Err("a dense vector with a value that is not finite".to_owned())
        }
        Some(_) => Ok(()),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::Invalid, message)
}
