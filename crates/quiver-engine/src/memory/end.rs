//! The ends of facts, and facts by the names of their ends.

use std::collections::HashMap;

/// An end of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Object,
    Subject,
}

impl End {
    /// The opposite end.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Object => Self::Subject,
            Self::Subject => Self::Object,
        }
    }
}

/// Facts indexed by the names of their ends: by any name, by the name without its first word, and given facts by
/// their full name.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) named: HashMap<u64, Vec<(usize, End)>>,
    pub(super) last: HashMap<u64, Vec<(usize, End)>>,
    pub(super) full: HashMap<u64, Vec<(usize, End)>>,
}
