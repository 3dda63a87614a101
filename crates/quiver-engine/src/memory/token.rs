//! The words of a sentence, each with its place and, where it is a function word, its class.

use quiver_language::{Class, Language};

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(super) class: Option<Class>,
}

/// The words of a text, without the punctuation around them.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let trimmed = word
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '@' | '$' | '€' | '%' | '+'));
        if let Some(offset) = word.find(trimmed).filter(|_| !trimmed.is_empty()) {
            let start = at + offset;
            let lower = trimmed.to_lowercase().replace('’', "'");
            tokens.push(Token {
                text: trimmed,
                start,
                end: start + trimmed.len(),
                class: Language::English.class(&lower),
            });
        }
        at += word.len();
    }
    name_times(&mut tokens);
    tokens
}

/// "14 May" and "in May" name a month, "1 am" an hour.
fn name_times(tokens: &mut [Token<'_>]) {
    for at in 0..tokens.len() {
        let numbered =
            |token: Option<&Token<'_>>| token.is_some_and(|token| token.text.contains(char::is_numeric));
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let led = before.is_some_and(|before| before.class == Some(Class::Preposition));
        let is_time = match tokens[at].text {
            "May" => led || numbered(before) || numbered(tokens.get(at + 1)),
            "am" | "AM" => numbered(before),
            _ => false,
        };
        if is_time {
            tokens[at].class = None;
        }
    }
}

impl Token<'_> {
    pub(super) fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    /// Whether it is written like a name.
    pub(super) fn is_capital(&self) -> bool {
        self.text.contains(char::is_uppercase) || self.text.contains(|c: char| c.is_numeric())
    }

    /// Whether it is written like a word: letters, none but the first of them a capital.
    pub(super) fn is_ordinary(&self) -> bool {
        self.text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
            && !self.text.chars().skip(1).any(char::is_uppercase)
    }
}
