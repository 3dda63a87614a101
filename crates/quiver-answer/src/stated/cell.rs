//! Table cells and list entries: the text next to a name.

use std::ops::Range;

use quiver_language::{
    answering::{self, Answering},
    definition::explains_terms,
};
use quiver_models::Lexical;

use super::{Stated, Topic, is_identifier, is_kind, is_same, label::fits, names_kind, row, says_all};
use crate::{
    candidate::key,
    cue::{instructs, points_elsewhere},
    form::Asks,
    format::Format,
    reading::{Piece, Reading},
    unit::{Unit, UnitKind},
    word::{Word, is_base_form, words},
};

/// The cell whose row and column the question names: "the default of *timeout*" in a table with a column
/// "Default".
pub(super) fn cell(reading: &Reading, topic: Option<&Topic>) -> Option<Stated> {
    let form = &reading.form;
    let is_asked_for = form.question_word.is_some() && !form.is_list && !form.is_negative;
    if !is_asked_for || matches!(form.asks, Asks::Reason | Asks::Way | Asks::YesNo) && topic.is_none() {
        return None;
    }
    agreed(reading, |_, piece| cell_of(reading, piece, topic))
}

/// What a list entry says about the thing: "`retries`: how often it is tried", "--strict  fails on warnings".
pub(super) fn entry(reading: &Reading, topic: &Topic) -> Option<Stated> {
    agreed(reading, |at, piece| {
        let under_heading = || Some((heading_identifier(reading, piece)?, paragraph(reading, at)?));
        let in_list = entry_in(&piece.unit).map(|(name, text)| (name, text.to_owned()));
        let is_in_list = in_list.is_some();
        let under_option = || Some((option_above(reading, at)?, prose_from(reading, at)));
        let (name, text) = in_list.or_else(under_heading).or_else(under_option)?;
        let asked = &reading.form.words;
        let named = row_name(asked, name)?;
        // "Deduplication: how well changed files …" describes a measure.
        let is_aspect =
            !piece.unit.has_code && ["how ", "whether "].iter().any(|word| text.starts_with(word));
        // "introducer: set to true if …" describes a setting, not an introducer.
        let told = words(&Lexical::new(), &text);
        let is_rule = instructs(&told);
        let is_setting = name.contains(['(', '<', '[']) || is_rule;
        // "jicofo: enable the bridges and set the region" says what to do with it.
        let begins_with_verb = told.first().is_some_and(|first| is_base_form(&first.lower));
        let is_deed = begins_with_verb && !is_rule && !is_named_setting(reading, topic);
        if is_setting && is_thing(asked, topic) || is_deed || is_aspect {
            return None;
        }
        let is_topic = topic.name.clone().all(|at| named.contains(&at) || is_kind(&asked[at]));
        let is_open = |word: usize| !named.contains(&word) && !is_kind(&asked[word]);
        (is_topic && says_all(reading, piece, is_open)).then(|| match reading.pieces.get(at + 1) {
            Some(next) if is_in_list && !topic.is_deed && goes_on(piece, next) => {
                format!("{text} {}", next.unit.text)
            }
            _ => text,
        })
    })
}

/// The option that the line above a piece shows with its default: "`--retries = 5`".
fn option_above(reading: &Reading, at: usize) -> Option<&str> {
    let (piece, above) = (&reading.pieces[at], &reading.pieces[at.checked_sub(1)?]);
    let is_section = piece.shares_heading(above);
    let mut parts = above.unit.text.split([' ', '=']).filter(|part| !part.is_empty());
    let option = parts.next().filter(|option| option.starts_with("--"))?;
    let is_prose = piece.unit.kind == UnitKind::Prose && !points_elsewhere(&piece.words);
    (is_section && is_prose && above.unit.has_code && parts.count() <= 1).then_some(option)
}

/// The first paragraph of a section, if a piece begins it: its first sentence may only lead to what it says.
fn paragraph(reading: &Reading, at: usize) -> Option<String> {
    let first = &reading.pieces[at];
    let is_prose =
        first.unit.kind == UnitKind::Prose && reading.begins_section(at) && !points_elsewhere(&first.words);
    // The text about "`--retries = 5`" follows: see `option_above`.
    let is_option = first.unit.text.starts_with("--");
    let is_told = |text: &String| text.split_whitespace().count() >= SAID_LEAST;
    (is_prose && !is_option).then(|| prose_from(reading, at)).filter(is_told)
}

/// A sentence with the rest of its paragraph, up to [`PARAGRAPH_MAX`].
fn prose_from(reading: &Reading, at: usize) -> String {
    let first = &reading.pieces[at];
    let mut text = first.unit.text.clone();
    let is_same = |piece: &&Piece| {
        (piece.source, piece.unit.kind, piece.unit.block) == (first.source, first.unit.kind, first.unit.block)
    };
    for piece in reading.pieces[at + 1..].iter().take_while(is_same) {
        if text.len() + piece.unit.text.len() > PARAGRAPH_MAX {
            break;
        }
        text.extend([" ", &piece.unit.text]);
    }
    text
}

/// Maximum length in bytes of a paragraph that is quoted.
const PARAGRAPH_MAX: usize = 400;

/// The heading directly above a piece, if it is a single identifier apart from a value and words for its kind:
/// `retries_max` of "`retries_max=<number>`" and of "The `retries_max` option".
pub(super) fn heading_identifier<'r>(reading: &'r Reading, piece: &'r Piece) -> Option<&'r str> {
    let heading = reading.heading_of(piece);
    let heading = heading.split(['=', '<', '(', '[']).next().unwrap_or(heading);
    let mut words =
        heading.split_whitespace().filter(|word| !names_kind(word) && !word.eq_ignore_ascii_case("the"));
    let name = words.next()?;
    (words.next().is_none() && is_identifier(name)).then_some(name)
}

/// Maximum length in bytes of an entry that is quoted with its second sentence.
const BRIEF_MAX: usize = 120;

/// Whether a piece is the second sentence of a short entry.
fn goes_on(entry: &Piece, next: &Piece) -> bool {
    let is_same = |one: &Unit, other: &Unit| (one.kind, one.block) == (other.kind, other.block);
    next.source == entry.source
        && is_same(&next.unit, &entry.unit)
        && entry.unit.text.len() <= BRIEF_MAX
        && next.unit.text.ends_with('.')
        && entry_in(&next.unit).is_none()
}

/// Whether the question has an article before the name and no word for its kind after it: "a justfile" is
/// neither the function `justfile()` nor the argument `<JUSTFILE>`, but "the env function" is `env(name)`.
fn is_thing(asked: &[Word], topic: &Topic) -> bool {
    let before = topic.name.start.checked_sub(1).map_or("", |at| asked[at].lower.as_str());
    matches!(before, "a" | "an" | "the") && !asked[topic.name.clone()].iter().any(is_kind)
}

/// Whether the question certainly asks about a setting, which an instruction explains: "`retries_max`", "the verbose option",
/// but not "jicofo".
fn is_named_setting(reading: &Reading, topic: &Topic) -> bool {
    let asked = &reading.form.words;
    let is_marked =
        asked[topic.name.clone()].iter().any(|word| is_identifier(&reading.question[word.start..word.end]));
    is_marked || asked.iter().any(is_kind)
}

/// What pieces state, if the pieces whose headings cover most of the question agree.
fn agreed(reading: &Reading, states: impl Fn(usize, &Piece) -> Option<String>) -> Option<Stated> {
    let pieces = reading.pieces.iter().enumerate();
    let mut found: Vec<(f32, Stated)> = pieces
        .filter_map(|(at, piece)| {
            let cell = states(at, piece)?;
            Some((reading.cover(piece.above), Stated::cell(at, cell)))
        })
        .collect();
    let most = found.iter().map(|(above, _)| *above).fold(0.0, f32::max);
    found.retain(|(above, _)| *above >= most);
    let cell_key = |stated: &Stated| stated.cell.as_deref().map(key);
    let first = found.first()?.1.clone();
    found.iter().all(|(_, other)| cell_key(other) == cell_key(&first)).then_some(first)
}

/// The name of an entry and the text about it.
pub(super) fn entry_in(unit: &Unit) -> Option<(&str, &str)> {
    let (name, text) = match unit.kind {
        UnitKind::Item => {
            let separators = [": ", " - ", " – ", " — "].into_iter();
            let parts = separators.filter_map(|separator| unit.text.split_once(separator));
            parts.min_by_key(|(name, _)| name.len())?
        }
        // "-n, --namespace string   namespace of the request"
        UnitKind::Code if unit.text.starts_with('-') => {
            let (flags, text) = unit.text.split_once("  ")?;
            (flags.split_whitespace().rfind(|flag| flag.starts_with('-'))?, text.trim_start())
        }
        _ => return None,
    };
    let name = name.split(" (").next().unwrap_or(name);
    let is_told = name.split_whitespace().count() <= 4 && text.split_whitespace().count() >= SAID_LEAST;
    is_told.then_some((name, text))
}

/// Minimum number of words in a description that are not in the question.
const NEW_LEAST: usize = 2;

/// Minimum number of words that an entry says about its name.
const SAID_LEAST: usize = 4;

fn cell_of(reading: &Reading, piece: &Piece, topic: Option<&Topic>) -> Option<String> {
    let asked = &reading.form.words;
    let (place, named) = named_cell(asked, piece)?;
    let name = &piece.unit.cells[place].1;
    // A session timeout is not the setting `SessionTimeout`.
    let is_apart = named.len() > 1 && is_identifier(name);
    let describes = topic.filter(|topic| topic.is_deed || !is_apart).is_some_and(|topic| {
        topic.name.clone().all(|at| named.contains(&at) || is_kind(&asked[at]))
            && (topic.is_deed || is_term(piece) || is_identifier(name) && !is_thing(asked, topic))
    });
    let mut heads: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, words) in piece.heads.iter().enumerate().skip(place + 1) {
        // A column "Default value" has defaults.
        let has_kind = words.iter().any(|word| !word.is_function && !is_kind(word));
        let counts = |word: &&Word| !(word.is_function || has_kind && is_kind(word));
        let mut content = words.iter().filter(counts).peekable();
        content.peek()?;
        if describes {
            if content.any(|word| answering::says(&word.lower, Answering::Describing)) {
                heads.push((at, Vec::new()));
            }
            continue;
        }
        let said: Option<Vec<usize>> = content
            .map(|word| (0..asked.len()).find(|at| !named.contains(at) && is_same(word, &asked[*at])))
            .collect();
        heads.extend(said.map(|said| (at, said)));
    }
    let [(at, head)] = heads.as_slice() else { return None };
    let is_told = |word: usize| named.contains(&word) || head.contains(&word);
    let text = &piece.unit.cells[*at].1;
    // "Enter space mode" says nothing about space mode except that it exists.
    let is_new = |word: &&Word| !word.is_function && !asked.iter().any(|asked| is_same(asked, word));
    let tells = !describes || words(&Lexical::new(), text).iter().filter(is_new).count() >= NEW_LEAST;
    // "Motor repair: yes" is no price of one.
    let has_format = |format: Format| {
        format.is_in(&reading.form, text, &words(&Lexical::new(), text), piece.unit.has_code)
    };
    let is_said = describes || fits(&reading.form, text) && reading.format.is_none_or(has_format);
    let is_said =
        is_said && text.contains(char::is_alphanumeric) && tells && row::tells_rest(reading, piece, is_told);
    is_said.then(|| text.clone())
}

/// Whether a row belongs to a table of terms.
fn is_term(row: &Piece) -> bool {
    let heads: Vec<&str> = row.unit.cells.iter().map(|(head, _)| head.as_str()).collect();
    explains_terms(&heads)
}

/// The cell by which the question names a row, and the question words that do: the first one, or an identifier in
/// another column of names, such as that of environment variables.
fn named_cell(asked: &[Word], piece: &Piece) -> Option<(usize, Range<usize>)> {
    if piece.unit.kind != UnitKind::Row {
        return None;
    }
    piece.unit.cells.iter().enumerate().find_map(|(at, (_, cell))| {
        let is_names = |word: &Word| answering::says(&word.lower, Answering::Naming);
        if at > 0 && !(is_identifier(cell) && piece.heads.get(at)?.iter().any(is_names)) {
            return None;
        }
        let named = row_name(asked, cell).or_else(|| written_apart(asked, cell))?;
        // "`server.port`" in another column is not the port.
        (at == 0 || asked[named.start].lower == bare(cell)).then_some((at, named))
    })
}

/// A name in lower case, without marks around it.
fn bare(name: &str) -> String {
    name.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// The question words that are an identifier written apart: "session timeout" for `SessionTimeout`.
fn written_apart(asked: &[Word], cell: &str) -> Option<Range<usize>> {
    if !is_identifier(cell) {
        return None;
    }
    let is_apart = |range: &Range<usize>| {
        let words: Vec<&str> = asked[range.clone()].iter().map(|word| word.lower.as_str()).collect();
        is_written_apart(&words, cell)
    };
    (2..=4).flat_map(|count| (count..=asked.len()).map(move |end| end - count..end)).find(is_apart)
}

/// Whether words are an identifier written apart.
pub(super) fn is_written_apart(words: &[&str], identifier: &str) -> bool {
    words.concat() == bare(identifier).split(['_', '-', '.']).collect::<String>()
}

/// The question words that name a row or an entry: the whole name, or the last part of a dotted path.
fn row_name(asked: &[Word], cell: &str) -> Option<Range<usize>> {
    let whole = bare(cell);
    let whole = whole.as_str();
    let last = whole.rsplit('.').next().unwrap_or(whole);
    if last.len() < 3 {
        return None;
    }
    let one = asked.iter().position(|word| !word.is_function && (word.lower == whole || word.lower == last));
    if let Some(at) = one {
        return Some(at..at + 1);
    }
    let parts: Vec<&str> = whole.split_whitespace().collect();
    let several = (2..=6).contains(&parts.len());
    let at = asked
        .windows(parts.len())
        .position(|words| several && words.iter().zip(&parts).all(|(word, part)| word.lower == *part))?;
    Some(at..at + parts.len())
}
