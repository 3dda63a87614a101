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

/// A chat model that stores replies in a directory, so that the same call is not paid for twice.
///
/// The cache key is the model's name, the messages, the format and the options. Endpoints that give different models
/// the same name need separate directories. A reply is on disk before it is returned. Several processes can share a
/// directory, and a process can be killed at any time: damaged and incomplete files are treated as missing.
/// Concurrent equal requests in one process make one call.
///
/// Failures and empty replies are not cached. Refusals and replies that turn out to be unreadable are, because
/// another call would most likely return the same; use [`forget`](Self::forget) to try again. A reply that can't be
/// stored, for example because the disk is full, is still returned. The failure is logged and counted by
/// [`unkept`](Self::unkept).
///
/// Replies are stored unencrypted and can quote the documents.
pub struct CachedChat<M> {
    model: M,
    disk: Arc<Disk>,
    under_way: Mutex<HashMap<Digest, Arc<tokio::sync::Mutex<()>>>>,
    unkept: AtomicU64,
}

impl<M: ChatModel> CachedChat<M> {
    /// Wraps a model. Creates the directory if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Other`] if the directory can't be created or written to.
    pub fn open(model: M, directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref();
        let disk = Disk::open(directory).map_err(|error| {
            let message = format!("the reply cache {} can't be used", directory.display());
            Error::new(ErrorKind::Other, message).with_source(error)
        })?;
        let under_way = Mutex::default();
        Ok(Self { model, disk: Arc::new(disk), under_way, unkept: AtomicU64::new(0) })
    }

    /// Returns the wrapped model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// Returns whether the reply to a request is cached.
    pub async fn contains(&self, request: &ChatRequest) -> bool {
        self.kept(self.digest(request)).await.is_some()
    }

    /// Removes the reply to a request from the cache, if it is there.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Other`] if the file can't be removed.
    pub async fn forget(&self, request: &ChatRequest) -> Result<()> {
        let (disk, digest) = (Arc::clone(&self.disk), self.digest(request));
        let removed = spawn_blocking(move || disk.remove(digest)).await.map_err(std::io::Error::other);
        removed.flatten().map_err(|error| {
            Error::new(ErrorKind::Other, "a cached reply can't be removed").with_source(error)
        })
    }

    /// Returns the number of replies that could not be stored.
    pub fn unkept(&self) -> u64 {
        self.unkept.load(Ordering::Relaxed)
    }

    /// Returns the number of distinct requests that are running or waiting.
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
            tracing::warn!(%error, "a reply can't be cached");
            self.unkept.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<Digest, Arc<tokio::sync::Mutex<()>>>> {
        // No statement that can panic leaves the map in an inconsistent state.
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

/// The lock that serialises equal requests.
struct Turn<'a, M: ChatModel> {
    chat: &'a CachedChat<M>,
    digest: Digest,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl<M: ChatModel> Drop for Turn<'_, M> {
    fn drop(&mut self) {
        let mut turns = self.chat.turns();
        // Only this turn and the map hold a reference, so nobody else is waiting.
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
