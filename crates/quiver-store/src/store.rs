use std::{fmt, time::Duration};

use async_trait::async_trait;

use crate::{Filter, Page, Point, PointId, Result, Scored, Search, Select};

/// One of the three collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collection {
    /// Things with names.
    Entities,
    /// What links two things.
    Relations,
    /// Pieces of text.
    Passages,
}

impl Collection {
    /// All three, in the order in which a write that spans them goes.
    pub const ALL: [Self; 3] = [Self::Entities, Self::Relations, Self::Passages];

    /// The collection's name, which follows the database's prefix.
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
    /// The tenant: a keyword that every filter names, by which a server may lay its points out.
    Tenant,
    /// A string, or a list of strings.
    Keyword,
    /// An integer.
    Integer,
}

/// A payload field that filters name, and so one that is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The collection it stands in.
    pub collection: Collection,
    /// The field's name.
    pub name: &'static str,
    /// How it is indexed.
    pub kind: FieldKind,
}

/// What a database is opened with. What is absent is created; what is there is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The length of dense vectors; `None` where there are none.
    pub dense_dimension: Option<usize>,
    /// The indexed fields.
    pub fields: &'static [Field],
}

impl Schema {
    /// The indexed fields of a collection.
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

/// What a write does with a point whose id is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Puts the new point in the old one's place, whole.
    Replace,
    /// Leaves the old point as it is. Of two writers at once, one wins, and its point stays.
    KeepExisting,
}

/// Which backend a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// [`MemoryStore`](crate::MemoryStore).
    Memory,
    /// `EmbeddedStore`.
    Embedded,
    /// `ServerStore`.
    Server,
}

/// How a store is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreReport {
    /// The backend.
    pub kind: StoreKind,
    /// Where it is: a directory, an address, or `memory`.
    pub location: String,
    /// The number of points per collection, in the order of [`Collection::ALL`].
    pub points: [u64; 3],
    /// Per collection, how many dense vectors an index covers; searches are exact for the others.
    pub indexed: [u64; 3],
    /// Bytes on disk, where they can be told.
    pub disk_bytes: Option<u64>,
    /// The journal of each collection, where the backend keeps one.
    pub journals: Option<[JournalReport; 3]>,
    /// The calls since the store was opened, where they are counted: by a [`MeteredStore`](crate::MeteredStore).
    pub calls: Vec<CallReport>,
}

/// The calls of one operation on one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallReport {
    /// The name of the method.
    pub operation: &'static str,
    /// The collection; none for calls that concern several.
    pub collection: Option<Collection>,
    /// The number of calls that were answered.
    pub calls: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many searches there were in them; 0 for other operations.
    pub searches: u64,
    /// How many points came back.
    pub points: u64,
    /// The time that they took together.
    pub time: Duration,
}

/// How a journal is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalReport {
    /// Bytes of writes that would be done again after a crash.
    pub bytes: u64,
    /// How often writes were synced to the disk since the store was opened. Writes that wait together share one.
    pub syncs: u64,
}

/// About how many dense vectors are indexed, where only the number of indexed vectors of any name is known: their share
/// of it.
#[cfg(feature = "server")]
pub(crate) fn dense_share(indexed: u64, dense: u64, sparse: u64) -> u64 {
    (indexed * dense).div_ceil((dense + sparse).max(1)).min(dense)
}

/// How far the writes to a collection have come. Two equal ones say that nothing was written in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// The number of the last write. A call that writes or deletes up to [`Version::POINTS_PER_WRITE`] points counts as
    /// one, a call that changes nothing as none.
    pub writes: u64,
    /// The number of points after it.
    pub points: u64,
}

impl Version {
    /// How many points one write has at the most.
    pub const POINTS_PER_WRITE: usize = 1000;
}

/// What was derived from a collection and is kept beside it, in blocks, of which each continues those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// What the collection was like when the last block was written.
    pub version: Version,
    /// The blocks, as they were given.
    pub blocks: Vec<Vec<u8>>,
}

/// Where a block of derived data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMode {
    /// In the place of all blocks that are there.
    Replace,
    /// After those that are there.
    Append,
}

/// How far building an index has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexProgress {
    /// The collection being indexed.
    pub collection: Collection,
    /// Points indexed so far.
    pub done: u64,
    /// Points to index.
    pub total: u64,
}

/// Points in three collections: the door to the database.
///
/// The contract, which the conformance suite holds every backend to:
/// - **Order.** [`fetch`](Self::fetch) answers in the order of the ids asked for, once for each distinct id, without
///   those that are absent. [`scroll`](Self::scroll) goes by ascending id. [`search`](Self::search) goes by descending
///   score, then ascending id; this holds at the limit too, where equal scores are cut by id, so that an exact search
///   has one answer.
/// - **Visibility.** What a call acknowledged is seen by every later call.
/// - **Durability.** What a call acknowledged survives a kill of the process, in backends that outlive it.
/// - **Atomicity.** A call may be cut short by a crash between any two points; it never leaves half a point.
/// - **Batches.** Every call takes a batch of any size, splits it as the backend needs, and an empty one is no error.
/// - **Cancellation.** A dropped future may or may not have had its effect.
#[async_trait]
pub trait PointStore: fmt::Debug + Send + Sync {
    /// Which backend this is.
    fn kind(&self) -> StoreKind;

    /// Writes points. Of several points with one id in one call, the first stands with
    /// [`WriteMode::KeepExisting`] and the last with [`WriteMode::Replace`].
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a dense vector whose length is not the schema's; nothing
    /// is written then.
    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()>;

    /// Reads points by id.
    ///
    /// # Errors
    /// Those of the backend.
    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>>;

    /// Deletes the points that pass a filter; that there are none is no error.
    ///
    /// # Errors
    /// Those of the backend.
    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()>;

    /// Reads a page of the points that pass a filter, those with an id greater than `after`.
    ///
    /// # Errors
    /// Those of the backend.
    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page>;

    /// Runs searches, as one round trip where the backend can, and answers each in the order asked.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a dense target whose length is not the schema's.
    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>>;

    /// Counts the points that pass a filter, exactly.
    ///
    /// # Errors
    /// Those of the backend.
    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64>;

    /// Estimates how many points pass a filter, for the choice between ways to read them. A backend with an index
    /// answers from its sizes, at a cost that does not grow with the number of points; of several conditions it may
    /// assume that they are independent.
    ///
    /// # Errors
    /// Those of the backend.
    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64>;

    /// Counts the points per value of an indexed keyword field among those that pass a filter, exactly: the `limit`
    /// most frequent values, by descending count, then ascending value.
    ///
    /// # Errors
    /// Those of the backend.
    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>>;

    /// Brings new points into the form that is quick to open, and builds the index for dense vectors where the store has
    /// grown enough for it to pay, reporting progress. Does nothing where the backend does so by itself.
    ///
    /// # Errors
    /// Those of the backend; the store is as usable as before.
    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()>;

    /// Rebuilds the files of what was replaced or deleted, so that they are as small as they can be, and what was deleted
    /// stands in none of them any more. Does nothing where nothing was, or where the backend does so by itself. Reads and
    /// writes go on meanwhile; what is deleted meanwhile is left to the next call. Calls that come while files are being
    /// rebuilt share the next rebuild.
    ///
    /// # Errors
    /// Those of the backend; the store is as usable as before.
    async fn compact(&self) -> Result<()>;

    /// Tells how far the writes to a collection have come; `None` where the backend does not count them, or others may
    /// write to it. Such a backend keeps no derived data.
    ///
    /// # Errors
    /// Those of the backend.
    async fn version(&self, collection: Collection) -> Result<Option<Version>>;

    /// Reads what was derived from a collection and kept under a name of letters, digits and hyphens; `None` where there
    /// is none, or it is damaged. Whoever reads it compares its version with that of the collection.
    ///
    /// # Errors
    /// Those of the backend.
    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>>;

    /// Keeps a block of derived data beside a collection. It is no part of what is stored: it may be gone after a crash,
    /// and whoever needs it derives it again. Does nothing where the backend keeps none.
    ///
    /// # Errors
    /// Those of the backend. What is kept may be gone then.
    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()>;

    /// Tells how the store is doing.
    ///
    /// # Errors
    /// Those of the backend.
    async fn report(&self) -> Result<StoreReport>;
}
