//! Splits a turn into sentences, and a sentence into words.

/// Maximum number of words in a sentence. Longer sentences make several statements, so no pattern matches them whole.
const WORDS_MAX: usize = 40;

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// Whether a comma or a colon follows the word.
    pub(super) parted: bool,
}

impl Word<'_> {
    pub(super) fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    pub(super) fn is(&self, any: &[&str]) -> bool {
        if self.text.is_ascii() {
            return any.iter().any(|word| word.eq_ignore_ascii_case(self.text));
        }
        any.contains(&self.lower().as_str())
    }

    /// Returns whether the word looks like a name: it contains an upper-case letter, a digit or an underscore.
    pub(super) fn is_marked(&self) -> bool {
        self.text.contains(|c: char| c.is_uppercase() || c.is_numeric() || c == '_')
    }
}

/// Returns the sentences of a turn, with the marks that they end with.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let ends = matches!(character, '.' | '!' | '?' | ';')
            && characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        // "Dr. Rolf Berg" and "No. 4" do not end a sentence.
        let shortened = || {
            let word = text[start..at].rsplit(' ').next().unwrap_or_default();
            character == '.'
                && matches!(
                    word,
                    "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "No" | "St" | "vs" | "e.g" | "i.e" | "approx"
                )
        };
        if (ends && !shortened()) || character == '\n' {
            let end = at + character.len_utf8();
            sentences.push(text[start..end].trim());
            start = end;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

pub(super) fn words(sentence: &str) -> Option<Vec<Word<'_>>> {
    // Quotes and brackets contain statements by others or asides. Markup and code are not sentences.
    let is_outside = |c: char| {
        matches!(c, '"' | '“' | '”' | '(' | '[' | '{' | '<' | '=' | '|' | '`' | '*' | '>' | '#' | '~' | '…')
    };
    if sentence.chars().any(is_outside) || sentence.contains("://") {
        return None;
    }
    let words: Vec<Word<'_>> = sentence
        .trim_end_matches(['.', ';'])
        .split_whitespace()
        .map(|word| {
            let text = word.trim_end_matches([',', ':']);
            Word { text, parted: text.len() < word.len() }
        })
        .filter(|word| !word.text.is_empty())
        .collect();
    let plain = words.iter().all(|word| {
        word.text.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    '\'' | '’' | '-' | '_' | '.' | '/' | '&' | '%' | '$' | '€' | '£' | '+' | ':' | ',' | '@'
                )
        })
    });
    (plain && words.len() >= 3 && words.len() <= WORDS_MAX).then_some(words)
}
