//! The JSON forms of questions, answers, documents and facts.
//!
//! `quiver --json`, the HTTP server and the tools for agents all return these types, so each is defined once. They are
//! separate from the engine's types, which stay free to change. A change other than a new field gets a new version.
//! [`request`] has the requests, and [`agent`] the shorter forms that fit into the context of a language model.
//!
//! ```
//! use quiver::Quiver;
//! use quiver_forms::{Searched, Versioned};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! let evidence = quiver.retrieve("Who runs the ferry?").await?;
//! let printed = serde_json::to_string(&Versioned::new(Searched::of(&evidence, false))).unwrap();
//! assert_eq!(printed, r#"{"version":1,"question":"Who runs the ferry?","passages":[]}"#);
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

use std::collections::BTreeMap;

use quiver::{
    Answer, Citation, Evidence, HopStep, ImportReport, Ranked, Receipt, Referenced, Refusal, Sentence, Stats,
    Step, Trace, TraceStep,
    graph::{DocumentSummary, PassageId, Removed, Repair, Violation, WorkspaceSummary},
    read::LeftOut,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

pub mod agent;
pub mod chat;
pub mod command;
pub mod context;
mod explained;
pub mod job;
pub mod memory;
mod moment;
pub mod query;
pub mod request;
mod spending;
mod triple;

use explained::Explained;
pub use moment::Moment;
pub use query::Queried;
pub use spending::{Estimated, Spending, Sum};
pub use triple::Triple;

/// The version of all forms.
const VERSION: u32 = 1;

/// A document with the version of its form.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Versioned<T> {
    #[serde(deserialize_with = "own_version")]
    version: u32,
    #[serde(flatten)]
    document: T,
}

impl<T> Versioned<T> {
    /// Adds the version to a form.
    pub fn new(document: T) -> Self {
        Self { version: VERSION, document }
    }

    /// Returns the form without the version. A form of another version can't be deserialised.
    pub fn into_document(self) -> T {
        self.document
    }
}

fn own_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        VERSION => Ok(VERSION),
        other => Err(D::Error::custom(format!("the form has version {other}, but {VERSION} is expected"))),
    }
}

/// Returns a value that is one of several words as the word.
fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The output of `quiver ask`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Answered {
    /// The question.
    pub question: String,
    /// The answer; `null` if there is none.
    pub answer: Option<String>,
    /// Why there is no answer.
    pub refusal: Option<Refused>,
    /// The language model that wrote the answer; `null` if it is quoted from the evidence.
    pub model: Option<String>,
    /// The sentences of the answer.
    pub sentences: Vec<Said>,
    /// The sentences that the answer is taken from, the best first.
    pub citations: Vec<Cited>,
    /// The probability that the quoted evidence answers the question, from 0 to 1.
    pub confidence: f32,
    /// The candidate answers, with the objections to them.
    pub considered: Vec<Considered>,
    /// If there is no answer, the most relevant sentences. They may not answer the question.
    pub found: Vec<Cited>,
    /// The passages of the evidence, the best first.
    pub passages: Vec<Found>,
    /// The query over loaded records that answered the question; absent if passages did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<query::AnsweredBy>,
    /// The usage of language models, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
    /// What each stage did, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
}

impl Answered {
    /// Makes the form.
    pub fn of(answer: &Answer, trace: bool) -> Self {
        let Answer { text, refusal, sentences, model, citations, evidence, .. } = answer;
        Self {
            question: evidence.question.clone(),
            answer: text.clone(),
            refusal: refusal.as_ref().map(Refused::of),
            model: model.clone(),
            sentences: sentences.iter().map(Said::of).collect(),
            citations: citations.iter().map(Cited::of).collect(),
            confidence: answer.confidence,
            considered: answer.considered.iter().map(Considered::of).collect(),
            found: answer.found.iter().map(Cited::of).collect(),
            passages: evidence.passages.iter().map(Found::of).collect(),
            query: answer.query.as_deref().map(query::AnsweredBy::of),
            spent: Spending::of(&evidence.trace.calls),
            trace: trace.then(|| Traced::of(&evidence.trace)),
        }
    }
}

/// A candidate answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Considered {
    /// The candidate.
    pub text: String,
    /// `value`, `comparison`, `yes_or_no`, `sentence` or `summary`.
    pub form: String,
    /// The probability that it is right, from 0 to 1.
    pub confidence: f32,
    /// The objection to it, such as `other_thing`, `other_relation` or `over`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
}

impl Considered {
    fn of(considered: &quiver::Considered) -> Self {
        let quiver::Considered { text, form, confidence, objection, .. } = considered;
        Self { text: text.clone(), form: word(form), confidence: *confidence, objection: objection.map(word) }
    }
}

/// The output of `quiver search`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Searched {
    /// The question.
    pub question: String,
    /// The passages, the best first.
    pub passages: Vec<Found>,
    /// If there are more, the value of `from` for the next ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The usage of language models, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
    /// What each stage did, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
}

impl Searched {
    /// Makes the form.
    pub fn of(evidence: &Evidence, trace: bool) -> Self {
        Self {
            question: evidence.question.clone(),
            passages: evidence.passages.iter().map(Found::of).collect(),
            next: evidence.next.map(|next| next.to_string()),
            spent: Spending::of(&evidence.trace.calls),
            trace: trace.then(|| Traced::of(&evidence.trace)),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Refused {
    /// The reason in one word: `no_documents`, `nothing_found`, `not_covered`, `ambiguous`, `unsure`, `unanswered`,
    /// `unsupported` or `other`.
    pub reason: String,
    /// The reason in a sentence.
    pub text: String,
    /// The words of the question that the evidence does not cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The objection to the most likely answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
}

impl Refused {
    fn of(refusal: &Refusal) -> Self {
        let reason = match refusal {
            Refusal::NoDocuments => "no_documents",
            Refusal::NothingFound => "nothing_found",
            Refusal::NotCovered { .. } => "not_covered",
            Refusal::Ambiguous { .. } => "ambiguous",
            Refusal::Unsure { .. } => "unsure",
            Refusal::Unanswered { .. } => "unanswered",
            Refusal::Unsupported { .. } => "unsupported",
            _ => "other",
        };
        let (words, objection) = match refusal {
            Refusal::Unsure { words, objection } => (words.clone(), objection.map(word)),
            Refusal::NotCovered { words } => (words.clone(), None),
            _ => (Vec::new(), None),
        };
        Self { reason: reason.to_owned(), text: refusal.to_string(), words, objection }
    }
}

/// A sentence of an answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Said {
    /// The sentence.
    pub text: String,
    /// The IDs of the passages that support it.
    pub passages: Vec<String>,
}

impl Said {
    /// Makes the form.
    pub fn of(sentence: &Sentence) -> Self {
        let passages = sentence.passages.iter().map(ToString::to_string).collect();
        Self { text: sentence.text.clone(), passages }
    }
}

/// A sentence of the evidence.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Cited {
    /// The ID of the passage.
    pub passage: String,
    /// The title of the passage.
    pub title: String,
    /// The sentence.
    pub sentence: String,
    /// The value in the sentence that answers the question, if it is shorter than the sentence.
    pub value: Option<String>,
    /// The steps that lead to the passage.
    pub path: Vec<Hop>,
    /// The score of the passage.
    pub score: f32,
}

impl Cited {
    fn of(citation: &Citation) -> Self {
        let Citation { passage, title, sentence, value, path, score, .. } = citation;
        Self {
            passage: passage.to_string(),
            title: title.clone(),
            sentence: sentence.clone(),
            value: value.clone(),
            path: Hop::all(path),
            score: *score,
        }
    }
}

/// A passage.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Found {
    /// The ID.
    pub passage: String,
    /// The key of the document.
    pub document: String,
    /// The position in the document, from 0.
    pub position: u64,
    /// The title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The score.
    pub score: f32,
    /// The score of plain search alone.
    pub plain_score: f32,
    /// The steps that lead to the passage.
    pub path: Vec<Hop>,
    /// The metadata of the document.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Found {
    fn of(ranked: &Ranked) -> Self {
        let passage = &ranked.passage;
        Self {
            passage: passage.id.to_string(),
            document: passage.document.clone(),
            position: passage.position,
            title: passage.title.clone(),
            text: passage.text.clone(),
            score: ranked.score,
            plain_score: ranked.plain,
            path: Hop::all(&ranked.path),
            metadata: passage.metadata.clone(),
        }
    }
}

/// A step from one passage to the next.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Hop {
    /// The ID of the passage where the step starts.
    pub from: String,
    /// The kind of step: `mention`, `mentioned_by`, `shared`, `bridge` or `other`.
    pub step: String,
    /// The step in words.
    pub text: String,
    /// The name that links the two passages; for a `shared` step, the title of the previous passage.
    pub name: String,
    /// The sentence of the previous passage that contains the name, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

impl Hop {
    /// Returns the steps of a path, each with the passage where it starts.
    pub fn all(path: &[(PassageId, Step)]) -> Vec<Self> {
        path.iter().map(|(from, step)| Self::of(from.to_string(), step)).collect()
    }

    fn of(from: String, step: &Step) -> Self {
        let (kind, name, sentence) = match step {
            Step::Mention { entity, sentence } => ("mention", entity.as_str(), Some(sentence)),
            Step::MentionedBy { entity } => ("mentioned_by", entity.as_str(), None),
            Step::Shared { passage } => ("shared", passage.as_str(), None),
            Step::Bridge { entity, sentence } => ("bridge", entity.as_str(), Some(sentence)),
            _ => ("other", "", None),
        };
        let (step, text) = (kind.to_owned(), step.to_string());
        Self { from, step, text, name: name.to_owned(), sentence: sentence.cloned() }
    }
}

/// What each stage did.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Traced {
    /// The stages, in order.
    pub stages: Vec<TracedStage>,
    /// Failures that were worked around.
    pub degraded: Vec<String>,
    /// Explains the ranking of the candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained>,
}

/// What a stage did.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TracedStage {
    /// The name of the stage.
    pub stage: String,
    /// The kind of stage, such as `contextualise`, `understand`, `search`, `expand`, `rerank` or `answer`.
    pub kind: String,
    /// Its duration in microseconds.
    pub duration_us: u64,
    /// What it did.
    pub lines: Vec<String>,
}

impl TracedStage {
    /// Makes the form.
    pub fn of(step: &TraceStep) -> Self {
        Self {
            stage: step.stage.to_string(),
            kind: word(step.stage),
            duration_us: step.duration_us,
            lines: step.lines.clone(),
        }
    }
}

/// A hop through the graph.
#[derive(Debug, Serialize)]
pub struct TracedHop {
    hop: usize,
    started_from: usize,
    reached: usize,
    links: usize,
    candidates: usize,
    duration_us: u64,
}

impl TracedHop {
    /// Makes the form.
    pub fn of(step: &HopStep) -> Self {
        Self {
            hop: step.hop,
            started_from: step.started_from,
            reached: step.reached,
            links: step.links,
            candidates: step.candidates,
            duration_us: step.duration_us,
        }
    }
}

impl Traced {
    /// Makes the form.
    pub fn of(trace: &Trace) -> Self {
        let stages = trace.steps.iter().map(TracedStage::of);
        Self {
            stages: stages.collect(),
            degraded: trace.degraded.clone(),
            explanation: trace.explanation.as_ref().map(Explained::of),
        }
    }
}

/// The output of `quiver ingest`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Ingested {
    /// The numbers of documents.
    pub documents: IngestedDocuments,
    /// The numbers of passages.
    pub passages: IngestedPassages,
    /// The number of entities.
    pub entities: usize,
    /// The number of relations.
    pub relations: usize,
    /// Files, lines and web pages that were skipped because of an error.
    pub skipped: Vec<String>,
    /// Documents that were deleted because their files are gone.
    pub pruned: Vec<String>,
    /// The number of files that were ignored on purpose, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// The parts of the input that could not be parsed.
    pub problems: Vec<String>,
    /// Whether it was stopped before all documents were ingested.
    pub stopped: bool,
    /// The budget that stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_budget: Option<String>,
    /// The usage of language models, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
    /// The IDs of the entities and relations, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referenced: Option<ReferencedIds>,
}

/// The IDs of entities and relations.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReferencedIds {
    /// The IDs of the entities.
    pub entities: Vec<String>,
    /// The IDs of the relations.
    pub relations: Vec<String>,
}

/// The numbers of ingested documents.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct IngestedDocuments {
    /// The number of new documents.
    pub added: usize,
    /// The number of documents that have changed.
    pub replaced: usize,
    /// The number of documents that have not changed.
    pub unchanged: usize,
}

/// The numbers of passages of ingested documents.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct IngestedPassages {
    /// The number of written passages.
    pub written: usize,
    /// The number of passages that have not changed.
    pub kept: usize,
    /// The number of deleted passages.
    pub removed: usize,
    /// The number of written passages whose language model reply could not be parsed.
    pub fallen_back: usize,
}

impl Ingested {
    /// Makes the form.
    pub fn of(receipt: &Receipt, skipped: &[String], left_out: &LeftOut, pruned: &[String]) -> Self {
        Self {
            documents: IngestedDocuments {
                added: receipt.documents_added,
                replaced: receipt.documents_replaced,
                unchanged: receipt.documents_unchanged,
            },
            passages: IngestedPassages {
                written: receipt.passages_written,
                kept: receipt.passages_kept,
                removed: receipt.passages_removed,
                fallen_back: receipt.passages_fallen_back,
            },
            entities: receipt.entities,
            relations: receipt.relations,
            skipped: skipped.to_vec(),
            pruned: pruned.to_vec(),
            left_out: left_out.iter().map(|(kind, (count, _))| (kind.word().to_owned(), *count)).collect(),
            problems: receipt.problems.clone(),
            stopped: receipt.stopped,
            out_of_budget: receipt.out_of_budget.clone(),
            spent: Spending::of(&receipt.ledger.jobs),
            referenced: None,
        }
    }

    /// Adds the IDs of the counted entities and relations.
    #[must_use]
    pub fn with_ids(self, receipt: &Receipt) -> Self {
        let Referenced { entities, relations } = &receipt.referenced;
        let referenced = ReferencedIds {
            entities: entities.iter().map(ToString::to_string).collect(),
            relations: relations.iter().map(ToString::to_string).collect(),
        };
        Self { referenced: Some(referenced), ..self }
    }
}

/// The output of `quiver documents`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Listed {
    /// The documents, in order of their keys.
    pub documents: Vec<ListedDocument>,
    /// The keys of documents whose ingest was interrupted.
    pub unfinished: Vec<String>,
    /// The value of `after` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A document in a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ListedDocument {
    /// The key.
    pub key: String,
    /// The number of passages.
    pub passages: u64,
}

impl Listed {
    /// Makes the form.
    pub fn of(documents: &[DocumentSummary], unfinished: Vec<String>) -> Self {
        let list = |document: &DocumentSummary| ListedDocument {
            key: document.key.clone(),
            passages: document.passages,
        };
        Self { documents: documents.iter().map(list).collect(), unfinished, next: None }
    }

    /// Makes the form of a page of the list: the documents after a key, up to a limit.
    pub fn part(
        documents: &[DocumentSummary],
        unfinished: Vec<String>,
        after: Option<&str>,
        limit: usize,
    ) -> Self {
        let begin =
            after.map_or(0, |after| documents.partition_point(|document| document.key.as_str() <= after));
        let rest = &documents[begin..];
        let part = &rest[..limit.min(rest.len())];
        let next = part.last().filter(|_| rest.len() > part.len()).map(|last| last.key.clone());
        Self { next, ..Self::of(part, unfinished) }
    }
}

/// The output of `quiver delete`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    /// The number of deleted documents.
    pub documents: usize,
    /// The requested keys that do not exist.
    pub missing: Vec<String>,
    /// The records that were deleted with them.
    pub removed: RemovedRecords,
}

impl Deleted {
    /// Makes the form for a key that no document has.
    pub fn missing(key: &str) -> Self {
        Self { documents: 0, missing: vec![key.to_owned()], removed: Removed::default().into() }
    }
}

/// The numbers of deleted records.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RemovedRecords {
    /// The number of passages.
    pub passages: usize,
    /// The number of relations.
    pub relations: usize,
    /// The number of entities.
    pub entities: usize,
}

impl From<Removed> for RemovedRecords {
    fn from(removed: Removed) -> Self {
        let Removed { passages, relations, entities, .. } = removed;
        Self { passages, relations, entities }
    }
}

/// The workspaces that a key may use.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Workspaces {
    /// The workspaces that contain something, in order of their names.
    pub workspaces: Vec<ListedWorkspace>,
}

/// A workspace in a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ListedWorkspace {
    /// The name.
    pub name: String,
    /// The number of passages, including turns of conversations.
    pub passages: u64,
}

impl Workspaces {
    /// Makes the form.
    pub fn of(workspaces: Vec<WorkspaceSummary>) -> Self {
        let list =
            |summary: WorkspaceSummary| ListedWorkspace { name: summary.name, passages: summary.passages };
        Self { workspaces: workspaces.into_iter().map(list).collect() }
    }
}

/// The output of `quiver stats`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Counted {
    /// The kind of database.
    pub backend: String,
    /// The location of the database.
    pub location: String,
    /// The workspace.
    pub workspace: String,
    /// The fingerprint of the encoder.
    pub embedder: String,
    /// The number of documents.
    pub documents: u64,
    /// The number of passages.
    pub passages: u64,
    /// The number of entities.
    pub entities: u64,
    /// The number of relations.
    pub relations: u64,
    /// The number of points.
    pub points: u64,
    /// The number of vectors in an index.
    pub indexed: u64,
    /// The size on disk in bytes, if known.
    pub disk_bytes: Option<u64>,
    /// Bytes of writes that would be replayed after a crash, if there is a journal.
    pub journal_bytes: Option<u64>,
    /// The usage of language models, for all workspaces together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
}

impl From<Stats> for Counted {
    fn from(stats: Stats) -> Self {
        Self {
            backend: stats.backend,
            location: stats.location,
            workspace: stats.workspace,
            embedder: stats.embedder,
            documents: stats.documents,
            passages: stats.passages,
            entities: stats.entities,
            relations: stats.relations,
            points: stats.points,
            indexed: stats.indexed,
            disk_bytes: stats.disk_bytes,
            journal_bytes: stats.journal_bytes,
            spent: Spending::of(&stats.spent.jobs),
        }
    }
}

/// The output of `quiver verify`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// The broken invariants; after a repair, those that are still broken.
    violations: Vec<String>,
    repair: Option<Repaired>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Repaired {
    references_dropped: usize,
    points_deleted: usize,
    collected: RemovedRecords,
}

impl Verified {
    /// Makes the form.
    pub fn of(violations: &[Violation], repair: Option<Repair>) -> Self {
        let repair = repair.map(|repair| Repaired {
            references_dropped: repair.references_dropped,
            points_deleted: repair.points_deleted,
            collected: repair.collected.into(),
        });
        Self { violations: violations.iter().map(ToString::to_string).collect(), repair }
    }
}

/// The output of `quiver compact`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Compacted {
    /// The size on disk before, in bytes.
    pub disk_bytes_before: Option<u64>,
    /// The size on disk now, in bytes.
    pub disk_bytes: Option<u64>,
}

/// The output of `quiver import`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Imported {
    entities: usize,
    relations: usize,
    passages: usize,
    encoded: usize,
    lines_skipped: usize,
    /// The error in each skipped line.
    skipped: Vec<String>,
}

impl Imported {
    /// Makes the form.
    pub fn of(report: ImportReport, skipped: Vec<String>) -> Self {
        let ImportReport { entities, relations, passages, encoded, lines_skipped, .. } = report;
        Self { entities, relations, passages, encoded, lines_skipped, skipped }
    }
}
