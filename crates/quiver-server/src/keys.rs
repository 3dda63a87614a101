//! Keys of clients: their roles and workspaces.
//!
//! A key is shown once, when it is created. The file contains its digest, so that nobody who reads the file can use the
//! key. A key has 256 random bits, which nobody can guess, so a fast digest is enough.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use quiver::graph::Workspace;
use serde::{Deserialize, Serialize};

/// The prefix of keys, which makes leaked ones recognisable.
const PREFIX: &str = "qv_";
/// How often a running server checks whether the file has changed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The role of a key. Each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Questions and lists.
    Read,
    /// Adding and deleting documents and turns, and holding conversations.
    Write,
    /// Exports, checks and metrics.
    Admin,
}

impl Role {
    /// Returns its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// A key as stored in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The ID by which it is listed and revoked.
    pub id: String,
    /// Its purpose.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its workspaces; an empty list means all.
    pub workspaces: Vec<String>,
    /// When it was created, in milliseconds since 1970.
    pub created: i64,
    /// The digest of the secret.
    digest: String,
}

impl Key {
    /// Whether it is valid for a workspace.
    pub fn allows(&self, workspace: &Workspace) -> bool {
        !self.is_bound() || self.workspaces.iter().any(|name| name == workspace.as_str())
    }

    /// Whether it is limited to certain workspaces.
    pub fn is_bound(&self) -> bool {
        !self.workspaces.is_empty()
    }

    fn digest(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.digest).ok()
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    keys: Vec<Key>,
}

/// The keys of a file. A missing file has none.
#[derive(Debug)]
pub struct Keys {
    path: PathBuf,
    known: RwLock<Vec<Key>>,
    looked: Mutex<(Instant, Option<Stamp>)>,
}

/// Shows whether the file has changed.
type Stamp = (SystemTime, u64);

impl Keys {
    /// Reads the keys of a file.
    ///
    /// # Errors
    /// Fails if the file exists and can't be read or parsed.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let stamp = stamp(&path);
        let keys = read(&path)?;
        Ok(Self { path, known: RwLock::new(keys), looked: Mutex::new((Instant::now(), stamp)) })
    }

    /// Returns the keys in order of creation.
    pub fn list(&self) -> Vec<Key> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether requests need a key: the file exists or existed. Revoking the last key opens nothing.
    pub fn are_needed(&self) -> bool {
        self.look();
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).1.is_some()
    }

    /// Creates a key and returns it with its secret, which is not stored.
    ///
    /// # Errors
    /// Fails if the name is empty or that of another key, the file can't be written, or the system has no random
    /// numbers.
    pub fn create(&self, name: &str, role: Role, workspaces: &[Workspace]) -> io::Result<(Key, String)> {
        let name = name.trim();
        if name.is_empty() {
            let why = "the name of the key is empty; give the purpose of the key";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let mut keys = read(&self.path)?;
        if let Some(key) = keys.iter().find(|key| key.name == name) {
            let why = format!(
                "there is already a key {name:?} with the ID {}; choose another name, or revoke it first: `quiver keys revoke \
                 {}`",
                key.id, key.id
            );
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let mut random = [0; 36];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let (id, secret) = (hex(&random[..4]), hex(&random[4..]));
        let secret = format!("{PREFIX}{id}_{secret}");
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let key = Key {
            id,
            name: name.to_owned(),
            role,
            workspaces: workspaces.iter().map(|workspace| workspace.as_str().to_owned()).collect(),
            created: i64::try_from(created.as_millis()).unwrap_or(i64::MAX),
            digest: blake3::hash(secret.as_bytes()).to_hex().to_string(),
        };
        keys.push(key.clone());
        self.write(keys)?;
        Ok((key, secret))
    }

    /// Revokes a key. Running servers refuse it within a second. Returns whether it existed.
    ///
    /// # Errors
    /// Fails if the file can't be read or written.
    pub fn revoke(&self, id: &str) -> io::Result<bool> {
        let mut keys = read(&self.path)?;
        let before = keys.len();
        keys.retain(|key| key.id != id);
        let is_there = keys.len() < before;
        if is_there {
            self.write(keys)?;
        }
        Ok(is_there)
    }

    /// Finds the key with a secret. All keys are compared, each in constant time.
    pub fn find(&self, secret: &str) -> Option<Key> {
        self.look();
        let digest = blake3::hash(secret.as_bytes());
        let keys = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for key in keys.iter() {
            // The comparison of digests takes the same time wherever they differ.
            if key.digest() == Some(digest) {
                found = Some(key.clone());
            }
        }
        found
    }

    /// Returns the key with an ID, unless it is revoked.
    #[cfg(feature = "bolt")]
    pub(crate) fn with_id(&self, id: &str) -> Option<Key> {
        self.look();
        self.known.read().unwrap_or_else(PoisonError::into_inner).iter().find(|key| key.id == id).cloned()
    }

    /// Reads the file again if it has changed. If the file can't be read, the keys stay as they are.
    fn look(&self) {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.0.elapsed() < LOOK_EVERY {
            return;
        }
        let stamp = stamp(&self.path);
        looked.0 = Instant::now();
        // A missing file must not open the server to everybody.
        if stamp == looked.1 || stamp.is_none() {
            return;
        }
        match read(&self.path) {
            Ok(keys) => *self.known.write().unwrap_or_else(PoisonError::into_inner) = keys,
            Err(error) => tracing::error!("still using the previous keys: {error}"),
        }
        looked.1 = stamp;
    }

    fn write(&self, keys: Vec<Key>) -> io::Result<()> {
        let file = File { version: 1, keys };
        let unwritable = |error: io::Error| {
            io::Error::new(error.kind(), format!("{} can't be written: {error}", self.path.display()))
        };
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(unwritable)?;
        }
        let next = self.path.with_extension("new");
        let text = serde_json::to_vec_pretty(&file)?;
        write_private(&next, &text).map_err(unwritable)?;
        fs::rename(&next, &self.path).map_err(unwritable)?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = file.keys;
        Ok(())
    }
}

/// Writes a file that only its owner can read.
fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

fn read(path: &Path) -> io::Result<Vec<Key>> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(io::Error::new(error.kind(), format!("{} can't be read: {error}", path.display())));
        }
    };
    let wrong = |why: String| {
        let message =
            format!("{} is not a key file: {why}; `quiver keys create` creates one", path.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    let file: File = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    if file.version != 1 {
        return Err(wrong(format!("its version is {}, but only version 1 is supported", file.version)));
    }
    if let Some(key) = file.keys.iter().find(|key| key.digest().is_none()) {
        return Err(wrong(format!("the digest of the key {} is invalid", key.id)));
    }
    Ok(file.keys)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
