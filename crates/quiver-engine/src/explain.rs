//! Builds the explanation of a ranking.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{Entity, PassageId};

use crate::{
    analysis::words,
    engine::Engine,
    explanation::{
        ExplainedCandidate, ExplainedFeature, Explanation, MeaningCandidate, NameChoice, PinnedEntity,
        QuestionName, QuestionPart,
    },
    feature::{FEATURES, Observation, ScoringPass},
    pool::{Candidate, Pool},
    question::{Choice, Query, Ranked},
    score::features,
    terms::{has_passages, stems_asked},
};

/// Number of best passages by plain search that are explained, whatever their final rank.
const PLAIN_EXPLAINED: usize = 10;
/// Number of best passages about pinned entities that are explained.
const PINNED_EXPLAINED: usize = 5;
/// Maximum length of a passage's text in an explanation, in characters.
const TEXT_MAX: usize = 4_000;

/// The input of an explanation.
pub(crate) struct Ranking<'a> {
    pub(crate) engine: Engine<'a>,
    pub(crate) query: &'a Query,
    pub(crate) pool: &'a Pool,
    pub(crate) observed: &'a Observation,
    /// The candidates that were ranked last, in order.
    pub(crate) ranked: &'a [Ranked],
    /// All candidates, in the order of the built-in ranking.
    pub(crate) all: &'a [(PassageId, f32)],
}

/// Explains a ranking. `as_ranked` creates the ranked form of a candidate that has none yet.
pub(crate) fn explain(ranking: &Ranking<'_>, as_ranked: &dyn Fn(&(PassageId, f32)) -> Ranked) -> Explanation {
    let Ranking { engine, query, pool, observed, .. } = *ranking;
    let question = &query.question.text;
    let (parts, words) = parts(engine, query);
    let of = |(first, end): (usize, usize)| Some((words.get(first)?.part, words.get(end - 1)?.part + 1));
    let names: Vec<(QuestionName, quiver_graph::EntityId)> = query
        .linked
        .iter()
        .filter_map(|link| {
            let passages_about = query.statistics.passages_about(link.entity.id);
            let entity = link.entity.name.clone();
            Some((QuestionName { entity, parts: of(link.span)?, passages_about }, link.entity.id))
        })
        .collect();
    let stages = engine.weights.probabilities(observed, ScoringPass::Bridges);
    let rows = features(observed, stages.get(1).map(Vec::as_slice), ScoringPass::Bridges);
    let weights = if observed.is_dense { &engine.weights.dense } else { &engine.weights.lexical };
    let indices: BTreeMap<PassageId, usize> = pool.candidates.keys().copied().zip(0..).collect();
    let plain = plain_order(pool);
    let explained = |ranked: &Ranked| {
        let id = ranked.passage.id;
        let (candidate, at) = (&pool.candidates[&id], indices[&id]);
        let contains =
            |word: &Word| word.terms.iter().any(|&term| query.bits.is_covered(term, candidate.covered));
        let is_of = |entity| {
            candidate.passage.subjects.contains(&entity) || candidate.passage.entities.contains(&entity)
        };
        let features = FEATURES.iter().zip(rows[at]).zip(&weights[2].weights);
        ExplainedCandidate {
            passage: id,
            document: candidate.passage.document.clone(),
            title: candidate.passage.title.clone(),
            text: candidate.passage.text.chars().take(TEXT_MAX).collect(),
            time: candidate.passage.time,
            found_by: candidate.found_by,
            plain_rank: plain.iter().position(|known| *known == id).map(|rank| rank + 1),
            plain: candidate.plain,
            score: ranked.score,
            names: (0..names.len()).filter(|&name| is_of(names[name].1)).collect(),
            pinned: (0..query.pinned.len()).filter(|&at| is_of(query.pinned[at].id)).collect(),
            parts: words.iter().filter(|word| contains(word)).map(|word| word.part).collect(),
            sentence: best_sentence(candidate, query),
            stages: stages.iter().map(|stage| stage[at]).collect(),
            features: features
                .filter(|((_, value), _)| *value != 0.0)
                .map(|((feature, value), weight)| ExplainedFeature {
                    name: feature.name,
                    value,
                    adds: value * weight,
                })
                .collect(),
            routes_count: candidate.routes.len(),
            path: ranked.path.clone(),
        }
    };
    let candidates = chosen(ranking, &plain, as_ranked).iter().map(explained).collect();
    debug_assert_eq!(parts.iter().map(|part| part.text.as_str()).collect::<String>(), *question);
    Explanation {
        parts,
        names: names.into_iter().map(|(name, _)| name).collect(),
        choices: query
            .choices
            .iter()
            .filter_map(|choice| Some(offered(query, choice, of(choice.words)?)))
            .collect(),
        corrected: query.corrected.clone(),
        candidates_count: pool.candidates.len(),
        candidates,
        cuts: query.cuts.clone(),
        pinned: query
            .pinned
            .iter()
            .map(|entity| PinnedEntity {
                id: entity.id,
                entity: entity.name.clone(),
                passages_about: query.statistics.passages_about(entity.id),
            })
            .collect(),
        facts: Vec::new(),
    }
}

/// Returns what a name may mean, in the form of the trace.
fn offered(query: &Query, choice: &Choice, parts: (usize, usize)) -> NameChoice {
    let candidate = |entity: &Entity| MeaningCandidate {
        id: entity.id,
        entity: entity.name.clone(),
        kind: entity.kind.clone(),
        description: entity.description.clone(),
        passages_about: query.statistics.passages_about(entity.id),
    };
    let candidates = choice.candidates.iter().map(candidate).collect();
    NameChoice { name: choice.name.clone(), parts, chosen: choice.chosen, candidates }
}

/// A word of the question.
struct Word {
    /// Its index among the parts.
    part: usize,
    /// Its terms: its own, and those of the parts of a compound.
    terms: Vec<u32>,
}

/// Splits the question into words and the text between them.
fn parts(engine: Engine<'_>, query: &Query) -> (Vec<QuestionPart>, Vec<Word>) {
    let text = query.question.text.as_str();
    let terms = engine.lexical.terms(text);
    let stems = stems_asked(engine.lexical, &query.statistics, text);
    let between = |text: &str| QuestionPart { text: text.to_owned(), share: 0.0, is_known: true };
    let (mut parts, mut found, mut end) = (Vec::new(), Vec::new(), 0);
    for word in words(engine.lexical, text) {
        if word.start > end {
            parts.push(between(&text[end..word.start]));
        }
        let within = terms.iter().filter(|term| word.start <= term.start && term.end <= word.end);
        let own: Vec<u32> = within.map(|term| term.hash).filter(|&term| query.bits.has(term)).collect();
        let is_said = |&term: &u32| has_passages(&query.statistics, &stems, term);
        found.push(Word { part: parts.len(), terms: own.clone() });
        parts.push(QuestionPart {
            text: text[word.start..word.end].to_owned(),
            // Adding zero avoids a negative zero, the sum of nothing.
            share: query.bits.share(query.bits.covered_by(own.iter().copied())) + 0.0,
            is_known: own.is_empty() || own.iter().any(is_said),
        });
        end = word.end;
    }
    if end < text.len() {
        parts.push(between(&text[end..]));
    }
    (parts, found)
}

/// Returns the candidates that plain search found, in its order.
fn plain_order(pool: &Pool) -> Vec<PassageId> {
    let mut found: Vec<&Candidate> =
        pool.candidates.values().filter(|candidate| candidate.plain > 0.0).collect();
    found.sort_by(|a, b| b.plain.total_cmp(&a.plain).then(a.passage.id.cmp(&b.passage.id)));
    found.into_iter().map(|candidate| candidate.passage.id).collect()
}

/// Returns the candidates to explain: those that were ranked, the best by plain search, and all that are on their
/// paths.
fn chosen(
    ranking: &Ranking<'_>,
    plain: &[PassageId],
    as_ranked: &dyn Fn(&(PassageId, f32)) -> Ranked,
) -> Vec<Ranked> {
    let on_path = |ranked: &Ranked| ranked.path.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let known: BTreeSet<PassageId> = ranking.ranked.iter().map(|ranked| ranked.passage.id).collect();
    let mut wanted: Vec<PassageId> = plain.iter().take(PLAIN_EXPLAINED).copied().collect();
    let of_pinned =
        |(id, _): &&(PassageId, f32)| ranking.query.is_about_pinned(&ranking.pool.candidates[id].passage);
    wanted.extend(ranking.all.iter().filter(of_pinned).take(PINNED_EXPLAINED).map(|(id, _)| *id));
    wanted.extend(ranking.ranked.iter().flat_map(on_path));
    let places: BTreeMap<PassageId, usize> = ranking.all.iter().map(|(id, _)| *id).zip(0..).collect();
    let mut others: BTreeMap<usize, Ranked> = BTreeMap::new();
    while let Some(id) = wanted.pop() {
        let place = places[&id];
        if !known.contains(&id) && !others.contains_key(&place) {
            let other = as_ranked(&ranking.all[place]);
            wanted.extend(on_path(&other));
            others.insert(place, other);
        }
    }
    ranking.ranked.iter().cloned().chain(others.into_values()).collect()
}

/// Returns the first sentence of a passage that covers the most of the question.
fn best_sentence(candidate: &Candidate, query: &Query) -> String {
    let weights = candidate.sentences.iter().map(|&sentence| query.bits.weight(sentence));
    let best = weights.enumerate().fold(
        (0, 0.0),
        |best, (at, weight)| {
            if weight > best.1 { (at, weight) } else { best }
        },
    );
    let sentence = candidate.analysis.sentences.get(best.0);
    sentence.map_or("", |sentence| candidate.passage.text[sentence.range.clone()].trim()).to_owned()
}
