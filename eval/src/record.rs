//! The record of a run, with everything needed to recompute and reproduce its numbers.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The record type.
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
    /// The program.
    pub program: Program,
    /// The options.
    pub options: Options,
    /// The inputs, apart from code and options, on which results depend.
    pub fingerprints: Fingerprints,
    /// The set.
    pub dataset: DatasetSummary,
    /// The cost of indexing.
    pub index: IndexSummary,
    /// Digest of all results: equal for two runs that found the same, on any store.
    pub results_blake3: String,
    /// One entry per method.
    pub methods: Vec<MethodSummary>,
    /// Questions that failed, each with its method and error. They count as zero.
    pub failed: Vec<Failure>,
    /// One entry per question.
    pub questions: Vec<QuestionRecord>,
}

/// The program that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The version of `quiver-eval`.
    pub version: String,
    /// The commit, if the sources were available.
    pub commit: Option<String>,
    /// Whether the sources differed from the commit.
    pub modified: Option<bool>,
    /// `release` or `debug`.
    pub profile: String,
}

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The embedder.
    pub embedder: String,
    /// The reranker, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<String>,
    /// The reranker's weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank_weight: Option<f32>,
    /// The store.
    pub store: String,
    /// Whether passages had their titles.
    pub titles: bool,
    /// Number of passages from which an answer is taken.
    pub top: usize,
    /// Maximum number of questions.
    pub limit: Option<usize>,
    /// The engine options of each graph method.
    pub engine: BTreeMap<String, String>,
}

/// The inputs, apart from code and options, on which results depend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// The encoder.
    pub encoder: String,
    /// The reranker, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// The questions.
    pub questions: FileDigest,
    /// The corpus.
    pub corpus: FileDigest,
    /// The triples, if any.
    pub triples: Option<FileDigest>,
}

/// A file and its digest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileDigest {
    /// The file name without directory.
    pub file: String,
    /// The BLAKE3 digest of its content.
    pub blake3: String,
}

/// The set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetSummary {
    /// Number of questions asked.
    pub questions: usize,
    /// Number of questions with gold passages, over which recall is averaged.
    pub judged: usize,
    /// Number of passages.
    pub passages: usize,
    /// Number of triples supplied with the set.
    pub triples: usize,
    /// Number of gold passages that the corpus lacks. No method can find them.
    pub gold_absent: usize,
}

/// The index and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexSummary {
    /// Number of documents.
    pub documents: usize,
    /// Number of passages after splitting long documents.
    pub passages: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of relations.
    pub relations: u64,
    /// Number of passages written by this run; fewer if the database existed.
    pub passages_written: usize,
    /// Number of texts embedded for it.
    pub embeddings: usize,
    /// Number of problems in the ingest.
    pub problems: usize,
    /// Measurements, which differ between runs.
    pub measured: IndexMeasured,
}

/// Measured cost of an index.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexMeasured {
    /// Duration of indexing.
    pub index_ms: f64,
    /// Time to read the statistics used to weight questions.
    pub warm_up_ms: f64,
    /// Bytes on disk.
    pub disk_bytes: Option<u64>,
    /// Peak memory of the process up to the end of indexing.
    pub memory_peak_index_bytes: Option<u64>,
    /// Peak memory of the process.
    pub memory_peak_bytes: Option<u64>,
}

/// The results of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The method.
    pub method: String,
    /// Mean recall of gold passages at 2, 5 and 10.
    pub recall: BTreeMap<usize, f64>,
    /// The share of questions with all gold passages in the first 5.
    pub all_gold_5: f64,
    /// 95 % intervals of the above.
    pub interval: Intervals,
    /// The paired difference to the hybrid method.
    pub against_hybrid: Option<Paired>,
    /// The quality of its answers, if it answers.
    pub answers: Option<AnswerSummary>,
    /// Questions that failed; they count as zero.
    pub failed: usize,
    /// Questions in which some step failed and was worked around.
    pub degraded: usize,
    /// The results by type of question and by number of hops.
    pub groups: Vec<Group>,
    /// Mean cost of a question.
    pub cost: Cost,
    /// Latency of a question.
    pub latency_ms: Latency,
}

/// 95 % bootstrap intervals, each a lower and an upper bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// The intervals of recall.
    pub recall: BTreeMap<usize, [f64; 2]>,
    /// The interval of the share with all gold.
    pub all_gold_5: [f64; 2],
}

/// The difference of a method to the hybrid method in Recall@5.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The mean difference.
    pub recall_5: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Number of questions on which it did better.
    pub better: usize,
    /// Number of questions on which it did worse.
    pub worse: usize,
}

/// The quality of a method's answers, over the questions that have an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSummary {
    /// The share of exact matches.
    pub exact_match: f64,
    /// Mean word-level F1.
    pub f1: f64,
    /// The share that contains a correct answer.
    pub contains: f64,
    /// The share refused.
    pub refused: f64,
}

/// The results of a method on a group of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `type` or `hops`.
    pub by: String,
    /// The value.
    pub value: String,
    /// Number of questions.
    pub questions: usize,
    /// Mean recall of gold passages at 2, 5 and 10.
    pub recall: BTreeMap<usize, f64>,
    /// The share of questions with all gold passages in the first 5.
    pub all_gold_5: f64,
}

/// Mean cost of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Store calls; each is a round trip if the store is a server.
    pub store_calls: f64,
    /// Searches in these calls.
    pub searches: f64,
    /// Points returned.
    pub points_read: f64,
    /// Texts embedded.
    pub embeddings: f64,
    /// Language model calls; always 0.
    pub model_calls: f64,
}

/// Percentiles of the latency of a question.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
}

/// A question that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The question's ID.
    pub id: String,
    /// The method.
    pub method: String,
    /// The error.
    pub error: String,
}

/// The results of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionRecord {
    /// Its ID.
    pub id: String,
    /// The text of the question.
    pub question: String,
    /// Its type, if the set has types.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Number of passages that must be combined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
    /// The correct answers.
    pub answers: Vec<String>,
    /// The gold passages, each with its possible keys.
    pub gold: Vec<Vec<String>>,
    /// The result of each method.
    pub methods: BTreeMap<String, FoundRecord>,
}

/// What a method found for a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundRecord {
    /// The keys of passages, best first.
    pub retrieved: Vec<String>,
    /// The path to each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<String>>,
    /// The answer; null if refused, absent if the method does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub answer: Option<Value>,
    /// Failures that were worked around.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    /// The error, if the question failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reads a value that is present but may be null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Parses a record.
///
/// # Errors
/// Returns an error if the text is not a record, or has another version.
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
    /// Removes everything that differs between runs and stores: timings, sizes, locations.
    #[must_use]
    pub fn comparable(mut self) -> Self {
        self.options.store = String::new();
        self.index.measured = IndexMeasured::default();
        for summary in &mut self.methods {
            summary.latency_ms = Latency::default();
        }
        self
    }

    /// Returns a method's summary by name.
    pub fn method(&self, name: &str) -> Option<&MethodSummary> {
        self.methods.iter().find(|summary| summary.method == name)
    }
}
