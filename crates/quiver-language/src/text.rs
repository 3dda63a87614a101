//! Reads a text: its tokens, its language and its sentences.

use std::{borrow::Cow, cell::OnceCell, ops::Range};

use crate::{
    pack::Language,
    sentence::sentences,
    token::{Token, tokens},
};

/// A text that has been read. What else is found in it is found by its tokens: see [`Text::mentions`] and
/// [`Text::times`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Text<'t> {
    /// The text as it is written.
    pub source: &'t str,
    /// The tokens, in order.
    pub tokens: Vec<Token<'t>>,
    /// The detected language.
    pub language: Language,
    sentences: OnceCell<Cow<'t, [Range<usize>]>>,
}

/// Reads a text with the packs of all languages: splits it into tokens, detects the language by its function words, and
/// gives each token its word class in that language.
///
/// ```
/// let text = quiver_language::read("Ada's notes of 1843 aren't lost. They are in Oxford.");
/// let words: Vec<&str> = text.tokens.iter().map(|token| token.norm.as_ref()).collect();
/// assert_eq!(words, ["ada's", "notes", "of", "1843", "aren't", "lost", "they", "are", "in", "oxford"]);
/// assert_eq!(text.language, quiver_language::Language::English);
/// assert_eq!(text.sentences(), [0..32, 33..52]);
/// ```
pub fn read(source: &str) -> Text<'_> {
    let mut tokens = tokens(source);
    let language = Language::of(tokens.iter().map(|token| token.norm.as_ref()));
    for token in &mut tokens {
        (token.class, token.kind) = language.class_and_kind(&token.norm);
    }
    Text { source, tokens, language, sentences: OnceCell::new() }
}

impl<'t> Text<'t> {
    /// Sets the sentences of a text that is part of a longer one, in which they were found.
    #[must_use]
    pub fn with_sentences(self, sentences: &'t [Range<usize>]) -> Self {
        Self { sentences: OnceCell::from(Cow::Borrowed(sentences)), ..self }
    }

    /// Returns the sentences as byte ranges, in order. They are found when they are first asked for.
    pub fn sentences(&self) -> &[Range<usize>] {
        self.sentences.get_or_init(|| Cow::Owned(sentences(self.source)))
    }

    /// Returns the indexes of the tokens that start within a byte range.
    pub fn within(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.tokens.partition_point(|token| token.range.start < range.start);
        let end = self.tokens.partition_point(|token| token.range.start < range.end);
        start..end
    }

    /// Returns what is written between a token and the previous one.
    pub fn gap_before(&self, at: usize) -> &'t str {
        let start = at.checked_sub(1).map_or(0, |before| self.tokens[before].range.end);
        &self.source[start..self.tokens[at].range.start]
    }

    /// Returns what is written between a token and the next one.
    pub fn gap_after(&self, at: usize) -> &'t str {
        let end = self.tokens.get(at + 1).map_or(self.source.len(), |next| next.range.start);
        &self.source[self.tokens[at].range.end..end]
    }
}

/// Trims a text and joins its words with single spaces.
pub fn collapse_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a text contains a name as whole words.
pub fn contains_words(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| is_whole(text, &(at..at + name.len())))
}

/// Returns whether no word of a text reaches over the ends of a byte range.
pub(crate) fn is_whole(text: &str, range: &Range<usize>) -> bool {
    !text[..range.start].ends_with(char::is_alphanumeric)
        && !text[range.end..].starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_between_tokens_and_at_both_ends() {
        let text = read("(Well, yes!)");
        assert_eq!((text.gap_before(0), text.gap_after(0)), ("(", ", "));
        assert_eq!((text.gap_before(1), text.gap_after(1)), (", ", "!)"));
    }

    #[test]
    fn tokens_belong_to_the_range_in_which_they_start() {
        let text = read("one two three");
        assert_eq!(text.within(&(4..9)), 1..3);
        assert_eq!(text.within(&(5..7)), 2..2);
    }

    #[test]
    fn sentences_that_are_known_are_not_found_again() {
        let text = "Ada wrote. Bob read.";
        assert_eq!(read(text).sentences(), [0..10, 11..20]);
        assert_eq!(read(text).with_sentences(&[0..3, 4..20]).sentences(), [0..3, 4..20]);
    }

    #[test]
    fn a_name_is_found_as_whole_words_only() {
        assert!(contains_words("the data set", "data set"));
        assert!(contains_words("(data)", "data"));
        assert!(!contains_words("database", "data"));
    }

    #[test]
    fn spaces_are_collapsed_and_trimmed() {
        assert_eq!(collapse_spaces("  two\n words\t"), "two words");
    }
}
