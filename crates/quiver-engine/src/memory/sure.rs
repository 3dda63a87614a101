//! Certainty: whether supplied facts answer a question, or are only the nearest ones.

use quiver_answer::has_format;
use quiver_language::{
    Class, Language,
    talk::{self, Talk},
    word::verbs,
};
use quiver_models::Lexical;

use super::{
    agreement::Agreement,
    asked::Asked,
    beside::{is_compound, is_light_verb, verb},
    direction::is_typed,
    end::End,
    known::MemoryFact,
    lexicon::Wanted,
    pool::FactPool,
    rank::Chain,
    shape::Shape,
    words::{Word, agreement},
};

/// Minimum agreement of a word of the question with a part of a fact that says it.
const SAID: f32 = 0.5;
/// Minimum agreement of two forms of one verb.
const SAME: f32 = 0.8;
/// Minimum weight of a word of the question that a fact must say.
const NEEDED: f32 = 0.8;
/// Minimum score of a chain of supplied facts whose end is the answer.
const SURE_SCORE: f32 = 0.7;
/// The same if the relation of its last fact says a content word of the question.
const SURE_SCORE_SAID: f32 = 0.6;

/// Whether the end of a chain is the answer. If not, its facts are shown, since they are the nearest ones, but they may be
/// about another property of what the question names, or about another thing. Chains of facts that were read from text
/// have rules of their own.
pub(super) fn is_sure(asked: &Asked, pool: &FactPool, chain: &Chain) -> bool {
    let candidate = Candidate { asked, pool, chain };
    let last = candidate.last();
    if candidate.repeats_closed() {
        return false;
    }
    if last.is_found() {
        return candidate.has_kind() && candidate.says_whose();
    }
    if is_typed(chain) {
        return asked.attribute.is_none_or(|attribute| candidate.is_said(attribute));
    }
    let is_single = chain.facts.len() == 1;
    candidate.says_enough()
        && candidate.says_all_needed()
        && candidate.has_kind()
        && !is_supposed(asked, last)
        && if is_single {
            !candidate.names_other_thing() && !is_reversed(asked, last, chain.end)
        } else {
            candidate.is_joined()
        }
}

/// A chain of supplied facts, and the question that it may answer.
struct Candidate<'a> {
    asked: &'a Asked,
    pool: &'a FactPool,
    chain: &'a Chain,
}

impl Candidate<'_> {
    fn last(&self) -> &MemoryFact {
        &self.pool.facts[self.chain.facts[self.chain.facts.len() - 1]]
    }

    fn agreements(&self) -> impl DoubleEndedIterator<Item = &Agreement> {
        self.chain.facts.iter().map(|fact| &self.pool.agreements[*fact])
    }

    /// Whether a fact of the chain, or its sentence, says a term.
    fn is_said(&self, term: usize) -> bool {
        self.agreements().any(|says| says.best(term) >= SAID)
    }

    /// Whether the predicate of a fact says a word of the question.
    fn says_relation(&self, fact: usize) -> bool {
        let mut terms = self.asked.terms.iter().zip(&self.pool.agreements[fact].predicate);
        let mut said = self.asked.said.iter().filter(|word| !word.is_stop);
        terms.any(|(term, says)| *says >= SAID && !term.words[0].is_stop)
            || said.any(|word| states(&self.pool.facts[fact], word))
    }

    fn last_says_relation(&self) -> bool {
        self.chain.facts.last().is_some_and(|last| self.says_relation(*last))
    }

    /// Whether the last fact says the property that the question asks for by a noun: "temperature" in "what temperature".
    fn says_property(&self) -> bool {
        let Some(says) = self.agreements().next_back() else { return false };
        let mut terms = self.asked.terms.iter().enumerate();
        terms.any(|(at, term)| {
            (term.is_kind || self.asked.attribute == Some(at)) && says.predicate[at] >= SAID
        })
    }

    /// Whether the answer names the kind of thing that the question asks for: "rack 9" for "in which rack".
    fn names_kind(&self) -> bool {
        let Some(says) = self.agreements().next_back() else { return false };
        let mut terms = self.asked.terms.iter().zip(says.of_end(self.chain.end));
        terms.any(|(term, says)| term.is_kind && *says >= SAID)
    }

    /// Whether the question asks for yes or no, and the end of the chain is one of the things it names: "Does Ada manage Bo?" is
    /// not answered with "Ada".
    fn repeats_closed(&self) -> bool {
        let said = &self.asked.said;
        let is_closed = said.first().is_some_and(|first| {
            Language::English.class(&first.lower) == Some(Class::Auxiliary)
                && !said.iter().any(|word| &*word.lower == "or")
        });
        let mut end = self.last().words.at(self.chain.end).iter().filter(|word| !word.is_stop);
        is_closed && end.all(|word| said.iter().any(|asked| agreement(asked, word) >= SAME))
    }

    /// Whether the question names the relative, colleague or the like whom the last fact gives somebody, if it does: "Who is
    /// Ada?" is not answered with whose sister she is.
    fn says_whose(&self) -> bool {
        let last = self.last();
        let is_have = |word: &Word| matches!(&*word.lower, "has" | "have" | "had");
        let Some(says) = self.agreements().next_back() else { return false };
        let mut terms = self.asked.terms.iter().zip(&says.predicate);
        !last.words.predicate.first().is_some_and(is_have)
            || terms.any(|(term, says)| *says >= SAID && !is_have(&term.words[0]))
    }

    fn says_enough(&self) -> bool {
        self.chain.score >= SURE_SCORE || self.chain.score >= SURE_SCORE_SAID && self.last_says_relation()
    }

    /// Whether a term is a word of the question that a fact must say.
    fn is_needed(&self, term: usize) -> bool {
        let term = &self.asked.terms[term];
        term.weight >= NEEDED && !term.is_kind
    }

    /// Whether a term occurs at most in the sentence of a fact: another clause of it may say the word.
    fn is_unstated(&self, term: usize) -> bool {
        self.agreements().all(|says| says.itself(term) < SAID)
    }

    /// Whether the chain says every word of the question that matters. If it says the property that is asked for, a verb may
    /// be missing beside it ("What temperature does the freezer run at?"); in joined facts that say the relation, the noun
    /// for what joins them ("the customer that reported the ticket").
    fn says_all_needed(&self) -> bool {
        let verb = verb(self.asked);
        let is_single = self.chain.facts.len() == 1;
        if !self.last_says_relation() {
            let states_verb = !is_single || verb.is_none_or(|verb| !self.is_unstated(verb));
            return states_verb && self.missing().next().is_none();
        }
        let may_be_missing = |term: usize| {
            let word = &self.asked.terms[term].words[0];
            verbs(&word.lower).any(is_light_verb)
                || is_degree(self.asked, word)
                || verb == Some(term) && self.says_property()
        };
        self.missing().all(|term| may_be_missing(term) || !is_single && !self.asked.terms[term].is_name)
    }

    /// The terms that a fact must say and none does.
    fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.asked.terms.len()).filter(|term| self.is_needed(*term) && !self.is_said(*term))
    }

    /// Whether the answer is of the kind that the question asks for: a time for "when", somebody for "who". A fact without the
    /// relation that is asked for must say the kind: the bed for "Which bed is it in?".
    fn has_kind(&self) -> bool {
        let answer = self.chain.answer(self.pool);
        let fits = match self.asked.wanted {
            None => true,
            // An hour is a number: "opens at seven".
            Some(Wanted::Time) => self.chain.fits || Shape::of(answer) == Shape::Number,
            // "Printed by Bo" says nothing of a place.
            Some(Wanted::Place) => self.chain.fits && !self.last().is_done_by(self.chain.end),
            Some(_) => self.chain.fits,
        };
        let mut kinds = self.asked.terms.iter().enumerate().filter(|(_, term)| term.is_kind);
        fits && (self.last_says_relation() || kinds.all(|(kind, _)| self.is_said(kind)))
            && has_format(&Lexical::new(), &self.asked.text, answer)
    }

    /// Whether a single fact is about something whose name is only partly in the question, while its sentence has the rest of
    /// the question's words: "Who made the silver cup?", "The silver tray was made by Ilse, and a cup too".
    fn names_other_thing(&self) -> bool {
        let given = self.last().words.at(self.chain.end.other());
        let is_asked = |word: &Word| self.asked.said.iter().any(|said| agreement(said, word) >= SAID);
        let mut unstated =
            (0..self.asked.terms.len()).filter(|term| self.is_needed(*term) && self.is_unstated(*term));
        given.iter().any(|word| !word.is_stop && !is_asked(word)) && unstated.next().is_some()
    }

    /// Whether the facts lead from one to the next as the question asks: they share things, not only parts of names; the
    /// question says each relation, or what it leads to; and a question without a clause shares more than an object.
    fn is_joined(&self) -> bool {
        let FactPool { facts, agreements, .. } = self.pool;
        let leads = |pair: &[usize]| {
            let says_both = |term: usize| pair.iter().all(|fact| agreements[*fact].of_ends(term) >= SAID);
            let is_asked = facts[pair[0]].is_alias()
                || self.says_relation(pair[0])
                || self.asked.content().any(says_both);
            is_asked && facts[pair[0]].shares_thing(&facts[pair[1]])
        };
        (self.last_says_relation() || self.names_kind())
            && self.chain.facts.windows(2).all(leads)
            && (is_compound(self.asked)
                || !meets(self.pool, self.chain) && !is_reversed(self.asked, self.last(), self.chain.end))
    }
}

/// Whether the predicate of a fact has a word, in any form.
fn states(fact: &MemoryFact, word: &Word) -> bool {
    fact.words.predicate.iter().any(|other| !other.is_stop && agreement(word, other) >= SAME)
}

/// Whether a word of the question says to what degree: "full" in "how full".
fn is_degree(asked: &Asked, word: &Word) -> bool {
    asked.said.windows(2).any(|pair| &*pair[0].lower == "how" && pair[1].stem == word.stem)
}

/// Whether a fact states the verb of the question with its ends the other way round: "What did Ada lend to Bo?", "The
/// kiln was lent by Bo".
fn is_reversed(asked: &Asked, fact: &MemoryFact, end: End) -> bool {
    let said = &asked.said;
    let is_inverted = fact.words.relation.inverted;
    let is_passive = matches!(
        fact.words.predicate.first().map(|word| &*word.lower),
        Some("be" | "is" | "are" | "was" | "were" | "been")
    );
    let Some(auxiliary) =
        said.iter().position(|word| matches!(&*word.lower, "do" | "does" | "did" | "have" | "has" | "had"))
    else {
        // "Who covers for Ada?", "Ada covers for Bo".
        let is_of_agent =
            matches!(said.as_slice(), [who, verb, ..] if &*who.lower == "who" && states(fact, verb));
        return is_of_agent && !is_passive && !is_inverted && end == End::Object;
    };
    let Some(verb) = (auxiliary + 1..said.len()).find(|at| states(fact, &said[*at])) else { return false };
    let agent = &said[auxiliary + 1..verb];
    if agent.iter().any(|word| &*word.lower == "been") {
        return false;
    }
    let is_named = agent.iter().any(|word| !word.is_stop);
    // "The saw was lent to Bo" does not say who lent it.
    if is_passive && !is_inverted {
        return is_named;
    }
    let agent_end = if is_inverted { End::Object } else { End::Subject };
    let given = fact.words.at(agent_end);
    // Not by a title: "Dr Weiss" is not Dr Pike.
    let head = given.iter().rev().find(|word| !word.is_stop);
    let names_given = head.is_some_and(|head| agent.iter().any(|word| agreement(head, word) >= SAID));
    let is_speaker = fact
        .speaker()
        .is_some_and(|speaker| given.iter().any(|word| speaker.to_lowercase().contains(&*word.lower)));
    if is_named { end == agent_end || !names_given } else { is_inverted && end != agent_end && !is_speaker }
}

/// Whether a chain has two facts about the same object: nothing follows of Ann from what Bob does where both work.
fn meets(pool: &FactPool, chain: &Chain) -> bool {
    let object = |fact: usize| pool.facts[fact].relation.object;
    chain.facts.windows(2).any(|pair| object(pair[0]) == object(pair[1]))
}

/// Whether the predicate of a fact says that it is only wished or supposed, unless the question says so too: "would cost".
fn is_supposed(asked: &Asked, fact: &MemoryFact) -> bool {
    let supposes = |word: &&Word| {
        talk::says(&word.lower, Talk::Supposing)
            || verbs(&word.lower).any(|base| talk::says(base, Talk::Supposing))
    };
    let mut words = fact.words.predicate.iter().filter(supposes);
    words.any(|word| !asked.said.iter().any(|said| said.stem == word.stem))
}
