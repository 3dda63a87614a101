//! The state shared by all requests: the database, workspace by workspace, and limits on its use.

use std::{
    collections::{BTreeSet, HashMap},
    future::Future,
    sync::{
        Arc, LazyLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use quiver::{Quiver, graph::Workspace};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    task::spawn_blocking,
    time::timeout,
};
use tracing::{Instrument as _, Span};

use crate::{
    commands::{Commands, Known},
    config::Config,
    keys::Keys,
    limits::{Held, Places, Rates, Streams},
    metrics::Metrics,
    problem::{Code, Problem},
};

/// Maximum number of open workspaces. Those that no request uses are closed first.
const WORKSPACES_MAX: usize = 256;

/// The state shared by all requests. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) keys: Keys,
    pub(crate) rates: Rates,
    pub(crate) streams: Streams,
    pub(crate) metrics: Metrics,
    /// The description of the endpoints.
    pub(crate) description: &'static LazyLock<String>,
    /// Runs the commands of other processes.
    pub(crate) commands: Known,
    /// The database, with the workspace it was opened with.
    quiver: Quiver,
    workspaces: Mutex<HashMap<Workspace, Arc<Place>>>,
    /// Limits how many long bodies are read at once, which bounds their memory.
    pub(crate) bodies: Places,
    /// Limits how many requests fetch web pages at once.
    pub(crate) fetching: Places,
    reading: Places,
    querying: Places,
    writing: Places,
    /// Limits deletions, which wait for files to be rebuilt. Writers do not wait for them.
    erasing: Places,
    /// Whether the server was told to stop.
    ending: AtomicBool,
}

/// An open workspace.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) quiver: Quiver,
    /// Conversations in use by a request, so that the turns of one are numbered in sequence.
    sessions: Mutex<HashMap<String, Weak<Mutex<()>>>>,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    pub(crate) fn new(
        quiver: Quiver,
        keys: Keys,
        config: Config,
        description: &'static LazyLock<String>,
        commands: Option<Box<dyn Commands>>,
    ) -> Self {
        let reading = Places::new(config.questions_at_once, config.waiting_max);
        // Queries may take long, and questions do not wait for them.
        let querying = Places::new(config.questions_at_once.div_ceil(2), config.waiting_max);
        let writing = Places::new(2, config.waiting_max);
        // All of them share one rebuild.
        let erasing = Places::new(config.waiting_max, config.waiting_max);
        let bodies = Places::new(8, config.waiting_max);
        let fetching = Places::new(4, config.waiting_max);
        let rates = Rates::new(config.requests_per_minute);
        Self(Arc::new(Inner {
            config,
            keys,
            rates,
            streams: Streams::default(),
            metrics: Metrics::default(),
            description,
            commands: Known(commands),
            quiver,
            workspaces: Mutex::default(),
            bodies,
            fetching,
            reading,
            querying,
            writing,
            erasing,
            ending: AtomicBool::new(false),
        }))
    }

    /// Returns the database, for operations outside any workspace.
    pub(crate) fn database(&self) -> &Quiver {
        &self.quiver
    }

    pub(crate) fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
        if let Some(jobs) = &self.config.jobs {
            jobs.end();
        }
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// Returns a workspace, opening it if necessary. All requests share its locks and caches.
    pub(crate) async fn place(&self, workspace: &Workspace) -> Result<Arc<Place>, Problem> {
        let mut open = self.workspaces.lock().await;
        if let Some(place) = open.get(workspace) {
            return Ok(Arc::clone(place));
        }
        if open.len() >= WORKSPACES_MAX {
            open.retain(|_, place| Arc::strong_count(place) > 1);
        }
        let quiver = self.quiver.in_workspace(workspace.clone()).await?;
        let place = Arc::new(Place { quiver, sessions: Mutex::default() });
        open.insert(workspace.clone(), Arc::clone(&place));
        Ok(place)
    }

    /// Runs a read for a request. The work ends if the client disconnects or it takes too long.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        self.read_in(self.reading.take(self.config.queue_time_max).await?, work).await
    }

    /// Runs a read for a typed command, whose user would rather wait.
    pub(crate) async fn read_patiently<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        self.read_in(self.reading.take(self.config.time_max).await?, work).await
    }

    /// Runs a read for a query, which may read much.
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        self.read_in(self.querying.take(self.config.queue_time_max).await?, work).await
    }

    async fn read_in<T: Send + 'static>(
        &self,
        place: Held,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        let limit = self.config.time_max;
        let (client, gone) = oneshot::channel::<()>();
        let (runtime, span) = (Handle::current(), Span::current());
        let task = spawn_blocking(move || {
            let _place = place;
            runtime.block_on(async {
                tokio::select! {
                    biased;
                    // The other end is dropped with the request.
                    _ = gone => Err(Problem::new(Code::Timeout, "the client has disconnected")),
                    done = timeout(limit, work.instrument(span)) => done.unwrap_or_else(|_| Err(too_long(limit))),
                }
            })
        });
        let done = task.await;
        drop(client);
        done.unwrap_or_else(|error| Err(panicked(&error)))
    }

    /// Runs a write for a request. Once begun, it completes even if the client disconnects.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        write_in(self.writing.take(self.config.time_max).await?, work).await
    }

    /// Runs a write that may wait for the files of the database to be rebuilt. Many of these run at once, and a thread
    /// for each would cost memory, so all of it except the store's part is async.
    pub(crate) async fn erase<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.erasing.take(self.config.time_max).await?;
        let erasing = async move {
            let _place = place;
            work.await
        };
        let task = tokio::spawn(erasing.instrument(Span::current()));
        task.await.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

async fn write_in<T: Send + 'static>(
    place: Held,
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    let (runtime, span) = (Handle::current(), Span::current());
    let task = spawn_blocking(move || {
        let _place = place;
        runtime.block_on(work.instrument(span))
    });
    task.await.unwrap_or_else(|error| Err(panicked(&error)))
}

impl Place {
    /// Waits until no other request uses these conversations, and keeps others out until the result is dropped.
    pub(crate) async fn enter(&self, sessions: BTreeSet<String>) -> Vec<OwnedMutexGuard<()>> {
        let mut entered = Vec::new();
        // All requests lock in the same order, so that no two wait for each other.
        for session in sessions {
            let lock = {
                let mut locks = self.sessions.lock().await;
                locks.retain(|_, lock| lock.strong_count() > 0);
                let known = locks.get(&session).and_then(Weak::upgrade);
                known.unwrap_or_else(|| {
                    let lock = Arc::default();
                    locks.insert(session, Arc::downgrade(&lock));
                    lock
                })
            };
            entered.push(lock.lock_owned().await);
        }
        entered
    }
}

fn too_long(limit: Duration) -> Problem {
    let detail = format!(
        "the request took more than {} s; ask for fewer passages or hops, or use the profile `fast`",
        limit.as_secs()
    );
    Problem::new(Code::Timeout, detail)
}

pub(crate) fn panicked(error: &tokio::task::JoinError) -> Problem {
    tracing::error!("a request failed because of a bug: {error}");
    Problem::new(Code::Internal, "this is a bug in the server; please report it with the server's log")
}
