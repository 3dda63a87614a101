//! A conversational sentence as words and the gaps between them.

use std::borrow::Cow;

use quiver_language::{
    life::{self, Life},
    token::norm,
};

use crate::reader::TurnToRead;

use super::lexicon::{self, Class};

/// The gap between a word and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    Space,
    Comma,
    /// A dash, a colon, or a bracket.
    Break,
}

/// A word, or a title in quotation marks.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// The word in lower case with straight apostrophes; empty for a title.
    pub(super) lower: Cow<'a, str>,
    pub(super) gap: Gap,
}

impl Token<'_> {
    pub(super) fn is_title(&self) -> bool {
        self.lower.is_empty()
    }

    /// Returns whether the word looks like a name.
    pub(super) fn is_marked(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
            || self.text.contains(|c: char| c.is_ascii_digit())
            || self.text.chars().filter(|c| c.is_uppercase()).count() > 1
    }
}

/// A sentence and its turn.
pub(super) struct Line<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) turn: &'a TurnToRead<'a>,
}

/// Maximum number of words in a title.
const TITLE_MAX: usize = 10;
/// Maximum number of words in a sentence that is read.
const WORDS_MAX: usize = 60;

impl<'a> Line<'a> {
    /// Splits a sentence into words. Returns `None` for code, markup, an open quotation, or too many words.
    pub(super) fn of(sentence: &'a str, turn: &'a TurnToRead<'a>) -> Option<Self> {
        let is_code =
            |byte: u8| matches!(byte, b'{' | b'<' | b'=' | b'|' | b'`' | b'*' | b'>' | b'#' | b'~' | b'\\');
        if sentence.bytes().any(is_code) || sentence.contains("://") {
            return None;
        }
        let mut line = Self { tokens: Vec::new(), turn };
        let mut rest = sentence;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            rest = &rest[start..];
            rest = line.push(rest)?;
            if line.tokens.len() > WORDS_MAX {
                return None;
            }
        }
        line.spell_out();
        Some(line)
    }

    /// Splits "dad's" when the next word shows that "'s" is a contraction of "is": "my dad's a chef".
    fn spell_out(&mut self) {
        for at in (0..self.len()).rev() {
            let splits =
                self.joins(at) && self.is(at + 1, &["a", "an", "called", "named", "from", "allergic"]);
            let Some(stem) = self.tokens[at].lower.strip_suffix("'s").filter(|_| splits) else { continue };
            if [Class::Kin, Class::Pet].into_iter().any(|class| lexicon::is(stem, class)) {
                let lower = stem.to_owned();
                let token = &mut self.tokens[at];
                token.lower = lower.into();
                token.text = token.text.rfind(['\'', '’']).map_or(token.text, |end| &token.text[..end]);
                let is = Token { text: "is", lower: "is".into(), gap: Gap::Space };
                self.tokens.insert(at + 1, is);
            }
        }
    }

    /// Adds the first word of a text and returns the rest.
    fn push(&mut self, rest: &'a str) -> Option<&'a str> {
        let first = rest.chars().next()?;
        if matches!(first, '[' | '(') {
            self.part(Gap::Break);
            let close = if first == '[' { ']' } else { ')' };
            return Some(rest.find(close).map_or("", |end| &rest[end + 1..]));
        }
        if matches!(first, '"' | '“' | '”') {
            return self.title(&rest[first.len_utf8()..]);
        }
        let dash = |text: &str| text.find(['—', '–']).into_iter().chain(text.find("--")).min();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '(' | '['))
            .unwrap_or(rest.len());
        let end = dash(&rest[..end]).filter(|at| *at > 0).unwrap_or(end);
        let (word, after) = rest.split_at(end);
        let bare = word.trim_end_matches([',', '.', '!', '?', ';', ':', ')', ']', '…', '-', '–', '—']);
        let text = bare.trim_start_matches(['-', '–', '—', '\'', '‘']);
        if text.is_empty() {
            self.part(Gap::Break);
            return Some(after);
        }
        let shortened = matches!(text, "Dr" | "Mr" | "Mrs" | "Ms" | "St");
        if bare.starts_with(['-', '–', '—']) {
            self.part(Gap::Break);
        }
        self.word(text);
        match &word[bare.len()..] {
            "" => {}
            "." if shortened => {}
            "," => self.part(Gap::Comma),
            _ => self.part(Gap::Break),
        }
        Some(after)
    }

    /// Adds the title at the start of a text and returns the text after its closing quotation mark.
    fn title(&mut self, inner: &'a str) -> Option<&'a str> {
        let end = inner.find(['"', '”', '“'])?;
        let close = inner[end..].chars().next()?;
        let title = inner[..end].trim_matches([' ', ',', '.', '!']);
        if title.split_whitespace().count() > TITLE_MAX {
            return None;
        }
        if !title.is_empty() {
            self.tokens.push(Token { text: title, lower: "".into(), gap: Gap::Space });
        }
        Some(&inner[end + close.len_utf8()..])
    }

    /// Sets the gap after the last word.
    fn part(&mut self, gap: Gap) {
        if let Some(last) = self.tokens.last_mut()
            && last.gap != Gap::Break
        {
            last.gap = gap;
        }
    }

    /// Adds a word. A contraction of a pronoun and an auxiliary becomes two words.
    fn word(&mut self, text: &'a str) {
        let lower = norm(text);
        let (first, second) = match lower.as_ref() {
            "i'm" | "im" => ("i", "am"),
            "i've" | "ive" => ("i", "have"),
            "we've" => ("we", "have"),
            "we're" => ("we", "are"),
            "he's" => ("he", "is"),
            "she's" => ("she", "is"),
            "name's" => ("name", "is"),
            _ => {
                self.tokens.push(Token { text, lower, gap: Gap::Space });
                return;
            }
        };
        self.tokens.push(Token { text, lower: first.into(), gap: Gap::Space });
        self.tokens.push(Token { text, lower: second.into(), gap: Gap::Space });
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn lower(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.lower.as_ref())
    }

    pub(super) fn is(&self, at: usize, any: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| any.contains(&token.lower.as_ref()))
    }

    pub(super) fn is_of(&self, at: usize, class: Life) -> bool {
        self.tokens.get(at).is_some_and(|token| life::says(&token.lower, class))
    }

    /// Returns whether these words start at a position, with only spaces between them.
    pub(super) fn says(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| {
            self.lower(at + offset) == *word && (offset + 1 == words.len() || self.joins(at + offset))
        })
    }

    /// Returns whether only a space follows a word.
    pub(super) fn joins(&self, at: usize) -> bool {
        at + 1 < self.len() && self.tokens[at].gap == Gap::Space
    }

    /// Returns whether a position is the end of the sentence, or follows a comma or dash.
    pub(super) fn is_break(&self, at: usize) -> bool {
        at >= self.len() || at > 0 && self.tokens[at - 1].gap != Gap::Space
    }

    pub(super) fn is_marked(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_marked)
    }

    /// Returns the words of a range as written.
    pub(super) fn text(&self, start: usize, end: usize) -> String {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.text).collect();
        words.join(" ")
    }
}
