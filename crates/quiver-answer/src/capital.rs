//! The capitals of names in questions that are typed without any.

use std::{collections::HashMap, ops::Range};

use super::lexicon::{is_function, says_day_or_month};

/// The question with the capitals of names, if it has none: words that the passages write with a capital within sentences, and
/// never without, beside the same words as in the question. "what's ida holm's number" becomes "what's Ida Holm's number".
pub(super) fn with_capitals<'t>(question: &str, texts: impl Iterator<Item = &'t str>) -> String {
    let mut question = question.to_owned();
    if question.chars().skip(1).any(char::is_uppercase) {
        return question;
    }
    let asked: Vec<(Range<usize>, String)> =
        words(&question).map(|range| (range.clone(), question[range].to_lowercase())).collect();
    let may_be_name =
        |word: &str| word.len() >= LENGTH_LEAST && !is_function(word) && !says_day_or_month(word);
    // Whether a word has been seen as a name; `false` once it has been seen without a capital.
    let mut names: HashMap<&str, bool> = HashMap::new();
    for line in texts.flat_map(str::lines).filter(|line| !line.starts_with('#')) {
        let ranges: Vec<Range<usize>> = words(line).collect();
        let written = |at: usize| ranges.get(at).map(|range| &line[range.clone()]);
        // The word beside another one, if it has a capital and no more than a space is between them.
        let beside = |from: usize, to: usize| {
            let (first, second) = (ranges.get(from)?, ranges.get(to)?);
            (line[first.end..second.start] == *" ").then_some(())
        };
        let capital = |at: usize| written(at).filter(|word| word.starts_with(char::is_uppercase));
        for at in 0..ranges.len() {
            let word = &line[ranges[at].clone()];
            let lower = word.to_lowercase();
            let mut places = (0..asked.len()).filter(|place| asked[*place].1 == lower).peekable();
            let Some(&first) = places.peek().filter(|_| may_be_name(&lower)) else { continue };
            let is_shouted = word.chars().count() > 1 && !word.contains(char::is_lowercase);
            if !word.starts_with(char::is_uppercase) {
                names.insert(&asked[first].1, false);
                continue;
            }
            let before = at.checked_sub(1).and_then(|before| beside(before, at).and(capital(before)));
            let after = beside(at, at + 1).and(capital(at + 1));
            let is_at = |place: Option<usize>, word: &str| {
                place
                    .and_then(|place| asked.get(place))
                    .is_some_and(|(_, asked)| *asked == word.to_lowercase())
            };
            let is_same_name = |place: usize| {
                before.is_some_and(|before| is_at(place.checked_sub(1), before))
                    || after.is_some_and(|after| is_at(Some(place + 1), after))
                    || before.is_none() && after.is_none()
            };
            let is_name = !is_shouted && is_within_sentence(&line[..ranges[at].start]);
            if is_name && places.any(is_same_name) {
                names.entry(&asked[first].1).or_insert(true);
            }
        }
    }
    let is_name = |(_, word): &&(Range<usize>, String)| names.get(word.as_str()) == Some(&true);
    let found: Vec<usize> = asked.iter().filter(is_name).map(|(range, _)| range.start).collect();
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
