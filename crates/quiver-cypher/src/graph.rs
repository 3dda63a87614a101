//! The interface of a graph to queries.

use std::{collections::BTreeSet, fmt, sync::Arc};

pub use crate::ast::Direction;
use crate::{Map, Result, Value};

/// The ID of a node. Its meaning is up to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u128);

/// The ID of a relationship. Its meaning is up to the graph.
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

/// How a property is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The property is less.
    Less,
    /// The property is less or equal.
    LessOrEqual,
    /// The property is greater.
    Greater,
    /// The property is greater or equal.
    GreaterOrEqual,
}

impl Comparison {
    /// Returns whether the comparison holds between two values; false if they can't be compared.
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        let Some(order) = left.partial_compare(right) else { return false };
        match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// Returns whether it bounds a property from below.
    pub fn is_lower_bound(self) -> bool {
        matches!(self, Self::Greater | Self::GreaterOrEqual)
    }

    /// Returns the comparison with both sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

/// A constraint on a property that a graph can answer with an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// The property equals one of these values.
    In(String, Vec<Value>),
    /// The comparison of the property with this value holds.
    Compare(String, Comparison, Value),
    /// The property is a text that begins with this one.
    StartsWith(String, String),
}

impl Constraint {
    /// Returns the key of the property.
    pub fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::Compare(key, ..) | Self::StartsWith(key, _) => key,
        }
    }

    /// Returns whether properties satisfy it.
    pub fn matches(&self, properties: &Map) -> bool {
        let Some(found) = properties.get(self.key()) else { return false };
        match self {
            Self::In(_, values) => values.iter().any(|value| found.equals(value) == Some(true)),
            Self::Compare(_, comparison, value) => comparison.holds(found, value),
            Self::StartsWith(_, start) => found.as_str().is_some_and(|text| text.starts_with(start)),
        }
    }
}

/// The nodes that a pattern requires: all labels and all constraints hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The labels.
    pub labels: Vec<String>,
    /// The constraints on properties.
    pub constraints: Vec<Constraint>,
    /// The moment as of which the graph is read, in milliseconds since 1970, if any. A graph that knows when nodes were
    /// created omits later ones.
    pub as_of: Option<i64>,
}

impl Selection {
    /// Returns whether a node passes. Every graph must select as this does.
    pub fn matches(&self, node: &Node) -> bool {
        self.labels.iter().all(|label| node.labels.contains(label))
            && self.constraints.iter().all(|constraint| constraint.matches(&node.properties))
    }
}

/// The relationships that an expansion follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The direction, seen from the expanded nodes.
    pub direction: Direction,
    /// The types; an empty list means all.
    pub types: Vec<String>,
    /// The constraints on properties; all must hold.
    pub constraints: Vec<Constraint>,
    /// The nodes that the relationships lead to; `None` means any.
    pub ends: Option<BTreeSet<NodeId>>,
    /// The moment as of which the graph is read, in milliseconds since 1970, if any. A relationship holds from its
    /// `valid_from` until before its `valid_to`; a missing bound does not limit it.
    pub as_of: Option<i64>,
}

impl Expansion {
    /// All relationships in a direction.
    pub fn all(direction: Direction) -> Self {
        Self { direction, types: Vec::new(), constraints: Vec::new(), ends: None, as_of: None }
    }

    /// Returns whether a relationship leads in the direction from one of the expanded nodes to one of the ends.
    pub fn leads(&self, start: NodeId, end: NodeId, from: &BTreeSet<NodeId>) -> bool {
        let leads_to = |node: NodeId| self.ends.as_ref().is_none_or(|ends| ends.contains(&node));
        (self.direction != Direction::Incoming && from.contains(&start) && leads_to(end))
            || (self.direction != Direction::Outgoing && from.contains(&end) && leads_to(start))
    }

    /// Returns whether a relationship has one of the types, satisfies the constraints, and holds as of the moment.
    /// Every graph must select as this and [`Expansion::leads`] do.
    pub fn matches(&self, one: &Relationship) -> bool {
        (self.types.is_empty() || self.types.contains(&one.kind))
            && self.constraints.iter().all(|constraint| constraint.matches(&one.properties))
            && self.as_of.is_none_or(|moment| holds(&one.properties, moment))
    }
}

/// Whether a relationship with these properties holds at a moment. A bound that is not a date is ignored.
fn holds(properties: &Map, moment: i64) -> bool {
    let bound = |key: &str| properties.get(key).and_then(Value::beginning);
    bound("valid_from").is_none_or(|from| from <= moment) && bound("valid_to").is_none_or(|to| moment < to)
}

/// How much a graph has read from its storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// The number of calls.
    pub calls: u64,
    /// The number of points that the calls returned.
    pub points: u64,
}

impl std::ops::Sub for Reads {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { calls: self.calls - before.calls, points: self.points - before.points }
    }
}

impl std::ops::AddAssign for Reads {
    fn add_assign(&mut self, more: Self) {
        self.calls += more.calls;
        self.points += more.points;
    }
}

/// The contents of a graph, for messages and for questions.
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
/// writes in turn. Later reads of the same query see its writes.
pub trait PropertyGraph {
    /// Finds the nodes of a selection, at most `limit`, in an order that does not change between calls.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn select(&self, selection: &Selection, limit: usize) -> Result<Vec<NodeId>>;

    /// Returns the given nodes that pass a selection. A graph on disk reads only as many as it needs to decide.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn keep(&self, nodes: &[NodeId], selection: &Selection) -> Result<BTreeSet<NodeId>>;

    /// Estimates how many nodes a selection has. The planner starts from the smallest.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn estimate(&self, selection: &Selection) -> Result<u64>;

    /// Counts the nodes of a selection: as many as [`PropertyGraph::select`] finds.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn count_nodes(&self, selection: &Selection) -> Result<u64>;

    /// Counts the relationships that an expansion of all nodes would follow. Returns `None` if the graph can't do that
    /// without expanding them.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn count_relationships(&self, expansion: &Expansion) -> Result<Option<u64>>;

    /// Finds the relationships of nodes that an expansion follows, at most `limit`. Each is listed once, even if it
    /// belongs to two of the nodes.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn expand(&self, nodes: &[NodeId], expansion: &Expansion, limit: usize) -> Result<Vec<Edge>>;

    /// Returns how much was read so far. A graph in memory reads nothing.
    fn reads(&self) -> Reads;

    /// Prefetches nodes, so that [`PropertyGraph::node`] needs no further call.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn prefetch(&self, nodes: &[NodeId]) -> Result<()>;

    /// Reads a node. Returns `None` if it does not exist or was deleted.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>>;

    /// Reads a relationship. Returns `None` if it does not exist or was deleted.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn relationship(&self, id: RelationshipId) -> Result<Option<Arc<Relationship>>>;

    /// Describes the contents of the graph.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn schema(&self) -> Result<Schema>;

    /// Lists the values of a property among the nodes with a label, at most `limit`, for error messages.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn values(&self, label: Option<&str>, key: &str, limit: usize) -> Result<Vec<Value>>;

    /// Returns the names of the procedures that only this graph has.
    fn procedures(&self) -> &'static [&'static str];

    /// Calls a procedure of the graph, as of a moment if given. Returns `None` if it has no procedure of that name.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit, or the graph fails.
    fn call(&self, procedure: &str, arguments: &[Value], as_of: Option<i64>) -> Result<Option<Called>>;

    /// Begins a write. Until [`PropertyGraph::commit`], it can be undone.
    ///
    /// # Errors
    /// Returns an error if the graph can't be written.
    fn begin(&self) -> Result<()>;

    /// Keeps the writes since [`PropertyGraph::begin`].
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn commit(&self) -> Result<()>;

    /// Undoes the writes since [`PropertyGraph::begin`].
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

    /// Deletes relationships, then nodes. The nodes must have no other relationships.
    ///
    /// # Errors
    /// Returns an error if the graph fails.
    fn delete(&self, nodes: &[NodeId], relationships: &[RelationshipId]) -> Result<()>;
}
