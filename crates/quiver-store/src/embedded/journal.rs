//! What was acknowledged and is not yet in the engine's files.
//!
//! The engine keeps a log of its own but does not replay it, and a kill in the middle of a write can leave it half a
//! point. So each write goes to a journal first, as whole points and as ids: to write them again is harmless, and
//! after a crash that is what happens.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::{
    codec::{self, Entry},
    guard::{corrupt, from_io},
};
use crate::Result;

/// The length and the checksum of an entry.
const HEADER: usize = 8;

/// A file of entries that the engine's files may lack.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Journal {
    /// Opens a journal and reads the entries that are to be written again. An entry that a crash cut short was never
    /// acknowledged; it is dropped.
    pub(super) fn open(path: PathBuf) -> Result<(Self, Vec<Entry>)> {
        let failed = |error| from_io("journal", &path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (entries, length) = read(&path, &bytes)?;
        if length < bytes.len() {
            tracing::warn!(path = %path.display(), dropped = bytes.len() - length, "a crash cut the journal short");
            file.set_len(length as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Self { path, file, length: length as u64 }, entries))
    }

    /// Brings what was added to the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|error| from_io("journal", &self.path, error))
    }

    /// Forgets everything: the engine's files have it now.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.cut(0)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| from_io("journal", &self.path, error))
    }

    /// The number of bytes that a crash now would have to be mended from.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Adds an entry that is about to be applied, encoded.
    pub(super) fn append(&mut self, body: &[u8]) -> Result<()> {
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(u32::try_from(body.len()).expect("an entry holds one batch").to_le_bytes());
        bytes.extend(crc32fast::hash(body).to_le_bytes());
        bytes.extend(body);
        if let Err(error) = self.file.write_all(&bytes) {
            // Half an entry in the middle of the file would hide all that come after it.
            let _ = self.cut(self.length);
            return Err(from_io("journal", &self.path, error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length))?;
        self.length = length;
        Ok(())
    }
}

/// The whole entries, and where the last of them ends.
fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<Entry>, usize)> {
    let (mut entries, mut at) = (Vec::new(), 0);
    while let Some((header, rest)) = bytes[at..].split_first_chunk::<HEADER>() {
        let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let Some(body) = rest.get(..length) else { break };
        if crc32fast::hash(body) != u32::from_le_bytes([c0, c1, c2, c3]) {
            if rest.len() == length {
                break;
            }
            return Err(corrupt(path, &format!("the journal is damaged at byte {at}")));
        }
        let entry = codec::decode(body).ok_or_else(|| {
            corrupt(path, &format!("the journal's entry at byte {at} is of another format"))
        })?;
        entries.push(entry);
        at += HEADER + length;
    }
    Ok((entries, at))
}
