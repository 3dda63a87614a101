//! What a run leaves behind: a record that says how it came about, so that every number can be computed from it and
//! made again.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a record says that it is.
pub const RECORD: &str = "quiver-eval retrieval";
/// The version of the format.
pub const VERSION: u32 = 1;

/// A run of `quiver-eval retrieval`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Always `quiver-eval retrieval`.
    pub record: String,
    /// The version of the format.
    pub version: u32,
    /// Which code ran.
    pub program: Program,
    /// What it was asked to do.
    pub options: Options,
    /// What results depend on beside code and options.
    pub fingerprints: Fingerprints,
    /// The set.
    pub dataset: DatasetSummary,
    /// What indexing cost.
    pub index: IndexSummary,
    /// A digest of all results: equal in two runs, on whichever store, if they found the same.
    pub results_blake3: String,
    /// One entry for each method.
    pub methods: Vec<MethodSummary>,
    /// Questions that failed, each with its method and error. They count as zero.
    pub failed: Vec<Failure>,
    /// One entry for each question.
    pub questions: Vec<QuestionRecord>,
}

/// Which code ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The version of `quiver-eval`.
    pub version: String,
    /// The commit, where the program ran beside its sources.
    pub commit: Option<String>,
    /// Whether sources differed from the commit.
    pub modified: Option<bool>,
    /// `release` or `debug`.
    pub profile: String,
}

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// What texts are encoded with.
    pub embedder: String,
    /// What orders candidates beside the built-in ranking, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<String>,
    /// How much its scores count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank_weight: Option<f32>,
    /// Where points are kept.
    pub store: String,
    /// Whether passages had their titles.
    pub titles: bool,
    /// How many passages the answer is taken from.
    pub top: usize,
    /// How many questions were asked at the most.
    pub limit: Option<usize>,
    /// The options of the engine, for each method that asks it.
    pub engine: BTreeMap<String, String>,
}

/// What results depend on beside code and options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// What texts are encoded with.
    pub encoder: String,
    /// What orders candidates beside the built-in ranking, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// The questions.
    pub questions: FileDigest,
    /// The corpus.
    pub corpus: FileDigest,
    /// The triples, where some were given.
    pub triples: Option<FileDigest>,
}

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileDigest {
    /// The file's name, without its directory.
    pub file: String,
    /// The digest of its content.
    pub blake3: String,
}

/// The set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetSummary {
    /// Questions asked.
    pub questions: usize,
    /// Those of them that have gold passages, over which recall is averaged.
    pub judged: usize,
    /// Passages.
    pub passages: usize,
    /// Triples that came with the set.
    pub triples: usize,
    /// Gold passages that the corpus does not hold. No method can find them.
    pub gold_absent: usize,
}

/// What indexing cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexSummary {
    /// Documents.
    pub documents: usize,
    /// Passages, into which long documents are cut.
    pub passages: u64,
    /// Entities.
    pub entities: u64,
    /// Relations.
    pub relations: u64,
    /// Passages that this run wrote; fewer where the database was there.
    pub passages_written: usize,
    /// Texts embedded for it.
    pub embeddings: usize,
    /// What could not be understood.
    pub problems: usize,
    /// What differs from run to run.
    pub measured: IndexMeasured,
}

/// What an index cost this machine.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexMeasured {
    /// How long indexing took.
    pub index_ms: f64,
    /// How long it took to read the statistics that questions are weighed by.
    pub warm_up_ms: f64,
    /// Bytes on disk.
    pub disk_bytes: Option<u64>,
    /// The most memory that the process had until the index was there.
    pub memory_peak_index_bytes: Option<u64>,
    /// The most memory that the process had until the end.
    pub memory_peak_bytes: Option<u64>,
}

/// How a method did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The method.
    pub method: String,
    /// The mean share of gold passages among the first 2, 5 and 10.
    pub recall: BTreeMap<usize, f64>,
    /// The share of questions with all gold passages among the first 5.
    pub all_gold_5: f64,
    /// 95 % intervals of the above.
    pub interval: Intervals,
    /// How it differs from the hybrid arm, question by question.
    pub against_hybrid: Option<Paired>,
    /// How its answers did, where it answers.
    pub answers: Option<AnswerSummary>,
    /// Questions that failed; they count as zero.
    pub failed: usize,
    /// Questions for which something was done without.
    pub degraded: usize,
    /// The same per type of question and per number of hops.
    pub groups: Vec<Group>,
    /// What a question cost in the mean.
    pub cost: Cost,
    /// What a question took.
    pub latency_ms: Latency,
}

/// 95 % bootstrap intervals, each a lower and an upper bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Of the recalls.
    pub recall: BTreeMap<usize, [f64; 2]>,
    /// Of the share with all gold.
    pub all_gold_5: [f64; 2],
}

/// How a method differs from the hybrid arm in recall@5.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The mean difference.
    pub recall_5: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Questions on which it did better.
    pub better: usize,
    /// Questions on which it did worse.
    pub worse: usize,
}

/// How a method's answers did, over the questions that have an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSummary {
    /// The share that is exactly right.
    pub exact_match: f64,
    /// The mean F1 in words.
    pub f1: f64,
    /// The share that contains a right answer.
    pub contains: f64,
    /// The share that was refused.
    pub refused: f64,
}

/// How a method did on some of the questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `type` or `hops`.
    pub by: String,
    /// Which.
    pub value: String,
    /// How many questions.
    pub questions: usize,
    /// The mean share of gold passages among the first 2, 5 and 10.
    pub recall: BTreeMap<usize, f64>,
    /// The share of questions with all gold passages among the first 5.
    pub all_gold_5: f64,
}

/// What a question cost in the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Calls of the store: round trips, where it is a server.
    pub store_calls: f64,
    /// Searches in these calls.
    pub searches: f64,
    /// Points that came back.
    pub points_read: f64,
    /// Texts embedded.
    pub embeddings: f64,
    /// Calls of a language model. There is none to call.
    pub model_calls: f64,
}

/// Percentiles of what a question took.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of the questions took less.
    pub p50: f64,
    /// 95 % took less.
    pub p95: f64,
    /// 99 % took less.
    pub p99: f64,
}

/// A question that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The question's id.
    pub id: String,
    /// The method.
    pub method: String,
    /// What went wrong.
    pub error: String,
}

/// What was found for a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionRecord {
    /// Its id.
    pub id: String,
    /// The words.
    pub question: String,
    /// Its type, in sets that have some.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How many passages have to be joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
    /// The right answers.
    pub answers: Vec<String>,
    /// The gold passages, each by the keys that it may have.
    pub gold: Vec<Vec<String>>,
    /// What each method found.
    pub methods: BTreeMap<String, FoundRecord>,
}

/// What a method found for a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundRecord {
    /// The keys of passages, best first.
    pub retrieved: Vec<String>,
    /// For each of them the steps that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<String>>,
    /// The answer; null where it was refused, absent where the method gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What was done without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reads a record.
///
/// # Errors
/// What is no record, or one of another version.
pub fn parse(text: &str) -> Result<Record> {
    #[derive(Deserialize)]
    struct Header {
        record: String,
        version: u32,
    }
    let header: Header = serde_json::from_str(text).context("it is no record of quiver-eval")?;
    if header.record != RECORD {
        bail!("it is a record of {:?}; reports are made of {RECORD:?}", header.record);
    }
    if header.version != VERSION {
        bail!("it is a record of version {}, and this program reads {VERSION}", header.version);
    }
    Ok(serde_json::from_str(text)?)
}

impl Record {
    /// The record without what differs from run to run and from store to store: timings, sizes, places.
    #[must_use]
    pub fn comparable(mut self) -> Self {
        self.options.store = String::new();
        self.index.measured = IndexMeasured::default();
        for summary in &mut self.methods {
            summary.latency_ms = Latency::default();
        }
        self
    }

    /// A method's summary by its name.
    pub fn method(&self, name: &str) -> Option<&MethodSummary> {
        self.methods.iter().find(|summary| summary.method == name)
    }
}
