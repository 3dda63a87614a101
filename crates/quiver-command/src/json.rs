//! The output of `--json`: the forms of `quiver-forms`, and those that only this command has.

use quiver::Citation;
use quiver_forms::Hop;
pub(crate) use quiver_forms::{
    Answered, Compacted, Counted, Deleted, Estimated, Imported, Ingested, Listed, Queried, Searched,
    Verified, Versioned, chat, context, memory,
};
use serde::Serialize;

use crate::exit::causes;

/// The output of `--help`, `--version` and `quiver completions`.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'t> {
    pub(crate) text: &'t str,
}

/// The output of `quiver stats`.
#[derive(Debug, Serialize)]
pub(crate) struct Stats {
    #[serde(flatten)]
    pub(crate) counted: Counted,
    /// How many of the passages are turns of conversations.
    pub(crate) turns: u64,
}

/// The output of `quiver export` to a file.
#[derive(Debug, Serialize)]
pub(crate) struct Exported {
    pub(crate) output: String,
    pub(crate) bytes: Option<u64>,
    /// What could not be read.
    pub(crate) left_out: Vec<String>,
}

/// The output of any command that fails.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    error: FailureReason,
}

#[derive(Debug, Serialize)]
struct FailureReason {
    exit_code: u8,
    message: String,
    causes: Vec<String>,
}

impl Failure {
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        let mut causes = causes(error);
        let message = causes.remove(0);
        Self { error: FailureReason { exit_code: crate::Exit::of(error) as u8, message, causes } }
    }
}

/// The output of `quiver backup`.
#[derive(Debug, Serialize)]
pub(crate) struct BackedUp {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) unreadable: Vec<String>,
}

/// The output of `quiver demo`.
#[derive(Debug, Serialize)]
pub(crate) struct Toured {
    pub(crate) documents: usize,
    pub(crate) right: usize,
    pub(crate) refused_rightly: usize,
    pub(crate) wrong: usize,
    pub(crate) questions: Vec<ToldQuestion>,
}

/// A question of the demo and its result.
#[derive(Debug, Serialize)]
pub(crate) struct ToldQuestion {
    pub(crate) question: String,
    pub(crate) hops: usize,
    pub(crate) expected: Vec<String>,
    pub(crate) answer: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) verdict: &'static str,
    pub(crate) path: Vec<Hop>,
}

impl ToldQuestion {
    /// Returns the steps to the best citation.
    pub(crate) fn path(citation: Option<&Citation>) -> Vec<Hop> {
        citation.map(|citation| Hop::all(&citation.path)).unwrap_or_default()
    }
}
