//! Lines with labels at the beginning of a text, as letters, minutes and proposals have them: "Title: …", "Author: …",
//! "- Start date: …". They stay part of the text, and say what its title is and when it was written.

use serde_json::Value;

use super::{fold, front_matter::milliseconds};
use crate::document::Document;

/// Minimum number of lines.
const LINES_LEAST: usize = 3;
/// Maximum number of words of a label.
const LABEL_WORDS_MAX: usize = 3;
/// Minimum number of words of a value that may be a sentence.
const SENTENCE_WORDS_LEAST: usize = 4;
/// Labels of what a text is called, in lower case.
const TITLES: [&str; 2] = ["title", "subject"];
/// The label of who or what a card is about, in lower case: its "Title: …" is that of a person.
const NAME: &str = "name";
/// Labels of when it was written, the most telling first.
const TIMES: [&str; 4] = ["date", "created", "published", "start date"];

/// The labels and values at the beginning of a text.
pub(super) type Head = Vec<(String, String)>;

/// Takes the lines with labels that a text begins with; empty if it begins with anything else.
pub(super) fn take(text: &str) -> Head {
    let text = text.trim_start();
    let mut end = 0;
    for line in text.split_inclusive('\n').take_while(|line| !line.trim().is_empty()) {
        end += line.len();
    }
    let lines = labelled(&text[..end]).unwrap_or_default().into_iter();
    lines.map(|(label, value)| (label.to_owned(), fold(&value))).collect()
}

/// Gives a document the title, the number and the time that its first lines say: "PEP 8: Style Guide".
pub(super) fn apply(head: &Head, mut document: Document) -> Document {
    let is_card = head.iter().any(|(label, _)| is_one_of(label, &[NAME]));
    let title = head.iter().find(|(label, value)| is_one_of(label, &TITLES) && !value.is_empty());
    let title = title.filter(|_| !is_card);
    if let Some((_, title)) = title {
        let number = head.first().filter(|(_, value)| is_number(value));
        document.title = Some(match number {
            Some((label, number)) => format!("{label} {number}: {title}"),
            None => title.clone(),
        });
    }
    let moment = |label: &&str| {
        let line = head.iter().find(|(known, _)| is_one_of(known, &[label]));
        line.and_then(|(_, value)| milliseconds(&Value::String(value.clone())))
    };
    document.time = document.time.or_else(|| TIMES.iter().find_map(moment));
    document
}

/// Whether a value is a number and nothing else.
pub(crate) fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_one_of(label: &str, labels: &[&str]) -> bool {
    labels.iter().any(|known| label.eq_ignore_ascii_case(known))
}

/// The lines of a paragraph if each has a label, plain or as items of a list. A line that is indented goes on with the
/// one before.
pub(crate) fn labelled(paragraph: &str) -> Option<Vec<(&str, String)>> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for line in paragraph.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with([' ', '\t']) {
            let (_, value) = lines.last_mut()?;
            value.push(' ');
            value.push_str(line.trim());
        } else {
            let (label, value) = label(line)?;
            lines.push((label, value.to_owned()));
        }
    }
    // "Ann: How are you?", "Q: What is a loom?" are speech.
    let is_speech = |(at, (label, value)): (usize, &(&str, String))| {
        let is_sentence = value.ends_with('.') && value.split_whitespace().count() >= SENTENCE_WORDS_LEAST;
        is_sentence || value.ends_with(['?', '!']) || lines[..at].iter().any(|(known, _)| known == label)
    };
    let is_head = lines.len() >= LINES_LEAST && !lines.iter().enumerate().any(is_speech);
    is_head.then_some(lines)
}

/// The label of a line and what stands behind it: "Status: accepted", "- **Post-History**: 5 July", ":Author: Ann Lee".
pub(crate) fn label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['-', '*', '+', ':', ' ']);
    let (label, value) = line.split_once(':')?;
    let value = value.trim_start_matches(['*', '_']);
    let label = label.trim_matches(|c: char| matches!(c, '*' | '_' | ' '));
    let is_label = (1..=LABEL_WORDS_MAX).contains(&label.split_whitespace().count())
        && label.starts_with(char::is_uppercase)
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '\''));
    let is_apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (is_label && is_apart).then(|| (label, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Option<i64>) {
        let document = apply(&take(text), Document::new("", text));
        (document.title, document.time)
    }

    #[test]
    fn a_head_gives_title_number_and_time() {
        let proposal =
            "Loom: 12\nTitle: Warping\n  by hand\nAuthor: Ann Lee\nCreated: 2026-03-01\n\nWind it.";
        assert_eq!(read(proposal), (Some("Loom 12: Warping by hand".to_owned()), Some(1_772_323_200_000)));
        let letter = "Subject: Bobbins\nFrom: Ann\nTo: Bob\n\nThere are none left.";
        assert_eq!(read(letter), (Some("Bobbins".to_owned()), None));
        assert_eq!(read(&letter.replace('\n', "\r\n")), (Some("Bobbins".to_owned()), None));
        let list = "- Start date: 2026-03-01\n- **Status**: open\n- Issue: none\n\n## Summary\n";
        assert_eq!(read(list), (None, Some(1_772_323_200_000)));
    }

    #[test]
    fn other_lines_are_no_head() {
        for text in [
            "Title: Warping\nStatus: open\n\nToo few lines.",
            "Name: Ann Lee\nTitle: Head of weaving\nPhone: 12",
            "Subject: What is a loom?\nAnn: A frame.\nBob: With threads.",
            "Subject: One\nAnn: yes\nAnn: no",
            "Title: Warping\nStatus: open\nand here it goes on: with a sentence",
            "See https://loom.example/a\nTitle: Warping\nStatus: open\nOwner: Ann",
            "",
        ] {
            assert_eq!(read(text), (None, None), "{text}");
        }
    }
}
