//! Names that passages bring up, and where they lead.
//!
//! A bridge asks the question again with a name that a passage brought up, in place of what the question named and
//! that passage has answered: "the mother of the director of *Polish-Russian War*" becomes "the mother of *Xawery
//! Żuławski*". Whichever passage then says the name, found by the bridge or known before, is carried to: by what it
//! says of the question beyond the first.

use std::collections::{BTreeMap, HashMap, HashSet};

use quiver_graph::{EntityId, Nearest, Passage, PassageId, Statistics};
use quiver_models::Lexical;
use quiver_store::{Filter, Target};

use crate::{
    Result,
    analysis::NameRun,
    error::{In, Room},
    expand::Walk,
    pool::{Candidate, Route, RouteKind},
    question::Query,
    rerank::label,
    rewrite,
    search::documents,
};

/// How many of the best passages bring up names, and how many each.
const SOURCES: usize = 8;
const NAMES_EACH: usize = 8;
/// How many results of a bridge's search are looked at.
const BRIDGE_RESULTS: usize = 15;
/// How much the rarity of a name counts when names are ordered, against what is said with it.
const RARITY_SHARE: f32 = 0.3;

/// A name that a passage brings up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brought {
    /// The passage, and its place among the best.
    from: PassageId,
    place: usize,
    /// The name, among the passage's, and its place among those that the passage brings up.
    name: usize,
    name_place: usize,
    entity: EntityId,
    /// The question's words in the sentence with the name, as bits.
    sentence: u128,
    rarity: f32,
    /// How surely it is a name, from 0 to 1.
    surety: f32,
}

/// How rare it is to be mentioned by so many passages: 1 for one of none, a half for two, less and less.
pub(crate) fn rarity(mentions: u32) -> f32 {
    1.0 / (2.0 + mentions as f32).log2()
}

impl Walk<'_> {
    /// The names that the best passages bring up and that the question does not say, the most telling first.
    pub(crate) fn brought_up(&self) -> Vec<Brought> {
        let mut brought = Vec::new();
        let mut seen: HashSet<EntityId> = self.query.linked.iter().map(|link| link.entity.id).collect();
        for (place, from) in self.pool.best(SOURCES, |_| true).into_iter().enumerate() {
            let names = &self.pool.candidates[&from].analysis.names;
            let mut found: Vec<(f32, Brought)> = self
                .telling_names(from)
                .into_iter()
                .filter(|&name| !seen.contains(&names[name].entity))
                .map(|name| {
                    let (sentence, near) = self.said_of(from, name);
                    let entity = names[name].entity;
                    let mentions = self.query.statistics.passages_mentioning(entity);
                    let bits = &self.query.bits;
                    let surety = self.surety(from, name);
                    let order =
                        bits.share(sentence) + bits.share(near) + RARITY_SHARE / (2.0 + mentions as f32).ln();
                    let rarity = rarity(mentions.max(1));
                    (
                        surety * order,
                        Brought { from, place, name, name_place: 0, entity, sentence, rarity, surety },
                    )
                })
                .collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.name.cmp(&b.1.name)));
            for (name_place, (_, name)) in found.into_iter().take(NAMES_EACH).enumerate() {
                seen.insert(name.entity);
                brought.push(Brought { name_place, ..name });
            }
        }
        brought
    }

    /// The names in a passage that may lead on: extracted from it, or what some passage is about; the longest where
    /// one contains another, and none that the question says.
    fn telling_names(&self, id: PassageId) -> Vec<usize> {
        let candidate = &self.pool.candidates[&id];
        let (passage, statistics) = (&candidate.passage, &self.query.statistics);
        let mut telling = self.longest_names(id, |name: &NameRun| {
            passage.entities.contains(&name.entity) || statistics.passages_about(name.entity) > 0
        });
        telling.retain(|&index| {
            let terms = self.engine.lexical.query_terms(name_text(candidate, index));
            terms.into_iter().any(|term| !self.query.bits.has(term))
        });
        telling
    }

    /// Asks the question again with names that the best passages bring up, all in one round trip.
    pub(crate) async fn ask_again(&mut self, brought: &[Brought]) -> Result<()> {
        let options = &self.query.question.options;
        let (passages, names) = (options.bridge_passages, options.bridge_names);
        let bridges: Vec<&Brought> =
            brought.iter().filter(|name| name.place < passages && name.name_place < names).collect();
        if bridges.is_empty() {
            return Ok(());
        }
        let mut targets: Vec<Target> =
            bridges.iter().map(|bridge| Target::Sparse(self.again(bridge, rewrite::words))).collect();
        targets.extend(self.by_meaning(&bridges).await);
        let searches = targets.into_iter().map(|target| Nearest {
            target,
            among: documents(Filter::everything()),
            limit: BRIDGE_RESULTS,
        });
        let graph = self.engine.graph;
        let mut by_words = graph.nearest_ids::<Passage>(searches.collect()).await.room(Room::Expand)?;
        let before = self.pool.candidates.len();
        // What one bridge found, another often finds too, or a hop did: only the rest is read.
        let found = by_words.iter().flatten().map(|&(id, _)| id).collect();
        self.engine.read_new(&mut self.pool, self.query, found).await.room(Room::Expand)?;
        let by_meaning = by_words.split_off(bridges.len());
        for (bridge, hits) in bridges.iter().zip(by_words) {
            self.lead_by_words(bridge, hits);
        }
        for (bridge, hits) in bridges.iter().zip(by_meaning) {
            self.lead_by_meaning(bridge, hits);
        }
        for bridge in &bridges {
            let from = &self.pool.candidates[&bridge.from];
            let name = name_text(from, bridge.name);
            self.lines.push(format!("asked again with {name:?} of {:?}", label(&from.passage)));
        }
        self.lines.push(format!("bridges lead to {} passages more", self.pool.candidates.len() - before));
        Ok(())
    }

    /// The question with a bridge's name, one way or another.
    fn again<T>(&self, bridge: &Brought, rewrite: impl Fn(&Query, &Candidate, &str, &Lexical) -> T) -> T {
        let from = &self.pool.candidates[&bridge.from];
        rewrite(self.query, from, name_text(from, bridge.name), self.engine.lexical)
    }

    /// What the questions with these names mean, in one batch, where there is a model. Without their meaning they are
    /// asked by their words alone.
    async fn by_meaning(&mut self, bridges: &[&Brought]) -> Vec<Target> {
        if self.query.dense.is_none() {
            return Vec::new();
        }
        let texts: Vec<String> = bridges.iter().map(|bridge| self.again(bridge, rewrite::text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        match self.engine.encoder.encode_queries(&texts).await {
            Ok(encoded) => encoded.into_iter().filter_map(|query| query.dense).map(Target::Dense).collect(),
            Err(error) => {
                self.lines.push(format!("bridges: the embedder failed, so they are asked by words: {error}"));
                Vec::new()
            }
        }
    }

    /// Leads to what a bridge's words found. Where passages are about its name, the others have nothing to add.
    fn lead_by_words(&mut self, bridge: &Brought, hits: Vec<(PassageId, f32)>) {
        let best = hits.first().map_or(1.0, |hit| hit.1).max(f32::MIN_POSITIVE);
        let words = self.words_of_name(bridge);
        let &Brought { from, name, surety, entity, .. } = bridge;
        let is_known = self.query.statistics.passages_about(entity) > 0;
        self.lead(from, hits, |candidate, statistics, rank, score| {
            let counts = !is_known || candidate.passage.subjects.contains(&entity);
            counts.then(|| RouteKind::Bridge {
                name,
                rank,
                score: score / best,
                said: share_said(&words, candidate, statistics),
                surety,
            })
        });
    }

    fn lead_by_meaning(&mut self, bridge: &Brought, hits: Vec<(PassageId, f32)>) {
        let words = self.words_of_name(bridge);
        let &Brought { from, name, surety, .. } = bridge;
        self.lead(from, hits, |candidate, statistics, rank, _| {
            let said = share_said(&words, candidate, statistics);
            Some(RouteKind::DenseBridge { name, rank, said, surety })
        });
    }

    fn words_of_name(&self, bridge: &Brought) -> Vec<u32> {
        self.engine.lexical.query_terms(name_text(&self.pool.candidates[&bridge.from], bridge.name))
    }

    /// Leads from a passage to what was found and counts, except to itself.
    fn lead(
        &mut self,
        from: PassageId,
        hits: Vec<(PassageId, f32)>,
        kind: impl Fn(&Candidate, &Statistics, usize, f32) -> Option<RouteKind>,
    ) {
        let others = hits.into_iter().filter(|(id, _)| *id != from);
        for (rank, (id, score)) in others.enumerate() {
            // What was deleted meanwhile is no candidate.
            let Some(candidate) = self.pool.candidates.get_mut(&id) else { continue };
            let kind = kind(candidate, &self.query.statistics, rank, score);
            candidate.routes.extend(kind.map(|kind| Route { from, kind }));
        }
    }

    /// Leads from each name to all candidates that say it.
    pub(crate) fn carry(&mut self, brought: &[Brought]) {
        let wanted: HashMap<EntityId, usize> =
            brought.iter().enumerate().map(|(at, name)| (name.entity, at)).collect();
        let open: Vec<u128> = brought.iter().map(|name| !self.pool.candidates[&name.from].covered).collect();
        let bits = &self.query.bits;
        let mut routes: Vec<(PassageId, Route)> = Vec::new();
        for (&to, candidate) in &self.pool.candidates {
            for (at, (is_about, sentences)) in said_names(candidate, &wanted) {
                let name = &brought[at];
                if name.from == to {
                    continue;
                }
                let said = sentences.iter().map(|sentence| sentence & open[at]);
                let said = said.max_by(|a, b| bits.weight(*a).total_cmp(&bits.weight(*b))).unwrap_or(0);
                let Brought { from, name, sentence, rarity, surety, .. } = *name;
                routes.push((
                    to,
                    Route { from, kind: RouteKind::Carry { name, sentence, said, rarity, surety, is_about } },
                ));
            }
        }
        self.lines.push(format!("{} names lead to what says them in {} ways", brought.len(), routes.len()));
        for (to, route) in routes {
            let candidate = self.pool.candidates.get_mut(&to).expect("the way leads to a candidate");
            candidate.routes.push(route);
        }
    }
}

/// Which of the names a passage says, each with whether the passage is about it, and what its sentences with the
/// name say of the question; all its sentences where it is about the name.
fn said_names(
    candidate: &Candidate,
    wanted: &HashMap<EntityId, usize>,
) -> BTreeMap<usize, (bool, Vec<u128>)> {
    let mut said: BTreeMap<usize, (bool, Vec<u128>)> = BTreeMap::new();
    for subject in &candidate.passage.subjects {
        if let Some(&at) = wanted.get(subject) {
            said.insert(at, (true, candidate.sentences.clone()));
        }
    }
    for run in &candidate.analysis.names {
        if let Some(&at) = wanted.get(&run.entity) {
            let sentence = candidate.sentences.get(usize::from(run.sentence)).copied().unwrap_or(0);
            said.entry(at).or_default().1.push(sentence);
        }
    }
    said
}

/// How much of these words a passage says, by their rarity.
fn share_said(words: &[u32], candidate: &Candidate, statistics: &Statistics) -> f32 {
    let weight = |terms: &mut dyn Iterator<Item = &u32>| -> f32 {
        terms.map(|&term| statistics.inverse_document_frequency(term)).sum()
    };
    let all = weight(&mut words.iter()).max(f32::MIN_POSITIVE);
    weight(&mut words.iter().filter(|&&term| candidate.analysis.weight(term).is_some())) / all
}

/// A name of a passage, as it is written there.
pub(crate) fn name_text(candidate: &Candidate, name: usize) -> &str {
    let range = &candidate.analysis.names[name].range;
    &candidate.passage.text[range.start as usize..range.end as usize]
}
