//! Questions of a known form. The answer is the requested end of the relations that the question follows;
//! other chains do not answer it.

use std::collections::BTreeSet;

use quiver_graph::{EntityId, RelationId};
use quiver_language::{
    predicate::{self, Predicate},
    statement::{self, Statement},
    word::related,
};
use quiver_memory::{
    asked::{Edge, End as Side, Step, Steps, follow, steps},
    relation,
};
use quiver_models::Lexical;

use super::{
    end::End,
    known::{MemoryFact, bare, node},
    merged::Merged,
    rank::Chain,
    words::{Word, agreement, words},
};

/// Score of a chain that matches every step of the question.
const TYPED: f32 = 4.0;
/// Whether a chain matches every step of the question.
pub(super) fn is_typed(chain: &Chain) -> bool {
    chain.score >= TYPED
}

/// The relation of somebody to what they took over.
const TAKEN_OVER: &str = "take over";

/// Minimum agreement between two words of names.
const ALIKE: f32 = 0.5;

/// A relation that a question follows from a named thing.
#[derive(Clone, Debug)]
pub(super) struct AskedOf {
    pub(super) step: Step,
    pub(super) name: Vec<Word>,
}

impl AskedOf {
    /// Whether an edge is the relation, and starts from something else.
    pub(super) fn is_of_other(&self, edge: &Edge, lexical: &Lexical) -> bool {
        let given = words(lexical, edge.at(self.step.asked.other()));
        self.step.goes_along(&edge.key) && !is_alike(&self.name, &given)
    }
}

/// A question as steps along relations, and the facts of a pool.
pub(super) struct Directed<'a> {
    pub(super) lexical: &'a Lexical,
    pub(super) facts: &'a [MemoryFact],
    pub(super) merged: &'a Merged,
    pub(super) holds: &'a [bool],
    steps: Steps,
    edges: Vec<Edge>,
}

impl<'a> Directed<'a> {
    /// Parses a question; `None` if it has no known form.
    pub(super) fn of(
        lexical: &'a Lexical,
        question: &str,
        facts: &'a [MemoryFact],
        merged: &'a Merged,
        holds: &'a [bool],
    ) -> Option<Self> {
        let edges: Vec<Edge> = facts.iter().map(edge).collect();
        let steps = steps(question)?;
        // "The service that merges the records" may be described in other words than those of a fact.
        let (_, before) = steps.steps.split_last()?;
        let is_description = |step: &Step| {
            relation::base(step.verb()).is_none() && !edges.iter().any(|edge| step.goes_along(&edge.key))
        };
        if before.iter().any(is_description) {
            return None;
        }
        Some(Self { lexical, facts, merged, holds, steps, edges })
    }

    /// The paths along some steps, matched by exact names, or else by partial names.
    fn paths(&self, steps: &Steps) -> Vec<Vec<usize>> {
        let exact = |asked: &str, name: &str, _: usize| {
            let (asked, name) = (words(self.lexical, asked), words(self.lexical, name));
            is_exact(&asked, &name) || self.merged.are_one(bare(&asked), bare(&name))
        };
        let alike = |asked: &str, name: &str, fact: usize| {
            let (words_asked, words_named) = (words(self.lexical, asked), words(self.lexical, name));
            exact(asked, name, fact)
                || is_alike(&words_asked, &words_named)
                || is_said_with(&words_asked, &words_named, &self.facts[fact])
        };
        let usable = |paths: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
            let holds =
                |path: &Vec<usize>| path.iter().all(|at| self.holds[*at] && !self.facts[*at].is_denied());
            paths.into_iter().filter(holds).filter(|path| self.says_also(path)).collect()
        };
        let found = usable(follow(steps, &self.edges, &exact));
        if found.is_empty() { usable(follow(steps, &self.edges, &alike)) } else { found }
    }

    /// Whether the sentences of a path contain what else the question says.
    fn says_also(&self, path: &[usize]) -> bool {
        let also = words(self.lexical, &self.steps.also);
        also.iter()
            .filter(|word| !word.is_stop)
            .all(|word| path.iter().any(|at| says(&self.facts[*at], word)))
    }

    /// The entities that the first steps reach, whose facts the next steps need.
    pub(super) fn reached(&self) -> BTreeSet<EntityId> {
        let mut reached = BTreeSet::new();
        for count in 1..self.steps.steps.len() {
            let first = Steps { steps: self.steps.steps[..count].to_vec(), ..self.steps.clone() };
            let asked = first.steps[count - 1].asked;
            for path in self.paths(&first) {
                let last = path[path.len() - 1];
                let relation = &self.facts[last].relation;
                let end = end_at(&self.edges[last], asked);
                reached.insert(if end == End::Object { relation.object } else { relation.subject });
            }
        }
        reached
    }

    /// The chains that match every step, latest first.
    fn typed(&self) -> Vec<Chain> {
        let last = self.steps.steps.last().expect("there is a step");
        let mut paths = self.paths(&self.steps);
        if paths.is_empty() {
            paths = self.taken_over();
        }
        let paths = paths.into_iter();
        let of_kind = paths.filter(|path| self.says_kind(&self.facts[path[path.len() - 1]]));
        let mut typed: Vec<Chain> = of_kind
            .map(|path| {
                let end = end_at(&self.edges[path[path.len() - 1]], last.asked);
                Chain { facts: path, end, score: TYPED, coverage: 1.0, misses_name: false, fits: true }
            })
            .collect();
        typed
            .sort_by_key(|chain| std::cmp::Reverse(chain.facts.last().map(|last| self.facts[*last].order())));
        typed
    }

    /// Who took a thing over, if nobody holds the relation to it any more that the question asks for: "Esteban no longer keeps
    /// the log. Hye-jin has taken over the log."
    fn taken_over(&self) -> Vec<Vec<usize>> {
        let [Step { asked: Side::Agent, .. }] = self.steps.steps.as_slice() else { return Vec::new() };
        let name = words(self.lexical, &self.steps.from);
        let is_of_thing = |edge: &Edge| is_exact(&name, &words(self.lexical, edge.at(Side::Patient)));
        let step = &self.steps.steps[0];
        let was_held = predicate::says(&step.relation, Predicate::Held)
            || self.edges.iter().any(|edge| step.goes_along(&edge.key) && is_of_thing(edge));
        let is_taken = |at: &usize| {
            let edge = &self.edges[*at];
            self.holds[*at] && edge.key.base == TAKEN_OVER && is_of_thing(edge)
        };
        let taken = (0..self.edges.len()).filter(is_taken).map(|at| vec![at]);
        if was_held { taken.collect() } else { Vec::new() }
    }

    /// Puts the chains that match the steps first, and removes those that answer from the wrong end or for another
    /// entity. Also returns whether the relation asked for is known, in which case only chains that match the steps
    /// can answer.
    pub(super) fn chains(&self, chains: Vec<Chain>) -> (Vec<Chain>, bool) {
        let mut typed = self.typed();
        let last = self.steps.steps.last().expect("there is a step");
        // One purchase that was read from text does not imply that another would have been.
        let tells = |(edge, fact): (&Edge, &MemoryFact)| {
            (last.goes_along(&edge.key) || last.is_of_other_noun(&edge.key)) && !fact.is_read_event()
        };
        let is_known = self.edges.iter().zip(self.facts).any(tells);
        // Facts from text that are joined in another way, or that state something else, still have to end with the relation
        // that is asked for, or a single one with related words if it is not known.
        let is_asked_for = is_known || self.steps.steps.len() > 1;
        let steps = &self.steps.steps;
        // Facts that state each relation of a question, and do not lead from one to the next, do not answer it.
        let are_known = steps.len() > 1
            && steps.iter().all(|step| self.edges.iter().any(|edge| step.goes_along(&edge.key)));
        let has_to_end = |chain: &Chain| typed.is_empty() && (is_asked_for || chain.facts.len() == 1);
        let ends_otherwise = |chain: &Chain| {
            let is_read = chain.facts.last().is_some_and(|last| {
                let last = &self.facts[*last];
                let is_change = is_change(last) && self.starts_from_named(chain);
                last.is_found() && (self.steps.steps.len() > 1 || !is_change)
            });
            is_read
                && has_to_end(chain)
                && (are_known || self.ends_with_another_step(chain) || !self.says_last(chain, is_known))
        };
        let rest: Vec<Chain> = chains
            .into_iter()
            .filter(|chain| {
                !self.is_wrong(chain)
                    && !ends_otherwise(chain)
                    && !typed.iter().any(|typed| typed.facts == chain.facts && typed.end == chain.end)
            })
            .collect();
        typed.extend(rest);
        (typed, is_known)
    }

    /// Whether the last fact of a chain states the last relation of the question. If several facts lead to it, or no fact
    /// states it, related words are enough.
    fn says_last(&self, chain: &Chain, is_known: bool) -> bool {
        let last = self.steps.steps.last().expect("there is a step");
        let key = &self.edges[chain.facts[chain.facts.len() - 1]].key;
        // Who learned the trade says nothing of whom it was learned from.
        if last.noun().is_some() && self.edges.iter().any(|edge| last.goes_along(&edge.key)) {
            return last.goes_along(key);
        }
        let verb = key.base.split(' ').next().unwrap_or_default();
        let is_related = !is_known || self.steps.steps.len() > 1;
        verb == last.verb() || is_related && related(verb) & related(last.verb()) != 0
    }

    /// Whether the last fact of a chain has the thing that the question names at the end that the question gives.
    fn starts_from_named(&self, chain: &Chain) -> bool {
        let last = self.steps.steps.last().expect("there is a step");
        let given = self.edges[chain.facts[chain.facts.len() - 1]].at(last.asked.other());
        let (asked, given) = (words(self.lexical, &self.steps.from), words(self.lexical, given));
        is_exact(&asked, &given)
            || is_alike(&asked, &given)
            || self.merged.are_one(bare(&asked), bare(&given))
    }

    /// Whether the last fact of a chain states the relation of an earlier step: who heads another hall does not belong to it.
    fn ends_with_another_step(&self, chain: &Chain) -> bool {
        let (last, before) = self.steps.steps.split_last().expect("there is a step");
        let key = &self.edges[chain.facts[chain.facts.len() - 1]].key;
        !last.goes_along(key) && before.iter().any(|step| step.goes_along(key))
    }

    /// The relation that the question follows from a name, if it is a single one.
    pub(super) fn asked_of(&self) -> Option<AskedOf> {
        let [step] = self.steps.steps.as_slice() else { return None };
        let name = words(self.lexical, &self.steps.from);
        let is_told_apart =
            name.iter().any(|word| word.is_name) || name.iter().filter(|word| !word.is_stop).count() > 1;
        is_told_apart.then(|| AskedOf { step: step.clone(), name })
    }

    /// The facts read from text that state the relation asked for, and not of the thing that the question names: what
    /// answers "Who taught Bruno?" is not whom Bruno taught.
    pub(super) fn of_others(&self, asked: &AskedOf) -> BTreeSet<RelationId> {
        let facts = self.edges.iter().zip(self.facts);
        let is_same = |edge: &Edge| {
            let given = words(self.lexical, edge.at(asked.step.asked.other()));
            self.merged.are_one(bare(&asked.name), bare(&given))
        };
        let of_other = facts.filter(|(edge, fact)| {
            fact.is_found() && asked.is_of_other(edge, self.lexical) && !is_same(edge)
        });
        of_other.map(|(_, fact)| fact.relation.id).collect()
    }

    fn is_wrong(&self, chain: &Chain) -> bool {
        let last = self.steps.steps.last().expect("there is a step");
        let fact = chain.facts[chain.facts.len() - 1];
        let edge = &self.edges[fact];
        if !last.goes_along(&edge.key) {
            // What "we meet in" is not when we meet.
            return self.facts[fact].is_found() && last.is_of_other_preposition(&edge.key);
        }
        let asked = words(self.lexical, &self.steps.from);
        let of_named = self.starts_from_named(chain);
        let other_end = chain.end != end_at(edge, last.asked);
        let single = self.steps.steps.len() == 1;
        let other_thing =
            single && chain.facts.len() == 1 && !of_named && !mentions(&asked, &self.facts[fact]);
        let back = !single && of_named;
        other_end || other_thing || back || !self.says_kind(&self.facts[fact])
    }

    /// Whether a fact contains the kind of thing asked for, if the question names no entity: "which cloud provider do
    /// we use".
    fn says_kind(&self, fact: &MemoryFact) -> bool {
        let Some(kind) = &self.steps.kind else { return true };
        if !matches!(self.steps.from.to_lowercase().as_str(), "we" | "i" | "you" | "they" | "us" | "it") {
            return true;
        }
        let said = |word: &Word| {
            let words = &fact.words;
            words.text.iter().chain(&words.predicate).any(|other| other.stem == word.stem)
        };
        words(self.lexical, kind).iter().filter(|word| !word.is_stop).any(said)
    }
}

/// Whether a fact says that another one has begun to hold: who takes over the gauge runs it, and who moved to York lives
/// there.
fn is_change(fact: &MemoryFact) -> bool {
    let verb = fact.relation.predicate.split(' ').next().unwrap_or_default();
    fact.change().is_some() || statement::says(verb, Statement::Changing)
}

fn edge(fact: &MemoryFact) -> Edge {
    Edge {
        key: relation::key(&fact.relation.predicate),
        subject: fact.subject().to_owned(),
        object: fact.object().to_owned(),
    }
}

/// The end of a fact that corresponds to an end of its relation.
fn end_at(edge: &Edge, side: Side) -> End {
    if (side == Side::Agent) == edge.key.inverted { End::Object } else { End::Subject }
}

/// Whether two names are the same, ignoring common nouns before a name.
fn is_exact(asked: &[Word], name: &[Word]) -> bool {
    !asked.is_empty() && !name.is_empty() && (node(asked) == node(name) || bare(asked) == bare(name))
}

/// Whether a name in a question may refer to a name in a fact: "Rosa" is Rosa Berg, "the billing service" is billing,
/// "the authentication module" is `AuthModule`; "Team Fox" is not Team Owl.
fn is_alike(asked: &[Word], name: &[Word]) -> bool {
    let said = |words: &[Word]| words.iter().filter(|word| !word.is_stop).cloned().collect::<Vec<Word>>();
    let (asked, name) = (said(asked), said(name));
    let within = |short: &[Word], long: &[Word]| {
        let said = |word: &Word| long.iter().any(|other| agreement(word, other) >= ALIKE);
        !short.is_empty() && short.iter().all(said)
    };
    let is_name = |words: &[Word]| words.iter().any(|word| word.is_name);
    within(&asked, &name) || (within(&name, &asked) && (is_name(&name) || !is_name(&asked)))
}

/// Whether a question names an end of a fact and what else its sentence says: "new clients at the front desk", "Briony how
/// to shear sheep".
fn is_said_with(asked: &[Word], name: &[Word], fact: &MemoryFact) -> bool {
    let asked: Vec<&Word> = asked.iter().filter(|word| !word.is_stop).collect();
    let mut name = name.iter().filter(|word| !word.is_stop).peekable();
    let begins =
        name.peek().is_some_and(|first| asked.first().is_some_and(|word| agreement(word, first) >= ALIKE));
    begins
        && name.all(|word| asked.iter().any(|other| agreement(word, other) >= ALIKE))
        && asked.iter().all(|word| says(fact, word))
}

/// Whether the sentence of a fact contains a word.
fn says(fact: &MemoryFact, word: &Word) -> bool {
    fact.words.text.iter().any(|other| agreement(word, other) >= ALIKE)
}

/// Whether the sentence of a fact contains a name.
fn mentions(name: &[Word], fact: &MemoryFact) -> bool {
    let mut said = name.iter().filter(|word| !word.is_stop).peekable();
    said.peek().is_some() && said.all(|word| says(fact, word))
}
