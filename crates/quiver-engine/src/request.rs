//! Requests: what [`Quiver::ask`], [`Quiver::retrieve`] and [`Quiver::ingest`] return.

use std::{fmt, future::IntoFuture, marker::PhantomData};

use futures::{
    FutureExt, Stream, StreamExt,
    channel::mpsc::{UnboundedSender, unbounded},
    future::{BoxFuture, ready},
    stream::select,
};
use quiver_graph::{EntityId, PassageId};

use crate::{
    Answer, AskOptions, Document, DocumentFilter, Evidence, HopStep, IngestOptions, Meaning, Profile,
    Progress, Question, Quiver, Receipt, Result, Sentence, TraceStep,
};

/// A question that has not been asked yet. Methods set its options, and awaiting it asks: `T` is the result, an
/// [`Answer`] or the [`Evidence`] for one.
///
/// ```
/// # use quiver::{Document, Quiver};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # let quiver = Quiver::in_memory().await?;
/// # quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
/// let answer = quiver.ask("What clears metformin?").passages(8).confidence_min(0.6).await?;
/// assert!(answer.evidence.passages.len() <= 8);
/// # Ok::<(), quiver::Error>(()) }).unwrap();
/// ```
#[must_use = "a request does nothing unless it is awaited"]
pub struct Request<'a, T> {
    quiver: &'a Quiver,
    question: Question,
    on_progress: Listening<'a>,
    output: PhantomData<fn() -> T>,
}

impl<'a, T> Request<'a, T> {
    pub(crate) fn new(quiver: &'a Quiver, question: Question) -> Self {
        Self { quiver, question, on_progress: Box::new(|_| {}), output: PhantomData }
    }

    /// Replaces all options.
    pub fn options(mut self, options: AskOptions) -> Self {
        self.question.options = options;
        self
    }

    /// Sets the effort, with its budgets. Call it before methods that change a budget.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.question.options = self.question.options.with_profile(profile);
        self
    }

    /// Sets [`AskOptions::passages_limit`].
    pub fn passages(mut self, limit: usize) -> Self {
        self.question.options.passages_limit = limit;
        self
    }

    /// Sets [`AskOptions::hops_max`].
    pub fn hops(mut self, hops_max: usize) -> Self {
        self.question.options.hops_max = hops_max;
        self
    }

    /// Sets [`AskOptions::confidence_min`].
    pub fn confidence_min(mut self, confidence_min: f32) -> Self {
        self.question.options.confidence_min = confidence_min;
        self
    }

    /// Sets [`AskOptions::as_of`], in milliseconds since 1970.
    pub fn as_of(mut self, moment: i64) -> Self {
        self.question.options.as_of = Some(moment);
        self
    }

    /// Sets [`AskOptions::now`], in milliseconds since 1970.
    pub fn now(mut self, moment: i64) -> Self {
        self.question.options.now = Some(moment);
        self
    }

    /// Sets [`AskOptions::asker`].
    pub fn asker(mut self, user: impl Into<String>) -> Self {
        self.question.options.asker = Some(user.into());
        self
    }

    /// Adds documents to use, by their keys: see [`AskOptions::documents`].
    pub fn documents(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.question.options.documents.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Sets [`AskOptions::filter`].
    pub fn filter(mut self, filter: DocumentFilter) -> Self {
        self.question.options.filter = filter;
        self
    }

    /// Continues from a passage: see [`AskOptions::from`].
    pub fn continue_from(mut self, passage: PassageId) -> Self {
        self.question.options.from = Some(passage);
        self
    }

    /// Adds passages to leave out: see [`AskOptions::without`].
    pub fn without(mut self, passages: impl IntoIterator<Item = PassageId>) -> Self {
        self.question.options.without.extend(passages);
        self
    }

    /// Sets the entity that a name means: see [`AskOptions::meanings`].
    pub fn meaning(mut self, name: impl Into<String>, entity: EntityId) -> Self {
        self.question.options.meanings.push(Meaning { name: name.into(), entity });
        self
    }

    /// Adds an entity to start from: see [`AskOptions::pinned`].
    pub fn pin(mut self, entity: EntityId) -> Self {
        self.question.options.pinned.push(entity);
        self
    }

    /// Makes the trace explain the ranking of the candidates.
    pub fn explain(mut self) -> Self {
        self.question.options.explain = true;
        self
    }

    /// Sets a function to call for each completed stage and each final sentence.
    pub fn on_progress(mut self, on_progress: impl FnMut(Progress<'_>) + Send + 'a) -> Self {
        self.on_progress = Box::new(on_progress);
        self
    }
}

impl<'a> Request<'a, Answer> {
    /// Asks, and streams the progress: each stage when it is complete, each sentence when it is final, and at last the
    /// answer or the error. Dropping the stream ends the work.
    ///
    /// An answer without a language model yields its sentences at once. The final answer counts: if a language model
    /// breaks off, the extractive answer replaces the sentences sent before.
    ///
    /// ```
    /// use futures::TryStreamExt;
    /// use quiver::{Document, Event, Quiver};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let quiver = Quiver::in_memory().await?;
    /// # quiver.ingest([Document::new("metformin", "Metformin is cleared by the kidneys.")]).await?;
    /// let mut events = quiver.ask("What clears metformin?").stream();
    /// while let Some(event) = events.try_next().await? {
    ///     match event {
    ///         Event::Step(step) => println!("{} took {} µs", step.stage, step.duration_us),
    ///         Event::Sentence(sentence) => println!("{}", sentence.text),
    ///         Event::Answer(answer) => println!("in all: {}", answer.text.as_deref().unwrap_or("no answer")),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok::<(), quiver::Error>(()) }).unwrap();
    /// ```
    pub fn stream(self) -> impl Stream<Item = Result<Event<Answer>>> + Send + Unpin + 'a {
        let Self { quiver, question, .. } = self;
        events(move |told| {
            async move { quiver.ask_watching(question, &mut |progress| tell(&told, progress)).await }.boxed()
        })
    }
}

impl<'a> IntoFuture for Request<'a, Answer> {
    type Output = Result<Answer>;
    type IntoFuture = BoxFuture<'a, Result<Answer>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, question, mut on_progress, .. } = self;
        async move { quiver.ask_watching(question, &mut on_progress).await }.boxed()
    }
}

impl<'a> IntoFuture for Request<'a, Evidence> {
    type Output = Result<Evidence>;
    type IntoFuture = BoxFuture<'a, Result<Evidence>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, question, mut on_progress, .. } = self;
        async move { quiver.retrieve_watching(question, &mut on_progress).await }.boxed()
    }
}

impl<T> fmt::Debug for Request<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("question", &self.question).finish_non_exhaustive()
    }
}

/// Documents that have not been ingested yet. Methods set options, and awaiting it ingests them.
///
/// ```
/// # use quiver::{Document, Quiver};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let quiver = Quiver::in_memory().await?;
/// let documents = (1..=3).map(|page| Document::new(format!("page {page}"), "Metformin is cleared by the kidneys."));
/// let receipt = quiver.ingest(documents).on_progress(&|so_far| println!("{}", so_far.passages_written)).await?;
/// assert_eq!(receipt.documents_added, 3);
/// # Ok::<(), quiver::Error>(()) }).unwrap();
/// ```
#[must_use = "a request does nothing unless it is awaited"]
pub struct IngestRequest<'a, I> {
    quiver: &'a Quiver,
    documents: I,
    options: IngestOptions,
    on_progress: Option<&'a (dyn Fn(&Receipt) + Send + Sync)>,
}

impl<'a, I> IngestRequest<'a, I> {
    pub(crate) fn new(quiver: &'a Quiver, documents: I) -> Self {
        Self { quiver, documents, options: IngestOptions::default(), on_progress: None }
    }

    /// Replaces all options.
    pub fn options(mut self, options: IngestOptions) -> Self {
        self.options = options;
        self
    }

    /// Calls a function after each batch, with the receipt so far.
    pub fn on_progress(mut self, on_progress: &'a (dyn Fn(&Receipt) + Send + Sync)) -> Self {
        self.on_progress = Some(on_progress);
        self
    }
}

impl<'a, I: Iterator<Item = Document> + Send + 'a> IntoFuture for IngestRequest<'a, I> {
    type Output = Result<Receipt>;
    type IntoFuture = BoxFuture<'a, Result<Receipt>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, mut documents, options, on_progress } = self;
        async move { quiver.ingest_by(&mut documents, &options, on_progress.unwrap_or(&|_| {})).await }
            .boxed()
    }
}

impl<I> fmt::Debug for IngestRequest<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IngestRequest").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Progress of an answer, and the answer: an [`Answer`], or the [`Reply`](crate::session::Reply) of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<A> {
    /// A stage has ended.
    Step(TraceStep),
    /// A hop through the graph was made. Several may precede the step of the expand stage.
    Hop(HopStep),
    /// A sentence of the answer is final.
    Sentence(Sentence),
    /// The answer. Nothing follows it.
    Answer(Box<A>),
}

/// Called for each stage, hop and sentence.
pub(crate) type Listening<'a> = Box<dyn FnMut(Progress<'_>) + Send + 'a>;

/// Receives events.
pub(crate) type Listener<A> = UnboundedSender<Result<Event<A>>>;

/// Reports progress to a listener, which may have gone.
pub(crate) fn tell<A>(listener: &Listener<A>, progress: Progress<'_>) {
    let event = match progress {
        Progress::Step(step) => Event::Step(step.clone()),
        Progress::Hop(hop) => Event::Hop(*hop),
        Progress::Sentence(sentence) => Event::Sentence(sentence.clone()),
    };
    let _ = listener.unbounded_send(Ok(event));
}

/// Streams the progress that `ask` reports, and then its outcome.
pub(crate) fn events<'a, A: Send + 'a>(
    ask: impl FnOnce(Listener<A>) -> BoxFuture<'a, Result<A>>,
) -> impl Stream<Item = Result<Event<A>>> + Send + Unpin + 'a {
    let (listener, events) = unbounded();
    let asking = ask(listener.clone());
    let asked = async move {
        let outcome = asking.await.map(|answer| Event::Answer(Box::new(answer)));
        let _ = listener.unbounded_send(outcome);
    };
    select(events, asked.boxed().into_stream().filter_map(|()| ready(None)))
}
