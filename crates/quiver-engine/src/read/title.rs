//! The title of a file whose text says none.

use std::path::Path;

use crate::document::Document;

/// Names of files that say nothing of what is in them, in lower case.
const UNTELLING: [&str; 5] = ["main", "notes", "text", "document", "untitled"];
/// Names of files that tell of the folder they are in, in lower case.
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
            Some((name, number)) if !has_number(&title, number) => Some(format!("{name}: {title}")),
            _ => Some(title),
        },
    };
    document
}

/// The name of a file that consists of a short word and a number, and the number: "eip-1559", "rfc2119".
fn number_of(path: &Path) -> Option<(&str, &str)> {
    let name = path.file_stem()?.to_str()?;
    let at = name.find(|c: char| c.is_ascii_digit())?;
    let word = name[..at].trim_end_matches(['-', '_']);
    let number = name[at..].trim_start_matches('0');
    let is_word = (2..=WORD_BYTES_MAX).contains(&word.len()) && word.bytes().all(|c| c.is_ascii_alphabetic());
    let is_number =
        (1..=NUMBER_BYTES_MAX).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    (is_word && is_number).then_some((name, number))
}

/// Maximum number of letters and of digits in the name of a file that is a number: "draft-00012".
const WORD_BYTES_MAX: usize = 5;
const NUMBER_BYTES_MAX: usize = 5;

/// Whether a title says a number.
fn has_number(title: &str, number: &str) -> bool {
    title.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.trim_start_matches('0') == number)
}

/// What the name of a file says, in words: "2394-async_await.md" as "2394 async await", "looms/readme.md" as "looms".
fn name_of(path: &Path) -> Option<String> {
    let is_one_of = |name: &str, known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let mut name = path.file_stem()?.to_str()?;
    if is_one_of(name, &OF_FOLDER) {
        name = path.parent()?.file_name()?.to_str()?;
    }
    let words = name.replace(['-', '_'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let is_telling = words.len() >= BYTES_LEAST
        && words.contains(char::is_alphabetic)
        && !words.starts_with('.')
        && !is_one_of(&words, &UNTELLING);
    is_telling.then_some(words)
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
        let numbered = of_file(Document::new("", "Text.").with_title("Looms"), "rules/rule-0012.md");
        assert_eq!(numbered.title.as_deref(), Some("rule-0012: Looms"));
        let numbered = of_file(Document::new("", "Text.").with_title("Rule 12: Looms"), "rule-0012.md");
        assert_eq!(numbered.title.as_deref(), Some("Rule 12: Looms"));
        let titled = of_file(Document::new("", "Text.").with_title("Looms"), "a/b.md");
        assert_eq!(titled.title.as_deref(), Some("Looms"));
    }
}
