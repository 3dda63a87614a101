//! The journal of acknowledged writes that may not be in the engine's files yet.
//!
//! The engine keeps its own log but does not replay it, and a kill during a write can leave a point half written. So
//! each write goes to a journal first, as whole points and IDs. After a crash the journal is replayed, which is
//! idempotent.
//!
//! The file begins with [`MAGIC`]. Each entry has a header of 32 bytes: a mark, the length of the body, the entry's
//! sequence number, the number of points in the collection after it, the checksum of the body, and the checksum of the
//! header. A flipped bit does not hide the entries after it, since they are found by their marks.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::{
    codec::{self, Entry},
    guard::from_io,
};
use crate::Result;

/// The start of a journal file: a name and a version.
const MAGIC: [u8; 8] = *b"QVJRNL\0\x02";
/// The start of an entry.
const MARK: [u8; 4] = *b"ENTR";
/// The length of an entry's header.
const HEADER: usize = 32;
/// The length of an entry's header in version 1: length and checksum. Files of that version have no magic.
const HEADER_1: usize = 8;

/// A file of entries that may be missing from the engine's files.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    sequence: u64,
    /// File length and sequence number up to which everything is synced to disk.
    synced: (u64, u64),
    /// How often entries were synced to disk since the journal was opened.
    syncs: u64,
}

/// An entry, with its sequence number and the number of points in the collection after it.
#[derive(Debug, PartialEq)]
pub(super) struct Logged {
    pub(super) sequence: u64,
    pub(super) points: Option<u64>,
    pub(super) entry: Entry,
}

/// The result of reading a journal.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Logged>,
    /// Whether the file was missing, empty or all zeros.
    pub(super) is_missing: bool,
    /// Descriptions of the damaged parts, with the files to which they were saved.
    pub(super) damage: Vec<String>,
    /// Whether the damaged parts may contain acknowledged entries.
    pub(super) is_damaged: bool,
}

/// A range of bytes that is not a valid entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gap {
    from: usize,
    to: usize,
    /// Whether it may be an entry that a crash truncated before it was acknowledged.
    is_torn: bool,
}

/// The entries of a journal, and the gaps between them.
#[derive(Debug, Default)]
struct Parsed {
    entries: Vec<Logged>,
    gaps: Vec<Gap>,
    /// Where the last entry ends.
    end: usize,
}

impl Journal {
    /// Creates an empty journal, replacing an existing one.
    pub(super) fn create(path: &Path, sequence: u64) -> Result<Self> {
        let failed = |error| from_io("journal", path, error);
        let aside = path.with_extension("journal.new");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&aside)
            .map_err(failed)?;
        file.write_all(&MAGIC).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&aside, path).map_err(failed)?;
        let length = MAGIC.len() as u64;
        Ok(Self { path: path.to_owned(), file, length, sequence, synced: (length, sequence), syncs: 0 })
    }

    /// Whether the file is a complete journal without entries.
    pub(super) fn is_empty(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|metadata| metadata.len() == MAGIC.len() as u64)
            && fs::read(path).is_ok_and(|bytes| bytes == MAGIC)
    }

    /// Opens a journal and reads the entries after a sequence number, for replay. Unreadable bytes are saved to a
    /// file next to the journal. An entry truncated by a crash was never acknowledged.
    pub(super) fn open(path: &Path, after: u64) -> Result<(Self, Found)> {
        let failed = |error| from_io("journal", path, error);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Self::create(path, after)?, Found { is_missing: true, ..Found::default() }));
            }
            Err(error) => return Err(failed(error)),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok((Self::create(path, after)?, Found { is_missing: true, ..Found::default() }));
        }
        let parsed = if is_first_version(&bytes) { parse_1(&bytes) } else { parse(&bytes, after) };
        let mut found = Found::default();
        for gap in &parsed.gaps {
            let kept = keep(path, &bytes[gap.from..gap.to])?;
            found.is_damaged |= !gap.is_torn;
            found.damage.push(tell(path, *gap, &kept));
        }
        let sequence = parsed.entries.last().map_or(after, |last| last.sequence).max(after);
        found.entries = parsed.entries;
        found.entries.retain(|logged| logged.sequence > after);
        if let Some(first) = found.entries.first()
            && first.sequence != after + 1
            && !found.is_damaged
        {
            found.is_damaged = true;
            found.damage.push(format!(
                "the journal {} begins with entry {} in place of {}: what came before is lost",
                path.display(),
                first.sequence,
                after + 1
            ));
        }
        let mut journal =
            Self { path: path.to_owned(), file, length: 0, sequence, synced: (0, sequence), syncs: 0 };
        if !bytes.starts_with(&MAGIC) && !is_first_version(&bytes) {
            journal.mend_magic().map_err(failed)?;
        }
        // Damaged bytes at the end would hide the entries added after them.
        journal.cut(parsed.end as u64).map_err(failed)?;
        Ok((journal, found))
    }

    /// Syncs the added entries to disk. If that fails, they are removed again.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.syncs += 1;
        match self.file.sync_data() {
            Ok(()) => {
                self.synced = (self.length, self.sequence);
                Ok(())
            }
            Err(error) => {
                let (length, sequence) = self.synced;
                let _ = self.cut(length);
                self.sequence = sequence;
                Err(from_io("journal", &self.path, error))
            }
        }
    }

    /// Removes all entries after a checkpoint.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.cut(MAGIC.len() as u64)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| from_io("journal", &self.path, error))?;
        self.synced = (self.length, self.sequence);
        Ok(())
    }

    /// Returns the size of the entries that would be replayed after a crash now.
    pub(super) fn length(&self) -> u64 {
        self.length.saturating_sub(MAGIC.len() as u64)
    }

    /// Returns how often entries were synced to disk since the journal was opened.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs
    }

    /// Returns the sequence number of the last entry.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Appends an encoded entry that is about to be applied. `points` is the number of points after it.
    pub(super) fn append(&mut self, body: &[u8], points: u64) -> Result<()> {
        let sequence = self.sequence + 1;
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MARK);
        bytes.extend(u32::try_from(body.len()).expect("an entry holds one batch").to_le_bytes());
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(points.to_le_bytes());
        bytes.extend(crc32fast::hash(body).to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend(body);
        if let Err(error) = self.file.write_all(&bytes) {
            // A partial entry would count as damage.
            let _ = self.cut(self.length);
            return Err(from_io("journal", &self.path, error));
        }
        self.length += bytes.len() as u64;
        self.sequence = sequence;
        Ok(())
    }

    fn mend_magic(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&MAGIC)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length))?;
        self.length = length;
        Ok(())
    }
}

/// Whether a journal has format version 1, which has no magic. A newer file with a damaged start still has marks.
fn is_first_version(bytes: &[u8]) -> bool {
    !bytes.starts_with(&MAGIC)
        && !bytes.get(MAGIC.len()..).is_some_and(|rest| rest.starts_with(&MARK))
        && next_entry(bytes, 0, 0).is_none()
}

fn parse(bytes: &[u8], after: u64) -> Parsed {
    let mut parsed = Parsed { end: MAGIC.len().min(bytes.len()), ..Parsed::default() };
    let mut at = parsed.end;
    if !bytes.starts_with(&MAGIC) {
        parsed.gaps.push(Gap { from: 0, to: at, is_torn: false });
    }
    let mut last = 0;
    while at < bytes.len() {
        if let Some((logged, end)) = entry_at(bytes, at, last) {
            last = logged.sequence;
            parsed.entries.push(logged);
            (at, parsed.end) = (end, end);
            continue;
        }
        let next = next_entry(bytes, at + 1, last.max(after.saturating_sub(1)));
        let to = next.unwrap_or(bytes.len());
        if next.is_some() || bytes[at..].iter().any(|byte| *byte != 0) {
            let is_torn = next.is_none() && is_cut_short(&bytes[at..]);
            parsed.gaps.push(Gap { from: at, to, is_torn });
        }
        at = to;
    }
    parsed.end = parsed.end.max(MAGIC.len());
    parsed
}

/// Returns the entry at an offset, and where it ends, if it is complete and its sequence number is above `last`.
fn entry_at(bytes: &[u8], at: usize, last: u64) -> Option<(Logged, usize)> {
    let header = Header::at(&bytes[at..])?;
    let end = (at + HEADER).checked_add(header.length)?;
    let body = bytes.get(at + HEADER..end)?;
    if header.sequence <= last || crc32fast::hash(body) != header.checksum {
        return None;
    }
    let entry = codec::decode(body)?;
    Some((Logged { sequence: header.sequence, points: Some(header.points), entry }, end))
}

/// Returns the offset of the next complete entry.
fn next_entry(bytes: &[u8], from: usize, last: u64) -> Option<usize> {
    (from..bytes.len().saturating_sub(HEADER))
        .find(|&at| bytes[at..].starts_with(&MARK) && entry_at(bytes, at, last).is_some())
}

/// Whether the bytes at the end are the start of an entry that was not fully written.
fn is_cut_short(bytes: &[u8]) -> bool {
    match Header::at(bytes) {
        Some(header) => bytes.len() - HEADER < header.length,
        None => bytes.len() < HEADER && (MARK.starts_with(bytes) || bytes.starts_with(&MARK)),
    }
}

struct Header {
    length: usize,
    sequence: u64,
    points: u64,
    checksum: u32,
}

impl Header {
    fn at(bytes: &[u8]) -> Option<Self> {
        let header: &[u8; HEADER] = bytes.first_chunk()?;
        let word =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        (header.starts_with(&MARK) && crc32fast::hash(&header[..HEADER - 4]) == word(HEADER - 4)).then(|| {
            Self { length: word(4) as usize, sequence: long(8), points: long(16), checksum: word(24) }
        })
    }
}

/// Parses a journal of version 1, whose entries have no sequence numbers.
fn parse_1(bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    while let Some((header, rest)) = bytes[parsed.end..].split_first_chunk::<HEADER_1>() {
        let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let Some(body) = rest.get(..length) else { break };
        if crc32fast::hash(body) != u32::from_le_bytes([c0, c1, c2, c3]) {
            break;
        }
        let Some(entry) = codec::decode(body) else { break };
        let sequence = parsed.entries.len() as u64 + 1;
        parsed.entries.push(Logged { sequence, points: None, entry });
        parsed.end += HEADER_1 + length;
    }
    let rest = &bytes[parsed.end..];
    if rest.iter().any(|byte| *byte != 0) {
        // Version 1 has no checksum of the length, so a truncated entry can't be distinguished from a damaged one.
        parsed.gaps.push(Gap { from: parsed.end, to: bytes.len(), is_torn: false });
    }
    parsed
}

/// Saves bytes to a separate file next to the journal.
fn keep(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    for number in 1_u32.. {
        let kept = path.with_extension(format!("journal.cut-{number}"));
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&kept) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(from_io("copy of the journal", &kept, error)),
        };
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|error| from_io("copy of the journal", &kept, error))?;
        return Ok(kept);
    }
    unreachable!("there are more numbers than files")
}

fn tell(path: &Path, gap: Gap, kept: &Path) -> String {
    let (bytes, at) = (gap.to - gap.from, gap.from);
    let (path, kept) = (path.display(), kept.display());
    if gap.is_torn {
        return format!(
            "a crash cut the last entry of {path} short, which was never acknowledged; its {bytes} bytes are kept in \
             {kept}, and can be removed"
        );
    }
    format!(
        "{bytes} bytes of {path} at byte {at} are damaged: writes that were acknowledged may be missing; the bytes are \
         kept in {kept}. Run `quiver verify`, then repeat the last writes"
    )
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Point;

    fn entry(number: u128) -> Entry {
        Entry::Put(vec![Point::new(Uuid::from_u128(number)).with_payload("text", "x".repeat(20))])
    }

    fn written(directory: &Path) -> (PathBuf, Vec<u8>) {
        let path = directory.join("test.journal");
        let mut journal = Journal::create(&path, 7).unwrap();
        for number in 1..=3_u64 {
            journal.append(&codec::encode(&entry(number.into())), number).unwrap();
        }
        journal.sync().unwrap();
        (path.clone(), fs::read(path).unwrap())
    }

    fn numbers(found: &Found) -> Vec<u64> {
        found.entries.iter().map(|logged| logged.sequence).collect()
    }

    #[test]
    fn no_flipped_bit_goes_unseen_or_hides_what_comes_after_it() {
        let directory = tempfile::tempdir().unwrap();
        let (path, bytes) = written(directory.path());
        let length = (bytes.len() - MAGIC.len()) / 3;
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).unwrap();
            let (journal, found) = Journal::open(&path, 7).unwrap();
            assert!(found.is_damaged && !found.damage.is_empty(), "bit {bit}");
            assert!(found.damage[0].contains("test.journal.cut-1"), "bit {bit}: {:?}", found.damage);
            let expected: Vec<u64> = match (bit / 8).checked_sub(MAGIC.len()) {
                None => vec![8, 9, 10],
                Some(at) => (0..3).filter(|number| *number != at / length).map(|n| n as u64 + 8).collect(),
            };
            assert_eq!(numbers(&found), expected, "bit {bit}");
            assert!(journal.sequence() >= 9, "bit {bit}");
            fs::remove_file(directory.path().join("test.journal.cut-1")).unwrap();
        }
    }

    #[test]
    fn a_torn_tail_is_dropped_and_kept_beside_and_a_tail_of_zeros_is_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let (path, bytes) = written(directory.path());
        let length = (bytes.len() - MAGIC.len()) / 3;
        for cut in 1..length {
            fs::write(&path, &bytes[..bytes.len() - cut]).unwrap();
            let (_, found) = Journal::open(&path, 7).unwrap();
            assert_eq!((numbers(&found), found.is_damaged), (vec![8, 9], false), "{cut}");
            assert_eq!(found.damage.len(), 1, "{cut}");
            let kept = directory.path().join("test.journal.cut-1");
            assert_eq!(fs::read(&kept).unwrap(), bytes[bytes.len() - length..bytes.len() - cut]);
            fs::remove_file(kept).unwrap();
        }
        for zeros in [1, 8, 31, 32, 4096] {
            let mut padded = bytes.clone();
            padded.resize(bytes.len() + zeros, 0);
            fs::write(&path, padded).unwrap();
            let (mut journal, found) = Journal::open(&path, 7).unwrap();
            assert_eq!((numbers(&found), found.is_damaged, found.damage.len()), (vec![8, 9, 10], false, 0));
            journal.append(&codec::encode(&entry(4)), 4).unwrap();
            let (_, found) = Journal::open(&path, 7).unwrap();
            assert_eq!((numbers(&found), found.is_damaged), (vec![8, 9, 10, 11], false), "{zeros}");
        }
    }

    #[test]
    fn a_journal_that_is_gone_or_empty_or_begins_late_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, bytes) = written(directory.path());
        let (_, found) = Journal::open(&path, 6).unwrap();
        assert!(found.is_damaged && found.damage[0].contains("begins with entry 8"), "{:?}", found.damage);
        let (_, found) = Journal::open(&path, 9).unwrap();
        assert_eq!((numbers(&found), found.is_damaged), (vec![10], false));
        fs::write(&path, vec![0; bytes.len()]).unwrap();
        assert!(Journal::open(&path, 7).unwrap().1.is_missing);
        fs::write(&path, b"").unwrap();
        assert!(Journal::open(&path, 7).unwrap().1.is_missing);
        fs::remove_file(&path).unwrap();
        assert!(Journal::open(&path, 7).unwrap().1.is_missing);
        assert!(!Journal::open(&path, 7).unwrap().1.is_missing, "it is there again");
    }
}
