//! The read path of the memory: `understand → link → hop → resolve → rank → budget`.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{Direction, EntityId, Graph, Hop, Nearest, Relation, filters, name};
use quiver_language::question::asked_in;
use quiver_memory::{asked::MOMENTS, relation::key};
use quiver_models::{Encoder, Lexical};
use quiver_store::{Filter, Target};

use crate::{
    Result,
    error::{Error, ErrorKind, In, Stage},
    trace::Trace,
    understand::QUESTION_BYTES_MAX,
};

use super::{
    agreement::Agreement,
    answered::TurnReader,
    asked::{Asked, AskedTerm, Sought},
    before::Before,
    beside, budget, decide,
    decisions::ids_of_names,
    direction::{Directed, is_typed},
    end::End,
    hidden::{Changed, Hidden},
    known::{MemoryFact, Wordings},
    merged::{Merged, merges},
    ownership::has_object,
    pool::{FactPool, Ranked},
    rank::{Chain, Ranker},
    recollection::{RecallOptions, RecalledFact, Recollection},
    resolve::{currently_valid, rescaled},
    same::joined,
    split::{Apart, as_said, is_split},
    turn::now,
    turns::{Ended, TurnFinder, Turns, add_turns},
    words::words,
};

/// Number of chains, and of single facts, from which the next hop starts.
const FRONTIER: usize = 6;
/// Maximum number of entities that the names in a question are linked to.
const LINKED_MAX: usize = 32;
/// Maximum number of words in a name.
const NAME_WORDS_MAX: usize = 6;
/// Maximum number of times that the best chain is checked against later statements.
const CHECKS_MAX: usize = 4;
/// Maximum number of owned entities whose current owner is checked.
const HELD_MAX: usize = 8;
/// Maximum number of earlier values that a question for what was before something goes back to.
const STEPS_BACK_MAX: usize = 8;
/// Minimum agreement of a word of the question with a subject that says it.
const SAID: f32 = 0.5;
/// Coverage at which a chain needs no further hop.
const ENOUGH: f32 = 0.95;

/// Coverage at which joined facts from text answer a question with a relative clause, whether or not the
/// question's words find their turns.
const JOINED_ENOUGH: f32 = 0.8;

/// The parts of the engine needed to recall.
#[derive(Clone, Copy)]
pub(crate) struct Recaller<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) wordings: &'a Wordings,
    pub(crate) options: &'a RecallOptions,
    /// The split entities that the question distinguishes.
    pub(crate) apart: &'a [Apart],
    /// Reads the turns if no fact answers; `None` if only facts may answer.
    pub(crate) reader: Option<TurnReader<'a>>,
}

impl<'a> Recaller<'a> {
    /// Recalls what answers a question. Every step is bounded: the hops by `facts_max`, the checks of later
    /// statements by `CHECKS_MAX`.
    pub(crate) async fn recall(self, question: &str) -> Result<Recollection> {
        if question.trim().is_empty() {
            return Err(Error::new(ErrorKind::Invalid, Stage::Recall, "the question is empty"));
        }
        let mut trace = Trace::begin();
        let whole = question;
        let asking = asked_in(question);
        let question = asking.as_ref();
        if question.len() > QUESTION_BYTES_MAX {
            return Err(Error::new(
                ErrorKind::Invalid,
                Stage::Recall,
                format!("the question has {} bytes; at most {QUESTION_BYTES_MAX} are read", question.len()),
            ));
        }
        if question.len() < whole.trim().len() {
            trace.end(Stage::Understand, vec![format!("the question in a long text: {question}")]);
        }
        let asked = self.understand(question, &mut trace).await?;
        let (mut pool, linked) = self.link(&asked, &mut trace).await?;
        self.hop(&asked, &mut pool, linked, &mut trace).await?;
        let (mut chains, mut holds) = self.resolve(&asked, &mut pool, &mut trace).await?;
        for _ in 0..self.options.facts_max {
            let reached = Directed::of(self.lexical(), question, &pool.facts, &pool.merged, &holds);
            let mut reached = reached.map(|directed| directed.reached()).unwrap_or_default();
            reached.retain(|thing| !pool.followed.contains(thing));
            if reached.is_empty() {
                break;
            }
            self.follow(&asked, &mut pool, &reached, None).await?;
            (chains, holds) = self.resolve(&asked, &mut pool, &mut trace).await?;
        }
        let mut is_known = false;
        let mut hidden = Hidden::default();
        if let Some(directed) = Directed::of(self.lexical(), question, &pool.facts, &pool.merged, &holds) {
            (chains, is_known) = directed.chains(chains);
            hidden.asked = directed.asked_of();
            hidden.of_others =
                hidden.asked.as_ref().map(|asked| directed.of_others(asked)).unwrap_or_default();
        }
        hidden.known = pool.facts.iter().map(|fact| fact.relation.id).collect();
        let said = beside::Facts { facts: &pool.facts, agreements: &pool.agreements };
        let mut chains = beside::without(&asked, said, chains);
        chains.retain(|chain| chain.may_join(&asked, &pool.facts));
        let answers = |best: &Chain| best.covers(&asked) || states_change(&asked, &pool, best);
        let is_covered = chains.first().is_some_and(answers);
        let of_question: Vec<f32> =
            pool.agreements.iter().map(|agreement| agreement.coverage(&asked)).collect();
        let ended = Ended::of(&pool.facts, &holds);
        let ended = if asked.is_past() { ended } else { ended.for_question(&pool.facts, &of_question) };
        let coverage = chains.first().map_or(0.0, |best| best.coverage);
        let last = chains.first().and_then(|best| best.facts.last());
        hidden.changed = last.and_then(|last| Changed::of(&pool.facts[*last]));
        let ended = Ended { is_decided: is_known, is_covered, coverage, hidden, ..ended };
        pool.note_partly_over(&holds);
        let mut recollection = budget::show(self.options, &asked, &pool, &chains, &holds, trace);
        let mut trace = std::mem::take(&mut recollection.trace);
        let RecallOptions { as_of, known_at, now, .. } = *self.options;
        let apart = self.apart;
        let finder = TurnFinder { graph: self.graph, encoder: self.encoder, as_of, known_at, now, apart };
        let said = as_said(whole, apart);
        let turns = Turns { finder, reader: self.reader, ended: &ended };
        add_turns(turns, &asked_in(&said), self.options, &mut recollection, &mut trace).await?;
        recollection.trace = trace;
        whole.clone_into(&mut recollection.question);
        Ok(recollection)
    }

    /// Recalls what was so before the value that a question names. Goes back from what holds now to that value, and to the
    /// one before it; without either there is no answer.
    pub(crate) async fn recall_before(self, question: &str, before: &Before) -> Result<Recollection> {
        // What was so before is only known of facts.
        let this = Self { reader: None, ..self };
        let mut options = self.options.clone();
        let mut now: Option<String> = None;
        let (mut is_named, mut named_relation) = (false, None);
        for _ in 0..STEPS_BACK_MAX {
            let mut recalled = Recaller { options: &options, ..this }.recall(&before.question).await?;
            let Some(answer) = recalled.answer.clone() else { break };
            let is_of_answer =
                |fact: &&RecalledFact| fact.subject == answer || fact.object.starts_with(&answer);
            let fact = recalled.facts.iter().find(is_of_answer).or(recalled.facts.last());
            let is_next = before.is_next(&answer, now.get_or_insert_with(|| answer.clone()));
            let relation = fact.map(|fact| key(&fact.predicate).base);
            if is_named && !is_next {
                // "Karim owns the billing service" says nothing of what it used before Postgres.
                if relation != named_relation {
                    break;
                }
                question.clone_into(&mut recalled.question);
                return Ok(recalled);
            }
            if is_next {
                (is_named, named_relation) = (true, relation);
            }
            let Some(from) = fact.and_then(|fact| fact.valid_from.or(fact.recorded_at)) else { break };
            options.as_of = Some(from - 1);
        }
        let mut recalled = this.recall(question).await?;
        if recalled.answer.is_some() || !recalled.facts.is_empty() {
            recalled.withdraw();
        }
        Ok(recalled)
    }

    /// The time that the question refers to: `as_of` if given, otherwise now.
    fn moment(&self) -> i64 {
        self.options.as_of.or(self.options.now).unwrap_or_else(now)
    }

    fn lexical(&self) -> &'a Lexical {
        self.encoder.analysis()
    }

    /// Analyses the question and resolves a phrase such as "this project" to its referent in the session.
    async fn understand(&self, question: &str, trace: &mut Trace) -> Result<Asked> {
        let mut asked = Asked::of(self.lexical(), question);
        asked.session.clone_from(&self.options.session);
        let mut lines = Vec::new();
        if let Some(session) = &self.options.session
            && let Some((phrase, name)) =
                super::focus::stands_for(self.graph, session, question, self.options.as_of)
                    .await
                    .stage(Stage::Recall)?
        {
            lines.push(format!("“{phrase}” is {name}"));
            asked = asked.with_focus(self.lexical(), &phrase, &name);
        }
        let words: Vec<&str> = asked.terms.iter().map(|term| &*term.words[0].lower).collect();
        lines.insert(0, format!("asks by {}, for {:?}", words.join(", "), asked.wanted));
        trace.end(Stage::Understand, lines);
        Ok(asked)
    }

    /// Finds the entities that the question names and the facts about them; if those do not suffice, searches for the
    /// facts nearest to the question's words.
    async fn link(&self, asked: &Asked, trace: &mut Trace) -> Result<(FactPool, Vec<EntityId>)> {
        let names = name_runs(self.lexical(), &asked.text);
        let linked = self.graph.entities_named(&names, LINKED_MAX).await.stage(Stage::Recall)?;
        let named = linked.iter().map(|entity| entity.name.as_str()).collect::<Vec<_>>().join(", ");
        let renamed = ids_of_names(self.graph.workspace(), &linked);
        let mut linked: BTreeSet<EntityId> = linked.into_iter().map(|entity| entity.id).collect();
        linked.extend(renamed);
        let mut pool = FactPool::default();
        let mut lines = vec![format!("names linked to {named}")];
        for Apart { others, other_names, .. } in self.apart {
            linked.retain(|entity| !others.contains(entity));
            lines.push(format!("excluded {}, by decision", other_names.join(", ")));
        }
        let merges = merges(self.graph, &linked, &self.among()).await.stage(Stage::Recall)?;
        if !merges.is_empty() {
            lines.push(format!("{} decisions merge them with others", merges.len()));
            linked.extend(merges.iter().flat_map(|merge| joined(self.graph.workspace(), merge).into_keys()));
            let known = merges.into_iter().map(|merge| self.wordings.get_or_analyse(self.lexical(), merge));
            pool.merged = Merged::of(known.collect());
        }
        // The facts about the named entities often cover the question, so that no search is needed.
        if !linked.is_empty() {
            self.follow(asked, &mut pool, &linked, None).await?;
            pool.is_enough = self.says_enough(asked, &mut pool);
            lines.push(format!("{} facts are about them", pool.facts.len()));
            // If they do not, include the facts about the entities that they lead to.
            let holding = pool.facts.iter().zip(&pool.ranked.holds).filter(|(_, holds)| **holds);
            let far: BTreeSet<EntityId> =
                holding.flat_map(|(known, _)| [known.relation.subject, known.relation.object]).collect();
            let far: BTreeSet<EntityId> = far.difference(&pool.followed).copied().collect();
            if !pool.is_enough && !far.is_empty() && far.len() <= LINKED_MAX {
                self.follow(asked, &mut pool, &far, None).await?;
                // Text may refer to the same entities by other names, so facts read from text do not rule out the
                // search.
                pool.is_enough =
                    self.says_enough(asked, &mut pool) && pool.facts.iter().all(|fact| !fact.is_found());
                lines.push(format!("{} including those about related entities", pool.facts.len()));
            }
        }
        if !pool.is_enough {
            let before = pool.facts.len();
            let limit = self.options.relations_limit;
            let said = self
                .graph
                .search_terms(&asked.sought.among(self.among(), limit))
                .await
                .stage(Stage::Recall)?;
            let alike = self.dense(asked, trace).await;
            let alike = alike.map(|target| Nearest { target, among: self.among(), limit });
            let alike =
                self.graph.nearest::<Relation>(alike.into_iter().collect()).await.stage(Stage::Recall)?;
            for relation in said.into_iter().chain(alike.into_iter().flatten().map(|hit| hit.record)) {
                self.add(&mut pool, asked, relation);
            }
            lines.push(format!("{} more facts from search", pool.facts.len() - before));
        }
        trace.end(Stage::Search, lines);
        Ok((pool, linked.into_iter().collect()))
    }

    /// Whether the best chain of the pool covers the question and fits the kind of value it asks for.
    fn says_enough(&self, asked: &Asked, pool: &mut FactPool) -> bool {
        self.rank(asked, pool);
        pool.ranked.chains.first().is_some_and(|best| best.coverage >= ENOUGH && best.fits)
    }

    /// Decides which facts are valid and builds chains from them, unless that was done for the same facts before.
    fn rank(&self, asked: &Asked, pool: &mut FactPool) {
        if pool.ranked.holds.len() != pool.facts.len() {
            let holds = currently_valid(&pool.facts, &pool.declared, self.options.restated, self.moment());
            for change in 0..pool.facts.len() {
                for before in rescaled(&pool.facts, change, |_| true) {
                    let before = pool.agreements[before].clone();
                    pool.agreements[change].inherit(&before);
                }
            }
            let topical = topical(asked, pool);
            let ranker = Ranker {
                topical: &topical,
                asked,
                facts: &pool.facts,
                agreements: &pool.agreements,
                usable: &holds,
                facts_max: self.options.facts_max.max(1),
            };
            let chains = ranker.chains();
            pool.ranked = Ranked { holds, chains };
        }
    }

    /// The dense query vector, if there is an embedder. If the embedder fails, recall goes on without it.
    async fn dense(&self, asked: &Asked, trace: &mut Trace) -> Option<Target> {
        self.encoder.embedder()?;
        match self.encoder.encode_queries(&[&asked.text]).await {
            Ok(mut encoded) => encoded.pop()?.dense.map(Target::Dense),
            Err(error) => {
                trace.degrade(format!("the question could not be embedded: {error}"));
                None
            }
        }
    }

    /// The filter for every search and hop: facts that begin by the requested time, were recorded by `known_at`, and
    /// have one of the requested predicates.
    fn among(&self) -> Filter {
        let mut filters = vec![filters::begun(None, Some(self.moment()))];
        if let Some(moment) = self.options.known_at {
            filters.push(filters::told_by(moment));
        }
        if !self.options.predicates.is_empty() {
            filters.push(filters::saying(self.options.predicates.iter().map(String::as_str)));
        }
        filters.extend(self.apart.iter().map(Apart::relations));
        Filter::All(filters)
    }

    fn add(&self, pool: &mut FactPool, asked: &Asked, relation: Relation) {
        // A split is not a statement about its entities.
        if is_split(&relation) || self.apart.iter().any(|apart| apart.leaves_out_relation(&relation)) {
            return;
        }
        if relation.properties.contains_key(super::known::property::SUBJECT) && pool.seen.insert(relation.id)
        {
            let known = pool.merged.rename(self.wordings.get_or_analyse(self.lexical(), relation));
            let named = pool.merged.with_names(&known);
            pool.agreements.push(Agreement::of(asked, named.as_ref().unwrap_or(&known)));
            pool.facts.push(known);
        }
    }

    /// Expands from the linked entities and the best facts, by id and by name, until a chain covers the question.
    async fn hop(
        &self,
        asked: &Asked,
        pool: &mut FactPool,
        linked: Vec<EntityId>,
        trace: &mut Trace,
    ) -> Result<()> {
        let mut lines = Vec::new();
        let mut frontier: BTreeSet<EntityId> = linked.into_iter().collect();
        let mut followed = String::new();
        for hop in 1..self.options.facts_max.max(2) {
            if pool.is_enough {
                break;
            }
            self.rank(asked, pool);
            let chains = &pool.ranked.chains;
            if hop > 1 && chains.first().is_some_and(|best| best.coverage >= ENOUGH && best.fits) {
                break;
            }
            let mut names = String::new();
            for at in frontier_of(pool, chains, asked) {
                let known = &pool.facts[at];
                frontier.extend([known.relation.subject, known.relation.object]);
                names = format!("{names} {} {}", known.subject(), known.object());
            }
            frontier.retain(|entity| !pool.followed.contains(entity));
            // Even if all statements about these ids are known, others may use another name for the same entity.
            if frontier.is_empty() && names == followed {
                break;
            }
            let before = pool.facts.len();
            self.follow(asked, pool, &frontier, Some(&names)).await?;
            followed = names;
            lines.push(format!(
                "hop {hop}: {} more facts of {} things",
                pool.facts.len() - before,
                frontier.len()
            ));
            frontier.clear();
        }
        trace.end(Stage::Expand, lines);
        Ok(())
    }

    /// One hop: reads the relations of these entities and, if names are given, the relations that contain their
    /// words.
    async fn follow(
        &self,
        asked: &Asked,
        pool: &mut FactPool,
        from: &BTreeSet<EntityId>,
        names: Option<&str>,
    ) -> Result<()> {
        let ids: Vec<EntityId> = from.iter().copied().collect();
        let named = names.map(|names| Sought::of_names(self.lexical(), names)).unwrap_or_default();
        let hop = Hop {
            from: &ids,
            direction: Direction::Both,
            predicates: &self.options.predicates,
            valid_at: None,
            targets: &[],
            limit: self.options.relations_limit * 2,
        };
        let (sought, alike) = (
            asked.sought.among(self.among(), self.options.relations_limit * 2),
            named.among(self.among(), self.options.relations_limit / 2),
        );
        let (edges, alike) =
            tokio::try_join!(self.graph.hop_matching(&hop, &sought), self.graph.search_terms(&alike))
                .stage(Stage::Recall)?;
        let (edges, cut) = edges;
        for relation in edges {
            self.add(pool, asked, relation);
        }
        for relation in alike {
            self.add(pool, asked, relation);
        }
        if !cut {
            pool.complete.extend(&ids);
        }
        pool.followed.extend(ids);
        Ok(())
    }

    /// Decides which facts are valid, and checks the best chain against later statements about its subjects.
    async fn resolve(
        &self,
        asked: &Asked,
        pool: &mut FactPool,
        trace: &mut Trace,
    ) -> Result<(Vec<Chain>, Vec<bool>)> {
        pool.declared = decide::declared(self.graph, &pool.facts).await.stage(Stage::Recall)?;
        if !pool.declared.is_empty() {
            pool.ranked = Ranked::default();
        }
        let mut checks = 0;
        loop {
            self.rank(asked, pool);
            let best = pool.ranked.chains.first();
            let unchecked = best.map(|best| Self::unchecked(pool, best)).unwrap_or_default();
            if unchecked.is_empty() || checks == CHECKS_MAX {
                let Ranked { holds, chains } = std::mem::take(&mut pool.ranked);
                let stale = holds.iter().filter(|holds| !**holds).count();
                trace.end(
                    Stage::Resolve,
                    vec![
                        format!("{} of {} statements hold", holds.len() - stale, holds.len()),
                        format!("{checks} checks against later statements"),
                    ],
                );
                return Ok((chains, holds));
            }
            checks += 1;
            for ((subject, predicate), since) in unchecked {
                self.check(asked, pool, subject, &predicate, since).await?;
                pool.checked.insert((subject, predicate));
            }
        }
    }

    /// The subjects and predicates of a chain whose later statements may be missing from the pool.
    fn unchecked(pool: &FactPool, chain: &Chain) -> BTreeMap<(EntityId, String), Option<i64>> {
        let relations = chain.facts.iter().map(|fact| &pool.facts[*fact].relation);
        let open = relations.filter(|relation| !pool.complete.contains(&relation.subject));
        let slots = open
            .map(|relation| ((relation.subject, name::normalise(&relation.predicate)), relation.valid_from));
        // "Platform owns search": a later handover is stated about the object, so all of its statements are checked.
        let last = &pool.facts[*chain.facts.last().expect("a chain has a fact")];
        let beside = pool.facts.iter().zip(&pool.ranked.holds).filter(|(fact, holds)| {
            **holds && fact.words.slot == last.words.slot && fact.relation.subject == last.relation.subject
        });
        let had = beside
            .map(|(fact, _)| fact)
            .chain(chain.facts.iter().map(|fact| &pool.facts[*fact]))
            .filter(|fact| has_object(fact) && !pool.complete.contains(&fact.relation.object))
            .map(|fact| ((fact.relation.object, String::new()), fact.relation.valid_from))
            .take(HELD_MAX);
        slots.chain(had).filter(|(slot, _)| !pool.checked.contains(slot)).collect()
    }

    /// Reads the latest statements with a subject and predicate.
    async fn check(
        &self,
        asked: &Asked,
        pool: &mut FactPool,
        subject: EntityId,
        predicate: &str,
        since: Option<i64>,
    ) -> Result<()> {
        let later = self.among().and(filters::from([subject])).and(filters::begun(since, None));
        // An empty predicate selects all statements about the subject.
        let later = if predicate.is_empty() { later } else { later.and(filters::saying([predicate])) };
        let found =
            self.graph.latest::<Relation>(&later, self.options.relations_limit).await.stage(Stage::Recall)?;
        for relation in found {
            self.add(pool, asked, relation);
        }
        Ok(())
    }
}

/// For each term, whether it is a name that facts of the question's session contain.
fn topical(asked: &Asked, pool: &FactPool) -> Vec<bool> {
    let speaks = |at: usize| {
        let mut facts = pool.facts.iter().zip(&pool.agreements);
        facts.any(|(fact, says)| fact.session() == asked.session.as_deref() && says.best(at) >= 0.7)
    };
    asked
        .terms
        .iter()
        .enumerate()
        .map(|(at, term)| term.is_name && asked.session.is_some() && speaks(at))
        .collect()
}

/// The facts for the next hop: those of the best chains, and those that cover most of the question on their own.
fn frontier_of(pool: &FactPool, chains: &[Chain], asked: &Asked) -> BTreeSet<usize> {
    let mut frontier: BTreeSet<usize> = BTreeSet::new();
    for chain in chains.iter().take(FRONTIER) {
        frontier.extend(&chain.facts);
    }
    let mut alone: Vec<usize> = (0..pool.facts.len()).collect();
    let coverage: Vec<f32> = pool.agreements.iter().map(|agreement| agreement.coverage(asked)).collect();
    alone.sort_by(|a, b| {
        coverage[*b]
            .total_cmp(&coverage[*a])
            .then(pool.facts[*a].relation.id.cmp(&pool.facts[*b].relation.id))
    });
    frontier.extend(alone.into_iter().take(FRONTIER).filter(|at| coverage[*at] > 0.0));
    frontier
}

/// The word sequences of a question that may be names, in the forms that names are indexed by.
fn name_runs(lexical: &Lexical, text: &str) -> Vec<String> {
    let words = words(lexical, text);
    let mut runs = BTreeSet::new();
    for start in 0..words.len() {
        if words[start].is_stop && !words[start].is_name {
            continue;
        }
        for end in start + 1..=words.len().min(start + NAME_WORDS_MAX) {
            let last = &words[end - 1];
            if last.is_stop && !last.is_name {
                continue;
            }
            let written = &text[words[start].start..last.end];
            runs.insert(name::normalise(written));
            if end - start > 1 {
                let split = words[start..end].iter().map(|word| text[word.start..word.end].to_lowercase());
                runs.insert(split.collect::<Vec<_>>().join(" "));
            }
        }
    }
    runs.into_iter().collect()
}

/// Whether a chain is a single fact from text that changes a value of the thing asked about. It need not say the kind of the
/// value: "What colour is the flag now?", "The flag has been changed to red".
fn states_change(asked: &Asked, pool: &FactPool, chain: &Chain) -> bool {
    let [fact] = chain.facts.as_slice() else { return false };
    let (known, says) = (&pool.facts[*fact], &pool.agreements[*fact]);
    let is_said = |(at, term): (usize, &AskedTerm)| {
        term.is_kind || MOMENTS.contains(&&*term.words[0].lower) || says.subject[at] >= SAID
    };
    known.is_found()
        && known.change().is_some()
        && chain.end == End::Object
        && asked.terms.iter().enumerate().all(is_said)
}

impl Chain {
    /// Whether a question may be answered by what a chain joins. Facts from text are joined only for a question that joins
    /// things: "What does Ines tutor Bob in?" is not answered with who pays Ines.
    fn may_join(&self, asked: &Asked, facts: &[MemoryFact]) -> bool {
        let are_read = self.facts.iter().all(|fact| facts[*fact].is_found());
        self.facts.len() < 2 || !are_read || asked.is_nested || beside::is_compound(asked) || is_typed(self)
    }

    /// Whether the chain contains the names of the question and covers enough of the rest. Joined facts only
    /// answer a question that joins things: the only link between "I joined a gym" and "My aunt died in May"
    /// is the speaker.
    fn covers(&self, asked: &Asked) -> bool {
        let enough = match self.facts.len() {
            0 | 1 => ENOUGH,
            _ if asked.is_nested => JOINED_ENOUGH,
            _ if beside::is_compound(asked) => ENOUGH,
            _ => return false,
        };
        !self.misses_name && self.coverage >= enough
    }
}
