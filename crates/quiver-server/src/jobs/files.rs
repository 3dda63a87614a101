//! The files of jobs, from which a killed server resumes.
//!
//! `ID.documents` is the body of the request, and exists until the job ends. `ID.journal` has a line of JSON for every
//! event of the job. Both are on disk before the job is acknowledged, and each line before anything relies on it. A
//! last line without a line end was cut off by a kill; nothing relies on it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
};

use quiver::{Receipt, Referenced};
use quiver_forms::job::{JobError, JobState};
use serde::{Deserialize, Serialize};

/// The version of the journal.
const VERSION: u32 = 1;

/// The description of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    version: u32,
    pub(super) workspace: String,
    /// The ID of the key that posted it.
    pub(super) key: String,
    pub(super) created: i64,
    pub(super) documents: usize,
}

impl Header {
    pub(super) fn new(workspace: &str, key: &str, created: i64, documents: usize) -> Self {
        Self { version: VERSION, workspace: workspace.to_owned(), key: key.to_owned(), created, documents }
    }
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first line.
    Taken(Header),
    Begun {
        at: i64,
    },
    Progress(Progress),
    /// The server stopped properly.
    Stopped,
    /// Cancellation was requested.
    Cancelled,
    Ended(Ended),
}

/// What was done since the last line of this kind.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Number of documents, from the first on, that need not be read again.
    pub(super) documents: usize,
    /// The counts since the job was accepted, and the new problems.
    pub(super) receipt: Receipt,
    /// The entities and relations that are new in the counts.
    pub(super) referenced: Referenced,
    /// The web pages that could not be read.
    #[serde(default)]
    pub(super) skipped: Vec<String>,
}

/// How a job ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) at: i64,
    pub(super) begun: Option<i64>,
    pub(super) state: JobState,
    pub(super) documents: usize,
    pub(super) receipt: Receipt,
    #[serde(default)]
    pub(super) skipped: Vec<String>,
    pub(super) error: Option<JobError>,
}

/// A job restored from its journal.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: String,
    pub(super) header: Header,
    pub(super) begun: Option<i64>,
    /// How often it was started since it last made progress.
    pub(super) tries: u32,
    pub(super) is_cancelled: bool,
    pub(super) documents: usize,
    pub(super) receipt: Receipt,
    pub(super) skipped: Vec<String>,
    pub(super) ended: Option<Ended>,
}

/// The directory of the files, which belongs to one process.
#[derive(Debug)]
pub(super) struct Files {
    directory: PathBuf,
    /// Locked until it is closed.
    _lock: File,
}

impl Files {
    /// Opens a directory, creating it if necessary, and reads the jobs in it.
    pub(super) fn open(directory: PathBuf) -> io::Result<(Self, Vec<Found>)> {
        make_private(&directory)?;
        let lock =
            OpenOptions::new().create(true).write(true).truncate(false).open(directory.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::Error::other("another server stores its jobs there"),
            fs::TryLockError::Error(error) => error,
        })?;
        let files = Self { directory, _lock: lock };
        let found = files.read_all()?;
        Ok((files, found))
    }

    fn journal(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.journal"))
    }

    fn body(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.documents"))
    }

    /// Stores a job. Then it may be acknowledged.
    pub(super) fn create(&self, id: &str, header: &Header, documents: &[u8]) -> io::Result<()> {
        let kept = write_new(&self.body(id), documents)
            .and_then(|()| write_new(&self.journal(id), &text(&Line::Taken(header.clone()))?))
            .and_then(|()| self.sync());
        if kept.is_err() {
            // The sender learns that it was not accepted.
            self.remove(id);
        }
        kept
    }

    /// Appends a line to the journal of a job.
    pub(super) fn append(&self, id: &str, line: &Line) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(self.journal(id))?;
        file.write_all(&text(line)?)?;
        file.sync_data()
    }

    /// Replaces the journal of a job with how it ended, and deletes its documents.
    pub(super) fn end(&self, id: &str, header: &Header, ended: &Ended) -> io::Result<()> {
        let aside = self.directory.join(format!("{id}.new"));
        let mut lines = text(&Line::Taken(header.clone()))?;
        lines.extend(text(&Line::Ended(ended.clone()))?);
        let _ = fs::remove_file(&aside);
        write_new(&aside, &lines)?;
        fs::rename(&aside, self.journal(id))?;
        self.sync()?;
        let _ = fs::remove_file(self.body(id));
        Ok(())
    }

    /// Reads the body of the request for a job.
    pub(super) fn documents(&self, id: &str) -> io::Result<Vec<u8>> {
        fs::read(self.body(id))
    }

    /// Deletes the files of a job. The journal goes first; documents without one belong to no job.
    pub(super) fn remove(&self, id: &str) {
        for path in [self.journal(id), self.body(id)] {
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!("{} can't be deleted: {error}", path.display());
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }

    fn read_all(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut bodies = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let name = entry?.file_name();
            let Some((id, kind)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            match kind {
                "documents" => bodies.push(id.to_owned()),
                "new" => {
                    let _ = fs::remove_file(self.directory.join(&name));
                }
                "journal" => match self.read(id) {
                    Ok(Some(job)) => found.push(job),
                    Ok(None) => self.remove(id),
                    Err(error) => {
                        let path = self.journal(id);
                        tracing::error!("ignored a job: {}: {error}", path.display());
                    }
                },
                _ => {}
            }
        }
        for id in bodies {
            let is_needed = match found.iter().find(|job| job.id == id) {
                Some(job) => job.ended.is_none(),
                None => self.journal(&id).exists(),
            };
            if !is_needed {
                let _ = fs::remove_file(self.body(&id));
            }
        }
        found.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(found)
    }

    /// Reads the journal of a job. Returns `None` if the job was not acknowledged.
    fn read(&self, id: &str) -> io::Result<Option<Found>> {
        let path = self.journal(id);
        let bytes = fs::read(&path)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole < bytes.len() {
            OpenOptions::new().write(true).open(&path)?.set_len(whole as u64)?;
        }
        let mut lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n').map(serde_json::from_slice);
        let header = match lines.next().transpose()? {
            None => return Ok(None),
            Some(Line::Taken(header)) if header.version == VERSION => header,
            Some(_) => return Err(io::Error::other("unsupported version")),
        };
        let mut found = Found {
            id: id.to_owned(),
            header,
            begun: None,
            tries: 0,
            is_cancelled: false,
            documents: 0,
            receipt: Receipt::default(),
            skipped: Vec::new(),
            ended: None,
        };
        for line in lines {
            found.follow(line?);
        }
        Ok(Some(found))
    }
}

impl Found {
    fn follow(&mut self, line: Line) {
        match line {
            Line::Taken(_) => {}
            Line::Begun { at } => {
                self.begun.get_or_insert(at);
                self.tries += 1;
            }
            Line::Progress(Progress { documents, receipt, referenced, skipped }) => {
                self.skipped.extend(skipped);
                self.documents = documents;
                self.tries = 0;
                let mut problems = std::mem::take(&mut self.receipt.problems);
                problems.extend(receipt.problems);
                let known = std::mem::take(&mut self.receipt.referenced);
                self.receipt = Receipt { problems, ..receipt };
                self.receipt.refer(known);
                self.receipt.refer(referenced);
            }
            Line::Stopped => self.tries = 0,
            Line::Cancelled => self.is_cancelled = true,
            Line::Ended(ended) => self.ended = Some(ended),
        }
    }
}

fn text(line: &Line) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

/// Writes a new file that only its owner can read.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Creates a directory that only its owner can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(directory)
}
