//! The words of a sentence that may state a fact.

use quiver_language::{
    statement::{self, Statement},
    token::norm,
};

/// Maximum number of words in a sentence. Longer sentences make several statements, so no pattern matches them whole.
const WORDS_MAX: usize = 40;

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// Whether a comma or a colon follows the word.
    pub(super) parted: bool,
    /// Whether it is a colon.
    pub(super) announces: bool,
}

impl<'a> Word<'a> {
    /// A word that nothing follows but the next one.
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, parted: false, announces: false }
    }

    pub(super) fn lower(&self) -> String {
        norm(self.text).into_owned()
    }

    pub(super) fn is(&self, any: &[&str]) -> bool {
        if self.text.is_ascii() {
            return any.iter().any(|word| word.eq_ignore_ascii_case(self.text));
        }
        any.contains(&self.lower().as_str())
    }

    pub(super) fn is_of(&self, class: Statement) -> bool {
        if self.text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return statement::says(self.text, class);
        }
        statement::says(&self.lower(), class)
    }

    /// Returns whether the word looks like a name: it contains an upper-case letter, a digit or an underscore.
    pub(super) fn is_marked(&self) -> bool {
        self.text.contains(|c: char| c.is_uppercase() || c.is_numeric() || c == '_')
    }
}

/// Whether two sentences meet in a word without a space: "example.It".
fn runs_on(word: &str) -> bool {
    let is_end = |(stop, _): (usize, &str)| {
        word[..stop].ends_with(char::is_lowercase) && word[stop + 1..].starts_with(char::is_uppercase)
    };
    word.match_indices('.').any(is_end)
}

/// Splits a sentence into words; `None` if it is too long or too short to be a statement, or contains markup, a quotation
/// or an aside.
pub(super) fn words(sentence: &str) -> Option<Vec<Word<'_>>> {
    // Quotes and brackets contain statements by others or asides. Markup and code are not sentences.
    let is_outside = |c: char| {
        matches!(c, '"' | '“' | '”' | '(' | '[' | '{' | '<' | '=' | '|' | '`' | '*' | '>' | '#' | '~' | '…')
    };
    if sentence.chars().any(is_outside) || sentence.contains("://") || sentence.starts_with("..") {
        return None;
    }
    let words: Vec<Word<'_>> = sentence
        .trim_start_matches(['-', '•', ' '])
        .trim_end_matches(['.', ';'])
        .split_whitespace()
        .map(|word| {
            let text = word.trim_end_matches([',', ':']);
            Word { text, parted: text.len() < word.len(), announces: word.ends_with(':') }
        })
        .filter(|word| !word.text.is_empty())
        .collect();
    let plain = words.iter().all(|word| {
        // "_This_" is emphasised.
        let is_plain = !word.text.starts_with('_') && !word.text.ends_with('_');
        // "Cost - explorer", "tests / benches": a list, and no sentence.
        let is_word = word.text == "&" || word.text.contains(char::is_alphanumeric);
        is_plain
            && is_word
            && !runs_on(word.text)
            && word.text.chars().all(|c| {
                c.is_alphanumeric()
                    || matches!(
                        c,
                        '\'' | '’'
                            | '-'
                            | '_'
                            | '.'
                            | '/'
                            | '&'
                            | '%'
                            | '$'
                            | '€'
                            | '£'
                            | '+'
                            | ':'
                            | ','
                            | '@'
                    )
            })
    });
    (plain && words.len() >= 3 && words.len() <= WORDS_MAX).then_some(words)
}
