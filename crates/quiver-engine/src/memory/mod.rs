//! The memory of agents: facts said in sessions, what is true of them now, and what was.
//!
//! A turn is a passage, its facts are dated relations in the same three collections, and nothing is overwritten: which
//! statement holds is decided when reading. A turn goes through `contextualise → extract → weave → embed → apply`
//! ([`Quiver::remember`]), a question through `understand → link → hop → resolve → rank → budget`
//! ([`Quiver::recall`]). No language model reads or answers.
//!
//! ```
//! use quiver::{Quiver, memory::{Fact, Turn}};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! quiver.remember(vec![
//!     Turn::new("plan", "The importer depends on Redis.").at(1).stating(Fact::new("importer", "depends on", "Redis")),
//!     Turn::new("plan", "Mo looks after Redis.").at(2).stating(Fact::new("Redis", "is maintained by", "Mo")),
//! ]).await?;
//! let recalled = quiver.recall("Who maintains what the importer depends on?").await?;
//! assert_eq!(recalled.answer.as_deref(), Some("Mo"));
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod turn;
mod recollection;

// A turn's way in.
mod remember;
mod change;
mod token;

// A question's way out.
mod recall;
mod asked;
mod head;
mod focus;
mod resolve;
mod holding;
mod rank;
mod agreement;
mod join;
mod direction;
mod budget;
mod lines;
mod ambiguity;
mod silence;
mod turns;

mod known;
mod merged;
pub(crate) mod words;
mod shape;
mod related;
mod lexicon;
pub(crate) mod irregular;

mod decide;
mod keep;
mod portray;

pub use keep::{Archive, FactsOptions, Forget, ForgetPreview, ForgetTurn, Forgotten, SessionInfo};
pub use portray::{GraphFormat, PortrayOptions};
pub use quiver_memory::{
    calendar,
    reader::{FactReader, ReadFact, RuleReader, TurnToRead},
};
pub use recollection::{
    Ambiguity, CountTokens, RecallOptions, RecalledFact, RecalledTurn, Recollection, Silence, count_tokens,
};
pub use turn::{Cardinality, Fact, Remembered, Restated, Turn};

pub(crate) use decide::is_declaration;
pub(crate) use keep::is_archived;
pub(crate) use known::Wordings;
pub(crate) use remember::{now, number_of};
pub(crate) use remember::{text_of_fact, vectors};
pub(crate) use turns::{TurnFinder, superseded};

use quiver_graph::RelationId;

use crate::{Quiver, Result};

use self::{recall::Recaller, remember::Rememberer};

impl Quiver {
    /// Remembers turns: what was said, by whom, when, and the facts in it. The same turn again changes nothing, and the
    /// order in which dated turns arrive does not matter.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a turn with neither text nor facts, or with a fact that
    /// lacks an end or a predicate; those of the database and the embedder.
    pub async fn remember(&self, turns: Vec<Turn>) -> Result<Vec<Remembered>> {
        Rememberer { graph: &self.graph, encoder: &self.encoder, reader: self.fact_reader.as_ref() }
            .remember(turns)
            .await
    }

    /// Recalls the facts that answer a question, as they hold now.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for an empty question; those of the database.
    pub async fn recall(&self, question: &str) -> Result<Recollection> {
        self.recall_with(question, &RecallOptions::default()).await
    }

    /// Recalls with options: as of a moment, as known at a moment, in a session, within a budget.
    ///
    /// # Errors
    /// Those of [`Quiver::recall`].
    pub async fn recall_with(&self, question: &str, options: &RecallOptions) -> Result<Recollection> {
        let wordings = &self.wordings;
        Recaller { graph: &self.graph, encoder: &self.encoder, wordings, options }.recall(question).await
    }

    /// Declares how many values a predicate has at once; `None` takes the declaration back.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for an empty predicate; those of the database.
    pub async fn declare(&self, predicate: &str, cardinality: Option<Cardinality>) -> Result<()> {
        keep::declare(self, predicate, cardinality).await
    }

    /// Takes two things for one from now on, and remembers why. The answer is the decision, which can be undone.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for an empty name, and for two names of one thing; those of the
    /// database.
    pub async fn merge(&self, one: &str, other: &str, evidence: &str) -> Result<RelationId> {
        keep::merge(self, one, other, evidence).await
    }

    /// Undoes a decision: a merge, a denial, a value that took the place of others. What it did is as it was before.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where there is no such fact; those of the database.
    pub async fn undo(&self, decision: RelationId) -> Result<()> {
        keep::mark(self, decision, true).await
    }

    /// Does again what was undone.
    ///
    /// # Errors
    /// Those of [`Quiver::undo`].
    pub async fn redo(&self, decision: RelationId) -> Result<()> {
        keep::mark(self, decision, false).await
    }

    /// Lists the facts about a thing, by any of its names: those that hold, or all with what became of them.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn facts(&self, about: &str, options: &FactsOptions) -> Result<Vec<RecalledFact>> {
        keep::facts(self, about, options).await
    }

    /// Forgets turns, and the facts that nothing else supports. It leaves no trace in an export.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where there is nothing to forget; those of the database.
    pub async fn forget(&self, what: &Forget) -> Result<Forgotten> {
        keep::forget(self, what).await
    }

    /// Tells what [`Quiver::forget`] would take away, and takes nothing.
    ///
    /// # Errors
    /// Those of [`Quiver::forget`].
    pub async fn forget_preview(&self, what: &Forget) -> Result<ForgetPreview> {
        keep::forget_preview(self, what).await
    }

    /// Lists the sessions by ascending name.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        keep::sessions(self).await
    }

    /// Archives old turns of a session: their text goes, their facts stay.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where there is no such session; those of the database.
    pub async fn archive(&self, session: &str, which: Archive) -> Result<usize> {
        keep::archive(self, session, which).await
    }

    /// Writes the graph of facts, as it is or was, for other tools: Cypher, GraphML or lines of JSON.
    ///
    /// # Errors
    /// Those of the database and of the writer.
    pub async fn portray(
        &self,
        options: &PortrayOptions,
        writer: &mut (dyn std::io::Write + Send),
    ) -> Result<()> {
        portray::portray(self, options, writer).await
    }
}
