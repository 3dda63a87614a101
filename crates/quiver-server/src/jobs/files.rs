//! The files of jobs, from which a server that was killed goes on.
//!
//! `ID.documents` is the body of the request; it is there until the job ends. `ID.journal` has a line of JSON for all
//! that happened to the job. Both are on the disk before the job is acknowledged, and a line before what it tells is
//! relied on. A last line without its end was cut off by a kill, and tells nothing that anybody was told.

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

/// What a job is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    version: u32,
    pub(super) workspace: String,
    /// The id of the key that it was posted with.
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
    /// The server ended in order.
    Stopped,
    /// Somebody asked for an end.
    Cancelled,
    Ended(Ended),
}

/// What was done since the last line of this kind.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Progress {
    /// How many documents, from the first on, need not be read again.
    pub(super) documents: usize,
    /// The counts since the job was taken, and the new problems.
    pub(super) receipt: Receipt,
    /// The entities and relations that are new in the counts.
    pub(super) referenced: Referenced,
}

/// How a job ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) at: i64,
    pub(super) begun: Option<i64>,
    pub(super) state: JobState,
    pub(super) documents: usize,
    pub(super) receipt: Receipt,
    pub(super) error: Option<JobError>,
}

/// A job as its journal tells it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: String,
    pub(super) header: Header,
    pub(super) begun: Option<i64>,
    /// How often it was begun since it last got further.
    pub(super) tries: u32,
    pub(super) is_cancelled: bool,
    pub(super) documents: usize,
    pub(super) receipt: Receipt,
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
    /// Opens a directory, makes it where there is none, and reads the jobs in it.
    pub(super) fn open(directory: PathBuf) -> io::Result<(Self, Vec<Found>)> {
        make_private(&directory)?;
        let lock =
            OpenOptions::new().create(true).write(true).truncate(false).open(directory.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::Error::other("another server keeps its jobs there"),
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

    /// Keeps a job. It may be acknowledged afterwards.
    pub(super) fn create(&self, id: &str, header: &Header, documents: &[u8]) -> io::Result<()> {
        let kept = write_new(&self.body(id), documents)
            .and_then(|()| write_new(&self.journal(id), &text(&Line::Taken(header.clone()))?))
            .and_then(|()| self.sync());
        if kept.is_err() {
            // Whoever sent it is told that it was not taken.
            self.remove(id);
        }
        kept
    }

    /// Adds a line to the journal of a job.
    pub(super) fn append(&self, id: &str, line: &Line) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(self.journal(id))?;
        file.write_all(&text(line)?)?;
        file.sync_data()
    }

    /// Keeps how a job ended, in place of all that happened to it, and deletes its documents.
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

    /// Deletes the files of a job: at first the journal, without which the documents are nobody's.
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
                        tracing::error!("a job is left alone: {}: {error}", path.display());
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

    /// Reads the journal of a job; there is none if it was not acknowledged.
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
            Some(_) => return Err(io::Error::other("it is of another version")),
        };
        let mut found = Found {
            id: id.to_owned(),
            header,
            begun: None,
            tries: 0,
            is_cancelled: false,
            documents: 0,
            receipt: Receipt::default(),
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
            Line::Progress(Progress { documents, receipt, referenced }) => {
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

/// Writes a file that is not there yet, for its owner only.
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

/// Makes a directory that only its owner can enter.
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
