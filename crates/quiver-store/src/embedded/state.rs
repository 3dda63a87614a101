//! State of a collection, stored next to its files: which directory is current, and how many points it holds.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
};

use serde::{Deserialize, Serialize};

use super::{
    fields::Unused,
    guard::{corrupt, from_io},
};
use crate::Result;

/// The state of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The number of the current directory; each compaction creates a new one.
    pub(super) generation: u64,
    /// Number of points in the engine's files at the last checkpoint.
    pub(super) points: u64,
    /// Number of points replaced or deleted since the files were last rebuilt.
    pub(super) garbage: u64,
    /// Number of points written since a segment was last closed.
    pub(super) unsealed: u64,
    /// Sequence number of the last journal entry that the engine's files contain.
    pub(super) sequence: u64,
    /// Whether the journal has been written to since.
    pub(super) is_dirty: bool,
    /// Number of dense vectors when the index was last built.
    pub(super) indexed: u64,
    /// The fields that have no index, since no point has a value of them. Not written if there are none, as in earlier
    /// formats.
    #[serde(default, skip_serializing_if = "Unused::is_empty")]
    pub(super) unused: Unused,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    state: State,
    checksum: u32,
}

impl State {
    /// Loads the state.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(corrupt(path, "the file is gone"));
            }
            Err(error) => return Err(from_io("state of a collection", path, error)),
        };
        let sealed: Sealed =
            serde_json::from_slice(&bytes).map_err(|error| corrupt(path, &error.to_string()))?;
        if sealed.state.checksum() != sealed.checksum {
            return Err(corrupt(path, "its checksum is another one"));
        }
        Ok(sealed.state)
    }

    /// Saves the state atomically: after a crash, the file has the old state or the new one.
    pub(super) fn save(self, path: &Path) -> Result<()> {
        let sealed = Sealed { state: self, checksum: self.checksum() };
        replace(path, &serde_json::to_vec(&sealed).expect("a state is JSON"))
            .map_err(|error| from_io("state of a collection", path, error))
    }

    fn checksum(&self) -> u32 {
        crc32fast::hash(&serde_json::to_vec(self).expect("a state is JSON"))
    }
}

/// Replaces a file atomically and syncs it to disk.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    let mut file = File::create(&aside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&aside, path)?;
    sync_directory(path.parent().unwrap_or(Path::new(".")))
}

/// Syncs the entries of a directory to disk.
#[cfg(unix)]
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Does nothing, since this system syncs directory entries by itself.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as elsewhere")]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The number of files that are synced at once. The disk does the work of several with one wait.
const SYNCED_AT_ONCE: usize = 8;

/// Syncs all files below a directory to disk.
pub(super) fn sync_tree(path: &Path) -> io::Result<()> {
    let (mut files, mut directories) = (Vec::new(), vec![path.to_owned()]);
    let mut listed = 0;
    while let Some(directory) = directories.get(listed).cloned() {
        listed += 1;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let into = if entry.file_type()?.is_dir() { &mut directories } else { &mut files };
            into.push(entry.path());
        }
    }
    let sync = |files: &[PathBuf]| files.iter().try_for_each(|file| File::open(file)?.sync_all());
    thread::scope(|scope| {
        let each = files.len().div_ceil(SYNCED_AT_ONCE).max(1);
        let syncing: Vec<_> = files.chunks(each).map(|some| scope.spawn(move || sync(some))).collect();
        syncing.into_iter().try_for_each(|some| {
            some.join().unwrap_or_else(|_| Err(io::Error::other("files were not synced to their end")))
        })
    })?;
    directories.iter().rev().try_for_each(|directory| sync_directory(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flipped_bit_of_a_state_goes_unseen() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("test.state");
        let state = State {
            generation: 3,
            points: 1234,
            garbage: 5,
            unsealed: 6,
            sequence: 99,
            is_dirty: true,
            indexed: 0,
            unused: Unused::default(),
        };
        state.save(&path).unwrap();
        assert_eq!(State::load(&path).unwrap(), state);
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            // Flipping a bit of a name, or of white space, may leave the meaning unchanged.
            if let Ok(read) = State::load(&path) {
                assert_eq!(read, state, "bit {bit}");
            }
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(State::load(&path).unwrap_err().kind(), crate::ErrorKind::Corrupt);
    }
}
