//! Bridges: searches with the question rewritten around a name found in a passage.
//!
//! A bridge replaces a name in the question that a passage has already answered with a name from that passage: "the
//! mother of the director of *Polish-Russian War*" becomes "the mother of *Xawery Żuławski*". Afterwards,
//! [`Walk::carry`] adds a route to every candidate that contains such a name, whether a bridge or an earlier step
//! found it. That route is scored by the question terms that the candidate adds to those of the first passage.

use std::collections::{BTreeMap, HashMap, HashSet};

use quiver_graph::{EntityId, Nearest, Passage, PassageId, Statistics};
use quiver_models::Lexical;
use quiver_store::{Filter, Target};

use crate::{
    Result,
    analysis::NameRun,
    error::{In, Stage},
    expand::Walk,
    label::label,
    pool::{Candidate, Route, RouteKind, rarity},
    question::Query,
    rewrite,
    search::documents,
};

/// Number of top passages whose names are used, and number of names per passage.
const SOURCES: usize = 8;
const NAMES_EACH: usize = 8;
/// Number of results taken from each bridge search.
const BRIDGE_RESULTS: usize = 15;
/// Weight of a name's rarity when names are ordered, relative to the question terms around it.
const RARITY_SHARE: f32 = 0.3;

/// A name taken from a passage as a possible bridge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BridgeName {
    /// The passage, and its rank among the top passages.
    from: PassageId,
    place: usize,
    /// The name's index in the passage's analysis, and its rank among the names taken from the passage.
    name: usize,
    name_place: usize,
    entity: EntityId,
    /// Question terms in the sentence that contains the name, as a bit set.
    sentence: u128,
    rarity: f32,
    /// Confidence that this is a name, from 0 to 1.
    name_confidence: f32,
}

impl Walk<'_> {
    /// Returns the names in the top passages that the question does not contain, in order of passage, then best
    /// first.
    pub(crate) fn bridge_names(&self) -> Vec<BridgeName> {
        let mut bridge_names = Vec::new();
        let mut seen: HashSet<EntityId> = self.query.linked.iter().map(|link| link.entity.id).collect();
        for (place, from) in self.pool.best(SOURCES, |_| true).into_iter().enumerate() {
            let names = &self.pool.candidates[&from].analysis.names;
            let mut found: Vec<(f32, BridgeName)> = self
                .telling_names(from)
                .into_iter()
                .filter(|&name| !seen.contains(&names[name].entity))
                .map(|name| {
                    let (sentence, near) = self.said_of(from, name);
                    let entity = names[name].entity;
                    let mentions = self.query.statistics.passages_mentioning(entity);
                    let bits = &self.query.bits;
                    let name_confidence = self.name_confidence(from, name);
                    let order =
                        bits.share(sentence) + bits.share(near) + RARITY_SHARE / (2.0 + mentions as f32).ln();
                    let rarity = rarity(mentions.max(1));
                    (
                        name_confidence * order,
                        BridgeName {
                            from,
                            place,
                            name,
                            name_place: 0,
                            entity,
                            sentence,
                            rarity,
                            name_confidence,
                        },
                    )
                })
                .collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.name.cmp(&b.1.name)));
            for (name_place, (_, name)) in found.into_iter().take(NAMES_EACH).enumerate() {
                seen.insert(name.entity);
                bridge_names.push(BridgeName { name_place, ..name });
            }
        }
        bridge_names
    }

    /// Returns the names in a passage that may lead on: extracted entities, or subjects of some passage. Of nested
    /// names only the longest counts. Names whose terms all occur in the question are left out.
    fn telling_names(&self, id: PassageId) -> Vec<usize> {
        let candidate = &self.pool.candidates[&id];
        let (passage, statistics) = (&candidate.passage, &self.query.statistics);
        let mut telling = self.longest_names(id, |name: &NameRun| {
            passage.entities.contains(&name.entity) || statistics.passages_about(name.entity) > 0
        });
        telling.retain(|&index| {
            let terms = self.engine.lexical.query_terms(candidate.name_text(index));
            terms.into_iter().any(|term| !self.query.bits.has(term))
        });
        telling
    }

    /// Repeats the search with names from the top passages, in one round trip.
    pub(crate) async fn ask_again(&mut self, bridge_names: &[BridgeName]) -> Result<()> {
        let options = &self.query.question.options;
        let (passages, names) = (options.bridge_passages, options.bridge_names);
        let bridges: Vec<&BridgeName> =
            bridge_names.iter().filter(|name| name.place < passages && name.name_place < names).collect();
        if bridges.is_empty() {
            return Ok(());
        }
        let mut targets: Vec<Target> =
            bridges.iter().map(|bridge| Target::Sparse(self.rewrite_with(bridge, rewrite::words))).collect();
        targets.extend(self.by_meaning(&bridges).await);
        let among = self.query.allowed(documents(Filter::everything()));
        let searches =
            targets.into_iter().map(|target| Nearest { target, among: among.clone(), limit: BRIDGE_RESULTS });
        let graph = self.engine.graph;
        let mut by_words = graph.nearest_ids::<Passage>(searches.collect()).await.stage(Stage::Expand)?;
        let before = self.pool.candidates.len();
        // Bridges and hops often find the same passages; only new ones are read.
        let found = by_words.iter().flatten().map(|&(id, _)| id).collect();
        self.engine.read_new(&mut self.pool, self.query, found).await.stage(Stage::Expand)?;
        let by_meaning = by_words.split_off(bridges.len());
        for (bridge, hits) in bridges.iter().zip(by_words) {
            self.lead_by_words(bridge, hits);
        }
        for (bridge, hits) in bridges.iter().zip(by_meaning) {
            self.lead_by_meaning(bridge, hits);
        }
        for bridge in &bridges {
            let from = &self.pool.candidates[&bridge.from];
            let name = from.name_text(bridge.name);
            self.lines.push(format!("searched again with {name:?} from {:?}", label(&from.passage)));
        }
        self.lines.push(format!("bridges lead to {} more passages", self.pool.candidates.len() - before));
        Ok(())
    }

    /// Rewrites the question for a bridge.
    fn rewrite_with<T>(
        &self,
        bridge: &BridgeName,
        rewrite: impl Fn(&Query, &Candidate, &str, &Lexical) -> T,
    ) -> T {
        let from = &self.pool.candidates[&bridge.from];
        rewrite(self.query, from, from.name_text(bridge.name), self.engine.lexical)
    }

    /// Embeds the rewritten questions in one batch, if there is an embedder. If embedding fails, only the lexical
    /// searches are made.
    async fn by_meaning(&mut self, bridges: &[&BridgeName]) -> Vec<Target> {
        if self.query.dense.is_none() {
            return Vec::new();
        }
        let texts: Vec<String> =
            bridges.iter().map(|bridge| self.rewrite_with(bridge, rewrite::text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        match self.engine.encoder.encode_queries(&texts).await {
            Ok(encoded) => encoded.into_iter().filter_map(|query| query.dense).map(Target::Dense).collect(),
            Err(error) => {
                self.lines.push(format!("bridges: the embedder failed, so the search is by words: {error}"));
                Vec::new()
            }
        }
    }

    /// Adds routes to the lexical results of a bridge. If some passages are about its name, only those count.
    fn lead_by_words(&mut self, bridge: &BridgeName, hits: Vec<(PassageId, f32)>) {
        let best = hits.first().map_or(1.0, |hit| hit.1).max(f32::MIN_POSITIVE);
        let words = self.words_of_name(bridge);
        let &BridgeName { from, name, name_confidence, entity, .. } = bridge;
        let is_known = self.query.statistics.passages_about(entity) > 0;
        self.lead(from, hits, |candidate, statistics, rank, score| {
            let counts = !is_known || candidate.passage.subjects.contains(&entity);
            counts.then(|| RouteKind::Bridge {
                name,
                rank,
                score: score / best,
                said: share_said(&words, candidate, statistics),
                name_confidence,
            })
        });
    }

    fn lead_by_meaning(&mut self, bridge: &BridgeName, hits: Vec<(PassageId, f32)>) {
        let words = self.words_of_name(bridge);
        let &BridgeName { from, name, name_confidence, .. } = bridge;
        self.lead(from, hits, |candidate, statistics, rank, _| {
            let said = share_said(&words, candidate, statistics);
            Some(RouteKind::DenseBridge { name, rank, said, name_confidence })
        });
    }

    fn words_of_name(&self, bridge: &BridgeName) -> Vec<u32> {
        self.engine.lexical.query_terms(self.pool.candidates[&bridge.from].name_text(bridge.name))
    }

    /// Adds routes from a passage to its results for which `kind` returns a route, except to itself.
    fn lead(
        &mut self,
        from: PassageId,
        hits: Vec<(PassageId, f32)>,
        kind: impl Fn(&Candidate, &Statistics, usize, f32) -> Option<RouteKind>,
    ) {
        let others = hits.into_iter().filter(|(id, _)| *id != from);
        for (rank, (id, score)) in others.enumerate() {
            // The passage was deleted in the meantime.
            let Some(candidate) = self.pool.candidates.get_mut(&id) else { continue };
            let kind = kind(candidate, &self.query.statistics, rank, score);
            candidate.routes.extend(kind.map(|kind| Route { from, kind }));
        }
    }

    /// Adds routes from each name to all candidates that contain it.
    pub(crate) fn link_by_name(&mut self, bridge_names: &[BridgeName]) {
        let wanted: HashMap<EntityId, usize> =
            bridge_names.iter().enumerate().map(|(at, name)| (name.entity, at)).collect();
        let open: Vec<u128> =
            bridge_names.iter().map(|name| !self.pool.candidates[&name.from].covered).collect();
        let bits = &self.query.bits;
        let mut routes: Vec<(PassageId, Route)> = Vec::new();
        for (&to, candidate) in &self.pool.candidates {
            for (at, (is_about, sentences)) in said_names(candidate, &wanted) {
                let name = &bridge_names[at];
                if name.from == to {
                    continue;
                }
                let said = sentences.iter().map(|sentence| sentence & open[at]);
                let said = said.max_by(|a, b| bits.weight(*a).total_cmp(&bits.weight(*b))).unwrap_or(0);
                let BridgeName { from, name, sentence, rarity, name_confidence, .. } = *name;
                routes.push((
                    to,
                    Route {
                        from,
                        kind: RouteKind::Carry { name, sentence, said, rarity, name_confidence, is_about },
                    },
                ));
            }
        }
        self.lines.push(format!(
            "{} bridge names add {} routes to passages that contain them",
            bridge_names.len(),
            routes.len()
        ));
        for (to, route) in routes {
            let candidate = self.pool.candidates.get_mut(&to).expect("the way leads to a candidate");
            candidate.routes.push(route);
        }
    }
}

/// Returns the wanted names in a passage. Each comes with whether the passage is about it, and with the question terms
/// of the sentences that contain it, or of all sentences if the passage is about it.
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

/// Returns the share of these terms that the passage contains, weighted by IDF.
fn share_said(words: &[u32], candidate: &Candidate, statistics: &Statistics) -> f32 {
    let weight = |terms: &mut dyn Iterator<Item = &u32>| -> f32 {
        terms.map(|&term| statistics.inverse_document_frequency(term)).sum()
    };
    let all = weight(&mut words.iter()).max(f32::MIN_POSITIVE);
    weight(&mut words.iter().filter(|&&term| candidate.analysis.weight(term).is_some())) / all
}
