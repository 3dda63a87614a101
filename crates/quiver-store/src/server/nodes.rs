//! Sends requests to a node that answers, with retries, and converts the client's errors.

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::{Either, select, select_ok};
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

/// The first pause between two rounds of attempts. Each following pause is twice as long, up to the maximum.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MOST: Duration = Duration::from_secs(10);
/// The same limits while a cluster detects which copies are available.
const PAUSE_FOR_COPIES: Duration = Duration::from_millis(500);
const PAUSE_FOR_COPIES_MOST: Duration = Duration::from_secs(2);
/// How long a node may be silent before a health check, if there are other nodes.
const SILENCE: Duration = Duration::from_secs(2);
/// Timeout of a health check in the first round of attempts; each further round adds as much again.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
/// How long another node's confirmation of a node's copies stays valid. A cluster takes longer to drop a silent node
/// (three seconds in Qdrant 1.18), and no node restarts that fast.
const CONFIRMED_FOR: Duration = Duration::from_millis(500);
/// How long after the confirmation was requested an answer may arrive. A later answer may come from a node that was
/// paused meanwhile, and whose copies the cluster dropped.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// The gRPC status codes.
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

/// The nodes of a cluster, or a single server.
pub(super) struct Nodes {
    members: Vec<Node>,
    /// Index of the node to ask first.
    current: AtomicUsize,
    /// The addresses without credentials.
    place: String,
    attempts: u32,
    timeout: Duration,
    freshness: Freshness,
}

struct Node {
    client: Qdrant,
    /// The address without credentials.
    url: String,
    /// The user and password in the address.
    credentials: Option<String>,
    /// What another node last confirmed of the copies that this node reads, by collection.
    confirmed: Mutex<HashMap<String, Confirmation>>,
}

/// Another node's confirmation that the copies which a node reads are in service.
#[derive(Clone)]
struct Confirmation {
    /// When it was asked for.
    asked: Instant,
    copies: Arc<HashSet<ShardCopy>>,
}

/// A copy of a shard: the node that has it, and the number of the shard.
type ShardCopy = (u64, u32);

/// The purpose of a request.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// Neither reads nor writes points.
    Other,
    /// Reads points of a collection.
    Read(&'a str),
    Write,
}

/// Why a node did not fulfil a request.
struct Failure {
    error: Error,
    /// The node is available, but copies that it needs are not.
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

    /// Makes a request that neither reads nor writes points.
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

    /// Writes points. Waits longer than a read for copies that are unavailable.
    pub(super) async fn write<'a, T, F>(&'a self, request: impl Fn(&'a Qdrant) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, QdrantError>> + Send,
    {
        self.send(Purpose::Write, request).await
    }

    /// Sends a request to one node after another, and retries while they are busy or unavailable. All requests of
    /// this crate can be repeated safely.
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

    /// Moves on from a node that failed, unless another call has already done so.
    fn leave(&self, place: usize) {
        let next = (place + 1) % self.members.len();
        let _ = self.current.compare_exchange(place, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn given_up(&self, last: Error) -> Error {
        if self.members.len() == 1 {
            return last;
        }
        let message = format!("no node of {} is available; the last one tried: {last}", self.place);
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
        let Purpose::Read(collection) = purpose else {
            return self.watch(node, patience, request(&node.client)).await;
        };
        let confirmation = self.confirm(place, collection, patience).await?;
        let answer = self.watch(node, patience, request(&node.client)).await?;
        if let Some(Confirmation { asked, copies }) = confirmation
            && asked.elapsed() > ANSWERED_WITHIN
        {
            self.are_in_service(place, collection, &copies, patience).await?;
        }
        Ok(answer)
    }

    /// Waits for a node's answer. If there are other nodes, gives up when this one fails a health check.
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
            Either::Right(_) => Err(away(&node.url, "it does not respond").into()),
        }
    }

    /// Ensures that a node does not read copies that the cluster took out of service without the node noticing. Returns
    /// `None` if that is not checked.
    async fn confirm(
        &self,
        place: usize,
        collection: &str,
        patience: Duration,
    ) -> Result<Option<Confirmation>, Failure> {
        if self.members.len() == 1 || self.freshness == Freshness::Any {
            return Ok(None);
        }
        let node = &self.members[place];
        let known = node.confirmed_for(collection);
        if known.as_ref().is_some_and(|known| known.asked.elapsed() < CONFIRMED_FOR) {
            return Ok(known);
        }
        let own = self.watch(node, patience, node.client.collection_cluster_info(collection)).await?;
        let copies = Arc::new(in_service(&own));
        // Requested after asking the node itself, whose answer may be as old as the time it took.
        let asked = Instant::now();
        self.are_in_service(place, collection, &copies, patience).await?;
        let confirmation = Confirmation { asked, copies };
        let mut confirmed = node.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        confirmed.insert(collection.to_owned(), confirmation.clone());
        Ok(Some(confirmation))
    }

    /// Asks another node whether the copies that a node reads are in service.
    async fn are_in_service(
        &self,
        place: usize,
        collection: &str,
        copies: &HashSet<ShardCopy>,
        patience: Duration,
    ) -> Result<(), Failure> {
        let url = &self.members[place].url;
        let others =
            self.members.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| {
                Box::pin(async move {
                    let seen = other.client.collection_cluster_info(collection);
                    self.watch(other, patience, seen).await.map(|seen| (other, seen))
                })
            });
        let message = match select_ok(others).await {
            Ok(((_, seen), _)) if copies.is_subset(&in_service(&seen)) => return Ok(()),
            Ok(((other, _), _)) => format!(
                "the server at {url} reads replicas that are out of service according to the server at {}; it may have \
                 just come back, or belong to another cluster",
                other.url
            ),
            Err(_) => format!(
                "no other node confirms that the replicas of the server at {url} are up to date; give the addresses of \
                 all nodes, or set freshness to any"
            ),
        };
        Err(Failure { error: Error::new(ErrorKind::Unavailable, message), lacks_copies: true })
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
            // The client's check runs on a thread of its own and prints its result; `greet` checks the version
            // instead.
            .skip_compatibility_check()
            .build();
        client.map(node).map_err(|error| convert(&shown(url), credentials(url), error).error)
    }

    fn convert(&self, error: QdrantError) -> Failure {
        convert(&self.url, self.credentials.as_deref(), error)
    }

    fn confirmed_for(&self, collection: &str) -> Option<Confirmation> {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).get(collection).cloned()
    }
}

/// Returns the copies that a node considers in service, as pairs of node and shard.
fn in_service(info: &CollectionClusterInfoResponse) -> HashSet<ShardCopy> {
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

/// Converts a client error. Only the server's message is passed on, since other parts of the error may contain the
/// API key.
fn convert(url: &str, credentials: Option<&str>, error: QdrantError) -> Failure {
    let (status, retry_after) = match error {
        QdrantError::ResponseError { status } => (status, None),
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            (status, Some(Duration::from_secs(retry_after_seconds)))
        }
        QdrantError::InvalidUri(source) => {
            let message =
                format!("{url:?} is not the address of a server; it should look like http://localhost:6334");
            return Error::new(ErrorKind::Invalid, message).with_source(source).into();
        }
        other => return Error::new(ErrorKind::Other, format!("server at {url}: {other}")).into(),
    };
    let said = match credentials {
        // The client's message contains the address to which it could not connect.
        Some(secret) => status.message().replace(secret, ""),
        None => status.message().to_owned(),
    };
    let said = said.as_str();
    let lacks_copies = lacks_copies(said);
    // An error reported by the server has no local source. A lost connection has many different messages, depending
    // on what the client was about to do.
    let failed_here = std::error::Error::source(&status).is_some();
    let error = match i32::from(status.code()) {
        code::UNAUTHENTICATED | code::PERMISSION_DENIED => {
            Error::new(ErrorKind::Unauthorized, format!("the server at {url} rejected the API key: {said}"))
        }
        _ if is_out_of_room(said) => {
            Error::new(ErrorKind::Full, format!("no space is left on the server at {url}: {said}"))
        }
        code::RESOURCE_EXHAUSTED => {
            Error::new(ErrorKind::Unavailable, format!("the server at {url} is busy: {said}"))
        }
        _ if unconnected(said).is_some() => away(url, said),
        _ if lacks_copies => {
            let message = format!("the server at {url} has no available replica of the data: {said}");
            Error::new(ErrorKind::Unavailable, message)
        }
        code::UNAVAILABLE | code::DEADLINE_EXCEEDED => away(url, said),
        // The client reports connection failures and its own timeout with these codes.
        code::CANCELLED | code::UNKNOWN | code::INTERNAL if failed_here || is_of_transport(said) => {
            away(url, said)
        }
        code::INVALID_ARGUMENT => {
            Error::new(ErrorKind::Invalid, format!("the server at {url} rejected the request: {said}"))
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
    let message = match unconnected(said) {
        Some((url, why)) => {
            format!(
                "can't connect to {url}: {why}; check the address, and whether a Qdrant server runs there"
            )
        }
        None => format!("the server at {url} can't be reached: {said}"),
    };
    Error::new(ErrorKind::Unavailable, message)
}

/// Returns the address that could not be connected to, and why, if a message quotes the structures of the client.
fn unconnected(said: &str) -> Option<(&str, &'static str)> {
    let (url, cause) = said.split_once("Failed to connect to ")?.1.split_once(": tonic::")?;
    let known = [
        ("ConnectionRefused", "the connection was refused"),
        ("dns error", "the host is unknown"),
        ("TimedOut", "it does not respond"),
        ("ertificate", "its certificate is not accepted"),
    ];
    let known = known.iter().find(|(part, _)| cause.contains(part));
    Some((url.trim_end_matches('/'), known.map_or("it does not respond", |(_, why)| why)))
}

fn is_of_transport(said: &str) -> bool {
    ["Failed to connect", "transport error", "Timeout expired", "h2 protocol error", "connection"]
        .iter()
        .any(|sign| said.contains(sign))
}

/// Whether a node failed because other nodes of its cluster are unavailable; there is no status code for that.
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
