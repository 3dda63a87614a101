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
