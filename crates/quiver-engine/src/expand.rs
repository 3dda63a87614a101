//! The expand stage: from the seeds through the graph to further candidates.
//!
//! A hop goes between passages of which one mentions what the other is about. Mentions are found by the ID that each
//! run of words would have as a name, so links do not depend on what was recognised as a name when a passage was
//! indexed, nor on the order in which documents came. Rare entities also link the passages that mention them.
//! Finally, the names in the top passages are followed over bridges.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use quiver_graph::{EntityId, Nearest, Passage, PassageId, filters};
use quiver_store::Target;
use tracing::{Span, instrument};

use crate::{
    Result,
    analysis::NameRun,
    engine::Engine,
    error::{In, Stage},
    explanation::{FoundBy, HopCut},
    memory::{Same, same_as},
    options::Profile,
    pool::{Expanded, Pool, Route, RouteKind, Seeds, rarity},
    question::Query,
    score::{ScoringPass, score},
    search::{documents, listed, nearest},
    trace::{HopStep, microseconds},
};

/// Number of words before a name that count as close to it.
const NEAR_WORDS: u16 = 8;
/// Maximum number of passages about pinned entities that the first hop starts from in any case.
const PINNED_STARTS: usize = 4;
/// Entities mentioned by more passages than this are not rare.
const RARE_MOST: u32 = 40;

/// Receives each hop as it is made.
type OnHop<'a> = &'a mut (dyn FnMut(&HopStep) + Send);

/// Expands the seeds through the graph, within the limits of the options.
#[instrument(target = "quiver::stage", skip_all, fields(seeds = seeds.pool.candidates.len(), started_from, candidates))]
pub(crate) async fn expand(engine: Engine<'_>, seeds: Seeds, on_hop: OnHop<'_>) -> Result<Expanded> {
    let started = Instant::now();
    let Seeds { mut query, pool } = seeds;
    let options = query.question.options.clone();
    let mut walk = Walk {
        engine,
        query: &query,
        pool,
        done: BTreeSet::new(),
        lines: Vec::new(),
        cuts: Vec::new(),
        hops_made: 0,
        follows_merges: query.linked.iter().any(|link| !link.other_names().is_empty()),
    };
    let hops = walk.hops(started, on_hop).await;
    walk.note_not_followed();
    let bridge_names = walk.bridge_names();
    walk.pool.found_by = FoundBy::Bridge;
    let asked = match hops {
        Ok(()) if options.profile == Profile::Fast => Ok(()),
        Ok(()) if started.elapsed() > options.time_max => {
            walk.lines.push("bridges: skipped, because time ran out".to_owned());
            Ok(())
        }
        Ok(()) => walk.ask_again(&bridge_names).await,
        failed => failed,
    };
    walk.link_by_name(&bridge_names);
    let filled = walk.fill_dense().await;
    let Walk { pool, lines, done, cuts, follows_merges, .. } = walk;
    Span::current().record("started_from", done.len()).record("candidates", pool.candidates.len());
    query.trace.end(Stage::Expand, lines);
    query.cuts = cuts;
    // The candidates found so far can answer without the rest.
    if let Err(error) = asked.and(filled) {
        query.trace.degrade(format!("the graph was not completely expanded: {error}"));
    }
    Ok(Expanded { query, pool, follows_merges })
}

/// The state of an expansion.
pub(crate) struct Walk<'a> {
    pub(crate) engine: Engine<'a>,
    pub(crate) query: &'a Query,
    pub(crate) pool: Pool,
    /// Passages from which a hop has started.
    pub(crate) done: BTreeSet<PassageId>,
    pub(crate) lines: Vec<String>,
    /// What the budgets cut, if the trace explains it.
    pub(crate) cuts: Vec<HopCut>,
    /// Number of the last hop that was made.
    pub(crate) hops_made: usize,
    /// Whether a decision that entities are the same led somewhere.
    follows_merges: bool,
}

impl Walk<'_> {
    /// Makes hops within the limits, and scores the candidates after each.
    async fn hops(&mut self, started: Instant, on_hop: OnHop<'_>) -> Result<()> {
        let options = self.query.question.options.clone();
        let filled = self.fill_dense().await;
        score(&mut self.pool, self.query, self.engine.weights, ScoringPass::Seeds);
        filled?;
        for hop in 1..=options.hops_max {
            if started.elapsed() > options.time_max {
                self.lines.push(format!("hop {hop}: skipped, because time ran out"));
                break;
            }
            let (began, known) = (Instant::now(), self.pool.candidates.len());
            let Some((started_from, links)) = self.hop(hop).await? else { break };
            self.fill_dense().await?;
            score(&mut self.pool, self.query, self.engine.weights, ScoringPass::Hops);
            let candidates = self.pool.candidates.len();
            let duration_us = microseconds(began.elapsed());
            on_hop(&HopStep {
                hop,
                started_from,
                reached: candidates - known,
                links,
                candidates,
                duration_us,
            });
        }
        Ok(())
    }

    /// Makes one hop from the top passages: to passages about what they mention, to passages that mention what they
    /// are about, and to passages that share a rare mention. Returns the number of passages that it started from and of
    /// links, or `None` if there is no passage left to start from.
    async fn hop(&mut self, hop: usize) -> Result<Option<(usize, usize)>> {
        let options = &self.query.question.options;
        let mut frontier =
            self.pool.best(options.frontier_limit, |candidate| !self.done.contains(&candidate.passage.id));
        if hop == 1 && !self.query.pinned.is_empty() {
            let best =
                self.pool.best(PINNED_STARTS, |candidate| self.query.is_about_pinned(&candidate.passage));
            let others = best.into_iter().filter(|id| !frontier.contains(id)).collect::<Vec<_>>();
            frontier.extend(others);
        }
        if frontier.is_empty() {
            return Ok(None);
        }
        self.done.extend(frontier.iter().copied());
        self.hops_made = hop;
        self.pool.found_by = FoundBy::Hop(hop);
        let mut mentioned: HashMap<EntityId, Vec<(PassageId, usize)>> = HashMap::new();
        for &id in &frontier {
            let known = self.known_names(id);
            for index in known {
                let entity = self.pool.candidates[&id].analysis.names[index].entity;
                mentioned.entry(entity).or_default().push((id, index));
            }
        }
        let same = self.same_as_named(&frontier).await?;
        self.mention_same(&frontier, &same, &mut mentioned);
        let mut asked: Vec<EntityId> = mentioned.keys().copied().collect();
        asked.sort_unstable();
        let mut subjects: BTreeSet<EntityId> = frontier
            .iter()
            .flat_map(|id| self.pool.candidates[id].passage.subjects.iter().copied())
            .filter(|subject| !self.engine.graph.hides(*subject))
            .collect();
        let others = |subject: &EntityId| same.others(*subject).map(|(id, _)| id).collect::<Vec<_>>();
        let same_subjects: Vec<EntityId> = subjects.iter().flat_map(others).collect();
        subjects.extend(same_subjects);
        let rare = self.rare_mentions(&frontier);
        let limit = options.hop_limit;
        let forward = filters::about(asked.iter().copied());
        let (near, listed) = tokio::try_join!(
            nearest(
                self.engine,
                self.query,
                vec![
                    (forward.clone(), limit),
                    (documents(filters::mentioning(subjects.iter().copied())), limit / 4),
                    (documents(filters::mentioning(rare.iter().copied())), limit / 2),
                ]
            ),
            // Some of the mentioned subjects share no word with the question.
            listed(self.engine, self.query, forward, limit),
        )?;
        let ids = |list: &[(PassageId, f32)]| list.iter().map(|&(id, _)| id).collect::<Vec<_>>();
        let (forward, back, sharing) = (ids(&near[0]), ids(&near[1]), ids(&near[2]));
        let forward: BTreeSet<PassageId> = forward.into_iter().chain(listed).collect();
        let all = forward.iter().chain(&back).chain(&sharing).copied().collect();
        self.engine.read_new(&mut self.pool, self.query, all).await.stage(Stage::Expand)?;
        let cut = forward.len() >= limit;
        if cut {
            self.note_unread(hop, &mentioned, forward.iter().copied());
        }
        let mut links = 0;
        for to in forward {
            links += self.arrive_forward(to, &mentioned);
        }
        for to in back {
            let leads_here = |from: &Passage, to: &Passage| {
                let is_mentioned = |subject: &EntityId| {
                    to.entities.contains(subject)
                        || same.others(*subject).any(|(other, _)| to.entities.contains(&other))
                };
                from.subjects.iter().any(is_mentioned).then_some(RouteKind::Back)
            };
            links += self.arrive(to, &frontier, leads_here);
        }
        for to in sharing {
            let statistics = &self.query.statistics;
            let leads_here = |from: &Passage, to: &Passage| {
                let both = to.entities.iter().filter(|id| rare.contains(id) && from.entities.contains(id));
                let rarest = both.map(|&entity| statistics.passages_mentioning(entity)).min()?;
                Some(RouteKind::Shared { rarity: rarity(rarest) })
            };
            links += self.arrive(to, &frontier, leads_here);
        }
        self.lines.push(format!(
            "hop {hop}: {} passages mention {} subjects and lead to {links} links{}; {} passages in all",
            frontier.len(),
            asked.len(),
            if cut { " (truncated at the limit)" } else { "" },
            self.pool.candidates.len()
        ));
        Ok(Some((frontier.len(), links)))
    }

    /// Reads which entities decisions make the same as those named in these passages.
    async fn same_as_named(&self, passages: &[PassageId]) -> Result<Same> {
        if !self.query.may_be_same {
            return Ok(Same::default());
        }
        let candidates = passages.iter().map(|id| &self.pool.candidates[id].passage);
        let named = candidates.flat_map(|passage| passage.subjects.iter().chain(&passage.entities)).copied();
        same_as(self.engine.graph, &self.engine.standing.joins, named.collect()).await.stage(Stage::Expand)
    }

    /// Adds entities that are the same as mentioned ones, if passages are about them.
    fn mention_same(
        &mut self,
        frontier: &[PassageId],
        same: &Same,
        mentioned: &mut HashMap<EntityId, Vec<(PassageId, usize)>>,
    ) {
        let statistics = &self.query.statistics;
        for &id in frontier {
            let has_others = |name: &NameRun| same.others(name.entity).next().is_some();
            for index in self.longest_names(id, has_others) {
                let candidate = &self.pool.candidates[&id];
                for (other, name) in same.others(candidate.analysis.names[index].entity) {
                    if statistics.passages_about(other) > 0 && !self.engine.graph.hides(other) {
                        let written = candidate.name_text(index);
                        self.lines.push(format!("{name:?} is the same as {written:?}, by decision"));
                        mentioned.entry(other).or_default().push((id, index));
                        self.follows_merges = true;
                    }
                }
            }
        }
    }

    /// Returns the names in a passage that are subjects of some passage.
    fn known_names(&self, id: PassageId) -> Vec<usize> {
        let statistics = &self.query.statistics;
        self.longest_names(id, |name| statistics.passages_about(name.entity) > 0)
    }

    /// Returns the names in a passage that satisfy `passes`, without the passage's own subjects. Of nested names only
    /// the longest counts, and each entity is returned once.
    pub(crate) fn longest_names(&self, id: PassageId, passes: impl Fn(&NameRun) -> bool) -> Vec<usize> {
        let candidate = &self.pool.candidates[&id];
        let names = &candidate.analysis.names;
        let is_own = |name: &NameRun| candidate.passage.subjects.contains(&name.entity);
        // "Peter Pan" does not mention "Peter", whether or not any passage is about "Peter Pan".
        let is_whole = |name: &NameRun| passes(name) || candidate.passage.entities.contains(&name.entity);
        let whole: Vec<(u16, u16)> =
            names.iter().filter(|name| is_whole(name)).map(|name| name.words).collect();
        let is_part = |(start, end): (u16, u16)| {
            whole.iter().any(|&(s, e)| s <= start && end <= e && e - s > end - start)
        };
        let mut found: Vec<usize> = (0..names.len())
            .filter(|&index| passes(&names[index]) && !is_own(&names[index]) && !is_part(names[index].words))
            .filter(|&index| !self.engine.graph.hides(names[index].entity))
            .collect();
        let mut seen = HashSet::new();
        found.retain(|&index| seen.insert(names[index].entity));
        found
    }

    fn arrive_forward(
        &mut self,
        to: PassageId,
        mentioned: &HashMap<EntityId, Vec<(PassageId, usize)>>,
    ) -> usize {
        let Some(candidate) = self.pool.candidates.get(&to) else { return 0 };
        let mut routes: BTreeMap<PassageId, Route> = BTreeMap::new();
        for subject in &candidate.passage.subjects {
            for &(from, name) in mentioned.get(subject).into_iter().flatten().filter(|(from, _)| *from != to)
            {
                let (sentence, near) = self.said_of(from, name);
                let name_confidence = self.name_confidence(from, name);
                let kind = RouteKind::Forward { name, sentence, near, name_confidence };
                routes.entry(from).or_insert(Route { from, kind });
            }
        }
        self.add_routes(to, routes.into_values().collect())
    }

    /// Confidence that a run of words is a name: 1 if it has a capital or a digit, else by the IDF of its words.
    pub(crate) fn name_confidence(&self, passage: PassageId, name: usize) -> f32 {
        let candidate = &self.pool.candidates[&passage];
        if candidate.analysis.names[name].is_capital {
            return 1.0;
        }
        let statistics = &self.query.statistics;
        let terms = self.engine.lexical.query_terms(candidate.name_text(name));
        let rarity: f32 = terms.into_iter().map(|term| statistics.inverse_document_frequency(term)).sum();
        (rarity / (1.0 + statistics.passages as f32).ln()).min(1.0)
    }

    /// Returns the question terms in the sentence that contains the name, and those close before the name.
    pub(crate) fn said_of(&self, passage: PassageId, name: usize) -> (u128, u128) {
        let candidate = &self.pool.candidates[&passage];
        let name = &candidate.analysis.names[name];
        let sentence = usize::from(name.sentence);
        let covered = candidate.sentences.get(sentence).copied().unwrap_or(0);
        if covered == 0 {
            return (0, 0);
        }
        let start = candidate.analysis.sentences[sentence].range.start;
        let end = name.range.start as usize;
        let before = candidate.passage.text.get(start..end).unwrap_or_default();
        let words: Vec<u32> = self.engine.lexical.terms(before).iter().rev().map(|term| term.hash).collect();
        (covered, self.query.bits.covered_by(words.into_iter().take(usize::from(NEAR_WORDS))))
    }

    fn arrive(
        &mut self,
        to: PassageId,
        frontier: &[PassageId],
        leads_here: impl Fn(&Passage, &Passage) -> Option<RouteKind>,
    ) -> usize {
        let candidates = &self.pool.candidates;
        let Some(candidate) = candidates.get(&to) else { return 0 };
        let others = frontier.iter().filter(|&&from| from != to);
        let lead = |&from| {
            leads_here(&candidates[&from].passage, &candidate.passage).map(|kind| Route { from, kind })
        };
        let routes = others.filter_map(lead).collect();
        self.add_routes(to, routes)
    }

    /// Adds routes to a candidate and returns their number, even if the passage was deleted in the meantime and is
    /// not a candidate.
    fn add_routes(&mut self, to: PassageId, routes: Vec<Route>) -> usize {
        let count = routes.len();
        if let Some(candidate) = self.pool.candidates.get_mut(&to) {
            candidate.routes.extend(routes);
        }
        count
    }

    /// Returns the entities in these passages that few other passages mention.
    fn rare_mentions(&self, passages: &[PassageId]) -> BTreeSet<EntityId> {
        let is_rare = |entity: &EntityId| {
            (2..=RARE_MOST).contains(&self.query.statistics.passages_mentioning(*entity))
                && !self.engine.graph.hides(*entity)
        };
        passages
            .iter()
            .flat_map(|id| self.pool.candidates[id].passage.entities.iter().copied())
            .filter(is_rare)
            .collect()
    }

    /// Fills in the dense score of every candidate that lacks one, in one search, if there is an embedder.
    async fn fill_dense(&mut self) -> Result<()> {
        let Some(dense) = &self.query.dense else { return Ok(()) };
        let lacking = self.pool.candidates.values().filter(|candidate| candidate.dense.is_none());
        let ids: Vec<_> = lacking.map(|candidate| candidate.passage.id.point()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let search = Nearest {
            target: Target::Dense(dense.clone()),
            limit: ids.len(),
            among: quiver_store::Filter::Ids(ids),
        };
        let found = self.engine.graph.nearest_ids::<Passage>(vec![search]).await.stage(Stage::Expand)?;
        for (id, score) in found.into_iter().flatten() {
            if let Some(candidate) = self.pool.candidates.get_mut(&id) {
                candidate.dense = Some(score);
            }
        }
        Ok(())
    }
}
