//! Work that a server continues in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Ingested;

/// An ingest that runs in the background.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Job {
    /// The ID.
    pub id: String,
    /// The state.
    pub state: JobState,
    /// The number of documents done, and in total.
    pub documents: JobDocuments,
    /// While the job runs, the key of the document that was started last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// When it was accepted, in milliseconds since 1970.
    pub created: i64,
    /// When it started to run, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<i64>,
    /// When it ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    /// The result, once the job has ended. It is absent from lists of jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Ingested>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// The job is waiting.
    Queued,
    /// The job is running.
    Running,
    /// The job will stop after the current documents.
    Cancelling,
    /// All documents were ingested.
    Done,
    /// The job was cancelled. Documents that were ingested before remain, each one complete.
    Cancelled,
    /// The job could not continue. Documents that were ingested before remain.
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

/// The progress of a job, in documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JobDocuments {
    /// The number of ingested documents.
    pub done: usize,
    /// The total number of documents.
    pub total: usize,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobError {
    /// The reason in one word: the `code` of a problem, or `budget`.
    pub code: String,
    /// What went wrong, and how to fix it.
    pub detail: String,
}

/// The jobs of a workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    /// The jobs, the latest first.
    pub jobs: Vec<Job>,
}
