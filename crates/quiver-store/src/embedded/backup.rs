//! File-level backup of a database, in whatever state its files are.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::{guard::from_io, state::sync_directory};
use crate::{Error, ErrorKind, Result, files};

/// Number of bytes copied at a time. Chunks of zeros become holes in the copy; the engine's files contain many.
const CHUNK: usize = 64 << 10;

/// The result of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackedUp {
    /// Number of files copied.
    pub files: u64,
    /// Number of bytes copied, without holes.
    pub bytes: u64,
    /// The files that could not be read, or not to the end, each with the reason.
    pub unreadable: Vec<String>,
}

pub(super) fn back_up(directory: &Path, prefix: &str, target: &Path) -> Result<BackedUp> {
    let own = own_files(directory, prefix)?;
    if own.is_empty() {
        let message = format!("there is no database named {prefix:?} in {}", directory.display());
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let unwritable = |error| from_io("no copy can be made in", target, error);
    fs::create_dir_all(target).map_err(unwritable)?;
    if !own_files(target, prefix)?.is_empty() {
        let message =
            format!("{} has a database of this name already; name another directory", target.display());
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    let mut done = BackedUp::default();
    for name in own {
        copy(&directory.join(&name), &target.join(&name), &mut done)?;
    }
    sync_directory(target).map_err(unwritable)?;
    Ok(done)
}

/// Returns the names of a database's files and directories, without the lock file.
fn own_files(directory: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).map_err(|error| from_io("directory", directory, error))?;
    let (manifest, lock) = (files::manifest(prefix), format!("{prefix}.lock"));
    let collections = crate::Collection::ALL.map(|collection| format!("{prefix}_{collection}"));
    let mut names: Vec<_> = entries
        .flatten()
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| {
            let name = name.to_string_lossy();
            let of_collection = |collection: &String| {
                name.strip_prefix(collection.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            name != lock.as_str() && (name == manifest.as_str() || collections.iter().any(of_collection))
        })
        .collect();
    names.sort();
    Ok(names)
}

fn copy(from: &Path, to: &Path, done: &mut BackedUp) -> Result<()> {
    let unwritable = |error| from_io("copy", to, error);
    let metadata = match fs::metadata(from) {
        Ok(metadata) => metadata,
        Err(error) => {
            done.unreadable.push(format!("{}: {error}", from.display()));
            return Ok(());
        }
    };
    if metadata.is_dir() {
        fs::create_dir_all(to).map_err(unwritable)?;
        match fs::read_dir(from) {
            Ok(entries) => {
                let mut entries: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
                entries.sort();
                for name in entries {
                    copy(&from.join(&name), &to.join(&name), done)?;
                }
            }
            Err(error) => done.unreadable.push(format!("{}: {error}", from.display())),
        }
        return sync_directory(to).map_err(unwritable);
    }
    let mut source = match File::open(from) {
        Ok(source) => source,
        Err(error) => {
            done.unreadable.push(format!("{}: {error}", from.display()));
            return Ok(());
        }
    };
    let mut target = File::create(to).map_err(unwritable)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                done.unreadable.push(format!("{}: {error}", from.display()));
                break;
            }
        };
        if buffer[..read].iter().all(|byte| *byte == 0) {
            let read = i64::try_from(read).expect("a chunk is short");
            target.seek(SeekFrom::Current(read)).map_err(unwritable)?;
        } else {
            target.write_all(&buffer[..read]).map_err(unwritable)?;
            done.bytes += read as u64;
        }
    }
    target.set_len(metadata.len()).and_then(|()| target.sync_all()).map_err(unwritable)?;
    done.files += 1;
    Ok(())
}
