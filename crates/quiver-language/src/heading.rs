//! Finds the headings of a text, and the part of a question that may be one: "## Clearing the cache", "How do I clear
//! the cache?"
//!
//! A heading summarises its section in words that the section need not repeat. Therefore headings are search
//! terms of their own, as are the corresponding words of a question. The same applies to document numbers in
//! titles such as "PEP 8: Style Guide" and in questions.

use std::ops::Range;

use crate::{
    pack::{Class, Language},
    title::TITLE_SEPARATOR,
};

/// Maximum length of a title in bytes. Longer ones are sentences.
const TITLE_BYTES_MAX: usize = 80;
/// Markdown has six levels of headings.
const LEVELS_MAX: usize = 6;

/// Finds the headings of a text, in order, without their markup: Markdown headings outside code blocks; the
/// last part of the title at the start of the text, up to a full stop; and the number at the start of the
/// title.
pub fn headings(text: &str) -> Vec<Range<usize>> {
    let title = title(text);
    let mut fence: Option<&str> = None;
    let mut at = title.as_ref().map_or(0, |title| title.end + ". ".len());
    let number = numbered(text).filter(|end| text[*end..].starts_with(": ")).map(|end| 0..end);
    let mut found: Vec<Range<usize>> = number.into_iter().chain(title).collect();
    for line in text[at..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            _ => {}
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if fence.is_none() && (1..=LEVELS_MAX).contains(&level) && line[level..].starts_with(' ') {
            let heading = line[level..].trim().trim_end_matches('#').trim_end();
            let from = start + level + (line[level..].len() - line[level..].trim_start().len());
            if !heading.is_empty() {
                found.push(from..from + heading.len());
            }
        }
    }
    found
}

/// Returns the last part of the title at the start of a text, up to the first full stop.
fn title(text: &str) -> Option<Range<usize>> {
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(". ").filter(|end| *end <= TITLE_BYTES_MAX && !line.starts_with('#'))?;
    let start = text[..end].rfind(TITLE_SEPARATOR).map_or(0, |at| at + TITLE_SEPARATOR.len());
    Some(start..end)
}

/// Returns the length in bytes of a document number at the start of a text: "EIP-1559", "PEP 8".
pub fn numbered(text: &str) -> Option<usize> {
    let letters = text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let rest = text[letters..].strip_prefix(['-', '_', ' '])?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_end = !rest[digits..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let is_number = (2..=LETTERS_MAX).contains(&letters) && (1..=DIGITS_MAX).contains(&digits) && is_end;
    is_number.then_some(letters + 1 + digits)
}

/// Maximum number of letters and of digits in a document number.
const LETTERS_MAX: usize = 8;
const DIGITS_MAX: usize = 5;

/// Returns the document numbers in a question. After a space, only those written as a name count.
fn numbers(question: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = question.match_indices(char::is_alphabetic).filter(|(at, _)| {
        !question[..*at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'))
    });
    starts.filter_map(|(at, first)| {
        let end = at + numbered(&question[at..])?;
        let is_name = !question[at..end].contains(' ') || first.starts_with(char::is_uppercase);
        is_name.then_some(at..end)
    })
}

/// Returns the parts of a question that may be a heading: the whole question, the part before the last
/// preposition ("How do I *clear the cache* on Linux?"), and its document numbers.
pub fn asked_for(question: &str) -> Vec<Range<usize>> {
    let language = Language::of(question.split_whitespace());
    let is_preposition = |word: &str| language.class(word) == Some(Class::Preposition);
    let mut end = question.len();
    let before = question.rsplit(' ').find_map(|word| {
        end -= word.len();
        let before = 0..end;
        end = end.saturating_sub(1);
        is_preposition(word).then_some(before)
    });
    [Some(0..question.len()), before].into_iter().flatten().chain(numbers(question)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_the_title_are_found_and_comments_in_code_are_not() {
        let found =
            |text: &'static str| headings(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        let text = "Loom › Care. ## Oiling the shuttle ##\n\nUse oil.\n\n```sh\n# wipe it\n```\n\n### When\n#no heading\n";
        assert_eq!(found(text), ["Care", "Oiling the shuttle", "When"]);
        assert_eq!(found("# Warping\n\nWind it."), ["Warping"]);
        assert_eq!(found("No title here\n\nand no heading"), [""; 0]);
        assert_eq!(found(""), [""; 0]);
        let numbered = "Rule 12: Looms › Care. Oil it.";
        assert_eq!(found(numbered), ["Rule 12", "Care"]);
        assert_eq!(found("Rule 12 of many: Looms. Oil it."), ["Rule 12 of many: Looms"]);
    }

    #[test]
    fn a_question_may_be_a_heading_with_or_without_its_last_phrase() {
        let found =
            |text: &'static str| asked_for(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        let question = "How do I oil the shuttle of a loom?";
        assert_eq!(found(question), [question, "How do I oil the shuttle "]);
        assert_eq!(found("oil the shuttle"), ["oil the shuttle"]);
        let numbered = "Who wrote Rule 12 and eip-1559?";
        assert_eq!(found(numbered), [numbered, "Rule 12", "eip-1559"]);
        assert_eq!(found("the 12 looms in room 4-b"), ["the 12 looms in room 4-b", "the 12 looms "]);
    }
}
