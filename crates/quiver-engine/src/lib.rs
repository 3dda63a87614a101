//! Multi-hop question answering, memory and graph queries over a vector database.
//!
//! Quiver stores a logical graph of entities, relations and passages in three collections of an embedded or remote
//! Qdrant, and answers questions by following IDs: no graph database, no second store, no language model. The principal
//! type is [`Quiver`].
//!
//! ```
//! use quiver::{Document, Quiver};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?; // or Quiver::open("directory")
//! quiver
//!     .ingest([
//!         Document::new("diabetes", "Metformin is the first-line drug for type 2 diabetes.")
//!             .with_title("Type 2 diabetes"),
//!         Document::new("metformin", "Metformin is cleared by the kidneys. Renal function must be monitored."),
//!     ])
//!     .await?;
//! let answer = quiver.ask("What must be monitored with the first-line drug for type 2 diabetes?").await?;
//! assert!(answer.text.unwrap().contains("Renal function"));
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```
//!
//! A question passes through four stages, `understand → search → expand → rerank`, then `answer`; a document through
//! `chunk → extract → build_records → embed → apply`. Each stage is a module of that name and returns a new type; the
//! [`Trace`] records what happened.
//!
//! # Features
//!
//! | feature | adds | choose it |
//! | --- | --- | --- |
//! | `embedded` (default) | Qdrant's engine in a directory | if one process holds the database |
//! | `pdf` (default) | PDF files | unless none are read: it brings a whole PDF library |
//! | `spreadsheets` (default) | workbooks: .xlsx, .xlsm, .ods | unless none are read |
//! | `server` | a Qdrant server or cluster | if several processes share a database |
//! | `fastembed` | local ONNX embedders and cross-encoders | for better retrieval at a few milliseconds a text |
//! | `fastembed-download` | the same, with the ONNX runtime downloaded at build time | if the runtime is not installed |
//! | `http` | embedding endpoints and language models | to use them |
//! | `tokenizer` | token counts of a model's own tokenizer | if a token budget has to be exact |

mod quiver;
mod request;
mod builder;

mod engine;
mod question;
mod options;
mod understand;
mod meaning;
mod spelling;
mod search;
mod expand;
mod cuts;
mod bridge;
mod rewrite;
mod rerank;
mod part;
mod label;
mod cross;
mod answer;

mod terms;
mod pool;
mod analysis;
mod feature;
mod relevance;
mod forest;
pub mod score;
mod chain;
mod trace;
mod step;
mod explanation;
mod explain;
mod changes;

mod llm;

pub mod extract;
pub mod prompt;
mod records;
mod embed;
mod ingest;

pub mod memory;
pub mod session;
pub mod context;

pub mod query;

mod administer;
mod error;

pub use administer::{ExportRequest, ImportReport, ImportRequest, Stats};
pub use answer::{Answer, Citation, Considered, Refusal, Sentence};
pub use builder::{Builder, Location};
#[cfg(feature = "fastembed")]
pub use cross::CrossReranker;
pub use cross::{CrossOptions, RerankSetting};
pub use error::{Error, ErrorKind, Result, Stage};
pub use explanation::{
    Budget, CutName, DatedFact, ExplainedCandidate, ExplainedFeature, Explanation, FoundBy, HopCut,
    MeaningCandidate, NameChoice, PinnedEntity, QuestionName, QuestionPart,
};
pub use ingest::{IngestEstimate, IngestOptions, Receipt, Referenced};
pub use llm::{ChatJob, ChatOptions, Spent};
pub use options::{AskOptions, DocumentFilter, Meaning, Profile};
pub use question::{Evidence, Question, Ranked, Step};
pub(crate) use quiver::OnProgress;
pub use quiver::{Progress, Quiver};
pub use request::{Event, IngestRequest, Request};
pub use rerank::{RerankCandidate, Reranker};
pub use trace::{HopStep, Trace, TraceStep};

#[doc(inline)]
pub use quiver_answer::{
    AnswerForm, AnswerWeights, Excerpt, Objection, Observed, ObservedCandidate, excerpt,
};
#[doc(inline)]
pub use quiver_documents::{Document, Triple, chunk, document, read};

pub use quiver_cypher as cypher;
pub use quiver_graph as graph;
pub use quiver_models as models;
pub use quiver_store as store;
