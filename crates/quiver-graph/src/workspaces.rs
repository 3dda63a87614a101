//! Workspaces: parts of one database that cannot see each other.

use std::collections::BTreeMap;

use quiver_store::{Collection, Filter, Result};

use crate::{Graph, payload::WORKSPACE};

/// An entry in the list of workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkspaceSummary {
    /// The workspace's name.
    pub name: String,
    /// Number of passages, including turns of sessions.
    pub passages: u64,
}

impl Graph {
    /// Lists the workspaces of the database that have passages or entities, in ascending order of name.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>> {
        let everything = Filter::everything();
        let mut found = BTreeMap::new();
        for collection in [Collection::Entities, Collection::Passages] {
            for (name, points) in self.store().facet(collection, WORKSPACE, &everything, usize::MAX).await? {
                // Notes are stored in workspaces that nobody can name.
                if !name.starts_with(char::is_control) {
                    found.insert(name, if collection == Collection::Passages { points } else { 0 });
                }
            }
        }
        Ok(found.into_iter().map(|(name, passages)| WorkspaceSummary { name, passages }).collect())
    }
}
