//! A fact supplied by the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triple {
    /// The subject: a person or a thing.
    pub subject: String,
    /// The relation: "works at", "depends on".
    pub predicate: String,
    /// The value.
    pub object: String,
}
