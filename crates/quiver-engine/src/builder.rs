use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use quiver_graph::{Graph, Meta, Workspace};
use quiver_models::{Encoder, chat::ChatModel};
use quiver_store::{MemoryStore, MeteredStore, PointStore, Schema, StoreKind};

use crate::{
    Quiver, Result,
    answer::model::AnswerWeights,
    error::{In, Stage},
    extract::{Extractor, RuleExtractor},
    llm::{ChatOptions, Llm},
    memory::{FactReader, RuleReader},
    rerank::Reranker,
    score::{Ranking, Weights},
};

/// What the names of the collections begin with, unless something else is said.
#[cfg(feature = "embedded")]
const PREFIX: &str = "quiver";

/// Where a database is.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Location {
    /// In memory; it ends with the process.
    #[default]
    Memory,
    /// In a directory, opened by the embedded engine. Needs the feature `embedded`.
    Directory(PathBuf),
    /// On a Qdrant server or cluster. Needs the feature `server`.
    #[cfg(feature = "server")]
    Server(quiver_store::ServerOptions),
    /// In a store of your own, opened with the schema of [`Graph::schema`].
    Store(Arc<dyn PointStore>),
}

/// Chooses what a [`Quiver`] opens and how.
#[derive(Clone, Debug)]
pub struct Builder {
    location: Location,
    prefix: Option<String>,
    workspace: Workspace,
    encoder: Encoder,
    extractor: Arc<dyn Extractor>,
    reranker: Option<Arc<dyn Reranker>>,
    chat_model: Option<Arc<dyn ChatModel>>,
    chat_options: ChatOptions,
    weights: Arc<Weights>,
    fact_reader: Arc<dyn FactReader>,
    exact: bool,
    #[cfg(feature = "embedded")]
    embedded: quiver_store::EmbeddedOptions,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            location: Location::Memory,
            prefix: None,
            workspace: Workspace::default(),
            encoder: Encoder::lexical(),
            extractor: Arc::new(RuleExtractor),
            reranker: None,
            chat_model: None,
            chat_options: ChatOptions::default(),
            weights: Arc::new(Weights::learned().clone()),
            fact_reader: Arc::new(RuleReader),
            exact: true,
            #[cfg(feature = "embedded")]
            embedded: quiver_store::EmbeddedOptions::default(),
        }
    }
}

impl Builder {
    /// Opens a database in memory. This is the default.
    #[must_use]
    pub fn memory(self) -> Self {
        self.location(Location::Memory)
    }

    /// Opens the embedded database in a directory.
    #[must_use]
    pub fn directory(self, path: impl AsRef<Path>) -> Self {
        self.location(Location::Directory(path.as_ref().to_owned()))
    }

    /// Opens a database somewhere.
    #[must_use]
    pub fn location(mut self, location: Location) -> Self {
        self.location = location;
        self
    }

    /// What the names of the three collections begin with. Default `quiver`, or what a server's options say.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// The workspace that is read and written. Default `default`.
    #[must_use]
    pub fn workspace(mut self, workspace: Workspace) -> Self {
        self.workspace = workspace;
        self
    }

    /// What texts are encoded with. Default: words alone.
    #[must_use]
    pub fn encoder(mut self, encoder: Encoder) -> Self {
        self.encoder = encoder;
        self
    }

    /// What reads entities and relations out of passages. Default: [`RuleExtractor`].
    #[must_use]
    pub fn extractor(mut self, extractor: Arc<dyn Extractor>) -> Self {
        self.extractor = extractor;
        self
    }

    /// What orders the best candidates anew. Default: nothing, the built-in ranking stands.
    #[must_use]
    pub fn reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// The language model that reads passages, orders candidates and words answers. Default: none, and nothing is sent
    /// anywhere.
    ///
    /// It comes with the wrappers that are wanted, a cache and a budget for one; what is spent is booked in any case.
    #[must_use]
    pub fn chat_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.chat_model = Some(model);
        self
    }

    /// What the language model is used for, and what it costs.
    #[must_use]
    pub fn chat_options(mut self, options: ChatOptions) -> Self {
        self.chat_options = options;
        self
    }

    /// The weights of the built-in ranking. Default: those that come with the library.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = Arc::new(weights);
        self
    }

    /// What reads facts from the text of turns; [`RuleReader`](crate::memory::RuleReader) by default.
    #[must_use]
    pub fn fact_reader(mut self, reader: impl FactReader + 'static) -> Self {
        self.fact_reader = Arc::new(reader);
        self
    }

    /// Whether searches compare with every point that passes, the default, or may use an approximate index.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// How a database in a directory is opened: how long another process is waited for, and who is told what a user
    /// should know. Default: five seconds, and the log.
    #[cfg(feature = "embedded")]
    #[must_use]
    pub fn embedded(mut self, options: quiver_store::EmbeddedOptions) -> Self {
        self.embedded = options;
        self
    }

    /// Opens the database. What a process left that ended in the middle of a write is finished or undone, unless the
    /// database is on a server, where the next write does so.
    ///
    /// # Errors
    /// - [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) where it was made with another embedder or version, naming
    ///   both and what to do;
    /// - [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) where a feature that it needs is not compiled in;
    /// - those of the database.
    pub async fn open(self) -> Result<Quiver> {
        let Self {
            location,
            prefix,
            workspace,
            encoder,
            extractor,
            reranker,
            weights,
            fact_reader,
            exact,
            ..
        } = self;
        let fingerprint = encoder.fingerprint().to_string();
        let schema = Graph::schema(encoder.dimension());
        #[cfg(feature = "embedded")]
        let (notify, how) = (self.embedded.notify.clone(), Some(self.embedded));
        #[cfg(not(feature = "embedded"))]
        let how = None;
        #[cfg_attr(
            not(feature = "embedded"),
            expect(
                clippy::clone_on_copy,
                reason = "without the embedded engine there are no options to clone"
            )
        )]
        let store = match open_store(&location, prefix.as_deref(), schema, how.clone()).await {
            // Opened as it was made, the database can say with which embedder that was: the check names both.
            Err(error) if error.dense_stored().is_some() => {
                let schema = Graph::schema(error.dense_stored().flatten());
                open_store(&location, prefix.as_deref(), schema, how).await
            }
            opened => opened,
        };
        let store: Arc<dyn PointStore> = Arc::new(MeteredStore::new(store.stage(Stage::Open)?));
        Meta::check(&store, &fingerprint).await.stage(Stage::Open)?;
        let graph = Graph::new(store, workspace).with_exact(exact);
        if graph.store().kind() != StoreKind::Server {
            graph.finish_deletions().await.stage(Stage::Open)?;
        }
        #[cfg(feature = "embedded")]
        finish_erasure(&graph, &notify).await;
        let (analyses, wordings) = (Arc::default(), Arc::default());
        let llm = self.chat_model.map(|model| Llm::new(model, self.chat_options, &graph));
        let ranking = Arc::new(Ranking::learned().clone());
        let answer_weights = Arc::new(AnswerWeights::learned().clone());
        Ok(Quiver {
            graph,
            encoder,
            extractor,
            reranker,
            llm,
            analyses,
            weights,
            ranking,
            answer_weights,
            wordings,
            fact_reader,
            vocabulary: Arc::default(),
            standing: Arc::default(),
            standing_cache: Arc::default(),
            commits: Arc::default(),
        })
    }
}

/// Rebuilds the files that a deletion left as they were when it was killed. The database can be used without that, so
/// a failure is only told; the next opening tries again.
#[cfg(feature = "embedded")]
async fn finish_erasure(graph: &Graph, notify: &quiver_store::Notify) {
    match graph.finish_erasure().await {
        Ok(false) => {}
        Ok(true) => notify.tell(
            "a deletion was cut short; the files were rebuilt, and what was deleted stands in none of them",
        ),
        Err(error) => notify.tell(&format!(
            "what was deleted may still stand in the files of the database, which could not be rebuilt: {error}"
        )),
    }
}

/// How a directory is opened.
#[cfg(feature = "embedded")]
type How = quiver_store::EmbeddedOptions;
#[cfg(not(feature = "embedded"))]
type How = ();

#[cfg_attr(
    not(feature = "embedded"),
    expect(unused_variables, reason = "only a directory is opened in one way or another")
)]
#[cfg_attr(
    not(any(feature = "embedded", feature = "server")),
    expect(clippy::unused_async, reason = "the memory store never waits")
)]
async fn open_store(
    location: &Location,
    prefix: Option<&str>,
    schema: Schema,
    how: Option<How>,
) -> quiver_store::Result<Arc<dyn PointStore>> {
    match location {
        Location::Memory => Ok(Arc::new(MemoryStore::open(schema))),
        Location::Store(store) => Ok(Arc::clone(store)),
        #[cfg(feature = "embedded")]
        Location::Directory(path) => {
            let prefix = prefix.unwrap_or(PREFIX);
            let how = how.unwrap_or_default();
            Ok(Arc::new(quiver_store::EmbeddedStore::open_with(path, prefix, schema, how).await?))
        }
        #[cfg(not(feature = "embedded"))]
        Location::Directory(path) => Err(quiver_store::Error::new(
            quiver_store::ErrorKind::Invalid,
            format!("{}: opening a directory needs the feature `embedded`", path.display()),
        )),
        #[cfg(feature = "server")]
        Location::Server(options) => {
            let mut options = options.clone();
            if let Some(prefix) = prefix {
                prefix.clone_into(&mut options.prefix);
            }
            // What opens a cluster is a large value, which callers should not carry along.
            Ok(Arc::new(Box::pin(quiver_store::ServerStore::open(options, schema)).await?))
        }
    }
}
