//! Ranking: chains of facts that together agree with the question, and end in what it asks for.

use std::collections::HashMap;

use super::{
    asked::Asked,
    known::Known,
    lexicon::{self, Wanted},
    shape::Shape,
    words::{Word, agreement},
};

/// What each further fact of a chain costs: it has to say more of the question than this.
const HOP_COST: f32 = 0.07;
/// The same where the question describes something by a clause, and so asks for a join.
const NESTED_COST: f32 = 0.03;
/// The same for a fact that says that two names are of one thing.
const ALIAS_COST: f32 = 0.015;
/// What it costs where two facts call what they share by names of which one is short for the other.
const SHORT_COST: f32 = 0.04;
/// A word that no fact says may be another word for a predicate that the question does not say.
const GUESS_SHARE: f32 = 0.12;
/// How much an adjective after "is" says of a question for the state of something.
const STATE_SHARE: f32 = 0.8;
/// What it costs that two facts were said in one turn, and share nothing else.
const TURN_COST: f32 = 0.1;
/// How much a part of an identifier counts without the others.
const PART_SHARE: f32 = 0.3;
/// How much a word counts that only the sentence has, not the fact that was read from it.
const SENTENCE_SHARE: f32 = 0.7;
/// What it costs that facts are joined by what the question names: what stands before it leads nowhere.
const DETOUR_COST: f32 = 0.05;
/// How much it counts whether the end of a chain is the sort of value that is asked for.
const SHAPE_SHARE: f32 = 0.18;
const KIND_SHARE: f32 = 0.15;
/// What it costs that the end of a chain is described in the question, and so is not what it asks for.
const DESCRIBED_COST: f32 = 0.12;
/// How many chains are made longer at a time.
const BEAM: usize = 48;

/// The end of a fact that a chain ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Object,
    Subject,
}

/// A chain of facts, each sharing an end with the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The facts, as indexes into the pool.
    pub(crate) facts: Vec<usize>,
    /// The end of the last fact that answers.
    pub(crate) end: End,
    pub(crate) score: f32,
    /// The share of the question that the chain says.
    pub(crate) coverage: f32,
    /// Whether a name of the question is not in it.
    pub(crate) misses_name: bool,
}

/// How well each part of a fact agrees with each word of the question.
pub(crate) struct Agreement {
    subject: Vec<f32>,
    predicate: Vec<f32>,
    object: Vec<f32>,
    text: Vec<f32>,
}

impl Agreement {
    pub(crate) fn of(asked: &Asked, fact: &Known) -> Self {
        let with = |words: &[Word]| -> Vec<f32> {
            let mut agreement: Vec<f32> = asked.terms.iter().map(|term| best(&term.words, words)).collect();
            for (number, identifier) in &asked.identifiers {
                if !has_run(words, identifier) {
                    let parts = asked.terms.iter().zip(&mut agreement);
                    let parts = parts.filter(|(term, _)| term.identifier == Some(*number));
                    parts.for_each(|(_, agreement)| *agreement = agreement.min(PART_SHARE));
                }
            }
            agreement
        };
        let words = &fact.words;
        let (subject, object) = (with(&words.subject), with(&words.object));
        let mut predicate = with(&words.predicate);
        if fact.is_state() {
            for (term, says) in asked.terms.iter().zip(&mut predicate) {
                if lexicon::STATES.contains(&&*term.words[0].lower) {
                    *says = says.max(STATE_SHARE);
                }
            }
        }
        Self { subject, predicate, object, text: with(&words.text) }
    }

    fn best(&self, term: usize) -> f32 {
        let direct = self.subject[term].max(self.predicate[term]).max(self.object[term]);
        direct.max(self.text[term] * SENTENCE_SHARE)
    }

    /// How well the fact agrees with a word of the question.
    pub(crate) fn term(&self, term: usize) -> f32 {
        self.best(term)
    }

    fn of_end(&self, end: End) -> &[f32] {
        match end {
            End::Subject => &self.subject,
            End::Object => &self.object,
        }
    }

    /// The best that a chain of this fact alone could cover.
    pub(crate) fn coverage(&self, asked: &Asked) -> f32 {
        let covered: f32 = asked.terms.iter().enumerate().map(|(at, term)| term.weight * self.best(at)).sum();
        covered / asked.weight().max(f32::EPSILON)
    }
}

/// Whether an identifier stands in a text, word for word.
fn has_run(words: &[Word], identifier: &[Word]) -> bool {
    words.windows(identifier.len()).any(|run| run.iter().zip(identifier).all(|(a, b)| agreement(a, b) >= 0.5))
}

fn best(asked: &[Word], words: &[Word]) -> f32 {
    let mut best: f32 = 0.0;
    for a in asked {
        for b in words {
            best = best.max(agreement(a, b));
            if best >= 1.0 {
                return best;
            }
        }
    }
    best
}

/// The facts that have a thing at an end, by what it is called.
#[derive(Default)]
struct Nodes {
    named: HashMap<u64, Vec<(usize, End)>>,
    last: HashMap<u64, Vec<(usize, End)>>,
}

/// A pool of facts to make chains of.
pub(crate) struct Ranker<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) facts: &'a [Known],
    pub(crate) agreements: &'a [Agreement],
    /// Which facts may be used.
    pub(crate) usable: &'a [bool],
    pub(crate) facts_max: usize,
}

impl Ranker<'_> {
    /// All chains worth looking at, best first.
    pub(crate) fn chains(&self) -> Vec<Chain> {
        let nodes = self.nodes();
        let mut all: Vec<Chain> = Vec::new();
        let mut last: Vec<Chain> = (0..self.facts.len())
            .filter(|at| self.usable[*at])
            .flat_map(|at| [End::Object, End::Subject].map(|end| self.chain(vec![at], end)))
            .collect();
        for length in 1..=self.facts_max {
            sort(self.facts, &mut last);
            last.truncate(BEAM);
            all.extend(last.iter().filter(|chain| self.is_answer(chain)).cloned());
            if length == self.facts_max {
                break;
            }
            last = last.iter().flat_map(|chain| self.longer(chain, &nodes)).collect();
        }
        sort(self.facts, &mut all);
        all
    }

    fn node(&self, fact: usize, end: End) -> u64 {
        let words = &self.facts[fact].words;
        match end {
            End::Subject => words.subject_node,
            End::Object => words.object_node,
        }
    }

    /// What else an end is called: without common nouns beside a name, "Gold" for Gold customers; and where the fact was
    /// read from text, by its noun alone, "the cache" for a tile cache.
    fn short(&self, fact: usize, end: End) -> [Option<u64>; 2] {
        let known = &self.facts[fact];
        let words = &known.words;
        let (node, bare, short) = match end {
            End::Subject => (words.subject_node, words.subject_bare, words.subject_short),
            End::Object => (words.object_node, words.object_bare, words.object_short),
        };
        let name = if end == End::Object { &words.object } else { &words.subject };
        let is_named = name.iter().any(|word| word.is_name && !word.lower.contains(|c: char| c.is_numeric()));
        [Some(bare).filter(|bare| *bare != node), short.filter(|_| known.is_found() || is_named)]
    }

    fn turn(&self, fact: usize) -> u64 {
        self.facts[fact].words.turn
    }

    /// What an end may be called without its first word.
    fn last(&self, fact: usize, end: End) -> Option<u64> {
        let known = &self.facts[fact];
        let last = if end == End::Object { known.words.object_last } else { known.words.subject_last };
        last.filter(|_| known.is_found())
    }

    fn nodes(&self) -> Nodes {
        let mut nodes = Nodes::default();
        for at in (0..self.facts.len()).filter(|at| self.usable[*at]) {
            for end in [End::Object, End::Subject] {
                let short = self.short(at, end).into_iter().flatten();
                // What is said in one breath is about one thing, even if nothing in the words says so.
                for node in short.chain([self.node(at, end), self.turn(at)]) {
                    nodes.named.entry(node).or_default().push((at, end));
                }
                if let Some(last) = self.last(at, end) {
                    nodes.last.entry(last).or_default().push((at, end));
                }
            }
        }
        nodes
    }

    /// The chains that go on from where this one ends.
    fn longer<'s>(&'s self, chain: &'s Chain, by: &'s Nodes) -> impl Iterator<Item = Chain> + 's {
        let at = *chain.facts.last().expect("a chain has a fact");
        let short = self.short(at, chain.end);
        let turn = Some(self.turn(at)).filter(|_| self.facts[at].is_found());
        // "We" are in every other fact, and join nothing.
        let name = if chain.end == End::Object {
            &self.facts[at].words.object
        } else {
            &self.facts[at].words.subject
        };
        let node = Some(self.node(at, chain.end)).filter(|_| name.iter().any(|word| !word.is_stop));
        let names = [node, short[0], short[1], turn, self.last(at, chain.end)];
        let named = names.into_iter().flatten().flat_map(|node| by.named.get(&node).into_iter().flatten());
        let next = named.chain(node.and_then(|node| by.last.get(&node)).into_iter().flatten());
        next.filter(|(fact, _)| !chain.facts.contains(fact)).filter_map(move |(fact, end)| {
            let other = if *end == End::Object { End::Subject } else { End::Object };
            let far = self.node(*fact, other);
            let circle = chain
                .facts
                .iter()
                .any(|at| self.node(*at, End::Subject) == far || self.node(*at, End::Object) == far);
            // One sentence is shown whole as it is; joined with itself it says no more.
            let joined =
                self.shares(at, *fact) || self.facts[at].relation.text != self.facts[*fact].relation.text;
            if circle || !joined {
                return None;
            }
            let mut facts = chain.facts.clone();
            facts.push(*fact);
            Some(self.chain(facts, other))
        })
    }

    fn chain(&self, facts: Vec<usize>, end: End) -> Chain {
        let last = *facts.last().expect("a chain has a fact");
        let answer = self.agreements[last].of_end(end);
        let mut covered = 0.0;
        let mut misses_name = false;
        let mut kind_bonus = 0.0;
        let mut missed = 0.0;
        for (at, term) in self.asked.terms.iter().enumerate() {
            let mut share = facts.iter().map(|fact| self.agreements[*fact].best(at)).fold(0.0, f32::max);
            if term.is_kind {
                let says =
                    answer[at].max(self.agreements[last].predicate[at]).max(self.attribute(last, end, at));
                if says >= 0.5 {
                    kind_bonus = KIND_SHARE * says;
                } else {
                    share *= 0.7;
                }
            }
            misses_name |= term.is_name && share < 0.4;
            covered += term.weight * share;
            if share == 0.0 && !term.is_name && !term.is_kind {
                missed += term.weight;
            }
        }
        // That two names are of one thing is hardly a step of its own.
        let (last_fact, before) = facts.split_last().expect("a chain has a fact");
        let hop = if self.asked.is_nested { NESTED_COST } else { HOP_COST };
        let cost = |fact: &usize| if self.facts[*fact].is_alias() { ALIAS_COST } else { hop };
        let hops: f32 = before.iter().map(cost).sum::<f32>() + self.shortened(&facts);
        let is_identity = self.facts[*last_fact].is_alias();
        if missed > 0.0
            && !is_identity
            && self.agreements[*last_fact].predicate.iter().all(|says| *says < 0.5)
        {
            covered += GUESS_SHARE * missed.min(1.0);
        }
        let coverage = covered / self.asked.weight().max(f32::EPSILON);
        let shape = self.asked.wanted.map_or(0.0, |wanted| self.fits(last, end, wanted) * SHAPE_SHARE);
        let described = if self.is_described(answer) { DESCRIBED_COST } else { 0.0 };
        let detour = if self.is_detour(&facts) { DETOUR_COST } else { 0.0 };
        Chain {
            score: coverage + shape + kind_bonus - hops - described - detour,
            facts,
            end,
            coverage,
            misses_name,
        }
    }

    /// Whether a chain goes through what the question names by name.
    fn is_detour(&self, facts: &[usize]) -> bool {
        facts.windows(2).any(|pair| {
            let ends = |fact: usize| [End::Subject, End::Object].map(|end| (self.node(fact, end), end));
            let shared = ends(pair[0])
                .into_iter()
                .find(|(node, _)| ends(pair[1]).iter().any(|(other, _)| other == node));
            shared.is_some_and(|(_, end)| {
                let says = self.agreements[pair[0]].of_end(end);
                let names = self.asked.terms.iter().zip(says).filter(|(term, _)| term.is_name);
                names.filter(|(_, says)| **says >= 0.8).count() > 0
            })
        })
    }

    /// How well the other end of a fact agrees with a word, where it is the name of an attribute: "severity" of a value.
    fn attribute(&self, fact: usize, end: End, term: usize) -> f32 {
        let words = &self.facts[fact].words;
        let (name, says) = match end {
            End::Object => (&words.subject, self.agreements[fact].subject[term]),
            End::Subject => (&words.object, self.agreements[fact].object[term]),
        };
        if name.iter().any(|word| word.is_name) { 0.0 } else { says }
    }

    /// Whether a word of the question that is no name stands in the end of a chain: "the job that feeds the table" is no
    /// answer to who owns it.
    fn is_described(&self, answer: &[f32]) -> bool {
        let terms = self.asked.terms.iter().zip(answer);
        !self.asked.is_polar && terms.into_iter().any(|(term, says)| !term.may_answer && *says >= 0.8)
    }

    /// What it costs that facts of a chain call the thing they share differently, or share nothing but their turn.
    fn shortened(&self, facts: &[usize]) -> f32 {
        let ends = |fact: usize| [End::Subject, End::Object].map(|end| self.node(fact, end));
        let cost = |pair: &[usize]| {
            let (one, other) = (ends(pair[0]), ends(pair[1]));
            if one.iter().any(|node| other.contains(node)) {
                0.0
            } else if self.shares(pair[0], pair[1]) {
                SHORT_COST
            } else {
                TURN_COST
            }
        };
        facts.windows(2).map(cost).sum()
    }

    /// Whether two facts share a name, in full or in short.
    fn shares(&self, one: usize, other: usize) -> bool {
        let names = |fact: usize| {
            let ends = [End::Subject, End::Object];
            let short = ends.map(|end| self.short(fact, end)).into_iter().flatten().flatten();
            ends.map(|end| self.node(fact, end)).into_iter().chain(short).collect::<Vec<u64>>()
        };
        let last = |fact: usize| [End::Subject, End::Object].map(|end| self.last(fact, end));
        let (names_of_one, names_of_other) = (names(one), names(other));
        names_of_one.iter().any(|name| names_of_other.contains(name))
            || last(one).into_iter().flatten().any(|last| names_of_other.contains(&last))
            || last(other).into_iter().flatten().any(|last| names_of_one.contains(&last))
    }

    fn fits(&self, fact: usize, end: End, wanted: Wanted) -> f32 {
        let known = &self.facts[fact];
        let name = if end == End::Object { known.object() } else { known.subject() };
        let mut fits = Shape::fits(name, wanted);
        let predicate = &known.words.predicate;
        if wanted == Wanted::Reason {
            let mut said = predicate.iter().chain(&known.words.clause);
            return f32::from(u8::from(said.any(|word| lexicon::REASONS.contains(&&*word.lower))));
        }
        let last = predicate.last().map_or("", |word| &*word.lower);
        match wanted {
            Wanted::Place
                if end == End::Object && matches!(last, "in" | "at" | "on" | "from" | "to" | "near") =>
            {
                fits += 0.5;
            }
            Wanted::Person if end == End::Object && last == "by" => fits += 0.15,
            _ => {}
        }
        fits.min(1.0)
    }

    /// Whether a chain ends in something that the question does not name already.
    fn is_answer(&self, chain: &Chain) -> bool {
        if self.asked.is_polar {
            return true;
        }
        let last = *chain.facts.last().expect("a chain has a fact");
        let known = &self.facts[last];
        let words = if chain.end == End::Object { &known.words.object } else { &known.words.subject };
        !self.is_named(words) && !known.is_merge()
    }

    /// Whether the question names this: a name of its own in it, or all of its words.
    pub(crate) fn is_named(&self, name: &[Word]) -> bool {
        let said: Vec<&Word> = name.iter().filter(|word| !word.is_stop).collect();
        if said.is_empty() {
            return false;
        }
        let named = |word: &&&Word| {
            self.asked
                .terms
                .iter()
                .any(|term| agreement(&term.words[0], word) >= 0.8 && !(term.is_kind && said.len() == 1))
        };
        let distinctive: Vec<&&Word> = said.iter().filter(|word| word.is_name).collect();
        let all = said.iter().filter(named).count() == said.len();
        // "Ticket_4471" and "Ticket_4472" share a word; what tells them apart has to be said.
        let has_number = distinctive.iter().any(|word| word.lower.contains(|c: char| c.is_numeric()));
        let by_name = !has_number
            && self.asked.terms.iter().any(|term| {
                term.is_name
                    && !term.is_kind
                    && distinctive.iter().any(|word| agreement(&term.words[0], word) >= 1.0)
            });
        all || by_name
    }
}

/// Best first; then the shorter; then what was said last; then by id.
fn sort(facts: &[Known], chains: &mut [Chain]) {
    let order = |chain: &Chain| {
        let last = *chain.facts.last().expect("a chain has a fact");
        facts[last].order()
    };
    chains.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.facts.len().cmp(&b.facts.len()))
            .then_with(|| order(b).cmp(&order(a)))
            .then(a.end.cmp(&b.end))
    });
}
