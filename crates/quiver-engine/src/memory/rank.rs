//! Ranks chains of facts by how well they match the question and whether they end in the kind of value it asks for.

use quiver_language::recall::{self, Recall};

use super::{
    agreement::Agreement,
    asked::Asked,
    end::{End, Nodes},
    known::MemoryFact,
    lexicon::Wanted,
    shape::Shape,
    words::{Word, agreement},
};

/// Cost of each fact before the last one of a chain. A longer chain must cover more of the question to pay for it.
const HOP_COST: f32 = 0.07;
/// The same cost if the question contains a relative clause and so calls for a join.
const NESTED_COST: f32 = 0.03;
/// Cost of a single fact that answers a question with a relative clause.
const UNJOINED_COST: f32 = 0.05;
/// The same cost as `HOP_COST` for a fact that equates two names.
const ALIAS_COST: f32 = 0.015;
/// Credit for words of the question that no fact contains: they may paraphrase a predicate that shares no word with
/// the question.
const GUESS_SHARE: f32 = 0.12;
/// Weight of the fit between the answer's shape and the kind of value asked for.
const SHAPE_SHARE: f32 = 0.18;
const KIND_SHARE: f32 = 0.15;
/// Cost of an answer that the question describes, since it can't be what the question asks for.
const DESCRIBED_COST: f32 = 0.12;
/// Bonus for a single fact whose predicate contains a word of the question.
const PREDICATE_SHARE: f32 = 0.05;
/// Cost of a chain that does not contain the attribute asked for.
const ATTRIBUTE_COST: f32 = 0.15;
/// Agreement credited for a name that the fact omits because it is the topic of the session.
const TOPIC_SHARE: f32 = 0.5;
/// Cost of a chain that matches the names of the question but none of its other words.
const NAMES_ONLY_COST: f32 = 0.16;
/// Number of chains extended per step.
const BEAM: usize = 48;

/// A chain of facts, each sharing an end with the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The facts, as indexes into the pool.
    pub(crate) facts: Vec<usize>,
    /// The end of the last fact that gives the answer.
    pub(crate) end: End,
    pub(crate) score: f32,
    /// The weighted share of the question that the chain covers.
    pub(crate) coverage: f32,
    /// Whether a name of the question is missing from the chain.
    pub(crate) misses_name: bool,
    /// Whether the chain ends in the kind of value asked for.
    pub(crate) fits: bool,
}

/// Builds chains from a pool of facts.
pub(crate) struct Ranker<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) facts: &'a [MemoryFact],
    pub(crate) agreements: &'a [Agreement],
    /// Which facts may be used.
    pub(crate) usable: &'a [bool],
    pub(crate) facts_max: usize,
    /// For each term, whether it is a name that facts of the session contain.
    pub(crate) topical: &'a [bool],
}

impl Ranker<'_> {
    /// All answer chains within the beam, best first.
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

    /// Extends a chain by each fact that joins its end.
    fn longer<'s>(&'s self, chain: &'s Chain, by: &'s Nodes) -> impl Iterator<Item = Chain> + 's {
        let at = *chain.facts.last().expect("a chain has a fact");
        let short = self.short(at, chain.end);
        let turn = Some(self.turn(at)).filter(|_| self.facts[at].is_found());
        // An end of stop words only, such as "we", occurs in many facts and joins nothing.
        let name = if chain.end == End::Object {
            &self.facts[at].words.object
        } else {
            &self.facts[at].words.subject
        };
        let node = Some(self.node(at, chain.end)).filter(|_| name.iter().any(|word| !word.is_stop));
        let names = [node, short[0], short[1], turn, self.last(at, chain.end)];
        let named = names.into_iter().flatten().flat_map(|node| by.named.get(&node).into_iter().flatten());
        let mentioned = self.mentioned(at).filter_map(|node| by.full.get(&node)).flatten();
        let next =
            named.chain(node.and_then(|node| by.last.get(&node)).into_iter().flatten()).chain(mentioned);
        next.filter(|(fact, _)| !chain.facts.contains(fact)).filter_map(move |(fact, end)| {
            let other = end.other();
            let far = self.node(*fact, other);
            let circle = chain
                .facts
                .iter()
                .any(|at| self.node(*at, End::Subject) == far || self.node(*at, End::Object) == far);
            // Facts of the same sentence are joined only if they share a name: each is shown with that sentence
            // anyway.
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
        let mut unsaid = 0.0;
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
            if term.is_name && share < TOPIC_SHARE && self.topical[at] && self.is_of_topic(last) {
                share = TOPIC_SHARE;
            }
            misses_name |= term.is_name && share < 0.4;
            if self.asked.attribute == Some(at) && term.weight >= 1.0 && share == 0.0 {
                unsaid = ATTRIBUTE_COST;
            }
            covered += term.weight * share;
            if share == 0.0 && !term.is_name && !term.is_kind {
                missed += term.weight;
            }
        }
        // An alias barely counts as a step.
        let (last_fact, before) = facts.split_last().expect("a chain has a fact");
        let unjoined = if self.asked.is_nested && before.is_empty() { UNJOINED_COST } else { 0.0 };
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
        let fits = self.asked.wanted.map_or(1.0, |wanted| self.fits(last, end, wanted));
        let shape = if self.asked.wanted.is_some() { fits * SHAPE_SHARE } else { 0.0 };
        let described = if self.is_described(answer) { DESCRIBED_COST } else { 0.0 };
        let detour = self.detour(&facts);
        // A chain that contains only the names in the question does not answer it.
        let says = |term: usize| facts.iter().any(|fact| self.agreements[*fact].best(term) >= 0.5);
        let mut content = self.asked.content().peekable();
        let silent = content.peek().is_some() && !content.any(says);
        let silent = if silent { NAMES_ONLY_COST } else { 0.0 };
        let alone = facts.len() == 1 && !self.asked.is_nested;
        let predicate = if alone && self.says_predicate(last) { PREDICATE_SHARE } else { 0.0 };
        Chain {
            score: coverage + shape + kind_bonus - hops - described - detour - silent - unjoined - unsaid
                + predicate,
            facts,
            end,
            coverage,
            misses_name,
            fits: fits > 0.0,
        }
    }

    /// How well the other end of a fact agrees with a term, if that end is the name of an attribute, as in "the
    /// severity is high".
    fn attribute(&self, fact: usize, end: End, term: usize) -> f32 {
        let words = &self.facts[fact].words;
        let (name, says) = match end {
            End::Object => (&words.subject, self.agreements[fact].subject[term]),
            End::Subject => (&words.object, self.agreements[fact].object[term]),
        };
        if name.iter().any(|word| word.is_name) { 0.0 } else { says }
    }

    /// Whether a fact gives an attribute that is asked for without saying of what: in a session about one incident,
    /// "the root cause" is the root cause of that incident.
    fn is_of_topic(&self, fact: usize) -> bool {
        let known = &self.facts[fact];
        let terms = || self.asked.terms.iter().filter(|term| !term.is_name);
        let is_asked = |word: &Word| terms().any(|term| agreement(&term.words[0], word) >= 0.8);
        let mut name = known.words.subject.iter().filter(|word| !word.is_stop).peekable();
        name.peek().is_some()
            && known.session() == self.asked.session.as_deref()
            && name.all(|word| is_asked(word) && !word.lower.contains(|c: char| c.is_numeric()))
    }

    /// Whether the predicate of a fact contains a content word of the question.
    pub(crate) fn says_predicate(&self, fact: usize) -> bool {
        let terms = self.asked.terms.iter().zip(&self.agreements[fact].predicate);
        terms.into_iter().any(|(term, says)| *says >= 0.8 && term.weight >= 0.9 && !term.is_name)
    }

    /// Whether the end of a chain contains a word that the question uses to describe something else: "the job that
    /// feeds the table" does not answer who owns that job.
    fn is_described(&self, answer: &[f32]) -> bool {
        let terms = self.asked.terms.iter().zip(answer);
        !self.asked.is_polar && terms.into_iter().any(|(term, says)| !term.may_answer && *says >= 0.8)
    }

    fn fits(&self, fact: usize, end: End, wanted: Wanted) -> f32 {
        let known = &self.facts[fact];
        let mut fits = Shape::fits(known.name_at(end), wanted);
        let predicate = &known.words.predicate;
        if wanted == Wanted::Reason {
            let mut said = predicate.iter().chain(&known.words.clause);
            return f32::from(u8::from(said.any(|word| recall::says(&word.lower, Recall::Reason))));
        }
        let last = predicate.last().map_or("", |word| &*word.lower);
        match wanted {
            Wanted::Place
                if end == End::Object && matches!(last, "in" | "at" | "on" | "from" | "to" | "near") =>
            {
                fits += 0.5;
            }
            // A company may be written like an identifier.
            Wanted::Person if known.is_done_by(end) => fits = (fits + 0.15).max(0.3),
            _ => {}
        }
        fits.min(1.0)
    }

    /// Whether a chain ends in something that the question does not name itself.
    fn is_answer(&self, chain: &Chain) -> bool {
        if self.asked.is_polar {
            return true;
        }
        let last = *chain.facts.last().expect("a chain has a fact");
        let known = &self.facts[last];
        let words = known.words.at(chain.end);
        !self.is_named(words) && !known.is_merge()
    }

    /// Whether the question names an entity: by all words of its name, or by a proper name in it.
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
        // "Ticket_4471" and "Ticket_4472" share a word; only the number distinguishes them, so all words must match.
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

/// Sorts chains by descending score, then by length, then by the latest last fact, then by end.
fn sort(facts: &[MemoryFact], chains: &mut [Chain]) {
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
