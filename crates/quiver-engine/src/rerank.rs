//! The rerank stage: orders what was reached by its contribution to the answer.

use async_trait::async_trait;
use quiver_graph::{Passage, PassageId, name};
use tracing::{Span, field, instrument};

use crate::{
    Result,
    analysis::words,
    chain::{Chain, Wanted, chains},
    engine::Engine,
    error::Stage,
    explain,
    feature::route_strength,
    label::label,
    llm::order,
    part::part,
    pool::{Candidate, Expanded, Pool, Route, RouteKind},
    question::{Evidence, Query, Ranked, Step, Variant},
    score::{observe_all, ranked},
    terms::{TermBits, unknown_words},
};

/// Maximum number of candidates passed to a reranker.
const RERANKED: usize = 30;
/// Maximum number of other names tried in a question.
const VARIANTS_MAX: usize = 4;
/// Maximum number of further passages that an answer over several pages may read.
const FURTHER_MAX: usize = 10;
/// Maximum length of a shown path.
const PATH_MAX: usize = 4;
/// A mentioned passage follows the one that mentions it, unless it is less probable than this share of it.
const MENTION_SHARE: f32 = 0.5;

/// A candidate as a [`Reranker`] sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RerankCandidate<'a> {
    /// The passage.
    pub passage: &'a Passage,
    /// The steps that lead to it; empty for a passage that plain search found.
    pub path: &'a [(PassageId, Step)],
    /// Its score in the built-in ranking.
    pub score: f32,
}

/// Reorders the best candidates of the built-in ranking: a cross-encoder, a language model, or your own idea.
///
/// The contract: one score per candidate, in the given order, higher is better. It is called at most once per question.
/// If it fails, the built-in ranking stays, and the trace says so.
#[async_trait]
pub trait Reranker: std::fmt::Debug + Send + Sync {
    /// Returns a fingerprint of the reranker and all settings that change its results.
    fn fingerprint(&self) -> String;

    /// Scores candidates against a question.
    ///
    /// # Errors
    /// If nothing could be scored.
    async fn rerank(
        &self,
        question: &str,
        candidates: &[RerankCandidate<'_>],
    ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Ranks what was reached by the probability that it is evidence.
#[instrument(target = "quiver::stage", skip_all, fields(candidates, passages, first))]
pub(crate) async fn rerank(
    engine: Engine<'_>,
    reranker: Option<&dyn Reranker>,
    expanded: Expanded,
) -> Result<Evidence> {
    let Expanded { mut query, mut pool, follows_merges } = expanded;
    let observed = observe_all(&mut pool, &query, engine.weights, engine.lexical);
    let unknown = unknown_words(engine.lexical, &query.statistics, &query.question.text);
    let mut unknown = query.bits.covered_by(unknown.into_iter().chain(query.doubted.iter().copied()));
    let is_restricted = query.question.options.is_restricted();
    let mut confidence_min = query.question.options.confidence_min;
    if is_restricted {
        // What only other documents say is no evidence, and the confidence is that of a question to all documents.
        let said = pool.candidates.values().fold(0, |said, candidate| said | candidate.covered);
        let unsaid = query.bits.covered_by(query.terms.iter().map(|term| term.hash)) & !said;
        if unsaid != 0 && confidence_min > 0.0 {
            confidence_min = f32::INFINITY;
        }
        unknown |= unsaid;
    }
    let titles =
        pool.candidates.iter().map(|(&id, candidate)| (id, said_by_title(engine, &query, candidate)));
    let chains = chains(
        &pool,
        &query.bits,
        Wanted { known: !unknown, focus: query.focus.object | query.focus.clause },
        &titles.collect(),
    );
    let limit = RERANKED.max(query.question.options.passages_limit);
    let bits = query.bits.clone();
    let as_ranked = |&(id, score): &(PassageId, f32)| {
        let candidate = &pool.candidates[&id];
        let (plain, path) = (candidate.plain, path(&pool, &bits, &chains, id));
        Ranked { score, plain, path, passage: candidate.passage.clone() }
    };
    let all = ranked(&pool, &observed, engine.ranking);
    let mut ranked: Vec<Ranked> = all.iter().take(limit).map(as_ranked).collect();
    let mut lines = vec![format!("{} candidates", pool.candidates.len())];
    match (reranker, engine.llm.filter(|llm| llm.options.rerank)) {
        (Some(reranker), _) => lines.extend(reorder(reranker, &mut query, &mut ranked).await),
        (None, Some(llm)) => lines.extend(order(llm, &mut query, &mut ranked).await),
        (None, None) => {}
    }
    query.trace.explanation = query.question.options.explain.then(|| {
        let ranking = explain::Ranking {
            engine,
            query: &query,
            pool: &pool,
            observed: &observed,
            ranked: &ranked,
            all: &all,
        };
        explain::explain(&ranking, &as_ranked)
    });
    let rest = all.get(ranked.len()..).unwrap_or_default();
    let in_order = ranked.iter().map(|ranked| ranked.passage.id).chain(rest.iter().map(|(id, _)| *id));
    let plain_count = pool.candidates.values().filter(|candidate| candidate.plain > 0.0).count();
    let is_plain_full = plain_count >= query.question.options.seeds_limit;
    let part = part(engine, &query, &in_order.collect::<Vec<_>>(), is_plain_full).await?;
    let missing = part.candidates.end.saturating_sub(ranked.len());
    ranked.extend(rest.iter().take(missing).map(as_ranked));
    let mut further = ranked.split_off(part.candidates.end);
    further.truncate(if part.begin == 0 { FURTHER_MAX } else { 0 });
    let mut ranked = ranked.split_off(part.candidates.start);
    ranked.extend(part.beyond);
    lines.extend(ranked.iter().enumerate().map(|(at, ranked)| line(part.begin + at + 1, ranked)));
    let span = Span::current();
    span.record("candidates", pool.candidates.len()).record("passages", ranked.len());
    if let Some(first) = ranked.first() {
        span.record("first", field::display(first.passage.id));
    }
    query.trace.end(Stage::Rerank, lines);
    // Another name may have words that only other documents say.
    let variants = if is_restricted { Vec::new() } else { variants(engine, &query) };
    let Query { question, named, corrected, statistics, trace, .. } = query;
    let (asked, said) = match named {
        Some(named) => (named, Some(question.text)),
        None => (question.text, None),
    };
    let last = |chain: &Chain| chain.passages[chain.passages.len() - 1].0;
    let chain_end = chains.first().map(|chain| pool.candidates[&last(chain)].passage.clone());
    let is_empty = statistics.passages == 0;
    Ok(Evidence {
        question: asked,
        said,
        passages: ranked,
        trace,
        is_empty,
        unknown,
        bits,
        corrected,
        confidence_min,
        next: part.next,
        further,
        chain_end,
        follows_merges,
        variants,
    })
}

/// Describes a ranked passage with its path.
fn line(rank: usize, ranked: &Ranked) -> String {
    let path: String = ranked.path.iter().map(|(_, step)| format!(" ← {step}")).collect();
    let label = label(&ranked.passage);
    format!("{rank}. {:.3} (plain {:.3}) {label:?}{path}", ranked.score, ranked.plain)
}

/// Returns the question with other names of what it names, as far as decisions make them the same.
fn variants(engine: Engine<'_>, query: &Query) -> Vec<Variant> {
    let question = &query.question.text;
    let words = words(engine.lexical, question);
    let mut variants: Vec<Variant> = Vec::new();
    for link in &query.linked {
        let (first, end) = link.span;
        let (Some(first), Some(last)) =
            (words.get(first), end.checked_sub(1).and_then(|last| words.get(last)))
        else {
            continue;
        };
        let written = &question[first.start..last.end];
        for other in link.other_names() {
            let text = format!("{}{other}{}", &question[..first.start], &question[last.end..]);
            let is_known = name::normalise(other) == name::normalise(written)
                || variants.iter().any(|variant| variant.question == text);
            if is_known || variants.len() == VARIANTS_MAX {
                continue;
            }
            let (bits, unknown) = TermBits::of_question(engine.encoder, &query.statistics, &text);
            let (written, other) = (written.to_owned(), other.to_owned());
            variants.push(Variant { question: text, written, other, bits, unknown });
        }
    }
    variants
}

/// Returns the words of the question in a passage's title, as a bit set.
fn said_by_title(engine: Engine<'_>, query: &Query, candidate: &Candidate) -> u128 {
    let title = candidate.passage.title.as_deref().unwrap_or_default();
    query.bits.covered_by(engine.lexical.terms(title).into_iter().map(|term| term.hash))
}

fn chain_path(pool: &Pool, chain: &Chain) -> Vec<(PassageId, Step)> {
    let steps = chain.passages.iter().filter_map(|(id, name)| name.map(|name| (*id, name)));
    steps.map(|(id, name)| (id, mention(&pool.candidates[&id], name))).collect()
}

/// Returns the path to a passage, starting with the first: the best chain that ends there, or else the strongest
/// routes.
///
/// A path starts at what the question names, or at a passage that is more probable on its own than everything that
/// leads to it. A bridge counts only from a passage that is more probable on its own, since its search finds again what
/// the question finds.
fn path(pool: &Pool, bits: &TermBits, chains: &[Chain], to: PassageId) -> Vec<(PassageId, Step)> {
    if pool.candidates[&to].linked.is_some() {
        return Vec::new();
    }
    if let Some(chain) = chains.iter().find(|chain| chain.passages.last().is_some_and(|(id, _)| *id == to)) {
        return chain_path(pool, chain);
    }
    let mut path = Vec::new();
    let mut at = &pool.candidates[&to];
    let mut seen = vec![to];
    while path.len() < PATH_MAX && at.linked.is_none() {
        let leads = |route: &&Route| {
            let from = &pool.candidates[&route.from];
            let is_likelier = match route.kind {
                RouteKind::Forward { .. } => from.probability > at.own * MENTION_SHARE,
                RouteKind::Back
                | RouteKind::Shared { .. }
                | RouteKind::Bridge { .. }
                | RouteKind::DenseBridge { .. }
                | RouteKind::Carry { .. } => from.own > at.own,
            };
            !seen.contains(&route.from) && is_likelier
        };
        let strongest = at
            .routes
            .iter()
            .filter(leads)
            .map(|route| (route_strength(route.kind, &pool.candidates[&route.from], at, bits), route))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.from.cmp(&a.1.from)));
        let Some((_, route)) = strongest else { break };
        seen.push(route.from);
        let from = &pool.candidates[&route.from];
        path.push((route.from, step(route, from)));
        at = from;
    }
    path.reverse();
    path
}

fn step(route: &Route, from: &Candidate) -> Step {
    match route.kind {
        RouteKind::Forward { name, .. } => mention(from, name),
        RouteKind::Bridge { name, .. }
        | RouteKind::DenseBridge { name, .. }
        | RouteKind::Carry { name, .. } => {
            let (entity, sentence) = name_in_sentence(from, name);
            Step::Bridge { entity, sentence }
        }
        RouteKind::Shared { .. } => Step::Shared { passage: label(&from.passage).to_owned() },
        RouteKind::Back => Step::MentionedBy { entity: label(&from.passage).to_owned() },
    }
}

fn mention(from: &Candidate, name: usize) -> Step {
    let (entity, sentence) = name_in_sentence(from, name);
    Step::Mention { entity, sentence }
}

/// Returns a name in a passage, and its sentence.
fn name_in_sentence(candidate: &Candidate, name: usize) -> (String, String) {
    let run = &candidate.analysis.names[name];
    let text = &candidate.passage.text;
    let sentence = candidate.analysis.sentences.get(usize::from(run.sentence));
    let sentence = sentence.map_or("", |sentence| text[sentence.range.clone()].trim()).to_owned();
    (text[run.range.start as usize..run.range.end as usize].to_owned(), sentence)
}

/// Lets a reranker order the candidates. Returns what it did. If it fails, the order stays, and the trace says so.
async fn reorder(reranker: &dyn Reranker, query: &mut Query, ranked: &mut [Ranked]) -> Option<String> {
    if ranked.is_empty() {
        return None;
    }
    let candidates: Vec<_> = ranked
        .iter()
        .map(|ranked| RerankCandidate { passage: &ranked.passage, path: &ranked.path, score: ranked.score })
        .collect();
    let why = match reranker.rerank(&query.question.text, &candidates).await {
        Ok(scores) if scores.len() == ranked.len() => {
            for (ranked, score) in ranked.iter_mut().zip(scores) {
                ranked.score = score;
            }
            ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.id.cmp(&b.passage.id)));
            return Some(format!("{} candidates ranked by {}", ranked.len(), reranker.fingerprint()));
        }
        Ok(scores) => format!("it returned {} scores for {} candidates", scores.len(), ranked.len()),
        Err(error) => error.to_string(),
    };
    query.trace.degrade(format!(
        "the reranker {} did not rank the candidates, so the built-in ranking is used: {why}",
        reranker.fingerprint()
    ));
    None
}
