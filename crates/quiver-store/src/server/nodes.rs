//! Requests: sent to a node that answers, tried again where that helps; and failures in the contract's words.

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    pin::pin,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::{Either, join, select, select_ok};
use qdrant_client::{
    Qdrant, QdrantError,
    qdrant::{CollectionClusterInfoResponse, ReplicaState},
};
use tokio::time::{sleep, timeout};

use super::{
    Freshness, ServerOptions,
    options::{credentials, shown},
};
use crate::{Error, ErrorKind, Result};

/// The first pause between two rounds of tries; each pause after it is twice as long.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MOST: Duration = Duration::from_secs(10);
/// The same while a cluster finds out which copies are left.
const PAUSE_FOR_COPIES: Duration = Duration::from_millis(500);
const PAUSE_FOR_COPIES_MOST: Duration = Duration::from_secs(2);
/// How long a node may be silent before we ask whether it is alive, if there is another one to go to.
const SILENCE: Duration = Duration::from_secs(2);
/// How long a node may take to say that it is alive: so much in the first round of tries, twice as much in the second.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
/// How long a node's copies count as in service after another node confirmed it. A cluster takes longer to give up a
/// node that is silent (three seconds in Qdrant 1.18), and no node restarts so quickly.
const CONFIRMED_FOR: Duration = Duration::from_millis(500);

/// The numbers that gRPC gives its outcomes.
mod code {
    pub(super) const CANCELLED: i32 = 1;
    pub(super) const UNKNOWN: i32 = 2;
    pub(super) const INVALID_ARGUMENT: i32 = 3;
    pub(super) const DEADLINE_EXCEEDED: i32 = 4;
    pub(super) const PERMISSION_DENIED: i32 = 7;
    pub(super) const RESOURCE_EXHAUSTED: i32 = 8;
    pub(super) const INTERNAL: i32 = 13;
    pub(super) const UNAVAILABLE: i32 = 14;
    pub(super) const UNAUTHENTICATED: i32 = 16;
}

/// The nodes of a cluster, or the one server.
pub(super) struct Nodes {
    members: Vec<Node>,
    /// The node that answered last.
    current: AtomicUsize,
    /// The addresses, as they may be shown.
    place: String,
    attempts: u32,
    timeout: Duration,
    freshness: Freshness,
}

struct Node {
    client: Qdrant,
    /// The address, as it may be shown.
    url: String,
    /// The user and the password in the address.
    credentials: Option<String>,
    /// When another node last confirmed, for a collection, that the copies which this node reads are in service.
    confirmed: Mutex<HashMap<String, Instant>>,
}

/// What a request is for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// It neither reads nor writes points.
    Other,
    /// It reads points of a collection.
    Read(&'a str),
    Write,
}

/// Why a node did not do what was asked.
struct Failure {
    error: Error,
    /// The node is there, and copies that it needs are not.
    lacks_copies: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, lacks_copies: false }
    }
}

impl Nodes {
    pub(super) fn new(options: &ServerOptions) -> Result<Self> {
        options.check()?;
        Ok(Self {
            members: options.urls.iter().map(|url| Node::new(url, options)).collect::<Result<_>>()?,
            current: AtomicUsize::new(0),
            place: options.place(),
            attempts: options.attempts.max(1),
            timeout: options.timeout,
            freshness: options.freshness,
        })
    }

    /// Makes a request that concerns no points.
    pub(super) async fn call<'a, T, F>(&'a self, request: impl Fn(&'a Qdrant) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        self.send(Purpose::Other, request).await
    }

    /// Reads points of a collection.
    pub(super) async fn read<'a, T, F>(
        &'a self,
        collection: &'a str,
        request: impl Fn(&'a Qdrant) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        self.send(Purpose::Read(collection), request).await
    }

    /// Writes points. Waits longer than a read does for copies that are away.
    pub(super) async fn write<'a, T, F>(&'a self, request: impl Fn(&'a Qdrant) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        self.send(Purpose::Write, request).await
    }

    /// Makes a request at one node after the other, again and again while they are busy or away. All requests of this
    /// crate can be repeated.
    async fn send<'a, T, F>(&'a self, purpose: Purpose<'a>, request: impl Fn(&'a Qdrant) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        let began = Instant::now();
        let mut pause = PAUSE;
        for round in 1.. {
            let mut failure = None;
            for _ in 0..self.members.len() {
                let place = self.current.load(Ordering::Relaxed);
                let failed = match self.ask(place, purpose, SIGN_OF_LIFE * round, &request).await {
                    Ok(answer) => return Ok(answer),
                    Err(failed) if !failed.error.is_retryable() => return Err(failed.error),
                    Err(failed) => failed,
                };
                tracing::debug!(round, error = %failed.error, "trying again");
                self.leave(place);
                failure = Some(failed);
            }
            let Some(Failure { error, lacks_copies }) = failure else { continue };
            let waits = matches!(purpose, Purpose::Write) && lacks_copies && began.elapsed() < self.timeout;
            if round >= self.attempts && !waits {
                return Err(self.given_up(error));
            }
            let (least, most) =
                if lacks_copies { (PAUSE_FOR_COPIES, PAUSE_FOR_COPIES_MOST) } else { (PAUSE, PAUSE_MOST) };
            sleep(error.retry_after().unwrap_or(pause.max(least)).min(most)).await;
            pause = (pause * 2).min(PAUSE_MOST);
        }
        unreachable!("the last round returns")
    }

    /// Goes on to the node after one that failed, unless another call did so already.
    fn leave(&self, place: usize) {
        let next = (place + 1) % self.members.len();
        let _ = self.current.compare_exchange(place, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn given_up(&self, last: Error) -> Error {
        if self.members.len() == 1 {
            return last;
        }
        let message = format!("no node of {} can be used now; the last one tried: {last}", self.place);
        let error = Error::new(last.kind(), message);
        match last.retry_after() {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        }
    }

    async fn ask<'a, T, F>(
        &'a self,
        place: usize,
        purpose: Purpose<'a>,
        patience: Duration,
        request: &impl Fn(&'a Qdrant) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        let node = &self.members[place];
        if let Purpose::Read(collection) = purpose {
            self.confirm(place, collection, patience).await?;
        }
        self.watch(node, patience, request(&node.client)).await
    }

    /// Waits for a node's answer. If there are other nodes, waits only while this one gives signs of life.
    async fn watch<T>(
        &self,
        node: &Node,
        patience: Duration,
        answer: impl Future<Output = Result<T, QdrantError>> + Send,
    ) -> Result<T, Failure> {
        if self.members.len() == 1 {
            return answer.await.map_err(|error| node.convert(error));
        }
        let silence = async {
            loop {
                sleep(SILENCE).await;
                if !matches!(timeout(patience, node.client.health_check()).await, Ok(Ok(_))) {
                    return;
                }
            }
        };
        match select(pin!(answer), pin!(silence)).await {
            Either::Left((answer, _)) => answer.map_err(|error| node.convert(error)),
            Either::Right(_) => Err(away(&node.url, "it is silent").into()),
        }
    }

    /// Sees to it that a node does not read copies which the cluster took out of service without its knowledge.
    async fn confirm(&self, place: usize, collection: &str, patience: Duration) -> Result<(), Failure> {
        if self.members.len() == 1 || self.freshness == Freshness::Any {
            return Ok(());
        }
        let node = &self.members[place];
        if node.confirmed_at(collection).is_some_and(|at| at.elapsed() < CONFIRMED_FOR) {
            return Ok(());
        }
        let asked = Instant::now();
        let own = self.watch(node, patience, node.client.collection_cluster_info(collection));
        let others =
            self.members.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| {
                Box::pin(async move {
                    let seen = other.client.collection_cluster_info(collection);
                    self.watch(other, patience, seen).await.map(|seen| (other, seen))
                })
            });
        let (own, other) = join(own, select_ok(others)).await;
        let own = own?;
        let Ok(((other, seen), _)) = other else {
            let message = format!(
                "no other node confirms that the copies which the server at {} reads are up to date; give the \
                 addresses of all nodes, or set freshness to any",
                node.url
            );
            return Err(Failure { error: Error::new(ErrorKind::Unavailable, message), lacks_copies: true });
        };
        if !in_service(&own).is_subset(&in_service(&seen)) {
            let message = format!(
                "the server at {} reads copies that are out of service according to the server at {}; it may have \
                 just come back, or is of another cluster",
                node.url, other.url
            );
            return Err(Failure { error: Error::new(ErrorKind::Unavailable, message), lacks_copies: true });
        }
        node.confirmed.lock().unwrap_or_else(PoisonError::into_inner).insert(collection.to_owned(), asked);
        Ok(())
    }
}

impl Node {
    fn new(url: &str, options: &ServerOptions) -> Result<Self> {
        let node = |client| Self {
            client,
            url: shown(url),
            credentials: credentials(url).map(str::to_owned),
            confirmed: Mutex::default(),
        };
        let client = Qdrant::from_url(url)
            .api_key(options.api_key.clone())
            .timeout(options.timeout)
            .connect_timeout(options.timeout.min(Duration::from_secs(5)))
            // It asks on a thread of its own and prints what it finds; `version` does better.
            .skip_compatibility_check()
            .build();
        client.map(node).map_err(|error| convert(&shown(url), credentials(url), error).error)
    }

    fn convert(&self, error: QdrantError) -> Failure {
        convert(&self.url, self.credentials.as_deref(), error)
    }

    fn confirmed_at(&self, collection: &str) -> Option<Instant> {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).get(collection).copied()
    }
}

/// The copies that a node takes to be in service: the node that has one, and the shard.
fn in_service(info: &CollectionClusterInfoResponse) -> HashSet<(u64, u32)> {
    let is_read = |state: i32| {
        matches!(
            ReplicaState::try_from(state),
            Ok(ReplicaState::Active | ReplicaState::ReshardingScaleDown | ReplicaState::ActiveRead)
        )
    };
    let own = info.local_shards.iter().map(|shard| (info.peer_id, shard.shard_id, shard.state));
    let remote = info.remote_shards.iter().map(|shard| (shard.peer_id, shard.shard_id, shard.state));
    own.chain(remote).filter(|copy| is_read(copy.2)).map(|(peer, shard, _)| (peer, shard)).collect()
}

/// What the client said, as an error of this crate. Only the server's words are passed on: what else the client knows
/// may hold the key.
fn convert(url: &str, credentials: Option<&str>, error: QdrantError) -> Failure {
    let (status, retry_after) = match error {
        QdrantError::ResponseError { status } => (status, None),
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            (status, Some(Duration::from_secs(retry_after_seconds)))
        }
        QdrantError::InvalidUri(source) => {
            let message =
                format!("{url:?} is no address of a server; it should look like http://localhost:6334");
            return Error::new(ErrorKind::Invalid, message).with_source(source).into();
        }
        other => return Error::new(ErrorKind::Other, format!("server at {url}: {other}")).into(),
    };
    let said = match credentials {
        // The client names the address that it could not connect to.
        Some(secret) => status.message().replace(secret, ""),
        None => status.message().to_owned(),
    };
    let said = said.as_str();
    let lacks_copies = lacks_copies(said);
    // What a server answers has no cause on this side. The words for a connection that is gone are many: they depend on
    // what the client was about to do with it.
    let failed_here = std::error::Error::source(&status).is_some();
    let error = match i32::from(status.code()) {
        code::UNAUTHENTICATED | code::PERMISSION_DENIED => {
            Error::new(ErrorKind::Unauthorized, format!("the server at {url} refused the API key: {said}"))
        }
        _ if is_out_of_room(said) => {
            Error::new(ErrorKind::Full, format!("no room is left on the server at {url}: {said}"))
        }
        code::RESOURCE_EXHAUSTED => {
            Error::new(ErrorKind::Unavailable, format!("the server at {url} is busy: {said}"))
        }
        _ if lacks_copies => {
            let message = format!("the server at {url} lacks copies of what is concerned: {said}");
            Error::new(ErrorKind::Unavailable, message)
        }
        code::UNAVAILABLE | code::DEADLINE_EXCEEDED => away(url, said),
        // The client reports a connection that failed or broke, and its own deadline, in these.
        code::CANCELLED | code::UNKNOWN | code::INTERNAL if failed_here || is_of_transport(said) => {
            away(url, said)
        }
        code::INVALID_ARGUMENT => {
            Error::new(ErrorKind::Invalid, format!("the server at {url} refused the request: {said}"))
        }
        _ => Error::new(ErrorKind::Other, format!("the server at {url} failed: {said}")),
    };
    let error = match retry_after {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    };
    Failure { error, lacks_copies }
}

fn away(url: &str, said: &str) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the server at {url} can't be reached: {said}"))
}

fn is_of_transport(said: &str) -> bool {
    ["Failed to connect", "transport error", "Timeout expired", "h2 protocol error", "connection"]
        .iter()
        .any(|sign| said.contains(sign))
}

/// Whether a node of a cluster failed because of others that are away: it has no error of its own for that.
fn lacks_copies(said: &str) -> bool {
    [
        "read operations failed",
        "not have enough active replicas",
        "no active replica",
        "`Active` replica",
        "Consistency of this update is not guaranteed",
        "via leader peer",
        "no leader could be selected",
        "Failed to connect to http",
        "Healthcheck timeout",
        "consensus",
    ]
    .iter()
    .any(|sign| said.contains(sign))
}

fn is_out_of_room(said: &str) -> bool {
    ["No space left on device", "not enough space", "No disk space", "disk is full"]
        .iter()
        .any(|sign| said.contains(sign))
}
