//! Splits a sentence into items: words, names, values and time expressions.

use std::ops::Range;

use super::{Phrase, PhraseKind, lexicon};
use crate::{
    character::Script,
    mention::{Mention, MentionKind},
    pack::{Class, Kind},
    time::{TimeExpression, times_in},
    token::{Shape, Token, Tokens},
};

/// A word, name, value or time expression.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The range of its tokens.
    pub(super) tokens: Range<usize>,
    /// The position in the text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) sort: Sort,
    /// What separates it from the previous item.
    pub(super) gap: Gap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    Name,
    Value,
    /// A time expression, as an index into `Sentence::times`.
    Time(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    Space,
    Comma,
    Semicolon,
    /// Brackets, colons and other characters that no clause contains.
    Other,
}

/// A sentence prepared for clause extraction.
pub(super) struct Sentence<'r, 't> {
    pub(super) tokens: &'r Tokens<'t>,
    pub(super) items: Vec<Item>,
    pub(super) times: Vec<TimeExpression>,
    pub(super) is_statement: bool,
    /// Whether the sentence ends with a full stop, an exclamation mark or an ellipsis. Headings and captions don't.
    pub(super) is_closed: bool,
}

impl<'r, 't> Sentence<'r, 't> {
    pub(super) fn new(tokens: &'r Tokens<'t>, sentence: &Range<usize>, mentions: &[Mention]) -> Self {
        let within = tokens.within(sentence);
        let mut times = times_in(tokens, within.clone());
        // "the report of 2019": part of the preceding phrase.
        times.retain(|time| !tokens.text[time.range.clone()].to_lowercase().starts_with("of "));
        let mut items = Vec::new();
        let mut at = within.start;
        while at < within.end {
            let item = item(tokens, at, within.start, &times, mentions);
            at = item.tokens.end;
            items.push(item);
        }
        let after = items.last().map_or("", |last: &Item| &tokens.text[last.range.end..sentence.end]);
        let is_statement =
            !after.contains(['?', ':', '？']) && !tokens.text[sentence.clone()].contains(['?', '\n']);
        let other_script = within.clone().any(|at| tokens.list[at].script != Script::Spaced);
        let is_statement = is_statement && !other_script;
        let is_closed = after.contains(['.', '!', '…'])
            || items.last().is_some_and(|last| tokens.text[last.range.clone()].ends_with('.'));
        Self { tokens, items, times, is_statement, is_closed }
    }

    pub(super) fn norm(&self, at: usize) -> &str {
        self.items.get(at).map_or("", |item| self.tokens.list[item.tokens.start].norm.as_ref())
    }

    /// Returns the text of a byte range.
    pub(super) fn text(&self, range: &Range<usize>) -> &'t str {
        &self.tokens.text[range.clone()]
    }

    /// Returns the text after the last token of an item.
    pub(super) fn text_after(&self, at: usize) -> &'t str {
        &self.tokens.text[self.last_token(at).range.end..]
    }

    pub(super) fn token(&self, at: usize) -> &'r Token<'t> {
        &self.tokens.list[self.items[at].tokens.start]
    }

    pub(super) fn last_token(&self, at: usize) -> &'r Token<'t> {
        &self.tokens.list[self.items[at].tokens.end - 1]
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.token(at).kind
    }

    pub(super) fn class(&self, at: usize) -> Option<Class> {
        self.token(at).class
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| item.sort == Sort::Word)
    }

    pub(super) fn has_comma_before(&self, at: usize) -> bool {
        self.items[at].gap == Gap::Comma
    }

    pub(super) fn has_space_before(&self, at: usize) -> bool {
        self.items[at].gap == Gap::Space
    }

    /// Returns whether an item is an adverb of the closed class or one that ends in "-ly". Negations don't
    /// count; they belong to the verb.
    pub(super) fn is_adverb(&self, at: usize) -> bool {
        if !self.is_word(at) {
            return false;
        }
        let word = self.norm(at);
        let closed =
            self.class(at) == Some(Class::Adverb) && !matches!(word, "not" | "else" | "back" | "away");
        let own = word.len() > 4
            && word.ends_with("ly")
            && self.class(at).is_none()
            && !lexicon::is_adjective(word)
            && !lexicon::is_verb(word)
            && !matches!(
                word,
                "family" | "assembly" | "anomaly" | "monopoly" | "reply" | "italy" | "july" | "butterfly"
            );
        closed
            || own
            || matches!(
                word,
                "here" | "there" | "anymore" | "abroad" | "upstairs" | "downstairs" | "outdoors"
            )
    }

    /// "no longer", "no more".
    pub(super) fn is_no_longer(&self, at: usize) -> bool {
        self.is_word(at) && self.norm(at) == "no" && matches!(self.norm(at + 1), "longer" | "more")
    }

    /// Splits a contraction into its subject and auxiliary.
    pub(super) fn contracted(&self, at: usize) -> Option<(Phrase, &str)> {
        if !self.is_word(at) {
            return None;
        }
        let word = self.norm(at);
        let (pronoun, auxiliary) = word.split_once('\'')?;
        let fits = match auxiliary {
            "m" => pronoun == "i",
            "re" => matches!(pronoun, "we" | "you" | "they"),
            "ve" => matches!(pronoun, "i" | "we" | "you" | "they"),
            "s" => matches!(pronoun, "he" | "she" | "it"),
            "ll" => matches!(pronoun, "i" | "we" | "you" | "they" | "he" | "she" | "it"),
            _ => false,
        };
        let start = self.items[at].range.start;
        let range = start..start + pronoun.len();
        let phrase = Phrase {
            head: range.clone(),
            range,
            kind: PhraseKind::Pronoun,
            possessor: None,
            parts: Vec::new(),
        };
        fits.then_some((phrase, auxiliary))
    }
}

/// Returns the item that starts at a token.
fn item(
    tokens: &Tokens<'_>,
    at: usize,
    first: usize,
    times: &[TimeExpression],
    mentions: &[Mention],
) -> Item {
    let token = &tokens.list[at];
    let gap = if at == first { Gap::Space } else { gap(tokens.gap_before(at)) };
    let until = |range: &Range<usize>| at..tokens.within(range).end.max(at + 1);
    if let Some(number) = times.iter().position(|time| time.range.start == token.range.start) {
        let range = times[number].range.clone();
        return Item { tokens: until(&range), range, sort: Sort::Time(number), gap };
    }
    let mention = mentions.iter().find(|mention| mention.range.contains(&token.range.start));
    let sort = match mention.map(|mention| mention.kind) {
        Some(MentionKind::Name | MentionKind::Quotation) => Sort::Name,
        Some(MentionKind::Quantity) => Sort::Value,
        _ if token.shape == Shape::Number => Sort::Value,
        _ => Sort::Word,
    };
    let word = Item { tokens: at..at + 1, range: token.range.clone(), sort: Sort::Word, gap };
    let Some(mention) = mention.filter(|_| sort != Sort::Word) else {
        return Item { sort, ..word };
    };
    let own = until(&mention.range);
    // "Check the valve": a capitalised first word may be an ordinary word.
    let alone = own.len() == 1 && at == first;
    let known =
        lexicon::is_verb(&token.norm) || lexicon::is_adjective(&token.norm) || token.norm.ends_with("ly");
    if sort == Sort::Name && alone && token.shape == Shape::Capital && known {
        return word;
    }
    let times_within =
        times.iter().any(|time| time.range.start > token.range.start && time.range.start < mention.range.end);
    if times_within {
        return word;
    }
    let range = token.range.start..mention.range.end;
    Item { tokens: own, range, sort, gap }
}

fn gap(text: &str) -> Gap {
    let plain = text.trim_matches(|c: char| c.is_whitespace() || "\"“”„«»‘’'`*_$€£".contains(c));
    match plain {
        "" if text.is_empty() => Gap::Other,
        "" => Gap::Space,
        "," => Gap::Comma,
        ";" => Gap::Semicolon,
        _ => Gap::Other,
    }
}
