use std::{fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;

use crate::{Filter, Page, Point, PointId, Result, Scored, Search, Select};

/// One of the three collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collection {
    /// Named things.
    Entities,
    /// Links between two things.
    Relations,
    /// Passages of text.
    Passages,
}

impl Collection {
    /// All three, in the order in which a write that spans them proceeds.
    pub const ALL: [Self; 3] = [Self::Entities, Self::Relations, Self::Passages];

    /// Returns the collection's name, which follows the database's prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Relations => "relations",
            Self::Passages => "passages",
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a payload field is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The tenant: a keyword that every filter names, and by which a server may lay out its points.
    Tenant,
    /// A string, or a list of strings.
    Keyword,
    /// An integer.
    Integer,
}

/// A payload field that filters use and that is therefore indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The collection that has the field.
    pub collection: Collection,
    /// The field's name.
    pub name: &'static str,
    /// How it is indexed.
    pub kind: FieldKind,
}

/// The schema that a database is opened with. What is missing is created; what exists is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The dense dimension; `None` if there are no dense vectors.
    pub dense_dimension: Option<usize>,
    /// The indexed fields.
    pub fields: &'static [Field],
}

impl Schema {
    /// Returns the indexed fields of a collection.
    #[cfg(any(feature = "embedded", feature = "server"))]
    pub(crate) fn of(&self, collection: Collection) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |field| field.collection == collection)
    }

    /// Whether a field is indexed as an integer.
    #[cfg(any(feature = "embedded", feature = "server"))]
    pub(crate) fn is_integer(&self, collection: Collection, name: &str) -> bool {
        self.of(collection).any(|field| field.name == name && field.kind == FieldKind::Integer)
    }
}

/// What a write does with a point whose ID exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Replaces the old point completely.
    Replace,
    /// Keeps the old point. If two writers write the same new point at once, one of them wins.
    KeepExisting,
}

/// The backend of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// [`MemoryStore`](crate::MemoryStore).
    Memory,
    /// `EmbeddedStore`.
    Embedded,
    /// `ServerStore`.
    Server,
}

/// The state of a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreReport {
    /// The backend.
    pub kind: StoreKind,
    /// Its location: a directory, an address, or `memory`.
    pub location: String,
    /// Number of points per collection, in the order of [`Collection::ALL`].
    pub points: [u64; 3],
    /// Per collection, how many dense vectors an index covers; searches are exact for the others.
    pub indexed: [u64; 3],
    /// The state of each collection.
    pub states: [CollectionState; 3],
    /// Bytes on disk, if known.
    pub disk_bytes: Option<u64>,
    /// The journal of each collection, if the backend keeps one.
    pub journals: Option<[JournalReport; 3]>,
    /// The calls since the store was opened, if a [`MeteredStore`](crate::MeteredStore) counts them.
    pub calls: Vec<CallReport>,
}

/// The state of a collection and its indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CollectionState {
    /// It is ready. Always so in memory and in a directory, where the store itself builds indexes.
    #[default]
    Ready,
    /// The server builds its indexes. Searches work, more slowly.
    Indexing,
    /// The server will build its indexes after the next write. Searches work, more slowly.
    Pending,
    /// The server could not complete an operation, as its log says.
    Failed,
    /// The server gives a state that this version does not know.
    Unknown,
}

impl CollectionState {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Indexing => "indexing",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// The calls of one operation on one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallReport {
    /// The name of the method.
    pub operation: &'static str,
    /// The collection; `None` for calls that concern several.
    pub collection: Option<Collection>,
    /// Number of completed calls.
    pub calls: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Number of searches in them; 0 for other operations.
    pub searches: u64,
    /// Number of points returned.
    pub points: u64,
    /// Their total time.
    pub time: Duration,
}

/// The state of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalReport {
    /// Bytes of writes that would be replayed after a crash.
    pub bytes: u64,
    /// How often writes were synced to disk since the store was opened. Writes that wait together share one sync.
    pub syncs: u64,
}

/// Estimates how many dense vectors are indexed, if only the number of indexed vectors of any kind is known: their
/// proportional share.
#[cfg(feature = "server")]
pub(crate) fn dense_share(indexed: u64, dense: u64, sparse: u64) -> u64 {
    (indexed * dense).div_ceil((dense + sparse).max(1)).min(dense)
}

/// The version of a collection. If two are equal, nothing was written in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Number of the last write. A call that writes or deletes up to [`Version::POINTS_PER_WRITE`] points counts as
    /// one, a call that changes nothing as none.
    pub writes: u64,
    /// Number of points after it.
    pub points: u64,
}

impl Version {
    /// Maximum number of points in one write.
    pub const POINTS_PER_WRITE: usize = 1000;
}

/// Data derived from a collection and stored next to it, in blocks. Each block continues those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// The version of the collection when the last block was written.
    pub version: Version,
    /// The blocks, as they were passed in. They may share one buffer.
    pub blocks: Vec<Bytes>,
}

/// Where a block of derived data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMode {
    /// Replaces all existing blocks.
    Replace,
    /// Follows the existing blocks.
    Append,
}

/// The progress of building an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexProgress {
    /// The collection being indexed.
    pub collection: Collection,
    /// Points indexed so far.
    pub done: u64,
    /// Points to index.
    pub total: u64,
}

/// Points in three collections: the interface to the database.
///
/// The contract, which the conformance suite checks for every backend:
/// - **Order.** [`fetch`](Self::fetch) returns points in the order of the requested IDs, once per distinct ID, without
///   missing ones. [`scroll`](Self::scroll) returns points in ascending order of ID. [`search`](Self::search) returns
///   results by descending score, then ascending ID. This holds at the limit too: ties are broken by ID, so an exact
///   search has one correct result.
/// - **Visibility.** Every later call sees what an earlier call acknowledged.
/// - **Durability.** In persistent backends, what a call acknowledged survives a kill of the process.
/// - **Atomicity.** A crash may interrupt a call between any two points; it never leaves half a point.
/// - **Batches.** Every call takes a batch of any size and splits it as the backend needs. An empty batch is not an
///   error.
/// - **Cancellation.** A dropped future may or may not have had its effect.
#[async_trait]
pub trait PointStore: fmt::Debug + Send + Sync {
    /// Returns the backend.
    fn kind(&self) -> StoreKind;

    /// Writes points. If several points in one call have the same ID, [`WriteMode::KeepExisting`] keeps the first and
    /// [`WriteMode::Replace`] the last.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a dense vector does not have the schema's dimension; then
    /// nothing is written.
    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()>;

    /// Reads points by ID.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>>;

    /// Deletes the points that pass a filter. It is not an error if there are none.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()>;

    /// Reads a page of the points that pass a filter and have an ID greater than `after`.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page>;

    /// Runs searches, in one round trip if the backend can, and returns the results in the order of the searches.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a dense target does not have the schema's dimension.
    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>>;

    /// Counts the points that pass a filter, exactly.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64>;

    /// Estimates how many points pass a filter, so that callers can choose between ways to read them. A backend with an
    /// index estimates from its sizes, at a cost that does not grow with the number of points. It may assume that
    /// several conditions are independent.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64>;

    /// Counts the points per value of an indexed keyword field among those that pass a filter, exactly. Returns the
    /// `limit` most frequent values, by descending count, then ascending value.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>>;

    /// Brings new points into a form that opens quickly, and builds the index for dense vectors if the store is large
    /// enough for it to pay. Reports progress. Does nothing if the backend does this itself.
    ///
    /// # Errors
    /// Errors of the backend; the store stays as usable as before.
    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()>;

    /// Rebuilds the files if anything was replaced or deleted, so that they are as small as possible and contain
    /// nothing that was deleted. Does nothing otherwise, or if the backend does this itself. Reads and writes continue
    /// meanwhile; what is deleted meanwhile is left to the next call. Calls that arrive during a rebuild share the next
    /// one.
    ///
    /// # Errors
    /// Errors of the backend; the store stays as usable as before.
    async fn compact(&self) -> Result<()>;

    /// Returns the version of a collection. Returns `None` if the backend does not count writes, or if others may write
    /// to it. Such a backend keeps no derived data.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn version(&self, collection: Collection) -> Result<Option<Version>>;

    /// Reads data derived from a collection and stored under a name of letters, digits and hyphens. Returns `None` if
    /// it is missing or damaged. The caller compares its version with that of the collection.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>>;

    /// Stores a block of derived data next to a collection. It may be lost in a crash, and can always be derived again.
    /// Does nothing if the backend keeps no derived data.
    ///
    /// # Errors
    /// Errors of the backend. Then the stored data may be lost.
    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()>;

    /// Reports the state of the store.
    ///
    /// # Errors
    /// Errors of the backend.
    async fn report(&self) -> Result<StoreReport>;
}
