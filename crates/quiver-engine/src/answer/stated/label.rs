//! Lines with a label: "Status: accepted" in the head of the proposal that is asked about, "Chair: Ann Lee" in minutes;
//! and the fields of front matter, which say the same.

use super::{Stated, is_kind, is_same, name::TELLING};
use crate::{
    answer::{
        candidate::key,
        form::{Asks, Form},
        reading::Reading,
        unit::UnitKind,
        word::{Word, words},
    },
    read::label as labelled,
};

use quiver_language::title::TITLE_SEPARATOR;
use quiver_models::Lexical;

/// Maximum number of bytes of what stands behind a label.
const VALUE_BYTES_MAX: usize = 200;

/// What stands behind the label that is asked for, if all lines that fit agree. The title, the headings or the lines of
/// the same head that name the document have to say the rest of the question.
pub(super) fn label(reading: &Reading) -> Option<Stated> {
    let form = &reading.form;
    let asked = asked(form)?;
    let lexical = Lexical::new();
    let mut found = Vec::new();
    for (at, piece) in reading.pieces.iter().enumerate() {
        let lines = match piece.unit.kind {
            UnitKind::Row => {
                piece.unit.cells.iter().map(|(label, value)| (label.as_str(), value.as_str())).collect()
            }
            UnitKind::Prose | UnitKind::Item => labelled(&piece.unit.text).into_iter().collect::<Vec<_>>(),
            UnitKind::Code => continue,
        };
        let above = format!("{} {}", reading.pages[piece.source].title, piece.unit.heading);
        let names = names_of(&above, &lines, &lexical);
        for (label, value) in lines {
            let is_value = value.contains(char::is_alphanumeric) && value.len() <= VALUE_BYTES_MAX;
            if is_value && fits(form, value) && is_asked_for(&asked, &words(&lexical, label), &names) {
                found.push(Stated::cell(at, value.to_owned()));
            }
        }
    }
    for (page, read) in reading.pages.iter().enumerate() {
        let Some(at) = reading.pieces.iter().position(|piece| piece.source == page) else { continue };
        let lines: Vec<(&str, &str)> =
            read.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        // What the headings say is not what the document is about.
        let title = read.title.split(TITLE_SEPARATOR).next().unwrap_or_default();
        let names = names_of(title, &lines, &lexical);
        for (name, value) in lines.iter().filter(|(name, _)| is_of_document(name)) {
            if fits(form, value) && is_asked_for(&asked, &words(&lexical, name), &names) {
                let field = Some(format!("{name}: {value}"));
                found.push(Stated { field, ..Stated::cell(at, (*value).to_owned()) });
            }
        }
    }
    let first = found.first()?.clone();
    let key = |stated: &Stated| stated.cell.as_deref().map(key);
    found.iter().all(|other| key(other) == key(&first)).then_some(first)
}

/// Whether a field of metadata says something of a document, and not how it is shown.
fn is_of_document(name: &str) -> bool {
    let name = name.to_lowercase();
    FIELDS.contains(&name.as_str()) || FIELDS.iter().any(|field| name.strip_suffix('s') == Some(field))
}

/// Fields that say something of a document.
const FIELDS: [&str; 22] = [
    "author",
    "creator",
    "editor",
    "contributor",
    "maintainer",
    "owner",
    "sponsor",
    "chair",
    "reviewer",
    "approver",
    "publisher",
    "date",
    "created",
    "updated",
    "modified",
    "published",
    "status",
    "state",
    "version",
    "type",
    "category",
    "requires",
];

/// A word of the question that says something.
struct AskedWord<'f> {
    word: &'f Word,
    /// Its place in the question.
    order: usize,
    follows_question_word: bool,
}

/// The words of a question that may ask for a line.
fn asked(form: &Form) -> Option<Vec<AskedWord<'_>>> {
    let at = form.question_word?;
    let question = &form.words[at].lower;
    let asks_one = !form.is_list
        && !form.words.iter().any(|word| matches!(word.lower.as_str(), "are" | "were" | "a" | "an"));
    let is_line =
        matches!(question.as_str(), "who" | "what" | "which" | "when") && !form.is_negative && asks_one;
    let says = |word: &Word| !word.is_function && !TELLING.contains(&word.lower.as_str());
    let words = form.words.iter().enumerate().filter(|(_, word)| says(word));
    let words: Vec<AskedWord<'_>> = words
        .map(|(order, word)| AskedWord { word, order, follows_question_word: order == at + 1 })
        .collect();
    (is_line && form.asks != Asks::Way && words.len() >= 2).then_some(words)
}

/// The words that name what lines are about: those above them, and of the lines that say a number or a title.
fn names_of(above: &str, lines: &[(&str, &str)], lexical: &Lexical) -> Vec<Word> {
    let mut names = words(lexical, above);
    // "rule-7" is Rule 7.
    names.extend(words(lexical, &above.replace(['-', '_'], " ")));
    for (at, (label, value)) in lines.iter().enumerate() {
        let is_number = at == 0 && value.chars().all(|c| c.is_ascii_digit());
        if is_number || matches!(label.to_lowercase().as_str(), "title" | "name" | "subject") {
            names.extend(words(lexical, label));
            names.extend(words(lexical, value));
        }
    }
    names
}

/// Whether a question asks for what stands behind a label: it says all of the label, and names what the line is about
/// with the rest.
fn is_asked_for(asked: &[AskedWord<'_>], label: &[Word], names: &[Word]) -> bool {
    let mut label = label.iter().filter(|word| !word.is_function).peekable();
    if label.peek().is_none() {
        return false;
    }
    let mut is_open = vec![true; asked.len()];
    for word in label {
        let Some(at) = asked.iter().position(|asked| is_label_word(asked.word, word)) else { return false };
        is_open[at] = false;
    }
    // "What is a type hint?" asks for no type, but "Who chairs the guild?" for its chair.
    let last = is_open.iter().rposition(|is_open| !is_open).unwrap_or_default();
    let is_verb = last == 0 && asked[last].follows_question_word;
    let is_joined = !is_verb && asked.get(last + 1).is_some_and(|next| next.order == asked[last].order + 1);
    let rest = asked.iter().zip(is_open).filter(|(_, is_open)| *is_open);
    let mut rest = rest.map(|(asked, _)| asked.word).peekable();
    !is_joined
        && rest.peek().is_some()
        && rest.all(|word| is_kind(word) || names.iter().any(|name| is_same(word, name)))
}

/// Whether a word of a question is that of a label: itself, or the deed of which the label names the doer.
fn is_label_word(asked: &Word, label: &Word) -> bool {
    let is_written = matches!(asked.lower.as_str(), "wrote" | "written" | "writes" | "write");
    is_same(asked, label) || is_written && matches!(label.lower.as_str(), "author" | "authors")
}

/// Whether a value is of the kind that is asked for: no date is a person, and a moment has figures.
fn fits(form: &Form, value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    match form.asks {
        Asks::Person => value.starts_with(char::is_uppercase) && !has_digit,
        Asks::Date => has_digit,
        _ => true,
    }
}
