//! What `--json` prints: the forms of `quiver-forms`, and those that this command alone has.

use quiver::Citation;
use quiver_forms::Hop;
pub(crate) use quiver_forms::{
    Answered, Compacted, Counted, Deleted, Estimated, Imported, Ingested, Listed, Queried, Searched,
    Verified, Versioned, chat, context, memory,
};
use serde::Serialize;

use crate::output::chain;

/// What `--help` and `--version` print, and `quiver completions`.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'t> {
    pub(crate) text: &'t str,
}

/// What `quiver export` prints where it writes a file.
#[derive(Debug, Serialize)]
pub(crate) struct Exported {
    pub(crate) output: String,
    pub(crate) bytes: Option<u64>,
    /// What could not be read.
    pub(crate) left_out: Vec<String>,
}

/// What any command prints when it fails.
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
        let mut causes = chain(error);
        let message = causes.remove(0);
        Self { error: FailureReason { exit_code: crate::Exit::of(error) as u8, message, causes } }
    }
}

/// What `quiver backup` prints.
#[derive(Debug, Serialize)]
pub(crate) struct BackedUp {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) unreadable: Vec<String>,
}

/// What `quiver demo` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Toured {
    pub(crate) documents: usize,
    pub(crate) right: usize,
    pub(crate) refused_rightly: usize,
    pub(crate) wrong: usize,
    pub(crate) questions: Vec<ToldQuestion>,
}

/// A question of the demo and what became of it.
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
    /// The steps to the best citation.
    pub(crate) fn path(citation: Option<&Citation>) -> Vec<Hop> {
        citation.map(|citation| Hop::all(&citation.path)).unwrap_or_default()
    }
}
