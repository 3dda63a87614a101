//! How many records a write or a deletion changed.

/// How many records a delta wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Entities written, or already present.
    pub entities: usize,
    /// Relations written, or already present.
    pub relations: usize,
    /// Passages that did not exist before.
    pub passages_added: usize,
    /// Passages that existed and were replaced.
    pub passages_replaced: usize,
    /// Records deleted because the replaced passages were the last to refer to them.
    pub collected: Removed,
}

/// How many records a deletion removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Passages deleted.
    pub passages: usize,
    /// Relations that no passage supported any more.
    pub relations: usize,
    /// Entities that no passage and no relation referred to any more.
    pub entities: usize,
}

impl std::ops::AddAssign for Removed {
    fn add_assign(&mut self, other: Self) {
        self.passages += other.passages;
        self.relations += other.relations;
        self.entities += other.entities;
    }
}
