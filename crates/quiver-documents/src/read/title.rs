//! The title of a file whose text says none.

use std::path::Path;

use quiver_language::heading;

use super::fold;
use crate::document::Document;

/// File names that do not describe the content, in lower case.
const UNTELLING: [&str; 8] = ["main", "notes", "text", "document", "untitled", "summary", "toc", "contents"];
/// File names that stand for the folder, in lower case.
const OF_FOLDER: [&str; 3] = ["readme", "index", "overview"];
/// Minimum number of bytes of a name that says something.
const BYTES_LEAST: usize = 3;

/// Gives a document without a title the name of its file, or that of the folder it is in; and one whose file is called
/// by a number that number before its title: "eip-1559: Fee market".
pub(super) fn of_file(mut document: Document, key: &str) -> Document {
    let path = Path::new(key);
    document.title = match document.title {
        None => name_of(path),
        Some(title) => match number_of(path) {
            Some((word, number)) if !has_number(&title, number) => Some(format!("{word}-{number}: {title}")),
            _ => Some(title),
        },
    };
    document
}

/// The word and the number, without zeros before it, that a file is called by and nothing else: "eip-1559", "rfc2119".
/// `ipv6` and `sha256` are words.
fn number_of(path: &Path) -> Option<(&str, &str)> {
    let name = stem(path)?;
    let (word, number) = match name.get(..3).filter(|word| word.eq_ignore_ascii_case("rfc")) {
        Some(word) => (word, name[3..].trim_start_matches(['-', '_'])),
        None => name.split_once(['-', '_'])?,
    };
    let number = number.trim_start_matches('0');
    let is_number = heading::numbered(&format!("{word}-{number}")) == Some(word.len() + 1 + number.len());
    is_number.then_some((word, number))
}

/// Whether a title says a number.
fn has_number(title: &str, number: &str) -> bool {
    title.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.trim_start_matches('0') == number)
}

/// The name of a file up to its first point, without underscores around it: "index" of "_index.en.md".
fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    Some(name.split('.').next().unwrap_or(name).trim_matches('_'))
}

/// What the name of a file says, in words: "2394-async_await.md" as "2394 async await", "looms/readme.md" as "looms".
fn name_of(path: &Path) -> Option<String> {
    let is_one_of = |name: &str, known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let mut name = stem(path)?;
    if is_one_of(name, &OF_FOLDER) {
        name = path.parent()?.file_name()?.to_str()?;
    }
    let words = fold(&name.replace(['-', '_'], " "));
    let is_telling = words.len() >= BYTES_LEAST
        && words.contains(char::is_alphabetic)
        && !words.starts_with('.')
        && !is_digest(&words)
        && !is_one_of(&words, &UNTELLING);
    is_telling.then_some(words)
}

/// Whether a name is made of hexadecimal digits: that of an export.
fn is_digest(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_hexdigit() || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_title_has_that_of_its_name_or_its_folder() {
        let title = |key: &str| of_file(Document::new("", "Text."), key).title;
        assert_eq!(title("text/2394-async_await.md").as_deref(), Some("2394 async await"));
        assert_eq!(title("upgrading/overview.md").as_deref(), Some("upgrading"));
        assert_eq!(title("readme.txt"), None);
        assert_eq!(title("looms/notes.txt"), None);
        assert_eq!(title("2024-05-01.txt"), None);
        assert_eq!(title("looms/_index.en.md").as_deref(), Some("looms"));
        assert_eq!(title("3f2a-99bc.md"), None);
        let numbered = of_file(Document::new("", "Text.").with_title("Looms"), "rules/rule-0012.md");
        assert_eq!(numbered.title.as_deref(), Some("rule-12: Looms"));
        for (key, wanted) in
            [("a/rfc2119.txt", "rfc-2119: Looms"), ("a/ipv6.md", "Looms"), ("sha-2-notes.md", "Looms")]
        {
            let document = of_file(Document::new("", "Text.").with_title("Looms"), key);
            assert_eq!(document.title.as_deref(), Some(wanted), "{key}");
        }
        let numbered = of_file(Document::new("", "Text.").with_title("Rule 12: Looms"), "rule-0012.md");
        assert_eq!(numbered.title.as_deref(), Some("Rule 12: Looms"));
        let titled = of_file(Document::new("", "Text.").with_title("Looms"), "a/b.md");
        assert_eq!(titled.title.as_deref(), Some("Looms"));
    }
}
