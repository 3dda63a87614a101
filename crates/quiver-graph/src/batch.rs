//! The size of a batch.

use quiver_store::Version;

/// Number of points read or written in one call.
pub(crate) const BATCH: usize = Version::POINTS_PER_WRITE;
