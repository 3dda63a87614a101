//! A question as tokens with positions.

use std::ops::Range;

use quiver_language::{
    read,
    request::{opening, summary_request},
};

use super::lexicon::{is_auxiliary, is_question_word};

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of a word")]
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    pub(crate) lower: String,
    /// Whether it has a capital or a digit, like a name.
    pub(crate) is_marked: bool,
    /// The punctuation between the preceding word and this one, if it separates them.
    pub(crate) parted: Option<char>,
    /// Whether an apostrophe joins it to the preceding word: "'s".
    pub(crate) is_joined: bool,
    /// Whether it begins a sentence.
    pub(crate) is_first: bool,
    /// Whether it only asks for a summary or returns to a thing: "give me a digest of", "back to".
    pub(crate) is_asking: bool,
}

/// A question as tokens.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    /// Whether it asks for a summary.
    pub(crate) asks_summary: bool,
}

impl Said {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim().to_owned();
        let tokens = tokens(&text);
        Self { text, tokens, asks_summary: false }
    }

    /// The same for a question: the words of a request are told from the others.
    pub(crate) fn of_question(text: &str) -> Self {
        let mut said = Self::of(text);
        let request = summary_request(&said.text);
        said.asks_summary = request.is_some();
        let asking: Vec<Range<usize>> =
            request.into_iter().flat_map(|request| request.asking).chain(opening(&said.text)).collect();
        for token in &mut said.tokens {
            token.is_asking = asking.iter().any(|asked| asked.contains(&token.range.start));
        }
        said
    }

    /// The word at an index, in lower case; empty if there is none.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.lower.as_str())
    }

    /// Whether it has a question word or an auxiliary, so that it is more than a phrase.
    pub(crate) fn asks(&self) -> bool {
        self.tokens.iter().any(|token| is_question_word(&token.lower) || is_auxiliary(&token.lower))
    }

    /// Whether the word is a sentence of its own beside others: "*Wow.* Who organises it?"
    pub(crate) fn is_alone(&self, at: usize) -> bool {
        self.tokens.len() > 1
            && self.tokens[at].is_first
            && self.tokens.get(at + 1).is_none_or(|next| next.is_first)
    }

    /// Whether a sentence or clause ends after the word.
    pub(crate) fn ends_after(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_none_or(|next| next.parted.is_some())
    }

    /// The tokens in a byte range.
    pub(crate) fn tokens_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.tokens.partition_point(|token| token.range.end <= bytes.start);
        let end = self.tokens.partition_point(|token| token.range.start < bytes.end);
        start..end.max(start)
    }

    /// The byte range of these tokens.
    pub(crate) fn bytes_of(&self, tokens: &Range<usize>) -> Range<usize> {
        match (self.tokens.get(tokens.start), self.tokens.get(tokens.end.saturating_sub(1))) {
            (Some(first), Some(last)) if tokens.start < tokens.end => first.range.start..last.range.end,
            _ => 0..0,
        }
    }
}

/// The words of a text. What follows an apostrophe is a token of its own.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut before = 0;
    for word in read(text).tokens {
        let mut start = word.range.start;
        for part in word.text.split(['\'', '’']).flat_map(contracted) {
            start += text[start..].find(part).unwrap_or_default();
            let range = start..start + part.len();
            let between = &text[before..range.start];
            tokens.push(Token {
                lower: part.to_lowercase(),
                is_marked: part.contains(|c: char| c.is_uppercase() || c.is_numeric()),
                parted: between.chars().find(|c| is_parting(*c, between)).filter(|_| before > 0),
                is_joined: before > 0 && (matches!(between, "'" | "’") || between.is_empty() && part == "s"),
                is_first: tokens.is_empty() || between.contains(['?', '!']) || between.contains(". "),
                is_asking: false,
                range: range.clone(),
            });
            (start, before) = (range.end, range.end);
        }
    }
    tokens
}

/// The two words of a contraction that is typed without an apostrophe: "whats".
fn contracted(word: &str) -> impl Iterator<Item = &str> {
    let lower = word.to_lowercase();
    let is_contraction = matches!(
        lower.as_str(),
        "whats" | "whos" | "wheres" | "whens" | "hows" | "whys" | "hes" | "shes" | "thats" | "theres"
    );
    let at = if is_contraction { word.len() - 1 } else { word.len() };
    let (first, second) = word.split_at(at);
    [first, second].into_iter().filter(|part| !part.is_empty())
}

fn is_parting(c: char, between: &str) -> bool {
    matches!(c, ',' | ';' | ':' | '?' | '!' | '(' | ')' | '–' | '—') || (c == '.' && between.contains(' '))
}

/// Replaces parts of a text. Of overlapping edits, the first wins.
pub(crate) fn replaced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(text.len() + 32);
    let mut at = 0;
    for (range, new) in edits {
        if range.start < at {
            continue;
        }
        result.push_str(&text[at..range.start]);
        result.push_str(&new);
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}
