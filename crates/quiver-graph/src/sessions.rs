//! Sessions: the turns that share a session name.

use quiver_store::{Collection, Filter, Result};

use crate::{Graph, payload::SESSION};

/// An entry in the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session's name.
    pub name: String,
    /// Number of turns.
    pub turns: u64,
}

impl Graph {
    /// Lists sessions in ascending order of name.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn sessions(&self) -> Result<Vec<SessionSummary>> {
        let of_sessions = Filter::Not(Box::new(Filter::Missing { field: SESSION }));
        let facet = self.scope.facet(Collection::Passages, SESSION, &of_sessions, usize::MAX).await?;
        let mut sessions: Vec<_> =
            facet.into_iter().map(|(name, turns)| SessionSummary { name, turns }).collect();
        sessions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(sessions)
    }
}
