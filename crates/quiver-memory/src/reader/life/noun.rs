//! Noun phrases: "a small bakery in Delft", "my sister Ines", "two kittens".

use quiver_language::{
    Class as WordClass, Language,
    life::{Life, says},
    number::number_word,
    word::verbs,
};

use crate::{
    calendar::{is_month, weekday_named},
    relation::is_participle,
};

use super::{
    lexicon::{self, Class},
    line::{Gap, Line},
};

/// The word before a noun phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Determiner {
    None,
    /// "a", "an", "another", "some".
    Indefinite,
    The,
    /// "my", "our".
    My,
    /// "two", "3".
    Number,
    /// "this", "these", which may introduce something.
    This,
}

/// A noun phrase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noun {
    pub(super) determiner: Determiner,
    /// The first word after the determiner and evaluative adjectives.
    pub(super) start: usize,
    /// The position after the noun, before attached phrases.
    pub(super) core: usize,
    /// The position after the whole phrase.
    pub(super) end: usize,
}

/// Maximum number of words in a noun phrase, without attached phrases.
const WORDS_MAX: usize = 6;

impl Line<'_> {
    /// Returns the noun phrase that starts at a word.
    pub(super) fn noun(&self, at: usize) -> Option<Noun> {
        let first = self.tokens.get(at)?;
        if first.is_title() {
            return Some(Noun { determiner: Determiner::None, start: at, core: at + 1, end: at + 1 });
        }
        let determiner = match first.lower.as_ref() {
            "a" | "an" | "another" => Determiner::Indefinite,
            "the" => Determiner::The,
            "my" | "our" => Determiner::My,
            "this" | "these" => Determiner::This,
            lower
                if number_word(lower).is_some_and(|number| (2..=10).contains(&number))
                    || (lower.len() <= 2 && lower.bytes().all(|b| b.is_ascii_digit())) =>
            {
                Determiner::Number
            }
            _ => Determiner::None,
        };
        let mut start = at + usize::from(!matches!(determiner, Determiner::None | Determiner::Number));
        if determiner != Determiner::None && (start > at && !self.joins(at)) {
            return None;
        }
        if determiner == Determiner::My && self.is(start, &["own", "very"]) {
            start += 1 + usize::from(self.is(start + 1, &["own", "first"]));
        }
        // Without an article, the adjective may be part of the name: "fast food".
        let is_bare = determiner == Determiner::None;
        while !is_bare && self.is_of(start, Life::Evaluative) && self.joins(start) && !self.is_marked(start) {
            start += 1;
        }
        let first_word = start + usize::from(determiner == Determiner::Number);
        if determiner == Determiner::Number && !self.joins(at) {
            return None;
        }
        let core = self.core(first_word)?;
        // "See the film".
        let is_deed = is_bare
            && core > start + 1
            && !self.is_marked(start)
            && self.is_marked(start + 1)
            && verbs(self.lower(start)).any(|verb| verb == self.lower(start));
        if is_deed {
            return None;
        }
        let light = (first_word..core).any(|word| self.is_of(word, Life::Light) && !self.is_marked(word));
        if light {
            return None;
        }
        let mut noun = Noun { determiner, start, core, end: core };
        if self.is(core, &["of"])
            && self.joins(core)
            && !self.is_break(core)
            && let Some(inner) = self.noun(core + 1).filter(|inner| inner.determiner != Determiner::My)
        {
            noun.end = inner.end;
        }
        Some(noun)
    }

    /// Returns the end of a noun phrase, without attached phrases.
    fn core(&self, start: usize) -> Option<usize> {
        let mut end = start;
        while end < self.len() && end - start < WORDS_MAX {
            if end > start && self.tokens[end - 1].gap != Gap::Space {
                break;
            }
            let joins_names = self.is(end, &["and", "&"])
                && end > start
                && self.is_marked(end - 1)
                && self.is_marked(end + 1)
                && end - start >= 2
                && self.joins(end);
            if !joins_names && !self.is_nominal(end, end == start) {
                break;
            }
            end += 1;
        }
        while end > start && self.is(end - 1, &["and", "&"]) {
            end -= 1;
        }
        (end > start).then_some(end)
    }

    /// Returns whether a word may be part of a noun phrase.
    fn is_nominal(&self, at: usize, is_first: bool) -> bool {
        let token = &self.tokens[at];
        if token.is_title() || token.lower.contains('\'') && !token.lower.ends_with("'s") {
            return false;
        }
        let lower = token.lower.as_ref();
        if token.is_marked() && !matches!(lower, "i" | "a") {
            return Language::English.class(lower).is_none() || !is_first && lower == "will";
        }
        if lower == "first" {
            return true;
        }
        let ending = !is_first
            && (lower == "right" && self.is(at + 1, &["now"])
                || says(lower, Life::AfterNoun)
                // "A gathering organised by the club".
                || is_participle(lower)
                    && Language::English.class(self.lower(at + 1)) == Some(WordClass::Preposition)
                || lower.ends_with("ly")
                    && lower.len() > 5
                    && !matches!(lower, "family" | "assembly" | "monthly" | "weekly" | "daily" | "elderly")
                || lower.ends_with("ing")
                    && verbs(lower).next().is_some()
                    && !self.continues(at)
                    && !lexicon::is_known(lower));
        !ending && Language::English.class(lower).is_none()
    }

    /// Returns whether a noun follows a word.
    fn continues(&self, at: usize) -> bool {
        self.joins(at) && {
            let next = self.lower(at + 1);
            !next.is_empty()
                && Language::English.class(next).is_none()
                && weekday_named(next).is_none()
                && !matches!(next, "last" | "yesterday" | "today" | "this" | "next")
        }
    }

    /// Extends a noun phrase by an attached phrase: "house near Bergen", "job at Fenwick".
    pub(super) fn attached(&self, mut noun: Noun) -> Noun {
        let at = noun.end;
        if noun.end != noun.core || self.is_break(at) || !self.is_of(at, Life::Attaching) || !self.joins(at) {
            return noun;
        }
        if self.past_moment(at).is_some() || self.past_moment(at + 1).is_some() || self.since(at).is_some() {
            return noun;
        }
        let Some(inner) = self.noun(at + 1) else { return noun };
        let is_bound = inner.determiner != Determiner::None || self.is_marked(inner.start);
        let may = match inner.determiner {
            Determiner::My | Determiner::Number | Determiner::This => false,
            _ => is_bound || self.is(at, &["for", "about"]),
        };
        let is_date = is_day_or_month(self.lower(inner.start));
        let is_verb = !is_bound
            && verbs(self.lower(inner.start)).any(|verb| verb == self.lower(inner.start))
            && inner.core == inner.start + 1;
        if may
            && !is_date
            && !is_verb
            && !self.is(inner.start, &["free", "sure", "fun", "now", "example", "real", "once"])
        {
            noun.end = inner.end;
        }
        noun
    }

    /// Returns the last word of a noun phrase in lower case, or its last two words if they form an entry of
    /// the class.
    pub(super) fn head(&self, noun: Noun, class: Class) -> Option<&'static str> {
        let is_thing = matches!(class, Class::Pet | Class::Kin | Class::Belonging | Class::Occupation);
        if is_thing && (noun.start..noun.core).any(|at| self.is_of(at, Life::Unreal)) {
            return None;
        }
        // "A stroke of luck", "a judge of character".
        let is_of = noun.end > noun.core && self.is(noun.core, &["of"]);
        if is_of
            && matches!(class, Class::Birth | Class::Condition | Class::Pet | Class::Kin | Class::Occupation)
        {
            return None;
        }
        let last = noun.core - 1;
        let start = noun.start + usize::from(noun.determiner == Determiner::Number);
        (1..=3).rev().find_map(|count| {
            let first = (last + 1).checked_sub(count).filter(|first| *first >= start)?;
            let words: Vec<&str> = (first..=last).map(|at| self.lower(at)).collect();
            lexicon::singular_in(&words.join(" "), class)
        })
    }

    /// Returns whether a noun phrase contains a word that looks like a name.
    pub(super) fn has_mark(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            let token = &self.tokens[at];
            token.is_title() || token.is_marked() && Language::English.class(&token.lower).is_none()
        })
    }

    /// Returns whether a noun phrase is a name: all its words, except connectives, look like names.
    pub(super) fn is_name(&self, start: usize, end: usize) -> bool {
        self.has_mark(start, start + 1)
            && (start..end).all(|at| {
                let token = &self.tokens[at];
                token.is_title()
                    || token.is_marked()
                    || matches!(token.lower.as_ref(), "of" | "the" | "and" | "de" | "la" | "&")
            })
            && !is_day_or_month(self.lower(start))
    }

    /// Returns whether a name continues after its apparent end: "Hitchhiker's Guide" with "to the Galaxy",
    /// "Fast" with "and Furious".
    pub(super) fn goes_on(&self, end: usize) -> bool {
        let next = end + 1 + usize::from(self.is(end + 1, &["the", "a"]));
        self.has_mark(end - 1, end)
            && self.joins(end - 1)
            && self.is(end, &["of", "to", "and", "with", "in", "on"])
            && next < self.len()
            && self.has_mark(next, next + 1)
    }

    /// Renders a noun phrase as an object: "my car" becomes "Ada's car".
    pub(super) fn object(&self, noun: Noun) -> Option<String> {
        let text = self.text(noun.start, noun.end);
        Some(match noun.determiner {
            Determiner::My => format!("{}'s {text}", self.turn.speaker?),
            _ => text,
        })
    }
}

fn is_day_or_month(lower: &str) -> bool {
    weekday_named(lower).is_some() || is_month(lower)
}
