//! Points in three collections.
//!
//! This crate stores points (an ID, vectors, a payload) in three collections and finds them by ID, by filter and by
//! similarity. It knows nothing of graphs or models. The principal type is [`PointStore`], a small object-safe trait
//! with three implementations:
//!
//! | implementation | feature | for |
//! | --- | --- | --- |
//! | [`MemoryStore`] | always | tests, short-lived graphs, the exact reference for the other two |
//! | `EmbeddedStore` | `embedded` | one process, one directory, no server |
//! | `ServerStore` | `server` | a Qdrant server or cluster over gRPC |
//!
//! One conformance suite (feature `conformance`) runs against all of them.
//!
//! ```
//! use quiver_store::{Collection, Filter, MemoryStore, Point, PointStore, Schema, Select, WriteMode};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let store = MemoryStore::open(Schema::default());
//! let point = Point::new(uuid::Uuid::from_u128(7)).with_payload("workspace", "default");
//! store.upsert(Collection::Entities, vec![point], WriteMode::Replace).await?;
//! let found = store.count(Collection::Entities, &Filter::equals("workspace", "default")).await?;
//! assert_eq!(found, 1);
//! # Ok::<(), quiver_store::Error>(()) }).unwrap();
//! ```

mod check;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(any(feature = "embedded", feature = "server"))]
mod distinct;
#[cfg(feature = "embedded")]
mod embedded;
mod error;
mod files;
mod filter;
#[cfg(any(feature = "embedded", feature = "server"))]
mod fold;
mod memory;
mod metered;
mod point;
mod search;
#[cfg(feature = "server")]
mod server;
#[cfg(any(feature = "embedded", feature = "server"))]
mod settle;
mod store;

#[cfg(feature = "embedded")]
pub use embedded::{BackedUp, EmbeddedOptions, EmbeddedStore, Notify};
pub use error::{Error, ErrorKind, Result};
pub use files::is_database;
pub use filter::Filter;
pub use memory::MemoryStore;
pub use metered::MeteredStore;
pub use point::{Payload, Point, PointId, SparseVector, Vectors};
pub use search::{Page, Scored, Search, Select, Target};
#[cfg(feature = "server")]
pub use server::{Freshness, ReadConsistency, ServerOptions, ServerStore};
pub use store::{
    BlockMode, CallReport, Collection, CollectionState, Derived, Field, FieldKind, IndexProgress,
    JournalReport, PointStore, Schema, StoreKind, StoreReport, Version, WriteMode,
};
