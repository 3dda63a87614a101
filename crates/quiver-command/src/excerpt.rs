//! The part of a passage that matches a question best, for display.

use std::{collections::HashSet, ops::Range};

use quiver::models::Lexical;

/// Maximum number of characters of an excerpt.
const CHARACTERS_MAX: usize = 300;
/// Maximum number of characters before the first word of the question.
const BEFORE_MAX: usize = 60;

/// A part of a text in one line, with the words of a question in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// The byte ranges of words that occur in the question.
    pub(crate) said: Vec<Range<usize>>,
}

/// Returns the part of a text with the most words of the question, or its beginning if it has none. Leading Markdown
/// headings are omitted, since the title repeats them.
pub(crate) fn excerpt(text: &str, question: &str) -> Excerpt {
    let lexical = Lexical::new();
    let asked: HashSet<u32> = lexical.query_terms(question).into_iter().collect();
    let text = without_headings(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let said: Vec<(u32, Range<usize>)> = lexical
        .terms(&text)
        .into_iter()
        .filter(|term| asked.contains(&term.hash))
        .map(|term| (term.hash, term.start..term.end))
        .collect();
    let window = best_window(&text, &said);
    let cut = |at: usize| if at > 0 { "…" } else { "" };
    let before = cut(window.start);
    let after = cut(text.len() - window.end);
    let shown = format!("{before}{}{after}", &text[window.clone()]);
    let within = said.into_iter().map(|(_, range)| range);
    let within = within.filter(|range| window.start <= range.start && range.end <= window.end);
    let moved = |at: usize| at - window.start + before.len();
    Excerpt { text: shown, said: within.map(|range| moved(range.start)..moved(range.end)).collect() }
}

fn without_headings(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        match rest.split_once('\n') {
            Some((_, after)) if !after.trim().is_empty() => rest = after.trim_start(),
            _ => break,
        }
    }
    rest
}

/// The window with most distinct words of the question, the first of several, at breaks between words.
fn best_window(text: &str, said: &[(u32, Range<usize>)]) -> Range<usize> {
    let distinct = |window: &Range<usize>| {
        let within = said.iter().filter(|(_, range)| window.start <= range.start && range.end <= window.end);
        within.map(|(hash, _)| hash).collect::<HashSet<_>>().len()
    };
    let whole = window_from(text, 0);
    let starts = said.iter().map(|(_, range)| window_from(text, back(text, range.start)));
    starts
        .fold((distinct(&whole), whole), |(most, best), window| {
            let count = distinct(&window);
            if count > most { (count, window) } else { (most, best) }
        })
        .1
}

/// The beginning of a word not far before a place.
fn back(text: &str, at: usize) -> usize {
    let from = text[..at].char_indices().rev().nth(BEFORE_MAX - 1).map_or(0, |(from, _)| from);
    match text[from..at].find(' ') {
        Some(space) if from > 0 => from + space + 1,
        _ if from > 0 => at,
        _ => 0,
    }
}

fn window_from(text: &str, start: usize) -> Range<usize> {
    let Some((length, _)) = text[start..].char_indices().nth(CHARACTERS_MAX) else {
        return start..text.len();
    };
    let end = text[start..start + length].rfind(' ').filter(|end| *end > length / 2).unwrap_or(length);
    start..start + end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.said.iter().map(|range| &excerpt.text[range.clone()]).collect()
    }

    #[test]
    fn the_part_is_shown_that_says_most_of_the_question() {
        let text = format!(
            "# Loom\n\n## Heddles\n\n{}The heddle of a loom is threaded by hand.{}",
            "It weaves. ".repeat(60),
            " It weaves.".repeat(60)
        );
        let found = excerpt(&text, "How is a heddle threaded?");
        assert!(found.text.starts_with('…') && found.text.ends_with('…'), "{found:?}");
        assert!(found.text.contains("The heddle of a loom is threaded by hand."), "{found:?}");
        assert_eq!(said(&found), ["heddle", "threaded"]);
        assert!(found.text.chars().count() <= CHARACTERS_MAX + 2, "{found:?}");
    }

    #[test]
    fn a_short_text_and_one_that_says_nothing_of_the_question_begin_at_the_beginning() {
        let short = excerpt("# Loom\n\nIt weaves\nwool.", "wool");
        assert_eq!((short.text.as_str(), said(&short)), ("It weaves wool.", vec!["wool"]));
        let other = excerpt(&"It weaves. ".repeat(60), "Who repairs it?");
        assert!(other.text.starts_with("It weaves.") && other.text.ends_with('…'), "{other:?}");
        assert!(other.said.is_empty(), "{other:?}");
        assert_eq!(excerpt("# Loom", "loom").text, "# Loom");
    }

    #[test]
    fn texts_of_other_scripts_are_cut_between_characters() {
        let text = "織機は糸を織る。".repeat(100);
        let found = excerpt(&text, "糸を織る");
        assert!(found.text.chars().count() <= CHARACTERS_MAX + 2, "{found:?}");
    }
}
