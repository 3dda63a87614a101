//! The fourth room: what was reached, in the order of what it contributes to the answer.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use quiver_graph::{Passage, PassageId};
use quiver_models::Lexical;

use crate::{
    Result,
    error::Room,
    question::{Candidate, Evidence, Query, QueryTerm, Ranked, Reach, Route, Step},
};

/// How many candidates a reranker beside the built-in ranking sees.
const RERANKED: usize = 30;

/// What a [`Reranker`] sees of a candidate.
#[derive(Clone, Copy, Debug)]
pub struct RerankCandidate<'a> {
    /// The passage.
    pub passage: &'a Passage,
    /// The steps that lead to it, none for a passage that plain search found.
    pub path: &'a [(PassageId, Step)],
    /// What the built-in ranking gives it.
    pub score: f32,
}

/// Orders the best candidates of the built-in ranking anew: a cross-encoder, a language model, your own idea.
///
/// The contract: one score per candidate, in the order given, higher is better; the call is made at most once per
/// question. When it fails the built-in ranking stands, and the trace says so.
#[async_trait]
pub trait Reranker: std::fmt::Debug + Send + Sync {
    /// Names the reranker and all its settings that change results.
    fn fingerprint(&self) -> String;

    /// Scores candidates against a question.
    ///
    /// # Errors
    /// When nothing could be scored.
    async fn rerank(
        &self,
        question: &str,
        candidates: &[RerankCandidate<'_>],
    ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Ranks what was reached by the evidence that reaches it.
pub(crate) async fn rerank(
    lexical: &Lexical,
    reranker: Option<&dyn Reranker>,
    reach: Reach,
) -> Result<Evidence> {
    let scored = score_paths(lexical, &reach);
    let Reach { mut query, passages, .. } = reach;
    let mut ranked: Vec<Ranked> = passages
        .into_values()
        .map(|candidate| {
            let path = path_to(candidate.passage.id, &scored);
            let score = scored[&candidate.passage.id].total;
            Ranked { score, plain: candidate.plain, path, passage: candidate.passage }
        })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.id.cmp(&b.passage.id)));
    let candidates = ranked.len();
    ranked.truncate(RERANKED.max(query.question.options.passages_limit));
    if let Some(reranker) = reranker {
        reorder(reranker, &mut query, &mut ranked).await;
    }
    ranked.truncate(query.question.options.passages_limit);
    let mut lines = vec![format!("{candidates} candidates")];
    for (rank, passage) in ranked.iter().enumerate() {
        lines.push(format!(
            "{}. {:.3} (plain {:.3}) {:?}{}",
            rank + 1,
            passage.score,
            passage.plain,
            label(&passage.passage),
            passage.path.iter().map(|(_, step)| format!(" ← {step}")).collect::<String>()
        ));
    }
    query.trace.end(Room::Rerank, lines);
    let Query { question, terms, trace, .. } = query;
    Ok(Evidence { question: question.text, passages: ranked, trace, terms })
}

/// A passage's title, or else its document.
pub(crate) fn label(passage: &Passage) -> &str {
    passage.title.as_deref().unwrap_or(&passage.document)
}

async fn reorder(reranker: &dyn Reranker, query: &mut Query, ranked: &mut [Ranked]) {
    let candidates: Vec<_> = ranked
        .iter()
        .map(|ranked| RerankCandidate { passage: &ranked.passage, path: &ranked.path, score: ranked.score })
        .collect();
    match reranker.rerank(&query.question.text, &candidates).await {
        Ok(scores) if scores.len() == ranked.len() => {
            for (ranked, score) in ranked.iter_mut().zip(scores) {
                ranked.score = score;
            }
            ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.id.cmp(&b.passage.id)));
        }
        Ok(scores) => query.trace.degrade(format!(
            "the reranker {} gave {} scores for {} candidates, so the built-in ranking stands",
            reranker.fingerprint(),
            scores.len(),
            ranked.len()
        )),
        Err(error) => query.trace.degrade(format!(
            "the reranker {} failed, so the built-in ranking stands: {error}",
            reranker.fingerprint()
        )),
    }
}

/// The best way to a candidate.
#[derive(Clone, Debug)]
struct Scored {
    /// Along the best path.
    score: f32,
    /// With what the passage says itself.
    total: f32,
    /// The words of the question that the passages on the path say, as bits of the query's terms.
    covered: u128,
    parent: Option<Route>,
}

/// Scores every candidate by its best path.
///
/// A passage is worth what plain search says of it, or what the passage before is worth times what the step adds:
/// how much of the question's weight that the path so far leaves open the passage covers, and how much of it the
/// sentence that leads there speaks of. Paths are made longer round by round, as many as hops were made.
fn score_paths(lexical: &Lexical, reach: &Reach) -> BTreeMap<PassageId, Scored> {
    let query = &reach.query;
    let terms = TermBits::of(&query.terms);
    let mut covers: HashMap<PassageId, u128> = HashMap::new();
    let mut scored: BTreeMap<PassageId, Scored> = BTreeMap::new();
    for (&id, candidate) in &reach.passages {
        let covered = terms.covered_by_passage(lexical, &candidate.passage);
        covers.insert(id, covered);
        let score = candidate.plain.max(named_score(candidate, &terms, covered));
        scored.insert(id, Scored { score, total: score, covered, parent: None });
    }
    for _ in 0..query.question.options.hops_max {
        let before = scored.clone();
        for (&id, candidate) in &reach.passages {
            for route in candidate.routes.iter().filter(|route| route.from != id) {
                let Some(from) = before.get(&route.from) else { continue };
                if leads_through(&before, route.from, id) {
                    continue;
                }
                let covered = covers[&id];
                let score = from.score * step_strength(lexical, &terms, route, from.covered, covered);
                let known = scored.get_mut(&id).expect("every candidate was scored by plain search");
                if score > known.score {
                    let covered = covered | from.covered;
                    *known = Scored { score, total: score, covered, parent: Some(route.clone()) };
                }
            }
        }
    }
    for (id, scored) in &mut scored {
        let covered = terms.weight(covers[id]) / terms.all;
        scored.total = 0.7 * scored.score + 0.2 * reach.passages[id].plain + 0.1 * covered;
    }
    scored
}

/// What a passage is worth whose subject the question names.
fn named_score(candidate: &Candidate, terms: &TermBits, covered: u128) -> f32 {
    let is_named = candidate.routes.iter().any(|route| matches!(route.step, Step::Named { .. }));
    if is_named { 0.6 + 0.4 * terms.weight(covered) / terms.all } else { 0.0 }
}

/// How much of its worth a passage passes along a step.
fn step_strength(lexical: &Lexical, terms: &TermBits, route: &Route, before: u128, covered: u128) -> f32 {
    let open = terms.all - terms.weight(before);
    let new = terms.weight(covered & !before);
    let new = if open > 0.0 { new / open } else { 0.0 };
    let (kind, said) = match &route.step {
        Step::Named { .. } => return 0.0,
        Step::Mention { sentence, .. } => (1.0, terms.covered_by(lexical, sentence)),
        Step::Relation { predicate, .. } => (0.9, terms.covered_by(lexical, predicate)),
        Step::MentionedBy { .. } => (0.6, 0),
    };
    let said = terms.weight(said) / terms.all;
    kind * (0.35 + 0.4 * new + 0.25 * said.min(1.0)).min(1.0)
}

/// Whether the best path to a passage goes through another: then it must not go on to it.
fn leads_through(scored: &BTreeMap<PassageId, Scored>, mut at: PassageId, through: PassageId) -> bool {
    // A path has no cycle, so this ends; the bound guards against a mistake in that.
    for _ in 0..scored.len() {
        if at == through {
            return true;
        }
        match scored.get(&at).and_then(|scored| scored.parent.as_ref()) {
            Some(route) => at = route.from,
            None => return false,
        }
    }
    true
}

fn path_to(id: PassageId, scored: &BTreeMap<PassageId, Scored>) -> Vec<(PassageId, Step)> {
    let mut path = Vec::new();
    let mut at = id;
    while let Some(route) = scored.get(&at).and_then(|scored| scored.parent.as_ref()) {
        path.push((route.from, route.step.clone()));
        at = route.from;
        if path.len() > scored.len() {
            break;
        }
    }
    path.reverse();
    path
}

/// The question's words as bits, so that what a path covers is one number.
pub(crate) struct TermBits {
    bits: HashMap<u32, u32>,
    weights: Vec<f32>,
    /// The weight of all words together, above 0.
    pub(crate) all: f32,
}

impl TermBits {
    pub(crate) fn of(terms: &[QueryTerm]) -> Self {
        let terms = &terms[..terms.len().min(128)];
        let bits = terms.iter().zip(0..).map(|(term, bit)| (term.hash, bit)).collect();
        let weights: Vec<f32> = terms.iter().map(|term| term.weight).collect();
        let all = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { bits, weights, all }
    }

    pub(crate) fn has(&self, term: u32) -> bool {
        self.bits.contains_key(&term)
    }

    pub(crate) fn is_covered(&self, term: u32, covered: u128) -> bool {
        self.bits.get(&term).is_some_and(|bit| covered >> bit & 1 == 1)
    }

    pub(crate) fn covered_by(&self, lexical: &Lexical, text: &str) -> u128 {
        lexical
            .terms(text)
            .iter()
            .filter_map(|term| self.bits.get(&term.hash))
            .fold(0, |covered, bit| covered | 1 << bit)
    }

    pub(crate) fn covered_by_passage(&self, lexical: &Lexical, passage: &Passage) -> u128 {
        let title = passage.title.as_deref().unwrap_or_default();
        self.covered_by(lexical, title) | self.covered_by(lexical, &passage.text)
    }

    pub(crate) fn weight(&self, covered: u128) -> f32 {
        (0..self.weights.len()).filter(|bit| covered >> bit & 1 == 1).map(|bit| self.weights[bit]).sum()
    }
}
