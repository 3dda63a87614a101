//! The verb of a clause, with its auxiliaries and its particle.

use quiver_language::{
    Class,
    statement::{Statement, says},
    word::is_verb,
};

use crate::relation::{PARTICLES, base, gerund_base, is_participle, is_third_person, lemma, third_person};

use super::phrase::Tokens;

/// What a clause says of the deed of its verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Holds,
    /// "Has been manning the tower", "has taken over cooking".
    Begins,
    /// "No longer", "has stopped".
    Ends,
}

/// The verb of a clause with its auxiliaries and its particle.
#[derive(Clone, Debug)]
pub(super) struct Verb {
    /// As it stands in a predicate: "locks up", or "locked up" after "is".
    pub(super) said: String,
    /// The auxiliary of a passive: "is", "was".
    pub(super) passive: Option<&'static str>,
    pub(super) is_past: bool,
    pub(super) is_progressive: bool,
    pub(super) phase: Phase,
    /// The position after it.
    pub(super) end: usize,
}

impl Verb {
    /// Whether it says that something has become another: "moved", "handed over".
    pub(super) fn is_change(&self) -> bool {
        self.said.split(' ').next().is_some_and(|verb| says(verb, Statement::Changing))
    }

    pub(super) fn of(said: String) -> Self {
        Self { said, passive: None, is_past: false, is_progressive: false, phase: Phase::Holds, end: 0 }
    }
}

impl Tokens<'_> {
    /// Whether a word may be a verb whose statement is about the world.
    fn states(&self, at: usize) -> bool {
        let Some(lower) = self.lower.get(at) else { return false };
        let is_plain = !self.is_marked(at) && lower.chars().all(char::is_alphabetic);
        let is_inner = says(&lemma(lower), Statement::Inner) && !self.is(at + 1, &["after"]);
        is_plain
            && (self.class(at).is_none()
                && !says(lower, Statement::Vague)
                && !says(lower, Statement::Generic)
                && !is_inner
                || self.gets_from(at))
    }

    /// "We get our compost from Hollow Lane": from whom somebody gets something is a fact.
    fn gets_from(&self, at: usize) -> bool {
        lemma(&self.lower[at]) == "get" && (at + 2..self.len()).any(|at| self.is(at, &["from"]))
    }

    /// A verb with the auxiliaries before it: "is led", "has been manning", "doesn't milk", "no longer runs".
    pub(super) fn auxiliary(&self, at: usize, is_change: bool) -> Option<Verb> {
        if self.is(at, &["no"]) && self.is(at + 1, &["longer"]) {
            return self.finite(at + 2).map(|verb| Verb { phase: Phase::Ends, ..verb });
        }
        let is_not = |at: usize| self.is(at, &["not"]);
        if self.is(at, &["doesn't", "don't"]) || self.is(at, &["does", "do"]) && is_not(at + 1) {
            let at = at + 1 + usize::from(is_not(at + 1));
            let said = third_person(self.lower.get(at).filter(|_| self.states(at))?);
            let ends = self.says_any_more(at) || is_change;
            return ends.then_some(self.with_particle(Verb {
                phase: Phase::Ends,
                end: at + 1,
                ..Verb::of(said)
            }));
        }
        if self.is(at, &["has", "have"]) {
            return self.perfect(self.after_adverbs(at + 1));
        }
        let passive = match &**self.lower.get(at)? {
            "is" | "are" => "is",
            "was" | "were" => "was",
            _ => return None,
        };
        let mut next = self.after_adverbs(at + 1);
        let ends = self.is(next, &["no"]) && self.is(next + 1, &["longer"]);
        next += if ends { 2 } else { 0 };
        let phase = if ends { Phase::Ends } else { Phase::Holds };
        let lower = self.lower.get(next).filter(|_| self.states(next))?;
        if lower.ends_with("ing") {
            let verb = Verb { is_progressive: true, phase, end: next + 1, ..Verb::of(ongoing(lower)) };
            return (passive == "is" && self.opens_object(next + 1)).then(|| self.with_particle(verb));
        }
        let verb = Verb { passive: Some(passive), phase, end: next + 1, ..Verb::of(lower.clone()) };
        is_participle(lower).then(|| self.with_particle(verb))
    }

    /// What follows "has": "been led", "been manning", "stopped giving", "taken over cooking", "switched".
    fn perfect(&self, at: usize) -> Option<Verb> {
        if self.is(at, &["been"]) {
            let next = self.after_adverbs(at + 1);
            let lower = self.lower.get(next).filter(|_| self.states(next))?;
            if lower.ends_with("ing") {
                return Some(self.with_particle(Verb { end: next + 1, ..Verb::of(ongoing(lower)) }));
            }
            let verb = Verb { passive: Some("has been"), end: next + 1, ..Verb::of(lower.clone()) };
            return is_participle(lower).then(|| self.with_particle(verb));
        }
        self.turning(at).or_else(|| {
            // "Has reported to Ann since May", "has not handled the lathe since her transfer".
            let is_since = (at..self.len()).any(|at| self.is(at, &["since"]));
            let is_denied = self.is(at, &["not"]);
            let at = at + usize::from(is_denied);
            let lower = self.lower.get(at).filter(|_| self.states(at) && (is_since || !is_denied))?;
            let phase = if is_denied { Phase::Ends } else { Phase::Holds };
            let verb = Verb { is_past: !is_since, phase, end: at + 1, ..Verb::of(lower.clone()) };
            is_participle(lower).then(|| self.with_particle(verb))
        })
    }

    /// A verb that says that a deed ends or begins, with the deed: "stopped giving", "gave up looking", "took over cooking".
    fn turning(&self, at: usize) -> Option<Verb> {
        let verb = lemma(self.lower.get(at)?);
        let (phase, next) = if says(&verb, Statement::Ceasing) {
            (Phase::Ends, at + 1)
        } else if verb == "give" && self.is(at + 1, &["up"]) {
            (Phase::Ends, at + 2)
        } else if verb == "take" && self.is(at + 1, &["over"]) {
            (Phase::Begins, at + 2)
        } else {
            return None;
        };
        let base = gerund_base(self.lower.get(next)?)?;
        Some(self.with_particle(Verb { phase, end: next + 1, ..Verb::of(third_person(&base)) }))
    }

    /// A verb without an auxiliary: "coaches", "cleaned", "we order".
    pub(super) fn finite(&self, at: usize) -> Option<Verb> {
        if let Some(verb) = self.turning(at) {
            return Some(verb);
        }
        let lower = self.lower.get(at).filter(|_| self.states(at))?;
        let is_plural = at == 1 && self.is(0, &["we"]);
        let is_present =
            if is_plural { is_verb(lower) && !is_participle(lower) } else { is_third_person(lower) };
        let is_past = !is_present && is_participle(lower) && is_verb(lower);
        let opens_object = || {
            let particle = usize::from(self.is(at + 1, PARTICLES));
            self.opens_object(at + 1 + particle)
        };
        if !(is_present || is_past) || base(lower).is_none() && !is_verb(lower) && !opens_object() {
            return None;
        }
        Some(self.with_particle(Verb { is_past, end: at + 1, ..Verb::of(lower.clone()) }))
    }

    /// Whether a word begins an object: a determiner or a name.
    fn opens_object(&self, at: usize) -> bool {
        self.class(at) == Some(Class::Determiner) || self.is_marked(at)
    }

    /// Adds the particle of a phrasal verb: "draws up the rota", "is locked up by Mirek", "looks after the archive".
    pub(super) fn with_particle(&self, mut verb: Verb) -> Verb {
        // "Is switched on by Saskia".
        let is_passive =
            verb.passive.is_some() && self.is_preposition(verb.end) && self.is(verb.end + 1, &["by"]);
        let is_particle = is_passive
            || self.is(verb.end, PARTICLES)
            || self.is(verb.end, &["over"]) && self.is(verb.end + 1, &["to"])
            || self.is(verb.end, &["after"]) && lemma(&verb.said) == "look";
        let goes_on = self.opens_object(verb.end + 1)
            || self.is_preposition(verb.end + 1)
            || verb.end + 1 == self.len() && verb.passive.is_some();
        if is_particle && goes_on {
            verb.said = format!("{} {}", verb.said, self.lower[verb.end]);
            verb.end += 1;
        }
        verb
    }

    fn says_any_more(&self, from: usize) -> bool {
        let any = |at: usize| {
            self.is(at, &["anymore"]) || self.is(at, &["any"]) && self.is(at + 1, &["more", "longer"])
        };
        (from..self.len()).any(any)
    }
}

/// The predicate of a deed that goes on: "guides" for "guiding"; "is towing" if the verb is not known.
fn ongoing(gerund: &str) -> String {
    gerund_base(gerund).map_or_else(|| format!("is {gerund}"), |base| third_person(&base))
}
