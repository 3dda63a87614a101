//! What lies where in the directory, and how it gets there so that a crash leaves no half of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use qdrant_edge::{
    Distance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeSparseVectorParams, EdgeVectorParams,
    UpdateOperation, WalOptions,
};
use serde::{Deserialize, Serialize};

use super::{
    convert::{DENSE, SPARSE, field_path, index_schema},
    guard::{self, corrupt, from_io},
};
use crate::{Collection, Error, ErrorKind, Result, Schema};

/// The layout that this version writes.
const FORMAT: u32 = 1;
/// The engine's log holds what the journal holds already, so it is kept small.
const LOG_SEGMENT_BYTES: usize = 4 << 20;

/// What was decided when the database was made.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    dense_dimension: Option<usize>,
}

/// The places of one database.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) directory: PathBuf,
    prefix: String,
}

impl Layout {
    pub(super) fn new(directory: &Path, prefix: &str) -> Self {
        Self { directory: directory.to_owned(), prefix: prefix.to_owned() }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn journal(&self, collection: Collection) -> PathBuf {
        self.directory.join(format!("{}_{collection}.journal", self.prefix))
    }

    /// How many dense vectors there were when the index was last built.
    pub(super) fn dense_indexed(&self, collection: Collection) -> u64 {
        let text = fs::read_to_string(self.index_note(collection)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    pub(super) fn note_indexed(&self, collection: Collection, dense: u64) -> Result<()> {
        let path = self.index_note(collection);
        fs::write(&path, dense.to_string()).map_err(|error| from_io("note of the index", &path, error))
    }

    fn index_note(&self, collection: Collection) -> PathBuf {
        self.directory.join(format!("{}_{collection}.indexed", self.prefix))
    }

    fn shard(&self, collection: Collection) -> PathBuf {
        self.directory.join(format!("{}_{collection}", self.prefix))
    }

    fn manifest(&self) -> PathBuf {
        self.directory.join(format!("{}.json", self.prefix))
    }

    /// Makes what is absent and checks what is there. The manifest comes last, so where it is, all is.
    pub(super) fn prepare(&self, schema: &Schema) -> Result<()> {
        let wanted = Manifest { format: FORMAT, dense_dimension: schema.dense_dimension };
        match fs::read(self.manifest()) {
            Ok(bytes) => self.check(&bytes, &wanted),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.create(schema, &wanted),
            Err(error) => Err(from_io("manifest", &self.manifest(), error)),
        }
    }

    /// Loads a collection's shard and sees to its payload indexes.
    pub(super) fn load(&self, schema: &Schema, collection: Collection) -> Result<EdgeShard> {
        let path = self.shard(collection);
        if !has_segments(&path) {
            return Err(corrupt(&self.directory, &format!("{} holds no segment", path.display())));
        }
        prune_log(&path);
        let shard = guard::opening(&self.directory, || EdgeShard::load(&path, Some(config(schema))))?;
        index_fields(&self.directory, &shard, schema, collection)?;
        Ok(shard)
    }

    /// The bytes that the database takes on the disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        Collection::ALL
            .into_iter()
            .map(|collection| {
                bytes_in(&self.shard(collection))
                    + fs::metadata(self.journal(collection)).map_or(0, |m| m.len())
            })
            .sum()
    }

    fn check(&self, bytes: &[u8], wanted: &Manifest) -> Result<()> {
        let place = self.directory.display();
        let found: Manifest = serde_json::from_slice(bytes)
            .map_err(|error| corrupt(&self.directory, &format!("{}: {error}", self.manifest().display())))?;
        if found.format != wanted.format {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!(
                    "the database in {place} has format {}, this version reads {}; export it with the version that \
                     wrote it and import it with this one",
                    found.format, wanted.format
                ),
            ));
        }
        if found.dense_dimension != wanted.dense_dimension {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!(
                    "the database in {place} was made with {}, and is opened with {}; open it with the embedder that it \
                     was made with, or migrate it",
                    vectors(found.dense_dimension),
                    vectors(wanted.dense_dimension)
                ),
            )
            .with_dense_stored(found.dense_dimension));
        }
        Ok(())
    }

    /// Each shard is made aside and moved to its place whole.
    fn create(&self, schema: &Schema, manifest: &Manifest) -> Result<()> {
        for collection in Collection::ALL {
            let path = self.shard(collection);
            if path.exists() {
                continue;
            }
            let aside = path.with_extension("new");
            let failed = |error| from_io("directory", &aside, error);
            if aside.exists() {
                fs::remove_dir_all(&aside).map_err(failed)?;
            }
            fs::create_dir_all(&aside).map_err(failed)?;
            let shard = guard::engine(&self.directory, || EdgeShard::new(&aside, config(schema)))?;
            let indexed = index_fields(&self.directory, &shard, schema, collection);
            guard::engine(&self.directory, || {
                drop(shard);
                Ok(())
            })?;
            indexed?;
            fs::rename(&aside, &path).map_err(failed)?;
        }
        let path = self.manifest();
        let failed = |error| from_io("manifest", &path, error);
        let aside = path.with_extension("json.new");
        let bytes = serde_json::to_vec(manifest).expect("a manifest is JSON");
        fs::write(&aside, bytes).and_then(|()| fs::File::open(&aside)?.sync_all()).map_err(failed)?;
        fs::rename(&aside, &path).map_err(failed)
    }
}

/// Sees to it that every segment has the payload indexes of the schema.
pub(super) fn index_fields(
    directory: &Path,
    shard: &EdgeShard,
    schema: &Schema,
    collection: Collection,
) -> Result<()> {
    for field in schema.of(collection) {
        let index = qdrant_edge::CreateIndex {
            field_name: field_path(field.name)?,
            field_schema: Some(index_schema(field.kind)),
        };
        let operation = qdrant_edge::FieldIndexOperations::CreateIndex(index);
        guard::engine(directory, || shard.update(UpdateOperation::FieldIndexOperation(operation)))?;
    }
    Ok(())
}

fn config(schema: &Schema) -> EdgeConfig {
    let wal = WalOptions { segment_capacity: LOG_SEGMENT_BYTES, ..WalOptions::default() };
    let builder = EdgeConfig::builder()
        .sparse_vector(SPARSE, EdgeSparseVectorParams::default())
        .on_disk_payload(true)
        // Whether an index pays is decided before the engine is asked for one; then every vector should have it.
        .optimizers(EdgeOptimizersConfig { indexing_threshold: Some(1), ..EdgeOptimizersConfig::default() })
        .wal_options(wal);
    match schema.dense_dimension {
        None => builder.build(),
        Some(size) => builder.vector(DENSE, EdgeVectorParams::builder(size, Distance::Dot).build()).build(),
    }
}

fn vectors(dimension: Option<usize>) -> String {
    dimension.map_or_else(
        || "no dense vectors".to_owned(),
        |dimension| format!("dense vectors of {dimension} dimensions"),
    )
}

/// Whether there is a segment that the engine would load. Those that lack their version it deletes, and makes an empty
/// one when none is left: a damaged database would look like a new one.
fn has_segments(shard: &Path) -> bool {
    fs::read_dir(shard.join("segments")).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| fs::metadata(entry.path().join("version.info")).is_ok_and(|m| m.len() > 0))
    })
}

/// Removes the closed parts of the engine's log but for the newest, from which it goes on counting. It never reads
/// them again, and never removes them.
fn prune_log(shard: &Path) {
    let Ok(entries) = fs::read_dir(shard.join("wal")) else { return };
    let mut closed: Vec<(u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let start = entry.file_name().to_str()?.strip_prefix("closed-")?.parse().ok()?;
            Some((start, entry.path()))
        })
        .collect();
    closed.sort_unstable();
    closed.pop();
    // Oldest first, so that what is left has no gap wherever this stops.
    for (_, path) in closed {
        if let Err(error) = fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "an old part of the log stays");
            return;
        }
    }
}

fn bytes_in(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
            Ok(metadata) => allocated(&metadata),
            Err(_) => 0,
        })
        .sum()
}

/// The engine's files are sparse: what they take is less than what they span.
#[cfg(unix)]
fn allocated(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn allocated(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}
