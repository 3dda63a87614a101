mod digest;
mod disk;

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use self::{digest::Digest, disk::Disk};
use super::{ChatModel, ChatReply, ChatRequest, OnText};
use crate::{Error, ErrorKind, Result};

/// A chat model that keeps replies in a directory, so that nothing is paid for twice.
///
/// Replies are kept under the model's name, the messages, the format and the options: a request that differs in any of
/// them is another one. Endpoints that give different models one name want a directory each. A reply is on the disk
/// before it is returned. Any number of processes may share a directory, and each may be killed at any point: what is
/// damaged or half written counts as not there. Equal requests at a time, in one process, make one call.
///
/// Failures are not kept, nor replies without a word; refusals and replies that turn out unreadable are, since asking
/// again would most likely bring the same. [`forget`](Self::forget) makes room for another try. A reply that can't be
/// kept, on a full disk, is returned all the same, logged, and counted by [`unkept`](Self::unkept).
///
/// The replies are stored in the clear; they say what the documents say.
pub struct CachedChat<M> {
    model: M,
    disk: Arc<Disk>,
    under_way: Mutex<HashMap<Digest, Arc<tokio::sync::Mutex<()>>>>,
    unkept: AtomicU64,
}

impl<M: ChatModel> CachedChat<M> {
    /// Wraps a model; the directory is made where there is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Other`] when the directory can't be made or written to.
    pub fn open(model: M, directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref();
        let disk = Disk::open(directory).map_err(|error| {
            let message = format!("the cache of replies {} can't be used", directory.display());
            Error::new(ErrorKind::Other, message).with_source(error)
        })?;
        let under_way = Mutex::default();
        Ok(Self { model, disk: Arc::new(disk), under_way, unkept: AtomicU64::new(0) })
    }

    /// The wrapped model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// Whether the reply to a request is kept.
    pub async fn contains(&self, request: &ChatRequest) -> bool {
        self.kept(self.digest(request)).await.is_some()
    }

    /// Forgets the reply to a request, if it is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Other`] when the file can't be removed.
    pub async fn forget(&self, request: &ChatRequest) -> Result<()> {
        let (disk, digest) = (Arc::clone(&self.disk), self.digest(request));
        let removed = spawn_blocking(move || disk.remove(digest)).await.map_err(std::io::Error::other);
        removed
            .flatten()
            .map_err(|error| Error::new(ErrorKind::Other, "a kept reply can't be removed").with_source(error))
    }

    /// How many replies could not be kept.
    pub fn unkept(&self) -> u64 {
        self.unkept.load(Ordering::Relaxed)
    }

    /// How many requests are under way or waited for.
    #[cfg(test)]
    pub(super) fn under_way(&self) -> usize {
        self.turns().len()
    }

    fn digest(&self, request: &ChatRequest) -> Digest {
        digest::digest(self.model.model(), request)
    }

    async fn kept(&self, digest: Digest) -> Option<ChatReply> {
        let disk = Arc::clone(&self.disk);
        let reply = spawn_blocking(move || disk.read(digest)).await.ok().flatten()?;
        Some(ChatReply { is_cached: true, ..reply })
    }

    async fn keep(&self, digest: Digest, reply: &ChatReply) {
        if reply.text.trim().is_empty() && reply.refusal.is_none() {
            return;
        }
        let (disk, reply) = (Arc::clone(&self.disk), reply.clone());
        let written = spawn_blocking(move || disk.write(digest, &reply)).await.map_err(std::io::Error::other);
        if let Err(error) = written.flatten() {
            tracing::warn!(%error, "a reply can't be kept");
            self.unkept.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<Digest, Arc<tokio::sync::Mutex<()>>>> {
        // The map is whole between any two statements that can panic.
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: &ChatRequest, mut on_text: Option<OnText<'_>>) -> Result<ChatReply> {
        let digest = self.digest(request);
        let turn = Turn { chat: self, digest, lock: Arc::clone(self.turns().entry(digest).or_default()) };
        let _mine = turn.lock.lock().await;
        if let Some(reply) = self.kept(digest).await {
            if let Some(on_text) = on_text.filter(|_| !reply.text.is_empty()) {
                on_text(&reply.text);
            }
            return Ok(reply);
        }
        let reply = match &mut on_text {
            Some(on_text) => self.model.stream(request, on_text).await?,
            None => self.model.chat(request).await?,
        };
        self.keep(digest, &reply).await;
        Ok(reply)
    }
}

/// The right to ask for one request; equal requests take turns.
struct Turn<'a, M: ChatModel> {
    chat: &'a CachedChat<M>,
    digest: Digest,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl<M: ChatModel> Drop for Turn<'_, M> {
    fn drop(&mut self) {
        let mut turns = self.chat.turns();
        // This turn's and the map's own: nobody else waits.
        if Arc::strong_count(&self.lock) <= 2 {
            turns.remove(&self.digest);
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for CachedChat<M> {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        self.answer(request, None).await
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        self.answer(request, Some(on_text)).await
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        self.contains(request).await || self.model.has(request).await
    }
}

impl<M: fmt::Debug> fmt::Debug for CachedChat<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedChat")
            .field("model", &self.model)
            .field("directory", &self.disk.directory())
            .finish_non_exhaustive()
    }
}
