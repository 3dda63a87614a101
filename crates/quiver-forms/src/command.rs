//! A command that a server runs for another `quiver` process, and its output.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A `quiver` command to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The arguments after `quiver`: `["ask", "Who runs Redis?", "--json"]`. The database and the embedder are the
    /// server's.
    #[schemars(length(min = 1, max = 1000))]
    pub arguments: Vec<String>,
    /// The content of standard input, or of the file that the command names.
    #[serde(default)]
    pub input: Option<String>,
    /// The absolute paths of those arguments that are paths on the caller's machine.
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
}

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// Standard output.
    pub output: String,
    /// The messages on standard error.
    pub notes: Vec<String>,
    /// The exit code.
    pub exit: u8,
}
