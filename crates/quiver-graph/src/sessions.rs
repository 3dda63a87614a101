//! Sessions: the turns that share a session's name.

use quiver_store::{Collection, Filter, Result};

use crate::{Graph, payload::SESSION};

/// A session, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its name.
    pub name: String,
    /// How many turns it has.
    pub turns: u64,
}

impl Graph {
    /// Lists sessions by ascending name.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sessions(&self) -> Result<Vec<SessionSummary>> {
        let of_sessions = Filter::Not(Box::new(Filter::Missing { field: SESSION }));
        let facet = self.scope.facet(Collection::Passages, SESSION, &of_sessions, usize::MAX).await?;
        let mut sessions: Vec<_> =
            facet.into_iter().map(|(name, turns)| SessionSummary { name, turns }).collect();
        sessions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(sessions)
    }
}
