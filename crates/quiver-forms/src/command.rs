//! A command that a server runs for another `quiver` process, and its output.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command of `quiver` to be run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The words after `quiver`: `["ask", "Who runs Redis?", "--json"]`. Where the database is, and how texts are
    /// embedded, is the server's.
    #[schemars(length(min = 1, max = 1000))]
    pub arguments: Vec<String>,
    /// What the command reads from standard input, or from the file that it names.
    #[serde(default)]
    pub input: Option<String>,
    /// The full paths of arguments that are paths where the caller is.
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
}

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// Standard output.
    pub output: String,
    /// The messages for people, on standard error.
    pub notes: Vec<String>,
    /// The exit code.
    pub exit: u8,
}
