//! Resolves phrases such as "that project" and "the city".

use std::ops::Range;

use quiver_language::{
    token::words,
    word::{plural, stems},
};

use super::{
    anaphor::Anaphor,
    focus::ASKED_ABOUT,
    lexicon::{is_auxiliary, is_closed, is_connector, is_person_noun},
    link::name_words,
    profile::is_agent,
    resolve::{Choice, FITS_WELL, Resolver, is_name},
};

/// Weight of a fitting noun: "that project".
const FITS: f32 = 2.0;
/// Minimum fit between a noun and a candidate.
const FITS_LEAST: f32 = 0.4;

impl Resolver<'_> {
    /// Resolves "that project" or "the city" to the candidate that its noun fits best.
    pub(super) fn pointing(
        &self,
        anaphor: &Anaphor,
        nouns: &Range<usize>,
        points: bool,
        has_other_slots: bool,
    ) -> Option<Choice> {
        let is_named = self.named.iter().any(|named| named.referent(self.said).is_some());
        let followed_by_of = self.said.word(nouns.end) == "of" && !self.said.ends_after(nouns.end - 1);
        // "The preload flag" is not the flag mentioned before.
        let is_phrase = self.phrase_length(nouns) > 1;
        // "And the commander?" asks who that is.
        let is_fragment = (0..anaphor.tokens.start).all(|at| is_connector(self.said.word(at)))
            && anaphor.tokens.end == self.said.tokens.len();
        if !points && (is_named || has_other_slots || followed_by_of || is_phrase || is_fragment) {
            return None;
        }
        let mut best: Option<(usize, usize, f32, f32)> = None;
        for noun in nouns.start..nouns.start + self.phrase_length(nouns) {
            let word = self.said.word(noun).to_owned();
            let personal = is_agent(&word) || is_person_noun(&word);
            // "The laundries" are not one of them.
            let is_many = |name: &str| name_words(name).last().is_some_and(|last| plural(last) == word);
            let scored = self.scored(anaphor, |at, salience| {
                let known = &self.known[at];
                let fits = self.fit(at, &word);
                let fits =
                    if personal && known.is_person() == Some(false) && fits < 1.0 { 0.0 } else { fits };
                let support = known.support(self.reader, &self.asked);
                // "The contract" is not what is headed "Contract".
                let is_noun = |name: &str| matches!(&*name_words(name), [only] if *only == word);
                let is_another = !is_many(&known.referent.name) && !is_noun(&known.referent.name);
                (fits >= FITS_LEAST && is_another).then_some(FITS * fits + 0.6 * salience + 0.8 * support)
            });
            if let Some(&(at, score)) = scored.first()
                && best.is_none_or(|(_, _, _, known)| score >= known)
            {
                best = Some((noun, at, self.fit(at, &word), score));
            }
        }
        // "That project" may be said of what was asked about, if a passage has the noun beside it.
        let is_asked = |at: usize| self.candidates[at].because == ASKED_ABOUT && self.candidates[at].ago == 0;
        let is_fit = |at: usize, fits: f32| fits >= FITS_WELL || points && is_asked(at);
        if let Some((noun, at, _, _)) = best.filter(|(_, at, fits, _)| is_fit(*at, *fits)) {
            let at = self.phrase_around(at, self.said.word(noun)).unwrap_or(at);
            let mut choice = Choice::one(self.candidates[at].referent.clone(), self.because(at, anaphor));
            choice.tokens = Some(anaphor.tokens.start..noun + 1);
            choice.prefix = prefix(self.said.word(noun), &choice.referents[0].name);
            return Some(choice);
        }
        None
    }
}

impl Resolver<'_> {
    /// How well a noun fits a candidate, from 0 to 1. The kind of a phrase from a question is unknown, unless it has a
    /// name and the noun: "the Ostra survey" is a survey.
    fn fit(&self, at: usize, noun: &str) -> f32 {
        let candidate = &self.candidates[at];
        if !candidate.is_words() {
            return self.known[at].fits(self.reader, noun);
        }
        let is_of_kind = name_words(&candidate.referent.name).last().is_some_and(|last| last == noun);
        if is_of_kind && is_name(&candidate.referent.name) { 1.0 } else { 0.0 }
    }

    /// The phrase from a question that has a name and a noun for it: "the Ostra survey" for Ostra and "that survey".
    fn phrase_around(&self, at: usize, noun: &str) -> Option<usize> {
        let name = name_words(&self.candidates[at].referent.name);
        let has_name = |other: &usize| {
            let words = name_words(&self.candidates[*other].referent.name);
            self.candidates[*other].is_words() && words.starts_with(&name) && words.len() == name.len() + 1
        };
        (0..self.candidates.len()).filter(|other| self.fit(*other, noun) >= FITS_WELL).find(has_name)
    }

    /// Length of the noun phrase after an article, without the verb that an auxiliary before it requires.
    fn phrase_length(&self, nouns: &Range<usize>) -> usize {
        let auxiliary = nouns.start.checked_sub(2).map_or("", |at| self.said.word(at));
        let has_verb = is_auxiliary(auxiliary) && nouns.len() > 1 && {
            let after = self.said.word(nouns.end);
            self.said.ends_after(nouns.end - 1) || is_closed(after) && !is_auxiliary(after)
        };
        nouns.len() - usize::from(has_verb)
    }
}

/// The noun to put before a name that does not contain it.
fn prefix(noun: &str, name: &str) -> String {
    let own = stems(noun);
    let says = words(&name.to_lowercase()).any(|word| stems(word).iter().any(|stem| own.contains(stem)));
    if says { String::new() } else { format!("the {noun} ") }
}
