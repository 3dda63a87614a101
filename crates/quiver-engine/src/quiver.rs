use std::sync::Arc;

use futures::future::try_join_all;
use quiver_answer::{AnswerWeights, Observed};
use quiver_documents::Document;
use quiver_graph::{
    DocumentSummary, EntityId, Graph, Passage, PassageId, RelationId, Removed, Workspace, WorkspaceSummary,
    name,
};
use quiver_models::{Encoder, chat::ChatModel};
use quiver_store::StoreKind;
use tracing::{Span, instrument};

use crate::{
    DocumentFilter, Result,
    analysis::Analyses,
    answer::{
        Answer, Refusal, Sentence, Told, answer, answer_by_facts, answer_by_query, observe as observe_answer,
    },
    builder::Builder,
    changes,
    engine::Engine,
    error::{Error, ErrorKind, In, Stage},
    expand::expand,
    extract::Extractor,
    ingest::{IngestEstimate, IngestOptions, IngestPipeline, Receipt},
    label::label,
    llm::{ChatJob, Llm, ModelExtractor, ModelFactReader},
    memory::{FactReader, RecallOptions, RecalledFact, Standing, StandingCache, Wordings, now, superseded},
    options::AskOptions,
    pool::Expanded,
    query::{TriedQuery, VocabularyCache},
    question::{Evidence, Question, Ranked},
    request::{IngestRequest, Request},
    rerank::{Reranker, rerank},
    score::{Observation, Ranking, Weights, observe_all},
    search::search,
    trace::{HopStep, Trace, TraceStep},
    understand::understand,
};

/// Progress of an answer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A stage has ended.
    Step(&'a TraceStep),
    /// A hop through the graph was made. Several may precede the step of the expand stage.
    Hop(&'a HopStep),
    /// A sentence of the answer is final.
    Sentence(&'a Sentence),
}

/// Receives progress as it happens.
pub(crate) type OnProgress<'a> = &'a mut (dyn FnMut(Progress<'_>) + Send);

/// Reports the stage that ended last.
fn tell_step(trace: &Trace, on_progress: OnProgress<'_>) {
    if let Some(step) = trace.steps.last() {
        on_progress(Progress::Step(step));
    }
}

/// Runs the four stages of a retrieval.
async fn retrieve(
    engine: Engine<'_>,
    reranker: Option<&dyn Reranker>,
    question: Question,
    on_progress: OnProgress<'_>,
) -> Result<Evidence> {
    let query = understand(engine, question).await?;
    tell_step(&query.trace, on_progress);
    let seeds = search(engine, query).await?;
    tell_step(&seeds.query.trace, on_progress);
    let expanded = expand(engine, seeds, &mut |hop| on_progress(Progress::Hop(hop))).await?;
    tell_step(&expanded.query.trace, on_progress);
    let evidence = rerank(engine, reranker, expanded).await?;
    tell_step(&evidence.trace, on_progress);
    Ok(evidence)
}

/// Appends the passages of another retrieval that are not among the evidence.
fn keep(evidence: &mut Evidence, others: Vec<Ranked>) {
    let is_new =
        |other: &Ranked| evidence.passages.iter().all(|ranked| ranked.passage.id != other.passage.id);
    let new: Vec<Ranked> = others.into_iter().filter(is_new).collect();
    if let Some(step) = evidence.trace.steps.last_mut() {
        let kept = new.iter().map(|ranked| label(&ranked.passage));
        step.lines.extend(kept.map(|label| format!("kept {label:?}, which is also found without decisions")));
    }
    evidence.passages.extend(new);
}

/// Answers the question in the names that texts use for split entities, and returns it as asked.
async fn answer_as_said(
    engine: Engine<'_>,
    mut evidence: Evidence,
    on_sentence: &mut (dyn FnMut(&Sentence) + Send),
) -> Answer {
    let Some(said) = evidence.said.take() else { return answer(engine, evidence, on_sentence).await };
    let asked = std::mem::replace(&mut evidence.question, said);
    let mut answer = answer(engine, evidence, on_sentence).await;
    answer.evidence.said = Some(std::mem::replace(&mut answer.evidence.question, asked));
    answer
}

/// The engine: it ingests documents and answers questions. Clones share one database.
#[derive(Clone, Debug)]
pub struct Quiver {
    pub(crate) graph: Graph,
    pub(crate) encoder: Encoder,
    pub(crate) extractor: Arc<dyn Extractor>,
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    pub(crate) llm: Option<Llm>,
    pub(crate) analyses: Arc<Analyses>,
    pub(crate) weights: Arc<Weights>,
    pub(crate) ranking: Arc<Ranking>,
    pub(crate) answer_weights: Arc<AnswerWeights>,
    pub(crate) wordings: Arc<Wordings>,
    pub(crate) fact_reader: Arc<dyn FactReader>,
    pub(crate) vocabulary: Arc<VocabularyCache>,
    /// The decisions that every question must respect; none unless the graph hides deleted entities.
    pub(crate) standing: Arc<Standing>,
    pub(crate) standing_cache: Arc<StandingCache>,
    /// Held while the changes of a query or a transaction are compared with stored data and written.
    pub(crate) commits: Arc<tokio::sync::Mutex<()>>,
}

impl Quiver {
    /// Opens the embedded database in a directory, which is created if necessary, with all defaults: no model, no
    /// server, no network.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] if another process holds it, [`ErrorKind::Mismatch`] if it was created with another
    /// embedder, [`ErrorKind::Corrupt`] if it can't be read.
    #[cfg(feature = "embedded")]
    pub async fn open(path: impl AsRef<std::path::Path>) -> Result<Self> {
        Self::builder().directory(path.as_ref()).open().await
    }

    /// Opens a database in memory, which ends with the last clone.
    ///
    /// # Errors
    /// None with the defaults.
    pub async fn in_memory() -> Result<Self> {
        Self::builder().memory().open().await
    }

    /// Configures what to open and how.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Adds documents, or replaces those with the same key. Adding the same documents again changes nothing. Await the
    /// returned request; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let quiver = Quiver::in_memory().await?;
    /// let receipt = quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
    /// assert_eq!((receipt.documents_added, receipt.passages_written), (1, 1));
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if the database or the embedder fails. Completed work is kept; repeat the call to resume.
    pub fn ingest<D>(&self, documents: D) -> IngestRequest<'_, D::IntoIter>
    where
        D: IntoIterator<Item = Document>,
        D::IntoIter: Send,
    {
        IngestRequest::new(self, documents.into_iter())
    }

    pub(crate) async fn ingest_by(
        &self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        options: &IngestOptions,
        progress: &(dyn Fn(&Receipt) + Send + Sync),
    ) -> Result<Receipt> {
        let model = self.model_extractor();
        let extractor = model.as_ref().map_or(self.extractor.as_ref(), |model| model as &dyn Extractor);
        let pipeline = IngestPipeline { graph: &self.graph, encoder: &self.encoder, extractor, options };
        let receipt = pipeline.ingest(documents, progress).await;
        if let Some(llm) = &self.llm {
            llm.write_ledger().await;
        }
        Ok(Receipt { ledger: model.map(|model| model.ledger()).unwrap_or_default(), ..receipt? })
    }

    /// Estimates what a language model would cost to extract from documents. Unchanged passages and cached replies cost
    /// nothing. Sends nothing and writes nothing.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn estimate_ingest(
        &self,
        documents: &mut (dyn Iterator<Item = Document> + Send),
        options: &IngestOptions,
    ) -> Result<IngestEstimate> {
        let model = self.model_extractor();
        let extractor = model.as_ref().map_or(self.extractor.as_ref(), |model| model as &dyn Extractor);
        let pipeline = IngestPipeline { graph: &self.graph, encoder: &self.encoder, extractor, options };
        pipeline.estimate(documents, model.as_ref()).await
    }

    /// Returns the extractor that uses the language model, if it is used for extraction.
    fn model_extractor(&self) -> Option<ModelExtractor> {
        let llm = self.llm.as_ref().filter(|llm| llm.options.extract)?;
        Some(ModelExtractor::new(llm, Arc::clone(&self.extractor)))
    }

    /// Returns the reader of facts that uses the language model, if it is used for that.
    pub(crate) fn model_fact_reader(&self) -> Option<ModelFactReader> {
        let llm = self.llm.as_ref().filter(|llm| llm.options.facts)?;
        Some(ModelFactReader::new(llm))
    }

    /// Finds the passages that the answer to a question rests on, each with the path that reached it. Await the
    /// returned request; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
    /// let evidence = quiver.retrieve("What clears metformin?").passages(3).hops(1).await?;
    /// assert_eq!(evidence.passages[0].passage.document, "metformin");
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for an empty question; errors of the database.
    pub fn retrieve(&self, question: impl Into<Question>) -> Request<'_, Evidence> {
        Request::new(self, question.into())
    }

    pub(crate) async fn retrieve_watching(
        &self,
        question: Question,
        on_progress: OnProgress<'_>,
    ) -> Result<Evidence> {
        let (seen, missing) = self.without_deleted_if_known().await;
        let mut evidence = seen.retrieve_seen(question, on_progress).await?;
        missing.into_iter().for_each(|what| evidence.trace.degrade(what));
        Ok(evidence)
    }

    /// Does the same on a graph that hides deleted entities.
    #[instrument(name = "retrieve", target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str()))]
    async fn retrieve_seen(&self, question: Question, on_progress: OnProgress<'_>) -> Result<Evidence> {
        let plain = Question {
            options: AskOptions { merges: false, explain: false, ..question.options.clone() },
            ..question.clone()
        };
        let moment = question.options.as_of.unwrap_or_else(now);
        let continues = question.options.from.is_some();
        let mut evidence = retrieve(self.engine(), self.reranker.as_deref(), question, on_progress).await?;
        // Only the first part has them.
        if evidence.follows_merges && !continues {
            // What is found without the decisions stays, even if they bring something better.
            let engine = Engine { llm: None, ..self.engine() };
            match retrieve(engine, None, plain, &mut |_| {}).await {
                Ok(found) => keep(&mut evidence, found.passages),
                Err(error) => {
                    let what = format!("the search without decisions failed: {error}");
                    evidence.trace.degrade(what);
                }
            }
        }
        // A superseded turn is not evidence of the present.
        let all = evidence.passages.iter().chain(&evidence.further);
        let passages: Vec<_> = all.map(|ranked| &ranked.passage).collect();
        let over = superseded(self, &passages, moment).await?;
        evidence.passages.retain(|ranked| !over.contains(&ranked.passage.id));
        evidence.further.retain(|ranked| !over.contains(&ranked.passage.id));
        if let Some(explanation) = &mut evidence.trace.explanation {
            explanation.candidates.retain(|candidate| !over.contains(&candidate.passage));
            explanation.forget_names(|passage| over.contains(&passage));
        }
        Ok(evidence)
    }

    /// Answers a question from the evidence, or refuses and says why. Await the returned request; its methods set
    /// options first, and [`Request::stream`] yields the stages and sentences as they come.
    ///
    /// If nodes have labels and the question can be read as a query over them, as in [`Quiver::query_question`], the
    /// rows of the query are the answer, and the passages accompany it.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
    /// let answer = quiver.ask("What is cleared by the kidneys?").await?;
    /// assert!(answer.text.unwrap().contains("Metformin"));
    /// let answer = quiver.ask("Who painted the ceiling?").await?;
    /// assert!(answer.text.is_none() && answer.refusal.is_some());
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`Quiver::retrieve`].
    pub fn ask(&self, question: impl Into<Question>) -> Request<'_, Answer> {
        Request::new(self, question.into())
    }

    #[instrument(name = "ask", target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str()))]
    pub(crate) async fn ask_watching(
        &self,
        question: Question,
        on_progress: OnProgress<'_>,
    ) -> Result<Answer> {
        let (seen, missing) = self.without_deleted_if_known().await;
        let mut answer = seen.answer_seen(question, on_progress).await?;
        missing.into_iter().for_each(|what| answer.evidence.trace.degrade(what));
        Ok(answer)
    }

    /// Does the same on a graph that hides deleted entities.
    async fn answer_seen(&self, question: Question, on_progress: OnProgress<'_>) -> Result<Answer> {
        let is_explained = question.options.explain;
        let mut answer = self.answer_unexplained(question, on_progress).await?;
        if is_explained {
            Box::pin(self.explain_changes(&mut answer)).await;
        }
        Ok(answer)
    }

    /// Adds the facts that changed over time to the explanation of an answer.
    async fn explain_changes(&self, answer: &mut Answer) {
        let Some(explanation) = &answer.evidence.trace.explanation else { return };
        let reads = changes::names(answer, explanation).into_iter().map(|name| self.facts(name).history());
        let read: Result<Vec<_>> = try_join_all(reads.map(IntoFuture::into_future)).await;
        let trace = &mut answer.evidence.trace;
        match (read, &mut trace.explanation) {
            (Ok(facts), Some(explanation)) => {
                explanation.facts = changes::changed(facts.into_iter().flatten().collect());
            }
            (Err(error), _) => trace.degrade(format!("the facts that changed are missing: {error}")),
            (Ok(_), None) => {}
        }
    }

    /// Answers without the facts that changed.
    async fn answer_unexplained(&self, question: Question, on_progress: OnProgress<'_>) -> Result<Answer> {
        let options = question.options.clone();
        let TriedQuery { answer: queried, lines, shared_names, spent } =
            Box::pin(self.answered_by_query(&question)).await;
        let mut evidence = Box::pin(self.retrieve_seen(question, on_progress)).await?;
        evidence.trace.absorb(&spent);
        if !lines.is_empty() {
            evidence.trace.end(Stage::Query, lines);
        }
        if let Some(queried) = queried {
            let answer = answer_by_query(self.engine(), evidence, queried);
            answer.sentences.iter().for_each(|sentence| on_progress(Progress::Sentence(sentence)));
            tell_step(answer.trace(), on_progress);
            return Ok(answer);
        }
        let told = Box::pin(self.told(&mut evidence, &options)).await;
        if let Some(answer) = told.and_then(|told| answer_by_facts(self.engine(), &evidence, told)) {
            answer.sentences.iter().for_each(|sentence| on_progress(Progress::Sentence(sentence)));
            tell_step(answer.trace(), on_progress);
            return Ok(answer);
        }
        let mut tell = |sentence: &Sentence| on_progress(Progress::Sentence(sentence));
        let mut answer = answer_as_said(self.engine(), evidence, &mut tell).await;
        if answer.text.is_none() && !shared_names.is_empty() {
            answer.refusal = Some(Refusal::Ambiguous { shared_names });
        }
        tell_step(answer.trace(), on_progress);
        Ok(answer)
    }

    /// Returns what the memory's facts answer, if turns are among the evidence, any document may be used, and no language model
    /// words the answer.
    async fn told(&self, evidence: &mut Evidence, options: &AskOptions) -> Option<Told> {
        let is_worded = self.llm.as_ref().is_some_and(|llm| llm.options.answer);
        let mut passages = evidence.passages.iter().chain(&evidence.further);
        let has_turns = passages.any(|ranked| ranked.passage.session.is_some());
        if is_worded || !has_turns || options.is_limited() {
            return None;
        }
        match self.told_or_fail(&evidence.question, options).await {
            // No answer is based on a passage that is left out.
            Ok(told) => told
                .filter(|told| told.facts.iter().all(|(passage, _)| !options.without.contains(&passage.id))),
            Err(error) => {
                evidence.trace.degrade(format!("the memory's facts were not read: {error}"));
                None
            }
        }
    }

    async fn told_or_fail(&self, question: &str, options: &AskOptions) -> Result<Option<Told>> {
        let AskOptions { as_of, now, .. } = *options;
        let recalled =
            self.recall(question).options(RecallOptions { as_of, now, ..RecallOptions::default() }).await?;
        let Some(text) = recalled.answer.filter(|_| !recalled.facts.is_empty()) else { return Ok(None) };
        let workspace = self.graph.workspace();
        let turn_of = |fact: &RecalledFact| {
            let session = fact.session.as_ref()?;
            Some(PassageId::of_turn(workspace, session, fact.turn?))
        };
        let Some(turns) = recalled.facts.iter().map(turn_of).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let passages = self.graph.passages(&turns).await.stage(Stage::Recall)?;
        let facts = recalled.facts.iter().zip(&turns).filter_map(|(fact, turn)| {
            let passage = passages.iter().find(|passage| passage.id == *turn)?;
            Some((passage.clone(), fact.sentence.clone()))
        });
        Ok(Some(Told { text, facts: facts.collect() }).filter(|told| !told.facts.is_empty()))
    }

    /// Answers from existing evidence, as [`Quiver::ask`] does.
    pub async fn answer(&self, evidence: Evidence) -> Answer {
        answer_as_said(self.engine(), evidence, &mut |_| {}).await
    }

    /// Returns the same engine with different weights for answers without a language model.
    #[must_use]
    pub fn with_answer_weights(mut self, weights: AnswerWeights) -> Self {
        self.answer_weights = Arc::new(weights);
        self
    }

    /// Returns the candidates for an answer, each with its features, which `quiver-eval answers --learn` learns from.
    pub fn observe_answer(&self, evidence: &Evidence) -> Observed {
        observe_answer(self.encoder.analysis(), evidence)
    }

    /// Deletes a document: its passages, and what no other document supports.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is no such document; errors of the database.
    #[instrument(target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), passages))]
    pub async fn delete(&self, document: &str) -> Result<Removed> {
        self.graph.finish_deletions().await.stage(Stage::Delete)?;
        let passages = self.graph.passages_of(document).await.stage(Stage::Delete)?;
        if passages.is_empty() {
            let message = format!("there is no document {document:?}; `quiver documents` lists them");
            return Err(Error::new(ErrorKind::NotFound, Stage::Delete, message));
        }
        let passages: Vec<_> = passages.into_iter().map(|passage| passage.id).collect();
        Span::current().record("passages", passages.len());
        let removed = self.graph.remove(&passages).await.stage(Stage::Delete)?;
        self.graph.forget_unfinished(&[document]).await.stage(Stage::Delete)?;
        Ok(removed)
    }

    /// Returns whether a document with this key exists, complete or not.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn has_document(&self, document: &str) -> Result<bool> {
        let passages = self.graph.passages_of(document).await.stage(Stage::Administer)?;
        Ok(!passages.is_empty())
    }

    /// Reads the passages of a document in order. Returns an empty list if there is no such document.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn passages_of(&self, document: &str) -> Result<Vec<Passage>> {
        self.graph.passages_of(document).await.stage(Stage::Administer)
    }

    /// Lists the documents in ascending order of key.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn documents(&self) -> Result<Vec<DocumentSummary>> {
        self.graph.documents().await.stage(Stage::Administer)
    }

    /// Lists all workspaces of the database that contain something, in ascending order of name.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>> {
        self.graph.workspaces().await.stage(Stage::Administer)
    }

    /// Lists the documents that pass a filter, in ascending order of key.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn documents_where(&self, filter: &DocumentFilter) -> Result<Vec<DocumentSummary>> {
        self.graph.documents_among(filter.passages()).await.stage(Stage::Administer)
    }

    /// Returns whether a document is incomplete because its ingest was interrupted.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn is_unfinished(&self, document: &str) -> Result<bool> {
        self.graph.is_unfinished(document).await.stage(Stage::Administer)
    }

    /// Lists the keys of incomplete documents, which an interrupted ingest left; the same ingest again completes them.
    /// Questions find them, but [`Quiver::documents`] does not list them.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn unfinished_documents(&self) -> Result<Vec<String>> {
        self.graph.unfinished_documents().await.stage(Stage::Administer)
    }

    /// Merges two entities as [`Quiver::merge`] does, if at least one of them is known: what people type may be
    /// misspelled, but the other name may be what texts will use.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if nothing has either name or ID. As for [`Quiver::merge`] otherwise.
    pub async fn merge_known(&self, one: &str, other: &str, evidence: &str) -> Result<RelationId> {
        if !self.knows(one).await? && !self.knows(other).await? {
            let what = format!("nothing is called {one:?} or {other:?}; a merge needs a known name");
            return Err(Error::new(ErrorKind::NotFound, Stage::Remember, what));
        }
        self.merge(one, other, evidence).await
    }

    /// Whether something has this name or ID. An empty name is for the caller to refuse.
    async fn knows(&self, named: &str) -> Result<bool> {
        let normal = name::normalise(named);
        if normal.is_empty() {
            return Ok(true);
        }
        let found = self.graph.entities_named(&[normal], 1).await.stage(Stage::Remember)?;
        match named.parse::<EntityId>() {
            Ok(id) if found.is_empty() => {
                Ok(!self.graph.entities(&[id]).await.stage(Stage::Remember)?.is_empty())
            }
            _ => Ok(!found.is_empty()),
        }
    }

    /// Returns the same engine with different weights for the built-in ranking.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> Self {
        self.weights = Arc::new(weights);
        self
    }

    /// Returns the same engine with a different final ranking.
    #[must_use]
    pub fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.ranking = Arc::new(ranking);
        self
    }

    /// Returns the same engine with a reranker.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// Returns the scorer's features of every passage considered for a question, which `quiver-eval train` learns from.
    ///
    /// # Errors
    /// As for [`Quiver::retrieve`].
    pub async fn observe(&self, question: impl Into<Question>) -> Result<Observation> {
        let seen = self.without_deleted().await?;
        let engine = seen.engine();
        let query = understand(engine, question.into()).await?;
        let seeds = search(engine, query).await?;
        let Expanded { query, mut pool, .. } = expand(engine, seeds, &mut |_| {}).await?;
        Ok(observe_all(&mut pool, &query, engine.weights, engine.lexical))
    }

    pub(crate) fn engine(&self) -> Engine<'_> {
        Engine {
            graph: &self.graph,
            encoder: &self.encoder,
            llm: self.llm.as_ref(),
            lexical: self.encoder.analysis(),
            analyses: &self.analyses,
            weights: &self.weights,
            ranking: &self.ranking,
            answer_weights: &self.answer_weights,
            standing: &self.standing,
        }
    }

    /// Returns the same database with another workspace, and the same encoder, models and weights. Interrupted writes
    /// there are completed or undone, as by [`Builder::open`].
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn in_workspace(&self, workspace: Workspace) -> Result<Self> {
        let graph = Graph::new(Arc::clone(self.graph.store()), workspace).with_exact(self.graph.is_exact());
        if graph.store().kind() != StoreKind::Server {
            graph.finish_deletions().await.stage(Stage::Open)?;
            // The database can be used without that; the next opening tries again.
            if let Err(error) = graph.finish_erasure().await {
                tracing::warn!("the files may still contain deleted data: {error}");
            }
        }
        let (vocabulary, standing, standing_cache) = Default::default();
        Ok(Self { graph, vocabulary, standing, standing_cache, ..self.clone() })
    }

    /// Returns the underlying graph, for hops, constraint queries and filters of your own.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the language model, if any. Calls made through it are recorded with the others.
    pub fn chat_model(&self) -> Option<&Arc<dyn ChatModel>> {
        self.llm.as_ref().map(|llm| &llm.model)
    }

    /// Returns the language model of a job: its own, or else the one of [`Quiver::chat_model`].
    pub fn chat_model_for(&self, job: ChatJob) -> Option<&Arc<dyn ChatModel>> {
        self.llm.as_ref().map(|llm| llm.model_for(job))
    }

    /// Returns the encoder.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }
}
