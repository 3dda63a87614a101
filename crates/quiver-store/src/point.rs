use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The ID of a point. IDs are ordered by their bytes, and ties are broken by ID.
pub type PointId = Uuid;

/// The data of a point besides its vectors: a JSON object.
pub type Payload = serde_json::Map<String, Value>;

/// A sparse vector: distinct indices in ascending order, each with a weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SparseVector {
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl SparseVector {
    /// Creates a vector from pairs in any order. The weights of equal indices are added.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (u32, f32)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by_key(|pair| pair.0);
        let mut vector = Self::default();
        for (index, value) in pairs {
            if vector.indices.last() == Some(&index) {
                *vector.values.last_mut().expect("as many values as indices") += value;
            } else {
                vector.indices.push(index);
                vector.values.push(value);
            }
        }
        vector
    }

    /// Returns the indices, distinct and in ascending order.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the weights, one per index.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the pairs in ascending order of index.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.indices.iter().copied().zip(self.values.iter().copied())
    }

    /// Returns whether there are no indices.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Returns the dot product, summed in ascending order of index, or `None` if no index is shared.
    pub fn dot(&self, other: &Self) -> Option<f32> {
        let (mut a, mut b, mut sum) = (0, 0, None);
        while a < self.indices.len() && b < other.indices.len() {
            match self.indices[a].cmp(&other.indices[b]) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    sum = Some(sum.unwrap_or(0.0) + self.values[a] * other.values[b]);
                    a += 1;
                    b += 1;
                }
            }
        }
        sum
    }
}

/// The vectors of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    /// The dense vector, with the dimension of the schema. Similarity is the dot product, so cosine similarity needs
    /// unit vectors.
    pub dense: Option<Vec<f32>>,
    /// The sparse vector. An empty vector means that there is none.
    pub sparse: SparseVector,
}

/// A point: an ID, vectors and a payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The ID, unique within the collection.
    pub id: PointId,
    /// The vectors; empty if they were not selected.
    pub vectors: Vectors,
    /// The payload, or its selected fields.
    pub payload: Payload,
}

impl Point {
    /// Creates a point without vectors and with an empty payload.
    pub fn new(id: PointId) -> Self {
        Self { id, vectors: Vectors::default(), payload: Payload::new() }
    }

    /// Sets a payload field.
    #[must_use]
    pub fn with_payload(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.payload.insert(field.into(), value.into());
        self
    }

    /// Sets the dense vector.
    #[must_use]
    pub fn with_dense(mut self, vector: Vec<f32>) -> Self {
        self.vectors.dense = Some(vector);
        self
    }

    /// Sets the sparse vector.
    #[must_use]
    pub fn with_sparse(mut self, vector: SparseVector) -> Self {
        self.vectors.sparse = vector;
        self
    }
}
