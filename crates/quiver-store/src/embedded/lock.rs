use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use super::guard::from_io;
use crate::{Error, ErrorKind, Result};

/// A claim on a database directory. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would do, were it not for child processes: one that has just been started shares the file
        // until it becomes its own program, and the claim with it.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Claims a database, or tells which process has it.
    pub(super) fn claim(directory: &Path, prefix: &str) -> Result<Self> {
        let path = path(directory, prefix);
        let failed = |error| from_io("lock file", &path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(directory, &mut file)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(failed)?;
        Ok(Self { file })
    }
}

fn path(directory: &Path, prefix: &str) -> PathBuf {
    directory.join(format!("{prefix}.lock"))
}

fn locked(directory: &Path, file: &mut File) -> Error {
    let mut holder = String::new();
    // The holder writes its id right after it locked; in between there is nothing to read.
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
    let holder =
        if holder.trim().is_empty() { "another process".to_owned() } else { format!("process {holder}") };
    Error::new(
        ErrorKind::Locked,
        format!(
            "the database in {} is held by {holder}; close it there, or let both use a Qdrant server",
            directory.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_ends_with_its_owner_though_somebody_shares_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::claim(directory.path(), "test").unwrap();
        let _shared = lock.file.try_clone().unwrap();
        let error = Lock::claim(directory.path(), "test").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Locked);
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(lock);
        Lock::claim(directory.path(), "test").unwrap();
    }
}
