//! Features of a candidate: its own, and those of the routes that lead to it.
//!
//! A route's feature counts in proportion to the belief in the passage where the route starts, so it is kept as a
//! [`Signal`] until that belief is known. Most features lie between 0 and 1 and are relative to the question's best
//! candidate or to the total weight of its terms, so that they are comparable across corpora.

use std::collections::BTreeMap;

use quiver_graph::PassageId;

use crate::{
    pool::{Candidate, Pool, RouteKind},
    question::Query,
    terms::TermBits,
};

/// Only this many of the most probable passages send signals.
const SOURCES_MAX: usize = 24;
/// Exponent that turns probability into belief. It is below 1, so that signals from doubtful passages are not lost.
const BELIEF_POWER: f32 = 0.7;

/// A stage of the scorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScoringPass {
    /// Seeds: features of each passage alone.
    Seeds,
    /// Hops: adds the routes of hops.
    Hops,
    /// Bridges: adds the routes of bridges and names.
    Bridges,
}

/// A feature of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name in the weights file.
    pub name: &'static str,
    /// The first stage that uses it.
    pub stage: ScoringPass,
}

/// The number of features.
pub const FEATURES_COUNT: usize = FEATURES.len();

/// The features of a candidate, in the order of [`FEATURES`].
pub type Features = [f32; FEATURES_COUNT];

macro_rules! features {
    ($($constant:ident $name:literal $stage:ident,)*) => {
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Index { $($constant,)* }
        /// The features, in order.
        pub const FEATURES: &[Feature] = &[$(Feature { name: $name, stage: ScoringPass::$stage },)*];
    };
}

features! {
    // BM25, dense score and best sentence, each relative to the best candidate.
    Lexical "lexical" Seeds,
    Dense "dense" Seeds,
    Sentence "sentence" Seeds,
    // The passage is about an entity that the question names: 1 / number of passages about it, for names with a
    // capital or a digit, and for other names; and the passage mentions an entity that the question names.
    LinkedName "linked_name" Seeds,
    LinkedWord "linked_word" Seeds,
    MentionsLinked "mentions_linked" Seeds,
    // Share of the title, or of the first words, that occurs in the question.
    Title "title" Seeds,
    // A sentence of another passage mentions this passage's subject: the weight of the asked terms close before the
    // name, and of the question terms in the sentence, each relative to the best name that leads on from that
    // passage.
    ForwardNear "forward_near" Hops,
    ForwardSentence "forward_sentence" Hops,
    // The passage mentions the subject of another, or both mention the same rare entity: the share of question terms
    // that it adds to those of the other.
    BackNew "back_new" Hops,
    SharedNew "shared_new" Hops,
    // A bridge from another passage finds it: by rank, and by score.
    BridgeRank "bridge_rank" Bridges,
    BridgeScore "bridge_score" Bridges,
    // A dense bridge finds it, if there is an embedder.
    BridgeDense "bridge_dense" Bridges,
    // The passage contains a name taken from another: the question terms next to the name in the other passage; and,
    // if this passage is about the name, its share of the rest of the question.
    CarryFrom "carry_from" Bridges,
    CarryAbout "carry_about" Bridges,
}

/// A route from one candidate to another: contributes `value` to a feature, times the belief in its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The feature, as an index into [`FEATURES`].
    pub feature: usize,
    /// Index of the candidate where the route starts.
    pub from: usize,
    /// Index of the candidate where it ends.
    pub to: usize,
    /// Its contribution at full belief.
    pub value: f32,
}

/// The scorer's input for the candidates of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The documents of the candidates, in ascending order of passage ID.
    pub documents: Vec<String>,
    /// The plain search score of each candidate, from 0 to 1.
    pub plain: Vec<f32>,
    /// Each candidate's own features.
    pub own: Vec<Features>,
    /// The routes between candidates.
    pub signals: Vec<Signal>,
    /// Whether there are dense scores.
    pub is_dense: bool,
    /// The input of the final ranking; empty before that.
    pub relevance: Relevance,
}

/// The input of the final ranking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relevance {
    /// The candidates to rank, as ascending indices: the best by each of several measures.
    pub considered: Vec<usize>,
    /// The feature row of each of these.
    pub rows: Vec<Vec<f32>>,
}

/// Computes the features of every candidate in the pool, in ascending order of ID.
pub(crate) fn observe(pool: &Pool, query: &Query) -> Observation {
    let (bits, asked) = (&query.bits, query.asked);
    let candidates: Vec<&Candidate> = pool.candidates.values().collect();
    let best = Best::of(&candidates, bits);
    let leads = leads(&candidates, bits, asked);
    let indices: BTreeMap<PassageId, usize> = pool.candidates.keys().copied().zip(0..).collect();
    let mut signals = Vec::new();
    for (to, candidate) in candidates.iter().enumerate() {
        for route in &candidate.routes {
            let Some(&from) = indices.get(&route.from).filter(|&&from| from != to) else { continue };
            let mut add = |feature: Index, value: f32| {
                if value > 0.0 {
                    signals.push(Signal { feature: feature as usize, from, to, value });
                }
            };
            let lead = leads.get(&route.from).copied().unwrap_or_default();
            let way = Way { from: candidates[from], to: candidate, lead };
            way.signals(route.kind, bits, asked, &mut add);
        }
    }
    Observation {
        documents: candidates.iter().map(|candidate| candidate.passage.document.clone()).collect(),
        plain: candidates.iter().map(|candidate| candidate.plain).collect(),
        own: candidates.iter().map(|candidate| own_features(candidate, bits, &best)).collect(),
        signals,
        is_dense: query.dense.is_some(),
        relevance: Relevance::default(),
    }
}

/// Computes the features of every candidate at a stage, using the probabilities of the stage before. Of several
/// signals for one feature, the strongest counts.
pub fn features(observed: &Observation, before: Option<&[f32]>, stage: ScoringPass) -> Vec<Features> {
    let mut features = observed.own.clone();
    let Some(before) = before else { return features };
    let beliefs = beliefs(before);
    for signal in &observed.signals {
        if FEATURES[signal.feature].stage <= stage {
            let feature = &mut features[signal.to][signal.feature];
            *feature = feature.max(beliefs[signal.from] * signal.value);
        }
    }
    features
}

/// Returns the belief in each candidate as a source of signals: a power of its probability divided by the square root
/// of the highest probability. Normalising lets a question whose first passage is hard to find still be followed.
fn beliefs(probabilities: &[f32]) -> Vec<f32> {
    let most = probabilities.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
    let mut beliefs = vec![0.0; probabilities.len()];
    for &source in order.iter().take(SOURCES_MAX) {
        beliefs[source] = (probabilities[source] / most.sqrt()).powf(BELIEF_POWER);
    }
    beliefs
}

/// The maxima of the pool, which features are relative to.
struct Best {
    lexical: f32,
    dense: f32,
    sentence: f32,
}

impl Best {
    fn of(candidates: &[&Candidate], bits: &TermBits) -> Self {
        let most = |value: &dyn Fn(&Candidate) -> f32| {
            candidates.iter().map(|candidate| value(candidate)).fold(0.0, f32::max).max(f32::MIN_POSITIVE)
        };
        Self {
            lexical: most(&|candidate| candidate.lexical),
            dense: most(&|candidate| candidate.dense.unwrap_or(0.0)),
            sentence: most(&|candidate| best_sentence(candidate, bits)),
        }
    }

    fn dense_share(&self, candidate: &Candidate) -> f32 {
        (candidate.dense.unwrap_or(0.0) / self.dense).max(0.0)
    }
}

fn best_sentence(candidate: &Candidate, bits: &TermBits) -> f32 {
    candidate.sentences.iter().map(|&sentence| bits.share(sentence)).fold(0.0, f32::max)
}

/// Computes the features of a passage alone.
fn own_features(candidate: &Candidate, bits: &TermBits, best: &Best) -> Features {
    let mut features = [0.0; FEATURES_COUNT];
    let mut set = |feature: Index, value: f32| features[feature as usize] = value;
    set(Index::Lexical, candidate.lexical / best.lexical);
    set(Index::Dense, best.dense_share(candidate));
    set(Index::Sentence, best_sentence(candidate, bits) / best.sentence);
    if let Some(linked) = candidate.linked {
        let kind = if linked.is_name { Index::LinkedName } else { Index::LinkedWord };
        set(kind, 1.0 / linked.about as f32);
    }
    if let Some(linked) = candidate.mentions {
        set(Index::MentionsLinked, linked.share);
    }
    set(Index::Title, candidate.title);
    features
}

/// The maxima over the names that lead on from a passage, as weights of question terms.
#[derive(Clone, Copy, Debug, Default)]
struct Lead {
    /// Question terms close before the name.
    near: f32,
    /// Question terms in the name's sentence.
    sentence: f32,
}

/// Returns these maxima for each passage with names that lead on. In a multi-hop question each step covers only a few
/// terms, so a name is compared with the other names of its passage and not with the whole question.
fn leads(candidates: &[&Candidate], bits: &TermBits, asked: u128) -> BTreeMap<PassageId, Lead> {
    let mut leads: BTreeMap<PassageId, Lead> = BTreeMap::new();
    for route in candidates.iter().flat_map(|candidate| &candidate.routes) {
        if let RouteKind::Forward { near, sentence, .. } = route.kind {
            let lead = leads.entry(route.from).or_default();
            lead.near = lead.near.max(bits.weight(near & asked));
            lead.sentence = lead.sentence.max(bits.weight(sentence));
        }
    }
    leads
}

/// A route between two candidates.
struct Way<'a> {
    from: &'a Candidate,
    to: &'a Candidate,
    lead: Lead,
}

impl Way<'_> {
    /// Passes the features that the route contributes to `add`.
    fn signals(&self, kind: RouteKind, bits: &TermBits, asked: u128, add: &mut dyn FnMut(Index, f32)) {
        let Self { from, to, lead } = *self;
        let new = || bits.share(to.covered & !from.covered);
        let relative = |weight: f32, most: f32| if most > 0.0 { weight / most } else { 0.0 };
        match kind {
            RouteKind::Forward { sentence, near, name_confidence, .. } => {
                add(Index::ForwardNear, name_confidence * relative(bits.weight(near & asked), lead.near));
                add(Index::ForwardSentence, name_confidence * relative(bits.weight(sentence), lead.sentence));
            }
            RouteKind::Back => add(Index::BackNew, new()),
            RouteKind::Shared { rarity } => add(Index::SharedNew, rarity * new()),
            RouteKind::Bridge { rank, score, said, name_confidence, .. } => {
                add(Index::BridgeRank, name_confidence * said / (1.0 + rank as f32));
                add(Index::BridgeScore, name_confidence * said * score);
            }
            RouteKind::DenseBridge { rank, said, name_confidence, .. } => {
                add(Index::BridgeDense, name_confidence * said / (1.0 + rank as f32));
            }
            RouteKind::Carry { said, sentence, rarity, name_confidence, is_about, .. } => {
                // Names in the question that the first passage does not contain must not count against it.
                let within = asked | from.covered;
                add(Index::CarryFrom, name_confidence * rarity * bits.share_of(sentence, within));
                if is_about {
                    add(Index::CarryAbout, name_confidence * bits.share_of(said, asked & !from.covered));
                }
            }
        }
    }
}

/// Strength of a route, which decides the order in which routes are shown.
pub(crate) fn route_strength(kind: RouteKind, from: &Candidate, to: &Candidate, bits: &TermBits) -> f32 {
    let new = bits.share(to.covered & !from.covered);
    let kind = match kind {
        RouteKind::Forward { sentence, near, .. } => 1.0 + bits.share(sentence) + bits.share(near),
        RouteKind::Bridge { rank, score, .. } => 0.5 * score / (1.0 + rank as f32),
        RouteKind::DenseBridge { rank, .. } => 0.5 / (1.0 + rank as f32),
        RouteKind::Carry { said, rarity, .. } => rarity + bits.share(said),
        RouteKind::Back => 0.2,
        RouteKind::Shared { rarity } => 0.2 * rarity,
    };
    from.probability * (kind + new)
}
