//! Splits text into words, numbers and identifiers.
//!
//! A [`Token`] is a word as it is meant; [`read`](crate::read) returns them. Simpler splitters serve texts that are only
//! compared or matched with patterns. They differ in what they keep together:
//!
//! - [`words`]: letters and digits
//! - [`joined_words`]: also what an apostrophe, a hyphen, a low line or a full stop joins, and numbers
//! - [`codes`]: also paths and variables, but neither "don't" nor "1,000"
//! - `spaced_words`: all between white space

use crate::{
    character::Script,
    pack::{Class, Kind},
};
use std::{borrow::Cow, ops::Range};
use unicode_normalization::char::is_combining_mark;

/// A word, number or identifier.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Token<'t> {
    /// The text of the token.
    pub text: &'t str,
    /// The word in lower case, with straight apostrophes.
    pub norm: Cow<'t, str>,
    /// The position in the text, in bytes.
    pub range: Range<usize>,
    /// The script.
    pub script: Script,
    /// The shape.
    pub shape: Shape,
    /// The word class, if it is a function word of the text's language.
    pub class: Option<Class>,
    /// The subclass, if the pack of the language specifies one.
    pub kind: Option<Kind>,
}

/// The shape of a token, determined by its letters and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Starts with a capital, or with a particle and a capital, such as `al-Assad` or `d'Orsay`.
    Capital,
    /// A single capital with or without a full stop, or several capitals separated by full stops.
    Initial,
    /// Looks like an identifier: `snake_case`, `camelCase`, `ticket-4471`, `std::fmt`, a URL.
    Identifier,
    /// Digits, with separators and decimal marks.
    Number,
    /// Anything else.
    Plain,
}

impl Token<'_> {
    /// Returns whether the word is neither a function word nor a number.
    pub fn is_content(&self) -> bool {
        self.class.is_none() && self.shape != Shape::Number
    }

    /// Returns whether the word starts with a lower-case letter.
    pub fn starts_lower(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

/// Splits a text into tokens. Their word classes depend on the language of the whole text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(token) = next_token(text, at) {
        at = token.range.end;
        tokens.push(token);
    }
    tokens
}

fn next_token(text: &str, from: usize) -> Option<Token<'_>> {
    let start = from + text[from..].find(char::is_alphanumeric)?;
    if let Some(end) = address_end(text, start) {
        return Some(token(text, start..end, Script::Spaced));
    }
    let first = text[start..].chars().next()?;
    let script = Script::of(first);
    let mut end = start;
    let mut previous = first;
    for (offset, c) in text[start..].char_indices() {
        let at = start + offset;
        let inside = if c.is_alphanumeric() {
            Script::of(c) == script || (script == Script::Katakana && c == 'ー')
        } else {
            is_combining_mark(c)
                || matches!(c, '_' | '\u{200c}' | '\u{200d}')
                || joins(text, start, at, previous, c)
        };
        if !inside {
            break;
        }
        end = at + c.len_utf8();
        previous = c;
    }
    let end = take_suffix(text, start, trim_joiner(text, start, end));
    let start = take_prefix(text, from, start);
    Some(token(text, start..end, script))
}

/// Returns whether a mark between two letters or digits belongs to the word.
fn joins(text: &str, start: usize, at: usize, previous: char, mark: char) -> bool {
    let after = &text[at + mark.len_utf8()..];
    let Some(next) = after.chars().next() else { return false };
    if mark == ':' {
        // Only the double colon of paths in code.
        return (previous.is_alphanumeric() && next == ':' && after[1..].starts_with(char::is_alphabetic))
            || (previous == ':' && text[start..at].ends_with(':') && next.is_alphabetic());
    }
    if !previous.is_alphanumeric() || !next.is_alphanumeric() || Script::of(previous) != Script::of(next) {
        return false;
    }
    match mark {
        '\'' | '’' => previous.is_alphabetic() && next.is_alphabetic(),
        '-' | '‐' | '‑' | '&' | '@' => true,
        '/' => previous.is_alphabetic() == next.is_alphabetic(),
        ',' => previous.is_numeric() && after.bytes().take(3).filter(u8::is_ascii_digit).count() == 3,
        '.' => {
            let segment = text[start..at].rsplit(['.', '-', '/']).next().unwrap_or_default();
            let initial = segment.chars().count() == 1;
            // "end.Next" lacks a space; "a.b", "U.S" and "main.rs" don't.
            initial || !next.is_uppercase()
        }
        _ => false,
    }
}

/// Returns the end of a URL such as `https://example.org/a?b`. It extends to the next space, without closing
/// punctuation.
fn address_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    let scheme = ["https://", "http://", "ftp://"].into_iter().find(|scheme| rest.starts_with(scheme))?;
    let length =
        rest.find(|c: char| c.is_whitespace() || "<>\"'`|)]}，。）」".contains(c)).unwrap_or(rest.len());
    let trimmed = rest[..length].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (trimmed.len() > scheme.len()).then_some(start + trimmed.len())
}

fn trim_joiner(text: &str, start: usize, end: usize) -> usize {
    start + text[start..end].trim_end_matches(['\u{200c}', '\u{200d}', ':']).len()
}

/// Includes trailing characters that belong to the word: the last full stop of "U.S.", the signs of "C++" and "C#".
fn take_suffix(text: &str, start: usize, end: usize) -> usize {
    let (word, rest) = (&text[start..end], &text[end..]);
    let one_letter = word.chars().count() == 1;
    if rest.starts_with("++") && one_letter {
        return end + 2;
    }
    if rest.starts_with('#') && one_letter {
        return end + 1;
    }
    let dotted = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    if rest.starts_with('.') && dotted && word.starts_with(char::is_alphabetic) { end + 1 } else { end }
}

/// Includes the sign before a handle or a number: `@ada`, `#123`.
fn take_prefix(text: &str, from: usize, start: usize) -> usize {
    let before = &text[from..start];
    if before.ends_with(['@', '#']) && !before[..before.len() - 1].ends_with(['#', '@']) {
        let at = start - 1;
        let begins = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '/');
        if begins && !text[start..].starts_with(char::is_whitespace) {
            return at;
        }
    }
    start
}

fn token(text: &str, range: Range<usize>, script: Script) -> Token<'_> {
    let word = &text[range.clone()];
    Token { text: word, norm: norm(word), range, script, shape: shape(word), class: None, kind: None }
}

/// Returns a text in lower case, with straight apostrophes.
pub fn norm(text: &str) -> Cow<'_, str> {
    let lower = if text.chars().any(char::is_uppercase) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    };
    if lower.contains('’') { Cow::Owned(lower.replace('’', "'")) } else { lower }
}

/// Returns the word that the ending "'s" is attached to: "Ada" for "Ada's".
pub fn possessor(word: &str) -> Option<&str> {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"))
}

/// Splits a text at everything that is not a letter or a digit. Such words are for comparing what is written:
/// "don't" and "1,000" are two of them each, and [`read`](crate::read) gives words as they are meant.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    word_indices(text).map(|(_, word)| word)
}

/// Returns the words that [`words`] returns, with their starts in bytes.
pub fn word_indices(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let length = text[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len() - start);
        rest = start + length;
        Some((start, &text[start..rest]))
    })
}

/// Returns the words between the white space of a part of a text, without the punctuation around them: "don't", "C++" and
/// "1,000" are words. They are for patterns that look at the punctuation between words.
pub(crate) fn spaced_words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#');
    let mut words = Vec::new();
    let mut from = within.start;
    for word in text[within].split_inclusive(char::is_whitespace) {
        let start = from + word.len() - word.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let end = from + word.trim_end_matches(is_mark).len();
        if start < end {
            words.push(start..end);
        }
        from += word.len();
    }
    words
}

/// Returns the words of a text with what single marks join to them: "don't", "v1.2", "web-eu-2", "10:30" and "1,000" are
/// words. Unlike [`read`](crate::read), it cuts paths and addresses, and it doesn't cut between scripts.
pub fn joined_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let inside = |&(at, c): &(usize, char)| c.is_alphanumeric() || is_joint(text, start + at, c);
        let last = text[start..].char_indices().take_while(inside).last();
        rest = last.map_or(start, |(at, c)| start + at + c.len_utf8());
        Some(start..rest)
    })
}

/// Returns whether a mark after a letter or digit joins it to the next: commas and colons only join digits.
fn is_joint(text: &str, at: usize, mark: char) -> bool {
    let (before, after) = (&text[..at], &text[at + mark.len_utf8()..]);
    match mark {
        '\'' | '’' | '.' | '-' | '_' => after.starts_with(char::is_alphanumeric),
        ',' | ':' => {
            before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// Splits a text into words, codes and identifiers, each as a whole: "mh-z19b", "$HOME" and "src/main.rs". Some are empty.
pub fn codes(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$');
    text.split(move |c: char| !is_part(c)).map(|code| code.trim_matches(['.', '/', '-']))
}

fn shape(word: &str) -> Shape {
    if word.starts_with(|c: char| c.is_numeric()) {
        return number_shape(word);
    }
    if word.starts_with(['@', '#']) || word.contains("::") || word.contains("://") || word.contains('_') {
        return Shape::Identifier;
    }
    let mut letters = word.chars();
    let capital = letters.next().is_some_and(char::is_uppercase);
    let rest = letters.as_str();
    if capital
        && rest.trim_end_matches('.').chars().all(|c| c == '.' || c.is_uppercase())
        && is_initials(word)
    {
        return Shape::Initial;
    }
    if capital {
        return Shape::Capital;
    }
    if let Some((particle, name)) = word.split_once(['-', '\'', '’'])
        && particle.chars().count() <= 2
        && name.starts_with(char::is_uppercase)
    {
        return Shape::Capital;
    }
    let inner_capital =
        rest.chars().any(char::is_uppercase) && !word.contains(['-', '/', '\'', '’']) && word.is_ascii();
    let numbered = word.ends_with(|c: char| c.is_ascii_digit()) && word.is_ascii();
    let file = word.contains('.') && word.is_ascii() && !is_initials(word);
    let path = word.matches('/').count() > 1;
    if inner_capital || numbered || file || path { Shape::Identifier } else { Shape::Plain }
}

/// "J", "J.", "J.R.R.", "U.S", "e.g."
fn is_initials(word: &str) -> bool {
    word.trim_end_matches('.').split('.').all(|part| part.chars().count() == 1)
}

fn number_shape(word: &str) -> Shape {
    if word.chars().all(|c| c.is_numeric() || matches!(c, '.' | ',' | '-' | '/')) {
        Shape::Number
    } else if word.chars().any(char::is_uppercase) {
        Shape::Capital
    } else if word.contains('_') {
        Shape::Identifier
    } else {
        Shape::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_splitter_keeps_something_else_together() {
        let text = "Ada’s C++ isn't in src/main.rs of web-eu-2, e.g. $HOME at 10:30 for 1,000 東京.";
        let written =
            |found: Vec<Range<usize>>| found.into_iter().map(|at| &text[at]).collect::<Vec<_>>().join(" ");
        assert_eq!(
            written(tokens(text).into_iter().map(|token| token.range).collect()),
            "Ada’s C++ isn't in src/main.rs of web-eu-2 e.g. HOME at 10 30 for 1,000 東京"
        );
        assert_eq!(
            written(joined_words(text).collect()),
            "Ada’s C isn't in src main.rs of web-eu-2 e.g HOME at 10:30 for 1,000 東京"
        );
        assert_eq!(
            written(spaced_words(text, 0..text.len())),
            "Ada’s C++ isn't in src/main.rs of web-eu-2 e.g HOME at 10:30 for 1,000 東京"
        );
        let joined = |words: Vec<&str>| words.join(" ");
        assert_eq!(
            joined(codes(text).filter(|code| !code.is_empty()).collect()),
            "Ada s C isn t in src/main.rs of web-eu-2 e.g $HOME at 10 30 for 1 000 東京"
        );
        assert_eq!(
            joined(words(text).collect()),
            "Ada s C isn t in src main rs of web eu 2 e g HOME at 10 30 for 1 000 東京"
        );
        assert!(word_indices(text).all(|(start, word)| text[start..].starts_with(word)));
    }

    #[test]
    fn a_norm_has_no_capitals_and_straight_apostrophes() {
        assert_eq!(norm("It’s"), "it's");
        assert_eq!(norm("ÉCOLE"), "école");
        assert!(matches!(norm("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn the_possessor_is_before_the_ending() {
        assert_eq!(possessor("Ada's"), Some("Ada"));
        assert_eq!(possessor("Ada’s"), Some("Ada"));
        assert_eq!(possessor("James'"), None);
    }
}
