use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use quiver_answer::AnswerWeights;
use quiver_graph::{Graph, Meta, Workspace};
use quiver_models::{Encoder, chat::ChatModel};
use quiver_store::{MemoryStore, MeteredStore, PointStore, Schema, StoreKind};

use crate::{
    Quiver, Result,
    error::{In, Stage},
    extract::{Extractor, RuleExtractor},
    llm::{ChatJob, ChatOptions, Llm},
    memory::{FactReader, RuleReader},
    rerank::Reranker,
    score::{Ranking, Weights},
};

/// The default prefix of collection names.
#[cfg(feature = "embedded")]
const PREFIX: &str = "quiver";

/// The location of a database.
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
    /// In your own store, opened with the schema of [`Graph::schema`].
    Store(Arc<dyn PointStore>),
}

/// Configures and opens a [`Quiver`].
#[derive(Clone, Debug)]
pub struct Builder {
    location: Location,
    prefix: Option<String>,
    workspace: Workspace,
    encoder: Encoder,
    extractor: Arc<dyn Extractor>,
    reranker: Option<Arc<dyn Reranker>>,
    chat_model: Option<Arc<dyn ChatModel>>,
    chat_models: BTreeMap<ChatJob, Arc<dyn ChatModel>>,
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
            chat_models: BTreeMap::new(),
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

    /// Opens the database at a location.
    #[must_use]
    pub fn location(mut self, location: Location) -> Self {
        self.location = location;
        self
    }

    /// Sets the prefix of the three collection names. Default `quiver`, or as set in a server's options.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets the workspace to read and write. Default `default`.
    #[must_use]
    pub fn workspace(mut self, workspace: Workspace) -> Self {
        self.workspace = workspace;
        self
    }

    /// Sets the encoder. Default: words alone.
    #[must_use]
    pub fn encoder(mut self, encoder: Encoder) -> Self {
        self.encoder = encoder;
        self
    }

    /// Sets the extractor of entities and relations. Default: [`RuleExtractor`].
    #[must_use]
    pub fn extractor(mut self, extractor: Arc<dyn Extractor>) -> Self {
        self.extractor = extractor;
        self
    }

    /// Sets the reranker of the best candidates. Default: none.
    #[must_use]
    pub fn reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// Sets the language model that reads passages, orders candidates and writes answers. Default: none, and nothing is
    /// sent anywhere.
    ///
    /// Pass it with the wrappers you want, such as a cache and a budget. Usage is recorded in any case.
    #[must_use]
    pub fn chat_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.chat_model = Some(model);
        self
    }

    /// Sets another language model for one job. It has no effect without [`Builder::chat_model`], or if
    /// [`ChatOptions`] turn the job off.
    #[must_use]
    pub fn chat_model_for(mut self, job: ChatJob, model: Arc<dyn ChatModel>) -> Self {
        self.chat_models.insert(job, model);
        self
    }

    /// Sets the jobs of the language model, and its prices.
    #[must_use]
    pub fn chat_options(mut self, options: ChatOptions) -> Self {
        self.chat_options = options;
        self
    }

    /// Sets the weights of the built-in ranking. Default: those that ship with the library.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = Arc::new(weights);
        self
    }

    /// Sets the reader of facts in turns. Default: [`RuleReader`](crate::memory::RuleReader). A turn is stored once it has
    /// been read. With [`ChatOptions::facts`], the language model then adds to the facts.
    #[must_use]
    pub fn fact_reader(mut self, reader: impl FactReader + 'static) -> Self {
        self.fact_reader = Arc::new(reader);
        self
    }

    /// Sets whether searches compare with every point that passes (the default), or may use an approximate index.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Sets how a database in a directory is opened: how long to wait for another process, and where messages for the
    /// user go. Default: five seconds, and the log.
    #[cfg(feature = "embedded")]
    #[must_use]
    pub fn embedded(mut self, options: quiver_store::EmbeddedOptions) -> Self {
        self.embedded = options;
        self
    }

    /// Sets how long to wait for another process that has the directory open. Default five seconds.
    #[must_use]
    #[cfg_attr(
        not(feature = "embedded"),
        expect(unused_mut, unused_variables, reason = "only a directory is opened in one way or another")
    )]
    pub fn wait(mut self, wait: std::time::Duration) -> Self {
        #[cfg(feature = "embedded")]
        {
            self.embedded.wait = wait;
        }
        self
    }

    /// Opens the database. Interrupted writes of earlier processes are completed or undone; on a server, the next write
    /// does that.
    ///
    /// # Errors
    /// - [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) if it was created with another embedder or version; the
    ///   message names both and the remedy;
    /// - [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a required feature is not compiled in;
    /// - errors of the database.
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
            // Opened with its own dimension, the database can report its embedder, so the check names both.
            Err(error) if error.dense_stored().is_some() => {
                let schema = Graph::schema(error.dense_stored().flatten());
                open_store(&location, prefix.as_deref(), schema, how).await
            }
            opened => opened,
        };
        let store: Arc<dyn PointStore> = Arc::new(MeteredStore::new(store.stage(Stage::Open)?));
        Meta::check(&store, &fingerprint).await.stage(Stage::Open)?;
        let graph = Graph::new(store, workspace).with_exact(exact);
        if graph.store().kind() != StoreKind::Server && graph.has_notes().await.stage(Stage::Open)? {
            graph.finish_deletions().await.stage(Stage::Open)?;
            #[cfg(feature = "embedded")]
            finish_erasure(&graph, &notify).await;
        }
        let (analyses, wordings) = (Arc::default(), Arc::default());
        let own = self.chat_models;
        let llm = self.chat_model.map(|model| Llm::new(model, own, self.chat_options, &graph));
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

/// Rebuilds the files after an interrupted deletion. The database can be used without that, so a failure is only
/// reported; the next opening tries again.
#[cfg(feature = "embedded")]
async fn finish_erasure(graph: &Graph, notify: &quiver_store::Notify) {
    match graph.finish_erasure().await {
        Ok(false) => {}
        Ok(true) => notify.tell(
            "a deletion was interrupted; the files were rebuilt, and they no longer contain the deleted data",
        ),
        Err(error) => notify.tell(&format!(
            "the files may still contain deleted data, because they could not be rebuilt: {error}"
        )),
    }
}

/// The options for opening a directory.
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
            format!("{}: opening a directory requires the feature `embedded`", path.display()),
        )),
        #[cfg(feature = "server")]
        Location::Server(options) => {
            let mut options = options.clone();
            if let Some(prefix) = prefix {
                prefix.clone_into(&mut options.prefix);
            }
            // Opening a cluster takes a large future, so it is boxed.
            Ok(Arc::new(Box::pin(quiver_store::ServerStore::open(options, schema)).await?))
        }
    }
}
