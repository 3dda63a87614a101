//! Work that a server continues after its reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Ingested;

/// An ingest that goes on after the request for it was answered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Job {
    /// What it is asked for and cancelled by.
    pub id: String,
    /// Where it stands.
    pub state: JobState,
    /// How many documents it is done with.
    pub documents: JobDocuments,
    /// The key of the document that was begun last, while the job runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// When it was taken, in milliseconds since 1970.
    pub created: i64,
    /// When it began to run, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<i64>,
    /// When it ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    /// What was done, once it has ended. A list of jobs has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Ingested>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It waits for its turn.
    Queued,
    /// It is being done.
    Running,
    /// It ends after the documents under way.
    Cancelling,
    /// All documents were ingested.
    Done,
    /// It was cancelled; the documents that it was done with stay, each as a whole.
    Cancelled,
    /// It could not go on; the documents that it was done with stay.
    Failed,
}

impl JobState {
    /// Whether the state is final.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }

    /// Returns its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Cancelling => "cancelling",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// How many documents a job is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JobDocuments {
    /// Those that are ingested.
    pub done: usize,
    /// All of them.
    pub total: usize,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobError {
    /// The reason in one word, as in the problems that requests are refused with, or `budget`.
    pub code: String,
    /// What went wrong, and what mends it.
    pub detail: String,
}

/// The jobs of a workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    /// The jobs, the latest first.
    pub jobs: Vec<Job>,
}
