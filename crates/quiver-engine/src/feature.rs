//! What is known of a candidate, as numbers: features of the passage itself, and signals along the ways that lead to
//! it.
//!
//! A feature of a way counts as much as the passage that it comes from is believed in, so these are kept as
//! [`Signal`]s until that is known. Most features lie between 0 and 1 and are relative to the question's best
//! candidate or to the weight of its words, so that they compare across corpora.

use std::collections::BTreeMap;

use quiver_graph::PassageId;

use crate::{
    pool::{Candidate, Pool, RouteKind, TermBits},
    question::Query,
    relevance::Relevance,
};

/// How far the pool has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Seeds: each passage by itself.
    Seeds,
    /// Hops: what leads to it, too.
    Hops,
    /// Bridges: what names carry from one to another, too.
    Bridges,
}

/// One number of those that a candidate is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name, as the file of weights has it.
    pub name: &'static str,
    /// The stage from which on it is known.
    pub stage: Stage,
}

/// How many features there are.
pub const FEATURES_COUNT: usize = FEATURES.len();

/// The features of a candidate, in the order of [`FEATURES`].
pub type Features = [f32; FEATURES_COUNT];

macro_rules! features {
    ($($constant:ident $name:literal $stage:ident,)*) => {
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Index { $($constant,)* }
        /// The features, in their order.
        pub const FEATURES: &[Feature] = &[$(Feature { name: $name, stage: Stage::$stage },)*];
    };
}

features! {
    // The words of the passage, the nearness of its meaning, its best sentence: relative to the best candidate's.
    Lexical "lexical" Seeds,
    Dense "dense" Seeds,
    Sentence "sentence" Seeds,
    // It is about what the question names: one over the passages that are about it too, for names with a capital or a
    // digit, and for others; it mentions what the question names.
    LinkedName "linked_name" Seeds,
    LinkedWord "linked_word" Seeds,
    MentionsLinked "mentions_linked" Seeds,
    // The share of its title, or of its first words, that the question says.
    Title "title" Seeds,
    // A sentence of another mentions what it is about: how much of what is asked stands close before the name, and how
    // much of the question in the sentence, relative to the best of all names that lead on from there.
    ForwardNear "forward_near" Hops,
    ForwardSentence "forward_sentence" Hops,
    // It mentions what another is about, or both mention the same, the rarer the better: what it says of the question
    // beyond the other.
    BackNew "back_new" Hops,
    SharedNew "shared_new" Hops,
    // The question, asked again with a name of another, finds it: as the how-manieth, how well.
    BridgeRank "bridge_rank" Bridges,
    BridgeScore "bridge_score" Bridges,
    // The same by meaning, where there is a model.
    BridgeDense "bridge_dense" Bridges,
    // It says a name that another brought up: what the other says of the question with the name; and, where it is about
    // the name, what it says of the rest of the question.
    CarryFrom "carry_from" Bridges,
    CarryAbout "carry_about" Bridges,
}

/// What leads from one candidate to another: worth `value` of a feature times how far the first is believed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The feature, as an index into [`FEATURES`].
    pub feature: usize,
    /// The candidate that it comes from, as an index.
    pub from: usize,
    /// The candidate that it leads to, as an index.
    pub to: usize,
    /// How much it is worth.
    pub value: f32,
}

/// What a scorer knows of the candidates of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The documents of the candidates, by ascending id of the passage.
    pub documents: Vec<String>,
    /// What plain search gives each, from 0 to 1.
    pub plain: Vec<f32>,
    /// What each is by itself.
    pub own: Vec<Features>,
    /// What leads from one to another.
    pub signals: Vec<Signal>,
    /// Whether an embedder tells how near their meaning is.
    pub is_dense: bool,
    /// What the final ranking knows; nothing before the end.
    pub relevance: Relevance,
}

/// Observes every candidate of the pool, by ascending id.
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

/// The best of the pool, that features are relative to.
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

/// What a passage says by itself.
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

/// What the names that lead on from a passage say at the most, as weights of the question's words.
#[derive(Clone, Copy, Debug, Default)]
struct Lead {
    /// Close before the name, of what is asked.
    near: f32,
    /// In its sentence, of the question.
    sentence: f32,
}

/// For each passage with names that lead on, what these say at the most. A question of several steps asks a little of
/// each, so a name is measured by the others beside it and not by the whole question.
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

/// A way from one candidate to another.
struct Way<'a> {
    from: &'a Candidate,
    to: &'a Candidate,
    lead: Lead,
}

impl Way<'_> {
    /// What the way adds to its passage.
    fn signals(&self, kind: RouteKind, bits: &TermBits, asked: u128, add: &mut dyn FnMut(Index, f32)) {
        let Self { from, to, lead } = *self;
        let new = || bits.share(to.covered & !from.covered);
        let relative = |weight: f32, most: f32| if most > 0.0 { weight / most } else { 0.0 };
        match kind {
            RouteKind::Forward { sentence, near, surety, .. } => {
                add(Index::ForwardNear, surety * relative(bits.weight(near & asked), lead.near));
                add(Index::ForwardSentence, surety * relative(bits.weight(sentence), lead.sentence));
            }
            RouteKind::Back => add(Index::BackNew, new()),
            RouteKind::Shared { rarity } => add(Index::SharedNew, rarity * new()),
            RouteKind::Bridge { rank, score, said, surety, .. } => {
                add(Index::BridgeRank, surety * said / (1.0 + rank as f32));
                add(Index::BridgeScore, surety * said * score);
            }
            RouteKind::DenseBridge { rank, said, surety, .. } => {
                add(Index::BridgeDense, surety * said / (1.0 + rank as f32));
            }
            RouteKind::Carry { said, sentence, rarity, surety, is_about, .. } => {
                // Names of the question that the first passage has nothing to do with are not its to say.
                let within = asked | from.covered;
                add(Index::CarryFrom, surety * rarity * bits.share_of(sentence, within));
                if is_about {
                    add(Index::CarryAbout, surety * bits.share_of(said, asked & !from.covered));
                }
            }
        }
    }
}

/// How much a way adds to its passage: what orders the ways that are shown.
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
