//! Memory for agents: facts stated in sessions, which of them are valid now, and which were valid before.
//!
//! A turn is stored as a passage and its facts as dated relations, in the same three collections as documents.
//! Nothing is overwritten: which statements are valid is decided at read time. [`Quiver::remember`] takes a turn
//! through `read → build_records → embed → apply`; [`Quiver::recall`] takes a question through `understand → link → hop
//! → resolve → rank → budget`. By default, no language model is involved.
//!
//! ```
//! use quiver::{Quiver, memory::{Fact, Turn}};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! quiver.remember([
//!     Turn::new("plan", "The importer depends on Redis.").at(1).stating(Fact::new("importer", "depends on", "Redis")),
//!     Turn::new("plan", "Mo looks after Redis.").at(2).stating(Fact::new("Redis", "is maintained by", "Mo")),
//! ]).await?;
//! let recalled = quiver.recall("Who maintains what the importer depends on?").await?;
//! assert_eq!(recalled.answer.as_deref(), Some("Mo"));
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod turn;
mod recollection;
mod request;

// Writing: from a turn to records.
mod relink;
mod remember;
mod change;

// Reading: from a question to facts.
mod recall;
mod asked;
mod head;
mod hidden;
mod focus;
mod resolve;
mod ownership;
mod end;
mod pool;
mod rank;
mod agreement;
mod join;
mod direction;
mod budget;
mod lines;
mod ambiguity;
mod slot;
mod before;
mod beside;
mod abstain;
mod sure;
mod contest;
mod dropped;
mod turns;
mod answered;

mod known;
mod merged;
mod same;
mod split;
mod standing;
pub(crate) mod words;
mod shape;
mod related;
mod lexicon;

mod decide;
mod decisions;
mod left;
mod suggest;
mod maintenance;
mod export;

pub use decide::Declaration;
pub use decisions::{Decision, DecisionKind, decisions_about};
pub use export::{GraphExportOptions, GraphExported, GraphFormat};
pub use left::SuggestionKind;
pub use maintenance::{Archive, FactsOptions, Forget, ForgetPreview, ForgetTurn, Forgotten, SessionInfo};
pub use quiver_memory::{
    calendar,
    reader::{EarlierTurn, FactReader, ReadFact, ReadFailure, ReadTurn, RuleReader, TurnToRead},
};
pub use recollection::{
    Ambiguity, CountTokens, FoundTurn, NoAnswer, RecallOptions, RecalledFact, RecalledTurn, Recollection,
    count_tokens,
};
pub use request::{FactsRequest, RecallRequest};
pub use suggest::{SuggestOptions, SuggestRequest, SuggestedEntity, Suggestion, Suggestions};
pub use turn::{Cardinality, Fact, Remembered, Restated, Turn};

pub(crate) use decide::is_declaration;
pub(crate) use known::Wordings;
pub(crate) use maintenance::superseded_facts;
pub use merged::{is_merge, is_undone};
pub(crate) use relink::relink_written;
pub(crate) use remember::{facts_of, number_of};
pub(crate) use remember::{text_of_fact, vectors};
pub(crate) use same::{Same, same_as};
pub(crate) use split::{Apart, Called, Run, Splits, as_said, closing_bracket, runs};
pub use split::{SplitTexts, is_split};
pub(crate) use standing::{Standing, StandingCache};
pub(crate) use turn::is_archived;
pub(crate) use turn::now;
pub(crate) use turns::{TurnFinder, superseded};

use quiver_graph::{PassageId, RelationId};
use tracing::{Span, instrument};

use crate::{
    Quiver, Result,
    error::{In, Stage},
    llm::ModelFactReader,
};

use self::{answered::TurnReader, before::Before, recall::Recaller, remember::Rememberer};

impl Quiver {
    /// Remembers turns: the text, the speaker, the time, and the facts stated. Remembering the same turn again
    /// changes nothing, and dated turns may arrive in any order.
    ///
    /// With [`ChatOptions::facts`](crate::ChatOptions::facts), a language model then reads more facts from the stored
    /// turns; if it fails, the turns have the facts of the rules, and remembering them again asks it again.
    /// [`Quiver::store_turns`] and [`Quiver::read_facts`] do the two steps one by one.
    ///
    /// ```
    /// # use quiver::{Quiver, memory::Turn};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let quiver = Quiver::in_memory().await?;
    /// let turn = Turn::new("plan", "The importer depends on Redis.").by("Mo").at(1_760_000_000_000);
    /// let remembered = quiver.remember([turn]).await?;
    /// assert_eq!(remembered[0].facts.len(), 1);
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a turn has neither text nor facts, or the number of another
    /// turn of its session, or if a fact lacks a subject, predicate or object. Returns an error if the embedder fails or the database can't be read or written.
    #[instrument(target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), turns, facts))]
    pub async fn remember(&self, turns: impl IntoIterator<Item = Turn> + Send) -> Result<Vec<Remembered>> {
        let mut remembered = self.store_turns(turns).await?;
        self.read_facts(&mut remembered).await?;
        let facts: usize = remembered.iter().map(|turn| turn.facts.len()).sum();
        Span::current().record("turns", remembered.len()).record("facts", facts);
        Ok(remembered)
    }

    /// Remembers turns like [`Quiver::remember`], but asks no language model.
    ///
    /// # Errors
    /// Returns the same errors as [`Quiver::remember`].
    pub async fn store_turns(&self, turns: impl IntoIterator<Item = Turn> + Send) -> Result<Vec<Remembered>> {
        let turns: Vec<Turn> = turns.into_iter().collect();
        let model = self.model_fact_reader();
        let (remembered, splits, written) = self.rememberer(model.as_ref()).store(turns).await?;
        self.relink_turns(&splits, &written).await?;
        Ok(remembered)
    }

    /// Reads more facts from remembered turns with the language model, if [`ChatOptions::facts`](crate::ChatOptions::facts)
    /// says so, and adds them. It waits at most [`ChatOptions::facts_wait`](crate::ChatOptions::facts_wait) for each call.
    /// Turns whose facts were given are not read.
    ///
    /// # Errors
    /// Returns an error if the embedder fails or the database can't be read or written. A model that fails is none: the
    /// turns that it did not read say why in [`Remembered::unread`].
    #[instrument(name = "read_facts", target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str()))]
    pub async fn read_facts(&self, remembered: &mut [Remembered]) -> Result<()> {
        let Some(model) = self.model_fact_reader() else { return Ok(()) };
        let read = self.rememberer(Some(&model)).read_more(remembered).await?;
        if let Some((splits, written)) = read {
            self.relink_turns(&splits, &written).await?;
        }
        Ok(())
    }

    fn rememberer<'a>(&'a self, model: Option<&'a ModelFactReader>) -> Rememberer<'a> {
        let Self { graph, encoder, .. } = self;
        let model = model.map(|model| model as &dyn FactReader);
        Rememberer { graph, encoder, reader: self.fact_reader.as_ref(), model }
    }

    async fn relink_turns(&self, splits: &Splits, written: &[PassageId]) -> Result<()> {
        if written.is_empty() {
            return Ok(());
        }
        relink_written(&self.graph, &self.encoder, splits, written).await
    }

    /// Recalls the currently valid facts that answer a question. Await what it returns; its methods set options first:
    /// as of a point in time, as known at a point in time, within a session, within a token budget.
    ///
    /// ```
    /// # use quiver::{Quiver, memory::{Fact, Turn}};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.remember([Turn::new("plan", "The importer depends on Redis.").at(1)
    /// #     .stating(Fact::new("importer", "depends on", "Redis"))]).await?;
    /// let recalled = quiver.recall("What does the importer depend on?").tokens(100).await?;
    /// assert_eq!(recalled.answer.as_deref(), Some("Redis"));
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the question is empty. Returns an error if the database
    /// can't be read.
    pub fn recall(&self, question: impl Into<String>) -> RecallRequest<'_> {
        RecallRequest::new(self, question.into())
    }

    #[instrument(name = "recall", target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), facts, turns))]
    async fn recall_by(
        &self,
        question: &str,
        options: &RecallOptions,
        reads_turns: bool,
    ) -> Result<Recollection> {
        let wordings = &self.wordings;
        let seen = self.without_deleted().await?;
        let apart = seen.apart(question).await.stage(Stage::Recall)?;
        // A turn has no predicate.
        let reads_turns = reads_turns && options.predicates.is_empty();
        let reader = reads_turns.then_some(TurnReader { quiver: &seen });
        let (graph, encoder) = (&seen.graph, &self.encoder);
        let recaller = Recaller { graph, encoder, wordings, options, apart: &apart, reader };
        let recalled = match Before::of(question) {
            Some(before) => recaller.recall_before(question, &before).await?,
            None => recaller.recall(question).await?,
        };
        Span::current().record("facts", recalled.facts.len()).record("turns", recalled.turns.len());
        Ok(recalled)
    }

    /// Declares how many values a predicate can have at a time; `None` withdraws the declaration.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the predicate is empty. Returns an error if the database
    /// can't be read or written.
    pub async fn declare(&self, predicate: &str, cardinality: Option<Cardinality>) -> Result<()> {
        maintenance::declare(self, predicate, cardinality, None).await
    }

    /// Declares how many values a predicate can have at a time, as [`Quiver::declare`] does, and records the evidence.
    ///
    /// # Errors
    /// Returns the same errors as [`Quiver::declare`].
    pub async fn declare_with_evidence(
        &self,
        predicate: &str,
        cardinality: Option<Cardinality>,
        evidence: &str,
    ) -> Result<()> {
        maintenance::declare(self, predicate, cardinality, Some(evidence)).await
    }

    /// Lists the declared cardinalities, by predicate, without those that were withdrawn.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub async fn declarations(&self) -> Result<Vec<Declaration>> {
        decide::declarations(&self.graph).await.stage(Stage::Administer)
    }

    /// Merges two entities, given by name or ID, and records the evidence. Returns the ID of the decision,
    /// which [`Quiver::undo`] reverts. If a single record, loaded or created by a query, has the name, it is
    /// merged together with the entity that texts call by that name.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a name is empty, if both names already identify
    /// the same entity, if several records have the name, or if the merge would join two records. Returns an
    /// error if the embedder fails or the database can't be read or written.
    pub async fn merge(&self, one: &str, other: &str, evidence: &str) -> Result<RelationId> {
        maintenance::merge(self, one, other, evidence).await
    }

    /// Renames an entity, given by ID or name, and records the evidence. Both names then find it. Returns the
    /// ID of the decision, which [`Quiver::undo`] reverts.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such entity;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the name is empty or belongs to another entity,
    /// if several entities have the old name, or if the entity was loaded or created by a query; in that
    /// case, rename it with a query. Returns an error if the embedder fails or the database can't be read or
    /// written.
    pub async fn rename_entity(&self, entity: &str, name: &str, evidence: &str) -> Result<RelationId> {
        decisions::rename(self, entity, name, evidence).await
    }

    /// Deletes an entity, given by ID or name, and records the evidence. Until [`Quiver::undo`] reverts this,
    /// the entity and its relations, including later ones, are invisible to name searches, answers, recalls,
    /// queries and graph exports. Passages remain and can be found by their words; [`Quiver::delete`] and
    /// [`Quiver::forget`] remove texts. Returns the ID of the decision.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such entity or it is already
    /// deleted; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if several entities have the name. Returns
    /// an error if the database can't be read or written.
    pub async fn delete_entity(&self, entity: &str, evidence: &str) -> Result<RelationId> {
        decisions::delete(self, entity, evidence).await
    }

    /// Splits an entity, given by ID or name, that is really two: `texts` are about the other one, which is
    /// called `name` from now on. Records the evidence. Whatever these texts say about the entity, including
    /// later versions of the documents and later turns of the sessions, then refers to the other one. Returns
    /// the ID of the decision, which [`Quiver::undo`] reverts, and the number of passages that now refer to
    /// the other one. Splitting again adds texts.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such entity or text;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if there are no texts or none mentions the entity,
    /// if the name is empty or belongs to another entity, if several entities have the old name, or if the
    /// entity was loaded or created by a query. Returns an error if the embedder fails or the database can't
    /// be read or written; calling it again continues the split.
    pub async fn split_entity(
        &self,
        entity: &str,
        name: &str,
        texts: SplitTexts,
        evidence: &str,
    ) -> Result<(RelationId, usize)> {
        decisions::split(self, entity, name, texts, evidence).await
    }

    /// Lists the decisions about entities, including undone ones, latest first.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub async fn decisions(&self) -> Result<Vec<Decision>> {
        decisions::list(self).await
    }

    /// Suggests decisions: merges of entities that are probably the same, and relations of entities that several
    /// passages name together. Changes nothing. Await what it returns; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Document, Quiver, memory::SuggestionKind};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let quiver = Quiver::in_memory().await?;
    /// quiver.ingest([
    ///     Document::new("report", "The World Ferry Office (WFO) is in Norby."),
    ///     Document::new("news", "The harbour was inspected by the WFO in May."),
    /// ]).await?;
    /// let suggested = quiver.suggest().kind(SuggestionKind::Merge).await?;
    /// assert_eq!(suggested.suggestions[0].other.name, "WFO");
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn suggest(&self) -> SuggestRequest<'_> {
        SuggestRequest::new(self)
    }

    /// Leaves a suggestion about two entities, given by ID or name, so that it is not made again. Returns the ID of the
    /// decision, which [`Quiver::undo`] reverts.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such entity;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if several entities have the name, or if both are the same
    /// entity. Returns an error if the embedder fails or the database can't be read or written.
    pub async fn leave_suggestion(
        &self,
        kind: SuggestionKind,
        one: &str,
        other: &str,
        evidence: &str,
    ) -> Result<RelationId> {
        suggest::leave(self, kind, one, other, evidence).await
    }

    /// Undoes a decision: a merge, a split, a rename, a deletion, a suggestion that was left, a denial, or a value
    /// that superseded others.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no fact with this id. Returns an error if the
    /// database can't be read or written.
    pub async fn undo(&self, decision: RelationId) -> Result<()> {
        decisions::mark(self, decision, true).await
    }

    /// Redoes a decision that was undone.
    ///
    /// # Errors
    /// Returns the same errors as [`Quiver::undo`], and [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if
    /// this would join two records.
    pub async fn redo(&self, decision: RelationId) -> Result<()> {
        decisions::mark(self, decision, false).await
    }

    /// Lists the facts about an entity, by any of its names: the valid facts, or all facts with their status. Await what
    /// it returns; its methods set options first.
    ///
    /// ```
    /// # use quiver::{Quiver, memory::{Fact, Turn}};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.remember([Turn::new("plan", "The importer depends on Redis.").at(1)
    /// #     .stating(Fact::new("importer", "depends on", "Redis"))]).await?;
    /// let facts = quiver.facts("importer").history().await?;
    /// assert!(facts[0].holds && facts[0].object == "Redis");
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn facts(&self, about: impl Into<String>) -> FactsRequest<'_> {
        FactsRequest::new(self, about.into())
    }

    /// Forgets turns and the facts that no other turn supports. Forgotten data does not appear in exports.
    ///
    /// ```
    /// # use quiver::{Quiver, memory::{Fact, Forget, Turn}};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.remember([Turn::new("plan", "The importer depends on Redis.").at(1)
    /// #     .stating(Fact::new("importer", "depends on", "Redis"))]).await?;
    /// let forgotten = quiver.forget(&Forget::Session("plan".to_owned())).await?;
    /// assert_eq!((forgotten.turns, forgotten.facts), (1, 1));
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if nothing matches. Returns an error if the database can't
    /// be read or written.
    #[instrument(target = "quiver::stage", skip_all, fields(workspace = self.graph.workspace().as_str(), turns, facts))]
    pub async fn forget(&self, what: &Forget) -> Result<Forgotten> {
        let forgotten = maintenance::forget(self, what).await?;
        Span::current().record("turns", forgotten.turns).record("facts", forgotten.facts);
        Ok(forgotten)
    }

    /// Returns what [`Quiver::forget`] would remove, without removing anything.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if nothing matches. Returns an error if the database can't
    /// be read.
    pub async fn forget_preview(&self, what: &Forget) -> Result<ForgetPreview> {
        maintenance::forget_preview(self, what).await
    }

    /// Lists the sessions by ascending name.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        maintenance::sessions(self).await
    }

    /// Archives old turns of a session and returns their number. Turns that state facts lose their text but keep the
    /// facts; other turns are deleted.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such session. Returns an error if the
    /// embedder fails or the database can't be read or written.
    pub async fn archive(&self, session: &str, which: Archive) -> Result<usize> {
        maintenance::archive(self, session, which).await
    }

    /// Exports the valid facts, now or at a past time, for other tools: as Cypher, GraphML or JSON Lines.
    ///
    /// # Errors
    /// Returns an error if the database can't be read or the writer fails.
    pub async fn export_graph(
        &self,
        options: &GraphExportOptions,
        writer: &mut (dyn std::io::Write + Send),
    ) -> Result<GraphExported> {
        export::export_graph(&self.without_deleted().await?, options, writer).await
    }
}
