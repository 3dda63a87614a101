use std::{fmt, time::Duration};

use clap::ValueEnum;
use serde::Deserialize;

use super::Secret;

/// A server or cluster, how to read from it, and how to configure new collections.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Server {
    /// The address, or several separated by commas. An address may contain a password.
    pub(crate) url: String,
    pub(crate) api_key: Option<Secret>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) shard_number: Option<u32>,
    pub(crate) replication_factor: Option<u32>,
    pub(crate) write_consistency_factor: Option<u32>,
    pub(crate) read_consistency: Option<ReadConsistency>,
    pub(crate) freshness: Option<Freshness>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// How many copies a read asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReadConsistency {
    /// One copy, and another if it fails.
    One,
    /// More than half of the copies.
    Quorum,
    /// All copies.
    All,
}

/// The check before a node is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Freshness {
    /// Another node must confirm that its copies are in service.
    Confirmed,
    /// No check.
    Any,
}

#[cfg(feature = "server")]
impl From<ReadConsistency> for quiver::store::ReadConsistency {
    fn from(setting: ReadConsistency) -> Self {
        match setting {
            ReadConsistency::One => Self::One,
            ReadConsistency::Quorum => Self::Quorum,
            ReadConsistency::All => Self::All,
        }
    }
}

#[cfg(feature = "server")]
impl From<Freshness> for quiver::store::Freshness {
    fn from(setting: Freshness) -> Self {
        match setting {
            Freshness::Confirmed => Self::Confirmed,
            Freshness::Any => Self::Any,
        }
    }
}
