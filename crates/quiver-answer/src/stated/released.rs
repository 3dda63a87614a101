//! Releases: "When was 1.4.0 released?" under the heading "1.4.0 (12 May 2023)".

use quiver_language::{Language, number::as_year, title::TITLE_SEPARATOR};

use super::Stated;
use crate::{
    form::Form,
    format::is_version,
    reading::{Piece, Reading},
    word::{Word, says_any},
};

/// The date in the heading of the release that the question names, if all such headings agree.
pub(super) fn released(reading: &Reading) -> Option<Stated> {
    let version = asked(&reading.form)?;
    let mut found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let heading =
            piece.unit.heading.split(TITLE_SEPARATOR).find_map(|heading| dated(heading, version))?;
        let is_of_thing = |word: &Word| is_told(reading, piece, word);
        let mut rest = reading
            .form
            .words
            .iter()
            .filter(|word| !word.is_function && bare(&word.lower) != version && !is_release(&word.lower));
        rest.all(is_of_thing).then_some((at, heading))
    });
    let (at, (heading, date)) = found.next()?;
    let agrees = found.all(|(_, (_, other))| other == date);
    agrees.then(|| Stated { field: Some(heading.to_owned()), ..Stated::cell(at, date) })
}

/// The version whose release the question asks for.
fn asked(form: &Form) -> Option<&str> {
    let when = form.question_word.filter(|at| form.words[*at].lower == "when")?;
    let is_about = says_any(&form.words[when..], &["released", "release", "published", "out", "shipped"]);
    let mut versions =
        form.words.iter().map(|word| bare(&word.lower)).filter(|word| word.contains('.') && is_version(word));
    let version = versions.next().filter(|_| is_about && !form.is_negative)?;
    versions.next().is_none().then_some(version)
}

/// A version without what may be written around it: "1.4.0" of "[v1.4.0]".
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_prefix(['v', 'V']).unwrap_or(word)
}

fn is_release(word: &str) -> bool {
    matches!(word, "released" | "release" | "published" | "shipped" | "version" | "come" | "came" | "out")
}

/// A heading and the date in it, if it has that version and a date and says nothing else.
fn dated<'h>(heading: &'h str, version: &str) -> Option<(&'h str, String)> {
    let mut words: Vec<&str> = heading.split_whitespace().collect();
    let at = words.iter().position(|word| bare(word) == version)?;
    words.remove(at);
    let edge = |c: char| !c.is_alphanumeric();
    let words = words.into_iter().map(|word| word.trim_matches(edge)).filter(|word| !word.is_empty());
    let is_told = |word: &str| matches!(word, "on" | "of") || is_release(word);
    let date: Vec<&str> = words.filter(|word| !is_told(&word.to_lowercase())).collect();
    let is_year = |word: &&str| word.split('-').any(|part| as_year(part).is_some());
    let is_date = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || Language::English.month(&word.to_lowercase()).is_some()
    };
    (date.iter().any(is_year) && date.iter().all(is_date)).then(|| (heading.trim(), date.join(" ")))
}

/// Whether a word of the question is in the title or a heading of a piece, anywhere in its passage, or nearly everywhere.
fn is_told(reading: &Reading, piece: &Piece, word: &Word) -> bool {
    let says =
        |other: &Piece| other.source == piece.source && other.words.iter().any(|said| said.is_form_of(word));
    let is_everywhere = || reading.wanted_by(word).is_some_and(|wanted| reading.is_everywhere(wanted));
    is_everywhere() || reading.is_above(piece, word) || reading.pieces.iter().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Even;

    #[test]
    fn a_heading_with_the_version_and_a_date_says_when_it_was_released() {
        let text = "# Changes\n\n## v1.4.0 - 2024-09-08\n\nThe loom has a brake.\n\n## [1.3.2] (12 May 2023)\n\n\
                    The beam is longer.\n\n## 1.3.1\n\nThe 2022 beam.\n";
        let date = |question: &str| {
            let reading = Reading::of_passage(question, Some("Loom"), text, &Even);
            released(&reading).and_then(|stated| stated.cell)
        };
        for (question, answer) in [
            ("When was loom v1.4.0 released?", Some("2024-09-08")),
            ("When did version 1.3.2 of the loom come out?", Some("12 May 2023")),
            ("When was loom 1.3.1 released?", None),
            ("When was 1.4.0 of the mill released?", None),
            ("When was the brake of loom 1.4.0 oiled?", None),
            ("Who released loom 1.4.0?", None),
        ] {
            assert_eq!(date(question).as_deref(), answer, "{question}");
        }
    }
}
