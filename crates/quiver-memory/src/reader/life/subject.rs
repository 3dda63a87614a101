//! The subject of a conversational clause: the speaker, a relative, pet or friend of the speaker, or a name.

use quiver_language::{
    Language,
    life::{Life, says},
    token::possessor,
    word::verbs,
};

use crate::{
    calendar::{is_month, weekday_named},
    reader::{ReadFact, fact},
};

use super::{
    lexicon::{self, Class},
    line::{Gap, Line},
};

/// The verb form that a subject takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Person {
    /// "I".
    I,
    /// "we", "my wife and I".
    We,
    /// "my sister", "Ines".
    Third,
    /// "my kids".
    Plural,
}

/// The subject of a clause.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) person: Person,
    /// The position after the subject.
    pub(super) end: usize,
    /// Whether it is a bare name, which could denote anything.
    pub(super) is_bare: bool,
}

/// Somebody related to the speaker or to a named person: "my older sister Ines".
#[derive(Clone, Debug)]
pub(super) struct Relative {
    /// Whose: "Ada".
    pub(super) of: String,
    /// "sister".
    pub(super) noun: &'static str,
    /// "older sister".
    pub(super) described: String,
    pub(super) names: Vec<String>,
    pub(super) is_plural: bool,
    pub(super) end: usize,
}

impl Line<'_> {
    /// Returns the subject at the start of a clause.
    pub(super) fn subject(&self, at: usize) -> Option<Subject> {
        let speaker = self.turn.speaker;
        let own =
            |name: &str, person, end| Some(Subject { name: name.to_owned(), person, end, is_bare: false });
        match self.lower(at) {
            "i" => return own(speaker?, Person::I, at + 1),
            "we" => return own(speaker?, Person::We, at + 1),
            _ => {}
        }
        if let Some(relative) = self.relative(at) {
            let end = relative.end;
            if self.says(end, &["and", "i"]) {
                return own(speaker?, Person::We, end + 2);
            }
            if !self.joins(end - 1) && relative.names.is_empty() {
                return None;
            }
            let name = match relative.names.as_slice() {
                [name] => name.clone(),
                [] => format!("{}'s {}", relative.of, relative.described),
                _ => return None,
            };
            let person = if relative.is_plural { Person::Plural } else { Person::Third };
            return Some(Subject { name, person, end, is_bare: false });
        }
        let end = self.name_at(at)?;
        if self.says(end, &["and", "i"]) {
            return own(speaker?, Person::We, end + 2);
        }
        self.joins(end - 1).then(|| Subject {
            name: self.text(at, end),
            person: Person::Third,
            end,
            is_bare: true,
        })
    }

    /// Returns the end of a name of up to three words.
    pub(super) fn name_at(&self, at: usize) -> Option<usize> {
        let mut end = at;
        while end < self.len() && end - at < 3 && (end == at || self.joins(end - 1)) {
            let token = &self.tokens[end];
            let lower = token.lower.as_ref();
            let own = token.text.len() > 1
                && token.text.starts_with(char::is_uppercase)
                && token.text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
                && !lower.contains('\'')
                && Language::English.class(lower).is_none()
                && weekday_named(lower).is_none()
                && !is_month(lower)
                && !says(lower, Life::NoName)
                && !says(lower, Life::Interjection);
            // The first word of a sentence is always capitalised.
            let is_common = end == 0
                && (verbs(lower).next().is_some() || lower.ends_with("ing") || lower.ends_with("ly"));
            // "My cousin Milo DJs", "my aunt Ida LOVES jazz": a verb in capitals is not part of a name.
            let is_verb = end > at && is_in_capitals(token.text) && !is_in_capitals(self.tokens[at].text);
            if !own || is_common || is_verb {
                break;
            }
            end += 1;
        }
        (end > at).then_some(end)
    }

    /// Returns the relative at a word: "my sister", "our dog Rex", "Tom's kids, Ann and Bo,".
    pub(super) fn relative(&self, at: usize) -> Option<Relative> {
        let (of, start) = self.owner(at)?;
        let mut noun = start;
        while self.is_of(noun, Life::OfKin) && self.joins(noun) {
            noun += 1;
        }
        let (word, class, end) = self.kind_of(noun)?;
        if class == Class::Role && noun == start && self.lower(at) == "our" && self.names(end).0.is_empty() {
            // "Our manager" concerns work.
            return None;
        }
        let said = self.text(noun, end).to_lowercase();
        let is_plural = said != word;
        let described = self.text(start, noun).to_lowercase();
        let described = if described.is_empty() { said } else { format!("{described} {said}") };
        let (names, after) = self.names(end);
        if names.len() > 1 && !is_plural || names.len() == 1 && is_plural {
            return Some(Relative { of, noun: word, described, names: Vec::new(), is_plural, end });
        }
        let end = if names.is_empty() { end } else { after };
        Some(Relative { of, noun: word, described, names, is_plural, end })
    }

    /// Returns the owner that starts at a word, and the position after it: "my", "Tom's".
    fn owner(&self, at: usize) -> Option<(String, usize)> {
        let token = self.tokens.get(at)?;
        if !self.joins(at) {
            return None;
        }
        if matches!(token.lower.as_ref(), "my" | "our") {
            return Some((self.turn.speaker?.to_owned(), at + 1));
        }
        let name = possessor(token.text)?;
        let lower = name.to_lowercase();
        let own = name.len() > 1
            && name.chars().all(char::is_alphabetic)
            && name.starts_with(char::is_uppercase)
            && Language::English.class(&lower).is_none()
            && !lexicon::is(&lower, Class::Kin)
            && !says(&lower, Life::NoName);
        own.then(|| (name.to_owned(), at + 1))
    }

    /// Returns the kinship or other noun at a word in the singular, its class, and the position after it.
    pub(super) fn kind_of(&self, at: usize) -> Option<(&'static str, Class, usize)> {
        (1..=2).rev().find_map(|count| {
            let end = at + count;
            if end > self.len() || (at..end - 1).any(|word| !self.joins(word)) {
                return None;
            }
            let words: Vec<&str> = (at..end).map(|word| self.lower(word)).collect();
            let words = words.join(" ");
            [Class::Kin, Class::Pet, Class::Role]
                .into_iter()
                .find_map(|class| Some((lexicon::singular_in(&words, class)?, class, end)))
        })
    }

    /// Returns the names after the noun of a relative, and the position after them: "my sister Ines", "my
    /// sister, Ines, lives", "our kids Ann and Bo".
    fn names(&self, at: usize) -> (Vec<String>, usize) {
        let none = (Vec::new(), at);
        let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else { return none };
        if before.gap == Gap::Break {
            return none;
        }
        // A name between commas may be that of the person addressed.
        let between = before.gap == Gap::Comma;
        let Some(end) = self.proper(at) else { return none };
        let mut names = vec![self.bare(at, end)];
        let mut last = end;
        while self.is(last, &["and", "&"])
            && self.joins(last)
            && let Some(next) = self.proper(last + 1)
        {
            names.push(self.bare(last + 1, next));
            last = next;
        }
        let closed = last < self.len() && self.tokens[last - 1].gap == Gap::Comma;
        if between && !(closed && self.is_predicate(last)) {
            return none;
        }
        (names, last)
    }

    /// Returns whether there is a verb or an auxiliary at a position.
    fn is_predicate(&self, at: usize) -> bool {
        self.is(at, &["is", "was", "has", "are", "were", "have"])
            || !self.is_marked(at) && verbs(self.lower(at)).next().is_some()
    }

    /// Returns the end of the name at a word, which may be a possessive.
    fn proper(&self, at: usize) -> Option<usize> {
        if let Some(end) = self.name_at(at) {
            let possessive = self.joins(end - 1)
                && self.tokens.get(end).is_some_and(|token| token.is_marked() && token.lower.ends_with("'s"));
            return Some(if possessive && end - at < 2 { end + 1 } else { end.min(at + 2) });
        }
        let token = self.tokens.get(at)?;
        let name = token.lower.strip_suffix("'s")?;
        let own = token.text.starts_with(char::is_uppercase)
            && name.len() > 1
            && name.chars().all(char::is_alphabetic)
            && Language::English.class(name).is_none()
            && !says(name, Life::NoName);
        own.then_some(at + 1)
    }

    /// Returns a name without its possessive ending.
    fn bare(&self, start: usize, end: usize) -> String {
        let text = self.text(start, end);
        possessor(&text).unwrap_or(&text).to_owned()
    }
}

/// Whether a word of several letters is in capitals, perhaps with the ending of a verb, and is not a number: "IV".
fn is_in_capitals(word: &str) -> bool {
    let in_capitals = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    let is_acronym =
        ["s", "ed", "ing"].into_iter().any(|ending| word.strip_suffix(ending).is_some_and(in_capitals));
    let is_number = word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    is_acronym || word.len() > 2 && in_capitals(word) && !is_number
}

/// States the name of a relative: "Ada has sister Ines".
pub(super) fn named(relative: &Relative) -> Vec<ReadFact> {
    let predicate = format!("has {}", relative.noun);
    relative.names.iter().map(|name| fact(&relative.of, &predicate, name)).collect()
}
