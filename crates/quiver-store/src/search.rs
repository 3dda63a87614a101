use std::cmp::Ordering;

use crate::{Collection, Filter, Payload, Point, PointId, SparseVector};

/// What nearness is measured to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The dot product with a dense vector. Points without a dense vector are not found.
    Dense(Vec<f32>),
    /// The dot product with a sparse vector. Points that share no index with it are not found; whether those are whose
    /// products add up to zero is left to the backend.
    Sparse(SparseVector),
}

/// Which parts of a point are read. Payload is what costs, so ask for the fields you need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    /// The payload fields to read; `None` reads all of them.
    pub fields: Option<&'static [&'static str]>,
    /// Whether to read the vectors.
    pub vectors: bool,
}

impl Select {
    /// Reads all of a point: payload and vectors.
    pub const EVERYTHING: Self = Self { fields: None, vectors: true };
    /// Reads the whole payload and no vectors.
    pub const PAYLOAD: Self = Self { fields: None, vectors: false };
    /// Reads nothing but the id.
    pub const ID: Self = Self { fields: Some(&[]), vectors: false };

    /// Reads these payload fields and no vectors.
    pub const fn fields(fields: &'static [&'static str]) -> Self {
        Self { fields: Some(fields), vectors: false }
    }
}

/// A search for the nearest points among those that pass a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Where to look.
    pub collection: Collection,
    /// What the points should be near to.
    pub target: Target,
    /// What the points must satisfy.
    pub filter: Filter,
    /// How many points to return at the most.
    pub limit: usize,
    /// Whether to compare with every point that passes, even where an index could answer approximately.
    pub exact: bool,
    /// Which parts of the points to read.
    pub select: Select,
}

/// A point that was found, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The dot product with the target; higher is nearer.
    pub score: f32,
    /// The point, with the parts that were asked for.
    pub point: Point,
}

impl Scored {
    /// The order of results: by score descending, then by id ascending.
    pub fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.point.id.cmp(&other.point.id))
    }
}

/// A page of points in ascending order of their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The points.
    pub points: Vec<Point>,
    /// The id to continue after, or `None` where this was the last page.
    pub next: Option<PointId>,
}

impl Select {
    /// The fields of a payload that were asked for.
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
