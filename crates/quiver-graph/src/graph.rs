use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicBool},
};

use quiver_store::{PointStore, Schema};
use tokio::sync::Mutex;

use crate::{EntityId, Workspace, payload::FIELDS, scope::Scope, statistics::StatisticsCache};

/// A graph in a vector database, restricted to one workspace. Clones share one cache.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) scope: Scope,
    pub(crate) statistics: Arc<StatisticsCache>,
    /// Held while passages are written and while anything is deleted or changed.
    pub(crate) writing: Arc<Mutex<()>>,
    /// Held while records are collected, from the look at what current writes rely on to the deletion, and while a write
    /// notes what it relies on. Taken after `writing` by those that take both.
    pub(crate) collecting: Arc<Mutex<()>>,
    /// Whether the store may hold notes of interrupted work to finish before the next write.
    pub(crate) has_unfinished: Arc<AtomicBool>,
    pub(crate) exact: bool,
}

impl Graph {
    /// Returns the schema that a store must be opened with, for dense vectors of this dimension.
    pub const fn schema(dense_dimension: Option<usize>) -> Schema {
        Schema { dense_dimension, fields: FIELDS }
    }

    /// Opens a workspace of the graph in a store.
    pub fn new(store: Arc<dyn PointStore>, workspace: Workspace) -> Self {
        Self {
            scope: Scope::new(store, workspace),
            statistics: Arc::default(),
            writing: Arc::default(),
            collecting: Arc::default(),
            has_unfinished: Arc::new(AtomicBool::new(true)),
            exact: true,
        }
    }

    /// Sets whether searches must be exact. If false, backends may use an approximate index. The default is exact,
    /// since exact results are the same on every backend and in every run.
    #[must_use]
    pub fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Returns whether searches must be exact.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the same graph without these entities and their relations, for reading: nothing finds, counts or follows
    /// them. Passages stay, and still name what they mention. Write to the [whole](Graph::whole) graph, since garbage
    /// collection must see every reference.
    #[must_use]
    pub fn hiding(&self, entities: BTreeSet<EntityId>) -> Self {
        Self { scope: self.scope.hiding(Some(Arc::new(entities))), ..self.clone() }
    }

    /// Returns the same graph with nothing hidden.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { scope: self.scope.hiding(None), ..self.clone() }
    }

    /// Returns the hidden entities, or `None` if the graph was not made by [`Graph::hiding`].
    pub fn hidden(&self) -> Option<&BTreeSet<EntityId>> {
        self.scope.hidden()
    }

    /// Returns whether an entity is hidden.
    pub fn hides(&self, entity: EntityId) -> bool {
        self.hidden().is_some_and(|hidden| hidden.contains(&entity))
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> &Workspace {
        self.scope.workspace()
    }

    /// Returns the underlying store, which is not restricted to the workspace.
    pub fn store(&self) -> &Arc<dyn PointStore> {
        self.scope.store()
    }
}
