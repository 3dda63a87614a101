//! The explanation of a ranking. The web page displays it.

use quiver::{Budget, Explanation, FoundBy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Hop;

/// Explains the ranking of the candidates.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Explained {
    /// The question, split into words and the text between them.
    parts: Vec<QuestionPart>,
    /// The names in the question that are linked to entities.
    names: Vec<QuestionName>,
    /// The ambiguous names. `meanings` in a request selects an entity for each.
    choices: Vec<NameChoice>,
    /// The words that occur in no passage, each with the word that is searched for instead.
    corrected: Vec<CorrectedWord>,
    /// The total number of candidates.
    candidates_count: usize,
    /// The best candidates in their final order, then the best by plain search and those on a path.
    candidates: Vec<ExplainedCandidate>,
    /// What the budgets cut, in the order of the hops.
    cuts: Vec<HopCut>,
    /// The entities in `pinned` of the request.
    pinned: Vec<PinnedEntity>,
    /// The dated facts that ended, and those that ended them, of the entities that the question names and of those on
    /// the way to the answer.
    facts: Vec<DatedFact>,
}

/// An entity that the search starts from, as requested.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct PinnedEntity {
    id: String,
    entity: String,
    /// The number of passages about it.
    passages_about: u32,
}

/// A fact that ended, or that ended another one.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct DatedFact {
    id: String,
    subject: String,
    predicate: String,
    object: String,
    denied: bool,
    /// Whether it holds now.
    holds: bool,
    /// When it began to hold, in milliseconds since 1970.
    begin: i64,
    /// When it ended, in milliseconds since 1970, if that is known.
    end: Option<i64>,
    /// The ID of the fact that ended it.
    ended_by: Option<String>,
    session: String,
    /// The sentence that states it.
    sentence: String,
}

/// What a budget cut at a hop.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct HopCut {
    /// The number of the hop, from 1.
    hop: usize,
    /// `passages_followed`: the hop started from the best passages only. `passages_read`: a search of the hop reached
    /// its limit. `hops`: no further hop was allowed. `time`: time ran out.
    budget: String,
    /// The number of passages that the hop did not start from or did not read.
    passages_count: usize,
    /// The first 20 of them by their titles, or for `passages_read` the names they are about.
    names: Vec<CutName>,
}

/// A name that a budget cut.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct CutName {
    name: String,
    /// The ID of the passage, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<String>,
    /// The number of passages that are cut with this name.
    passages_count: u32,
}

/// A part of a question.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct QuestionPart {
    text: String,
    /// The word's share of the total word weight; 0 for text that is not searched for.
    share: f32,
    /// Whether any passage contains the word.
    is_known: bool,
}

/// A name in a question, linked to an entity.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct QuestionName {
    entity: String,
    /// The index of the first part of the name.
    first: usize,
    /// The index after the last part of the name.
    end: usize,
    /// The number of passages about the entity.
    passages_about: u32,
}

/// An ambiguous name in a question.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NameChoice {
    /// The name, as expected by `meanings`.
    name: String,
    /// The index of the first part of the name.
    first: usize,
    /// The index after the last part of the name.
    end: usize,
    /// The ID of the selected entity, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// The entities: first those with exactly this name, then those whose name contains it.
    candidates: Vec<MeaningCandidate>,
}

/// An entity that an ambiguous name may refer to.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct MeaningCandidate {
    /// Its ID, as expected by `meanings`.
    id: String,
    entity: String,
    /// Its kind, such as `person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// A sentence that describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The number of passages about it.
    passages_about: u32,
}

/// A word that occurs in no passage.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct CorrectedWord {
    written: String,
    read_as: String,
}

/// A candidate, with what determines its rank.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ExplainedCandidate {
    passage: String,
    document: String,
    title: Option<String>,
    /// The text, cut after 4,000 characters.
    text: String,
    /// When it was written or said, in milliseconds since 1970, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
    /// `search`, `hop` or `bridge`.
    found_by: String,
    /// The number of the hop that found it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    hop: Option<usize>,
    /// The rank in plain search, from 1; `null` if plain search did not find it.
    plain_rank: Option<usize>,
    plain_score: f32,
    score: f32,
    /// The indices of the names in the question that it is about or mentions.
    names: Vec<usize>,
    /// The indices of the pinned entities that it is about or mentions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pinned: Vec<usize>,
    /// The indices of the question's parts that it contains.
    parts: Vec<usize>,
    /// The sentence that matches the question best.
    sentence: String,
    /// The probability that it is evidence: on its own, after the hops, and after the bridges.
    stages: Vec<f32>,
    features: Vec<ExplainedFeature>,
    /// The number of paths to it.
    routes_count: usize,
    path: Vec<Hop>,
}

/// A feature of a candidate in the last stage of the linear scorer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ExplainedFeature {
    name: String,
    value: f32,
    /// Its contribution to the log odds.
    adds: f32,
}

impl Explained {
    /// Makes the form.
    pub(crate) fn of(explanation: &Explanation) -> Self {
        let Explanation {
            parts,
            names,
            choices,
            corrected,
            candidates_count,
            candidates,
            cuts,
            pinned,
            facts,
            ..
        } = explanation;
        let pinned_entity = |pinned: &quiver::PinnedEntity| PinnedEntity {
            id: pinned.id.to_string(),
            entity: pinned.entity.clone(),
            passages_about: pinned.passages_about,
        };
        let part = |part: &quiver::QuestionPart| {
            let quiver::QuestionPart { text, share, is_known, .. } = part;
            QuestionPart { text: text.clone(), share: *share, is_known: *is_known }
        };
        let name = |name: &quiver::QuestionName| {
            let quiver::QuestionName { entity, parts: (first, end), passages_about, .. } = name;
            QuestionName { entity: entity.clone(), first: *first, end: *end, passages_about: *passages_about }
        };
        let corrected = corrected.iter();
        Self {
            parts: parts.iter().map(part).collect(),
            names: names.iter().map(name).collect(),
            choices: choices.iter().map(NameChoice::of).collect(),
            corrected: corrected
                .map(|(written, read_as)| CorrectedWord {
                    written: written.clone(),
                    read_as: read_as.clone(),
                })
                .collect(),
            candidates_count: *candidates_count,
            candidates: candidates.iter().map(ExplainedCandidate::of).collect(),
            cuts: cuts.iter().map(HopCut::of).collect(),
            pinned: pinned.iter().map(pinned_entity).collect(),
            facts: facts.iter().map(DatedFact::of).collect(),
        }
    }
}

impl DatedFact {
    fn of(fact: &quiver::DatedFact) -> Self {
        Self {
            id: fact.id.to_string(),
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            denied: fact.denied,
            holds: fact.holds,
            begin: fact.begin,
            end: fact.end,
            ended_by: fact.ended_by.map(|id| id.to_string()),
            session: fact.session.clone(),
            sentence: fact.sentence.clone(),
        }
    }
}

impl HopCut {
    fn of(cut: &quiver::HopCut) -> Self {
        let name = |name: &quiver::CutName| CutName {
            name: name.name.clone(),
            passage: name.passage.map(|id| id.to_string()),
            passages_count: name.passages_count,
        };
        Self {
            hop: cut.hop,
            budget: match cut.budget {
                Budget::PassagesFollowed => "passages_followed",
                Budget::PassagesRead => "passages_read",
                Budget::Hops => "hops",
                Budget::Time => "time",
                _ => "other",
            }
            .to_owned(),
            passages_count: cut.passages_count,
            names: cut.names.iter().map(name).collect(),
        }
    }
}

impl NameChoice {
    fn of(choice: &quiver::NameChoice) -> Self {
        let quiver::NameChoice { name, parts: (first, end), chosen, candidates, .. } = choice;
        let candidate = |candidate: &quiver::MeaningCandidate| {
            let quiver::MeaningCandidate { id, entity, kind, description, passages_about, .. } = candidate;
            MeaningCandidate {
                id: id.to_string(),
                entity: entity.clone(),
                kind: kind.clone(),
                description: description.clone(),
                passages_about: *passages_about,
            }
        };
        Self {
            name: name.clone(),
            first: *first,
            end: *end,
            chosen: chosen.map(|id| id.to_string()),
            candidates: candidates.iter().map(candidate).collect(),
        }
    }
}

impl ExplainedCandidate {
    fn of(candidate: &quiver::ExplainedCandidate) -> Self {
        let (found_by, hop) = match candidate.found_by {
            FoundBy::Search => ("search", None),
            FoundBy::Hop(hop) => ("hop", Some(hop)),
            FoundBy::Bridge => ("bridge", None),
            _ => ("other", None),
        };
        let features = candidate.features.iter();
        Self {
            passage: candidate.passage.to_string(),
            document: candidate.document.clone(),
            title: candidate.title.clone(),
            text: candidate.text.clone(),
            time: candidate.time,
            found_by: found_by.to_owned(),
            hop,
            plain_rank: candidate.plain_rank,
            plain_score: candidate.plain,
            score: candidate.score,
            names: candidate.names.clone(),
            pinned: candidate.pinned.clone(),
            parts: candidate.parts.clone(),
            sentence: candidate.sentence.clone(),
            stages: candidate.stages.clone(),
            features: features
                .map(|feature| ExplainedFeature {
                    name: feature.name.to_owned(),
                    value: feature.value,
                    adds: feature.adds,
                })
                .collect(),
            routes_count: candidate.routes_count,
            path: Hop::all(&candidate.path),
        }
    }
}
