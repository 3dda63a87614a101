//! The words of a sentence, with the class of each function word.

use quiver_language::{Class, Language};

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(super) class: Option<Class>,
}

/// The words of a text, without the punctuation around them.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let trimmed = word
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '@' | '$' | '€' | '%' | '+'));
        if !trimmed.is_empty() {
            let lower = trimmed.to_lowercase().replace('’', "'");
            tokens.push(Token { text: trimmed, class: Language::English.class(&lower) });
        }
    }
    name_times(&mut tokens);
    tokens
}

/// "14 May" and "in May" name a month, and "1 am" an hour, so these words are not function words.
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
}
