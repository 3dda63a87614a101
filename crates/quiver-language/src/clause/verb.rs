//! Parses verbs with their auxiliaries.

use std::ops::Range;

use super::{
    Mood, Phrase, PhraseKind, Predicate, Tense, Voice,
    item::Sentence,
    lexicon::{self, Form, lemma},
    phrase::Number,
};
use crate::pack::{Class, Kind};

/// A verb group: the verb, its auxiliaries, and the item after them.
#[expect(clippy::struct_excessive_bools, reason = "each is told by a word of its own")]
pub(super) struct Group {
    pub(super) end: usize,
    pub(super) lemma: &'static str,
    pub(super) voice: Voice,
    pub(super) mood: Mood,
    pub(super) is_negated: bool,
    /// Whether an adjective may follow as the complement.
    pub(super) is_copular: bool,
    pub(super) adverbs: Vec<Range<usize>>,
    range: Range<usize>,
    verb: Range<usize>,
    tense: Tense,
    is_perfect: bool,
    is_progressive: bool,
    is_former: bool,
    modal: Option<Range<usize>>,
}

impl Group {
    fn mood_of(modal: &str) -> (Mood, Option<Tense>) {
        match modal {
            "will" | "won't" | "shall" | "'ll" => (Mood::Asserted, Some(Tense::Future)),
            "can" | "can't" | "cannot" | "may" => (Mood::Possible, None),
            "must" | "should" | "shouldn't" => (Mood::Obliged, None),
            _ => (Mood::Hypothetical, None),
        }
    }

    /// Returns whether the group is "be" with a gerund: "is finding".
    pub(super) fn is_gerund_of_be(&self) -> bool {
        self.is_progressive && self.voice == Voice::Active
    }

    pub(super) fn predicate(self, particle: Option<Range<usize>>) -> Predicate {
        Predicate {
            range: self.range,
            verb: self.verb,
            lemma: self.lemma.to_owned(),
            particle,
            voice: self.voice,
            tense: self.tense,
            is_perfect: self.is_perfect,
            is_progressive: self.is_progressive,
            is_former: self.is_former,
            modal: self.modal,
        }
    }
}

impl Sentence<'_, '_> {
    /// Parses the verb group that starts at an item, if it agrees with the subject.
    pub(super) fn verb_group(&self, start: usize, end: usize, subject: &Phrase) -> Option<Group> {
        let item = self.items.get(start)?.range.clone();
        let mut group = Group {
            end: start,
            lemma: "",
            voice: Voice::Active,
            mood: Mood::Asserted,
            is_negated: false,
            is_copular: false,
            adverbs: Vec::new(),
            range: item.clone(),
            verb: item.clone(),
            tense: Tense::Present,
            is_perfect: false,
            is_progressive: false,
            is_former: false,
            modal: None,
        };
        if !self.is_word(start) {
            return None;
        }
        if let Some((pronoun, auxiliary)) = self.contracted(start) {
            group.range.start = pronoun.range.end;
            group.verb = group.range.clone();
            let at = self.skip(start + 1, end, &mut group);
            match auxiliary {
                "m" | "re" | "s" => {
                    // "she's moved" has two readings.
                    let participle = at < end && lemma(self.norm(at), Form::Participle).is_some();
                    if auxiliary == "s" && (participle || self.norm(at) == "been") {
                        return None;
                    }
                    self.after_be(start, at, end, &mut group)?;
                }
                "ve" => self.after_have(at, end, &mut group)?,
                "ll" => {
                    (group.mood, group.tense) = (Mood::Asserted, Tense::Future);
                    self.after_modal(at, end, &mut group)?;
                }
                _ => return None,
            }
        } else if self.class(start) == Some(Class::Auxiliary) {
            self.after_auxiliary(start, end, subject, &mut group)?;
        } else {
            self.finite(start, end, subject, &mut group)?;
        }
        group.range.end = self.items[group.end - 1].range.end;
        Some(group)
    }

    fn after_auxiliary(&self, start: usize, end: usize, subject: &Phrase, group: &mut Group) -> Option<()> {
        let word = self.norm(start);
        group.is_negated = word.ends_with("n't") || word == "cannot";
        let number = self.number(subject);
        let is_first = self.text(&subject.range) == "I";
        let singular = number != Number::Plural;
        let plural = number != Number::Singular;
        let agrees = match word.trim_end_matches("n't") {
            "am" => is_first,
            "is" | "has" | "does" => singular,
            "was" => singular || is_first,
            "are" | "were" => plural && !is_first,
            "have" | "do" => plural,
            _ => true,
        };
        if !agrees {
            return None;
        }
        let at = self.skip(start + 1, end, group);
        let past = matches!(word.trim_end_matches("n't"), "was" | "were" | "had" | "did");
        group.tense = if past { Tense::Past } else { Tense::Present };
        match self.kind(start)? {
            Kind::Be if !matches!(word, "be" | "been" | "being") => self.after_be(start, at, end, group),
            Kind::Have if word != "having" => {
                let participle = self.is_participle(at) || self.norm(at) == "been";
                if participle && at < end {
                    return self.after_have(at, end, group);
                }
                if at > start + 1 {
                    return None;
                }
                (group.lemma, group.end) = ("have", at);
                Some(())
            }
            Kind::Do if !matches!(word, "done" | "doing") => {
                group.lemma = lemma(self.norm(at), Form::Base).filter(|_| at < end && self.is_word(at))?;
                if !group.is_negated {
                    // "did work" is ambiguous: "do" may be an auxiliary or a main verb.
                    return None;
                }
                group.verb = self.items[at].range.clone();
                group.is_copular = is_copular(group.lemma);
                group.end = at + 1;
                Some(())
            }
            Kind::Modal => {
                let (mood, tense) = Group::mood_of(word);
                group.mood = mood;
                group.tense = tense.unwrap_or(Tense::Present);
                group.modal = Some(self.items[start].range.clone());
                self.after_modal(at, end, group)
            }
            _ => None,
        }
    }

    fn after_modal(&self, at: usize, end: usize, group: &mut Group) -> Option<()> {
        if at >= end || !self.is_word(at) {
            return None;
        }
        let word = self.norm(at);
        let next = |group: &mut Group| self.skip(at + 1, end, group);
        match word {
            "be" => {
                let next = next(group);
                self.after_be(at, next, end, group)
            }
            "have" if self.is_participle(at + 1) || self.norm(at + 1) == "been" => {
                let next = next(group);
                self.after_have(next, end, group)
            }
            _ => {
                group.lemma = lemma(word, Form::Base)
                    .or_else(|| ["have", "do"].into_iter().find(|verb| *verb == word))?;
                group.verb = self.items[at].range.clone();
                group.is_copular = is_copular(group.lemma);
                group.end = at + 1;
                Some(())
            }
        }
    }

    fn after_have(&self, at: usize, end: usize, group: &mut Group) -> Option<()> {
        if at >= end || !self.is_word(at) {
            return None;
        }
        group.is_perfect = true;
        if self.norm(at) == "been" {
            let next = self.skip(at + 1, end, group);
            return self.after_be(at, next, end, group);
        }
        let word = self.norm(at);
        group.lemma = lemma(word, Form::Participle).or_else(|| (word == "had").then_some("have"))?;
        group.verb = self.items[at].range.clone();
        group.is_copular = is_copular(group.lemma);
        group.end = at + 1;
        Some(())
    }

    /// Parses what follows a form of "be".
    fn after_be(&self, be: usize, at: usize, end: usize, group: &mut Group) -> Option<()> {
        if at < end && self.is_word(at) && self.has_space_before(at) {
            let word = self.norm(at);
            if word == "going" && self.norm(at + 1) == "to" {
                if let Some(base) = lemma(self.norm(at + 2), Form::Base) {
                    (group.lemma, group.tense, group.end) = (base, Tense::Future, at + 3);
                    group.verb = self.items[at + 2].range.clone();
                    group.is_copular = is_copular(base);
                    return Some(());
                }
                if self.norm(at + 2) == "be" {
                    group.tense = Tense::Future;
                    let next = self.skip(at + 3, end, group);
                    return self.after_be(at + 2, next, end, group);
                }
            }
            let passive = if word == "being" { at + 1 } else { at };
            if passive < end
                && self.is_participle(passive)
                && (word == "being" || !lexicon::is_adjective(word))
            {
                group.lemma = lemma(self.norm(passive), Form::Participle)?;
                (group.voice, group.end) = (Voice::Passive, passive + 1);
                group.is_progressive = word == "being";
                group.verb = self.items[passive].range.clone();
                return Some(());
            }
            if let Some(base) = lemma(word, Form::Gerund).filter(|_| !lexicon::is_adjective(word)) {
                (group.lemma, group.is_progressive, group.end) = (base, true, at + 1);
                group.verb = self.items[at].range.clone();
                group.is_copular = is_copular(base);
                return Some(());
            }
        }
        if group.verb.start == group.range.start || group.verb.is_empty() {
            group.verb = self.items[be].range.clone();
        }
        // An adverb after "be" belongs to the complement or remains an adverb; both are fine.
        (group.lemma, group.is_copular, group.end) = ("be", true, at);
        Some(())
    }

    /// Parses a verb without auxiliaries.
    fn finite(&self, start: usize, end: usize, subject: &Phrase, group: &mut Group) -> Option<()> {
        let word = self.norm(start);
        let token = self.token(start);
        if !token.starts_lower() {
            return None;
        }
        if word == "used" && self.norm(start + 1) == "to" {
            let be = self.norm(start + 2) == "be";
            group.lemma = lemma(self.norm(start + 2), Form::Base).or_else(|| be.then_some("be"))?;
            (group.tense, group.is_former, group.end) = (Tense::Past, true, start + 3);
            group.verb = self.items.get(start + 2).filter(|_| start + 2 < end)?.range.clone();
            group.is_copular = is_copular(group.lemma);
            return Some(());
        }
        let number = self.number(subject);
        let past = lemma(word, Form::Past);
        let third = lemma(word, Form::Third).filter(|_| number != Number::Plural);
        let base = lemma(word, Form::Base).filter(|_| {
            number == Number::Plural || (number == Number::Unknown && subject.kind != PhraseKind::Value)
        });
        let present = third.or(base);
        // "put" and "read" may be present or past. If both agree with the subject, the verb is ambiguous and rejected
        // below.
        (group.lemma, group.tense) = match (present, past) {
            (Some(present), _) => (present, Tense::Present),
            (None, Some(past)) => (past, Tense::Past),
            (None, None) => return None,
        };
        if present.is_some() && past.is_some() {
            return None;
        }
        group.is_copular = is_copular(group.lemma);
        group.end = start + 1;
        Some(())
    }

    /// Skips "not" and adverbs.
    fn skip(&self, mut at: usize, end: usize, group: &mut Group) -> usize {
        while at < end && self.is_word(at) && self.has_space_before(at) {
            let word = self.norm(at);
            if at + 1 < end && self.is_no_longer(at) {
                group.adverbs.push(self.items[at].range.start..self.items[at + 1].range.end);
                group.is_negated = true;
                at += 2;
                continue;
            }
            if matches!(word, "not" | "never") {
                group.is_negated = true;
            } else if !self.is_adverb(at) || (at + 1 < end && lexicon::is_adjective(self.norm(at + 1))) {
                break;
            } else {
                group.adverbs.push(self.items[at].range.clone());
            }
            at += 1;
        }
        at
    }

    fn is_participle(&self, at: usize) -> bool {
        self.is_word(at) && lemma(self.norm(at), Form::Participle).is_some()
    }
}

/// Returns whether a verb can be followed by an adjective.
fn is_copular(lemma: &str) -> bool {
    matches!(
        lemma,
        "be" | "become" | "remain" | "stay" | "seem" | "look" | "feel" | "sound" | "get" | "turn" | "appear"
    )
}
