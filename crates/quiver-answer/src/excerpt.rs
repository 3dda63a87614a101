//! The part of a passage that matches a question best, for display.

use std::{collections::HashSet, ops::Range};

use quiver_language::{text::collapse_spaces, title::TITLE_SEPARATOR};
use quiver_models::Lexical;

use super::unit::units;

/// Maximum number of characters of an excerpt.
const CHARACTERS_MAX: usize = 300;
/// Maximum number of characters before the first word of the question.
const BEFORE_MAX: usize = 60;

/// A part of a passage in one line of plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text, with "…" where the passage goes on.
    pub text: String,
    /// The byte ranges of words that occur in the question.
    pub said: Vec<Range<usize>>,
}

/// Returns up to 300 characters of a passage, those with the most words of the question, or its beginning if it has
/// none. Markup is omitted, and so are headings unless the passage has several sections.
pub fn excerpt(passage: &str, question: &str) -> Excerpt {
    let lexical = Lexical::new();
    let asked: HashSet<u32> = lexical.query_terms(question).into_iter().collect();
    let text = plain(passage);
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

/// The pieces of a passage in one line; the passage as it is if it has none, such as a heading alone.
fn plain(passage: &str) -> String {
    let units = units(passage);
    let has_sections = units.iter().any(|unit| unit.heading != units[0].heading);
    let mut pieces: Vec<&str> = Vec::new();
    let mut above = "";
    for unit in &units {
        if has_sections && unit.heading != above {
            above = &unit.heading;
            pieces.extend(above.rsplit(TITLE_SEPARATOR).next().into_iter().flat_map(str::split_whitespace));
            pieces.push("·");
        }
        pieces.extend(unit.text.split_whitespace());
    }
    let text = pieces.join(" ");
    if text.is_empty() { collapse_spaces(passage) } else { text }
}

/// The window with most distinct words of the question, the first of several, at breaks between words.
fn best_window(text: &str, said: &[(u32, Range<usize>)]) -> Range<usize> {
    let distinct = |window: &Range<usize>| {
        let within = said.iter().filter(|(_, range)| window.start <= range.start && range.end <= window.end);
        within.map(|(hash, _)| hash).collect::<HashSet<_>>().len()
    };
    let whole = window_from(text, 0);
    let last = last_start(text);
    let starts =
        said.iter().map(|(_, range)| window_from(text, back(text, range.start, BEFORE_MAX).min(last)));
    starts
        .fold((distinct(&whole), whole), |(most, best), window| {
            let count = distinct(&window);
            if count > most { (count, window) } else { (most, best) }
        })
        .1
}

/// Where the last window that is not shorter than the others begins.
fn last_start(text: &str) -> usize {
    back(text, text.len(), CHARACTERS_MAX)
}

/// The beginning of the first word at most so many characters before a place.
fn back(text: &str, at: usize, characters: usize) -> usize {
    let from = text[..at].char_indices().rev().nth(characters - 1).map_or(0, |(from, _)| from);
    match text[from..at].find(' ') {
        Some(space) if from > 0 => from + space + 1,
        _ => from,
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
    fn the_headings_of_several_sections_are_shown() {
        let text = "# Services\n\n## Search\n\nLogs are kept for 14 days.\n\n## Mail\n\nLogs are kept for 90 days.\n";
        let shown = "Search · Logs are kept for 14 days. Mail · Logs are kept for 90 days.";
        assert_eq!(excerpt(text, "How long are logs kept?").text, shown);
        assert_eq!(excerpt("# Mail\n\nLogs are kept.\n", "Are logs kept?").text, "Logs are kept.");
    }

    #[test]
    fn the_end_of_a_passage_is_shown_with_what_stands_before_it() {
        let text =
            format!("{}It is threaded by hand, with a hook, before the heddle.", "It weaves. ".repeat(60));
        let found = excerpt(&text, "What is done before the heddle?");
        assert!(found.text.ends_with("It is threaded by hand, with a hook, before the heddle."), "{found:?}");
        assert!(found.text.chars().count() > CHARACTERS_MAX - 20, "{found:?}");
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
    fn markup_is_left_out_and_code_kept() {
        let text = "Set **[the tension](/docs/tension)** with <span id=\"t\"/>`*.tension`:\n\n```sh\nloom __set__ 3\n```\n";
        assert_eq!(excerpt(text, "tension").text, "Set the tension with *.tension: loom __set__ 3");
    }

    #[test]
    fn texts_of_other_scripts_are_cut_between_characters() {
        let text = "織機は糸を織る。".repeat(100);
        let found = excerpt(&text, "糸を織る");
        assert!(found.text.chars().count() <= CHARACTERS_MAX + 2, "{found:?}");
    }
}
