//! Lines with labels at the beginning of a text, as letters, minutes and proposals have them: "Title: …", "Author: …",
//! "- Start date: …". They stay part of the text, and say what its title is and when it was written.

use serde_json::Value;

use super::{fold, front_matter::milliseconds};
use crate::{
    document::Document,
    label::{is_number, labelled},
};

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

fn is_one_of(label: &str, labels: &[&str]) -> bool {
    labels.iter().any(|known| label.eq_ignore_ascii_case(known))
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
