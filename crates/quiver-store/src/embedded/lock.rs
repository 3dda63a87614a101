use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{guard::from_io, options::EmbeddedOptions};
use crate::{Error, ErrorKind, Result};

/// How often to retry a lock held by another process.
const TRY_EVERY: Duration = Duration::from_millis(20);

/// A lock on a database directory. The operating system releases it when the process ends for any reason.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that was just started shares the file, and the lock with
        // it, until it executes its own program.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Locks a database. If another process holds it, waits for the time set in the options and notifies the user.
    pub(super) fn claim(directory: &Path, prefix: &str, options: &EmbeddedOptions) -> Result<Self> {
        let path = path(directory, prefix);
        let failed = |error| from_io("lock file", &path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let began = Instant::now();
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() >= options.wait => {
                    return Err(locked(directory, &mut file));
                }
                Err(TryLockError::WouldBlock) => {
                    if !told {
                        told = true;
                        options.notify.tell(&format!(
                            "the database in {} is held by {}; waiting up to {:?}",
                            directory.display(),
                            holder(&mut file),
                            options.wait
                        ));
                    }
                    thread::sleep(TRY_EVERY.min(options.wait));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        // The process that waited has already read the holder's ID.
        file.rewind()
            .and_then(|()| file.set_len(0))
            .and_then(|()| write!(file, "{}", std::process::id()))
            .map_err(failed)?;
        Ok(Self { file })
    }
}

fn path(directory: &Path, prefix: &str) -> PathBuf {
    directory.join(format!("{prefix}.lock"))
}

fn locked(directory: &Path, file: &mut File) -> Error {
    Error::new(
        ErrorKind::Locked,
        format!(
            "the database in {} is held by {}; close it there, wait longer (`--wait`), or let both use a Qdrant server",
            directory.display(),
            holder(file)
        ),
    )
}

fn holder(file: &mut File) -> String {
    let mut holder = String::new();
    // The holder writes its process ID just after locking; before that the file is empty.
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
    if holder.trim().is_empty() { "another process".to_owned() } else { format!("process {holder}") }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{super::options::Notify, *};

    fn at_once() -> EmbeddedOptions {
        EmbeddedOptions { wait: Duration::ZERO, ..EmbeddedOptions::default() }
    }

    #[test]
    fn who_waited_writes_its_number_alone() {
        let directory = tempfile::tempdir().unwrap();
        let held = Lock::claim(directory.path(), "test", &at_once()).unwrap();
        let owner = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            drop(held);
        });
        let patient = EmbeddedOptions { wait: Duration::from_secs(20), ..EmbeddedOptions::default() };
        let lock = Lock::claim(directory.path(), "test", &patient).unwrap();
        owner.join().unwrap();
        let written = std::fs::read_to_string(path(directory.path(), "test")).unwrap();
        assert_eq!(written, std::process::id().to_string());
        drop(lock);
    }

    #[test]
    fn a_claim_ends_with_its_owner_though_somebody_shares_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::claim(directory.path(), "test", &at_once()).unwrap();
        let _shared = lock.file.try_clone().unwrap();
        let error = Lock::claim(directory.path(), "test", &at_once()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Locked);
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(lock);
        Lock::claim(directory.path(), "test", &at_once()).unwrap();
    }

    #[test]
    fn a_claim_waits_for_the_holder_and_says_so_once() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::claim(directory.path(), "test", &at_once()).unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let notify = Notify::new({
            let told = Arc::clone(&told);
            move |sentence| told.lock().unwrap().push(sentence.to_owned())
        });
        let path = directory.path().to_owned();
        let waiting = thread::spawn(move || {
            Lock::claim(&path, "test", &EmbeddedOptions { wait: Duration::from_mins(1), notify, ..at_once() })
                .map(drop)
        });
        thread::sleep(Duration::from_millis(200));
        assert!(!waiting.is_finished(), "it waits");
        drop(lock);
        waiting.join().unwrap().unwrap();
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(&format!("process {}", std::process::id())), "{told:?}");
    }
}
