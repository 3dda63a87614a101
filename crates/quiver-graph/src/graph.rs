use std::sync::{Arc, atomic::AtomicBool};

use quiver_store::{PointStore, Schema};
use tokio::sync::Mutex;

use crate::{Workspace, payload::FIELDS, scope::Scope, statistics::StatisticsCache};

/// A graph in a vector database, seen from one workspace. Clones share one cache.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) scope: Scope,
    pub(crate) statistics: Arc<StatisticsCache>,
    /// Held by a write from its first point to its last, so that a deletion in this process never collects what a
    /// passage that is being written refers to.
    pub(crate) writing: Arc<Mutex<()>>,
    /// Whether something may be noted in the store that is to be finished before the next write.
    pub(crate) has_unfinished: Arc<AtomicBool>,
    pub(crate) exact: bool,
}

impl Graph {
    /// The schema that a store has to be opened with, for dense vectors of this length.
    pub const fn schema(dense_dimension: Option<usize>) -> Schema {
        Schema { dense_dimension, fields: FIELDS }
    }

    /// Sees the graph in a store from a workspace.
    pub fn new(store: Arc<dyn PointStore>, workspace: Workspace) -> Self {
        Self {
            scope: Scope::new(store, workspace),
            statistics: Arc::default(),
            writing: Arc::default(),
            has_unfinished: Arc::new(AtomicBool::new(true)),
            exact: true,
        }
    }

    /// Lets searches be answered by an approximate index, where there is one. Exact by default: exact results are
    /// the same on every backend and in every run.
    #[must_use]
    pub fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// The workspace.
    pub fn workspace(&self) -> &Workspace {
        self.scope.workspace()
    }

    /// The store below, which knows no workspaces.
    pub fn store(&self) -> &Arc<dyn PointStore> {
        self.scope.store()
    }
}
