//! Files as they may be found in any folder: what is no ordinary file is not read, and no file for longer than allowed.

use super::{ReadOptions, ReadProblem};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

/// Opens a file for reading, if it is a regular one. A pipe would wait for a writer, and a device may never end.
pub(super) fn open(path: &Path) -> Result<File, ReadProblem> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe that nobody writes to returns at once, whatever was put in the file's place a moment ago.
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let file = options.open(path).map_err(|error| irregular(path, &error))?;
    let metadata = file.metadata().map_err(|error| ReadProblem::io(path, &error))?;
    if !metadata.is_file() {
        return Err(not_regular(path, kind(metadata.file_type())));
    }
    Ok(file)
}

/// Reads a whole file up to the limit, regardless of the length in its metadata.
pub(super) fn bytes(path: &Path, options: &ReadOptions) -> Result<Vec<u8>, ReadProblem> {
    all(path, &mut open(path)?, options.file_bytes_max)
}

/// Reads to the end, up to the limit.
pub(super) fn all(path: &Path, source: &mut dyn Read, limit: u64) -> Result<Vec<u8>, ReadProblem> {
    let mut bytes = Vec::new();
    source
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| ReadProblem::io(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(path, limit));
    }
    Ok(bytes)
}

pub(super) fn too_large(path: &Path, limit: u64) -> ReadProblem {
    let what = format!("the file exceeds the limit of {limit} bytes");
    ReadProblem::new(path, None, what, "split it, convert it to .jsonl, or raise the limit")
}

/// Returns the problem of something that is not a regular file.
pub(super) fn not_regular(path: &Path, kind: &str) -> ReadProblem {
    ReadProblem::new(path, None, format!("it is {kind}, not a regular file"), "omit it")
}

/// Sockets and absent devices can't even be opened.
fn irregular(path: &Path, error: &io::Error) -> ReadProblem {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() && !metadata.is_symlink() && !metadata.is_dir() => {
            not_regular(path, kind(metadata.file_type()))
        }
        _ => ReadProblem::io(path, error),
    }
}

/// Returns the word for an entry of a folder.
pub(super) fn kind(file_type: std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return "a pipe";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_block_device() || file_type.is_char_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a folder" } else { "something else" }
}
