//! Commands that other processes have run here, by the one that holds the database.

use std::{collections::BTreeSet, fmt};

use async_trait::async_trait;
use quiver::Quiver;
use quiver_forms::command::{Ran, Run};

use crate::keys::Role;

/// Reads commands.
pub trait Commands: Send + Sync {
    /// Reads a command, or says why it is none, as it would have printed it.
    ///
    /// # Errors
    /// What the caller is told.
    fn read(&self, run: Run) -> Result<Box<dyn Command>, Ran>;
}

/// A command that was read.
#[async_trait]
pub trait Command: Send {
    /// What a key has to allow for it.
    fn role(&self) -> Role;

    /// The conversations that it adds turns to.
    fn sessions(&self) -> BTreeSet<String>;

    /// Whether it may wait until the files of the database are rebuilt.
    fn rebuilds(&self) -> bool;

    /// Runs it over the database of a workspace. `is_bound` is whether the caller may know of that one only.
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
