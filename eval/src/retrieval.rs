//! `quiver-eval retrieval`: reads a set, indexes it, asks its questions and summarises the results.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use clap::Args;
use quiver::{CrossOptions, RerankSetting, models::EncoderSetting};

use crate::{
    arms::Method,
    dataset::{Dataset, attach, read_file},
    index::{Index, IndexOptions, memory_peak_bytes},
    record::{
        DatasetSummary, Failure, FileDigest, Fingerprints, IndexMeasured, IndexSummary, Options, Program,
        QuestionRecord, RECORD, Record, VERSION,
    },
    run::{Outcome, run},
    store::StoreSetting,
    summary::summarise,
};

/// Options of `quiver-eval retrieval`.
#[derive(Args, Clone, Debug)]
pub struct RetrievalOptions {
    /// The questions: MuSiQue, HotpotQA, 2WikiMultihopQA or your own
    #[arg(long, value_name = "FILE")]
    pub questions: std::path::PathBuf,
    /// The passages
    #[arg(long, value_name = "FILE")]
    pub corpus: std::path::PathBuf,
    /// Triples of the passages: HippoRAG's OpenIE results
    #[arg(long, value_name = "FILE")]
    pub triples: Option<std::path::PathBuf>,
    /// The embedder: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// The reranker of the graph methods, combined with the built-in ranking: `none`, `fastembed:NAME_OR_DIRECTORY`
    #[arg(long, default_value = "none", value_name = "RERANKER")]
    pub rerank: RerankSetting,
    /// The weight of the reranker's scores
    #[arg(long, default_value_t = CrossOptions::default().weight, value_name = "WEIGHT")]
    pub rerank_weight: f32,
    /// The store: memory, embedded, embedded:DIR, the gRPC address of a server
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub store: StoreSetting,
    /// The methods to compare with the plain ones, which always run
    #[arg(long, value_delimiter = ',', default_values_t = [Method::GraphFast, Method::Graph], value_name = "METHOD,..")]
    pub method: Vec<Method>,
    /// Number of passages from which an answer is taken
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub top: usize,
    /// Asks only the first questions
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Removes all titles from the corpus first
    #[arg(long)]
    pub without_titles: bool,
    /// Retrieves passages only, without answers
    #[arg(long)]
    pub without_answers: bool,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<std::path::PathBuf>,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Documents indexed, of a total.
    Indexed(usize, usize),
    /// A method starts the question with this index.
    Asking(Method, usize),
}

/// Runs the evaluation.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, if the options are invalid, or if the embedder, the
/// reranker or the store fails. A question that fails is recorded and does not fail the run.
pub async fn retrieval(
    options: &RetrievalOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Record> {
    if options.top == 0 {
        bail!("--top 0: an answer needs at least one passage");
    }
    if options.rerank == RerankSetting::Chat {
        bail!("--rerank chat: no language model is asked here; give none or fastembed:NAME_OR_DIRECTORY");
    }
    let rerank_options = CrossOptions { weight: options.rerank_weight };
    let reranker = options.rerank.open(rerank_options).await.with_context(|| options.rerank.to_string())?;
    let mut dataset = Dataset::read(&options.questions, &options.corpus, options.limit)?;
    let triples = match &options.triples {
        Some(file) => {
            attach(&read_file(file)?, &mut dataset.corpus).with_context(|| file.display().to_string())?
        }
        None => 0,
    };
    let index_options = IndexOptions {
        embedder: options.embedder.clone(),
        store: options.store.clone(),
        with_titles: !options.without_titles,
    };
    let mut index =
        Index::build(&dataset.corpus, &index_options, &|done, all| progress(Progress::Indexed(done, all)))
            .await?;
    let fingerprint = reranker.as_ref().map(|reranker| reranker.fingerprint());
    if let Some(reranker) = reranker {
        index.quiver = index.quiver.with_reranker(reranker);
    }
    let memory_peak_index_bytes = memory_peak_bytes();
    let methods = methods(&options.method, index.is_dense())?;
    let answers_from = (!options.without_answers).then_some(options.top);
    let outcomes = run(&index, &dataset, &methods, answers_from, &|method, number| {
        progress(Progress::Asking(method, number));
    })
    .await;
    let mut record =
        record(options, &dataset, triples, &index, memory_peak_index_bytes, &methods, &outcomes)?;
    record.fingerprints.reranker = fingerprint;
    Ok(record)
}

/// Returns the methods of a run in the order of the tables: those requested, and the plain ones.
fn methods(asked: &[Method], is_dense: bool) -> Result<Vec<Method>> {
    if asked.contains(&Method::Dense) && !is_dense {
        bail!("the method dense needs an embedder; give one with --embedder fastembed:DIR");
    }
    let wanted = |method: &Method| {
        asked.contains(method) || Method::NAIVE.contains(method) && (is_dense || *method != Method::Dense)
    };
    Ok(Method::ALL.into_iter().filter(wanted).collect())
}

fn record(
    options: &RetrievalOptions,
    dataset: &Dataset,
    triples: usize,
    index: &Index,
    memory_peak_index_bytes: Option<u64>,
    methods: &[Method],
    outcomes: &[Vec<Outcome>],
) -> Result<Record> {
    let items = &dataset.questions;
    let hybrid =
        methods.iter().position(|method| *method == Method::Hybrid).map(|at| outcomes[at].as_slice());
    let summaries =
        methods.iter().zip(outcomes).map(|(method, outcomes)| summarise(*method, items, outcomes, hybrid));
    let questions = questions(dataset, methods, outcomes);
    let failed = questions.iter().flat_map(failures).collect();
    let results_blake3 = blake3::hash(&serde_json::to_vec(&questions)?).to_hex().to_string();
    let engine = methods
        .iter()
        .filter_map(|method| Some((method.name().to_owned(), format!("{:?}", method.options(options.top)?))));
    let is_reranked = options.rerank != RerankSetting::None;
    let cost = &index.cost;
    let [entities, relations, passages] = cost.report.points;
    Ok(Record {
        record: RECORD.to_owned(),
        version: VERSION,
        program: program(),
        options: Options {
            embedder: options.embedder.to_string(),
            rerank: is_reranked.then(|| options.rerank.to_string()),
            rerank_weight: is_reranked.then_some(options.rerank_weight),
            store: options.store.to_string(),
            titles: !options.without_titles,
            top: options.top,
            limit: options.limit,
            engine: engine.collect::<BTreeMap<_, _>>(),
        },
        fingerprints: Fingerprints {
            encoder: index.quiver.encoder().fingerprint().to_string(),
            reranker: None,
            questions: digest(&options.questions)?,
            corpus: digest(&options.corpus)?,
            triples: options.triples.as_deref().map(digest).transpose()?,
        },
        dataset: DatasetSummary {
            questions: items.len(),
            judged: items.iter().filter(|item| !item.gold.is_empty()).count(),
            passages: dataset.corpus.passages.len(),
            triples,
            gold_absent: dataset.gold_absent(),
        },
        index: IndexSummary {
            documents: dataset.corpus.passages.len(),
            passages,
            entities,
            relations,
            passages_written: cost.receipt.passages_written,
            embeddings: cost.embeddings,
            problems: cost.receipt.problems.len(),
            measured: IndexMeasured {
                index_ms: cost.index_ms,
                warm_up_ms: cost.warm_up_ms,
                disk_bytes: cost.report.disk_bytes,
                memory_peak_index_bytes,
                memory_peak_bytes: memory_peak_bytes(),
            },
        },
        results_blake3,
        methods: summaries.collect(),
        failed,
        questions,
    })
}

fn questions(dataset: &Dataset, methods: &[Method], outcomes: &[Vec<Outcome>]) -> Vec<QuestionRecord> {
    let record = |(number, item): (usize, &crate::dataset::Item)| QuestionRecord {
        id: item.id.clone(),
        question: item.question.clone(),
        kind: item.kind.clone(),
        hops: item.hops,
        answers: item.answers.clone(),
        gold: item.gold.iter().map(|gold| gold.keys.clone()).collect(),
        methods: methods
            .iter()
            .zip(outcomes)
            .map(|(method, outcomes)| (method.name().to_owned(), outcomes[number].found.clone()))
            .collect(),
    };
    dataset.questions.iter().enumerate().map(record).collect()
}

fn failures(question: &QuestionRecord) -> Vec<Failure> {
    let failed = question.methods.iter().filter_map(|(method, found)| Some((method, found.error.clone()?)));
    failed.map(|(method, error)| Failure { id: question.id.clone(), method: method.clone(), error }).collect()
}

fn digest(path: &Path) -> Result<FileDigest> {
    let content = std::fs::read(path).with_context(|| path.display().to_string())?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(FileDigest { file, blake3: blake3::hash(&content).to_hex().to_string() })
}

/// Describes the running program. The commit is that of the sources from which it was built, if they still exist.
fn program() -> Program {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    Program {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: git(&["rev-parse", "HEAD"]).map(|commit| commit.trim().to_owned()),
        modified: git(&["status", "--porcelain", "--untracked-files=no"])
            .map(|status| !status.trim().is_empty()),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
    }
}
