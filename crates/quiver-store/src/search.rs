use std::cmp::Ordering;

use crate::{Collection, Filter, Payload, Point, PointId, SparseVector};

/// The vector that points are compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Ranks by the dot product with a dense vector. Points without a dense vector are not found.
    Dense(Vec<f32>),
    /// Ranks by the dot product with a sparse vector. Points that share no index with it are not found. Whether
    /// points with a dot product of zero are found is up to the backend.
    Sparse(SparseVector),
}

/// The parts of a point to read. Payloads are expensive, so select only the fields you need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    /// The payload fields to read; `None` reads all of them.
    pub fields: Option<&'static [&'static str]>,
    /// Whether to read the vectors.
    pub vectors: bool,
}

impl Select {
    /// Reads everything: payload and vectors.
    pub const EVERYTHING: Self = Self { fields: None, vectors: true };
    /// Reads the whole payload and no vectors.
    pub const PAYLOAD: Self = Self { fields: None, vectors: false };
    /// Reads only the ID.
    pub const ID: Self = Self { fields: Some(&[]), vectors: false };

    /// Reads these payload fields and no vectors.
    pub const fn fields(fields: &'static [&'static str]) -> Self {
        Self { fields: Some(fields), vectors: false }
    }
}

/// A search for the nearest points among those that pass a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The collection to search.
    pub collection: Collection,
    /// The vector to compare with.
    pub target: Target,
    /// The filter that points must pass.
    pub filter: Filter,
    /// Maximum number of results.
    pub limit: usize,
    /// Whether to compare with every point that passes, even if an index could answer approximately.
    pub exact: bool,
    /// The parts of the points to read.
    pub select: Select,
}

/// A search result: a point with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The dot product with the target; higher is nearer.
    pub score: f32,
    /// The point, with the selected parts.
    pub point: Point,
}

impl Scored {
    /// The order of results: by score descending, then by ID ascending.
    pub fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.point.id.cmp(&other.point.id))
    }
}

/// A page of points in ascending order of ID.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The points.
    pub points: Vec<Point>,
    /// The ID to continue after, or `None` if this is the last page.
    pub next: Option<PointId>,
}

impl Select {
    /// Returns the selected fields of a payload.
    pub(crate) fn project(&self, payload: &Payload) -> Payload {
        match self.fields {
            None => payload.clone(),
            Some(fields) => fields
                .iter()
                .filter_map(|&field| payload.get(field).map(|value| (field.to_owned(), value.clone())))
                .collect(),
        }
    }
}
