//! Cuts a sentence into items, finds where clauses may stand, and reads each.

use std::ops::Range;

use super::{
    Argument, Clause, Mood, Phrase, PhraseKind, Tense, Voice,
    lexicon::{self, Form},
    phrase::Number,
    verb::Group,
};
use crate::{
    character::Script,
    mention::{Mention, MentionKind},
    pack::{Class, Kind},
    time::{TimeExpression, times_in},
    token::{Shape, Token, Tokens},
};

/// One thing of a sentence: a word, a name, a value or an expression of time.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its tokens.
    tokens: Range<usize>,
    /// Where it stands in the text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) sort: Sort,
    /// What stands before it.
    gap: Gap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    Name,
    Value,
    /// The expression of time of that number.
    Time(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Space,
    Comma,
    Semicolon,
    /// Brackets, colons and whatever else is not read.
    Other,
}

/// A sentence on its way to clauses.
pub(super) struct Sentence<'r, 't> {
    tokens: &'r Tokens<'t>,
    pub(super) items: Vec<Item>,
    times: Vec<TimeExpression>,
    is_statement: bool,
    /// Whether it ends with a full stop; headings and captions do not.
    is_closed: bool,
}

/// No more words than this are read as one clause.
const ITEMS_MAX: usize = 40;

impl<'r, 't> Sentence<'r, 't> {
    pub(super) fn new(tokens: &'r Tokens<'t>, sentence: &Range<usize>, mentions: &[Mention]) -> Self {
        let within = tokens.within(sentence);
        let mut times = times_in(tokens, within.clone());
        // "the report of 2019": part of what it stands behind.
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

    pub(super) fn clauses(&self) -> Vec<Clause> {
        if !self.is_statement || (0..self.items.len()).any(|at| self.is_supposing(at)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut start = 0;
        for at in 1..=self.items.len() {
            if at == self.items.len() || self.items[at].gap == Gap::Semicolon {
                let whole = self.items[start..at].iter().skip(1).all(|item| item.gap != Gap::Other);
                if whole && at - start <= ITEMS_MAX {
                    found.extend(self.stretch(start, at, None).unwrap_or_default());
                }
                start = at;
            }
        }
        found
    }

    /// Words that make a sentence a condition, a wish or somebody's words.
    fn is_supposing(&self, at: usize) -> bool {
        self.items[at].sort == Sort::Word
            && matches!(
                self.norm(at),
                "if" | "unless" | "whether" | "wish" | "imagine" | "suppose" | "would've"
            )
    }

    /// One clause, or several with "and", "but", "because" between them, each of which can be read.
    fn stretch(&self, start: usize, end: usize, subject: Option<&Phrase>) -> Option<Vec<Clause>> {
        if let Some(clause) = self.clause(start, end, subject) {
            return Some(vec![clause]);
        }
        (start + 1..end.saturating_sub(1)).find_map(|at| {
            let joins = self.items[at].sort == Sort::Word
                && matches!(
                    self.norm(at),
                    "and" | "but" | "so" | "because" | "although" | "though" | "whereas"
                );
            let comma = self.items[at + 1].gap == Gap::Comma;
            if !joins || comma {
                return None;
            }
            let first = self.clause(start, at, subject)?;
            let mut found = vec![first.clone()];
            // "can stop and restart": what the auxiliary says of the second verb is not read.
            let plain = first.mood == Mood::Asserted
                && first.predicate.tense != Tense::Future
                && first.predicate.range == first.predicate.verb;
            let coordinated = plain && matches!(self.norm(at), "and" | "but");
            let rest = self.stretch(at + 1, end, None);
            let rest =
                rest.or_else(|| coordinated.then(|| self.stretch(at + 1, end, Some(&first.subject)))?);
            found.extend(rest?);
            Some(found)
        })
    }

    /// The one way in which all items are a clause; nothing where there are several ways.
    fn clause(&self, start: usize, end: usize, subject: Option<&Phrase>) -> Option<Clause> {
        if let Some(subject) = subject {
            return self.predicate(start, start, end, subject.clone(), true, Vec::new(), Vec::new());
        }
        let (from, times, adverbs) = self.opening(start, end)?;
        let mut found: Option<Clause> = None;
        for verb in from..end {
            let Some(clause) = self.clause_with_verb(start, from, verb, end, &times, &adverbs) else {
                continue;
            };
            if found.is_some() {
                return None;
            }
            found = Some(clause);
        }
        found
    }

    fn clause_with_verb(
        &self,
        start: usize,
        from: usize,
        verb: usize,
        end: usize,
        times: &[usize],
        adverbs: &[Range<usize>],
    ) -> Option<Clause> {
        // "she's", "I'll": subject and verb in one.
        if verb == from
            && let Some((subject, _)) = self.contracted(verb)
        {
            return self.predicate(start, verb, end, subject, false, times.to_vec(), adverbs.to_vec());
        }
        if self.contracted(verb).is_some() {
            return None;
        }
        let mut subject_end = verb;
        let mut before = Vec::new();
        let mut is_negated = false;
        while subject_end > from {
            if subject_end > from + 2 && self.is_no_longer(subject_end - 2) {
                subject_end -= 2;
                before.push(self.items[subject_end].range.start..self.items[subject_end + 1].range.end);
                is_negated = true;
            } else if self.is_adverb(subject_end - 1) {
                subject_end -= 1;
                is_negated |= self.norm(subject_end) == "never";
                before.push(self.items[subject_end].range.clone());
            } else {
                break;
            }
        }
        let subject = self.noun_phrase(from, subject_end)?;
        if subject.kind == PhraseKind::Pronoun && self.is_object_pronoun(from) {
            return None;
        }
        if !self.is_clear(from, subject_end, verb, end, &subject) {
            return None;
        }
        let mut adverbs = adverbs.to_vec();
        adverbs.extend(before.into_iter().rev());
        let mut clause = self.predicate(start, verb, end, subject, true, times.to_vec(), adverbs)?;
        clause.is_negated |= is_negated;
        Some(clause)
    }

    /// Whether nothing but a verb can stand at an item after a subject. Many words are nouns and verbs, participles
    /// and past forms, and a heading such as "Mail views" or "Help needed" is no statement.
    fn is_clear(&self, from: usize, subject_end: usize, verb: usize, end: usize, subject: &Phrase) -> bool {
        let first = self.norm(from);
        let pronoun = subject.kind == PhraseKind::Pronoun;
        let determined =
            self.is_word(from) && self.class(from) == Some(Class::Determiner) || subject.possessor.is_some();
        let bare = !pronoun && !determined && subject.kind != PhraseKind::Name;
        // "Help needed", "Paginating results": the first word of an order or a heading.
        if bare && self.is_word(from) && (lexicon::is_verb(first) || first.ends_with("ing")) {
            return false;
        }
        if self.class(verb) == Some(Class::Auxiliary) {
            return true;
        }
        // "The test runs failed", "The header makes Fastly set it": a word of the subject may be the verb.
        let doubtful = (from + 1..subject_end).any(|at| {
            let word = self.norm(at);
            self.is_word(at)
                && (is_form(word, Form::Third) || (at + 1 == subject_end && is_form(word, Form::Past)))
                && self.noun_phrase(from, at).is_some()
        });
        if doubtful || subject.kind == PhraseKind::Value {
            return false;
        }
        let word = self.norm(verb);
        let after = verb + 1;
        let object = after < end
            && (self.items[after].sort == Sort::Name
                || matches!(self.class(after), Some(Class::Determiner | Class::Pronoun))
                    && self.is_word(after));
        // "Tables set in rows", "The bridge painted in 1932".
        let participle = is_form(word, Form::Participle) && is_form(word, Form::Past);
        if participle && !pronoun && !object && (bare || !self.is_closed) {
            return false;
        }
        // "Travel Desk links": a heading.
        if is_form(word, Form::Third) && !pronoun && !determined && after == end && !self.is_closed {
            return false;
        }
        let plural = self.number(subject) == Number::Plural;
        let third = is_form(word, Form::Third);
        if bare && third || bare && !plural && participle {
            return false;
        }
        // "Core promises", "Route groups": a capital at the beginning makes no name.
        let opens = !determined && !pronoun && subject_end == from + 1 && third;
        let placed = after < end
            && (self.is_preposition(after)
                || self.is_adverb(after)
                || matches!(self.items[after].sort, Sort::Time(_)));
        !opens || object || subject_end < verb || (self.is_closed && (placed || after == end && from > 0))
    }

    /// Adverbs, times and phrases with a comma that stand before the subject; and where the subject begins.
    fn opening(&self, start: usize, end: usize) -> Option<(usize, Vec<usize>, Vec<Range<usize>>)> {
        let (mut at, mut times, mut adverbs) = (start, Vec::new(), Vec::new());
        while at < end {
            if at > start && !matches!(self.items[at].gap, Gap::Space | Gap::Comma) {
                return None;
            }
            match self.items[at].sort {
                Sort::Time(number) => {
                    // "Saturday service is free": part of the subject.
                    let joined = at + 1 < end && self.has_space_before(at + 1) && self.is_word(at + 1);
                    if joined && self.class(at + 1).is_none() && self.items[at].tokens.len() == 1 {
                        return None;
                    }
                    times.push(number);
                }
                Sort::Word if self.is_adverb(at) => adverbs.push(self.items[at].range.clone()),
                Sort::Word if self.kind(at) == Some(Kind::Linking) => {
                    adverbs.push(self.items[at].range.clone());
                }
                Sort::Word if self.kind(at) == Some(Kind::Coordinating) && at == start => {}
                _ => break,
            }
            at += 1;
        }
        (at < end).then_some((at, times, adverbs))
    }

    /// The clause with a verb at an item and a subject before it.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one clause")]
    fn predicate(
        &self,
        start: usize,
        verb: usize,
        end: usize,
        subject: Phrase,
        spaced: bool,
        mut times: Vec<usize>,
        mut adverbs: Vec<Range<usize>>,
    ) -> Option<Clause> {
        if spaced && verb > start && self.items[verb].gap != Gap::Space {
            return None;
        }
        let group = self.verb_group(verb, end, &subject)?;
        adverbs.extend(group.adverbs.iter().cloned());
        let mut is_negated = group.is_negated;
        let mut particle = None;
        let mut at = group.end;
        if at < end && self.is_particle(at) {
            particle = Some(self.items[at].range.clone());
            at += 1;
        }
        let mut arguments: Vec<Argument> = Vec::new();
        while at < end {
            if self.items[at].gap != Gap::Space {
                return None;
            }
            if let Sort::Time(number) = self.items[at].sort {
                times.push(number);
                at += 1;
            } else if at + 1 < end && self.is_no_longer(at) {
                adverbs.push(self.items[at].range.start..self.items[at + 1].range.end);
                is_negated = true;
                at += 2;
            } else if self.is_adverb(at) && !self.leads_adjective(at, end) {
                adverbs.push(self.items[at].range.clone());
                at += 1;
            } else if self.is_preposition(at) {
                let wide = self.is_wide_preposition(at);
                let from = at + 1 + usize::from(wide);
                // "to move" is no place.
                if self.norm(at) == "to" && self.is_word(from) && is_form(self.norm(from), Form::Base) {
                    return None;
                }
                let phrase_end = self.longest_phrase(from, end)?;
                let preposition = Some(self.items[at].range.start..self.items[from - 1].range.end);
                arguments.push(Argument { preposition, phrase: self.noun_phrase(from, phrase_end)? });
                at = phrase_end;
            } else if let Some(often) = self.frequency_end(at, end) {
                adverbs.push(self.items[at].range.start..self.items[often - 1].range.end);
                at = often;
            } else if arguments.is_empty() && group.is_copular && self.adjective_end(at, end).is_some() {
                let adjective_end = self.adjective_end(at, end)?;
                arguments.push(Argument { preposition: None, phrase: self.adjective(at, adjective_end) });
                at = adjective_end;
            } else if arguments.is_empty() && group.voice == Voice::Active {
                let phrase_end = self.longest_phrase(at, end)?;
                let phrase = self.noun_phrase(at, phrase_end)?;
                arguments.push(Argument { preposition: None, phrase });
                at = phrase_end;
                if particle.is_none() && at < end && self.is_particle(at) && !group.is_copular {
                    particle = Some(self.items[at].range.clone());
                    at += 1;
                }
            } else {
                return None;
            }
        }
        // "It is" and "She has" say nothing.
        let bare = arguments.is_empty() && particle.is_none();
        if bare && (matches!(group.lemma, "be" | "have" | "do") || (times.is_empty() && group.is_copular)) {
            return None;
        }
        let first = &self.items[start];
        let begin = first.range.start.min(subject.range.start.max(first.range.start));
        let times = times.into_iter().map(|number| self.times[number].clone()).collect();
        let range = begin..self.items[end - 1].range.end;
        let mood = group.mood;
        let object = arguments.iter().any(|argument| argument.preposition.is_none());
        if group.voice == Voice::Active && !object && particle.is_none() && lexicon::needs_object(group.lemma)
        {
            return None;
        }
        // "The goal is finding a home" says what the goal is.
        if group.is_gerund_of_be() && self.is_aim(&subject) {
            return None;
        }
        // "Nobody knows it", "She has no car".
        let denies = |range: &Range<usize>| {
            let first = self.text(range).split(' ').next().unwrap_or_default().to_lowercase();
            matches!(first.as_str(), "no" | "nobody" | "nothing" | "none" | "neither")
        };
        is_negated |=
            denies(&subject.range) || arguments.iter().any(|argument| denies(&argument.phrase.range));
        Some(Clause {
            range,
            subject,
            predicate: group.predicate(particle),
            arguments,
            times,
            adverbs,
            is_negated,
            mood,
        })
    }

    pub(super) fn norm(&self, at: usize) -> &str {
        self.items.get(at).map_or("", |item| self.tokens.list[item.tokens.start].norm.as_ref())
    }

    pub(super) fn token(&self, at: usize) -> &'r Token<'t> {
        &self.tokens.list[self.items[at].tokens.start]
    }

    pub(super) fn last_token(&self, at: usize) -> &'r Token<'t> {
        &self.tokens.list[self.items[at].tokens.end - 1]
    }

    /// What stands in a range of bytes.
    pub(super) fn text(&self, range: &Range<usize>) -> &'t str {
        &self.tokens.text[range.clone()]
    }

    /// The text after the last token of an item.
    pub(super) fn text_after(&self, at: usize) -> &'t str {
        &self.tokens.text[self.last_token(at).range.end..]
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

    /// An adverb of the closed class, or one in "ly"; not a negation, which belongs to the verb.
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

    /// Whether an adverb belongs to an adjective after it: "very old".
    fn leads_adjective(&self, at: usize, end: usize) -> bool {
        at + 1 < end && self.is_word(at + 1) && lexicon::is_adjective(self.norm(at + 1))
    }

    /// The end of "each day" or "many times", which say how often and are no objects.
    fn frequency_end(&self, start: usize, end: usize) -> Option<usize> {
        let phrase_end = self.longest_phrase(start, end)?;
        let phrase = self.noun_phrase(start, phrase_end)?;
        let head = self.text(&phrase.head);
        let every = matches!(self.norm(start), "each" | "every");
        let unit = matches!(
            head,
            "minute"
                | "hour"
                | "day"
                | "night"
                | "morning"
                | "evening"
                | "week"
                | "month"
                | "quarter"
                | "year"
                | "time"
        );
        let often = (every && unit) || (head == "times" && self.norm(start) != "the");
        (often && phrase.parts.is_empty()).then_some(phrase_end)
    }

    /// Whether a noun is one that "is" with a verb in "ing" explains.
    fn is_aim(&self, phrase: &Phrase) -> bool {
        matches!(
            self.text(&phrase.head),
            "aim"
                | "approach"
                | "challenge"
                | "focus"
                | "goal"
                | "idea"
                | "issue"
                | "job"
                | "key"
                | "part"
                | "plan"
                | "point"
                | "problem"
                | "purpose"
                | "role"
                | "solution"
                | "step"
                | "task"
                | "thing"
                | "way"
                | "work"
        )
    }

    /// "no longer", "no more".
    pub(super) fn is_no_longer(&self, at: usize) -> bool {
        self.is_word(at) && self.norm(at) == "no" && matches!(self.norm(at + 1), "longer" | "more")
    }

    fn is_object_pronoun(&self, at: usize) -> bool {
        matches!(
            self.norm(at),
            "me" | "him" | "us" | "them" | "myself" | "himself" | "herself" | "themselves"
        ) || matches!(self.kind(at), Some(Kind::Reflexive | Kind::Relative | Kind::Place))
    }

    fn is_preposition(&self, at: usize) -> bool {
        self.is_word(at)
            && (self.is_wide_preposition(at)
                || self.class(at) == Some(Class::Preposition)
                    && self.kind(at) == Some(Kind::Plain)
                    && !matches!(
                        self.norm(at),
                        "of" | "as"
                            | "like"
                            | "than"
                            | "before"
                            | "after"
                            | "until"
                            | "till"
                            | "since"
                            | "except"
                            | "per"
                            | "due"
                            | "out"
                            | "despite"
                            | "unlike"
                    ))
    }

    /// "out of", "next to".
    fn is_wide_preposition(&self, at: usize) -> bool {
        matches!((self.norm(at), self.norm(at + 1)), ("out", "of") | ("next", "to"))
    }

    fn is_particle(&self, at: usize) -> bool {
        self.is_word(at)
            && matches!(self.norm(at), "up" | "down" | "off" | "out" | "away" | "back")
            && !self.is_wide_preposition(at)
    }

    /// The end of the longest noun phrase that begins at an item.
    fn longest_phrase(&self, start: usize, end: usize) -> Option<usize> {
        (start + 1..=end).rev().find(|end| self.noun_phrase(start, *end).is_some())
    }

    /// The end of "very old", "open", "old and dusty".
    fn adjective_end(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        loop {
            while at < end && self.is_adverb(at) && self.leads_adjective(at, end) {
                at += 1;
            }
            if at >= end || !self.is_word(at) || !lexicon::is_adjective(self.norm(at)) {
                return None;
            }
            at += 1;
            if at >= end || self.norm(at) != "and" {
                break;
            }
            at += 1;
        }
        // "is old stock": a noun phrase.
        let ends = at == end
            || matches!(self.items[at].sort, Sort::Time(_))
            || self.is_adverb(at)
            || self.is_preposition(at);
        ends.then_some(at)
    }

    fn adjective(&self, start: usize, end: usize) -> Phrase {
        Phrase {
            range: self.items[start].range.start..self.items[end - 1].range.end,
            head: self.items[end - 1].range.clone(),
            kind: PhraseKind::Adjective,
            possessor: None,
            parts: Vec::new(),
        }
    }

    /// The subject in a contraction, and the auxiliary.
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

/// The item that begins at a token.
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
    // "Check the valve": what begins a sentence with a capital may be any word.
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

impl Group {
    pub(super) fn mood_of(modal: &str) -> (Mood, Option<Tense>) {
        match modal {
            "will" | "won't" | "shall" | "'ll" => (Mood::Asserted, Some(Tense::Future)),
            "can" | "can't" | "cannot" | "may" => (Mood::Possible, None),
            "must" | "should" | "shouldn't" => (Mood::Obliged, None),
            _ => (Mood::Hypothetical, None),
        }
    }
}

/// Whether a word can stand as a form.
pub(super) fn is_form(word: &str, form: Form) -> bool {
    lexicon::lemma(word, form).is_some()
}
