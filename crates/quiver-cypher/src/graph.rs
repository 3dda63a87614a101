//! What a query needs of a graph.

use std::{collections::BTreeSet, fmt, sync::Arc};

pub use crate::ast::Direction;
use crate::{Map, Result, Value};

/// The ID of a node. What it means is up to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u128);

/// The ID of a relationship. What it means is up to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationshipId(pub u128);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for RelationshipId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A node: labels and properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The labels.
    pub labels: BTreeSet<String>,
    /// The properties; none is null.
    pub properties: Map,
}

/// A relationship: a directed edge with a type and properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationship {
    /// The type.
    pub kind: String,
    /// The node where it starts.
    pub start: NodeId,
    /// The node where it ends.
    pub end: NodeId,
    /// The properties; none is null.
    pub properties: Map,
}

/// A relationship with its ends, as an expansion finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The relationship.
    pub id: RelationshipId,
    /// The node where it starts.
    pub start: NodeId,
    /// The node where it ends.
    pub end: NodeId,
}

/// A constraint on a property that a graph can answer with an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// The property equals one of these values.
    In(String, Vec<Value>),
}

/// The nodes that a pattern asks for: all labels and all constraints hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The labels.
    pub labels: Vec<String>,
    /// The constraints on properties.
    pub constraints: Vec<Constraint>,
}

impl Selection {
    /// Returns whether a node passes. Every graph must select as this does.
    pub fn matches(&self, node: &Node) -> bool {
        self.labels.iter().all(|label| node.labels.contains(label))
            && self.constraints.iter().all(|Constraint::In(key, values)| {
                let found = node.properties.get(key);
                found.is_some_and(|found| values.iter().any(|value| found.equals(value) == Some(true)))
            })
    }
}

/// What there is in a graph, for messages and for questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The labels with the number of their nodes.
    pub labels: Vec<(String, u64)>,
    /// The types of relationships with their number.
    pub types: Vec<(String, u64)>,
    /// The keys of properties.
    pub keys: Vec<String>,
}

/// The rows that a procedure yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

/// A graph that can be queried.
///
/// Reads take batches, so a graph on disk answers many rows in one call. Writes take `&self`, since a query reads and
/// writes in turn; what is written is seen by later reads of the same query.
pub trait PropertyGraph {
    /// Finds the nodes of a selection, at most `limit`, in an order that does not change between calls.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn select(&self, selection: &Selection, limit: usize) -> Result<Vec<NodeId>>;

    /// Estimates how many nodes a selection has. The planner starts from the smallest.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn estimate(&self, selection: &Selection) -> Result<u64>;

    /// Finds the relationships of nodes in a direction, with one of the types if any are given; at most `limit`. Each
    /// is listed once, even if it belongs to two of the nodes.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn expand(
        &self,
        nodes: &[NodeId],
        direction: Direction,
        types: &[String],
        limit: usize,
    ) -> Result<Vec<Edge>>;

    /// Reads nodes ahead of their use, so that [`PropertyGraph::node`] needs no further call.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn prefetch(&self, nodes: &[NodeId]) -> Result<()>;

    /// Reads a node; `None` if there is none, or it was deleted.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>>;

    /// Reads a relationship; `None` if there is none, or it was deleted.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn relationship(&self, id: RelationshipId) -> Result<Option<Arc<Relationship>>>;

    /// Tells what there is in the graph.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn schema(&self) -> Result<Schema>;

    /// Lists the values of a property among the nodes with a label, at most `limit`, for error messages.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn values(&self, label: Option<&str>, key: &str, limit: usize) -> Result<Vec<Value>>;

    /// The names of the procedures that the graph has beside those of every graph.
    fn procedures(&self) -> &'static [&'static str];

    /// Calls a procedure of the graph; `None` if it has none of that name.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit, or the graph fails.
    fn call(&self, procedure: &str, arguments: &[Value]) -> Result<Option<Called>>;

    /// Begins to write. Until [`PropertyGraph::commit`], the writes can be undone.
    ///
    /// # Errors
    /// Returns an error if the graph can't be written.
    fn begin(&self) -> Result<()>;

    /// Keeps what was written.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn commit(&self) -> Result<()>;

    /// Undoes what was written since [`PropertyGraph::begin`].
    fn rollback(&self);

    /// Creates a node.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn create_node(&self, node: Node) -> Result<NodeId>;

    /// Creates a relationship.
    ///
    /// # Errors
    /// Returns an error if the graph fails, or an end does not exist.
    fn create_relationship(&self, relationship: Relationship) -> Result<RelationshipId>;

    /// Replaces the labels and properties of a node.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn update_node(&self, id: NodeId, node: Node) -> Result<()>;

    /// Replaces the properties of a relationship.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn update_relationship(&self, id: RelationshipId, properties: Map) -> Result<()>;

    /// Deletes relationships, then nodes. The nodes have no other relationships.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn delete(&self, nodes: &[NodeId], relationships: &[RelationshipId]) -> Result<()>;
}
