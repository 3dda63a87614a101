//! The capitals of names in questions that are typed without any.

use std::collections::HashMap;

use quiver_language::token::word_indices;

use super::lexicon::{is_function, says_day_or_month};

/// The question with the capitals of names, if it has none: words that the passages write with a capital within sentences, and
/// never without, beside the same words as in the question. "what's ida holm's number" becomes "what's Ida Holm's number".
pub(super) fn with_capitals<'t>(question: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let mut question = question.to_owned();
    if question.chars().skip(1).any(char::is_uppercase) {
        return question;
    }
    let asked: Vec<(usize, String)> =
        word_indices(&question).map(|(at, word)| (at, word.to_lowercase())).collect();
    let may_be_name =
        |word: &str| word.len() >= LENGTH_LEAST && !is_function(word) && !says_day_or_month(word);
    let is_capital = |word: &&str| word.starts_with(char::is_uppercase);
    let is_asked = |place: Option<usize>, word: &str| {
        place.and_then(|place| asked.get(place)).is_some_and(|(_, asked)| *asked == word.to_lowercase())
    };
    // Whether a word has been seen as a name; `false` once it has been seen without a capital.
    let mut names: HashMap<&str, bool> = HashMap::new();
    for line in texts.flat_map(str::lines).filter(|line| !line.starts_with('#')) {
        let written: Vec<(usize, &str)> = word_indices(line).collect();
        // Two words with only a space between them, of which the second one is given.
        let pair = |second: usize| {
            let (first, second) = (*written.get(second.checked_sub(1)?)?, *written.get(second)?);
            (line[first.0 + first.1.len()..second.0] == *" ").then_some((first.1, second.1))
        };
        for (at, &(start, word)) in written.iter().enumerate() {
            let lower = word.to_lowercase();
            let mut places = (0..asked.len()).filter(|place| asked[*place].1 == lower).peekable();
            let Some(&first) = places.peek().filter(|_| may_be_name(&lower)) else { continue };
            if !is_capital(&word) {
                names.insert(&asked[first].1, false);
                continue;
            }
            let before = pair(at).map(|(before, _)| before).filter(is_capital);
            let after = pair(at + 1).map(|(_, after)| after).filter(is_capital);
            let is_same_name = |place: usize| {
                before.is_some_and(|before| is_asked(place.checked_sub(1), before))
                    || after.is_some_and(|after| is_asked(Some(place + 1), after))
                    || before.is_none() && after.is_none()
            };
            let is_shouted = word.chars().count() > 1 && !word.contains(char::is_lowercase);
            if !is_shouted && is_within_sentence(&line[..start]) && places.any(is_same_name) {
                names.entry(&asked[first].1).or_insert(true);
            }
        }
    }
    for (at, _) in asked.iter().filter(|(_, word)| names.get(word.as_str()) == Some(&true)) {
        // Other letters may take more bytes as capitals.
        if question.is_char_boundary(at + 1) {
            question[*at..=*at].make_ascii_uppercase();
        }
    }
    question
}

/// Minimum length in bytes of a name.
const LENGTH_LEAST: usize = 3;

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
        assert_eq!(read("which rooms can may lund cook in may?"), "which rooms can may Lund cook in may?");
        assert_eq!(read("may the ida bell ring?"), "may the ida bell ring?", "another name begins so");
        assert_eq!(
            read("Where is Ola's room, and ida's?"),
            "Where is Ola's room, and ida's?",
            "it has capitals"
        );
        assert_eq!(read("is the key for rent?"), "is the key for rent?", "a heading");
    }
}
