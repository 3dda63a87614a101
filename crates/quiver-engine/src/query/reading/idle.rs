//! Phrases that add no condition to a question: "at the moment", "no matter whose", "across the whole team".

use quiver_language::{
    Class,
    asking::{Asking, says},
    state::{State, state},
    word::{irregular_verb, verbs},
};

use super::{vocabulary::Vocabulary, word::Word};

/// Maximum number of words in such a phrase.
const PHRASE_MAX: usize = 4;
/// Maximum number of words in a clause such as "whoever has taken them on".
const CLAUSE_MAX: usize = 8;

/// The words of a question, from which phrases without a condition are left out.
#[derive(Clone, Copy)]
pub(super) struct Idle<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) question: &'a str,
    /// The label of the user who asks.
    pub(super) asker: Option<usize>,
    pub(super) list: &'a [Word],
}

impl Idle<'_> {
    /// Returns the other words. A question about everybody that is also about the user who asks has none.
    pub(super) fn left_out(self) -> Option<Vec<Word>> {
        const OF_ASKER: [&str; 8] = ["i", "me", "my", "mine", "we", "us", "our", "ours"];
        let mut kept: Vec<Word> = Vec::new();
        let (mut at, mut is_about_all) = (0, false);
        while let Some(word) = self.list.get(at) {
            if let Some(end) = self.everybody(at) {
                is_about_all = true;
                at = end;
            } else if let Some(end) = self.phrase(at, Asking::Idle) {
                at = end;
            } else {
                kept.push(word.clone());
                at += 1;
            }
        }
        // "Show me".
        let is_addressed = kept.get(1).is_some_and(|word| word.norm == "me");
        let rest = kept.iter().skip(if is_addressed { 2 } else { 0 });
        let is_about_asker = rest.into_iter().any(|word| OF_ASKER.contains(&word.norm.as_str()));
        (!is_about_all || !is_about_asker).then_some(kept)
    }

    fn is(self, at: usize, norms: &[&str]) -> bool {
        self.list.get(at).is_some_and(|word| norms.contains(&word.norm.as_str()))
    }

    /// Returns the end of the longest phrase of a class that starts here.
    fn phrase(self, at: usize, what: Asking) -> Option<usize> {
        (at + 1..=self.list.len().min(at + PHRASE_MAX)).rev().find(|end| {
            let words = self.list[at..*end].iter().map(|word| word.norm.as_str());
            says(&words.collect::<Vec<_>>().join(" "), what)
        })
    }

    /// Whether a comma or the beginning of the question stands before a word.
    fn opens_clause(self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|before| self.list.get(before)) else { return true };
        let next = self.list.get(at).map_or(self.question.len(), |word| word.start);
        self.question.get(before.end..next).is_some_and(|between| between.contains([',', ';', ':', '–', '—']))
    }

    /// Returns the end of words that say that a question is about everybody's records.
    fn everybody(self, at: usize) -> Option<usize> {
        self.asker?;
        self.concession(at).or_else(|| self.mine_or_not(at)).or_else(|| self.of_all(at))
    }

    /// Parses "no matter whose", "whoever took them on".
    fn concession(self, at: usize) -> Option<usize> {
        let start = match self.phrase(at, Asking::Regardless) {
            Some(end) if self.is(end, &["who", "whose", "whom"]) => end + 1,
            _ if self.is(at, &["whoever", "whomever"]) && self.opens_clause(at) => at + 1,
            _ => return None,
        };
        let ends =
            (start..=self.list.len()).find(|end| *end == self.list.len() || self.opens_clause(*end))?;
        let is_whole = ends < self.list.len() || at > 0;
        let says_nothing = |at: usize| {
            let is_particle = self.list[at].class == Some(Class::Preposition)
                && (at + 1 == ends || self.list[at + 1].class == Some(Class::Pronoun));
            is_particle
                || matches!(self.list[at].class, Some(Class::Pronoun | Class::Auxiliary))
                || self.is_of_having(at)
        };
        (is_whole && ends - start < CLAUSE_MAX && (start..ends).all(says_nothing)).then_some(ends)
    }

    /// Whether a word says how somebody has something, in general or in this graph.
    fn is_of_having(self, at: usize) -> bool {
        let word = &self.list[at];
        let mut bases = verbs(&word.norm).chain(irregular_verb(&word.norm));
        let mut of_links = self.vocabulary.links.iter().flat_map(|link| &link.words);
        bases.any(|base| says(base, Asking::Tending))
            || state(&word.norm) == Some(State::Held)
            || of_links.any(|name| word.stems.iter().any(|stem| name.contains(stem)))
    }

    /// Parses "mine or anybody else's", "mine or not".
    fn mine_or_not(self, at: usize) -> Option<usize> {
        const SOMEBODY: [&str; 6] = ["anybody", "anyone", "everybody", "everyone", "somebody", "someone"];
        if !self.is(at, &["mine"]) || !self.is(at + 1, &["or", "and"]) || !self.opens_clause(at) {
            return None;
        }
        if self.is(at + 2, &["not", "others"]) {
            return Some(at + 3);
        }
        (self.is(at + 2, &SOMEBODY) && self.is(at + 3, &["else"])).then_some(at + 4)
    }

    /// Parses "everyone's", "for everybody on the farm", "across the whole crew".
    fn of_all(self, at: usize) -> Option<usize> {
        let start = at + usize::from(self.is(at, &["counting", "including", "across", "among", "for", "of"]));
        if self.is(start, &["everyone", "everybody"]) {
            let is_possessive = self.list[start].is_possessive;
            // "Everybody else" leaves somebody out.
            if (start == at && !is_possessive) || self.is(start + 1, &["else", "but", "except"]) {
                return None;
            }
            let group =
                self.is(start + 1, &["in", "on", "at", "of"]).then(|| self.group(start + 2)).flatten();
            return Some(group.unwrap_or(start + 1));
        }
        let is_whole = self.is(at + 1, &["the", "our"]) && self.is(at + 2, &["whole", "entire"]);
        if is_whole && self.is(at, &["across", "in", "for", "on", "of", "among"]) {
            return self.group_noun(at + 3);
        }
        self.is(at, &["across"]).then(|| self.group(at + 1)).flatten()
    }

    fn group(self, at: usize) -> Option<usize> {
        self.is(at, &["the", "our"]).then(|| self.group_noun(at + 1)).flatten()
    }

    /// Parses a noun for all users, or for the only group of its kind.
    fn group_noun(self, at: usize) -> Option<usize> {
        let word = self.list.get(at).filter(|word| word.class.is_none() && !word.is_possessive)?;
        let is_named = |name: &Vec<u32>| word.stems.iter().any(|stem| name.contains(stem));
        let labels = self.vocabulary.labels.iter().enumerate();
        let named: Vec<usize> =
            labels.filter(|(_, label)| label.words.iter().any(is_named)).map(|(label, _)| label).collect();
        let is_all = |label: &usize| {
            let is_whole_name = self.vocabulary.labels[*label].words.len() == 1;
            Some(*label) == self.asker || (is_whole_name && self.vocabulary.is_only(*label))
        };
        let is_group =
            if named.is_empty() { says(&word.norm, Asking::Group) } else { named.iter().any(is_all) };
        is_group.then_some(at + 1)
    }
}
