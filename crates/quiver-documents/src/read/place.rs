//! What documents are called after: the place that they are read from, or a source that the caller names.

use super::ReadProblem;
use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// What stands between a source's name and a path in it.
const SOURCE_MARK: char = ':';
/// What stands between a file's key and a record in it.
const RECORD_MARK: char = '#';
/// The longest name of a source, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The name of a source: letters, digits, `-`, `_` and `.`, so that no key with a path looks like one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceName(String);

impl SourceName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the prefix of the source's document keys.
    pub fn prefix(&self) -> String {
        format!("{}{SOURCE_MARK}", self.0)
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SourceName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let is_plain = |character: char| character.is_alphanumeric() || "-_.".contains(character);
        // A single letter with a colon is a drive of Windows.
        if (2..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_plain) {
            return Ok(Self(name.to_owned()));
        }
        Err(format!("the name of a source must have 2 to {NAME_BYTES_MAX} letters, digits, `-`, `_` or `.`"))
    }
}

/// Where reading began, and what documents are called after.
#[derive(Clone, Debug)]
pub(super) struct Root {
    path: PathBuf,
    source: Option<SourceName>,
    /// The folder that keys in the source are relative to, if it is one around the path.
    base: Option<PathBuf>,
}

impl Root {
    /// The root for a path as the caller wrote it: the same place has the same root from every working directory.
    pub(super) fn of(path: &Path, source: Option<SourceName>) -> Result<Self, ReadProblem> {
        let path = path.canonicalize().map_err(|error| ReadProblem::io(path, &error))?;
        Ok(Self { path, source, base: None })
    }

    /// The same root, with keys relative to a folder around it.
    pub(super) fn below(self, base: Option<PathBuf>) -> Self {
        Self { base, ..self }
    }

    /// The root at an absolute path, which may be gone.
    pub(super) fn at(path: &Path, source: Option<SourceName>) -> Self {
        Self { path: path.to_owned(), source, base: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The key of a file below the root.
    pub(super) fn key(&self, file: &Path) -> String {
        match &self.source {
            None => written(file),
            Some(source) => format!("{}{}", source.prefix(), self.relative(file)),
        }
    }

    /// The path below the root; of the root itself its name. Earlier versions called documents so.
    pub(super) fn relative(&self, file: &Path) -> String {
        let base = self.base.as_ref().unwrap_or(&self.path);
        let below = file.strip_prefix(base).ok().filter(|rest| rest.components().next().is_some());
        written(below.or_else(|| file.file_name().map(Path::new)).unwrap_or(file))
    }
}

/// Returns what follows the name of a source in the key of a file, given the source's keys: the longest path in them that
/// a file ends with. `None` if the source does not have the file.
pub fn path_in_source<'k>(
    file: &Path,
    source: &SourceName,
    keys: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let prefix = source.prefix();
    let rests = keys.into_iter().filter_map(|key| key.strip_prefix(&prefix));
    rests.flat_map(paths).filter(|path| file.ends_with(path)).max_by_key(|path| path.len())
}

/// Returns the keys of the documents that a path may name, if they are those of named sources: `docs:guide/start.md` for
/// the file `/srv/docs/guide/start.md`, or for `start.md`. The likeliest come first.
pub fn keys_of_path<'k>(path: &str, keys: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let is_of = |rest: &str| {
        !path.is_empty()
            && !rest.is_empty()
            && (Path::new(path).ends_with(rest) || Path::new(rest).ends_with(path))
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for key in keys {
        let Some((source, rest)) = key.split_once(SOURCE_MARK) else { continue };
        if source.parse::<SourceName>().is_ok()
            && let Some(path) = paths(rest).filter(|path| is_of(path)).last()
        {
            found.push((path.len(), key));
        }
    }
    found.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
    found.into_iter().map(|(_, key)| key).collect()
}

/// What may be the path of a file in what follows the name of a source: all of it, or what is before a record.
fn paths(rest: &str) -> impl Iterator<Item = &str> {
    std::iter::once(rest).chain(rest.match_indices(RECORD_MARK).map(|(at, _)| &rest[..at]))
}

/// The key of a record in a file.
pub(super) fn key_of_record(file: &str, record: &str) -> String {
    format!("{file}{RECORD_MARK}{record}")
}

/// The record in what follows a file's key.
pub(super) fn record_of(rest: &str) -> Option<&str> {
    rest.strip_prefix(RECORD_MARK)
}

/// A path as text, with slashes on every system. Two paths never give one text: bytes that are no Unicode are written
/// as `\xff`, and a backslash as two.
fn written(path: &Path) -> String {
    use std::path::Component;
    let mut text = String::new();
    for component in path.components() {
        match component {
            Component::RootDir => text.push('/'),
            Component::Prefix(prefix) => text.push_str(&prefix.as_os_str().to_string_lossy()),
            other => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                write_name(other.as_os_str(), &mut text);
            }
        }
    }
    text
}

fn write_name(name: &std::ffi::OsStr, text: &mut String) {
    use std::fmt::Write as _;
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SourceName, keys_of_path, path_in_source, written};
    use std::path::Path;

    #[test]
    fn a_file_is_found_among_the_keys_of_sources() {
        let keys = ["/srv/a.md", "docs:a.md", "docs:guide/a.md", "docs:towns.jsonl#7", "other:guide/a.md"];
        let docs: SourceName = "docs".parse().expect("a name");
        let found = |file: &str| path_in_source(Path::new(file), &docs, keys);
        assert_eq!(found("/srv/docs/guide/a.md"), Some("guide/a.md"));
        assert_eq!(found("/srv/docs/a.md"), Some("a.md"));
        assert_eq!(found("/srv/towns.jsonl"), Some("towns.jsonl"));
        assert_eq!((found("/srv/docs/b.md"), found("/srv/ba.md")), (None, None));
        assert_eq!(
            keys_of_path("/srv/guide/a.md", keys),
            ["docs:guide/a.md", "other:guide/a.md", "docs:a.md"]
        );
        assert_eq!(keys_of_path("towns.jsonl", keys), ["docs:towns.jsonl#7"]);
        assert!(keys_of_path("b.md", keys).is_empty() && keys_of_path("", keys).is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn names_that_are_no_unicode_are_told_apart() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let name = |bytes: &[u8]| written(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(name(b"/a/caf\xe9.txt"), "/a/caf\\xe9.txt");
        assert_eq!(name(b"/a/caf\xea.txt"), "/a/caf\\xea.txt");
        assert_eq!(name(b"/a/caf\\xe9.txt"), "/a/caf\\\\xe9.txt");
    }

    #[test]
    fn sources_have_plain_names() {
        assert_eq!("docs".parse::<SourceName>().map(|name| name.prefix()), Ok("docs:".to_owned()));
        for wrong in ["", "C", "a/b", "a:b", "a b", "\u{1b}x"] {
            assert!(wrong.parse::<SourceName>().is_err(), "{wrong:?}");
        }
    }
}
