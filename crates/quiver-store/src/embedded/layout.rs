//! The files of a database directory, and how they are written so that a crash leaves nothing half done.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use qdrant_edge::{
    Distance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeSparseVectorParams, EdgeVectorParams,
    HnswIndexConfig, UpdateOperation, WalOptions,
};
use serde::{Deserialize, Serialize};

use super::{
    convert::{DENSE, SPARSE, field_path, index_schema},
    fields::Unused,
    guard::{self, corrupt, from_io},
    journal::Journal,
    options::Notify,
    state::{State, replace, sync_directory},
};
use crate::{Collection, Error, ErrorKind, FieldKind, Payload, Result, Schema, files};

/// The format that this version writes.
const FORMAT: u32 = 3;
/// The second format, in which each field has an index and IDs in fields are texts of 36 characters. It is rewritten.
const FORMAT_2: u32 = 2;
/// The first format, which had no state files and no checksums of journal headers. It is read, and then rewritten.
const FORMAT_1: u32 = 1;
/// Number of written points after which a segment is closed.
pub(super) const SEAL_POINTS: u64 = 8_000;
/// While much is written, the smallest segments are merged from this number of segments on.
const SEGMENTS: usize = 8;
/// Above that, one more segment is allowed per this many points. Each segment costs something whenever the database is
/// opened; with fewer segments, closing one rewrites more.
const POINTS_PER_SEGMENT: u64 = 50_000;
/// The engine's log repeats what the journal holds, so it is kept small.
const LOG_SEGMENT_BYTES: usize = 256 << 10;

/// What was decided when the database was created.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    dense_dimension: Option<usize>,
    /// The fields that are indexed once a point has a value of them, in the order of the schema. Earlier formats list
    /// none.
    #[serde(default)]
    fields: Vec<String>,
}

impl Manifest {
    fn new(schema: &Schema) -> Self {
        let name = |field: &crate::Field| format!("{}.{}", field.collection, field.name);
        let fields = schema.fields.iter().map(name).collect();
        Self { format: FORMAT, dense_dimension: schema.dense_dimension, fields }
    }
}

/// What an opening has to do to the files before they are as this version writes them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Upgrade {
    /// The database has the first format.
    pub(super) is_first: bool,
    /// The database has an earlier format, so its points are written anew.
    pub(super) rewrites: bool,
    /// The schema has other fields than when the database was last opened to write. Points may have values of them, so
    /// each gets an index.
    pub(super) indexes_all: bool,
}

impl Upgrade {
    pub(super) fn is_needed(self) -> bool {
        self.is_first || self.rewrites || self.indexes_all
    }
}

/// The paths of one database.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) directory: PathBuf,
    /// Number of written points after which a segment is closed.
    pub(super) seal_points: u64,
    prefix: String,
}

impl Layout {
    pub(super) fn new(directory: &Path, prefix: &str) -> Self {
        Self { directory: directory.to_owned(), seal_points: SEAL_POINTS, prefix: prefix.to_owned() }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn journal(&self, collection: Collection) -> PathBuf {
        self.directory.join(files::journal(&self.prefix, collection))
    }

    /// Returns the path of a collection's state file.
    pub(super) fn state(&self, collection: Collection) -> PathBuf {
        self.directory.join(format!("{}_{collection}.state", self.prefix))
    }

    /// Returns the path of a collection's derived data with this name.
    pub(super) fn derived(&self, collection: Collection, name: &str) -> PathBuf {
        self.directory.join(format!("{}_{collection}.derived-{name}", self.prefix))
    }

    /// Returns all files of a collection's derived data.
    pub(super) fn all_derived(&self, collection: Collection) -> Vec<PathBuf> {
        let start = format!("{}_{collection}.derived-", self.prefix);
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let is_derived = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&start);
        entries.flatten().filter(is_derived).map(|entry| entry.path()).collect()
    }

    /// Returns the file in which the first format stores how many dense vectors there were when the index was last
    /// built.
    pub(super) fn index_note(&self, collection: Collection) -> PathBuf {
        self.directory.join(format!("{}_{collection}.indexed", self.prefix))
    }

    /// Returns the directory of a collection's files. The first one has no number.
    pub(super) fn shard(&self, collection: Collection, generation: u64) -> PathBuf {
        match generation {
            0 => self.directory.join(format!("{}_{collection}", self.prefix)),
            generation => self.directory.join(format!("{}_{collection}.{generation}", self.prefix)),
        }
    }

    /// Returns the directories of a collection: valid ones with their generation, and unfinished ones.
    pub(super) fn generations(&self, collection: Collection) -> Vec<(Option<u64>, PathBuf)> {
        let name = format!("{}_{collection}", self.prefix);
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let mut found: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| {
                let file_name = entry.file_name();
                let rest = file_name.to_str()?.strip_prefix(&name)?;
                let generation = match rest.strip_prefix('.') {
                    None if rest.is_empty() => Some(0),
                    None => return None,
                    Some(number) => match number.strip_suffix(".new") {
                        Some(_) => None,
                        None if number == "new" => None,
                        None => Some(number.parse().ok()?),
                    },
                };
                Some((generation, entry.path()))
            })
            .collect();
        found.sort();
        found
    }

    /// Removes the leftovers of an interrupted compaction: all directories of a collection except the current one.
    pub(super) fn remove_others(&self, collection: Collection, generation: u64) -> Result<()> {
        if !self.shard(collection, generation).is_dir() {
            return Ok(()); // The current one is missing, so one of the others may hold all that is left.
        }
        for (found, path) in self.generations(collection) {
            if found != Some(generation) {
                fs::remove_dir_all(&path).map_err(|error| from_io("directory", &path, error))?;
            }
        }
        Ok(())
    }

    fn manifest(&self) -> PathBuf {
        self.directory.join(files::manifest(&self.prefix))
    }

    /// Whether the database exists.
    pub(super) fn exists(&self) -> bool {
        self.manifest().exists()
    }

    /// Creates what is missing and checks what exists. The manifest is written last, so if it exists, everything does.
    /// Returns what is left to do if an earlier version made the database.
    pub(super) fn prepare(&self, schema: &Schema) -> Result<Upgrade> {
        let wanted = Manifest::new(schema);
        match fs::read(self.manifest()) {
            Ok(bytes) => self.check(&bytes, &wanted),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create(schema, &wanted)?;
                Ok(Upgrade::default())
            }
            Err(error) => Err(from_io("manifest", &self.manifest(), error)),
        }
    }

    /// Records that the database has the format that this version writes, and the fields of the schema.
    pub(super) fn upgraded(&self, schema: &Schema) -> Result<()> {
        self.write_manifest(&Manifest::new(schema))
    }

    /// Returns the schema with the dense dimension from the manifest, if it can be read.
    pub(super) fn schema_as_made(&self, schema: Schema) -> Schema {
        let bytes = fs::read(self.manifest()).unwrap_or_default();
        match serde_json::from_slice::<Manifest>(&bytes) {
            Ok(manifest) => Schema { dense_dimension: manifest.dense_dimension, ..schema },
            Err(_) => schema,
        }
    }

    /// Loads a collection's shard and ensures that it has an index of each field that points have values of. Returns
    /// whether that wrote to its files.
    pub(super) fn load(
        &self,
        schema: &Schema,
        collection: Collection,
        path: &Path,
        with_index: bool,
        unused: Unused,
    ) -> Result<(EdgeShard, bool)> {
        if !has_segments(path)? {
            return Err(corrupt(&self.directory, &format!("{} holds no segment", path.display())));
        }
        for segment in segments_of(path) {
            check_lengths(&self.directory, &segment)?;
        }
        prune_log(path);
        shed_indexes(path, schema, collection);
        let indexed = segments_with_fields(path, schema, collection, unused)?;
        let shard =
            guard::opening(&self.directory, || EdgeShard::load(path, Some(config(schema, with_index))))?;
        // If no segment takes new points, the engine has created another.
        let is_written = indexed != Some(shard.info().segments_count);
        if is_written {
            index_fields(&self.directory, &shard, schema, collection, unused)?;
        }
        Ok((shard, is_written))
    }

    /// Loads those segments of a damaged shard that can be loaded on their own. The database must be a copy: the other
    /// segments are moved aside.
    pub(super) fn load_parts(
        &self,
        schema: &Schema,
        collection: Collection,
        path: &Path,
        notify: &Notify,
    ) -> Result<EdgeShard> {
        let found = segments_of(path);
        let trial = path.with_extension("trial");
        let mut whole = Vec::new();
        for segment in found {
            let Some(name) = segment.file_name() else { continue };
            drop_shard(self.make_shard(schema, &trial, true)?, &self.directory)?;
            let place = trial.join("segments").join(name);
            fs::rename(&segment, &place).map_err(|error| from_io("segment", &segment, error))?;
            let loaded = check_lengths(&self.directory, &place).and_then(|()| {
                guard::engine(&self.directory, || EdgeShard::load(&trial, Some(config(schema, true))))
            });
            match loaded {
                Ok(shard) => {
                    drop_shard(shard, &self.directory)?;
                    whole.push((name.to_owned(), trial.with_extension(format!("trial-{}", whole.len()))));
                    fs::rename(&place, &whole[whole.len() - 1].1)
                        .map_err(|error| from_io("segment", &place, error))?;
                }
                Err(error) => notify.tell(&format!("{collection}: a segment is left out: {error}")),
            }
        }
        drop_shard(self.make_shard(schema, &trial, true)?, &self.directory)?;
        for (name, kept) in whole {
            fs::rename(&kept, trial.join("segments").join(name))
                .map_err(|error| from_io("segment", &kept, error))?;
        }
        let shard = guard::opening(&self.directory, || EdgeShard::load(&trial, Some(config(schema, true))))?;
        index_fields(&self.directory, &shard, schema, collection, Unused::default())?;
        Ok(shard)
    }

    /// Returns the size of a collection's files on disk, in bytes.
    pub(super) fn bytes_of(&self, collection: Collection) -> u64 {
        self.generations(collection).iter().map(|(_, path)| bytes_in(path)).sum()
    }

    /// Returns the size of a collection on disk with its journal and derived files, in bytes.
    pub(super) fn disk_bytes(&self, collection: Collection) -> u64 {
        let length = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let derived: u64 = self.all_derived(collection).into_iter().map(length).sum();
        self.bytes_of(collection) + length(self.journal(collection)) + derived
    }

    fn check(&self, bytes: &[u8], wanted: &Manifest) -> Result<Upgrade> {
        let place = self.directory.display();
        let found: Manifest = serde_json::from_slice(bytes)
            .map_err(|error| corrupt(&self.directory, &format!("{}: {error}", self.manifest().display())))?;
        if ![FORMAT, FORMAT_2, FORMAT_1].contains(&found.format) {
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
        Ok(Upgrade {
            is_first: found.format == FORMAT_1,
            rewrites: found.format != FORMAT,
            indexes_all: found.fields != wanted.fields,
        })
    }

    /// Each shard is created in a separate directory and moved into place when it is complete.
    fn create(&self, schema: &Schema, manifest: &Manifest) -> Result<()> {
        for collection in Collection::ALL {
            if self.state(collection).exists() {
                continue;
            }
            let path = self.shard(collection, 0);
            if !path.exists() {
                let aside = path.with_extension("new");
                drop_shard(self.make_shard(schema, &aside, true)?, &self.directory)?;
                fs::rename(&aside, &path).map_err(|error| from_io("directory", &aside, error))?;
            }
            if !self.journal(collection).exists() {
                Journal::create(&self.journal(collection), 0)?;
            }
            let unused = Unused::all(schema, collection);
            State { unused, ..State::default() }.save(&self.state(collection))?;
        }
        self.write_manifest(manifest)
    }

    /// Creates an empty shard without indexes of fields, replacing an unfinished one. `with_index` makes the optimiser
    /// build an index over its dense vectors.
    pub(super) fn make_shard(&self, schema: &Schema, path: &Path, with_index: bool) -> Result<EdgeShard> {
        let failed = |error| from_io("directory", path, error);
        if path.exists() {
            fs::remove_dir_all(path).map_err(failed)?;
        }
        fs::create_dir_all(path).map_err(failed)?;
        guard::engine(&self.directory, || EdgeShard::new(path, config(schema, with_index)))
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let bytes = serde_json::to_vec(manifest).expect("a manifest is JSON");
        replace(&self.manifest(), &bytes)
            .and_then(|()| sync_directory(&self.directory))
            .map_err(|error| from_io("manifest", &self.manifest(), error))
    }
}

/// Closes a shard. Dropping it flushes it, and panics if that fails.
pub(super) fn drop_shard(shard: EdgeShard, directory: &Path) -> Result<()> {
    guard::engine(directory, || {
        drop(shard);
        Ok(())
    })
}

/// Drops the indexes that no query uses from the segments of a shard that is not open. The engine creates them with
/// every payload index, and reads them whole whenever it opens a segment: which points have a value, a bitmap of a
/// megabyte for each field, and the single values of integers, of which we only ask for ranges. They are derived from
/// the points, so if dropping them fails, the database opens with them.
pub(super) fn shed_indexes(shard: &Path, schema: &Schema, collection: Collection) {
    for segment in segments_of(shard) {
        let indexes = segment.join("payload_index");
        if let Err(error) = shed_indexes_of(&indexes, schema, collection) {
            tracing::warn!(path = %indexes.display(), %error, "indexes that no query uses stay");
        }
    }
}

fn shed_indexes_of(indexes: &Path, schema: &Schema, collection: Collection) -> io::Result<()> {
    let place = indexes.join("config.json");
    let Ok(bytes) = fs::read(&place) else { return Ok(()) };
    let Ok(mut config) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(()) };
    let (mut unused, mut is_changed) = (Vec::new(), false);
    for field in schema.of(collection) {
        let Ok(path) = field_path(field.name) else { continue };
        let kinds = config["indexed_types"].get_mut(path.to_string()).and_then(|kinds| kinds.as_array_mut());
        let Some(kinds) = kinds.filter(|kinds| !kinds.iter().all(is_unused)) else { continue };
        let before = kinds.len();
        kinds.retain(|kind| !is_unused(kind));
        is_changed |= kinds.len() < before;
        unused.push(indexes.join(format!("{}-null", path.filename())));
        if field.kind == FieldKind::Integer {
            unused.push(indexes.join(format!("{}-map", path.filename())));
        }
    }
    if is_changed {
        // First, since the engine would rebuild a listed index whose files are missing.
        replace(&place, &serde_json::to_vec(&config).expect("a list is JSON"))?;
    }
    // A crash may have come between the two, so they are looked for each time.
    unused.iter().filter(|directory| directory.exists()).try_for_each(fs::remove_dir_all)
}

fn is_unused(index: &serde_json::Value) -> bool {
    ["null_index", "int_map_index"].iter().any(|unused| index["index_type"] == *unused)
}

/// Returns the number of segments, if the files of each one show that it has the indexes of the used fields. Asking the
/// engine to create them would mark each segment as written to, and closing it would then take as long as after a
/// write.
fn segments_with_fields(
    shard: &Path,
    schema: &Schema,
    collection: Collection,
    unused: Unused,
) -> Result<Option<usize>> {
    let mut wanted = Vec::new();
    for field in unused.used(schema, collection) {
        let index = serde_json::to_value(index_schema(field.kind)).expect("a schema is JSON");
        wanted.push((field_path(field.name)?.to_string(), index));
    }
    let mut segments = 0;
    for segment in segments_of(shard).iter().filter(|segment| segment.is_dir()) {
        let bytes = fs::read(segment.join("payload_index/config.json")).unwrap_or_default();
        let config: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if wanted.iter().any(|(name, index)| config["indexed_fields"].get(name) != Some(index)) {
            return Ok(None);
        }
        segments += 1;
    }
    Ok(Some(segments))
}

/// Makes the indexes that these payloads need, before they are written to the shard. Returns the fields that still have
/// none.
pub(super) fn index_fields_of<'a>(
    directory: &Path,
    shard: &EdgeShard,
    (schema, collection): (&Schema, Collection),
    unused: Unused,
    payloads: &(impl Iterator<Item = &'a Payload> + Clone),
) -> Result<Unused> {
    let left = unused.without(schema, collection, payloads);
    if left != unused {
        index_fields(directory, shard, schema, collection, left)?;
    }
    Ok(left)
}

/// Ensures that every segment has the indexes of the used fields.
pub(super) fn index_fields(
    directory: &Path,
    shard: &EdgeShard,
    schema: &Schema,
    collection: Collection,
    unused: Unused,
) -> Result<()> {
    for field in unused.used(schema, collection) {
        let index = qdrant_edge::CreateIndex {
            field_name: field_path(field.name)?,
            field_schema: Some(index_schema(field.kind)),
        };
        let operation = qdrant_edge::FieldIndexOperations::CreateIndex(index);
        guard::engine(directory, || shard.update(UpdateOperation::FieldIndexOperation(operation)))?;
    }
    Ok(())
}

/// Returns how the index over dense vectors is built. Without connections there is no index, and searches compare with
/// every vector.
pub(super) fn graph(with_index: bool) -> HnswIndexConfig {
    let graph = HnswIndexConfig::default();
    HnswIndexConfig { m: if with_index { graph.m } else { 0 }, ..graph }
}

/// Returns when segments are closed and merged while a collection is being written to.
pub(super) fn while_writing() -> EdgeOptimizersConfig {
    optimizers(SEGMENTS)
}

/// Returns the same settings after an ingest, for a collection with this many points.
pub(super) fn at_rest(points: u64) -> EdgeOptimizersConfig {
    optimizers(segments_at_rest(points))
}

/// Returns how many closed segments a collection has after an ingest.
pub(super) fn segments_at_rest(points: u64) -> usize {
    usize::try_from(1 + points / POINTS_PER_SEGMENT).map_or(SEGMENTS, |segments| segments.min(SEGMENTS))
}

fn optimizers(segments: usize) -> EdgeOptimizersConfig {
    EdgeOptimizersConfig {
        indexing_threshold: Some(1),
        default_segment_number: Some(segments),
        ..EdgeOptimizersConfig::default()
    }
}

fn config(schema: &Schema, with_index: bool) -> EdgeConfig {
    let wal = WalOptions { segment_capacity: LOG_SEGMENT_BYTES, ..WalOptions::default() };
    let builder = EdgeConfig::builder()
        .sparse_vector(SPARSE, EdgeSparseVectorParams::builder().on_disk(true).build())
        .on_disk_payload(true)
        // We decide whether an index pays before asking the engine for one; then every vector should be in it.
        .optimizers(while_writing())
        .hnsw_config(graph(with_index))
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

/// Whether there is a segment that the engine would load. It deletes segments without a version, and creates an empty
/// one if none is left, so a damaged database would look like a new one.
pub(super) fn has_segments(shard: &Path) -> Result<bool> {
    let path = shard.join("segments");
    match fs::read_dir(&path) {
        Ok(entries) => Ok(entries
            .flatten()
            .any(|entry| fs::metadata(entry.path().join("version.info")).is_ok_and(|m| m.len() > 0))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(from_io("directory", &path, error)),
    }
}

/// Returns the directories of a shard's segments.
pub(super) fn segments_of(shard: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(shard.join("segments")).map(|all| all.flatten().map(|one| one.path()).collect());
    entries.unwrap_or_default()
}

/// Checks the lengths of a segment's lists of deleted vectors. The engine makes the file of each as long as its status
/// says and reads all of it, so a damaged one could take terabytes where the file system allows such files.
fn check_lengths(directory: &Path, segment: &Path) -> Result<()> {
    let vectors = fs::read_dir(segment).into_iter().flatten().flatten().map(|entry| entry.path());
    for status in vectors.map(|path| path.join("deleted").join("status.dat")) {
        let length =
            fs::read(&status).ok().and_then(|bytes| bytes.first_chunk().copied().map(u64::from_le_bytes));
        // The engine counts the points of a segment with 32 bits.
        if let Some(length) = length.filter(|length| *length > u64::from(u32::MAX)) {
            return Err(corrupt(directory, &format!("{} has a length of {length}", status.display())));
        }
    }
    Ok(())
}

/// Removes the closed parts of the engine's log except the newest, from which it continues counting. The engine never
/// reads them again and never removes them.
pub(super) fn prune_log(shard: &Path) {
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
    // Oldest first, so that an interruption leaves no gap.
    for (_, path) in closed {
        if let Err(error) = fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "an old part of the log stays");
            return;
        }
    }
}

pub(super) fn bytes_in(directory: &Path) -> u64 {
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

/// Returns the allocated size. The engine's files are sparse: they take less space than their length.
#[cfg(unix)]
fn allocated(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn allocated(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}
