//! A logical graph inside a vector database.
//!
//! Entities, relations and passages are points in three collections that refer to each other by ID. There is no graph
//! database and no second store: a hop is one filtered search. This crate builds on [`quiver_store`] and does not
//! depend on any model. The principal type is [`Graph`].
//!
//! The invariants:
//! - Every reference is stored once, on the point that owns it: a relation owns its two ends, and a passage owns its
//!   subjects, its mentions and the relations it supports. The reverse direction is a payload index.
//! - IDs are derived from content: the same input gives the same points, so writing twice changes nothing.
//! - Passages are written last and deleted first, so everything that a readable passage refers to exists.
//! - The workspace filter is added to every store call in one place; no caller can leave it out.
//!
//! ```
//! use std::sync::Arc;
//! use quiver_graph::{Delta, Embedded, Entity, EntityId, Graph, Workspace};
//! use quiver_store::{MemoryStore, Vectors};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let workspace = Workspace::default();
//! let graph = Graph::new(Arc::new(MemoryStore::open(Graph::schema(None))), workspace.clone());
//! let curie = Entity::named(&workspace, Some("person"), "Marie Curie");
//! let delta = Delta { entities: vec![Embedded { record: curie, vectors: Vectors::default() }], ..Delta::default() };
//! graph.apply(delta).await?;
//! let found = graph.entities_named(&["marie curie".to_owned()], 10).await?;
//! assert_eq!(found[0].name, "Marie Curie");
//! # Ok::<(), quiver_store::Error>(()) }).unwrap();
//! ```

mod graph;

mod id;
pub mod name;
mod record;
mod property;
mod payload;
mod scope;

mod read;
mod hop;
mod expand;

mod batch;
mod applied;
mod write;
mod open_write;
mod change;
mod collect;
mod documents;
mod sessions;
mod workspaces;
pub mod conversation;
mod latest;
mod term_search;
mod statistics;
mod kept;

mod meta;
mod dump;
mod verify;

pub use applied::{Applied, Removed};
pub use documents::DocumentSummary;
pub use dump::{DUMP_VERSION, DumpHeader, DumpLine, Dumped, Unreadable};
pub use expand::{ExpandOptions, HopReport, Reached, Subgraph, expand};
pub use graph::Graph;
pub use hop::{Direction, Edge, Hop};
pub use id::{EntityId, EntityIds, PassageId, RelationId, Workspace};
pub use latest::Dated;
pub use meta::{FORMAT, Meta};
pub use open_write::{Erasure, OpenWrite};
pub use property::MOMENT_KEY;
pub use read::{Hit, Nearest, Record, filters};
pub use record::{Delta, Embedded, Entity, NESTING_MAX, Passage, Relation, Unsplit, Written, nesting};
pub use sessions::SessionSummary;
pub use statistics::Statistics;
pub use term_search::TermSearch;
pub use verify::{Repair, Violation};
pub use workspaces::WorkspaceSummary;

pub use quiver_store::{Error, ErrorKind, Result};
