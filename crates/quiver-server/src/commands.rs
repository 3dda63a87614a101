//! Commands of other processes, run by the process that holds the database.

use std::{collections::BTreeSet, fmt};

use async_trait::async_trait;
use quiver::Quiver;
use quiver_forms::command::{Ran, Run};

use crate::keys::Role;

/// Parses commands.
pub trait Commands: Send + Sync {
    /// Parses a command.
    ///
    /// # Errors
    /// Fails with what the command would have printed, if it is invalid.
    fn read(&self, run: Run) -> Result<Box<dyn Command>, Ran>;
}

/// A parsed command.
#[async_trait]
pub trait Command: Send {
    /// Returns the role that a key needs for it.
    fn role(&self) -> Role;

    /// Returns the conversations to which it adds turns.
    fn sessions(&self) -> BTreeSet<String>;

    /// Returns whether it may wait for the files of the database to be rebuilt.
    fn rebuilds(&self) -> bool;

    /// Runs it over the database of a workspace. `is_bound` says that the caller may learn only about that workspace.
    async fn run(self: Box<Self>, quiver: Quiver, is_bound: bool) -> Ran;
}

/// The commands of a server, if it has any.
#[derive(Default)]
pub(crate) struct Known(pub(crate) Option<Box<dyn Commands>>);

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Known").field(&self.0.is_some()).finish()
    }
}
