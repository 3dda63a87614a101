//! Recognises names by their capitalisation, and identifiers.

use crate::{
    pack::{self, Class, Language},
    text::Text,
    token::{Shape, Token, possessor, words},
};
use std::{collections::HashSet, ops::Range};

/// Maximum number of tokens in a name. Longer runs of capitalised words are headlines.
const NAME_TOKENS_MAX: usize = 12;

/// Recognises names, using knowledge about the whole passage.
#[derive(Debug)]
pub(crate) struct NameReader<'r, 't> {
    text: &'r Text<'t>,
    /// Words that are capitalised where capitalisation is significant: within sentences and in the title.
    evident: HashSet<String>,
    /// Words that occur with a lower-case first letter.
    lower_words: HashSet<&'r str>,
    /// Whether the text mostly uses a script with capital letters and is not written in capitals throughout.
    has_case: bool,
}

/// A name: its tokens and its byte range.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) tokens: Range<usize>,
    pub(crate) bytes: Range<usize>,
}

impl<'r, 't> NameReader<'r, 't> {
    pub(crate) fn new(text: &'r Text<'t>, title: Option<&str>) -> Self {
        let mut evident = HashSet::new();
        for sentence in text.sentences() {
            for at in text.within(sentence).skip(1) {
                let token = &text.tokens[at];
                if token.shape == Shape::Capital && token.class.is_none() && !after_opening(text, at) {
                    evident.insert(bare(token).to_lowercase());
                }
            }
        }
        if let Some(title) = title {
            evident.extend(words(title).map(str::to_lowercase));
        }
        let lower = text.tokens.iter().filter(|token| token.starts_lower());
        let lower_words = lower.map(|token| token.norm.as_ref()).collect();
        Self { text, evident, lower_words, has_case: has_case(text) }
    }

    /// Returns the names in a sentence, given by its tokens, that consist of unused tokens.
    pub(crate) fn names(&self, sentence: Range<usize>, used: &[bool]) -> Vec<Name> {
        let mut found = Vec::new();
        let mut at = sentence.start;
        while at < sentence.end {
            let token = &self.text.tokens[at];
            if used[at] {
                at += 1;
            } else if token.shape == Shape::Identifier && !is_camel(token) {
                found.push(Name { tokens: at..at + 1, bytes: token.range.clone() });
                at += 1;
            } else if self.begins(at, &sentence, used) {
                let end = self.extend(at, sentence.end, used);
                found.extend(self.name(at..end, sentence.start));
                at = end;
            } else {
                at += 1;
            }
        }
        found
    }

    fn begins(&self, at: usize, sentence: &Range<usize>, used: &[bool]) -> bool {
        let token = &self.text.tokens[at];
        if is_camel(token) {
            return true;
        }
        if !self.has_case || !matches!(token.shape, Shape::Capital | Shape::Initial) {
            return false;
        }
        let opening = at == sentence.start || after_opening(self.text, at);
        match token.class {
            None => !self.is_unit(at),
            Some(_) if self.is_acronym(token) => true,
            Some(_) if token.text == "I" => false,
            // "Will Smith" is a name, unless the sentence is a question, which may start with the verb.
            Some(Class::Auxiliary) if opening => {
                self.is_name_at(at + 1, sentence.end, used) && !self.is_question(sentence)
            }
            // "All You Need": in ordinary text, the second word would be lower case.
            Some(_) if opening => {
                self.is_capital_at(at + 1, sentence.end, used)
                    && self.text.tokens[at + 1].class.is_some()
                    && self.leads_to_name(at + 2, sentence.end, used)
            }
            // "the album In Rainbows", "The Hague": within a sentence, the capitalisation of any word is significant.
            Some(_) => {
                self.leads_to_name(at + 1, sentence.end, used)
                    || token.shape == Shape::Initial && token.text.len() > 1
            }
        }
    }

    /// Returns whether a name follows, possibly after capitalised function words.
    fn leads_to_name(&self, mut at: usize, end: usize, used: &[bool]) -> bool {
        while self.is_capital_at(at, end, used) {
            if self.text.tokens[at].class.is_none() {
                return true;
            }
            at += 1;
        }
        false
    }

    fn is_question(&self, sentence: &Range<usize>) -> bool {
        let last = self.text.tokens[sentence.start..sentence.end].last();
        last.is_some_and(|last| self.text.source[last.range.end..].starts_with('?'))
    }

    /// Returns whether a word is in capitals and never occurs in lower case: "US", but not "THE" if "the" occurs too.
    fn is_acronym(&self, token: &Token<'_>) -> bool {
        token.text.len() > 1
            && token.text.chars().all(char::is_uppercase)
            && !self.lower_words.contains(token.norm.as_ref())
    }

    /// Returns whether a word is in capitals for emphasis: the text also contains it in lower case.
    fn is_shouted(&self, token: &Token<'_>) -> bool {
        token.text.chars().all(char::is_uppercase) && self.lower_words.contains(token.norm.as_ref())
    }

    /// "16 GB": a short capitalised word after a number.
    fn is_unit(&self, at: usize) -> bool {
        let token = &self.text.tokens[at];
        at > 0
            && self.text.tokens[at - 1].shape == Shape::Number
            && self.text.gap_before(at) == " "
            && token.text.chars().count() <= 3
            && token.text.chars().skip(1).all(char::is_uppercase)
    }

    fn is_name_at(&self, at: usize, end: usize, used: &[bool]) -> bool {
        self.is_capital_at(at, end, used) && self.text.tokens[at].class.is_none()
    }

    fn is_capital_at(&self, at: usize, end: usize, used: &[bool]) -> bool {
        at < end && !used[at] && self.joins(at) && {
            let token = &self.text.tokens[at];
            matches!(token.shape, Shape::Capital | Shape::Initial) || is_camel(token)
        }
    }

    /// Returns whether a token may continue the name of the token before it, judging by the characters between them.
    fn joins(&self, at: usize) -> bool {
        let gap = self.text.gap_before(at);
        let plain = !gap.is_empty() && gap.chars().all(char::is_whitespace);
        // A full stop that does not end the sentence belongs to an abbreviation.
        plain
            || matches!(gap, "." | ". " | "–" | "-" | "+" | " & " | "& ")
            || self.is_suffix_after_comma(at, gap)
    }

    fn is_suffix_after_comma(&self, at: usize, gap: &str) -> bool {
        gap == ", " && matches!(self.text.tokens[at].text, "Jr" | "Sr" | "Inc" | "Ltd" | "LLC")
    }

    /// Returns the end of the name that starts at a token.
    fn extend(&self, start: usize, end: usize, used: &[bool]) -> usize {
        let mut next = start + 1;
        while next < end && !used[next] && self.joins(next) {
            let before = &self.text.tokens[next - 1];
            let token = &self.text.tokens[next];
            if is_possessive(before) && next - start > 1 {
                break;
            }
            match token.shape {
                Shape::Initial => next += 1,
                // "Theresa May": within a sentence, verbs are not capitalised.
                Shape::Capital if matches!(token.class, None | Some(Class::Auxiliary)) => next += 1,
                Shape::Capital if self.leads_to_name(next + 1, end, used) => next += 1,
                Shape::Identifier if is_camel(token) => next += 1,
                Shape::Number if token.text.len() <= 4 && self.number_ends_name(next, end) => next += 1,
                _ => match self.connected(next, end, used) {
                    Some(after) => next = after,
                    None => break,
                },
            }
        }
        next
    }

    /// "Apollo 11 was", but not "England 3 goals".
    fn number_ends_name(&self, at: usize, end: usize) -> bool {
        let next = at + 1;
        next >= end || {
            let token = &self.text.tokens[next];
            self.text.gap_before(next) != " " || !(token.starts_lower() && token.is_content())
        }
    }

    /// Returns the end of "of the Rings", "de la Cruz" or "for Policy" if a name continues after such connectives.
    fn connected(&self, at: usize, end: usize, used: &[bool]) -> Option<usize> {
        let first = &self.text.tokens[at];
        let english = self.text.language == Language::English;
        if !(pack::is_particle(first.text) || (english && first.text == "for")) {
            return None;
        }
        let plain = |at: usize| at < end && self.text.gap_before(at).chars().all(char::is_whitespace);
        let mut next = at + 1;
        while next < at + 3 && plain(next) && self.is_inner_article(next) {
            next += 1;
        }
        (plain(at) && plain(next) && self.is_name_at(next, end, used)).then_some(next + 1)
    }

    fn is_inner_article(&self, at: usize) -> bool {
        let text = self.text.tokens[at].text;
        pack::is_particle(text) || text == "the"
    }

    /// Strips the parts that don't belong to the name and decides whether the rest is a name.
    fn name(&self, mut span: Range<usize>, sentence_start: usize) -> Option<Name> {
        let list = &self.text.tokens;
        // A capitalised function word after the first word shows that both belong to a title.
        let strips = |span: &Range<usize>| match list[span.start].class {
            _ if list[span.start + 1].class.is_some() && list[span.start + 1].shape == Shape::Capital => {
                false
            }
            Some(Class::Determiner) if list[span.start].norm == "the" => true,
            Some(Class::Auxiliary) | None => false,
            Some(_) => self.opens(span, sentence_start),
        };
        while span.len() > 1 && list[span.start].shape != Shape::Initial && strips(&span) {
            span.start += 1;
        }
        if self.opens(&span, sentence_start) {
            let first = &list[span.start];
            let word = bare(first).to_lowercase();
            let common = self.lower_words.contains(word.as_str()) && !self.evident.contains(&word);
            let next_is_name = span.len() > 1 && list[span.start + 1].shape == Shape::Capital;
            if common && next_is_name {
                span.start += 1;
            } else if span.len() == 1 && !self.is_evident(first, &word, common, span.end) {
                return None;
            }
        }
        let closing = &list[span.end - 1];
        let single = span.len() == 1;
        let lone_letter = single && closing.text.trim_end_matches('.').chars().count() == 1;
        let shouted = single && closing.class.is_none() && closing.text.len() > 3 && self.is_shouted(closing);
        if lone_letter
            || shouted
            || span.len() > NAME_TOKENS_MAX
            || (single && closing.class.is_some() && !self.is_acronym(closing))
        {
            return None;
        }
        let bytes = list[span.start].range.start..closing.range.start + bare(closing).len();
        Some(Name { bytes, tokens: span })
    }

    /// Returns whether a span starts where any word would be capitalised.
    fn opens(&self, span: &Range<usize>, sentence_start: usize) -> bool {
        span.start == sentence_start || after_opening(self.text, span.start)
    }

    /// Returns whether a single word at the start of a sentence is probably a name.
    fn is_evident(&self, token: &Token<'_>, word: &str, common: bool, next: usize) -> bool {
        let marked = token.text.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric());
        if marked || self.evident.contains(word) {
            return true;
        }
        let adverb = self.text.language == Language::English
            && word.ends_with("ly")
            && next < self.text.tokens.len()
            && self.text.gap_before(next).starts_with(',');
        // "Founded in", "Critics of": in this position, a preposition rarely follows a name.
        let participle = next < self.text.tokens.len()
            && self.text.tokens[next].class == Some(Class::Preposition)
            && self.text.gap_before(next) == " ";
        !common && !adverb && !participle
    }
}

/// Returns whether a text mostly uses a script with capital letters and is not written in capitals throughout.
fn has_case(text: &Text<'_>) -> bool {
    let (mut cased, mut small, mut letters) = (0_usize, 0_usize, 0_usize);
    for c in text.tokens.iter().flat_map(|token| token.text.chars()).filter(|c| c.is_alphabetic()) {
        letters += 1;
        cased += usize::from(c.is_lowercase() || c.is_uppercase());
        small += usize::from(c.is_lowercase());
    }
    cased * 2 > letters && small * 3 > cased
}

/// Returns whether a token follows an opening quotation mark or a colon, after which any word may be capitalised.
fn after_opening(text: &Text<'_>, at: usize) -> bool {
    text.gap_before(at).trim_end().ends_with(['"', '“', '„', '«', ':', '‘', '¿', '¡'])
}

/// Returns a word without its possessive ending.
fn bare<'t>(token: &Token<'t>) -> &'t str {
    possessor(token.text).unwrap_or(token.text)
}

/// `iPhone`, but not a path or a URL.
fn is_camel(token: &Token<'_>) -> bool {
    token.shape == Shape::Identifier
        && token.text.chars().all(char::is_alphanumeric)
        && token.text.contains(char::is_uppercase)
}

fn is_possessive(token: &Token<'_>) -> bool {
    bare(token).len() < token.text.len()
}
