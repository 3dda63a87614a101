//! Why the candidates of a question rank where they do: the content of
//! [`Trace::explanation`](crate::Trace::explanation).

use quiver_graph::{EntityId, PassageId, RelationId};
use serde::Serialize;

use crate::step::Step;

/// Explains the ranking of the candidates of a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The question, split into parts: each is one word, or the text between two words.
    pub parts: Vec<QuestionPart>,
    /// The entities that the question names.
    pub names: Vec<QuestionName>,
    /// The names that may mean several entities, in the order of the question.
    pub choices: Vec<NameChoice>,
    /// Words that no passage contains, each with its replacement in the search.
    pub corrected: Vec<(String, String)>,
    /// Number of all candidates.
    pub candidates_count: usize,
    /// The best candidates in their final order, then others: the best by plain search, and those on a path.
    pub candidates: Vec<ExplainedCandidate>,
    /// What the budgets cut, in the order of the hops.
    pub cuts: Vec<HopCut>,
    /// The pinned entities: see [`AskOptions::pinned`](crate::AskOptions::pinned).
    pub pinned: Vec<PinnedEntity>,
    /// The dated facts that ended, and those that ended them, of the entities that the question names and of those on
    /// the way to the answer. Only answers have them. At most 100.
    pub facts: Vec<DatedFact>,
}

/// An entity that the search starts from, as requested.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PinnedEntity {
    /// Its ID.
    pub id: EntityId,
    /// Its name.
    pub entity: String,
    /// Number of passages about it.
    pub passages_about: u32,
}

/// A fact that ended, or that ended another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DatedFact {
    /// Its ID.
    pub id: RelationId,
    /// The subject's name, as stated.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object's name, as stated.
    pub object: String,
    /// Whether the fact is a denial.
    pub denied: bool,
    /// Whether it holds now.
    pub holds: bool,
    /// When it began to hold, in milliseconds since 1970.
    pub begin: i64,
    /// When it ended, in milliseconds since 1970, if that is known.
    pub end: Option<i64>,
    /// The fact that ended it.
    pub ended_by: Option<RelationId>,
    /// The session in which it was said.
    pub session: String,
    /// The sentence that states it.
    pub sentence: String,
}

impl Explanation {
    /// Removes the names of passages that are not to be shown. They stay counted.
    pub(crate) fn forget_names(&mut self, is_hidden: impl Fn(PassageId) -> bool) {
        for cut in &mut self.cuts {
            cut.names.retain(|name| !name.passage.is_some_and(&is_hidden));
        }
    }
}

/// What a budget cut at a hop.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HopCut {
    /// The hop, from 1. One more than the last hop if no further hop was allowed.
    pub hop: usize,
    /// The budget.
    pub budget: Budget,
    /// Number of passages that the hop did not start from or did not read.
    pub passages_count: usize,
    /// The first 20 names: of passages that the hop did not start from, most probable first; or of entities whose
    /// passages it did not read in full, those with the most of them first.
    pub names: Vec<CutName>,
}

/// A name that a budget cut.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CutName {
    /// The title of a passage, or its document, or a name that passages mention, truncated to 200 characters.
    pub name: String,
    /// The passage, if it is one.
    pub passage: Option<PassageId>,
    /// Number of passages that are cut with this name.
    pub passages_count: u32,
}

/// A budget of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Budget {
    /// [`AskOptions::frontier_limit`](crate::AskOptions::frontier_limit): passages that the hop did not start from.
    PassagesFollowed,
    /// [`AskOptions::hop_limit`](crate::AskOptions::hop_limit): passages that the hop did not read.
    PassagesRead,
    /// [`AskOptions::hops_max`](crate::AskOptions::hops_max): passages found by the last hop.
    Hops,
    /// [`AskOptions::time_max`](crate::AskOptions::time_max): passages that a hop would have started from.
    Time,
}

/// A part of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QuestionPart {
    /// Its text in the question.
    pub text: String,
    /// The word's share of the weight of all words; 0 for parts without meaning.
    pub share: f32,
    /// Whether some passage contains the word; true for parts without meaning.
    pub is_known: bool,
}

/// A name in a question, linked to an entity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QuestionName {
    /// The name of the entity.
    pub entity: String,
    /// The first part of the question that belongs to the name, and the one after the last.
    pub parts: (usize, usize),
    /// Number of passages about the entity.
    pub passages_about: u32,
}

/// A name in a question that may mean several entities.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NameChoice {
    /// The name, in the form that [`Meaning::name`](crate::Meaning::name) takes.
    pub name: String,
    /// The first part of the question that belongs to the name, and the one after the last.
    pub parts: (usize, usize),
    /// The chosen entity, if any.
    pub chosen: Option<EntityId>,
    /// The entities: first those with this name, then those whose longer name contains it, each in descending order of
    /// passages.
    pub candidates: Vec<MeaningCandidate>,
}

/// An entity that a name in a question may mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeaningCandidate {
    /// Its ID.
    pub id: EntityId,
    /// Its name.
    pub entity: String,
    /// Its kind, such as `person`.
    pub kind: Option<String>,
    /// A sentence that describes it.
    pub description: Option<String>,
    /// Number of passages about it.
    pub passages_about: u32,
}

/// A candidate, with the reasons for its rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedCandidate {
    /// The passage.
    pub passage: PassageId,
    /// Its document.
    pub document: String,
    /// Its title.
    pub title: Option<String>,
    /// Its text, truncated to 4,000 characters.
    pub text: String,
    /// When it was written or said, in milliseconds since 1970, if that is known.
    pub time: Option<i64>,
    /// What found it first.
    pub found_by: FoundBy,
    /// Its rank in plain search, from 1; `None` if plain search did not find it.
    pub plain_rank: Option<usize>,
    /// Its score in plain search, from 0 to 1.
    pub plain: f32,
    /// Its final score.
    pub score: f32,
    /// The names in the question that it is about or mentions, as indices into [`Explanation::names`].
    pub names: Vec<usize>,
    /// The pinned entities that it is about or mentions, as indices into [`Explanation::pinned`].
    pub pinned: Vec<usize>,
    /// The words of the question that it contains, as indices into [`Explanation::parts`].
    pub parts: Vec<usize>,
    /// Its sentence that covers the most of the question.
    pub sentence: String,
    /// The probability that it is evidence after each stage of the linear scorer: alone, after hops, after bridges.
    pub stages: Vec<f32>,
    /// The features other than 0, in the order of [`FEATURES`](crate::score::FEATURES).
    pub features: Vec<ExplainedFeature>,
    /// Number of routes that lead to it.
    pub routes_count: usize,
    /// The passages that lead to it, from the first on, each with the step from it.
    pub path: Vec<(PassageId, Step)>,
}

/// A feature of a candidate, as seen by the last stage of the linear scorer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedFeature {
    /// Its name.
    pub name: &'static str,
    /// Its value, usually from 0 to 1.
    pub value: f32,
    /// Its contribution to the log odds.
    pub adds: f32,
}

/// What found a candidate first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FoundBy {
    /// The search for seeds.
    #[default]
    Search,
    /// The hop with this number, from 1.
    Hop(usize),
    /// The question, repeated with a name from another passage.
    Bridge,
}
