//! The capitals of names in questions that are typed without any.

use std::{collections::HashMap, ops::Range};

use super::lexicon::{is_function, says_day_or_month};

/// The question with the capitals of names, if it has none: words that the passages write with a capital within sentences, and
/// never without. "what's ida holm's number" becomes "what's Ida Holm's number".
pub(super) fn with_capitals<'t>(question: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let mut question = question.to_owned();
    if question.chars().skip(1).any(char::is_uppercase) {
        return question;
    }
    let mut asked: HashMap<String, Vec<Range<usize>>> = HashMap::new();
    for range in words(&question) {
        let word = question[range.clone()].to_lowercase();
        if word.len() >= LENGTH_LEAST && !is_function(&word) && !says_day_or_month(&word) {
            asked.entry(word).or_default().push(range);
        }
    }
    // Whether a word has been seen with a capital within a sentence; `false` once it has been seen without.
    let mut names: HashMap<&str, bool> = HashMap::new();
    for line in texts.flat_map(str::lines).filter(|line| !line.starts_with('#')) {
        for range in words(line) {
            let word = &line[range.clone()];
            let Some((asked, _)) = asked.get_key_value(&word.to_lowercase()) else { continue };
            let is_shouted = word.chars().count() > 1 && !word.contains(char::is_lowercase);
            if !word.starts_with(char::is_uppercase) {
                names.insert(asked, false);
            } else if !is_shouted && is_within_sentence(&line[..range.start]) {
                names.entry(asked).or_insert(true);
            }
        }
    }
    let is_name = |word: &&String| names.get(word.as_str()) == Some(&true);
    let found: Vec<usize> =
        asked.keys().filter(is_name).flat_map(|word| &asked[word]).map(|range| range.start).collect();
    for at in found {
        // Other letters may take more bytes as capitals.
        if question.is_char_boundary(at + 1) {
            question[at..=at].make_ascii_uppercase();
        }
    }
    question
}

/// Minimum length in bytes of a name.
const LENGTH_LEAST: usize = 3;

/// The byte ranges of the words of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(char::is_alphanumeric)?;
        let end =
            text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |length| start + length);
        from = end;
        Some(start..end)
    })
}

/// Whether what stands before a word is a part of the same sentence, emphasis aside.
fn is_within_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '*', '_', '`', '"', '“', '‘', '(']);
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '’' | '\'' | '/' | '&'))
}

#[cfg(test)]
mod tests {
    use super::with_capitals;

    #[test]
    fn a_name_gets_its_capitals_if_it_is_never_written_without() {
        let text = "# Rooms For Rent\nThe key is with **Ida Holm**. Rooms cost 5. Ask the warden, Cook May Lund, to cook.";
        let read = |question: &str| with_capitals(question, [text].into_iter());
        assert_eq!(read("what's ida holm's number"), "what's Ida Holm's number");
        assert_eq!(read("which rooms can lund cook in may?"), "which rooms can Lund cook in may?");
        assert_eq!(
            read("Where is Ola's room, and ida's?"),
            "Where is Ola's room, and ida's?",
            "it has capitals"
        );
        assert_eq!(read("is the key for rent?"), "is the key for rent?", "a heading");
    }
}
