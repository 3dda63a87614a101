//! Parses noun phrases.

use std::ops::Range;

use super::{
    Phrase, PhraseKind,
    item::{Sentence, Sort},
    lexicon::{self, Form, is_form},
};
use crate::pack::{Class, Kind};

/// The grammatical number of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Singular,
    Plural,
    Unknown,
}

impl Sentence<'_, '_> {
    /// Parses all of the items as one noun phrase.
    pub(super) fn noun_phrase(&self, start: usize, end: usize) -> Option<Phrase> {
        if start >= end || (start + 1..end).any(|at| !self.has_space_before(at) && !self.has_comma_before(at))
        {
            return None;
        }
        let joints: Vec<usize> = (start + 1..end)
            .filter(|at| {
                self.has_comma_before(*at) || (self.is_word(*at) && matches!(self.norm(*at), "and" | "or"))
            })
            .collect();
        if joints.is_empty() {
            return self.with_of(start, end);
        }
        let mut parts = Vec::new();
        let mut from = start;
        for at in joints.into_iter().chain([end]) {
            if at > from {
                let part = self.with_of(from, at)?;
                let whole = at - from == 1 || part.kind != PhraseKind::Noun || self.class(from).is_some();
                parts.push(part.range.clone());
                if !whole || (part.kind == PhraseKind::Pronoun && self.class(from) != Some(Class::Pronoun)) {
                    return None;
                }
            }
            let is_word = at < end && self.is_word(at) && matches!(self.norm(at), "and" | "or");
            from = if is_word { at + 1 } else { at };
            // Only the last two parts are joined by "and" or "or".
            if at < end && is_word && self.with_of(from, end).is_none() {
                return None;
            }
        }
        let last_joint =
            (start + 1..end).rev().find(|at| self.is_word(*at) && matches!(self.norm(*at), "and" | "or"));
        if parts.len() < 2
            || last_joint
                .is_none_or(|at| parts.last().is_some_and(|last| last.start < self.items[at].range.end))
        {
            return None;
        }
        // "your card and log out": the second part is a verb.
        let verb = |at: usize| at + 1 < end && self.is_word(at) && is_form(self.norm(at + 1), Form::Base);
        if last_joint.is_some_and(|at| verb(at) && at + 2 == end && self.class(start).is_some()) {
            return None;
        }
        // "default, Blue and Green" mixes parts of different kinds.
        let bare = parts
            .iter()
            .filter(|part| !self.text(part).contains(' ') && self.text(part).starts_with(char::is_lowercase));
        let names = parts.iter().filter(|part| self.text(part).starts_with(|c: char| c.is_uppercase()));
        if bare.count() > 0 && names.count() > 0 {
            return None;
        }
        let first = self.with_of(start, start + 1).map_or(PhraseKind::Noun, |part| part.kind);
        let range = self.items[start].range.start..self.items[end - 1].range.end;
        Some(Phrase { head: range.clone(), range, kind: first, possessor: None, parts })
    }

    /// Parses a phrase with "of": "the lid of the box".
    fn with_of(&self, start: usize, end: usize) -> Option<Phrase> {
        let of = (start + 1..end.saturating_sub(1)).find(|at| self.is_word(*at) && self.norm(*at) == "of");
        let Some(of) = of else { return self.simple(start, end) };
        let head = self.simple(start, of).or_else(|| self.share(start, of))?;
        if self.is_word(start) && self.kind(start) == Some(Kind::Personal) {
            return None;
        }
        self.with_of(of + 1, end)?;
        let range = head.range.start..self.items[end - 1].range.end;
        Some(Phrase { range, ..head })
    }

    /// Parses a quantity before "of": "two", "most", "one".
    fn share(&self, start: usize, end: usize) -> Option<Phrase> {
        let counts = end - start == 1
            && matches!(self.kind(start), Some(Kind::Quantity | Kind::Number | Kind::Indefinite));
        counts.then(|| self.made(start, end, PhraseKind::Noun, None))
    }

    fn simple(&self, start: usize, end: usize) -> Option<Phrase> {
        // "Glad I could help": a phrase of several words does not end with a personal pronoun.
        let end_token = end.checked_sub(1).filter(|_| start < end).map(|at| self.last_token(at))?;
        if end_token.kind == Some(Kind::Personal)
            && (end - start > 1 || !std::ptr::eq(end_token, self.token(start)))
        {
            return None;
        }
        if end - start == 1 {
            return self.single(start);
        }
        let mut at = start;
        let mut possessor = None;
        let mut determined = false;
        if self.is_word(at)
            && matches!(self.norm(at), "all" | "both")
            && self.class(at + 1) == Some(Class::Determiner)
        {
            at += 1;
        }
        if self.is_word(at)
            && self.class(at) == Some(Class::Determiner)
            && self.kind(at) != Some(Kind::Question)
        {
            if self.kind(at) == Some(Kind::Possessive) {
                possessor = Some(self.items[at].range.clone());
            }
            determined = true;
            at += 1;
            if at < end && self.is_word(at) && matches!(self.kind(at), Some(Kind::Quantity | Kind::Number)) {
                at += 1;
            }
        }
        // "Lena's bike", "the cook's knife", "my sister's house".
        let owner = (at..end - 1).find(|at| self.is_possessive(*at));
        if let Some(owner) = owner {
            if (at..=owner).any(|at| !self.is_open(at)) || !self.has_space_before(owner + 1) {
                return None;
            }
            possessor = Some(self.items[start].range.start..self.items[owner].range.end);
            determined = true;
            at = owner + 1;
        }
        let head = end - 1;
        if at > head || self.is_possessive(head) {
            return None;
        }
        for inner in at..head {
            let very = self.is_adverb(inner) && lexicon::is_adjective(self.norm(inner + 1));
            if !very && !(self.is_open(inner) && (determined || self.leads_bare(inner, inner == at))) {
                return None;
            }
            // "things people can find": two adjacent nouns may be followed by an unmarked relative clause.
            if self.is_plural_noun(inner) && self.is_word(inner + 1) && !self.is_possessive(inner) {
                return None;
            }
            // "the data sent", "a layout called Blue": participles after a noun are not supported.
            if inner > at && self.is_trailing_participle(inner) {
                return None;
            }
            // "Lena happy": a word after a name without an article must not be a possible verb.
            let named = self.items[inner].sort == Sort::Name && !determined;
            if named && self.is_word(inner + 1) && lexicon::is_verb(self.norm(inner + 1)) {
                return None;
            }
        }
        let word = self.norm(head);
        if self.is_word(head) && head > at && self.is_trailing_participle(head) {
            return None;
        }
        let can_be_head = match self.items[head].sort {
            Sort::Name => true,
            Sort::Value => determined || head == at,
            Sort::Time(_) => false,
            Sort::Word => {
                let past = word.len() > 4 && word.ends_with("ed") && is_form(word, Form::Past);
                let gerund = !determined && word.len() > 4 && word.ends_with("ing");
                let verb = past || gerund || lexicon::is_only_finite(word);
                self.is_open(head) && !verb && !lexicon::is_adjective(word)
            }
        };
        if !can_be_head {
            return None;
        }
        // "that works", "this requires care": a clause.
        let one = self.is_word(start)
            && matches!(self.norm(start), "a" | "an" | "this" | "that" | "each" | "every");
        if one && (at..end).any(|at| is_form(self.norm(at), Form::Third) && self.is_plural_noun(at)) {
            return None;
        }
        let kind = if self.items[head].sort == Sort::Name && possessor.is_none() {
            PhraseKind::Name
        } else {
            PhraseKind::Noun
        };
        let mut phrase = self.made(start, end, kind, possessor);
        phrase.head = self.items[head].range.clone();
        Some(phrase)
    }

    /// Returns whether a word is a participle after another word of its phrase: "sent", "asking". "Meeting" and
    /// similar nouns don't count.
    fn is_trailing_participle(&self, at: usize) -> bool {
        const NOUNS: [&str; 24] = [
            "accounting",
            "banking",
            "building",
            "clothing",
            "drawing",
            "engineering",
            "funding",
            "hearing",
            "housing",
            "listing",
            "marketing",
            "meeting",
            "opening",
            "painting",
            "planning",
            "rating",
            "reading",
            "recording",
            "setting",
            "spelling",
            "testing",
            "training",
            "warning",
            "wedding",
        ];
        let word = self.norm(at);
        let gerund = is_form(word, Form::Gerund) && !NOUNS.contains(&word);
        let participle = is_form(word, Form::Participle) && !is_form(word, Form::Base);
        self.is_word(at)
            && (gerund || participle)
            && !lexicon::is_adjective(word)
            && !(self.is_word(at - 1) && (lexicon::is_adjective(self.norm(at - 1)) || self.is_adverb(at - 1)))
    }

    /// Returns whether a word is a plural that rarely precedes another noun.
    fn is_plural_noun(&self, at: usize) -> bool {
        const COMPOUNDED: [&str; 17] = [
            "analytics",
            "arms",
            "basics",
            "business",
            "communications",
            "customs",
            "goods",
            "graphics",
            "news",
            "operations",
            "physics",
            "sales",
            "savings",
            "series",
            "sports",
            "systems",
            "works",
        ];
        let word = self.norm(at);
        let plural =
            word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
        self.is_word(at) && plural && !lexicon::is_adjective(word) && !COMPOUNDED.contains(&word)
    }

    fn single(&self, at: usize) -> Option<Phrase> {
        let word = self.norm(at);
        let kind = match self.items[at].sort {
            Sort::Name if !self.is_possessive(at) => PhraseKind::Name,
            Sort::Value => PhraseKind::Value,
            Sort::Word => match (self.class(at), self.kind(at)) {
                (Some(Class::Pronoun), Some(Kind::Personal | Kind::Indefinite | Kind::Reflexive))
                | (Some(Class::Determiner), Some(Kind::Demonstrative)) => PhraseKind::Pronoun,
                (None, _) if word.contains('\'') => return None,
                (None, _) => {
                    let verbal = word.len() > 4 && (word.ends_with("ing") || word.ends_with("ed"));
                    let noun = !lexicon::is_adjective(word)
                        && !verbal
                        && !lexicon::is_only_finite(word)
                        && !self.is_adverb(at);
                    if !noun {
                        return None;
                    }
                    PhraseKind::Noun
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(self.made(at, at + 1, kind, None))
    }

    fn made(&self, start: usize, end: usize, kind: PhraseKind, possessor: Option<Range<usize>>) -> Phrase {
        let range = self.items[start].range.start..self.items[end - 1].range.end;
        Phrase { range, head: self.items[end - 1].range.clone(), kind, possessor, parts: Vec::new() }
    }

    /// Returns whether an item can be part of a noun phrase: a name, a value, or a word of an open class.
    fn is_open(&self, at: usize) -> bool {
        match self.items[at].sort {
            Sort::Name | Sort::Value => true,
            Sort::Time(_) => false,
            Sort::Word => {
                let word = self.norm(at);
                self.class(at).is_none()
                    && !lexicon::is_only_finite(word)
                    && (!word.contains('\'') || self.is_possessive(at))
            }
        }
    }

    /// Returns whether a word can precede the head in a phrase without an article. A verb form can't be the first
    /// word.
    fn leads_bare(&self, at: usize, first: bool) -> bool {
        let word = self.norm(at);
        let verbal = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
        !self.is_word(at) || lexicon::is_adjective(word) || !(first && (verbal || lexicon::is_verb(word)))
    }

    fn is_possessive(&self, at: usize) -> bool {
        let text = self.last_token(at).norm.as_ref();
        let after = self.token_ends_with_apostrophe(at);
        text.ends_with("'s") && self.class(at) != Some(Class::Pronoun) || after
    }

    /// "the cooks' knives".
    fn token_ends_with_apostrophe(&self, at: usize) -> bool {
        let token = self.last_token(at);
        token.norm.ends_with('s') && self.text_after(at).starts_with(['\'', '’'])
    }

    /// Returns the grammatical number of a phrase.
    pub(super) fn number(&self, phrase: &Phrase) -> Number {
        if phrase.parts.len() > 1 {
            return Number::Plural;
        }
        let text = self.text(&phrase.head).to_lowercase();
        match phrase.kind {
            PhraseKind::Pronoun => match text.as_str() {
                "we" | "you" | "they" | "these" | "those" | "i" => Number::Plural,
                _ => Number::Singular,
            },
            PhraseKind::Value => Number::Unknown,
            _ if matches!(
                text.as_str(),
                "people" | "children" | "men" | "women" | "police" | "mice" | "feet" | "teeth"
            ) =>
            {
                Number::Plural
            }
            _ if matches!(
                text.as_str(),
                "data" | "staff" | "series" | "media" | "most" | "all" | "some" | "half"
            ) =>
            {
                Number::Unknown
            }
            PhraseKind::Name => Number::Singular,
            _ if text.ends_with('s')
                && !text.ends_with("ss")
                && !text.ends_with("us")
                && !text.ends_with("is") =>
            {
                Number::Plural
            }
            _ => Number::Singular,
        }
    }
}
