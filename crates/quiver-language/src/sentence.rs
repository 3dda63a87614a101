//! Splits text into sentences.

use crate::{
    character::is_ideographic,
    number::as_day,
    pack::{self, Abbreviation},
};
use std::ops::Range;

/// Splits a text into sentences. Returns byte ranges in order, trimmed of white space and of list and heading marks.
///
/// A full stop ends a sentence unless it belongs to an initial, an abbreviation, a number, a URL or a file name.
/// Marks other than `.`, `!`, `?` and `…`, such as the ideographic full stop, always end a sentence. Blank lines,
/// headings, list items and short lines also end a sentence; single line breaks inside wrapped prose don't.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut splitter = Splitter { text, start: 0, line: 0, found: Vec::new() };
    let mut from = 0;
    while let Some(offset) = text[from..].find(is_candidate) {
        let at = from + offset;
        from = splitter.candidate(at);
    }
    splitter.cut(text.len());
    splitter.found
}

/// Splits a turn of a conversation into statements. Returns byte ranges in order, trimmed of white space, with the marks
/// that end them.
///
/// People type without capitals and with one statement per line, so a line break or a semicolon ends a statement, and
/// so does a full stop before a lower-case word, unless it belongs to an abbreviation.
pub fn statements(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, mark) in text.match_indices(['.', '!', '?', ';', '\n']).chain([(text.len(), "")]) {
        let end = at + mark.len();
        let rest = &text[end..];
        let is_last = mark.is_empty() || rest.is_empty() || rest.starts_with(char::is_whitespace);
        if mark != "\n" && (!is_last || mark == "." && is_short_for(&text[from..at], rest)) {
            continue;
        }
        let statement = text[from..end].trim_start();
        let start = end - statement.len();
        from = end;
        if !statement.is_empty() {
            found.push(start..start + statement.trim_end().len());
        }
    }
    found
}

/// Returns whether the full stop after a text belongs to its last word, given the text that follows. Fewer abbreviations
/// count than in prose, since "rep", "art" and "sun" are more often words in a conversation.
fn is_short_for(before: &str, after: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let written = after.split_whitespace().next().unwrap_or_default();
    let written = written.trim_matches(|c: char| !c.is_alphanumeric());
    match word.to_lowercase().as_str() {
        "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "vs" | "approx" => true,
        "no" => written.starts_with(|c: char| c.is_numeric()),
        _ => {
            let next = written.to_lowercase();
            is_dotted(word) && (written.starts_with(char::is_lowercase) || !pack::starts_sentences(&next))
        }
    }
}

/// Minimum width, in columns, of a line that may have been wrapped. Narrower lines were ended on purpose.
const WRAPPED_LINE_MIN: usize = 50;

struct Splitter<'t> {
    text: &'t str,
    /// The start of the current sentence and of the current line.
    start: usize,
    line: usize,
    found: Vec<Range<usize>>,
}

impl Splitter<'_> {
    /// Processes a character that may end a sentence and returns where to continue.
    fn candidate(&mut self, at: usize) -> usize {
        let mark = self.text[at..].chars().next().unwrap_or('\n');
        let after = at + mark.len_utf8();
        if mark == '\n' {
            if self.line_ends_sentence(at) {
                self.cut(at);
            }
            self.line = after;
            return after;
        }
        let run = self.text[after..].find(|c| !is_mark(c)).map_or(self.text.len(), |n| after + n);
        let end = skip_closing(self.text, run);
        let spaced = matches!(mark, '.' | '!' | '?' | '…');
        if !spaced || self.ends_at(at, run, end) {
            self.cut(end);
        }
        end
    }

    /// Returns whether the marks in `at..run`, with closing characters up to `end`, end the sentence.
    fn ends_at(&self, at: usize, run: usize, end: usize) -> bool {
        let rest = &self.text[end..];
        let following = rest.trim_start();
        let Some(first) = following.chars().find(|c| !is_opening(*c)) else { return true };
        if rest.len() == following.len() {
            return false;
        }
        // "the `cloud { ... }` block"
        if first.is_lowercase() || matches!(first, '}' | ')' | ']' | ',' | ';') {
            return false;
        }
        if &self.text[at..run] != "." {
            return true;
        }
        let sentence = &self.text[self.start..at];
        let word = sentence.rsplit(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let starts_list = word.len() == sentence.trim_start().len() && word.len() <= 3;
        if starts_list && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        let next = following.trim_start_matches(|c: char| !c.is_alphanumeric());
        let length = next.find(|c: char| !c.is_alphanumeric()).unwrap_or(next.len());
        let (next, after) = next.split_at(length);
        // "A. B. Smith": another initial follows, even if it looks like a word.
        let next = if after.starts_with('.') && next.chars().count() == 1 { "" } else { next };
        let next = next.to_lowercase();
        !is_abbreviation(word, &next) && !is_day_before_month(word, &next)
    }

    fn line_ends_sentence(&self, at: usize) -> bool {
        let line = &self.text[self.line..at];
        let next = self.text[at + 1..].lines().next().unwrap_or_default().trim_start();
        if next.is_empty() || line.trim().is_empty() || starts_block(next) {
            return true;
        }
        let line = line.trim();
        if line.starts_with(['#', '|']) || line.starts_with("```") {
            return true;
        }
        let columns: usize = line.chars().take(WRAPPED_LINE_MIN).map(columns).sum();
        columns < WRAPPED_LINE_MIN && !next.starts_with(char::is_lowercase)
    }

    fn cut(&mut self, end: usize) {
        let piece = &self.text[self.start..end];
        let trimmed = trim_block_mark(piece.trim_start());
        let start = end - trimmed.len();
        let length = trimmed.trim_end().len();
        if trimmed.contains(char::is_alphanumeric) {
            self.found.push(start..start + length);
        }
        self.start = end;
    }
}

fn is_candidate(c: char) -> bool {
    c == '\n' || is_mark(c)
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '。'
            | '！'
            | '？'
            | '｡'
            | '．'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '។'
            | '။'
            | '‼'
            | '⁇'
    )
}

/// Skips closing quotation marks, brackets and footnote marks such as `[12]`.
fn skip_closing(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        if let Some(note) = rest.strip_prefix('[') {
            let digits = note.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 && note[digits..].starts_with(']') {
                at += digits + 2;
                continue;
            }
        }
        match rest.chars().next() {
            Some(c) if is_closing(c) => at += c.len_utf8(),
            _ => return at,
        }
    }
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '“'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '*'
            | '_'
    )
}

fn is_opening(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '“'
            | '‘'
            | '„'
            | '«'
            | '('
            | '['
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '*'
            | '_'
            | '¿'
            | '¡'
    )
}

/// Returns whether a line starts with the mark of a heading, list item, quotation, table or code fence.
fn starts_block(line: &str) -> bool {
    line.starts_with(['|', '>']) || line.starts_with("```") || trim_block_mark(line).len() < line.len()
}

/// Strips the mark of a heading, list item or quotation from the start of a line.
fn trim_block_mark(line: &str) -> &str {
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() && heading.starts_with(' ') {
        return heading.trim_start();
    }
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•', '‣', '▪', '●', '>'])
        && rest.starts_with([' ', '\t'])
    {
        return rest.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if (1..=3).contains(&digits) && rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

/// Returns whether a full stop after a word belongs to the word, given the lower-case word that follows.
fn is_abbreviation(word: &str, next: &str) -> bool {
    let lower = word.to_lowercase();
    if pack::is_abbreviation(&lower, Abbreviation::Title) {
        return true;
    }
    let before_number = next.starts_with(|c: char| c.is_numeric());
    if before_number && pack::is_abbreviation(&lower, Abbreviation::Number) {
        return true;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    if initial || is_dotted(word) || pack::is_abbreviation(&lower, Abbreviation::Plain) {
        // These may end a sentence. They do if the next word can only start a new one.
        return !pack::starts_sentences(next);
    }
    false
}

/// "e.g" and "U.S"
fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| part.chars().count() <= 3 && is_letters(part))
}

/// "3. Mai": the full stop marks an ordinal. "May" and "march" are excluded because they often start English
/// sentences.
fn is_day_before_month(word: &str, next: &str) -> bool {
    as_day(word).is_some() && pack::month(next).is_some() && !matches!(next, "may" | "march")
}

fn is_letters(part: &str) -> bool {
    !part.is_empty() && part.chars().all(char::is_alphabetic)
}

fn columns(c: char) -> usize {
    if is_ideographic(c) { 2 } else { 1 }
}

#[cfg(test)]
mod tests;
