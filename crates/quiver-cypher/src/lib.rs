//! Cypher over a property graph.
//!
//! This crate parses a query, plans it and runs it over anything that implements [`PropertyGraph`]. It does no I/O of
//! its own. The principal type is [`Query`]; [`MemoryGraph`] is a graph in memory.
//!
//! A query reads (MATCH, OPTIONAL MATCH, WHERE, WITH, RETURN, ORDER BY, SKIP, LIMIT, UNWIND, UNION, aggregates, CASE,
//! comprehensions, EXISTS and COUNT subqueries, paths of variable length, shortest paths) and writes (CREATE, MERGE,
//! SET, REMOVE, DELETE). A [`Budget`] limits its cost.
//!
//! ```
//! use quiver_cypher::{Map, MemoryGraph, Options, Query};
//!
//! let graph = MemoryGraph::new();
//! let create = Query::parse("CREATE (:Team {name: 'Team A'})-[:OWNS]->(:Service {name: 'checkout'})")?;
//! create.run(&graph, &Map::new(), &Options::default())?;
//!
//! let query = Query::parse("MATCH (:Team {name: $team})-[:OWNS]->(s) RETURN s.name AS service")?;
//! let parameters = Map::from([("team".to_owned(), "Team A".into())]);
//! let found = query.run(&graph, &parameters, &Options::default())?;
//! assert_eq!(found.columns, ["service"]);
//! assert_eq!(found.rows, [["checkout".into()]]);
//! # Ok::<(), quiver_cypher::Error>(())
//! ```

mod query;

mod parse;
mod ast;
mod check;
mod scope;

mod plan;
mod matching;
mod evaluate;
mod aggregate;
mod count;
mod project;
mod execute;
mod write;
mod as_of;
mod why;

mod graph;
mod memory;
mod result;
mod value;
mod temporal;
mod json;
mod show;
mod nearest;
mod budget;
mod profile;
mod error;

pub use budget::Budget;
pub use error::{Error, ErrorKind, Result};
pub use graph::{
    Called, Comparison, Constraint, Direction, Edge, Expansion, Node, NodeId, PropertyGraph, Reads,
    Relationship, RelationshipId, Schema, Selection,
};
pub use memory::MemoryGraph;
pub use nearest::nearest;
pub use profile::PlanStep;
pub use query::{Options, Query};
pub use result::{Rows, Written};
pub use temporal::{Duration, DurationParts, Moment, MomentParts};
pub use value::{Map, Path, Value};
