//! Finds the names of a passage's subject.

use super::{Mention, MentionKind, Subject};
use quiver_language::{
    Class,
    mention::fold,
    read,
    text::Text,
    title::{TITLE_SEPARATOR, without_bracket},
    token::Shape,
};
use std::{borrow::Cow, ops::Range};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum number of tokens before the leading name. All of them must be determiners.
const LEAD_TOKENS_MAX: usize = 2;
/// Weight of the accent-free spelling relative to the original name.
const PLAIN_SHARE: f32 = 0.9;

/// Collects the names of a passage's subject from its title and first sentence, in descending order of weight.
pub(super) fn subjects(title: Option<&str>, text: &Text<'_>, mentions: &[Mention]) -> Vec<Subject> {
    let mut names = Names::default();
    if let Some(title) = title {
        names.add_title(title);
    }
    if let Some(first) = text.sentences().first() {
        let lead = mentions.iter().find(|mention| leads(text, first, mention));
        if let Some(lead) = lead {
            let fits = title
                .is_none_or(|title| shares_word(title, main_part(text, lead)) && !is_cut(title, text, lead));
            if fits {
                names.add(&lead.name, 0.8);
                names.add_other_names(text, first, lead, mentions);
            }
        }
    }
    names.finish()
}

/// The names found so far.
#[derive(Default)]
struct Names {
    found: Vec<Subject>,
}

impl Names {
    fn add(&mut self, name: &str, weight: f32) {
        let name = fold(name.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')));
        if !name.contains(char::is_alphanumeric) {
            return;
        }
        match self.found.iter_mut().find(|subject| subject.name.to_lowercase() == name.to_lowercase()) {
            Some(subject) => subject.weight = subject.weight.max(weight),
            None => self.found.push(Subject { name, weight }),
        }
    }

    fn add_title(&mut self, title: &str) {
        let mut path = title.split(TITLE_SEPARATOR);
        let whole = path.next().unwrap_or_default();
        self.add(whole, 1.0);
        let bare = without_bracket(whole);
        self.add(bare, 0.9);
        if let Some(rest) = bare.strip_prefix("The ") {
            self.add(rest, 0.8);
        }
        if let Some((before, _)) = bare.split_once(", ") {
            self.add(before, 0.6);
        }
        // The last heading names the subject of this part of the document.
        if let Some(heading) = path.last() {
            self.add(heading, 0.8);
        }
    }

    /// Adds the aliases that the first sentence gives between the subject's name and the verb.
    fn add_other_names(
        &mut self,
        text: &Text<'_>,
        first: &Range<usize>,
        lead: &Mention,
        mentions: &[Mention],
    ) {
        let copula = text.within(first).find(|at| {
            let token = &text.tokens[*at];
            token.range.start >= lead.range.end
                && token.class == Some(Class::Auxiliary)
                && !in_bracket(text, *at)
        });
        let end = copula.map_or(first.end, |at| text.tokens[at].range.start);
        let others = mentions.iter().filter(|mention| {
            mention.sentence == 0
                && mention.range.start >= lead.range.end
                && mention.range.start < end
                && matches!(mention.kind, MentionKind::Name | MentionKind::Quotation)
        });
        for mention in others {
            let between = &text.source[lead.range.end..mention.range.start];
            let cued = is_cue(between);
            let abbreviated =
                matches!(between.trim(), "(" | "(the") && is_abbreviation(&mention.name, &lead.name);
            if cued || abbreviated {
                self.add(&mention.name, 0.6);
            }
        }
    }

    /// Adds accent-free spellings, for questions that omit the accents.
    fn add_plain_names(&mut self) {
        let accented: Vec<Subject> =
            self.found.iter().filter(|subject| !subject.name.is_ascii()).cloned().collect();
        for subject in accented {
            let plain = without_accents(&subject.name);
            if plain.is_ascii() {
                self.add(&plain, subject.weight * PLAIN_SHARE);
            }
        }
    }

    fn finish(mut self) -> Vec<Subject> {
        self.add_plain_names();
        self.found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        self.found
    }
}

/// Returns a name without its accents.
pub(crate) fn without_accents(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfd().filter(|c| !is_combining_mark(*c)).collect())
}

/// Returns whether a mention is the leading name of the first sentence, preceded at most by determiners.
fn leads(text: &Text<'_>, first: &Range<usize>, mention: &Mention) -> bool {
    let before = text.within(&(first.start..mention.range.start));
    mention.sentence == 0
        && matches!(mention.kind, MentionKind::Name | MentionKind::Quotation)
        && before.len() <= LEAD_TOKENS_MAX
        && before.into_iter().all(|at| matches!(text.tokens[at].class, Some(Class::Determiner)))
}

/// Returns a name without what it belongs to: "Captain" of "Captain of the Wren", which is no other name of the Wren.
fn main_part<'t>(text: &Text<'t>, name: &Mention) -> &'t str {
    let joins = |at: &usize| matches!(&*text.tokens[*at].norm, "of" | "der" | "des" | "du" | "del" | "della");
    let end =
        text.within(&name.range).skip(1).find(joins).map_or(name.range.end, |at| text.tokens[at].range.start);
    &text.source[name.range.start..end]
}

/// Returns whether a mention ends before the number with which the title and the sentence go on: "Crane" of "Crane 40
/// stands", where "40 stands" is read as a quantity.
fn is_cut(title: &str, text: &Text<'_>, lead: &Mention) -> bool {
    let number = without_bracket(title).strip_prefix(&*lead.name).map(str::trim_start).unwrap_or_default();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(char::is_whitespace);
    is_number && text.source[lead.range.end..].trim_start().starts_with(number)
}

/// Returns whether a token is inside an open bracket.
fn in_bracket(text: &Text<'_>, at: usize) -> bool {
    let before = &text.source[..text.tokens[at].range.start];
    match (before.rfind('('), before.rfind(')')) {
        (Some(open), Some(close)) => open > close,
        (Some(_), None) => true,
        _ => false,
    }
}

/// Returns whether the words before a name mark it as an alias.
fn is_cue(between: &str) -> bool {
    const CUES: &[&str] = &[
        "known as",
        "called",
        "born",
        "née",
        "né",
        "formerly",
        "originally",
        "abbreviated",
        "abbreviated as",
        "abbreviated to",
        "nicknamed",
        "stylized as",
        "stylised as",
        "a.k.a.",
        "aka",
        "or simply",
        "or",
        "genannt",
        "geboren",
        "dit",
        "dite",
        "conocido como",
        "conocida como",
    ];
    let between =
        between.trim_end_matches(|c: char| c.is_whitespace() || "\"“„«'‘*_:,".contains(c)).to_lowercase();
    let between = between.strip_suffix(" the").unwrap_or(&between);
    CUES.iter().any(|cue| {
        between
            .strip_suffix(cue)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(|c: char| !c.is_alphanumeric()))
    })
}

/// "WHO" for "World Health Organization": the letters occur in the name in this order.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let mut letters = long.chars().flat_map(char::to_lowercase);
    let capitals = short.chars().filter(|c| c.is_uppercase()).count();
    !short.contains(char::is_whitespace)
        && capitals >= 2
        && short.len() < long.len()
        && short
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .all(|c| letters.any(|l| l == c))
}

/// Returns whether two names share a content word.
fn shares_word(title: &str, name: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = read(text);
        let content =
            text.tokens.iter().filter(|token| token.class.is_none() || token.shape == Shape::Identifier);
        content.map(|token| token.norm.to_string()).collect()
    };
    let of_title = words(title);
    words(name).iter().any(|word| of_title.contains(word))
}
