//! Noun phrases in a clause: "the grass on the main pitch", "a firm called Tveit", "her brother Anselm".

use std::ops::Range;

use quiver_language::{
    Class, Kind, Language,
    number::number_word,
    statement::{Statement, says},
    token::possessor,
    word::{is_adjective, is_verb},
};

use crate::{
    calendar::{is_month, weekday_named},
    reader::word::Word,
    relation::is_participle,
};

/// Maximum number of words in a noun phrase, without its determiner.
const WORDS_MAX: usize = 8;

/// The words of a clause with what they are.
pub(super) struct Tokens<'a> {
    pub(super) words: &'a [Word<'a>],
    pub(super) lower: Vec<String>,
    class: Vec<Option<Class>>,
    kind: Vec<Option<Kind>>,
}

/// A noun phrase.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    /// The words without a determiner; the name alone if there is one beside a common noun: "the diver Akua".
    pub(super) run: Range<usize>,
    /// The common noun that describes the name, or all words: "diver".
    pub(super) noun: Range<usize>,
    pub(super) determiner: Option<Kind>,
    pub(super) end: usize,
    pub(super) is_named: bool,
}

impl Phrase {
    /// Whether it refers to a certain thing: a name, "the harbour", "our gloves"; not "gloves".
    pub(super) fn is_definite(&self) -> bool {
        self.is_named || matches!(self.determiner, Some(Kind::Article | Kind::Possessive))
    }
}

impl<'a> Tokens<'a> {
    pub(super) fn of(words: &'a [Word<'a>]) -> Self {
        let lower: Vec<String> = words.iter().map(Word::lower).collect();
        let class: Vec<Option<Class>> = lower.iter().map(|lower| Language::English.class(lower)).collect();
        // Only function words have a kind.
        let kind =
            |(lower, class): (&String, &Option<Class>)| class.and_then(|_| Language::English.kind(lower));
        let kind = lower.iter().zip(&class).map(kind).collect();
        Self { words, lower, class, kind }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn is(&self, at: usize, any: &[&str]) -> bool {
        self.lower.get(at).is_some_and(|lower| any.contains(&lower.as_str()))
    }

    pub(super) fn class(&self, at: usize) -> Option<Class> {
        self.class.get(at).copied().flatten()
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.kind.get(at).copied().flatten()
    }

    fn is_number(&self, at: usize) -> bool {
        let lower = &self.lower[at];
        let is_in_digits = || lower.bytes().all(|byte| byte.is_ascii_digit());
        self.kind(at) == Some(Kind::Number) || number_word(lower).is_some() || is_in_digits()
    }

    pub(super) fn is_marked(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(Word::is_marked)
    }

    pub(super) fn is_parted(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.parted)
    }

    /// Skips adverbs that leave a statement as it is: "now", "usually", "formally".
    pub(super) fn after_adverbs(&self, mut at: usize) -> usize {
        let is_plain = |at: usize| {
            let lower = &self.lower[at];
            says(lower, Statement::Adverb)
                || matches!(&**lower, "usually" | "always" | "mostly" | "often" | "again" | "then")
                || is_adverb(lower)
        };
        while at < self.len() && !self.is_marked(at) && is_plain(at) {
            at += 1;
        }
        at
    }

    /// Whether a word is a preposition that adds something to a verb or a noun. "To access" is no phrase with one.
    pub(super) fn is_preposition(&self, at: usize) -> bool {
        let is_infinitive = || {
            let next = self.lower.get(at + 1);
            self.is(at, &["to"]) && !self.is_marked(at + 1) && next.is_some_and(|next| is_verb(next))
        };
        self.class(at) == Some(Class::Preposition)
            && !self.is(at, &["of", "than", "as", "like", "unlike"])
            && !is_infinitive()
    }

    pub(super) fn text(&self, run: &Range<usize>) -> String {
        let text = self.words[run.clone()].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        text.trim_end_matches(['.', ',']).to_owned()
    }

    /// Reads the noun phrase that starts at a word.
    pub(super) fn noun_phrase(&self, start: usize) -> Option<Phrase> {
        self.noun_phrase_before(start, self.len())
    }

    /// Reads the noun phrase that starts at a word and ends before another.
    pub(super) fn noun_phrase_before(&self, start: usize, limit: usize) -> Option<Phrase> {
        self.phrase_before(start, limit).filter(|phrase| !self.is_date(phrase.noun.start, phrase.end))
    }

    /// Reads the noun phrase that starts at a word and ends before another, or the words there that say when.
    pub(super) fn phrase_before(&self, start: usize, limit: usize) -> Option<Phrase> {
        let is_determiner = self.class(start) == Some(Class::Determiner);
        let determiner = self.kind(start).filter(|_| is_determiner);
        if is_determiner && !matches!(determiner, Some(Kind::Article | Kind::Possessive | Kind::Number)) {
            return None;
        }
        let first = start + usize::from(is_determiner);
        let mut end = first;
        while end < limit && end - first < WORDS_MAX && self.continues(first, end) {
            end += 1;
            if self.is_parted(end - 1) {
                break;
            }
        }
        // "A short" of "a short while".
        let is_quality = end > first && !self.is_marked(end - 1) && is_adjective(&self.lower[end - 1]);
        if end == first || self.is(end - 1, &["of", "and", "&"]) || is_quality {
            return None;
        }
        // "A firm called Tveit".
        if !self.is_parted(end - 1) && self.is(end, &["called", "named"]) {
            let name = self
                .noun_phrase_before(end + 1, limit)
                .filter(|name| name.is_named && name.determiner.is_none())?;
            return Some(Phrase { determiner, noun: first..end, ..name });
        }
        let is_name = |at: usize| {
            self.is_marked(at)
                && self.words[at].text.contains(char::is_alphabetic)
                // "A PR" is any one.
                && !says(&self.lower[at], Statement::Generic)
                && (at > 0 || self.is_own_name(end))
        };
        // "Row eleven".
        let is_noun = |at: usize| self.class(at).is_none() && self.lower[at].starts_with(char::is_alphabetic);
        let is_numbered = (first + 1..end).any(|at| self.is_number(at) && is_noun(at - 1));
        let is_named = is_numbered || (first..end).any(is_name);
        let noun = first..end;
        let is_described = is_determiner || is_adjective(&self.lower[first]);
        // "Six wickets" are not the wickets.
        let first = if determiner == Some(Kind::Number) { start } else { first };
        let run = if is_described { self.name_within(first, end) } else { first..end };
        Some(Phrase { run, noun, determiner, end, is_named })
    }

    /// Reads a single word at the end of a clause as a quality: "urgent".
    pub(super) fn quality(&self, at: usize) -> Option<Phrase> {
        let is_last = at + 1 == self.len() || at < self.len() && self.is_parted(at);
        let is_word = is_last && self.class(at).is_none() && !says(&self.lower[at], Statement::Vague);
        let run = at..at + 1;
        is_word.then(|| Phrase { noun: run.clone(), run, determiner: None, end: at + 1, is_named: false })
    }

    /// The name that one or two common nouns introduce: "Akua" in "the diver Akua". Otherwise all words.
    fn name_within(&self, first: usize, end: usize) -> Range<usize> {
        let nouns = (first..end).take_while(|at| !self.is_marked(*at)).count();
        let is_name = |at: usize| {
            let text = self.words[at].text;
            text.starts_with(char::is_uppercase) && !text.chars().skip(1).any(char::is_uppercase)
        };
        let start = first + nouns;
        let is_of = (first..start).any(|at| self.is(at, &["of"]));
        if (1..=2).contains(&nouns) && !is_of && start < end && (start..end).all(is_name) {
            start..end
        } else {
            first..end
        }
    }

    /// Whether the first word of the clause, which has a capital in any case, belongs to a name: it has another capital or a
    /// digit, or a name follows; or it is alone and surely no other word, such as a verb that begins a headline.
    fn is_own_name(&self, end: usize) -> bool {
        let (first, lower) = (self.words[0].text, &self.lower[0]);
        let inner = first.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric() || c == '_');
        let is_other = || {
            ["ing", "tion", "ness", "ment", "ly"].iter().any(|ending| lower.ends_with(ending))
                || says(lower, Statement::Generic)
                || says(lower, Statement::Vague)
                || is_adjective(lower)
                || is_verb(lower)
                || is_participle(lower)
        };
        let is_abbreviated = inner && !(end == 1 && says(lower, Statement::Generic));
        is_abbreviated || (1..end).any(|at| self.is_marked(at)) || end == 1 && first.len() > 1 && !is_other()
    }

    /// Whether a phrase says when: "31 July", "the end of March", "the 22nd", "Thursday evenings".
    pub(super) fn is_date(&self, first: usize, end: usize) -> bool {
        let is_day = |at: usize| weekday_named(&self.lower[at]).is_some() || is_month(&self.lower[at]);
        let is_number = |at: usize| self.lower[at].starts_with(|c: char| c.is_ascii_digit());
        // "The end of the tour", but not "the Saturday tours".
        let is_part_of_time =
            self.is(first, &["end", "start", "beginning", "middle"]) && self.is(first + 1, &["of"]);
        is_day(end - 1)
            || is_number(first) && (first + 1 == end || (first..end).any(is_day))
            || is_day(first) && is_number(end - 1)
            || is_part_of_time
            || self.is(end - 1, TIMES)
    }

    /// Whether a word continues the noun phrase that starts at another.
    fn continues(&self, first: usize, at: usize) -> bool {
        let (class, kind) = (self.class(at), self.kind(at));
        let is_name = |at: usize| self.is_marked(at);
        if self.is(at, &["of"]) {
            return at > first && at + 1 < self.len();
        }
        if at > first && self.is(at - 1, &["of"]) {
            let is_ours = self.is(at, &["our", "my"]);
            return class.is_none()
                || class == Some(Class::Determiner)
                    && (is_ours || matches!(kind, Some(Kind::Article | Kind::Number)));
        }
        if self.is(at, &["and", "&"]) {
            return at > first && is_name(at - 1) && is_name(at + 1);
        }
        if self.is(at, &["de", "van", "von", "der"]) {
            return true;
        }
        // "Cellar One", "IT".
        let is_pronoun = matches!(class, Some(Class::Pronoun | Class::Auxiliary | Class::Conjunction));
        let is_in_name =
            at > 0 && is_name(at) && (at > first && is_name(at - 1) && !is_pronoun || class.is_none());
        if is_in_name {
            return true;
        }
        let lower = &self.lower[at];
        let is_contracted = lower.contains('\'') && possessor(lower).is_none() && !lower.ends_with('\'');
        let is_time = at > first
            && (weekday_named(lower).is_some() || is_month(lower) || self.is(at, &["last", "next", "soon"]));
        // "A boat moored at the pier".
        let describes = at > first
            && is_participle(lower)
            && (self.is_preposition(at + 1) || is_name(at + 1) || self.is(at + 1, &["called", "named"]));
        let is_manner = at > first
            && is_name(at - 1)
            && (lower.ends_with("ly") || is_participle(lower) || self.is(at, ALONE));
        let is_deed = at > first + 1 && lower.ends_with("ing");
        let is_vague = says(lower, Statement::Vague) && !(at == 0 && is_name(at));
        // "Row eleven", but not "dropped the connection three times".
        let is_number = at > first
            && self.is_number(at)
            && (self.is_parted(at) || at + 1 == self.len() || self.class(at + 1).is_some());
        (class.is_none() || is_number)
            && !(is_contracted
                || is_adverb(lower)
                || is_manner
                || is_deed
                || is_time
                || describes
                || is_vague
                || self.is(at, &["called", "named"]))
    }
}

/// Whether a word is an adverb made of an adjective: "formally", but not "weekly" and "family".
pub(super) fn is_adverb(lower: &str) -> bool {
    let Some(stem) = lower.strip_suffix("ly") else { return false };
    if stem.ends_with("al") && stem.len() > 3 {
        return true;
    }
    let with_y = || stem.strip_suffix('i').is_some_and(|stem| is_adjective(&format!("{stem}y")));
    is_adjective(stem) || is_adjective(&format!("{stem}le")) || with_y()
}

/// Whether words without a determiner that seem to be a subject belong to a headline: they begin with a verb or an adverb,
/// or have a verb in them. "Finish signed records", "Successfully published the index", "IPLD pull streams".
pub(super) fn is_headline(words: &[Word<'_>]) -> bool {
    let is_deed = |lower: &str| is_verb(lower) || is_participle(lower);
    words.iter().enumerate().any(|(at, word)| {
        let lower = word.lower();
        is_deed(&lower) && (at == 0 || !word.is_marked()) || at == 0 && is_adverb(&lower)
    })
}

/// Says with whom somebody does something, after a name.
pub(super) const ALONE: &[&str] = &["alone", "together"];

/// Nouns at the end of a phrase that says when.
pub(super) const TIMES: &[&str] = &[
    "morning",
    "mornings",
    "afternoon",
    "evening",
    "evenings",
    "night",
    "nights",
    "week",
    "month",
    "year",
    "day",
    "days",
    "weekend",
    "weekends",
    "season",
    "term",
    "dusk",
    "dawn",
    "noon",
    "end",
    "start",
    "beginning",
];
