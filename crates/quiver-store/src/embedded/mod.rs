//! The store in a directory: Qdrant's own engine in this process.

mod backup;
mod codec;
mod convert;
mod derived;
mod digest;
mod fields;
mod guard;
mod journal;
mod layout;
mod lock;
mod options;
mod pack;
mod packed;
mod read;
mod shard;
mod state;
#[cfg(test)]
mod tests;

use std::{
    fmt, fs,
    path::Path,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use async_trait::async_trait;
use rayon::prelude::*;

pub use self::{
    backup::BackedUp,
    options::{EmbeddedOptions, Notify},
};
use self::{
    guard::from_io,
    layout::{Layout, Upgrade},
    lock::Lock,
    shard::{Change, Opening, Shard, Told, has_room, has_room_to_open, lock},
};
use crate::{
    BlockMode, Collection, CollectionState, Derived, Error, ErrorKind, Filter, IndexProgress, Page, Point,
    PointId, PointStore, Result, Schema, Scored, Search, Select, StoreKind, StoreReport, Version, WriteMode,
    check,
};

/// Number of unindexed dense vectors from which building an index pays. Below it, searching all of them takes about ten
/// milliseconds.
const INDEX_PAYS: u64 = 20_000;

/// A store in a local directory, held by one process at a time.
///
/// Searches compare with every vector until [`build_index`](PointStore::build_index) finds that an index pays. Building
/// it takes minutes for a hundred thousand points; meanwhile searches continue and writes wait.
pub struct EmbeddedStore {
    inside: Arc<Inside>,
    index_pays: u64,
    compactions: Compactions,
}

/// Calls that ask to rebuild the files, numbered in order of arrival.
#[derive(Debug, Default)]
struct Compactions {
    asked: AtomicU64,
    /// Number of the last call that a rebuild has served. Held during a rebuild.
    served: tokio::sync::Mutex<u64>,
}

/// How a store is opened.
struct How {
    options: EmbeddedOptions,
    salvages: bool,
    index_pays: u64,
}

struct Inside {
    schema: Schema,
    layout: Layout,
    shards: [Lazy; 3],
    // Last, so that it is dropped after everything else is closed.
    _lock: Lock,
}

/// A collection that is opened with the store, or later in the background or by its first use.
struct Lazy {
    collection: Collection,
    shard: OnceLock<Shard>,
    /// What its state file says, until it is opened, and who receives messages for the user then.
    closed: Mutex<Option<(Told, Notify)>>,
}

impl EmbeddedStore {
    /// Opens the database with this prefix in a directory, and creates what is missing.
    ///
    /// # Errors
    /// - [`ErrorKind::Locked`] if another process, or another store in this one, still holds it after the waiting time.
    ///   The message names the process.
    /// - [`ErrorKind::Mismatch`] if it was created with another dense dimension.
    /// - [`ErrorKind::Corrupt`] if it can't be read, or holds fewer points than were written.
    /// - [`ErrorKind::Full`], [`ErrorKind::Denied`], [`ErrorKind::Exhausted`] and [`ErrorKind::Device`] if the system
    ///   lacks or refuses something. They do not mean that stored data is damaged.
    pub async fn open(path: &Path, prefix: &str, schema: Schema) -> Result<Self> {
        Self::open_with(path, prefix, schema, EmbeddedOptions::default()).await
    }

    /// Opens the database as [`EmbeddedStore::open`] does, with options.
    ///
    /// # Errors
    /// As for [`EmbeddedStore::open`].
    pub async fn open_with(
        path: &Path,
        prefix: &str,
        schema: Schema,
        options: EmbeddedOptions,
    ) -> Result<Self> {
        Self::open_how(path, prefix, schema, How { options, salvages: false, index_pays: INDEX_PAYS }).await
    }

    /// Opens what can still be read of a damaged database, and reports what was left out. Use it only on a copy, such
    /// as [`EmbeddedStore::back_up`] makes: unreadable parts are moved aside.
    ///
    /// # Errors
    /// As for [`EmbeddedStore::open`], except for damage that can be skipped.
    pub async fn salvage(
        path: &Path,
        prefix: &str,
        schema: Schema,
        options: EmbeddedOptions,
    ) -> Result<Self> {
        let schema = Layout::new(path, prefix).schema_as_made(schema);
        Self::open_how(path, prefix, schema, How { options, salvages: true, index_pays: INDEX_PAYS }).await
    }

    /// Copies the database's files as they are, damaged ones too, to a directory that contains no database. Other
    /// processes are kept out meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] as for [`EmbeddedStore::open`]; [`ErrorKind::Invalid`] if there is no database, or the
    /// other directory has one; errors from writing the copy. A file that can't be read is skipped and reported.
    pub async fn back_up(
        path: &Path,
        prefix: &str,
        target: &Path,
        options: EmbeddedOptions,
    ) -> Result<BackedUp> {
        let (path, prefix, target) = (path.to_owned(), prefix.to_owned(), target.to_owned());
        blocking(move || {
            let _lock = Lock::claim(&path, &prefix, &options)?;
            backup::back_up(&path, &prefix, &target)
        })
        .await
    }

    async fn open_how(path: &Path, prefix: &str, schema: Schema, how: How) -> Result<Self> {
        let layout = Layout::new(path, prefix);
        let index_pays = how.index_pays;
        let needed = if how.options.is_brief { how.options.needed.clone() } else { Vec::new() };
        let inside = Arc::new(blocking(move || Inside::open(layout, schema, &how)).await?);
        for collection in needed {
            let inside = Arc::clone(&inside);
            // An error is that of the call that uses the collection.
            drop(tokio::task::spawn_blocking(move || inside.shard(collection).map(drop)));
        }
        Ok(Self { inside, index_pays, compactions: Compactions::default() })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inside) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inside = Arc::clone(&self.inside);
        blocking(move || work(&inside)).await
    }
}

/// The only place where async tasks cross into blocking threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(Error::new(ErrorKind::Other, "a store call was aborted").with_source(error))
    })
}

impl Inside {
    fn open(layout: Layout, schema: Schema, how: &How) -> Result<Self> {
        let directory = &layout.directory;
        fs::create_dir_all(directory)
            .map_err(|error| from_io("no database can be made in", directory, error))?;
        let lock = Lock::claim(directory, layout.prefix(), &how.options)?;
        if layout.exists() {
            has_room_to_open(directory)?;
        } else {
            has_room(directory, 0)?;
        }
        let upgrade = match layout.prepare(&schema) {
            Err(error) if how.salvages => {
                how.options.notify.tell(&error.to_string());
                Upgrade::default()
            }
            upgrade => upgrade?,
        };
        if upgrade.rewrites && !how.salvages {
            let place = directory.display();
            how.options
                .notify
                .tell(&format!("the database in {place} is of an earlier version and is rewritten, once"));
        }
        let is_brief = how.options.is_brief && !upgrade.is_needed() && !how.salvages;
        let opening =
            Opening { schema, notify: &how.options.notify, upgrade, salvages: how.salvages, is_brief };
        // Each one loads and replays independently, so they run in parallel.
        let shards = std::thread::scope(|scope| {
            let threads = Collection::ALL.map(|collection| {
                let layout = &layout;
                if is_brief && let Some(told) = Shard::told_closed(layout, collection) {
                    return (collection, Err(told));
                }
                let opened = thread::Builder::new()
                    .name(format!("open {collection}"))
                    .spawn_scoped(scope, move || Shard::open(layout, collection, opening));
                (collection, Ok(opened))
            });
            threads.map(|(collection, thread)| match thread {
                Err(told) => Ok(Lazy::closed(collection, told, &how.options.notify)),
                Ok(Ok(thread)) => thread
                    .join()
                    .unwrap_or_else(|_| Err(guard::corrupt(&layout.directory, "it panicked while loading")))
                    .map(Lazy::open),
                Ok(Err(error)) => Err(from_io("no thread can be started for", directory, error)),
            })
        });
        let [entities, relations, passages] = shards;
        let shards = [entities?, relations?, passages?];
        if upgrade.is_needed() && !how.salvages {
            layout.upgraded(&schema)?;
        }
        Ok(Self { schema, shards, layout, _lock: lock })
    }

    /// Returns a collection, and opens it if it is closed.
    fn shard(&self, collection: Collection) -> Result<&Shard> {
        let lazy = self.lazy(collection);
        if let Some(shard) = lazy.shard.get() {
            return Ok(shard);
        }
        let mut closed = lock(&lazy.closed);
        if let Some((_, notify)) = &*closed {
            let opening = Opening {
                schema: self.schema,
                notify,
                upgrade: Upgrade::default(),
                salvages: false,
                is_brief: true,
            };
            let shard = Shard::open(&self.layout, collection, opening)?;
            let _ = lazy.shard.set(shard);
            *closed = None;
        }
        Ok(lazy.shard.get().expect("a collection that is not closed is open"))
    }

    fn lazy(&self, collection: Collection) -> &Lazy {
        &self.shards[collection as usize]
    }

    /// Returns the size of the database on disk, in bytes.
    fn disk_bytes(&self) -> u64 {
        let of_collection = |lazy: &Lazy| {
            // A collection that is just being opened has temporary files.
            let _not_opening = lock(&lazy.closed);
            self.layout.disk_bytes(lazy.collection)
        };
        self.shards.iter().map(of_collection).sum()
    }
}

impl Lazy {
    fn open(shard: Shard) -> Self {
        Self { collection: shard.collection, shard: OnceLock::from(shard), closed: Mutex::default() }
    }

    fn closed(collection: Collection, told: Told, notify: &Notify) -> Self {
        let closed = Mutex::new(Some((told, notify.clone())));
        Self { collection, shard: OnceLock::new(), closed }
    }

    /// Returns how far its writes have come, without opening it.
    fn told(&self) -> Told {
        match &*lock(&self.closed) {
            Some((told, _)) => *told,
            None => self.shard.get().expect("a collection that is not closed is open").told(),
        }
    }
}

impl fmt::Debug for EmbeddedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedStore")
            .field("directory", &self.inside.layout.directory)
            .field("schema", &self.inside.schema)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl PointStore for EmbeddedStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Embedded
    }

    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        check::points(&self.inside.schema, collection, &points)?;
        if points.is_empty() {
            return Ok(());
        }
        self.run(move |inside| inside.shard(collection)?.change(Change::Put(points, mode))).await
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        let (ids, select) = (ids.to_vec(), select.clone());
        self.run(move |inside| inside.shard(collection)?.fetch(&ids, &select)).await
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        let filter = filter.clone();
        self.run(move |inside| inside.shard(collection)?.change(Change::Delete(filter))).await
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        let (filter, select) = (filter.clone(), select.clone());
        self.run(move |inside| inside.shard(collection)?.scroll(&filter, after, limit, &select)).await
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        check::searches(&self.inside.schema, searches)?;
        let searches = searches.to_vec();
        self.run(move |inside| {
            // A single search is a loop on one core. If several fail, the first one's error is returned.
            let found = searches
                .par_iter()
                .map(|search| inside.shard(search.collection).and_then(|shard| shard.search(search)));
            found.collect::<Vec<_>>().into_iter().collect()
        })
        .await
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        let filter = filter.clone();
        self.run(move |inside| inside.shard(collection)?.count(&filter)).await
    }

    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        let filter = filter.clone();
        self.run(move |inside| inside.shard(collection)?.estimate(&filter)).await
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        check::facet(&self.inside.schema, collection, field)?;
        let filter = filter.clone();
        self.run(move |inside| inside.shard(collection)?.facet(field, &filter, limit)).await
    }

    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        let mut small = Vec::new();
        for collection in Collection::ALL {
            let (dense, indexed) = self.run(move |inside| inside.shard(collection)?.indexed()).await?;
            if dense.saturating_sub(indexed) <= self.index_pays {
                small.push(collection);
                continue;
            }
            progress(IndexProgress { collection, done: indexed, total: dense });
            self.run(move |inside| inside.shard(collection)?.optimize()).await?;
            progress(IndexProgress { collection, done: dense, total: dense });
        }
        self.run(move |inside| {
            small.par_iter().try_for_each(|collection| inside.shard(*collection)?.seal_if_it_pays())
        })
        .await?;
        Ok(())
    }

    async fn compact(&self) -> Result<()> {
        let number = self.compactions.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut served = self.compactions.served.lock().await;
        if *served >= number {
            // A rebuild that began after this call has already ended.
            return Ok(());
        }
        let serves = self.compactions.asked.load(Ordering::SeqCst);
        // Each one mostly waits for the disk. It must not block the threads that scan passages.
        self.run(|inside| {
            thread::scope(|scope| {
                let compacting = Collection::ALL
                    .map(|collection| scope.spawn(move || inside.shard(collection)?.compact()));
                let all = compacting.map(|one| {
                    let aborted = |_| Error::new(ErrorKind::Other, "a collection was not rebuilt to its end");
                    one.join().map_err(aborted).flatten()
                });
                all.into_iter().try_for_each(|one| one.map(|_| ()))
            })
        })
        .await?;
        *served = serves;
        Ok(())
    }

    async fn version(&self, collection: Collection) -> Result<Option<Version>> {
        Ok(Some(self.inside.lazy(collection).told().version))
    }

    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>> {
        let name = name.to_owned();
        self.run(move |inside| derived::read(&inside.layout.derived(collection, &name))).await
    }

    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()> {
        let name = name.to_owned();
        self.run(move |inside| {
            let path = inside.layout.derived(collection, &name);
            has_room(&inside.layout.directory, block.len() as u64)?;
            derived::write(&path, version, &block, mode)
        })
        .await
    }

    async fn report(&self) -> Result<StoreReport> {
        self.run(|inside| {
            let mut report = StoreReport {
                kind: StoreKind::Embedded,
                location: inside.layout.directory.display().to_string(),
                points: [0; 3],
                indexed: [0; 3],
                states: [CollectionState::Ready; 3],
                disk_bytes: Some(inside.disk_bytes()),
                journals: Some(Collection::ALL.map(|collection| inside.lazy(collection).told().journal)),
                calls: Vec::new(),
            };
            for (place, lazy) in inside.shards.iter().enumerate() {
                if inside.schema.dense_dimension.is_none() {
                    report.points[place] = lazy.told().version.points;
                    continue;
                }
                let shard = inside.shard(lazy.collection)?;
                report.points[place] = shard.count(&Filter::everything())?;
                report.indexed[place] = shard.indexed()?.1;
            }
            Ok(report)
        })
        .await
    }
}
