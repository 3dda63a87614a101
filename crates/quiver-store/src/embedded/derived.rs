//! Files of data derived from a collection. They are read whole or not at all, and can be deleted safely.
//!
//! A file begins with [`MAGIC`]. Each block has a header of 32 bytes: a mark, the length of the body, the number of the
//! last write and the number of points that it was derived from, the checksum of the body, and the checksum of the
//! header.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use bytes::{Buf as _, Bytes};

use super::guard::from_io;
use crate::{BlockMode, Derived, Result, Version};

/// The start of a file: a name and a version.
const MAGIC: [u8; 8] = *b"QVDRVD\0\x01";
/// The start of a block.
const MARK: [u8; 4] = *b"BLCK";
/// Length of a block's header.
const HEADER: usize = 32;

/// Reads the blocks of a file. Returns `None` if the file is missing, damaged or truncated.
pub(super) fn read(path: &Path) -> Result<Option<Derived>> {
    match fs::read(path) {
        Ok(bytes) => Ok(parse(bytes.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(from_io("derived data", path, error)),
    }
}

/// Writes a block without syncing it: a block that a crash leaves incomplete is not read.
pub(super) fn write(path: &Path, version: Version, block: &[u8], mode: BlockMode) -> Result<()> {
    let failed = |error| from_io("derived data", path, error);
    let written = match mode {
        BlockMode::Replace => replace(path, version, block),
        BlockMode::Append => OpenOptions::new()
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(&[header(version, block).as_slice(), block].concat())),
    };
    if written.is_err() {
        // A partial block or a file that was not replaced must not be mistaken for a complete one.
        let _ = fs::remove_file(path);
    }
    written.map_err(failed)
}

fn replace(path: &Path, version: Version, block: &[u8]) -> io::Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    fs::write(&aside, [MAGIC.as_slice(), header(version, block).as_slice(), block].concat())?;
    fs::rename(&aside, path)
}

fn header(version: Version, block: &[u8]) -> [u8; HEADER] {
    let length = u32::try_from(block.len()).expect("a block is shorter than four gigabytes");
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&MARK);
    header[4..8].copy_from_slice(&length.to_le_bytes());
    header[8..16].copy_from_slice(&version.writes.to_le_bytes());
    header[16..24].copy_from_slice(&version.points.to_le_bytes());
    header[24..28].copy_from_slice(&crc32fast::hash(block).to_le_bytes());
    let checksum = crc32fast::hash(&header[..28]);
    header[28..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Splits a file into its blocks, which share its buffer.
fn parse(mut rest: Bytes) -> Option<Derived> {
    if !rest.starts_with(&MAGIC) {
        return None;
    }
    rest.advance(MAGIC.len());
    let mut derived = Derived::default();
    while !rest.is_empty() {
        let header = split(&mut rest, HEADER)?;
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if header[..4] != MARK || crc32fast::hash(&header[..28]) != number(28) {
            return None;
        }
        let body = split(&mut rest, number(4) as usize)?;
        if crc32fast::hash(&body) != number(24) {
            return None;
        }
        derived.version = Version { writes: long(8), points: long(16) };
        derived.blocks.push(body);
    }
    (!derived.blocks.is_empty()).then_some(derived)
}

/// Takes the first bytes, if there are as many.
fn split(rest: &mut Bytes, length: usize) -> Option<Bytes> {
    (length <= rest.len()).then(|| rest.split_to(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Version = Version { writes: 7, points: 3 };
    const SECOND: Version = Version { writes: 9, points: 5 };

    #[test]
    fn blocks_come_back_in_their_order_with_the_last_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept");
        assert_eq!(read(&path).unwrap(), None);
        write(&path, FIRST, b"one", BlockMode::Replace).unwrap();
        write(&path, SECOND, b"", BlockMode::Append).unwrap();
        let both = Derived { version: SECOND, blocks: vec![Bytes::from_static(b"one"), Bytes::new()] };
        assert_eq!(read(&path).unwrap(), Some(both));
        write(&path, FIRST, b"new", BlockMode::Replace).unwrap();
        assert_eq!(
            read(&path).unwrap(),
            Some(Derived { version: FIRST, blocks: vec![Bytes::from_static(b"new")] })
        );
    }

    #[test]
    fn nothing_is_read_of_a_file_that_was_cut_short_or_of_which_a_bit_is_flipped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept");
        write(&path, FIRST, b"one", BlockMode::Replace).unwrap();
        let first = fs::read(&path).unwrap().len();
        write(&path, SECOND, b"two", BlockMode::Append).unwrap();
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let read = read(&path).unwrap();
            // A file that was cut between two blocks has an older version, which shows that it is stale.
            assert_eq!(read.map(|derived| derived.version), (length == first).then_some(FIRST), "{length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            assert_eq!(read(&path).unwrap(), None, "bit {bit}");
        }
    }

    #[test]
    fn a_block_that_cannot_be_appended_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept");
        write(&path, FIRST, b"one", BlockMode::Append).unwrap_err();
        assert!(!path.exists());
    }
}
