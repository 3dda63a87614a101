//! Conversations: answers follow-up questions in the context of a session.
//!
//! A turn goes through `contextualise → ask → remember`. Rules, without a model, rewrite a follow-up ("what were its
//! blockers?", "and in 2024?", "the second one") as a standalone question. The result shows what was rewritten and
//! why, and the caller may supply another question instead. If a reference is ambiguous and the session does not
//! decide, the reply is a clarifying question with options, and the next turn chooses one.
//!
//! With [`SessionOptions::remember`], a turn that states something is remembered instead, and later questions are
//! answered from it.
//!
//! ```
//! use quiver::{Document, Quiver};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let quiver = Quiver::in_memory().await?;
//! quiver
//!     .ingest([
//!         Document::new("apollo", "Apollo moves the billing to a new ledger. It is led by Mara Lind."),
//!         Document::new("mara", "Mara Lind is an engineer. She works from the Dublin office."),
//!     ])
//!     .await?;
//! let mut session = quiver.session("planning");
//! session.ask("Who leads Apollo?").await?;
//! let reply = session.ask("Where does she work?").await?;
//! assert_eq!(reply.read.standalone, "Where does Mara Lind work?");
//! session.close().await?;
//! # Ok::<(), quiver::Error>(()) }).unwrap();
//! ```

mod exchange;
mod options;
mod request;

mod contextualise;
mod model;
mod noun;
mod said;
mod link;
mod referable;
mod topic;
mod focus;
mod anaphor;
mod profile;
mod resolve;
mod definite;
mod dislocated;
mod complement;
mod fragment;
mod choice;

mod answered;
mod stated;
mod turn_store;
mod lexicon;

pub(crate) use profile::{Weighed, covered};

pub use contextualise::{Contextualised, RewrittenBy};
pub use exchange::{Exchange, QuestionBack, Referent, Rewrite};
pub use options::{Retention, RetentionWay, SessionOptions};
pub use request::SessionRequest;
pub use stated::Noted;

use quiver_graph::Result as GraphResult;
use tokio::task::JoinHandle;
use tracing::{Span, instrument};

use crate::{
    OnProgress, Quiver, Result,
    answer::Answer,
    error::{Error, ErrorKind, Stage},
    memory::now,
    options::AskOptions,
    question::Question,
    understand::check_length,
};

use self::{answered::Answered, link::Reader};

/// A question within a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowUp {
    /// The question as asked.
    pub question: String,
    /// The standalone question, if the caller knows it. It replaces the rewriting.
    pub standalone: Option<String>,
    /// The options for answering. Default: those of the session.
    pub options: Option<AskOptions>,
    /// When the question is asked, in milliseconds since 1970. Defaults to now.
    pub time: Option<i64>,
}

impl FollowUp {
    /// Creates a question that the session will contextualise.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), ..Self::default() }
    }

    /// Sets the standalone question, which replaces the rewriting by rules or a model.
    #[must_use]
    pub fn standing_for(mut self, standalone: impl Into<String>) -> Self {
        self.standalone = Some(standalone.into());
        self
    }

    /// Sets options that replace those of the session.
    #[must_use]
    pub fn with_options(mut self, options: AskOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// Sets the time of the question, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, time: i64) -> Self {
        self.time = Some(time);
        self
    }
}

impl From<&str> for FollowUp {
    fn from(question: &str) -> Self {
        Self::new(question)
    }
}

impl From<&String> for FollowUp {
    fn from(question: &String) -> Self {
        Self::new(question)
    }
}

impl From<String> for FollowUp {
    fn from(question: String) -> Self {
        Self::new(question)
    }
}

/// The reply of a session to a question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// How the question was understood.
    pub read: Contextualised,
    /// The answer with its evidence; `None` if the session asks a clarifying question, or noted a statement.
    pub answer: Option<Answer>,
    /// What was noted, if the turn is a statement and the session remembers.
    pub noted: Option<Noted>,
    /// The number of the turn; 0 if it was remembered.
    pub number: u64,
}

impl Reply {
    /// Returns the clarifying question, if a reference is ambiguous.
    pub fn asks(&self) -> Option<&QuestionBack> {
        self.read.asks.as_ref()
    }
}

/// A conversation. Its turns are stored in the database, so it can be resumed.
#[derive(Debug)]
pub struct Session {
    quiver: Quiver,
    name: String,
    options: SessionOptions,
    /// The latest turns, once they are loaded.
    exchanges: Option<Vec<Exchange>>,
    /// Turns that are being written.
    writing: Vec<JoinHandle<Result<()>>>,
    /// Statements that are being remembered.
    noting: Vec<JoinHandle<Result<()>>>,
    /// The first error from a turn that could not be written.
    failed: Option<Error>,
}

impl Quiver {
    /// Starts or resumes the session with this name. Sessions belong to a workspace.
    ///
    /// ```
    /// # use quiver::{Document, Quiver};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("apollo", "Apollo is led by Mara Lind."), Document::new("mara", "Mara Lind works from Dublin.")]).await?;
    /// let mut session = quiver.session("planning");
    /// session.ask("Who leads Apollo?").await?;
    /// let reply = session.ask("Where does she work?").await?;
    /// assert_eq!(reply.read.standalone, "Where does Mara Lind work?");
    /// session.close().await?;
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    pub fn session(&self, name: impl Into<String>) -> Session {
        Session {
            quiver: self.clone(),
            name: name.into(),
            options: SessionOptions::default(),
            exchanges: None,
            writing: Vec::new(),
            noting: Vec::new(),
            failed: None,
        }
    }

    pub(crate) async fn reader(&self) -> GraphResult<Reader<'_>> {
        let statistics = self.graph.statistics().await?;
        Ok(Reader { graph: &self.graph, lexical: self.encoder.analysis(), statistics })
    }
}

impl Session {
    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: SessionOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the name of the session.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the latest turns, oldest first.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub async fn turns(&mut self) -> Result<&[Exchange]> {
        self.load().await?;
        Ok(self.exchanges.as_deref().unwrap_or_default())
    }

    /// Returns how a question would be understood, without asking or storing it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if the question is empty. Returns an error if the turns can't be read from the
    /// database.
    #[instrument(target = "quiver::stage", skip_all, fields(exchanges))]
    pub async fn contextualise(&mut self, question: impl Into<FollowUp>) -> Result<Contextualised> {
        let FollowUp { question, standalone, .. } = question.into();
        if question.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, Stage::Contextualise, "the question is empty"));
        }
        check_length(standalone.as_ref().unwrap_or(&question).trim(), Stage::Contextualise)?;
        self.load().await?;
        let exchanges = self.exchanges.as_deref().unwrap_or_default();
        Span::current().record("exchanges", exchanges.len());
        let (seen, _) = self.quiver.without_deleted_if_known().await;
        let read = match &standalone {
            None => understand(&seen, &question, exchanges).await,
            // The caller's wording is used unchanged; it is read only for the entities that it names.
            Some(standalone) => read(&seen, standalone, &[]).await,
        };
        let read = read.unwrap_or_else(|error| Contextualised {
            standalone: question.clone(),
            degraded: vec![format!("the question could not be resolved from the session: {error}")],
            ..Contextualised::default()
        });
        Ok(match standalone {
            None => Contextualised { question, ..read },
            Some(standalone) => {
                Contextualised { question, standalone, asks: None, by: RewrittenBy::Caller, ..read }
            }
        })
    }

    /// Asks a question in the session: contextualises it, answers it or asks a clarifying question, and stores the
    /// turn. Await what it returns, or [stream](SessionRequest::stream) it.
    ///
    /// # Errors
    /// Returns the same errors as [`Session::contextualise`] and [`Quiver::ask`].
    pub fn ask(&mut self, question: impl Into<FollowUp>) -> SessionRequest<'_> {
        SessionRequest::new(self, question.into())
    }

    async fn ask_watching(&mut self, question: FollowUp, on_progress: OnProgress<'_>) -> Result<Reply> {
        let options = question.options.clone().unwrap_or_else(|| self.options.ask.clone());
        let time = question.time;
        let lost = self.settle().await;
        let mut reply = match Box::pin(self.note(&question, &options)).await? {
            Some(reply) => reply,
            None => Box::pin(self.answer(question, options, time, on_progress)).await?,
        };
        reply.read.degraded.extend(lost);
        Ok(reply)
    }

    async fn answer(
        &mut self,
        question: FollowUp,
        mut options: AskOptions,
        time: Option<i64>,
        on_progress: OnProgress<'_>,
    ) -> Result<Reply> {
        let mut read = self.contextualise(question).await?;
        let mut answer = if read.asks.is_some() {
            None
        } else if let Some(answer) = self.answer_by_stated(&read, &options, on_progress).await? {
            Some(answer)
        } else {
            // Nothing is certain enough; 0 still answers always.
            if read.is_unclear && options.confidence_min > 0.0 {
                options.confidence_min = f32::INFINITY;
            }
            let mut question = Question::new(&read.standalone).with_options(options);
            question.beside.clone_from(&read.beside);
            Some(self.quiver.ask_watching(question, on_progress).await?)
        };
        let number = self.next_number();
        // A failure to store the turn must not lose the answer. Closing the session also reports it.
        if let Err(error) = self.remember(&read, answer.as_ref(), time).await {
            read.degraded.push(format!("the turn was not stored: {error}"));
            self.failed.get_or_insert(error);
        }
        if let Some(answer) = &mut answer {
            let trace = &mut answer.evidence.trace;
            read.degraded.iter().for_each(|what| trace.degrade(what.clone()));
            read.calls.iter().for_each(|(job, tally)| trace.spend(job, tally));
        }
        Ok(Reply { read, answer, noted: None, number })
    }

    /// Stores a turn, whoever answered it, and returns its number.
    ///
    /// # Errors
    /// Returns an error if the embedder fails or the database can't be read or written.
    pub async fn remember(
        &mut self,
        read: &Contextualised,
        answer: Option<&Answer>,
        time: Option<i64>,
    ) -> Result<u64> {
        self.load().await?;
        let number = self.next_number();
        let exchanges = self.exchanges.get_or_insert_default();
        let last = exchanges.last().map_or(i64::MIN, |last| last.time);
        let time = time.unwrap_or_else(|| now().max(last.saturating_add(1)));
        // If this fails, the session still knows the subjects of the question.
        let (seen, _) = self.quiver.without_deleted_if_known().await;
        let answered = match (answer, seen.reader().await) {
            (Some(answer), Ok(reader)) => {
                reader.answered(&read.standalone, &read.asked, answer).await.unwrap_or_default()
            }
            _ => Answered::default(),
        };
        let listed = if read.listed.len() > 1 { read.listed.clone() } else { answered.listed };
        let exchange = Exchange {
            speaker: None,
            time,
            number,
            question: read.question.clone(),
            standalone: read.standalone.clone(),
            rewrites: read.rewrites.clone(),
            answer: answer.and_then(|answer| answer.text.clone()),
            asked: read.asked.clone(),
            answered: answered.named,
            nearby: answered.nearby,
            listed,
            asks: read.asks.clone(),
        };
        exchanges.push(exchange.clone());
        self.keep(exchange, time).await?;
        Ok(number)
    }

    async fn keep(&mut self, exchange: Exchange, now: i64) -> Result<()> {
        if !self.options.stored {
            return Ok(());
        }
        let (quiver, name, retention) = (self.quiver.clone(), self.name.clone(), self.options.retention);
        let number = exchange.number;
        let write = async move {
            turn_store::write(&quiver.graph, &quiver.encoder, &name, &exchange).await?;
            let many = retention.turns_max.is_some_and(|most| number > most as u64);
            if many || retention.age_max.is_some() {
                turn_store::retain(&quiver.graph, &name, &retention, now).await?;
            }
            Ok(())
        };
        if self.options.background {
            self.writing.push(tokio::spawn(write));
            return Ok(());
        }
        write.await
    }

    fn next_number(&self) -> u64 {
        let numbers = self.exchanges.iter().flatten().map(|exchange| exchange.number);
        numbers.max().unwrap_or(0) + 1
    }

    /// Waits until all turns are written and all statements are remembered.
    ///
    /// # Errors
    /// Returns the first error from writing a turn or remembering a statement.
    pub async fn flush(&mut self) -> Result<()> {
        self.settle().await;
        let mut failed = self.failed.take();
        for writing in self.writing.drain(..) {
            let written = writing.await.unwrap_or_else(|error| {
                Err(Error::new(ErrorKind::Other, Stage::Remember, format!("a turn was not stored: {error}")))
            });
            failed = failed.or(written.err());
        }
        failed.map_or(Ok(()), Err)
    }

    /// Ends the session and waits until all turns are written. If a session is dropped instead, its writes
    /// continue while the runtime runs.
    ///
    /// # Errors
    /// Returns the same errors as [`Session::flush`].
    pub async fn close(mut self) -> Result<()> {
        self.flush().await
    }

    /// Starts without turns, even if some are stored.
    pub(crate) fn begin_empty(&mut self) {
        self.exchanges = Some(Vec::new());
    }

    /// The entities in the loaded turns, each with its salience.
    pub(crate) fn in_focus(&self) -> Vec<(Referent, f32)> {
        let candidates = focus::candidates(self.exchanges.as_deref().unwrap_or_default());
        let entities = candidates.into_iter().filter(|candidate| !candidate.is_words());
        entities.map(|candidate| (candidate.referent, candidate.salience)).collect()
    }

    async fn load(&mut self) -> Result<()> {
        if !self.options.stored {
            self.exchanges.get_or_insert_default();
        } else if self.exchanges.is_none() {
            let limit = self.options.turns_limit.max(1);
            self.exchanges = Some(turn_store::load(&self.quiver.graph, &self.name, limit).await?);
        }
        Ok(())
    }
}

/// Rewrites the question with the language model if one is configured for this, otherwise with the rules.
async fn understand(quiver: &Quiver, question: &str, exchanges: &[Exchange]) -> GraphResult<Contextualised> {
    let rules = read(quiver, question, exchanges).await?;
    match quiver.llm.as_ref().filter(|llm| llm.options.contextualise) {
        None => Ok(rules),
        Some(llm) => {
            let reader = quiver.reader().await?;
            reader.contextualise_by_model(llm, question, exchanges, rules).await
        }
    }
}

async fn read(quiver: &Quiver, question: &str, exchanges: &[Exchange]) -> GraphResult<Contextualised> {
    quiver.reader().await?.contextualise(question, exchanges).await
}
