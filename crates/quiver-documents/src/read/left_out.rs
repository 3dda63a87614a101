//! What is left out of a folder without being a problem, counted.

use super::ReadProblem;
use ignore::DirEntry;
use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of omitted items that are named.
const NAMED_MAX: usize = 3;

/// The reason why a file or folder is omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOutKind {
    /// Its name begins with a dot.
    Hidden,
    /// It is generated and not meant to be read: lock files, installed packages, caches.
    Generated,
    /// A picture, sound, film, font, archive or program.
    Media,
    /// The directory of a Quiver database.
    Database,
    /// A symbolic link.
    Link,
    /// A file that is embedded in a text as a `data:` URI.
    Embedded,
    /// A file without text, such as a page that consists of front matter.
    Textless,
}

impl LeftOutKind {
    /// Returns a word for it, for scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Generated => "generated",
            Self::Media => "media",
            Self::Database => "databases",
            Self::Link => "links",
            Self::Embedded => "embedded",
            Self::Textless => "textless",
        }
    }
}

impl fmt::Display for LeftOutKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hidden => "hidden files and folders",
            Self::Generated => "generated files and folders",
            Self::Media => "pictures, sound, archives and programs",
            Self::Database => "Quiver databases",
            Self::Link => "symbolic links",
            Self::Embedded => "files embedded in texts as data: URIs",
            Self::Textless => "files without text",
        })
    }
}

/// The number of omitted items of each kind, and the names of the first ones.
pub type LeftOut = BTreeMap<LeftOutKind, (usize, Vec<String>)>;

/// A running count.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Mutex<LeftOut>>);

impl Tally {
    pub(super) fn add(&self, kind: LeftOutKind, path: &Path) {
        self.add_many(kind, path, 1);
    }

    pub(super) fn add_many(&self, kind: LeftOutKind, path: &Path, number: usize) {
        let mut left_out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, names) = left_out.entry(kind).or_default();
        *count += number;
        if names.len() < NAMED_MAX {
            names.push(path.display().to_string());
        }
    }

    pub(super) fn get(&self) -> LeftOut {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns why an entry of a folder is omitted, if it is. The path named by the caller is never omitted.
pub(super) fn of_entry(
    entry: &DirEntry,
    hidden: bool,
    is_chosen: bool,
    is_database: fn(&Path) -> bool,
) -> Option<LeftOutKind> {
    if entry.depth() == 0 {
        return None;
    }
    let name = entry.file_name().to_string_lossy();
    let kind = entry.file_type();
    if kind.is_some_and(|kind| kind.is_symlink()) {
        return Some(LeftOutKind::Link);
    }
    if is_chosen {
        return None;
    }
    if !hidden && name.starts_with('.') {
        return Some(LeftOutKind::Hidden);
    }
    if kind.is_some_and(|kind| kind.is_dir()) {
        if is_database(entry.path()) {
            return Some(LeftOutKind::Database);
        }
        let holds = |file: &str| entry.path().join(file).is_file();
        // The word has other meanings; package managers leave a list beside what they copy.
        let is_vendored = || name == "vendor" && (holds("modules.txt") || holds("autoload.php"));
        let is_generated = GENERATED_FOLDERS.contains(&&*name) || holds("CACHEDIR.TAG") || is_vendored();
        return is_generated.then_some(LeftOutKind::Generated);
    }
    if !kind.is_some_and(|kind| kind.is_file()) {
        return None;
    }
    if GENERATED_FILES.contains(&&*name) || GENERATED_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Some(LeftOutKind::Generated);
    }
    is_media(&super::ending(entry.path())).then_some(LeftOutKind::Media)
}

/// Whether files with this extension are not text, or are pictures written as text.
pub(super) fn is_media(ending: &str) -> bool {
    MEDIA.contains(&ending)
}

/// Returns the problem of a picture that the caller named.
pub(super) fn media(path: &Path) -> ReadProblem {
    let what = "the extension is that of a picture, sound, archive or program";
    ReadProblem::new(path, None, what, "omit it, or name it .txt if it is text")
}

/// Folders of packages and caches.
const GENERATED_FOLDERS: &[&str] = &["node_modules", "bower_components", "__pycache__", "site-packages"];

/// Lists of locked versions.
const GENERATED_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "flake.lock",
    "Thumbs.db",
];

/// Code that was made small, maps of it, and code that a program wrote.
const GENERATED_ENDINGS: &[&str] = &[
    ".min.js",
    ".min.css",
    ".js.map",
    ".css.map",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    ".g.dart",
    ".freezed.dart",
    ".designer.cs",
    ".generated.cs",
];

/// Extensions of files that are not text.
const MEDIA: &[&str] = &[
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "bmp",
    "ico",
    "icns",
    "tif",
    "tiff",
    "heic",
    "psd",
    "ai",
    "eps",
    "mp3",
    "wav",
    "flac",
    "ogg",
    "oga",
    "opus",
    "m4a",
    "aac",
    "mp4",
    "m4v",
    "mov",
    "avi",
    "mkv",
    "webm",
    "mpg",
    "mpeg",
    "woff",
    "woff2",
    "ttf",
    "otf",
    "eot",
    "zip",
    "tar",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "rar",
    "jar",
    "war",
    "whl",
    "deb",
    "rpm",
    "dmg",
    "iso",
    "exe",
    "dll",
    "so",
    "dylib",
    "a",
    "o",
    "obj",
    "class",
    "pyc",
    "pyo",
    "wasm",
    "sqlite",
    "sqlite3",
    "parquet",
    "npy",
    "npz",
    "onnx",
    "safetensors",
];
