//! The names of a database's files, for those who meet its directory without opening it.

use std::{fs, path::Path};

use crate::Collection;

/// Returns the name of the file that describes a database.
pub(crate) fn manifest(prefix: &str) -> String {
    format!("{prefix}.json")
}

/// Returns the name of a collection's journal.
pub(crate) fn journal(prefix: &str, collection: Collection) -> String {
    format!("{prefix}_{collection}.journal")
}

/// Whether a directory has the files of an embedded database, with any prefix. Nothing is opened.
pub fn is_database(directory: &Path) -> bool {
    let names = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let end = manifest("");
    names
        .filter_map(|name| Some(name.to_str()?.strip_suffix(&end)?.to_owned()))
        .any(|prefix| directory.join(journal(&prefix, Collection::Passages)).is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::is_database;

    #[test]
    fn a_database_is_known_by_its_files() {
        let directory = tempfile::tempdir().unwrap();
        for (name, expected) in [
            ("mine.json", false),
            ("mine_passages.json", false),
            ("yours_passages.journal", false),
            ("mine_passages.journal", true),
        ] {
            fs::write(directory.path().join(name), "").unwrap();
            assert_eq!(is_database(directory.path()), expected, "{name}");
        }
        assert!(!is_database(&directory.path().join("nowhere")));
    }
}
