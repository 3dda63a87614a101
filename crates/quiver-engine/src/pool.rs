//! The candidate pool: passages that may be evidence, their scores, and the routes between them.

use std::{collections::BTreeMap, sync::Arc};

use quiver_graph::{Passage, PassageId};

use crate::{
    analysis::{Analysis, Stemmed},
    explanation::FoundBy,
    question::Query,
};

/// The share of the question's weight that a pinned entity has.
const PINNED_SHARE: f32 = 0.5;

/// The passages to start from.
#[derive(Debug)]
pub(crate) struct Seeds {
    pub(crate) query: Query,
    pub(crate) pool: Pool,
}

/// What was reached from the seeds.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) query: Query,
    pub(crate) pool: Pool,
    /// Whether a decision that entities are the same changed the search.
    pub(crate) follows_merges: bool,
}

/// The candidates of a question.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// What finds the candidates that are being added.
    pub(crate) found_by: FoundBy,
    pub(crate) candidates: BTreeMap<PassageId, Candidate>,
}

/// A passage that may be evidence.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) passage: Passage,
    pub(crate) analysis: Arc<Analysis>,
    /// What found it first.
    pub(crate) found_by: FoundBy,
    /// Fused score of plain search, from 0 to 1; 0 if plain search did not find the passage.
    pub(crate) plain: f32,
    /// Dot product of its sparse vector with the question's.
    pub(crate) lexical: f32,
    /// Dot product of its dense vector with the question's, if both have one.
    pub(crate) dense: Option<f32>,
    /// Question terms that it contains, as a bit set.
    pub(crate) covered: u128,
    /// Question terms in each of its sentences, as bit sets, without the terms of other names.
    pub(crate) sentences: Vec<u128>,
    /// The entity named in the question that the passage is about.
    pub(crate) linked: Option<Linked>,
    /// The entity named in the question that the passage mentions.
    pub(crate) mentions: Option<Linked>,
    /// How much of its title, or of its first words, occurs in the question, from 0 to 1, without the terms of other
    /// names.
    pub(crate) title: f32,
    /// The routes that lead to it.
    pub(crate) routes: Vec<Route>,
    /// Probability that it is evidence, from its own features alone.
    pub(crate) own: f32,
    /// Probability that it is evidence, from all features known so far.
    pub(crate) probability: f32,
}

/// An entity named in the question, as seen from a passage that is about it or mentions it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linked {
    /// The name's share of the question's weight.
    pub(crate) share: f32,
    /// Whether it is written as a name.
    pub(crate) is_name: bool,
    /// Number of passages about it, at least 1.
    pub(crate) about: u32,
}

/// A route from one passage to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    pub(crate) from: PassageId,
    pub(crate) kind: RouteKind,
}

/// How one passage leads to another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RouteKind {
    /// A sentence of the first mentions what the second is about.
    Forward {
        /// The name's index in the first passage.
        name: usize,
        /// Question terms in that sentence, and those close before the name, as bit sets.
        sentence: u128,
        near: u128,
        /// Confidence that this is a name, from 0 to 1.
        name_confidence: f32,
    },
    /// The second mentions what the first is about.
    Back,
    /// Both mention the same entity.
    Shared {
        /// Rarity of the entity, from 0 to 1.
        rarity: f32,
    },
    /// A lexical search with a name from the first passage, without the terms that passage answered, found the
    /// second.
    Bridge {
        /// The name's index in the first passage.
        name: usize,
        /// Rank among the results, from 0.
        rank: usize,
        /// Score relative to the best result.
        score: f32,
        /// How much of the name the second contains, from 0 to 1.
        said: f32,
        /// Confidence that this is a name, from 0 to 1.
        name_confidence: f32,
    },
    /// The same search by dense vectors found the second.
    DenseBridge {
        /// The name's index in the first passage.
        name: usize,
        /// Rank among the results, from 0.
        rank: usize,
        /// How much of the name the second contains, from 0 to 1.
        said: f32,
        /// Confidence that this is a name, from 0 to 1.
        name_confidence: f32,
    },
    /// The second contains a name taken from the first.
    Carry {
        /// The name's index in the first passage.
        name: usize,
        /// Question terms in the first passage's sentence with the name, as a bit set.
        sentence: u128,
        /// Question terms that the first passage lacks and that the second has in one sentence with the name, as a
        /// bit set.
        said: u128,
        /// Rarity of the name, and confidence that it is one, from 0 to 1.
        rarity: f32,
        name_confidence: f32,
        /// Whether the second is about the name.
        is_about: bool,
    },
}

/// Rarity of a name that this many passages mention: 1 for 0 mentions, about 0.63 for 1, 0.5 for 2.
pub(crate) fn rarity(mentions: u32) -> f32 {
    1.0 / (2.0 + mentions as f32).log2()
}

impl Candidate {
    pub(crate) fn new(passage: Passage, analysis: Arc<Analysis>, query: &Query) -> Self {
        let bits = &query.bits;
        let mut covered = bits.covered_by_sorted(&analysis.vector, |entry| entry.0);
        let other = of_other_names(&passage, &analysis, query);
        let mut sentences: Vec<u128> = analysis
            .sentences
            .iter()
            .map(|sentence| bits.covered_by_sorted(&sentence.terms, |term| *term) & !other)
            .collect();
        // A passage with another name of an entity, by decision, covers the question's words for it.
        for link in query.linked.iter().filter(|link| !link.other_names().is_empty()) {
            for run in analysis.names.iter().filter(|run| run.entity == link.entity.id) {
                covered |= link.words;
                if let Some(sentence) = sentences.get_mut(usize::from(run.sentence)) {
                    *sentence |= link.words;
                }
            }
        }
        let lexical = query
            .terms
            .iter()
            .filter_map(|term| analysis.weight_of(term).map(|weight| weight * term.weight))
            .sum();
        let strongest = |ids: &[quiver_graph::EntityId]| {
            let linked = query.linked.iter().filter(|link| ids.contains(&link.entity.id));
            let seen = linked.map(|link| Linked {
                share: bits.share(link.words),
                is_name: link.is_name,
                about: query.statistics.passages_about(link.entity.id).max(1),
            });
            // A pinned entity counts like a name that makes up this share of the question.
            let pinned = query.pinned.iter().filter(|entity| ids.contains(&entity.id)).map(|entity| Linked {
                share: PINNED_SHARE,
                is_name: true,
                about: query.statistics.passages_about(entity.id).max(1),
            });
            seen.chain(pinned).max_by(|a, b| a.share.total_cmp(&b.share).then(b.about.cmp(&a.about)))
        };
        Self {
            linked: strongest(&passage.subjects),
            mentions: strongest(&passage.entities),
            title: said_of_title(&analysis.lead, query, other),
            passage,
            analysis,
            found_by: FoundBy::default(),
            plain: 0.0,
            lexical,
            dense: None,
            covered,
            sentences,
            routes: Vec::new(),
            own: 0.0,
            probability: 0.0,
        }
    }

    /// Returns a name of the passage as written there.
    pub(crate) fn name_text(&self, name: usize) -> &str {
        let range = &self.analysis.names[name].range;
        &self.passage.text[range.start as usize..range.end as usize]
    }
}

/// Returns the question terms that occur only in names of what other passages are about, as a bit set. Sharing words
/// with *I Guess I Like It Like That* says nothing about a passage on *I Like It Like That*.
fn of_other_names(passage: &Passage, analysis: &Analysis, query: &Query) -> u128 {
    let means = |id| {
        passage.subjects.contains(&id)
            || passage.entities.contains(&id)
            || analysis.names.iter().any(|run| run.entity == id)
    };
    let (mut named, mut meant) = (0, 0);
    for link in query.linked.iter().filter(|link| link.is_name) {
        if query.statistics.passages_about(link.entity.id) > 0 {
            named |= link.words;
        }
        if means(link.entity.id) {
            meant |= link.words;
        }
    }
    named & !meant
}

/// Share of a title's IDF weight that occurs in the question, times the square root of its share of the question.
/// Terms of other names don't count.
fn said_of_title(title: &[Stemmed], query: &Query, other: u128) -> f32 {
    let covered = |word: &Stemmed| query.bits.covered_by(word.hashes());
    let said = |word: &&Stemmed| covered(word) & !other != 0;
    let weight = |word: &Stemmed| query.statistics.inverse_document_frequency(word.term);
    let all: f32 = title.iter().map(weight).sum();
    let of_title: f32 = title.iter().filter(said).map(weight).sum();
    let of_question = query.bits.share(title.iter().fold(0, |all, word| all | covered(word)) & !other);
    if of_title > 0.0 { of_title / all * of_question.sqrt() } else { 0.0 }
}

impl Pool {
    /// Returns the candidates that satisfy `passes`, most probable first; ties by ID.
    pub(crate) fn best(&self, limit: usize, passes: impl Fn(&Candidate) -> bool) -> Vec<PassageId> {
        let mut best: Vec<_> = self.candidates.values().filter(|candidate| passes(candidate)).collect();
        best.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.passage.id.cmp(&b.passage.id)));
        best.into_iter().take(limit).map(|candidate| candidate.passage.id).collect()
    }
}
