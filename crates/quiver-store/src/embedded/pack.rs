//! Packing of a collection's files when it is closed.
//!
//! The engine stores payloads and sparse vectors in blocks of 128 bytes. Most vectors of an entity or a relation are
//! shorter, and of each payload half a block stays empty on average. The size of the blocks is written next to them, so
//! in closed segments, which take no more values, the values are moved to blocks of 16 bytes. Equal sparse vectors are
//! stored once: nothing is written over them, since closed segments delete points but not their vectors. They are
//! compressed where that takes fewer blocks, as payloads are from the start. The engine's log is left out too: the
//! journal replaces it, and only the number of its next entry matters.
//!
//! As in a rebuild, the result is a new generation of the files. All others are links to the old ones.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read as _, Write as _},
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    layout::{Layout, bytes_in, segments_of},
    state::{State, sync_directory},
};
use crate::Collection;

/// The size of a block that holds values or parts of them.
const BLOCK: usize = 16;
/// Number of blocks of a region, for which the engine notes the free ones. It counts them with 16 bits.
const REGION: u64 = 8192;
/// The log is left out if it takes more than this on the disk. A process that writes little should close quickly.
const LOG_BYTES: u64 = 128 << 10;
/// The least length of an entry of the engine's log.
const LOG_ENTRY: u64 = 16;
/// The beginning of a part of the log: its version and the seed of its checksums. This one has no entries.
const LOG_HEADER: &[u8; 8] = b"wal\0\0\0\0\0";
const LOG: &str = "wal";

/// The stores of a segment with values of any length.
pub(super) const STORES: [&str; 2] = ["payload_storage", SPARSE];
pub(super) const SPARSE: &str = "vector_storage-sparse/store";

/// The configuration of a store.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    page_size_bytes: u64,
    block_size_bytes: u64,
    region_size_blocks: u64,
    compression: Compression,
}

/// How the engine stores each value of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Compression {
    None,
    LZ4,
}

/// Packs the files of a collection that is not open. Returns its new state; `None` if there is nothing to gain.
///
/// # Errors
/// After an error the collection is as it was.
pub(super) fn pack(layout: &Layout, collection: Collection, state: State) -> io::Result<Option<State>> {
    let old = layout.shard(collection, state.generation);
    let stores = stores_to_pack(&old);
    if stores.is_empty() && bytes_in(&old.join(LOG)) <= LOG_BYTES {
        return Ok(None);
    }
    let state = State { generation: state.generation + 1, ..state };
    let path = layout.shard(collection, state.generation);
    let aside = path.with_extension(format!("{}.new", state.generation));
    let written = write(&old, &aside, &stores).and_then(|()| fs::rename(&aside, &path));
    if let Err(error) = written {
        let _ = fs::remove_dir_all(&aside);
        return Err(error);
    }
    sync_directory(&layout.directory)?;
    // After an error neither is removed, since the state may name either. The next opening removes the other one.
    state.save(&layout.state(collection)).map_err(io::Error::other)?;
    fs::remove_dir_all(&old)?;
    Ok(Some(state))
}

/// Writes the new generation, and syncs it to disk.
fn write(old: &Path, new: &Path, stores: &[PathBuf]) -> io::Result<()> {
    if new.exists() {
        fs::remove_dir_all(new)?;
    }
    link_all(old, new, old, stores)?;
    stores.par_iter().try_for_each(|store| pack_store(&old.join(store), &new.join(store)))?;
    let next = next_entry(&old.join(LOG))?;
    let log = new.join(LOG);
    fs::create_dir_all(&log)?;
    write_file(&log.join(format!("closed-{next}")), LOG_HEADER, 0)?;
    sync_directories(new)
}

/// Links the files of a directory and of those below it, without the log and the stores that are packed.
fn link_all(from: &Path, to: &Path, root: &Path, stores: &[PathBuf]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let within = path.strip_prefix(root).unwrap_or(&path);
        if within == Path::new(LOG) || stores.iter().any(|store| store == within) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            link_all(&path, &target, root, stores)?;
        } else if fs::hard_link(&path, &target).is_err() {
            // Not every file system has links.
            fs::copy(&path, &target)?;
            File::open(&target)?.sync_all()?;
        }
    }
    Ok(())
}

fn sync_directories(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_directories(&entry.path())?;
        }
    }
    sync_directory(path)
}

/// Returns the stores of closed segments with larger blocks, relative to the collection's directory.
fn stores_to_pack(shard: &Path) -> Vec<PathBuf> {
    let is_closed = |segment: &PathBuf| segment.join("id_tracker.mappings").is_file();
    let closed = segments_of(shard).into_iter().filter(is_closed);
    let stores = closed.flat_map(|segment| STORES.map(|store| segment.join(store)));
    let is_loose =
        |store: &PathBuf| config_of(store).is_ok_and(|config| config.block_size_bytes > BLOCK as u64);
    stores.filter(is_loose).filter_map(|store| Some(store.strip_prefix(shard).ok()?.to_owned())).collect()
}

fn config_of(store: &Path) -> io::Result<Config> {
    Ok(serde_json::from_slice(&fs::read(store.join("config.json"))?)?)
}

/// Copies a store to another directory, its values one after the other in blocks of the other size.
fn pack_store(from: &Path, to: &Path) -> io::Result<()> {
    let config = config_of(from)?;
    let is_sparse = from.ends_with(SPARSE);
    let compresses = is_sparse && config.compression == Compression::None && compression_pays(from, &config)?;
    fs::create_dir_all(to)?;
    let mut tracker = Tracker::read(from)?;
    let mut page = BufWriter::new(File::create(to.join("page_0.dat"))?);
    let mut pages = Pages::open(from, &config)?;
    let mut blocks = 0;
    // The first block of each sparse vector.
    let mut places = HashMap::new();
    for pointer in tracker.pointers() {
        let Some(mut value) = pages.value_at(pointer)? else { continue };
        if compresses {
            value = lz4_flex::compress_prepend_size(&value);
        }
        let place = places.get(&value).copied();
        point_to(pointer, place.unwrap_or(blocks), value.len())?;
        if place.is_some() {
            continue;
        }
        page.write_all(&value)?;
        page.write_all(&[0; BLOCK][..value.len().next_multiple_of(BLOCK) - value.len()])?;
        let taken = blocks_of(&value);
        if is_sparse {
            places.insert(value, blocks);
        }
        blocks += taken;
    }
    let regions = blocks.div_ceil(REGION).max(1);
    let page = page.into_inner().map_err(io::IntoInnerError::into_error)?;
    let page_size_bytes = regions * REGION * BLOCK as u64;
    page.set_len(page_size_bytes)?;
    page.sync_all()?;
    write_file(&to.join("tracker.dat"), &tracker.bytes, tracker.length)?;
    write_file(&to.join("bitmask.dat"), &used(blocks, regions), 0)?;
    write_file(&to.join("gaps.dat"), &free(blocks, regions), 0)?;
    let config = Config {
        page_size_bytes,
        block_size_bytes: BLOCK as u64,
        region_size_blocks: REGION,
        compression: if compresses { Compression::LZ4 } else { config.compression },
    };
    write_file(&to.join("config.json"), &serde_json::to_vec(&config)?, 0)
}

/// Whether the values of a store take fewer blocks if each is compressed.
fn compression_pays(store: &Path, config: &Config) -> io::Result<bool> {
    let mut pages = Pages::open(store, config)?;
    let (mut plain, mut compressed) = (0, 0);
    let mut seen = HashSet::new();
    for pointer in Tracker::read(store)?.pointers() {
        let Some(value) = pages.value_at(pointer)? else { continue };
        if seen.contains(&value) {
            continue;
        }
        plain += blocks_of(&value);
        compressed += blocks_of(&lz4_flex::compress_prepend_size(&value));
        seen.insert(value);
    }
    Ok(compressed < plain)
}

fn blocks_of(value: &[u8]) -> u64 {
    value.len().div_ceil(BLOCK) as u64
}

/// The pages of a store, each with the place up to which it was read.
struct Pages {
    files: Vec<(BufReader<File>, u64)>,
    page_bytes: u64,
    block_bytes: u64,
}

impl Pages {
    fn open(store: &Path, config: &Config) -> io::Result<Self> {
        let mut files = Vec::new();
        loop {
            match File::open(store.join(format!("page_{}.dat", files.len()))) {
                Ok(page) => files.push((BufReader::new(page), 0)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Self { files, page_bytes: config.page_size_bytes, block_bytes: config.block_size_bytes })
    }

    /// Reads the value that a pointer names, if it is set.
    fn value_at(&mut self, pointer: &[u8; POINTER]) -> io::Result<Option<Vec<u8>>> {
        let [is_set, page, block, length] = [0, 4, 8, 12].map(|at| read_u32(&pointer[at..]));
        (is_set != 0).then(|| self.read(page, block, length)).transpose()
    }

    /// Reads a value, which may go on in the next pages.
    fn read(&mut self, page: u32, block: u32, length: u32) -> io::Result<Vec<u8>> {
        let mut value = Vec::new();
        let (mut number, mut offset) = (page as usize, u64::from(block) * self.block_bytes);
        while value.len() < length as usize {
            let missing = u64::from(length) - value.len() as u64;
            let here = missing.min(self.page_bytes.saturating_sub(offset));
            let Some((page, place)) = self.files.get_mut(number).filter(|_| here > 0) else {
                return Err(damaged("a pointer"));
            };
            page.seek_relative(offset.cast_signed() - place.cast_signed())?;
            if page.take(here).read_to_end(&mut value)? as u64 != here {
                return Err(damaged("a page"));
            }
            *place = offset + here;
            (number, offset) = (number + 1, 0);
        }
        Ok(value)
    }
}

/// Size of a pointer: four numbers that say whether it is set, and give its page, its block and its length.
const POINTER: usize = 16;

/// The list of a store's pointers: their number, then each of them.
struct Tracker {
    bytes: Vec<u8>,
    /// Length of the file. It has room for pointers to come, which is a hole.
    length: u64,
}

impl Tracker {
    fn read(store: &Path) -> io::Result<Self> {
        let mut bytes = fs::read(store.join("tracker.dat"))?;
        let length = bytes.len() as u64;
        let used = 4 + POINTER * read_u32(&bytes) as usize;
        if bytes.len() < used {
            return Err(damaged("the list of pointers"));
        }
        bytes.truncate(used);
        Ok(Self { bytes, length })
    }

    fn pointers(&mut self) -> impl Iterator<Item = &mut [u8; POINTER]> {
        self.bytes[4..].as_chunks_mut().0.iter_mut()
    }
}

/// Sets where the value of a pointer begins in the first page, and its length.
fn point_to(pointer: &mut [u8; POINTER], block: u64, length: usize) -> io::Result<()> {
    let block = u32::try_from(block).map_err(io::Error::other)?;
    let length = u32::try_from(length).map_err(io::Error::other)?;
    pointer[4..8].fill(0);
    pointer[8..12].copy_from_slice(&block.to_le_bytes());
    pointer[12..].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

fn read_u32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Encodes which blocks are used: one bit for each, the first ones.
fn used(blocks: u64, regions: u64) -> Vec<u8> {
    let byte = |at: u64| match blocks.saturating_sub(at * 8) {
        bits @ 0..8 => (1_u8 << bits) - 1,
        _ => u8::MAX,
    };
    (0..regions * REGION / 8).map(byte).collect()
}

/// Encodes the free blocks of each region: the longest run of them, the one at its beginning and the one at its end.
fn free(blocks: u64, regions: u64) -> Vec<u8> {
    let of_region = |region: u64| {
        let free = REGION - blocks.saturating_sub(region * REGION).min(REGION);
        let leading = if free == REGION { free } else { 0 };
        [free, leading, free].map(|number| u16::try_from(number).unwrap_or_default().to_le_bytes())
    };
    (0..regions).flat_map(of_region).flatten().collect()
}

/// Returns a number for the next entry of the engine's log that no earlier entry has.
fn next_entry(log: &Path) -> io::Result<u64> {
    let (mut start, mut bytes) = (0, 0);
    for entry in fs::read_dir(log)? {
        let entry = entry?;
        let name = entry.file_name();
        let closed = name.to_str().and_then(|name| name.strip_prefix("closed-")?.parse::<u64>().ok());
        start = start.max(closed.unwrap_or_default());
        bytes += entry.metadata()?.len();
    }
    Ok(start + bytes / LOG_ENTRY + 1)
}

/// Writes a file of at least this length, and syncs it to disk.
fn write_file(path: &Path, bytes: &[u8], length: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_len(length.max(bytes.len() as u64))?;
    file.sync_all()
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} of a store is damaged"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_blocks_are_used_and_the_others_free() {
        for blocks in [0, 1, 7, 8, 9, REGION - 1, REGION, REGION + 1, 3 * REGION] {
            let regions = blocks.div_ceil(REGION).max(1);
            let bits = used(blocks, regions);
            assert_eq!(bits.len() as u64 * 8, regions * REGION);
            assert_eq!(bits.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>(), blocks);
            assert_eq!(bits.iter().map(|byte| u64::from(byte.trailing_ones())).sum::<u64>(), blocks);
            let free = free(blocks, regions);
            assert_eq!(free.len() as u64, regions * 6);
            let left = free.chunks_exact(6).map(|region| {
                let [longest, first, last] =
                    [0, 2, 4].map(|at| u64::from(u16::from_le_bytes([region[at], region[at + 1]])));
                assert_eq!(longest, last);
                assert!(first == 0 || first == REGION && last == REGION);
                last
            });
            assert_eq!(left.sum::<u64>(), regions * REGION - blocks);
        }
    }
}
