//! Conversations: follow-up questions that are understood from what the session is about.
//!
//! A turn goes through `contextualise → ask → remember`. A follow-up ("what were its blockers?", "and in 2024?", "the
//! second one") becomes a question that can be understood by itself, by rules without a model; the result shows what
//! was rewritten and why, and the caller may put another question in its place. Where several things fit and the
//! session does not decide, the result is a question with the options, and the next turn chooses.
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

mod contextualise;
mod model;
mod said;
mod link;
mod focus;
mod slot;
mod ground;
mod resolve;
mod pointing;
mod ellipsis;
mod choice;

mod answered;
mod keep;
mod lexicon;

pub(crate) use ground::{Weighed, covered};

pub use contextualise::{Contextualised, RewrittenBy};
pub use exchange::{Exchange, QuestionBack, Referent, Rewrite};
pub use options::{Retention, RetentionWay, SessionOptions};

use quiver_graph::Result as GraphResult;
use tokio::task::JoinHandle;

use crate::{
    Quiver, Result,
    answer::{Answer, OnSentence},
    error::{Error, ErrorKind, Room},
    memory::now,
    options::AskOptions,
    question::Question,
};

use self::{answered::Answered, link::Reader};

/// A question within a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowUp {
    /// The words.
    pub question: String,
    /// The question as it can be understood by itself, where the caller knows better than the rules.
    pub standalone: Option<String>,
    /// How it is to be answered; as the session says where this is absent.
    pub options: Option<AskOptions>,
    /// When it is asked, in milliseconds since 1970; now, where that is not given.
    pub time: Option<i64>,
}

impl FollowUp {
    /// A question to be understood from the session.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), ..Self::default() }
    }

    /// Says how the question is to be understood, in the place of what the rules or a model would make of it.
    #[must_use]
    pub fn standing_for(mut self, standalone: impl Into<String>) -> Self {
        self.standalone = Some(standalone.into());
        self
    }

    /// Asks with other options than the session's.
    #[must_use]
    pub fn with_options(mut self, options: AskOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// Says when it is asked, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, time: i64) -> Self {
        self.time = Some(time);
        self
    }
}

impl<T: Into<String>> From<T> for FollowUp {
    fn from(question: T) -> Self {
        Self::new(question)
    }
}

/// What a session says to a question.
#[derive(Clone, Debug)]
pub struct Reply {
    /// How the question was understood.
    pub read: Contextualised,
    /// The answer with its evidence; none where the session asks back.
    pub answer: Option<Answer>,
    /// The number of the turn.
    pub number: u64,
}

impl Reply {
    /// The question that is asked back, where several things fit.
    pub fn asks(&self) -> Option<&QuestionBack> {
        self.read.asks.as_ref()
    }
}

/// A conversation under way. Its turns are in the database, so it goes on where it was left.
#[derive(Debug)]
pub struct Session {
    quiver: Quiver,
    name: String,
    options: SessionOptions,
    /// The latest turns, once they were read.
    exchanges: Option<Vec<Exchange>>,
    /// Turns that are being written.
    writing: Vec<JoinHandle<Result<()>>>,
    /// The first error of a turn that was not kept.
    failed: Option<Error>,
}

impl Quiver {
    /// Begins a session, or goes on with one of this name. Sessions of other workspaces are others.
    pub fn session(&self, name: impl Into<String>) -> Session {
        self.session_with(name, SessionOptions::default())
    }

    /// Begins or goes on with a session, with options.
    pub fn session_with(&self, name: impl Into<String>, options: SessionOptions) -> Session {
        Session {
            quiver: self.clone(),
            name: name.into(),
            options,
            exchanges: None,
            writing: Vec::new(),
            failed: None,
        }
    }

    pub(crate) async fn reader(&self) -> GraphResult<Reader<'_>> {
        let statistics = self.graph.statistics().await?;
        Ok(Reader { graph: &self.graph, lexical: self.encoder.analysis(), statistics })
    }
}

impl Session {
    /// The name of the session.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The latest turns, the oldest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn turns(&mut self) -> Result<&[Exchange]> {
        self.load().await?;
        Ok(self.exchanges.as_deref().unwrap_or_default())
    }

    /// Tells how a question would be understood, without asking or keeping it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for an empty question; those of the database.
    pub async fn contextualise(&mut self, question: impl Into<FollowUp>) -> Result<Contextualised> {
        let FollowUp { question, standalone, .. } = question.into();
        if question.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, Room::Contextualise, "the question is empty"));
        }
        self.load().await?;
        let exchanges = self.exchanges.as_deref().unwrap_or_default();
        let read = match &standalone {
            None => self.understand(&question, exchanges).await,
            // What the caller says is taken as it is; the session is about what it names.
            Some(standalone) => self.read(standalone, &[]).await,
        };
        let read = read.unwrap_or_else(|error| Contextualised {
            standalone: question.clone(),
            degraded: vec![format!("the question was not understood from the session: {error}")],
            ..Contextualised::default()
        });
        Ok(match standalone {
            None => Contextualised { question, ..read },
            Some(standalone) => {
                Contextualised { question, standalone, asks: None, by: RewrittenBy::Caller, ..read }
            }
        })
    }

    /// By a language model where there is one, by rules where there is none.
    async fn understand(&self, question: &str, exchanges: &[Exchange]) -> GraphResult<Contextualised> {
        let rules = self.read(question, exchanges).await?;
        match self.quiver.language.as_ref().filter(|language| language.options.contextualise) {
            None => Ok(rules),
            Some(language) => {
                let reader = self.quiver.reader().await?;
                reader.contextualise_by_model(language, question, exchanges, rules).await
            }
        }
    }

    async fn read(&self, question: &str, exchanges: &[Exchange]) -> GraphResult<Contextualised> {
        self.quiver.reader().await?.contextualise(question, exchanges).await
    }

    /// Asks a question in the session: understands it, answers it or asks back, and keeps the turn.
    ///
    /// # Errors
    /// Those of [`Session::contextualise`] and [`Quiver::ask`].
    pub async fn ask(&mut self, question: impl Into<FollowUp>) -> Result<Reply> {
        self.ask_streaming(question, &mut |_| {}).await
    }

    /// Asks a question in the session, and gives the sentences of the answer as they come, as
    /// [`Quiver::ask_streaming`] does.
    ///
    /// # Errors
    /// Those of [`Session::ask`].
    pub async fn ask_streaming(
        &mut self,
        question: impl Into<FollowUp>,
        on_sentence: OnSentence<'_>,
    ) -> Result<Reply> {
        let question = question.into();
        let (options, time) = (question.options.clone(), question.time);
        let mut read = self.contextualise(question).await?;
        let mut answer = if read.asks.is_some() {
            None
        } else {
            let options = options.unwrap_or_else(|| self.options.ask.clone());
            let question = Question::new(&read.standalone).with_options(options);
            Some(self.quiver.ask_streaming(question, on_sentence).await?)
        };
        let number = self.next_number();
        // The answer is there, whatever becomes of the turn; closing the session tells too.
        if let Err(error) = self.remember(&read, answer.as_ref(), time).await {
            read.degraded.push(format!("the turn was not kept: {error}"));
            self.failed.get_or_insert(error);
        }
        if let Some(answer) = &mut answer {
            let trace = &mut answer.evidence.trace;
            read.degraded.iter().for_each(|what| trace.degrade(what.clone()));
            read.calls.iter().for_each(|(job, tally)| trace.spend(job, tally));
        }
        Ok(Reply { read, answer, number })
    }

    /// Keeps a turn that was answered, by whomever. Answers its number.
    ///
    /// # Errors
    /// Those of the database.
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
        // Without what the answer named, the session still knows what was asked.
        let answered = match (answer, self.quiver.reader().await) {
            (Some(answer), Ok(reader)) => {
                reader.answered(&read.standalone, &read.asked, answer).await.unwrap_or_default()
            }
            _ => Answered::default(),
        };
        let listed = if read.listed.len() > 1 { read.listed.clone() } else { answered.listed };
        let exchange = Exchange {
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
        let (quiver, name, retention) = (self.quiver.clone(), self.name.clone(), self.options.retention);
        let number = exchange.number;
        let write = async move {
            keep::write(&quiver.graph, &quiver.encoder, &name, &exchange).await?;
            let many = retention.turns_max.is_some_and(|most| number > most as u64);
            if many || retention.age_max.is_some() {
                keep::retain(&quiver.graph, &name, &retention, now).await?;
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

    /// Waits until every turn is written.
    ///
    /// # Errors
    /// The first of those that writing met.
    pub async fn flush(&mut self) -> Result<()> {
        let mut failed = self.failed.take();
        for writing in self.writing.drain(..) {
            let written = writing.await.unwrap_or_else(|error| {
                Err(Error::new(ErrorKind::Other, Room::Remember, format!("a turn was not written: {error}")))
            });
            failed = failed.or(written.err());
        }
        failed.map_or(Ok(()), Err)
    }

    /// Ends the session: waits until every turn is written. One that is dropped instead writes on as long as its
    /// runtime runs.
    ///
    /// # Errors
    /// Those of [`Session::flush`].
    pub async fn close(mut self) -> Result<()> {
        self.flush().await
    }

    /// Begins with no turns, whatever there are.
    pub(crate) fn begin_empty(&mut self) {
        self.exchanges = Some(Vec::new());
    }

    /// What the turns that were read spoke of, each with how much it is in focus.
    pub(crate) fn in_focus(&self) -> Vec<(Referent, f32)> {
        let candidates = focus::candidates(self.exchanges.as_deref().unwrap_or_default());
        candidates.into_iter().map(|candidate| (candidate.referent, candidate.salience)).collect()
    }

    async fn load(&mut self) -> Result<()> {
        if self.exchanges.is_none() {
            let limit = self.options.turns_limit.max(1);
            self.exchanges = Some(keep::load(&self.quiver.graph, &self.name, limit).await?);
        }
        Ok(())
    }
}
