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

/// How several signals of one feature become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// A feature of the passage itself.
    Own,
    /// The strongest counts.
    Max,
    /// All count, up to 2.
    Sum,
}

/// One number of those that a candidate is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name, as the file of weights has it.
    pub name: &'static str,
    /// The stage from which on it is known.
    pub stage: Stage,
    /// How its signals are combined.
    pub combine: Combine,
}

/// How many features there are.
pub const FEATURES_COUNT: usize = FEATURES.len();

/// The features of a candidate, in the order of [`FEATURES`].
pub type Features = [f32; FEATURES_COUNT];

macro_rules! features {
    ($($constant:ident $name:literal $stage:ident $combine:ident,)*) => {
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Index { $($constant,)* }
        /// The features, in their order.
        pub const FEATURES: &[Feature] =
            &[$(Feature { name: $name, stage: Stage::$stage, combine: Combine::$combine },)*];
    };
}

features! {
    // The words of the passage, the nearness of its meaning, its best sentence: relative to the best candidate's.
    Lexical "lexical" Seeds Own,
    Dense "dense" Seeds Own,
    Sentence "sentence" Seeds Own,
    // The share of the question that it says.
    Coverage "coverage" Seeds Own,
    // It is about what the question names: the name's share of the question; one over the passages that are about it
    // too, for names with a capital or a digit, and for others; it mentions what the question names.
    LinkedShare "linked_share" Seeds Own,
    LinkedName "linked_name" Seeds Own,
    LinkedWord "linked_word" Seeds Own,
    MentionsLinked "mentions_linked" Seeds Own,
    // The share of its title, or of its first words, that the question says.
    Title "title" Seeds Own,
    // Few sentences.
    Brevity "brevity" Seeds Own,
    // A sentence of another mentions what it is about: that at all, what it says of the question beyond the other,
    // what that sentence says of the question and of what is asked, what is asked close before the name, how near it is
    // in meaning.
    Forward "forward" Hops Sum,
    ForwardNew "forward_new" Hops Max,
    ForwardSentence "forward_sentence" Hops Max,
    ForwardAsked "forward_asked" Hops Max,
    ForwardNear "forward_near" Hops Max,
    ForwardDense "forward_dense" Hops Max,
    // It mentions what another is about.
    Back "back" Hops Max,
    BackNew "back_new" Hops Max,
    // Both mention the same, the rarer the better.
    Shared "shared" Hops Max,
    SharedNew "shared_new" Hops Max,
    // The question, asked again with a name of another, finds it: as the how-manieth, how well.
    BridgeRank "bridge_rank" Bridges Max,
    BridgeScore "bridge_score" Bridges Max,
    // It says a name that another brought up: what the sentence with the name says of the question beyond the other,
    // as a share of the question and of what is left of it; what the other says of the question with the name; both;
    // and the share of what is left where it is about the name.
    CarrySentence "carry_sentence" Bridges Max,
    CarryLeft "carry_left" Bridges Max,
    CarryFrom "carry_from" Bridges Max,
    CarryAsked "carry_asked" Bridges Max,
    CarryBoth "carry_both" Bridges Max,
    CarryAbout "carry_about" Bridges Max,
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
    /// What each is by itself.
    pub own: Vec<Features>,
    /// What leads from one to another.
    pub signals: Vec<Signal>,
    /// Whether an embedder tells how near their meaning is.
    pub is_dense: bool,
}

/// Observes every candidate of the pool, by ascending id.
pub(crate) fn observe(pool: &Pool, query: &Query) -> Observation {
    let (bits, asked) = (&query.bits, query.asked);
    let candidates: Vec<&Candidate> = pool.candidates.values().collect();
    let best = Best::of(&candidates, bits);
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
            route_signals(route.kind, candidates[from], candidate, bits, asked, &best, &mut add);
        }
    }
    Observation {
        documents: candidates.iter().map(|candidate| candidate.passage.document.clone()).collect(),
        own: candidates.iter().map(|candidate| own_features(candidate, bits, &best)).collect(),
        signals,
        is_dense: query.dense.is_some(),
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
    set(Index::Coverage, bits.share(candidate.covered));
    if let Some(linked) = candidate.linked {
        set(Index::LinkedShare, linked.share);
        let kind = if linked.is_name { Index::LinkedName } else { Index::LinkedWord };
        set(kind, 1.0 / linked.about as f32);
    }
    if let Some(linked) = candidate.mentions {
        set(Index::MentionsLinked, linked.share);
    }
    set(Index::Title, candidate.title);
    set(Index::Brevity, 1.0 / (candidate.sentences.len().max(1) as f32).sqrt());
    features
}

/// What a way to a passage adds.
fn route_signals(
    kind: RouteKind,
    from: &Candidate,
    to: &Candidate,
    bits: &TermBits,
    asked: u128,
    best: &Best,
    add: &mut dyn FnMut(Index, f32),
) {
    let new = || bits.share(to.covered & !from.covered);
    match kind {
        RouteKind::Forward { sentence, near, surety, .. } => {
            add(Index::Forward, surety);
            add(Index::ForwardNew, surety * new());
            add(Index::ForwardSentence, surety * bits.share(sentence));
            add(Index::ForwardAsked, surety * bits.share_of(sentence, asked));
            add(Index::ForwardNear, surety * bits.share_of(near, asked));
            add(Index::ForwardDense, surety * best.dense_share(to));
        }
        RouteKind::Back => {
            add(Index::Back, 1.0);
            add(Index::BackNew, new());
        }
        RouteKind::Shared { rarity } => {
            add(Index::Shared, rarity);
            add(Index::SharedNew, rarity * new());
        }
        RouteKind::Bridge { rank, score, said, .. } => {
            add(Index::BridgeRank, said / (1.0 + rank as f32));
            add(Index::BridgeScore, said * score);
        }
        RouteKind::Carry { said, sentence, rarity, is_about, .. } => {
            let of_left = bits.share_of(said, asked & !from.covered);
            let of_asked = bits.share_of(sentence, asked);
            add(Index::CarrySentence, bits.share(said) * rarity);
            add(Index::CarryLeft, of_left * rarity);
            add(Index::CarryFrom, bits.share(sentence) * rarity);
            add(Index::CarryAsked, of_asked * rarity);
            add(Index::CarryBoth, of_asked * of_left);
            add(Index::CarryAbout, if is_about { of_left } else { 0.0 });
        }
    }
}

/// How much a way adds to its passage: what orders the ways that are shown.
pub(crate) fn route_strength(kind: RouteKind, from: &Candidate, to: &Candidate, bits: &TermBits) -> f32 {
    let new = bits.share(to.covered & !from.covered);
    let kind = match kind {
        RouteKind::Forward { sentence, near, .. } => 1.0 + bits.share(sentence) + bits.share(near),
        RouteKind::Bridge { rank, score, .. } => 0.5 * score / (1.0 + rank as f32),
        RouteKind::Carry { said, rarity, .. } => rarity + bits.share(said),
        RouteKind::Back => 0.2,
        RouteKind::Shared { rarity } => 0.2 * rarity,
    };
    from.probability * (kind + new)
}
