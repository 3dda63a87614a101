//! Stores each reply in a file of its own.
//!
//! A file is written under a temporary name, synced to disk, and then renamed, so it is either complete or absent.
//! Its first line is the digest of the rest, which reveals disk errors and manual edits.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use crate::chat::ChatReply;

/// The directory of incomplete files.
const PARTIAL: &str = "partial";
/// An incomplete file of this age has been abandoned by its writer.
const ABANDONED_AGE: Duration = Duration::from_hours(24);
const VERSION: u32 = 1;

pub(super) struct Disk {
    directory: PathBuf,
}

/// The content of a file after its first line.
#[derive(Serialize, Deserialize)]
struct Record<R> {
    version: u32,
    reply: R,
}

impl Disk {
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let partial = directory.join(PARTIAL);
        fs::create_dir_all(&partial)?;
        for entry in fs::read_dir(&partial)? {
            let entry = entry?;
            let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
            if matches!(age, Ok(Ok(age)) if age > ABANDONED_AGE) {
                // Another process may have removed it already.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Self { directory: directory.to_owned() })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads a reply; `None` if the file is missing or damaged.
    pub(super) fn read(&self, digest: Digest) -> Option<ChatReply> {
        let path = self.path(digest);
        let content = match fs::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a cached reply can't be read");
                return None;
            }
        };
        let reply = parse(&content);
        if reply.is_none() {
            tracing::warn!(path = %path.display(), "a cached reply is damaged; ignoring it");
        }
        reply
    }

    /// Writes a reply. It is on disk when this returns.
    pub(super) fn write(&self, digest: Digest, reply: &ChatReply) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let path = self.path(digest);
        let folder = path.parent().expect("it was joined to a directory");
        fs::create_dir_all(folder)?;
        let name = format!("{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let partial = self.directory.join(PARTIAL).join(name);
        let written = write_whole(&partial, reply).and_then(|()| fs::rename(&partial, &path));
        if written.is_err() {
            // The write error matters more than a failed cleanup.
            let _ = fs::remove_file(&partial);
        }
        written?;
        sync_directory(folder)
    }

    pub(super) fn remove(&self, digest: Digest) -> io::Result<()> {
        match fs::remove_file(self.path(digest)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let name = blake3::Hash::from_bytes(digest).to_hex();
        self.directory.join(&name[..2]).join(&name[2..])
    }
}

fn write_whole(path: &Path, reply: &ChatReply) -> io::Result<()> {
    let content = serde_json::to_vec(&Record { version: VERSION, reply })?;
    let mut file = File::create(path)?;
    writeln!(file, "{}", blake3::hash(&content).to_hex())?;
    file.write_all(&content)?;
    file.sync_data()
}

fn parse(content: &[u8]) -> Option<ChatReply> {
    let end = content.iter().position(|byte| *byte == b'\n')?;
    let (digest, content) = (&content[..end], &content[end + 1..]);
    if digest != blake3::hash(content).to_hex().as_bytes() {
        return None;
    }
    let record: Record<ChatReply> = serde_json::from_slice(content).ok()?;
    (record.version == VERSION).then_some(record.reply)
}

/// Makes the rename survive a power failure.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as elsewhere")]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
