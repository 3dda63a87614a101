//! Resolves phrases such as "that project" and "the city", and questions that name nothing.

use std::ops::Range;

use crate::memory::irregular::is_verb_form;

use super::{
    anaphor::Anaphor,
    exchange::Referent,
    focus::Candidate,
    lexicon::{Sort, is_person_noun},
    profile::{Weighed, is_agent},
    resolve::{Choice, FITS_WELL, Resolver},
};

/// The weight of a noun that fits: "that project".
const FITS: f32 = 2.0;
/// The minimum fit between a noun and a candidate.
const FITS_LEAST: f32 = 0.4;
/// A question without a name refers to a candidate if passages about it cover at least this share of the question.
const BRIDGES: f32 = 0.5;
/// How many turns back such a question may refer.
const BRIDGES_BACK: usize = 6;

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
        if !points && (is_named || has_other_slots || followed_by_of) {
            return None;
        }
        let mut best: Option<(usize, usize, f32, f32)> = None;
        for noun in nouns.clone() {
            let word = self.said.word(noun).to_owned();
            let personal = is_agent(&word) || is_person_noun(&word);
            let scored = self.scored(anaphor, |known, salience| {
                let fits = known.fits(self.reader, &word);
                let fits =
                    if personal && known.is_person() == Some(false) && fits < 1.0 { 0.0 } else { fits };
                let support = known.support(self.reader, &self.asked);
                (fits >= FITS_LEAST).then_some(FITS * fits + 0.6 * salience + 0.8 * support)
            });
            if let Some(&(at, score)) = scored.first()
                && best.is_none_or(|(_, _, _, known)| score >= known)
            {
                best = Some((noun, at, self.known[at].fits(self.reader, &word), score));
            }
        }
        let least = if points { FITS_LEAST } else { FITS_WELL };
        if let Some((noun, at, _, _)) = best.filter(|(_, _, fits, _)| *fits >= least) {
            let mut choice = Choice::one(self.candidates[at].referent.clone(), self.because(at, anaphor));
            choice.tokens = Some(anaphor.tokens.start..noun + 1);
            choice.prefix = prefix(self.said.word(noun), &choice.referents[0].name);
            return Some(choice);
        }
        if !points {
            return None;
        }
        // No candidate fits the noun, or there is none, as in "when was that built?": take the most salient
        // candidate.
        let first = self.said.word(nouns.start);
        let is_verb = is_verb_form(first) || first.ends_with("ed") || first.ends_with("ing");
        let personal = is_agent(first) || is_person_noun(first);
        let scored = self.scored(anaphor, |known, salience| {
            let agrees = if personal {
                known.agrees(Sort::Man).max(known.agrees(Sort::Woman))
            } else {
                known.agrees(Sort::Thing)
            };
            (agrees > 0.0).then(|| salience * agrees + self.supported(known, salience))
        });
        let (at, _) = *scored.first()?;
        let mut choice = Choice::one(self.candidates[at].referent.clone(), self.because(at, anaphor));
        let end = if is_verb { anaphor.tokens.start + 1 } else { nouns.start + 1 };
        choice.tokens = Some(anaphor.tokens.start..end);
        if !is_verb {
            choice.prefix = prefix(first, &choice.referents[0].name);
        }
        Some(choice)
    }

    /// The referent of a question without a name: a candidate whose passages cover most of the question, if no other
    /// passage covers much more of it.
    pub(crate) fn bridged(&self, asked: &[Weighed], elsewhere: f32) -> Option<(Referent, String)> {
        let supports = self
            .candidates
            .iter()
            .zip(&self.known)
            .filter(|(candidate, _)| candidate.last < BRIDGES_BACK && candidate.salience > 0.0);
        let mut scored: Vec<(f32, f32, &Candidate)> = supports
            .map(|(candidate, known)| {
                let support = known.support(self.reader, asked);
                (support + 0.5 * candidate.salience, support, candidate)
            })
            .filter(|(_, support, _)| *support >= BRIDGES && *support + 0.1 >= elsewhere)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.referent.name.cmp(&b.2.referent.name)));
        let (_, _, candidate) = scored.first()?;
        Some((
            candidate.referent.clone(),
            format!("{}, and passages about it speak of this", candidate.because),
        ))
    }
}

/// The noun to put before a name that does not contain it.
fn prefix(noun: &str, name: &str) -> String {
    let says = name.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == noun);
    if says { String::new() } else { format!("the {noun} ") }
}
