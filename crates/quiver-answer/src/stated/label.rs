//! Labelled lines: "Status: accepted" at the head of the proposal asked about, "Chair: Ann Lee" in minutes;
//! and front matter fields, which say the same.

use super::{Stated, is_kind, is_same};
use crate::{
    candidate::key,
    form::{Asks, Form},
    format::counts_times,
    reading::Reading,
    unit::UnitKind,
    word::{Word, is_base_form, words, words_of},
};

use quiver_documents::label::{is_number, label as labelled};
use quiver_language::{
    answering::{self, Answering},
    heading::numbered,
    title::TITLE_SEPARATOR,
};
use quiver_models::Lexical;

/// Maximum length in bytes of a label's value.
const VALUE_BYTES_MAX: usize = 200;

/// The value of the label asked for, if all matching lines agree. The rest of the question has to be in the
/// title, the headings, or the lines of the same head that name the document.
pub(super) fn label(reading: &Reading) -> Option<Stated> {
    let form = &reading.form;
    let asked = asked(form)?;
    let lexical = Lexical::new();
    let mut found = Vec::new();
    for (at, piece) in reading.pieces.iter().enumerate() {
        let lines: Vec<(&str, &str)> = match piece.unit.kind {
            UnitKind::Row if piece.unit.is_head => {
                piece.unit.cells.iter().map(|(label, value)| (label.as_str(), value.as_str())).collect()
            }
            UnitKind::Prose | UnitKind::Item => labelled(&piece.unit.text).into_iter().collect(),
            UnitKind::Row | UnitKind::Code => continue,
        };
        let above = format!("{} {}", reading.pages[piece.source].title, piece.unit.heading);
        let lines = asked_of(&lexical, &asked, &above, &lines);
        found.extend(lines.into_iter().map(|(_, value)| Stated::cell(at, value.to_owned())));
    }
    for (page, read) in reading.pages.iter().enumerate() {
        // The headings do not say what the document is about.
        let title = read.title.split(TITLE_SEPARATOR).next().unwrap_or_default();
        let first = reading.pieces.iter().position(|piece| piece.source == page);
        let Some(at) = first.filter(|_| is_document(form, title)) else { continue };
        let fields = read.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let lines = asked_of(&lexical, &asked, title, &fields.collect::<Vec<_>>());
        let lines = lines.into_iter().filter(|(name, _)| is_of_document(name));
        found.extend(lines.map(|(name, value)| Stated {
            field: Some(format!("{name}: {value}")),
            ..Stated::cell(at, value.to_owned())
        }));
    }
    let first = found.first()?.clone();
    let key = |stated: &Stated| stated.cell.as_deref().map(key);
    let is_value = first.cell.as_deref().is_some_and(|value| fits(form, value));
    (is_value && found.iter().all(|other| key(other) == key(&first))).then_some(first)
}

/// The lines that the question asks for; `above` names their subject.
fn asked_of<'l>(
    lexical: &Lexical,
    asked: &[AskedWord<'_>],
    above: &str,
    lines: &[(&'l str, &'l str)],
) -> Vec<(&'l str, &'l str)> {
    let has_label = |label: &[Word]| {
        label
            .iter()
            .filter(|word| !word.is_function)
            .all(|word| asked.iter().any(|asked| is_label_word(asked.word, word)))
    };
    let labelled = lines.iter().map(|line| (line, words(lexical, line.0)));
    let labelled: Vec<_> = labelled.filter(|(_, label)| has_label(label)).collect();
    if labelled.is_empty() {
        return Vec::new();
    }
    let names = names_of(above, lines, lexical);
    let wanted = labelled.into_iter().filter(|(_, label)| is_asked_for(asked, label, &names));
    wanted.map(|(line, _)| *line).collect()
}

/// Whether front matter describes the thing named by the title, not just the page about it: the document has
/// a number, or the question calls it a page or the like.
fn is_document(form: &Form, title: &str) -> bool {
    let is_text = |word: &Word| {
        matches!(word.lower.as_str(), "page" | "document" | "article" | "post" | "guide" | "proposal")
    };
    numbered(title).is_some_and(|end| title[end..].starts_with(": ")) || form.words.iter().any(is_text)
}

/// Whether a metadata field describes a document rather than its presentation.
fn is_of_document(name: &str) -> bool {
    let name = name.to_lowercase();
    answering::says(&name, Answering::Field)
        || name.strip_suffix('s').is_some_and(|field| answering::says(field, Answering::Field))
}

/// A content word of the question.
struct AskedWord<'f> {
    word: &'f Word,
    /// Its index in the question.
    order: usize,
    follows_question_word: bool,
}

/// The words of a question that may ask for a labelled line.
fn asked(form: &Form) -> Option<Vec<AskedWord<'_>>> {
    let at = form.question_word?;
    let question = &form.words[at].lower;
    let asks_one = !form.is_list
        && !form.words.iter().any(|word| matches!(word.lower.as_str(), "are" | "were" | "a" | "an"));
    let is_line =
        matches!(question.as_str(), "who" | "what" | "which" | "when") && !form.is_negative && asks_one;
    let says = |word: &Word| !word.is_function && !answering::says(&word.lower, Answering::Introducing);
    let words = form.words.iter().enumerate().filter(|(_, word)| says(word));
    let words: Vec<AskedWord<'_>> = words
        .map(|(order, word)| AskedWord { word, order, follows_question_word: order == at + 1 })
        .collect();
    (is_line && form.asks != Asks::Way && words.len() >= 2).then_some(words)
}

/// The words that name the subject of the lines: those above them, and those of the number and title lines.
fn names_of(above: &str, lines: &[(&str, &str)], lexical: &Lexical) -> Vec<Word> {
    let mut names = words(lexical, above);
    // "rule-7" is Rule 7.
    names.extend(words(lexical, &above.replace(['-', '_'], " ")));
    for (at, (label, value)) in lines.iter().enumerate() {
        if at == 0 && is_number(value)
            || matches!(label.to_lowercase().as_str(), "title" | "name" | "subject")
        {
            names.extend(words(lexical, label));
            names.extend(words(lexical, value));
        }
    }
    names
}

/// Whether a question asks for a label's value: it contains the whole label, and its other words name the
/// subject of the line.
fn is_asked_for(asked: &[AskedWord<'_>], label: &[Word], names: &[Word]) -> bool {
    let mut label = label.iter().filter(|word| !word.is_function).peekable();
    if label.peek().is_none() {
        return false;
    }
    let mut is_open = vec![true; asked.len()];
    let mut is_same_form = false;
    for word in label {
        let Some(at) = asked.iter().position(|asked| is_label_word(asked.word, word)) else { return false };
        is_same_form |= word.lower.ends_with('s') && asked[at].word.lower == word.lower;
        is_open[at] = false;
    }
    // "What is a type hint?" does not ask for a type, but "Who chairs the guild?" asks for its chair. "What
    // replaces Rule 12?" asks for the opposite direction of "Replaces: Rule 3".
    let last = is_open.iter().rposition(|is_open| !is_open).unwrap_or_default();
    let is_verb = last == 0 && asked[last].follows_question_word;
    if is_verb && is_same_form {
        return false;
    }
    let is_joined = !is_verb && asked.get(last + 1).is_some_and(|next| next.order == asked[last].order + 1);
    let rest = asked.iter().zip(is_open).filter(|(_, is_open)| *is_open);
    let mut rest = rest.map(|(asked, _)| asked.word).peekable();
    !is_joined
        && rest.peek().is_some()
        && rest.all(|word| is_kind(word) || names.iter().any(|name| is_same(word, name)))
}

/// Whether a question word matches a label word: the same word, or the verb for an agent noun in the label.
fn is_label_word(asked: &Word, label: &Word) -> bool {
    let is_written = matches!(asked.lower.as_str(), "wrote" | "written" | "writes" | "write");
    is_same(asked, label) || is_written && matches!(label.lower.as_str(), "author" | "authors")
}

/// Whether a value has the type asked for: a date is not a person, and a time or an amount contains digits.
/// Placeholders and instructions are not values.
pub(super) fn fits(form: &Form, value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let first = value.split_whitespace().next().unwrap_or_default();
    let is_told = is_base_form(first) && value.contains(' ');
    let is_value = value.contains(char::is_alphanumeric)
        && value.len() <= VALUE_BYTES_MAX
        && !answering::says(&value.trim_end_matches('.').to_lowercase(), Answering::Placeholder)
        && !first.eq_ignore_ascii_case("see")
        && !is_told;
    is_value
        && match form.asks {
            Asks::Person => value.starts_with(char::is_uppercase) && !has_digit,
            Asks::Quantity => has_digit || words_of(value).iter().any(|word| counts_times(word)),
            Asks::Date | Asks::Count => has_digit,
            _ => true,
        }
}
