//! Abstention: why a recall returns no facts.

use quiver_language::designator::{Designator, designators, names_another};

use super::{
    asked::Asked,
    beside::{Facts, told_apart},
    known::MemoryFact,
    lexicon::Wanted,
    pool::FactPool,
    rank::Chain,
    recollection::{NoAnswer, RecallOptions},
    words::spoken,
};

/// Minimum agreement of a word of the question with a part of a fact that says it.
const SAID: f32 = 0.5;

/// Returns the reason to show nothing, or `None` if the best chain can be shown.
pub(super) fn abstain(
    options: &RecallOptions,
    asked: &Asked,
    pool: &FactPool,
    chains: &[Chain],
) -> Option<NoAnswer> {
    let Some(best) = chains.first() else {
        return Some(denied(asked, pool).unwrap_or(NoAnswer::NothingKnown));
    };
    let designated = designators(&asked.text);
    if names_another(&designated, &said_by(pool, best)) {
        let missing = designated.iter().map(|one| format!("{} {}", one.noun, one.mark));
        return Some(NoAnswer::NotCovered { missing: missing.collect() });
    }
    let facts = Facts { facts: &pool.facts, agreements: &pool.agreements };
    let missing = told_apart(asked, facts, best);
    if !missing.is_empty() {
        return Some(NoAnswer::NotCovered { missing });
    }
    // A value of the requested kind compensates for words that no fact contains.
    let fits = best.coverage >= options.coverage_min * 0.6 && best.score >= options.coverage_min * 1.3;
    let misses = best.misses_name && best.coverage < 0.75;
    let covered = (best.coverage >= options.coverage_min || fits) && !misses;
    let is_dated = matches!(asked.wanted, Some(Wanted::Time | Wanted::Place));
    let is_called_off = is_dated && best.facts.iter().any(|fact| pool.facts[*fact].is_cancellation());
    if let Some(denied) = denied(asked, pool)
        && (is_called_off || best.coverage < denial_coverage(asked, pool))
    {
        return Some(denied);
    }
    if covered && !is_beside(asked, pool, best) {
        return None;
    }
    let missing = asked
        .terms
        .iter()
        .enumerate()
        .filter(|(at, _)| best.facts.iter().all(|fact| pool.agreements[*fact].best(*at) < SAID));
    Some(NoAnswer::NotCovered { missing: missing.map(|(_, term)| term.words[0].lower.to_string()).collect() })
}

/// The letters and numbers with which the facts of a chain distinguish things.
fn said_by(pool: &FactPool, chain: &Chain) -> Vec<Designator> {
    let facts = chain.facts.iter().map(|fact| &pool.facts[*fact]);
    let texts = facts.flat_map(|fact| [fact.subject(), fact.object(), fact.relation.text.as_str()]);
    texts.flat_map(designators).collect()
}

/// Whether a chain of facts read from text contains only the names in the question and none of its content
/// words: "Maya reports to Desmond" does not answer who Maya's landlord is. The turns may answer it. A given
/// fact may be a paraphrase.
fn is_beside(asked: &Asked, pool: &FactPool, chain: &Chain) -> bool {
    let mut content = asked.content().peekable();
    let says = |term: usize| chain.facts.iter().any(|fact| pool.agreements[*fact].best(term) >= SAID);
    chain.coverage < 1.0
        && chain.facts.iter().all(|fact| pool.facts[*fact].is_found())
        && content.peek().is_some()
        && !content.any(says)
}

/// The denial or cancellation that covers most of the question.
fn best_denial<'p>(asked: &Asked, pool: &'p FactPool) -> Option<(f32, &'p MemoryFact)> {
    let coverages = pool.agreements.iter().map(|agreement| agreement.coverage(asked));
    let denials = coverages
        .zip(&pool.facts)
        .filter(|(_, fact)| (fact.is_denied() || fact.is_cancellation()) && !fact.is_undone());
    denials.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.order().cmp(&b.1.order())))
}

fn denial_coverage(asked: &Asked, pool: &FactPool) -> f32 {
    best_denial(asked, pool).map_or(0.0, |(coverage, _)| coverage)
}

fn denied(asked: &Asked, pool: &FactPool) -> Option<NoAnswer> {
    let (coverage, fact) = best_denial(asked, pool)?;
    let line = format!("{} {} {}", fact.subject(), spoken(&fact.relation.predicate), fact.object());
    (coverage >= 0.5).then_some(NoAnswer::Denied { line })
}
