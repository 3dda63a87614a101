//! The third room: from the seeds by ids to whatever the answer may rest on.
//!
//! A hop goes from passages to passages: one mentions what the other is about. What a passage mentions is looked up by
//! the ids that its runs of words would have as names, so that a link needs no agreement at indexing time on what is a
//! name, and does not depend on the order in which documents came. A bridge goes further: it asks the question again
//! with a name that a passage brought up in place of what that passage has answered ("the mother of the director of
//! *Polish-Russian War*" becomes "the mother of *Xawery Żuławski*").

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use quiver_graph::{EntityId, Graph, Hit, Nearest, Passage, PassageId, among};
use quiver_store::{SparseVector, Target};

use crate::{
    Result,
    analysis::NameRun,
    engine::Engine,
    error::{In, Room},
    options::Profile,
    pool::{Pool, Route, RouteKind},
    question::{Query, Reach, Seeds},
    rerank::label,
    score::{Stage, score},
    search::nearest,
};

/// How many words before a name are close to it.
const NEAR_WORDS: u16 = 8;
/// What more passages than this mention is not rare.
const RARE_MOST: u32 = 8;
/// How much of a word's weight is left in a bridge's search when the passage that leads to it says the word.
const ANSWERED_SHARE: f32 = 0.3;
/// How many results of a bridge's search are looked at.
const BRIDGE_RESULTS: usize = 10;

/// Follows ids from the seeds, within the budgets.
pub(crate) async fn expand(engine: Engine<'_>, seeds: Seeds) -> Result<Reach> {
    let started = Instant::now();
    let Seeds { mut query, pool } = seeds;
    let options = query.question.options.clone();
    let mut walk = Walk { engine, query: &query, pool, done: BTreeSet::new(), lines: Vec::new() };
    score(&mut walk.pool, &query.bits, engine.weights, Stage::Seeds);
    for hop in 1..=options.hops_max {
        if started.elapsed() > options.time_max {
            walk.lines.push(format!("hop {hop}: not made, time ran out"));
            break;
        }
        if !walk.hop(hop).await? {
            break;
        }
        score(&mut walk.pool, &query.bits, engine.weights, Stage::Hops);
    }
    if options.profile != Profile::Fast && started.elapsed() <= options.time_max {
        walk.bridge().await?;
    }
    walk.fill_dense().await?;
    let Walk { pool, lines, .. } = walk;
    query.trace.end(Room::Expand, lines);
    Ok(Reach { query, pool })
}

/// A walk under way.
struct Walk<'a> {
    engine: Engine<'a>,
    query: &'a Query,
    pool: Pool,
    /// The passages that a hop started from.
    done: BTreeSet<PassageId>,
    lines: Vec<String>,
}

impl Walk<'_> {
    fn graph(&self) -> &Graph {
        self.engine.graph
    }

    /// Hops from the best passages to what they mention and to what mentions them; false where there is nothing left
    /// to hop from.
    async fn hop(&mut self, hop: usize) -> Result<bool> {
        let options = &self.query.question.options;
        let frontier =
            self.pool.best(options.frontier_limit, |candidate| !self.done.contains(&candidate.passage.id));
        if frontier.is_empty() {
            return Ok(false);
        }
        self.done.extend(frontier.iter().copied());
        let mut mentioned: HashMap<EntityId, Vec<(PassageId, usize)>> = HashMap::new();
        for &id in &frontier {
            let known = self.known_names(id);
            for index in known {
                let entity = self.pool.candidates[&id].analysis.names[index].entity;
                mentioned.entry(entity).or_default().push((id, index));
            }
        }
        let mut asked: Vec<EntityId> = mentioned.keys().copied().collect();
        asked.sort_unstable();
        let subjects: BTreeSet<EntityId> = frontier
            .iter()
            .flat_map(|id| self.pool.candidates[id].passage.subjects.iter().copied())
            .collect();
        let rare = self.rare_mentions(&frontier);
        let limit = options.hop_limit;
        let (forward, back, sharing) = tokio::try_join!(
            about(self.engine, self.query, &asked, limit),
            mentioning(self.engine, self.query, &subjects, limit / 4),
            mentioning(self.engine, self.query, &rare, limit / 4),
        )?;
        let cut = forward.len() >= limit;
        let mut links = 0;
        for hit in forward {
            links += self.arrive_forward(hit, &mentioned);
        }
        for hit in back {
            let leads_here = |from: &Passage, to: &Passage| {
                from.subjects.iter().any(|subject| to.entities.contains(subject))
            };
            links += self.arrive(hit, &frontier, RouteKind::Back, leads_here);
        }
        for hit in sharing {
            let leads_here = |from: &Passage, to: &Passage| {
                to.entities.iter().any(|entity| rare.contains(entity) && from.entities.contains(entity))
            };
            links += self.arrive(hit, &frontier, RouteKind::Shared, leads_here);
        }
        self.lines.push(format!(
            "hop {hop}: {} passages mention {} subjects and lead to {links} links{}; {} passages in all",
            frontier.len(),
            asked.len(),
            if cut { " (cut at the limit)" } else { "" },
            self.pool.candidates.len()
        ));
        Ok(true)
    }

    /// The names in a passage that some passage is about, the longest where one contains another.
    fn known_names(&self, id: PassageId) -> Vec<usize> {
        let candidate = &self.pool.candidates[&id];
        let statistics = &self.query.statistics;
        let names = &candidate.analysis.names;
        let is_known = |name: &NameRun| {
            statistics.passages_about(name.entity) > 0 && !candidate.passage.subjects.contains(&name.entity)
        };
        let mut known: Vec<usize> = (0..names.len()).filter(|&index| is_known(&names[index])).collect();
        let spans: Vec<(u16, u16)> = known.iter().map(|&index| names[index].words).collect();
        known.retain(|&index| {
            let (start, end) = names[index].words;
            !spans.iter().any(|&(s, e)| s <= start && end <= e && e - s > end - start)
        });
        let mut seen = HashSet::new();
        known.retain(|&index| seen.insert(names[index].entity));
        known
    }

    fn arrive_forward(
        &mut self,
        hit: Hit<Passage>,
        mentioned: &HashMap<EntityId, Vec<(PassageId, usize)>>,
    ) -> usize {
        let to = hit.record.id;
        let mut routes: BTreeMap<PassageId, Route> = BTreeMap::new();
        for subject in &hit.record.subjects {
            for &(from, name) in mentioned.get(subject).into_iter().flatten().filter(|(from, _)| *from != to)
            {
                let (sentence, near) = self.said_of(from, name);
                let kind = RouteKind::Forward { name, sentence, near };
                routes.entry(from).or_insert(Route { from, kind });
            }
        }
        if routes.is_empty() {
            return 0;
        }
        let count = routes.len();
        self.engine.enter(&mut self.pool, self.query, hit.record).routes.extend(routes.into_values());
        count
    }

    /// What a passage says of a name, of the question's words: in its sentence, and close before it.
    fn said_of(&self, passage: PassageId, name: usize) -> (u128, u128) {
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
        hit: Hit<Passage>,
        frontier: &[PassageId],
        kind: RouteKind,
        leads_here: impl Fn(&Passage, &Passage) -> bool,
    ) -> usize {
        let to = hit.record.id;
        let candidates = &self.pool.candidates;
        let leads = |from: &&PassageId| **from != to && leads_here(&candidates[*from].passage, &hit.record);
        let routes: Vec<Route> = frontier.iter().filter(leads).map(|&from| Route { from, kind }).collect();
        let count = routes.len();
        if count > 0 {
            self.engine.enter(&mut self.pool, self.query, hit.record).routes.extend(routes);
        }
        count
    }

    /// What these passages mention that few others do.
    fn rare_mentions(&self, passages: &[PassageId]) -> BTreeSet<EntityId> {
        let is_rare = |entity: &EntityId| {
            (2..=RARE_MOST).contains(&self.query.statistics.passages_mentioning(*entity))
                && self.query.statistics.passages_about(*entity) == 0
        };
        passages
            .iter()
            .flat_map(|id| self.pool.candidates[id].passage.entities.iter().copied())
            .filter(is_rare)
            .collect()
    }

    /// Asks the question again with names that the best passages bring up, all in one round trip.
    async fn bridge(&mut self) -> Result<()> {
        let options = &self.query.question.options;
        let bridges = self.bridges(options.bridge_passages, options.bridge_names);
        if bridges.is_empty() {
            return Ok(());
        }
        let searches = bridges
            .iter()
            .map(|bridge| Nearest {
                target: Target::Sparse(bridge.target.clone()),
                among: quiver_store::Filter::everything(),
                limit: BRIDGE_RESULTS,
            })
            .collect();
        let answers = self.graph().nearest::<Passage>(searches).await.room(Room::Expand)?;
        let before = self.pool.candidates.len();
        for (bridge, hits) in bridges.iter().zip(answers) {
            let best = hits.first().map_or(1.0, |hit| hit.score).max(f32::MIN_POSITIVE);
            let others = hits.into_iter().filter(|hit| hit.record.id != bridge.from);
            for (rank, hit) in others.enumerate() {
                let kind = RouteKind::Bridge { name: bridge.name, rank, score: hit.score / best };
                let candidate = self.engine.enter(&mut self.pool, self.query, hit.record);
                candidate.routes.push(Route { from: bridge.from, kind });
            }
        }
        for bridge in &bridges {
            let from = &self.pool.candidates[&bridge.from];
            let range = &from.analysis.names[bridge.name].range;
            let name = &from.passage.text[range.start as usize..range.end as usize];
            self.lines.push(format!("asked again with {name:?} of {:?}", label(&from.passage)));
        }
        self.lines.push(format!("bridges lead to {} passages more", self.pool.candidates.len() - before));
        Ok(())
    }

    /// The names to ask again with: of the best passages those that are not in the question, the most telling first.
    fn bridges(&self, passages: usize, names: usize) -> Vec<Bridge> {
        let mut bridges: Vec<Bridge> = Vec::new();
        let mut seen: HashSet<EntityId> = self.query.linked.iter().map(|(entity, _)| entity.id).collect();
        for from in self.pool.best(passages, |_| true) {
            let candidate = &self.pool.candidates[&from];
            let mut found: Vec<(f32, usize)> = self
                .known_names(from)
                .into_iter()
                .filter(|&name| !seen.contains(&candidate.analysis.names[name].entity))
                .map(|name| {
                    let (sentence, near) = self.said_of(from, name);
                    let entity = candidate.analysis.names[name].entity;
                    let mentions = self.query.statistics.passages_mentioning(entity);
                    let rarity = 1.0 / (2.0 + mentions as f32).ln();
                    let bits = &self.query.bits;
                    (bits.share(sentence) + bits.share(near) + 0.3 * rarity, name)
                })
                .collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (_, name) in found.into_iter().take(names) {
                seen.insert(candidate.analysis.names[name].entity);
                bridges.push(Bridge { from, name, target: self.bridge_target(from, name) });
            }
        }
        bridges
    }

    /// The question's words, those that the passage says made light, and the name's.
    fn bridge_target(&self, from: PassageId, name: usize) -> SparseVector {
        let candidate = &self.pool.candidates[&from];
        let range = &candidate.analysis.names[name].range;
        let name = &candidate.passage.text[range.start as usize..range.end as usize];
        let statistics = &self.query.statistics;
        let mut pairs: BTreeMap<u32, f32> = BTreeMap::new();
        for term in &self.query.terms {
            let answered = self.query.bits.is_covered(term.hash, candidate.covered);
            let share = if answered { ANSWERED_SHARE } else { 1.0 };
            pairs.insert(term.hash, term.weight * share);
        }
        for term in self.engine.lexical.query_terms(name) {
            let weight = statistics.inverse_document_frequency(term);
            pairs.entry(term).and_modify(|known| *known = known.max(weight)).or_insert(weight);
        }
        SparseVector::from_pairs(pairs)
    }

    /// Gives every candidate its nearness in meaning, where there is a model: one search among those that lack it.
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
        let found = self.engine.graph.nearest::<Passage>(vec![search]).await.room(Room::Expand)?;
        for hit in found.into_iter().flatten() {
            if let Some(candidate) = self.pool.candidates.get_mut(&hit.record.id) {
                candidate.dense = Some(hit.score);
            }
        }
        Ok(())
    }
}

/// The question, asked again with a name that a passage brings up.
struct Bridge {
    from: PassageId,
    name: usize,
    target: SparseVector,
}

/// Passages about these entities: those nearest to the question, and some that share no word with it.
pub(crate) async fn about(
    engine: Engine<'_>,
    query: &Query,
    entities: &[EntityId],
    limit: usize,
) -> Result<Vec<Hit<Passage>>> {
    if entities.is_empty() {
        return Ok(Vec::new());
    }
    let filter = among::about(entities.iter().copied());
    let (ranked, listed) = tokio::try_join!(
        nearest::<Passage>(engine.graph, query, filter.clone(), limit),
        engine.graph.list::<Passage>(filter.clone(), limit)
    )
    .room(Room::Expand)?;
    let mut hits: BTreeMap<PassageId, Hit<Passage>> = BTreeMap::new();
    for hit in ranked.into_iter().chain(listed.into_iter().map(|record| Hit { score: 0.0, record })) {
        hits.entry(hit.record.id).or_insert(hit);
    }
    Ok(hits.into_values().collect())
}

/// The nearest passages that mention one of these entities.
pub(crate) async fn mentioning(
    engine: Engine<'_>,
    query: &Query,
    entities: &BTreeSet<EntityId>,
    limit: usize,
) -> Result<Vec<Hit<Passage>>> {
    if entities.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let filter = among::mentioning(entities.iter().copied());
    nearest::<Passage>(engine.graph, query, filter, limit).await.room(Room::Expand)
}
